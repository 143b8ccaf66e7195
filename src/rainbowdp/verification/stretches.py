# SPDX-License-Identifier: Apache-2.0
"""Choose the pairs of classes to judge: all that neighbors have, but only three of each long stretch.

Whether two neighbors satisfy a constraint depends only on their classes, so ten million pairs of neighbors
often come down to a thousand pairs of classes.

Rows that lie on a line are known by a closed form, and where it is one formula over a stretch of distances,
one proof covers all of the stretch. The expected formula is derived from the constraint, and compared, in
exact numbers, with rows at both ends and in the middle of the stretch. Stretches that cannot be proven so are
decided pair by pair, like every other kind of rows.

**The proof.** Let g be `propagate` of the line's notion of privacy, F_0 = 0 <= F_1 <= ... <= F_k = 1 the
prefix masses at a distance and G_0 = 0, ..., G_k = 1 those one step farther, and let the colors of a tied
class have constant shares of its mass. *If G_j = g(F_j) for 0 < j < k, the two rows satisfy the constraint*:

1. g is concave on [0, 1] with g(1) = 1. It stays so when g(0) is replaced by 0, and then G_j = g(F_j) for all
   j. Let S be an event. In every class, S has a share w of the mass F_j - F_{j-1}. Mark the first part, of
   length w (F_j - F_{j-1}), of the interval from F_{j-1} to F_j. The farther row gives S in that class the
   share w of the increment of g over the whole interval: at most its increment over the marked part.
2. Push the marked parts down to 0, one against the other. As g is concave, their increments only become
   larger. So the farther row gives S at most g(F(S)).
3. g is its own mirror image: y <= g(x) if and only if 1 - x <= g(1 - y). Step 2 for the complement of S
   therefore says that the nearer row gives S at most g of what the farther one gives it.

Step by step, G_j = g(F_j) follows over a stretch of n steps from finitely many comparisons, since prefix
masses do not fall along the line. With E = e^epsilon and c = delta/(E-1), or i delta in place of the second
term for epsilon 0:

==========================  =========================================  ===================================
a prefix                    is at i steps into the stretch             where
==========================  =========================================  ===================================
grows                       E^i F + c (E^i - 1)                        F at n-1 is <= (1 - delta)/(1 + E)
has a decaying complement   1 - E^-i (1 - F) + c (1 - E^-i)            F at 0 is above that, F at n <= 1
is certain                  1                                          F at 0 is 1
moves under mu              Phi(Phi^-1(F) + i mu)                      everywhere
==========================  =========================================  ===================================

*All pairs of such a stretch have the same tight figure*, so that the pairs that are kept tell it. A prefix
that grows has G = E F + delta, one that decays 1 - F = E (1 - G) + delta, and under mu the quantiles are mu
apart; by the theorem no event has more. So the figure is that of the line as soon as one prefix counts: any
but a certain one for delta, any in (0, 1) for the ratio and for mu, which every step of the stretch leaves
there. If none counts, both rows are the same, and the figure is 0 at every step.

References: Zhou et al. 2022, Theorems 4 and 5; Gu et al. 2024 for delta > 0; Dong, Roth and Su 2022 for mu.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import Exact, Exponent, NormalExpression, exponent_ball, shown_sign, sign
from rainbowdp.exact.arguments import require
from rainbowdp.families import Family
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.relation import CodePairs, NeighborRelation, require_relation
from rainbowdp.line import Line
from rainbowdp.line.steps import formula_turns
from rainbowdp.mechanism import LineRows, Mechanism, in_order_of
from rainbowdp.mechanism.comparison import require_same_size
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.progress import Progress


def classes_that_meet(
    mechanism: Mechanism, graph: NeighborRelation | RainbowGraph | Family
) -> tuple[Mechanism, NeighborRelation, CodePairs]:
    """Return the mechanism in the order of the graph, its neighbors, and the pairs of classes that meet.

    Each pair of classes comes with the first pair of neighboring datasets that has it. Either class may be
    that of its source.

    Raises
    ------
    UsageError
        If an argument is of another kind.
    MechanismShapeError
        If the mechanism does not have the datasets of the graph.
    """
    require(mechanism, "mechanism", Mechanism)
    structure = graph.structure if isinstance(graph, RainbowGraph | Family) else graph
    require_relation(structure, "graph")
    require_same_size(mechanism, structure.size)
    aligned = in_order_of(graph.labels, mechanism) if isinstance(graph, RainbowGraph | Family) else mechanism
    return aligned, structure, structure.code_pairs(aligned.codes, aligned.class_count)


FEW_STEPS = 24
"""Shorter stretches are decided pair by pair, which is as quick."""

DEEP = 1000
"""Up to this distance fractions are quicker than formal powers."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Steps of one line whose rows should have one formula.

    Parameters
    ----------
    line : Line
        What the rows are said to lie on.
    place : int array [n]
        Where the pairs stand among all pairs of classes, in the order of distances.
    low : int array [n]
        The smaller distance of each pair; the larger one is one more.
    near, far : int array [n]
        The classes at the smaller and at the larger distance.
    """

    line: Line
    place: NDArray[np.int64]
    low: NDArray[Any]
    near: NDArray[Any]
    far: NDArray[Any]

    @property
    def kept(self) -> list[int]:
        """The first, a middle and the last pair, which stand for all."""
        return sorted({0, self.low.size // 2, self.low.size - 1})

    def probes(self) -> Iterator[tuple[int, int]]:
        """Yield the distances, and the classes, whose rows are compared with the formula."""
        for at in self.kept:
            yield int(self.low[at]), int(self.near[at])
            yield int(self.low[at]) + 1, int(self.far[at])


def representative_pairs(
    mechanism: Mechanism, pairs: CodePairs, privacy: Privacy, progress: Progress
) -> CodePairs:
    """Return pairs of classes that decide about all of them.

    Parameters
    ----------
    mechanism : Mechanism
        Any mechanism. Only rows that are `LineRows`, on lines whose own notion of privacy implies the one
        that is asked, leave anything out.
    pairs : CodePairs
        The pairs of classes that meet.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint.
    progress : callable
        Told about stretches done and stretches in all.

    Returns
    -------
    CodePairs
        A part of the pairs. Those left out satisfy the constraint, and have the tight figure of one that is
        kept.

    References
    ----------
    Zhou et al. 2022, Theorems 4 and 5; Gu et al. 2024; the module's docstring has the proof.
    """
    rows = mechanism.rows
    # A subclass may give other rows than the lines that it holds.
    if type(rows) is not LineRows or pairs.size < FEW_STEPS:
        return pairs
    stretches = [stretch for stretch in _stretches(rows, pairs, privacy) if stretch.low.size >= FEW_STEPS]
    kept = np.ones(pairs.size, dtype=np.bool_)
    for done, stretch in enumerate(stretches):
        progress(done, len(stretches))
        if is_proven(stretch, rows):
            kept[stretch.place] = False
            kept[stretch.place[stretch.kept]] = True
    first, second = pairs.first[kept], pairs.second[kept]
    return CodePairs(first, second, pairs.source[kept], pairs.target[kept], pairs.same)


def is_proven(stretch: Stretch, rows: LineRows) -> bool:
    """Tell whether every pair of a stretch satisfies the constraint of its line; False where that is open."""
    line, first, last = stretch.line, int(stretch.low[0]), int(stretch.low[-1]) + 1
    exact, symbolic = rows_at(line.privacy, rows, last)
    if exact is None:
        return False
    try:
        masses = line.prefix_masses(first, symbolic=symbolic)
        shares = _shares(line)
        if not _are_prefix_masses(masses) or not _are_shares(shares, len(masses)):
            return False
        moves = [expected_moves(line.privacy, mass, last - first, symbolic=symbolic) for mass in masses]
        for distance, index in stretch.probes():
            moved = [move(distance - first) for move in moves if move is not None]
            if len(moved) < len(moves) or not _is_as_expected(exact[index], moved, shares):
                return False
    except UndecidedError:
        return False
    return True


def _shares(line: Line) -> dict[str, tuple[int, Exact]]:
    """Return the class of every color and its share of the class, which every row has to keep."""
    shares = enumerate(map(line.boundary.shares, line.rainbow.classes))
    return {color: (index, share) for index, of_class in shares for color, share in of_class.items()}


def _are_shares(shares: Mapping[str, tuple[int, Exact]], classes: int) -> bool:
    totals: list[Exact] = [Fraction(0)] * classes
    for index, share in shares.values():
        totals[index] = totals[index] + share
    return all(sign(share) >= 0 for _, share in shares.values()) and all(sign(t - 1) == 0 for t in totals)


def _are_prefix_masses(masses: Sequence[Exact]) -> bool:
    steps = pairwise((Fraction(0), *masses))
    return sign(masses[-1] - 1) == 0 and all(sign(upper - lower) >= 0 for lower, upper in steps)


def _is_as_expected(
    row: Distribution, masses: Sequence[Exact], shares: Mapping[str, tuple[int, Exact]]
) -> bool:
    """Tell whether a row is exactly the one with these prefix masses and shares."""
    bottoms = (Fraction(0), *masses[:-1])
    classes = [upper - lower for lower, upper in zip(bottoms, masses, strict=True)]
    return row.keys() == shares.keys() and all(
        sign(row[color] - classes[index] * share) == 0 for color, (index, share) in shares.items()
    )


def _stretches(rows: LineRows, pairs: CodePairs, privacy: Privacy) -> Iterator[Stretch]:
    """Yield the steps along lines, cut where the formula of a prefix ends."""
    regions, distances = rows.regions[pairs.first], rows.distances
    one, other = distances[pairs.first], distances[pairs.second]
    low = np.minimum(one, other)
    steps = (regions == rows.regions[pairs.second]) & (low >= 0) & (np.abs(one - other) == 1)
    place = np.flatnonzero(steps)
    place = place[np.lexsort((low[place], regions[place]))]
    ends = np.flatnonzero(np.diff(regions[place], prepend=-1, append=-1))
    for start, stop in pairwise(ends.tolist()):
        line = rows.lines[int(regions[place[start]])]
        if line is None or type(line) is not Line or not _implies(line.privacy, privacy):
            continue
        lows = low[place[start:stop]]
        turns = sorted(formula_turns(line.boundary.prefix_masses(line.rainbow)[:-1], line.privacy))
        cuts = [0, *np.searchsorted(lows, turns).tolist(), lows.size]
        for begin, end in pairwise(cuts):
            part = place[start + begin : start + end]
            first, second = pairs.first[part], pairs.second[part]
            nearer = one[part] < other[part]
            near, far = np.where(nearer, first, second), np.where(nearer, second, first)
            yield Stretch(line, part, lows[begin:end], near, far)


def _implies(own: Privacy, asked: Privacy) -> bool:
    """Tell whether a line's own constraint implies the one asked, with the same kind of figure."""
    match own, asked:
        case (GaussianDP(mu=least), GaussianDP(mu=most)):
            return _is_at_most(least, most)
        case (PureDP() | ApproxDP(), PureDP()):
            return own.delta == 0 and _is_at_most(own.epsilon, asked.epsilon)
        case (PureDP() | ApproxDP(), ApproxDP()):
            return own.delta <= asked.delta and own.epsilon == asked.epsilon
        case _:
            return False


