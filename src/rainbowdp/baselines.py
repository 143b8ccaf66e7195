# SPDX-License-Identifier: Apache-2.0
"""Exact distributions and error rates of rival mechanisms: two that choose by score, and noisy counts.

A comparison is fair only if the rival's probabilities are as exact as ours and its privacy is accounted for
under the same neighbors. Nothing is simulated. These mechanisms are here to be compared with, not to be
released.

The exponential mechanism and permute-and-flip know a candidate's score only through its gap to the best one,
and they need to know how far one person can move two scores apart. If a person moves every score by at most
D, two scores may part by 2 D, so epsilon counts for half: the weight of a gap g is e^(-epsilon g / (2 D)). If
in addition all scores that move at once move in the same direction (they are *monotone*), two scores part by
D at most, and the weight is e^(-epsilon g / D).

On a rainbow graph the score of an answer is how many steps a dataset is away from one whose best answer it is
(`exponential`, `permute_and_flip`): a step changes it by 1 at most, up or down.

For counts per option that means: under add-remove one count moves, so counts are monotone with D = 1; under
change-one one count falls while another one rises, each by at most 1, so D is 1 and counts are not monotone.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import TypeVar

import flint
import numpy as np

from rainbowdp.distribution import Distribution
from rainbowdp.errors import NumberError, QuestionError, UsageError
from rainbowdp.exact import (
    Exponent,
    Log,
    Number,
    ball,
    format_fraction,
    parse_exponent,
    parse_fraction,
    simplest,
    working_precision,
)
from rainbowdp.exact.arguments import require
from rainbowdp.exact.enclosure import LARGEST_POWER, Base, EnclosedNumber, Value, odds_root, told
from rainbowdp.graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import PureDP

_PLANE = flint.fmpq_mpoly_ctx.get(["s", "v"], "lex")
_Key = TypeVar("_Key", bound=Hashable)


def exponential(graph: RainbowGraph, privacy: PureDP) -> Mechanism:
    """Return the exponential mechanism on a rainbow graph, to stand beside the optimum.

    An answer that is d steps away (the fewest steps to a dataset whose best class has it) has a weight of
    e^(-epsilon d / 2), and none where no step leads to it.

    Parameters
    ----------
    graph : RainbowGraph
        Datasets, neighbors and rainbows; of these the best classes alone matter.
    privacy : PureDP
        The constraint.

    Returns
    -------
    Mechanism
        On the datasets of the graph.

    Raises
    ------
    UsageError
        If an argument is of another kind.

    References
    ----------
    McSherry and Talwar 2007, Theorem 6; the score by distance: Asi and Duchi, Near Instance-Optimality in
    Differential Privacy, 2020.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges([("x", "y"), ("y", "z")], {"x": "a>b", "y": "a>b", "z": "b>a"})
    >>> exponential(graph, PureDP("ln 4"))["x"]
    Distribution(a=4/5, b=1/5)
    """
    return _by_steps(graph, privacy, exponential_mechanism)


def permute_and_flip(graph: RainbowGraph, privacy: PureDP) -> Mechanism:
    """Return permute-and-flip on a rainbow graph, with the scores of `exponential`.

    Parameters
    ----------
    graph : RainbowGraph
        Datasets, neighbors and rainbows; of these the best classes alone matter.
    privacy : PureDP
        The constraint.

    Returns
    -------
    Mechanism
        On the datasets of the graph.

    Raises
    ------
    UsageError
        If an argument is of another kind.

    References
    ----------
    McKenna and Sheldon 2020, Algorithm 1.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges([("x", "y"), ("y", "z")], {"x": "a>b", "y": "a>b", "z": "b>a"})
    >>> permute_and_flip(graph, PureDP("ln 4"))["x"]
    Distribution(a=7/8, b=1/8)
    """
    return _by_steps(graph, privacy, permute_and_flip_mechanism)


def geometric(graph: RainbowGraph, privacy: PureDP) -> Mechanism:
    """Return the geometric mechanism on a rainbow graph with two answers.

    Two-sided geometric noise is added to how many steps a dataset is inside of its region; where it leads
    across the boundary, the other answer is given.

    Parameters
    ----------
    graph : RainbowGraph
        Of two colors that are nowhere tied.
    privacy : PureDP
        The constraint.

    Returns
    -------
    Mechanism
        On the datasets of the graph.

    Raises
    ------
    UsageError
        If there are more colors or ties, or an argument is of another kind.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan, Universally Utility-Maximizing Privacy Mechanisms, 2009.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges([("x", "y"), ("y", "z")], {"x": "a>b", "y": "a>b", "z": "b>a"})
    >>> geometric(graph, PureDP("ln 2"))["x"]
    Distribution(a=5/6, b=1/6)
    """
    require(graph, "graph", RainbowGraph)
    if len(graph.colors) != 2 or any(len(rainbow.classes) != 2 for rainbow in graph.rainbows):
        raise UsageError(
            "geometric noise decides between two answers that are nowhere tied",
            help="compare with `exponential` or `permute_and_flip`",
            argument="graph",
        )

    def chances(steps: Sequence[int | None], epsilon: Exponent) -> tuple[Value, ...]:
        far = steps.index(None) if None in steps else steps.index(max(map(_known, steps)))
        gap = steps[far]
        wrong = Fraction(0) if gap is None else told(geometric_tail(gap, odds_root(epsilon, 1)))
        return tuple(wrong if at == far else 1 - wrong for at in range(2))

    return _of_steps(graph, privacy, chances)


def _known(steps: int | None) -> int:
    return steps or 0


def _by_steps(graph: RainbowGraph, privacy: PureDP, choose: Callable[..., tuple[Value, ...]]) -> Mechanism:
    """Return the mechanism that chooses by how few steps an answer is away."""

    @cache
    def by_step(steps: tuple[int, ...], epsilon: Exponent) -> dict[int, Value]:
        return dict(zip(steps, choose([-step for step in steps], epsilon), strict=True))

    def chances(steps: Sequence[int | None], epsilon: Exponent) -> tuple[Value, ...]:
        found = by_step(tuple(sorted(step for step in steps if step is not None)), epsilon)
        return tuple(Fraction(0) if step is None else found[step] for step in steps)

    return _of_steps(graph, privacy, chances)


def _of_steps(
    graph: RainbowGraph,
    privacy: PureDP,
    chances: Callable[[Sequence[int | None], Exponent], tuple[Value, ...]],
) -> Mechanism:
    """Return the mechanism that looks at the fewest steps to each answer, None where none leads there."""
    require(graph, "graph", RainbowGraph)
    require(privacy, "privacy", PureDP)
    is_best = np.array(
        [[color in rainbow.classes[0] for color in graph.colors] for rainbow in graph.rainbows]
    )
    steps = [graph.structure.steps_from(column[graph.regions]) for column in is_best.T]
    keys, codes = np.unique(
        np.column_stack([graph.regions, graph.distance.filled(-1), *steps]), axis=0, return_inverse=True
    )
    rows: dict[tuple[int, ...], Distribution] = {}
    for key in set(map(tuple, keys[:, 2:].tolist())):
        found = chances([None if step < 0 else step for step in key], privacy.epsilon)
        rows[key] = Distribution.trusted(dict(zip(graph.colors, found, strict=True)))  # type: ignore[arg-type]  # powers of the odds
    exact = all(row.is_rational for row in rows.values())
    return Mechanism(
        colors=graph.colors,
        codes=codes.reshape(-1).astype(np.int32),
        class_rainbow=tuple(graph.rainbows[region] for region in keys[:, 0].tolist()),
        class_distance=np.ma.masked_less(keys[:, 1].astype(np.int32), 0),
        rows=[rows[key] for key in map(tuple, keys[:, 2:].tolist())],
        precision="exact" if exact else "float64",
        labels=graph.labels,
    )


def exponential_mechanism(
    scores: Sequence[Number],
    epsilon: Number,
    *,
    sensitivity: Number = 1,
    monotone: bool = False,
) -> tuple[Value, ...]:
    """Return the probability of every candidate under the exponential mechanism.

    Parameters
    ----------
    scores : sequence of numbers
        One per candidate; higher is better.
    epsilon : number or text
        The privacy parameter, at least 0.
    sensitivity : number
        The most by which one person changes a score.
    monotone : bool
        Whether the scores that one person changes all change in the same direction.

    Returns
    -------
    tuple of Exact or EnclosedNumber
        One per candidate, in the order of the scores: proportional to e^(epsilon score / (2
        sensitivity)), or to e^(epsilon score / sensitivity) for monotone scores.

    Raises
    ------
    QuestionError
        If there is no score, or the sensitivity is not above 0.
    NumberError
        If a number cannot be read, or epsilon is negative.

    References
    ----------
    McSherry and Talwar, Mechanism Design via Differential Privacy, FOCS 2007, Theorem 6. Without the
    factor 2 for monotone scores: Dwork and Roth, The Algorithmic Foundations of Differential Privacy,
    2014, section 3.4; Durfee and Rogers, Practical Differentially Private Top-k Selection with
    Pay-what-you-get Composition, NeurIPS 2019.

    Examples
    --------
    >>> exponential_mechanism([3, 1], "ln 2", monotone=True)
    (Fraction(4, 5), Fraction(1, 5))
    >>> exponential_mechanism([3, 1], "ln 2")
    (Fraction(2, 3), Fraction(1, 3))
    """
    base, powers = _powers(scores, epsilon, sensitivity, monotone=monotone)
    # All times one power of the root, so that they are polynomials in it.
    weights = [base ** (max(powers) - power) for power in powers]
    total = _sum(weights)
    return _told([weight / total for weight in weights])


def permute_and_flip_mechanism(
    scores: Sequence[Number],
    epsilon: Number,
    *,
    sensitivity: Number = 1,
    monotone: bool = False,
) -> tuple[Value, ...]:
    """Return the probability of every candidate under permute-and-flip.

    The mechanism asks the candidates in random order, and takes the first one whose coin shows heads; the
    coin of a candidate shows heads with the weight of its gap to the best score. It is the same as adding
    independent exponential noise to every score and taking the largest.

    Parameters
    ----------
    scores : sequence of numbers
        One per candidate; higher is better.
    epsilon : number or text
        The privacy parameter, at least 0.
    sensitivity : number
        The most by which one person changes a score.
    monotone : bool
        Whether the scores that one person changes all change in the same direction.

    Returns
    -------
    tuple of Exact or EnclosedNumber
        One per candidate, in the order of the scores.

    Raises
    ------
    QuestionError
        If there is no score, or the sensitivity is not above 0.
    NumberError
        If a number cannot be read, or epsilon is negative.

    Notes
    -----
    Give every candidate a uniform time of arrival. A candidate of weight y that arrives at time s is
    taken if its coin shows heads and no other candidate, of weight z say, arrived earlier with heads,
    which has the probability 1 - s z. So its probability is y times the integral over s from 0 to 1 of
    the product of all 1 - s z.

    References
    ----------
    McKenna and Sheldon, Permute-and-Flip: A new mechanism for differentially private selection, NeurIPS 2020,
    Algorithm 1 and Proposition 1. As report noisy max: Ding, Kifer, Saghaian, Steinke, Wang, Xiao and Zhang,
    The Permute-and-Flip Mechanism is Identical to Report-Noisy-Max with Exponential Noise, 2021.

    Examples
    --------
    >>> permute_and_flip_mechanism([3, 1], "ln 2", monotone=True)
    (Fraction(7, 8), Fraction(1, 8))
    >>> permute_and_flip_mechanism([3, 1], "ln 2")
    (Fraction(3, 4), Fraction(1, 4))
    """
    base, powers = _powers(scores, epsilon, sensitivity, monotone=monotone)
    s, v = _PLANE.gens()
    missed = {power: 1 - s * v**power for power in powers}
    product = math.prod((missed[power] for power in powers), start=_PLANE.constant(1))
    chance = {power: _integral(product / missed[power] * v**power, base) for power in missed}
    return _told([chance[power] for power in powers])


def _integral(polynomial: flint.fmpq_mpoly, base: Base) -> Base:
    """Return the integral over s from 0 to 1 of a polynomial in s and v, at v = 1 / base."""
    found = {int(power): part for (_, power), part in polynomial.integral("s").subs({"s": 1}).terms()}
    deepest = max(found)
    parts = (Fraction(int(part.p), int(part.q)) * base ** (deepest - power) for power, part in found.items())
    return _sum(parts) / base**deepest


def taken_first(weights: Mapping[_Key, Base], counts: Mapping[_Key, int]) -> dict[_Key, Base]:
    """Return how often each candidate is the first one accepted, if all are asked in random order.

    Parameters
    ----------
    weights : mapping of Base
        The probability with which a candidate of each kind is accepted when it is asked.
    counts : mapping of int
        How many candidates of each kind there are; at least one of all of them is always accepted.

    Returns
    -------
    dict
        The chance of one candidate of each kind, see the notes of `permute_and_flip_mechanism`.

    Examples
    --------
    >>> weights = {"certain": Fraction(1), "half": Fraction(1, 2)}
    >>> {kind: str(chance) for kind, chance in taken_first(weights, {"certain": 2, "half": 1}).items()}
    {'certain': '5/12', 'half': '1/6'}
    """
    # How likely all are refused by the time s, as a polynomial in s.
    refused: list[Base] = [Fraction(1)]
    for kind, count in counts.items():
        for _ in range(count):
            accepted = [weights[kind] * coefficient for coefficient in refused]
            pairs = zip(refused[1:], accepted[:-1], strict=True)
            refused = [refused[0], *(before - taken for before, taken in pairs), -accepted[-1]]
    return {kind: weights[kind] * _integral_without(weights[kind], refused) for kind in counts}


def _integral_without(weight: Base, refused: Sequence[Base]) -> Base:
    """Return the integral from 0 to 1 of a polynomial in s divided by its factor 1 - weight s."""
    quotient = accumulate(refused[:-1], lambda before, coefficient: coefficient + weight * before)
    return _sum(coefficient * Fraction(1, degree) for degree, coefficient in enumerate(quotient, start=1))


def refused_ball(weight: flint.arb, count: int) -> flint.arb_poly:
    """Return how likely so many candidates of one enclosed weight are refused, as a polynomial in r = 1 - s.

    Of a candidate of the weight q that is (1 - q) + q r. No coefficient is negative, so for any number of
    candidates no digits cancel.
    """
    return flint.arb_poly([1 - weight, weight]) ** count


def taken_first_ball(weight: flint.arb, refused: Iterable[flint.arb_poly]) -> flint.arb:
    """Return a ball around the chance of one candidate, from what `refused_ball` returns for all others.

    Examples
    --------
    >>> others = [refused_ball(flint.arb(0.5), 1), refused_ball(flint.arb(1), 1)]
    >>> round(float(taken_first_ball(flint.arb(1), others)), 6) == round(5 / 12, 6)
    True
    """
    return weight * math.prod(refused, start=flint.arb_poly([1])).integral()(1)


def _powers(
    scores: Sequence[Number], epsilon: Number, sensitivity: Number, *, monotone: bool
) -> tuple[Base, list[int]]:
    """Return a root u of the odds, and for every candidate the n with the weight u^-n."""
    read, most = [parse_fraction(score) for score in scores], parse_fraction(sensitivity)
    if not read:
        raise QuestionError("there is no score to choose by", help="give one score per candidate")
    if most <= 0:
        raise QuestionError(
            f"the sensitivity is {format_fraction(most)}, not above 0",
            help="give the most by which one person changes a score",
            sensitivity=format_fraction(most),
        )
    apart = most if monotone else 2 * most
    gaps = [(max(read) - score) / apart for score in read]
    parts = math.lcm(*(gap.denominator for gap in gaps))
    return odds_root(_read(epsilon), parts), [int(gap * parts) for gap in gaps]


def _read(epsilon: Number) -> Exponent:
    """Read an epsilon, and refuse a negative one."""
    exponent = parse_exponent(epsilon)
    if (exponent.argument < 1) if isinstance(exponent, Log) else (exponent < 0):
        raise NumberError(f"epsilon is negative ({exponent})", help="give an epsilon of at least 0")
    return exponent


def _sum(terms: Iterable[Base]) -> Base:
    total: Base = Fraction(0)
    for term in terms:
        total = total + term
    return total


def _told(values: Iterable[Base]) -> tuple[Value, ...]:
    """Return the values as fractions where they are."""
    return tuple(value if isinstance(value, EnclosedNumber) else simplest(value) for value in values)


def geometric_tail(least: int, root: Base) -> Base:
    """Return how likely two-sided geometric noise is at least some number.

    The noise takes every whole number z with probability (1 - a)/(1 + a) a^|z|, so it is at least g > 0 with
    probability a^g / (1 + a).

    Parameters
    ----------
    least : int
        The number.
    root : Base
        1/a.

    Returns
    -------
    Base

    References
    ----------
    Ghosh, Roughgarden and Sundararajan, Universally Utility-Maximizing Privacy Mechanisms, STOC 2009,
    Example 2.2.

    Examples
    --------
    >>> [str(geometric_tail(least, Fraction(2))) for least in (-1, 0, 1, 2)]
    ['5/6', '2/3', '1/3', '1/6']
    """
    if least <= 0:
        return 1 - geometric_tail(1 - least, root)
    return 1 / (root ** (least - 1) * (root + 1))


_MOST_TERMS = 16
"""Up to this many rivals permute-and-flip is a polynomial; beyond it, enclosures of the closed form."""


def exponential_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often the exponential mechanism does not draw the best candidate: r / (u^g + r).

    Parameters
    ----------
    root : Base
        A root u of the odds.
    steps : int
        The g of the weight u^-g of every rival.
    rivals : int
        How many rivals there are.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    McSherry and Talwar 2007, Theorem 6.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.exact.enclosure import odds_root
    >>> exponential_wrong(odds_root(Log(Fraction(2)), 1), 3, 2)
    Fraction(1, 5)
    """
    return told(rivals / (root**steps + rivals))


