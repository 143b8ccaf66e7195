# SPDX-License-Identifier: Apache-2.0
"""The worst event between two neighbors under pure and approximate privacy.

Numbers of one kind are compared exactly (`worst_event`, `worst_violation`). Powers of e^1 and of e^2, say,
have no common exact form here, so their differences are decided by refining enclosures (`enclosed_verdict`);
what 4096 bits do not decide counts as a violation and says so.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, ball, shown_sign, sign
from rainbowdp.privacy.verdict import Excess, Verdict, Violation


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


def enclosed_verdict(
    p: Distribution, q: Distribution, odds: Callable[[], flint.arb], delta: Fraction
) -> Verdict:
    """Decide whether two neighbors may have these distributions, by enclosures.

    Parameters
    ----------
    p, q : Distribution
        Over the same colors.
    odds : callable
        Computes a ball around e^epsilon at the precision in force.
    delta : Fraction
        The additive slack.

    Returns
    -------
    Verdict
        True, or the event of greatest excess; its limit and excess are None, having no exact form.
    """
    worst: Excess | None = None
    for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
        found = _violation(ours, theirs, odds, delta, swapped=bool(swapped))
        if found is not None and found.is_above(worst):
            worst = found
    return Verdict(None if worst is None else worst.violation)


def _violation(
    ours: Distribution, theirs: Distribution, odds: Callable[[], flint.arb], delta: Fraction, *, swapped: bool
) -> Excess | None:
    def gap(color: str) -> flint.arb:
        return ball(ours[color]) - odds() * ball(theirs[color])

    def order(color: str) -> int | None:
        return shown_sign(lambda: gap(color)) if sign(ours[color]) else -1

    orders = {color: order(color) for color in ours}
    # An undecided color is far below any excess that is decided, so it only counts where nothing else does.
    candidates = tuple(color for color, found in orders.items() if found not in (-1, 0))

    def excess() -> flint.arb:
        return sum((gap(color) for color in candidates), flint.arb(0)) - ball(delta)

    if not candidates:
        return None
    found = shown_sign(excess)
    if found is None:
        return Excess(
            Violation(candidates, ours.mass(candidates), None, None, swapped, undecided=True), excess
        )
    event = tuple(color for color in candidates if orders[color] is not None)
    return Excess(Violation(event, ours.mass(event), None, None, swapped), excess) if found > 0 else None
