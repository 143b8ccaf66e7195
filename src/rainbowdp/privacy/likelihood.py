# SPDX-License-Identifier: Apache-2.0
"""The likelihood ratio test between two distributions: the events that matter under any trade-off curve."""

from collections.abc import Callable, Iterable
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, NormalExpression, OddsExpression, ball, shown_sign, sign
from rainbowdp.exact.refining import undecided


def likelihood_events(p: Distribution, q: Distribution) -> Iterable[tuple[str, ...]]:
    """Yield the corner events of the likelihood ratio test of p against q, smallest first.

    Parameters
    ----------
    p, q : Distribution
        Over the same colors.

    Yields
    ------
    tuple of str
        Sorted colors: those with ratio p/q above some level. Colors that both give probability 0 are left
        out; the full event is not yielded.

    Raises
    ------
    UndecidedError
        If 4096 bits do not decide the order of two ratios.

    Examples
    --------
    >>> p = Distribution({"a": "1/2", "b": "1/3", "c": "1/6"})
    >>> q = Distribution({"a": "1/6", "b": "1/3", "c": "1/2"})
    >>> list(likelihood_events(p, q))
    [('a',), ('a', 'b')]
    """
    merged: list[tuple[tuple[str, ...], Exact, Exact]] = []
    for color in p:
        if sign(p[color]) == 0 and sign(q[color]) == 0:
            continue
        for index, (group, mass, other) in enumerate(merged):
            if _proportional(mass, p[color], other, q[color]):
                merged[index] = ((*group, color), mass + p[color], other + q[color])
                break
        else:
            merged.append(((color,), p[color], q[color]))
    ordered: list[tuple[tuple[str, ...], Exact, Exact]] = []
    for item in merged:
        position = 0
        while position < len(ordered) and _ratio_order(ordered[position], item) > 0:
            position += 1
        ordered.insert(position, item)
    event: tuple[str, ...] = ()
    for group, _, _ in ordered[:-1]:
        event = tuple(sorted((*event, *group)))
        yield event


def _proportional(p1: Exact, p2: Exact, q1: Exact, q2: Exact) -> bool:
    """Tell whether p1 : p2 = q1 : q2, exactly in one field, and by their form for normal numbers."""
    if all(isinstance(value, Fraction | OddsExpression) for value in (p1, p2, q1, q2)):
        exponents = {value.exponent for value in (p1, p2, q1, q2) if isinstance(value, OddsExpression)}
        return len(exponents) <= 1 and sign(p1 * q2 - p2 * q1) == 0
    factors = {_form_ratio(p1, p2), _form_ratio(q1, q2)}
    return len(factors) == 1 and None not in factors


def _form_ratio(a: Exact, b: Exact) -> Fraction | None:
    """Return b/a where both have the same form up to a rational factor."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return b / a if a else None
    if (
        isinstance(a, NormalExpression)
        and isinstance(b, NormalExpression)
        and a.atoms.keys() == b.atoms.keys()
    ):
        if not a.atoms:
            return b.constant / a.constant if a.constant else None
        atom = next(iter(a.atoms))
        factor = b.atoms[atom] / a.atoms[atom]
        return factor if (b - factor * a).is_formally_zero() else None
    return None


def _ratio_order(
    first: tuple[tuple[str, ...], Exact, Exact], second: tuple[tuple[str, ...], Exact, Exact]
) -> int:
    """Return the sign of p1/q1 - p2/q2, by cross products."""
    (_, p1, q1), (_, p2, q2) = first, second
    if all(isinstance(value, Fraction) for value in (p1, p2, q1, q2)):
        return sign(p1 * q2 - p2 * q1)
    zero1, zero2 = sign(q1) == 0, sign(q2) == 0
    if zero1 or zero2:
        return int(zero1) - int(zero2)
    return ball_sign(lambda: ball(p1) * ball(q2) - ball(p2) * ball(q1))


def ball_sign(evaluate: Callable[[], flint.arb]) -> int:
    """Return the sign of what `evaluate` encloses; `UndecidedError` where 4096 bits do not show it."""
    found = shown_sign(evaluate)
    if found is None:
        raise undecided()
    return found