def permute_and_flip_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often permute-and-flip does not draw the best candidate; see `flip_wrong`.

    Parameters
    ----------
    root : Base
        A root u of the odds.
    steps : int
        The g of the weight u^-g of every rival.
    rivals : int
        How many rivals there are.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    McKenna and Sheldon 2020, Algorithm 1.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.exact.enclosure import odds_root
    >>> permute_and_flip_wrong(odds_root(Log(Fraction(2)), 1), 3, 1)
    Fraction(1, 16)
    """
    return flip_wrong(1 / root**steps, rivals)


def flip_wrong(weight: Base, rivals: int) -> Value:
    """Return how often a best candidate is not the first one accepted, if rivals are equally likely to be.

    With the weight y of each rival and k = r + 1 it is right with probability (1 - (1 - y)^k) / (k y): the
    best candidate is equally likely to be asked first, second, ..., and is taken when all asked before it
    were refused.

    Parameters
    ----------
    weight : Base
        The probability y with which each rival is accepted when it is asked.
    rivals : int
        How many rivals there are.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    McKenna and Sheldon 2020, Algorithm 1.

    Examples
    --------
    >>> flip_wrong(Fraction(1, 8), 1), flip_wrong(Fraction(1), 3)
    (Fraction(1, 16), Fraction(3, 4))
    """
    if isinstance(weight, Fraction) and weight == 1:
        return Fraction(rivals, rivals + 1)
    if rivals > _MOST_TERMS:
        return EnclosedNumber(lambda: _flipped(weight, rivals + 1))
    total: Base = Fraction(0)
    for degree in range(rivals, 0, -1):
        coefficient = Fraction((-1) ** (degree + 1) * math.comb(rivals + 1, degree + 1), rivals + 1)
        total = (total + coefficient) * weight
    return told(total)


def _flipped(weight_of_each: Base, candidates: int) -> flint.arb:
    weight = ball(weight_of_each)
    never = (candidates * (-weight).log1p()).expm1()
    return 1 + never / (candidates * weight)


def noisy_counts_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often the greatest noisy count is not that of the best option.

    Parameters
    ----------
    root : Base
        The root u = 1/a of the odds, a being the ratio of the two-sided geometric noise; 1 for epsilon 0.
    steps : int
        How far behind the rivals are, in units of the noise, at least 0.
    rivals : int
        How many rivals there are, at least 1.

    Returns
    -------
    Exact or EnclosedNumber
        With one rival (1 + g (u-1)/(u+1)) / (2 u^g) for g steps; with more of them an enclosed number, except
        at a tie of all and for epsilon 0, where all options are equally likely.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan 2009, Example 2.2: the noise.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.exact.enclosure import odds_root
    >>> noisy_counts_wrong(odds_root(Log(Fraction(2)), 1), 3, 1)
    Fraction(1, 8)
    >>> noisy_counts_wrong(odds_root(Log(Fraction(2)), 1), 0, 2)
    Fraction(2, 3)
    """
    if steps == 0 or (isinstance(root, Fraction) and root == 1):
        return Fraction(rivals, rivals + 1)
    if rivals > 1:
        return EnclosedNumber(lambda: _beaten(root, steps, rivals + 1))
    wrong = (1 + steps * (root - 1) / (root + 1)) / (2 * root**steps)
    if isinstance(wrong, EnclosedNumber) or steps > LARGEST_POWER:
        return wrong
    return simplest(wrong)


