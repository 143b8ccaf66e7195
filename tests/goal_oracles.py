# SPDX-License-Identifier: Apache-2.0
"""What mechanisms of questions ought to do, worked out again from their definitions, in fractions.

Nothing here uses the package. `everywhere` lists small tables, and `moves` what one person can do to them.
The other functions give whole distributions: flip goes through all orders in which options can be asked, the
noisy order and noisy counts add up geometric series level by level, and the line propagates step by step.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

_MOST_NODES = 100

Counts = tuple[int, ...]
Move = tuple[Counts, Counts]

RELATIONS: tuple[Literal["add-remove", "change-one"], ...] = ("add-remove", "change-one")


def options(count: int) -> list[str]:
    return [f"{at:04}" for at in range(count)]


def letters(count: int) -> list[str]:
    return [chr(ord("A") + at) for at in range(count)]


def everywhere(options: int, most: int) -> Iterator[Counts]:
    """Yield all counts of up to so many records; those that say no option are in none of them."""
    yield from (
        counts for counts in itertools.product(range(most + 1), repeat=options) if sum(counts) <= most
    )


def falling(options: int, most: int) -> Iterator[Counts]:
    """Yield the counts of up to so many records from the greatest down: all tables, but for names."""
    yield from (
        counts for counts in everywhere(options, most) if list(counts) == sorted(counts, reverse=True)
    )


@cache
def moves(options: int, rows: int, changed: bool) -> tuple[Move, ...]:
    """Return which rows leave and which join where one person does something, without what does both.

    A person has up to so many rows, each with an option or none. Under add-remove all rows of one person join
    or leave; under change-one they become any others, so rows may also stop or begin to count. A row that
    leaves and joins alike makes no difference, and a person without it does the same.
    """
    own = list(everywhere(options, rows))
    nobody = (0,) * options
    pairs = (
        itertools.product(own, own)
        if changed
        else [(one, nobody) for one in own] + [(nobody, one) for one in own]
    )
    found = set()
    for before, after in pairs:
        gone = tuple(max(0, one - other) for one, other in zip(before, after, strict=True))
        come = tuple(max(0, other - one) for one, other in zip(before, after, strict=True))
        if gone != come:
            found.add((gone, come))
    return tuple(sorted(found))


def neighbors_of(counts: Counts, rows: int, changed: bool, most: int) -> Iterator[Counts]:
    """Yield all tables of up to so many records that one person can make of this one."""
    for gone, come in moves(len(counts), rows, changed):
        moved = tuple(here - less + more for here, less, more in zip(counts, gone, come, strict=True))
        if sum(moved) <= most and all(here >= less for here, less in zip(counts, gone, strict=True)):
            yield moved


def pairs_of_neighbors(options: int, most: int, rows: int, changed: bool) -> Iterator[tuple[Counts, Counts]]:
    """Yield all pairs of neighbors among the tables of up to so many records, in both orders."""
    for counts in everywhere(options, most):
        for other in neighbors_of(counts, rows, changed, most):
            yield counts, other


def gaps_of(counts: Counts) -> Counts:
    """Return what each option lacks to the greatest."""
    return tuple(max(counts) - count for count in counts)


def shared_by_coins(weights: Sequence[Fraction]) -> list[Fraction]:
    """Return how often each option is the first to accept, over all orders in which they can be asked."""
    options = len(weights)
    found = [Fraction(0)] * options
    for order in itertools.permutations(range(options)):
        still = Fraction(1, factorial(options))
        for at in order:
            found[at] += still * weights[at]
            still *= 1 - weights[at]
        assert still == 0, "no option accepts for certain"
    return found


def flip_weight(gap: int, step: Fraction, changed: bool) -> Fraction:
    """Return how often an option accepts that lacks so much, for the factor that one row is worth."""
    if not changed:
        return 1 / step**gap
    return (2 / (1 + step) if gap % 2 else 1) / step ** (gap // 2)


def flip(counts: Counts, step: Fraction, changed: bool) -> list[Fraction]:
    """Return the chances of flip."""
    return shared_by_coins([flip_weight(gap, step, changed) for gap in gaps_of(counts)])


def exponential(counts: Counts, power: Callable[[int], Fraction]) -> list[Fraction]:
    """Return the chances of the exponential mechanism, from the weight of a gap."""
    weights = [power(gap) for gap in gaps_of(counts)]
    return [weight / sum(weights) for weight in weights]


def propagated(mass: Fraction, odds: Fraction, delta: Fraction = Fraction(0)) -> Fraction:
    """Return the most that a neighbor can have, for a probability under (epsilon, delta)."""
    return min(odds * mass + delta, 1 - (1 - mass - delta) / odds, Fraction(1))


def promised(counts: Counts, odds: Fraction, step: int, delta: Fraction = Fraction(0)) -> list[Fraction]:
    """Return the chances of the guarantee line: what one person can move the lead is one step."""
    options = len(counts)
    first, second = sorted(counts, reverse=True)[:2]
    times, rest = divmod(first - second, step)
    mass = (odds + (options - 1) * delta) / (odds + options - 1) if rest else Fraction(1, options)
    for _ in range(times):
        mass = propagated(mass, odds, delta)
    if first == second:
        return [Fraction(1, options)] * options
    return [mass if count == first else (1 - mass) / (options - 1) for count in counts]


@cache
def _block(many: int, ratio: Fraction) -> Fraction:
    """Return the weight of so many numbers of at least 0 that do not rise, each tie divided by its orders."""
    if many == 0:
        return Fraction(1)
    ties = range(1, many + 1)
    rest = sum(
        (ratio ** (many - tied) * _block(many - tied, ratio) / factorial(tied) for tied in ties), Fraction(0)
    )
    return rest / (1 - ratio**many)


@cache
def noisy_order(falls: Counts, ratio: Fraction) -> Fraction:
    """Return how often options come out in the order in which they are given, with noise on differences.

    The noise is a whole vector z with a weight of ratio^(sum |z|) among those of the lower median 0. Levels
    are gone through from the top down; above all counts noise is positive, below all of them negative, and
    there everything is a geometric series.

    Parameters
    ----------
    falls : tuple of int
        What the count of each option lacks to the one before; negative where it has more.
    ratio : Fraction
        Between 0 and 1.
    """
    options = len(falls) + 1
    counts = [0, *(-fall for fall in itertools.accumulate(falls))]
    top, bottom = max(counts), min(counts)
    below_most = (options - 1) // 2
    above_most = options - 1 - below_most
    # By how many are placed, and how many of them have noise below 0 and above 0.
    state: dict[tuple[int, int, int], Fraction] = {}
    for placed in range(options + 1):
        distance = sum(top + 1 - count for count in counts[:placed])
        state[placed, 0, placed] = ratio**distance * _block(placed, ratio)
    for level in range(top, bottom - 1, -1):
        after: dict[tuple[int, int, int], Fraction] = {}
        for (placed, below, above), weight in state.items():
            for tied in range(options - placed + 1):
                noise = [level - count for count in counts[placed : placed + tied]]
                key = (
                    placed + tied,
                    below + sum(one < 0 for one in noise),
                    above + sum(one > 0 for one in noise),
                )
                share = weight * ratio ** sum(map(abs, noise)) / factorial(tied)
                after[key] = after.get(key, Fraction(0)) + share
        state = after
    right = Fraction(0)
    for (placed, below, above), weight in state.items():
        rest = options - placed
        if below + rest <= below_most and above <= above_most:
            distance = sum(count - (bottom - 1) for count in counts[placed:])
            right += weight * ratio**distance * _block(rest, ratio)
    return right / all_noise(options, ratio)


@cache
def all_noise(options: int, ratio: Fraction) -> Fraction:
    """Return the weight of all vectors of the lower median 0, by how many are below 0 and above it."""
    odds = ratio / (1 - ratio)
    below_most = (options - 1) // 2
    return sum(
        (
            comb(options, below) * comb(options - below, above) * odds ** (below + above)
            for below in range(below_most + 1)
            for above in range(options - below_most)
        ),
        Fraction(0),
    )


def noisy_orders(counts: Counts, ratio: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Return the chances of all orders of the options with noise on differences."""
    found = {}
    for order in itertools.permutations(range(len(counts))):
        falls = tuple(counts[one] - counts[other] for one, other in itertools.pairwise(order))
        found[order] = noisy_order(falls, ratio)
    return found


