# SPDX-License-Identifier: Apache-2.0
"""The outcome of a privacy check: a verdict that holds, or the violation with its event and excess."""

from dataclasses import dataclass
from fractions import Fraction

from rainbowdp.distribution import Distribution
from rainbowdp.errors import ColorError, PrivacyParameterError
from rainbowdp.exact import Exact, Exponent, Log, NumberLike, format_fraction, parse_exponent

LARGEST_PARAMETER = 1_000_000


@dataclass(frozen=True)
class Violation:
    """The event by which two neighbors break a privacy constraint.

    Attributes
    ----------
    event : tuple of str
        Colors of the event, sorted; of all events the one with the greatest excess.
    probability : Exact
        Its probability at the dataset that gives too much.
    limit : Exact or None
        The largest probability allowed there: E q + delta, or Phi(Phi^-1(q) + mu), with q the event's
        probability at the other dataset. None where the Gaussian limit has no closed form.
    excess : Exact or None
        probability - limit, above 0.
    swapped : bool
        False if the first of the two distributions gives too much, True if the second does.
    undecided : bool
        True if 4096 bits did not decide the constraint, which counts as a violation.
    """

    event: tuple[str, ...]
    probability: Exact
    limit: Exact | None
    excess: Exact | None
    swapped: bool
    undecided: bool = False


@dataclass(frozen=True)
class Verdict:
    """Whether a constraint holds; true or false by itself, with the violation where it does not.

    Examples
    --------
    >>> bool(Verdict(None))
    True
    """

    violation: Violation | None

    def __bool__(self) -> bool:
        return self.violation is None


def exponent_text(exponent: Exponent) -> str:
    """Return an epsilon or mu as it is typed."""
    return str(exponent) if isinstance(exponent, Log) else format_fraction(exponent)


def parse_nonnegative(value: NumberLike | Log, name: str) -> Exponent:
    """Read an epsilon or mu, and refuse one that is negative or beyond any use."""
    exponent = parse_exponent(value)
    negative = exponent.argument < 1 if isinstance(exponent, Log) else exponent < 0
    if negative:
        raise PrivacyParameterError(
            f"{name} is negative ({exponent_text(exponent)})", help=f"give {name} of at least 0", value=value
        )
    if isinstance(exponent, Fraction) and exponent > LARGEST_PARAMETER:
        raise PrivacyParameterError(
            f"{name} is above {LARGEST_PARAMETER}",
            help=f"{name} of this size protects nobody; give a smaller one",
            value=value,
        )
    return exponent


def require_same_colors(p: Distribution, q: Distribution) -> None:
    """Raise `ColorError` unless both distributions have the same colors."""
    if p.colors != q.colors:
        raise ColorError(
            f"two distributions have different colors: {', '.join(p.colors)} and {', '.join(q.colors)}",
            help="give both the same colors, with probability 0 where needed",
        )