def _beaten(root: Base, steps: int, candidates: int) -> flint.arb:
    """Return a ball around the probability at the precision in force.

    With C the cumulative distribution of the noise, the best of n candidates is named with noise z with
    probability p(z) (C(z+g)^n - C(z+g-1)^n) / (n p(z+g)). The sum telescopes for z >= 0 and for z < -g, where
    p(z)/p(z+g) is constant. In between, C(w)^n = (1 - b a^w)^n, b = a/(1+a), is expanded, and each of its
    terms is a geometric series. The terms of the first degree sum to 1 - b a^g.
    """
    bits = flint.ctx.prec
    # The terms alternate and are below 2^n in all; their sum is at least 1/2.
    with working_precision(bits + candidates + 16):
        ratio = 1 / ball(root)
        share = ratio / (1 + ratio)
        total = share - share**candidates / candidates
        for degree in range(2, candidates + 1):
            factor = ratio ** (degree - 2)
            last = factor**steps
            series = (1 - last) / (1 - factor) if degree > 2 else flint.arb(steps)
            # Twice b/a = 1/(1+a) instead of b times a negative power of a.
            term = (last + (1 - ratio**degree) * series) / (1 + ratio) ** degree
            total += (-1) ** degree * math.comb(candidates, degree) * term / candidates
        return ratio**steps * total