def noisy_counts(counts: Counts, ratio: Fraction) -> list[Fraction]:
    """Return how often each option has the greatest count after its own geometric noise, ties at random."""
    return [_noisy_first(at, counts, ratio) for at in range(len(counts))]


def _noisy_first(at: int, counts: Counts, ratio: Fraction) -> Fraction:
    own, others = counts[at], [count for place, count in enumerate(counts) if place != at]
    at_zero = (1 - ratio) / (1 + ratio)
    total = Fraction(0)
    for level in range(min(counts), max(counts) + 1):
        # P(other below) + s P(other at the level), integrated over the place s of the own lot.
        product = [at_zero * ratio ** abs(level - own)]
        for other in others:
            product = _times(product, [_below(level - other, ratio), at_zero * ratio ** abs(level - other)])
        total += _integral(product)
    # Below all counts every factor is a multiple of ratio^(-level).
    product = [at_zero * ratio ** (own - min(counts) + 1)]
    for other in others:
        gap = other - min(counts) + 1
        product = _times(product, [ratio ** (gap + 1) / (1 + ratio), at_zero * ratio**gap])
    total += _integral(product) / (1 - ratio ** len(counts))
    # Above all counts they are polynomials in ratio^level: by the power of that, in the place s.
    start = max(counts) + 1
    by_power: list[list[Fraction]] = [[at_zero * ratio ** (start - own)]]
    for other in others:
        here = ratio ** (start - other)
        factor = [-here / (1 + ratio), at_zero * here]
        grown: list[list[Fraction]] = [[*part, Fraction(0)] for part in by_power] + [[]]
        for power, part in enumerate(by_power):
            longer = _times(part, factor)
            grown[power + 1] = _plus(grown[power + 1], longer)
        by_power = grown
    for power, part in enumerate(by_power):
        total += _integral(part) / (1 - ratio ** (power + 1))
    return total


