# SPDX-License-Identifier: Apache-2.0
"""The constraint of pure and approximate privacy between numbers of different kinds, by enclosures alone.

Powers of e^1 and of e^2, say, have no common exact form here, so their differences are decided by refining
enclosures. What 4096 bits do not decide counts as a violation and says so.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, Exponent, NormalExpression, OddsExpression, ball, shown_sign, sign
from rainbowdp.privacy.verdict import Verdict, Violation


def are_compatible(values: Iterable[Exact]) -> bool:
    """Tell whether exact numbers can be added and compared in their exact form.

    Examples
    --------
    >>> one, two = OddsExpression.odds(Fraction(1)), OddsExpression.odds(Fraction(2))
    >>> are_compatible([one, one + 1, Fraction(1, 2)]), are_compatible([one, two])
    (True, False)
    """
    fields: set[tuple[str, Exponent]] = set()
    for value in values:
        if isinstance(value, OddsExpression):
            fields.add(("odds", value.exponent))
        elif isinstance(value, NormalExpression):
            fields.add(("normal", value.mu))
    return len(fields) <= 1


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
    worst: tuple[Violation, Callable[[], flint.arb]] | None = None
    for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
        found = _violation(ours, theirs, odds, delta, swapped=bool(swapped))
        if found is not None and (worst is None or _is_larger(found[1], worst[1])):
            worst = found
    return Verdict(None if worst is None else worst[0])


def _violation(
    ours: Distribution, theirs: Distribution, odds: Callable[[], flint.arb], delta: Fraction, *, swapped: bool
) -> tuple[Violation, Callable[[], flint.arb]] | None:
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
        return Violation(candidates, ours.mass(candidates), None, None, swapped, undecided=True), excess
    event = tuple(color for color in candidates if orders[color] is not None)
    return (Violation(event, ours.mass(event), None, None, swapped), excess) if found > 0 else None


def _is_larger(found: Callable[[], flint.arb], worst: Callable[[], flint.arb]) -> bool:
    return shown_sign(lambda: found() - worst()) == 1