def _is_at_most(least: Exponent, most: Exponent) -> bool:
    if least == most:
        return True
    return shown_sign(lambda: exponent_ball(most) - exponent_ball(least)) == 1


def rows_at(privacy: Privacy, rows: LineRows, last: int) -> tuple[Sequence[Distribution] | None, bool]:
    """Return the rows in a form that is short at the distance `last`, and whether that is symbolic."""
    if last > DEEP and not isinstance(privacy, GaussianDP) and privacy.is_rational:
        return rows.symbolic(privacy.epsilon), True
    return rows, False


Move = Callable[[int], Exact]
"""Takes a number of steps and returns the mass that a prefix has after them."""


def expected_moves(privacy: Privacy, mass: Exact, steps: int, *, symbolic: bool = False) -> Move | None:
    """Return the formula by which a prefix mass has to move over a stretch, by the table above.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy of the line.
    mass : Exact
        The prefix mass where the stretch begins, from 0 to 1.
    steps : int
        Length of the stretch, at least 1.
    symbolic : bool
        Whether rational odds are kept as a formal power base.

    Returns
    -------
    callable or None
        From a number of steps, up to `steps`, to the mass; None if no formula holds for all of the stretch.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> move = expected_moves(PureDP("ln 2"), Fraction(1, 24), 4)
    >>> move(4), expected_moves(PureDP("ln 2"), Fraction(1, 24), 5)
    (Fraction(2, 3), None)
    """
    if sign(mass - 1) == 0:
        return lambda _: Fraction(1)
    if isinstance(privacy, GaussianDP):
        return _gaussian_move(mass, privacy)
    odds, delta = privacy.symbolic_odds if symbolic else privacy.odds, privacy.delta

    def grown(start: Exact, count: int) -> Exact:
        if odds == 1:
            return start + count * delta
        power = odds**count
        return power * start if delta == 0 else power * start + delta * (power - 1) / (odds - 1)

    def decayed(count: int) -> Exact:
        return 1 - grown(1 - mass, -count)

    turning: Exact = (1 - delta) / (1 + odds)
    if sign(turning - mass) >= 0:
        return partial(grown, mass) if sign(turning - grown(mass, steps - 1)) >= 0 else None
    return decayed if sign(1 - decayed(steps)) >= 0 else None


def _gaussian_move(mass: Exact, privacy: GaussianDP) -> Move | None:
    if privacy.mu == 0 or (isinstance(mass, Fraction) and mass == 0):
        return lambda _: mass
    if isinstance(mass, Fraction):
        return lambda count: NormalExpression.shifted(mass, Fraction(count), privacy.mu)
    if not isinstance(mass, NormalExpression) or mass.moved(Fraction(1)) is None:
        return None
    return lambda count: cast("NormalExpression", mass.moved(Fraction(count)))
