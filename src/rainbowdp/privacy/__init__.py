# SPDX-License-Identifier: Apache-2.0
"""Notions of privacy, each one frozen value with its whole mathematics.

A notion is known by one scalar function: ``propagate(x)``, the largest probability that a neighbor can give
to an event that this dataset gives probability x. The closed form of the optimal mechanism is propagate
iterated along the distance to the boundary, so this module also holds its closed form after i steps, the
largest index at which it still grows (`threshold`), and the test whether two distributions may stand side by
side (`admits`), with a witness where they may not.

================  =====================================================
notion            propagate, one step (E = e^epsilon)
================  =====================================================
`PureDP`          min(E x, 1 - (1-x)/E)
`ApproxDP`        min(1, E x + delta, 1 - (1-x-delta)/E)
`GaussianDP`      Phi(Phi^-1(x) + mu)
================  =====================================================
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, get_args

from rainbowdp.errors import RainbowError, UsageError
from rainbowdp.exact import Number
from rainbowdp.exact.arguments import require
from rainbowdp.privacy.notions import ApproxDP as ApproxDP
from rainbowdp.privacy.notions import GaussianDP as GaussianDP
from rainbowdp.privacy.notions import Privacy as Privacy
from rainbowdp.privacy.notions import PureDP as PureDP
from rainbowdp.privacy.verdict import Verdict as Verdict
from rainbowdp.privacy.verdict import Violation as Violation
from rainbowdp.privacy.verdict import likelihood_events as likelihood_events

Parsed = TypeVar("Parsed", PureDP, ApproxDP, GaussianDP)


def require_privacy(value: object) -> None:
    """Refuse an argument `privacy` that is not a notion of privacy.

    Parameters
    ----------
    value : object
        The argument.

    Raises
    ------
    UsageError
        If it is not; a bare number does not say which notion is meant.

    Examples
    --------
    >>> require_privacy(PureDP(1))
    """
    require(value, "privacy", *get_args(Privacy))


def privacy_of(
    epsilon: Number | None = None,
    delta: Number | None = None,
    mu: Number | None = None,
) -> Privacy:
    """Return the notion of privacy that its parameters name.

    Parameters
    ----------
    epsilon, delta : number or text, optional
        Pure privacy, or approximate privacy with both.
    mu : number or text, optional
        Gaussian privacy.

    Returns
    -------
    PureDP, ApproxDP or GaussianDP

    Raises
    ------
    UsageError
        If none is given, or some that do not belong together.
    NumberError, PrivacyParameterError
        If one is not a number, or out of range; the message names it.

    Examples
    --------
    >>> privacy_of(epsilon=1), privacy_of("ln 2", "1e-6"), privacy_of(mu="0.5")
    (PureDP('1'), ApproxDP('ln(2)', '1/1000000'), GaussianDP('1/2'))
    """
    way_on = "`epsilon` such as 1 or 'ln 2', perhaps with a `delta` such as 1e-6, or `mu` such as 1"
    if mu is not None:
        if epsilon is not None or delta is not None:
            other = "delta" if epsilon is None else "epsilon"
            raise UsageError(f"`mu` and `{other}` do not belong together", help=f"give {way_on}")
        return _named("mu", GaussianDP, mu)
    if epsilon is None:
        what = "`delta` is given without `epsilon`" if delta is not None else "no privacy is given"
        raise UsageError(what, help=f"give {way_on}")
    pure = _named("epsilon", PureDP, epsilon)
    return pure if delta is None else _named("delta", partial(ApproxDP, epsilon), delta)


def _named(name: str, notion: Callable[[Any], Parsed], value: object) -> Parsed:
    try:
        return notion(value)
    except RainbowError as error:
        raise error.at(f"`{name}`") from None
