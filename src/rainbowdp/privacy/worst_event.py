# SPDX-License-Identifier: Apache-2.0
"""The worst event between two neighbors under pure and approximate privacy, in numbers of one kind."""

from collections.abc import Mapping
from fractions import Fraction

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, sign
from rainbowdp.privacy.verdict import Violation


def worst_event(p: Mapping[str, Exact], q: Mapping[str, Exact], odds: Exact) -> tuple[tuple[str, ...], Exact]:
    """Return the event of the colors with p > odds * q, and by how much its masses exceed that.

    Parameters
    ----------
    p, q : mapping
        Color to a number, which need not sum to 1.
    odds : Exact
        A factor of the same kind of numbers.

    Returns
    -------
    event : tuple of str
        In the order of `p`.
    beyond : Exact
        The sum of p - odds * q over the event: the largest of all events.

    Examples
    --------
    >>> p = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}
    >>> q = {"a": Fraction(1, 6), "b": Fraction(1, 3), "c": Fraction(1, 2)}
    >>> worst_event(p, q, Fraction(2))
    (('a',), Fraction(1, 6))
    """
    event: list[str] = []
    beyond: Exact = Fraction(0)
    for color in p:
        over = p[color] - odds * q[color]
        if sign(over) > 0:
            event.append(color)
            beyond = beyond + over
    return tuple(event), beyond


def worst_violation(p: Distribution, q: Distribution, odds: Exact, delta: Fraction) -> Violation | None:
    """Return the greatest excess over p <= odds q + delta, in both directions.

    Parameters
    ----------
    p, q : Distribution
        Over the same colors.
    odds : Exact
        A factor of the same kind of numbers.
    delta : Fraction
        The additive slack.

    Returns
    -------
    Violation or None
        None where no event exceeds its limit. Of two equal excesses that of `p` over `q`.

    References
    ----------
    Zhou et al. 2022, Definition 2.
    """
    worst: tuple[Exact, Violation] | None = None
    for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
        event, beyond = worst_event(ours, theirs, odds)
        excess = beyond - delta
        if sign(excess) > 0 and (worst is None or sign(excess - worst[0]) > 0):
            limit = odds * theirs.mass(event) + delta
            worst = excess, Violation(event, ours.mass(event), limit, excess, bool(swapped))
    return None if worst is None else worst[1]
