# SPDX-License-Identifier: Apache-2.0
"""The constraint of pure and approximate privacy between numbers of different kinds, by enclosures alone.

Powers of e^1 and of e^2, say, have no common exact form here, so their differences are decided by refining
enclosures. What 4096 bits do not decide counts as a violation and says so.
"""

from collections.abc import Callable
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.exact import ball, shown_sign, sign
from rainbowdp.privacy.excess import Excess
from rainbowdp.privacy.verdict import Verdict, Violation


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
