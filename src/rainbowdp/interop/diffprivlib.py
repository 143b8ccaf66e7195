# SPDX-License-Identifier: Apache-2.0
"""Pay for answers of rainbowdp from a budget accountant of diffprivlib.

The price is paid before the answer is drawn, so nothing comes out that was not paid for. diffprivlib cannot
take in mechanisms of other libraries; its own mechanisms ask its `BudgetAccountant`, and so does this module,
by the same rule: the accountant that is given, else the default one (as inside ``with
BudgetAccountant(...)``).

An accountant counts in floats and in memory. Every price is rounded up before it is recorded, so no answer is
booked too cheaply; the accountant's own sums are rounded to the nearest float. Where that is not enough, or
the budget must outlive the process, `rainbowdp.ledger` keeps exact books.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rainbowdp.errors import UsageError
from rainbowdp.exact import Number, parse_fraction, to_float
from rainbowdp.exact.arguments import require
from rainbowdp.interop import delta_above, epsilon_above, gaussian_epsilon, library
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP

if TYPE_CHECKING:
    from diffprivlib import BudgetAccountant

_Answer = TypeVar("_Answer")


def price(privacy: Privacy, *, delta: Number | None = None) -> tuple[float, float]:
    """Return what an answer costs an accountant: epsilon and delta as floats, never below the real numbers.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of the answer.
    delta : number or text, optional
        For Gaussian privacy only, and needed there: the delta at which it is priced.

    Returns
    -------
    epsilon, delta : float

    Raises
    ------
    UsageError
        If delta is missing under Gaussian privacy, or given under another notion.
    PrivacyParameterError
        If delta is not in (0, 1].
    NumberError
        If delta is not an exact number.

    Examples
    --------
    >>> from rainbowdp import ApproxDP, GaussianDP, PureDP
    >>> price(PureDP("ln 2")), price(ApproxDP("0.5", "1e-6"))
    ((0.6931471805599454, 0.0), (0.5, 1.0000000000000002e-06))
    >>> epsilon, delta = price(GaussianDP(1), delta="1/1024")
    >>> round(epsilon, 4), delta
    (3.1462, 0.0009765625)
    """
    require(privacy, "privacy", PureDP, ApproxDP, GaussianDP)
    if not isinstance(privacy, GaussianDP):
        if delta is not None:
            raise UsageError(
                f"a delta was given to price {privacy}", help="leave it out: this notion has its own delta"
            )
        return epsilon_above(privacy), delta_above(privacy)
    if delta is None:
        raise UsageError(
            f"an accountant of epsilon and delta cannot be charged {privacy} as it is",
            help='say at which delta, as in delta="1e-6"',
        )
    return gaussian_epsilon(privacy, delta), to_float(parse_fraction(delta), "up")


def pay(
    privacy: Privacy, accountant: "BudgetAccountant | None" = None, *, delta: Number | None = None
) -> "BudgetAccountant":
    """Check and spend the price of one answer.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of the answer.
    accountant : diffprivlib.BudgetAccountant, optional
        Who pays; the default accountant unless given.
    delta : number or text, optional
        As for `price`.

    Returns
    -------
    diffprivlib.BudgetAccountant
        The one that paid. An answer of perfect privacy (epsilon and delta 0) costs nothing.

    Raises
    ------
    diffprivlib.utils.BudgetError
        If the accountant does not have so much left; nothing is spent then.
    UsageError
        If the accountant is something else, and as for `price`.
    MissingExtraError
        If diffprivlib is not installed, or does not load beside the installed scikit-learn (0.6.6 needs one
        below 1.9).

    Examples
    --------
    >>> from diffprivlib import BudgetAccountant
    >>> from rainbowdp import PureDP
    >>> with BudgetAccountant(epsilon=1.0, delta=0) as accountant:
    ...     paid = pay(PureDP("0.4"))
    >>> accountant.total(), paid is accountant
    ((epsilon=0.4, delta=0.0), True)
    """
    epsilon, paid_delta = price(privacy, delta=delta)
    kind = library("diffprivlib", "diffprivlib").BudgetAccountant
    if accountant is not None:
        require(accountant, "accountant", kind)
    payer: BudgetAccountant = kind.load_default(accountant)
    if epsilon or paid_delta:
        payer.spend(epsilon, paid_delta)
    return payer


def release(
    draw: Callable[[], _Answer],
    privacy: Privacy,
    accountant: "BudgetAccountant | None" = None,
    *,
    delta: Number | None = None,
) -> _Answer:
    """Pay for one answer, then draw it.

    Parameters
    ----------
    draw : callable
        Draws one answer of this privacy, and is called once, after the payment. What it draws is paid for
        even if it fails.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of the answer.
    accountant : diffprivlib.BudgetAccountant, optional
        Who pays; the default accountant unless given.
    delta : number or text, optional
        As for `price`.

    Returns
    -------
    object
        What was drawn.

    Raises
    ------
    diffprivlib.utils.BudgetError, UsageError, MissingExtraError
        As for `pay`; nothing is drawn then.

    Examples
    --------
    >>> from diffprivlib import BudgetAccountant
    >>> from rainbowdp import Distribution, PureDP
    >>> from rainbowdp.sampling import sample_distribution
    >>> coin = Distribution({"yes": "2/3", "no": "1/3"})
    >>> accountant = BudgetAccountant(epsilon=1.0, delta=0)
    >>> answer = release(lambda: sample_distribution(coin)[0], PureDP("ln 2"), accountant)
    >>> answer in {"yes", "no"}, accountant.total()
    (True, (epsilon=0.6931471805599454, delta=0.0))
    """
    pay(privacy, accountant, delta=delta)
    return draw()