def _below(least: int, ratio: Fraction) -> Fraction:
    """Return how often noise is below a number."""
    return ratio ** (1 - least) / (1 + ratio) if least <= 0 else 1 - ratio**least / (1 + ratio)


def _times(one: Sequence[Fraction], other: Sequence[Fraction]) -> list[Fraction]:
    product = [Fraction(0)] * (len(one) + len(other) - 1)
    for (low, left), (high, right) in itertools.product(enumerate(one), enumerate(other)):
        product[low + high] += left * right
    return product


def _plus(one: Sequence[Fraction], other: Sequence[Fraction]) -> list[Fraction]:
    return [left + right for left, right in itertools.zip_longest(one, other, fillvalue=Fraction(0))]


def _integral(polynomial: Sequence[Fraction]) -> Fraction:
    return sum((value / (power + 1) for power, value in enumerate(polynomial)), Fraction(0))


def right_by_coins(weights: NDArray[np.float64], best: int) -> float:
    """Return how often one of the best options, whose weights are 1, is the first to accept, as a float.

    The sum over the best of the integral of the product of 1 - q s over all others, by Gaussian quadrature.
    That is exact but for roundings up to twice as many options as there are nodes, and beyond that as good as
    the product is smooth.
    """
    nodes, masses = np.polynomial.legendre.leggauss(min(len(weights) // 2 + 1, _MOST_NODES))
    times = (nodes + 1) / 2
    others = np.sort(weights)[: len(weights) - best]
    product = np.prod(1 - np.outer(times, others), axis=1) * (1 - times) ** (best - 1)
    return float(best * product @ masses / 2)


def right_by_noise(counts: Counts, ratio: float) -> float:
    """Return how often independent geometric noise leaves one of the best options first, as a float."""
    values, many = np.unique(np.array(counts), return_counts=True)
    reach = int(60 / -np.log(ratio)) + 2
    levels = np.arange(values[0] - reach, values[-1] + reach + 1)
    nodes, masses = np.polynomial.legendre.leggauss(len(counts) // 2 + 1)
    places = (nodes + 1)[:, None] / 2
    at_zero = (1 - ratio) / (1 + ratio)

    def shares(value: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        noise = levels - value
        at = at_zero * ratio ** np.abs(noise)
        below = np.where(noise <= 0, ratio ** (1 - np.minimum(noise, 0)), 0) / (1 + ratio)
        return at, np.where(noise <= 0, below, 1 - ratio ** np.maximum(noise, 0) / (1 + ratio))

    density = np.ones((len(nodes), len(levels)))
    for value, copies in zip(values.tolist(), many.tolist(), strict=True):
        at, below = shares(value)
        density *= (below + places * at) ** (copies - (value == values[-1]))
    own, _ = shares(int(values[-1]))
    return float(int(many[-1]) * (masses / 2) @ (density @ own))


def worst_ratio(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Return by what factor an answer is more likely under one distribution than under another, at most."""
    return max(left / right for left, right in zip(one, other, strict=True))


def over_all_events(one: Sequence[Fraction], other: Sequence[Fraction], odds: Fraction) -> Fraction:
    """Return the most by which an event exceeds odds times what it has under the other distribution."""
    places = range(len(one))
    events = itertools.chain.from_iterable(
        itertools.combinations(places, size) for size in range(len(one) + 1)
    )
    return max(sum((one[at] - odds * other[at] for at in event), Fraction(0)) for event in events)


def joint(distributions: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return the distribution of independent answers together."""
    return [prod(masses, start=Fraction(1)) for masses in itertools.product(*distributions)]
