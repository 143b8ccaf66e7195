# SPDX-License-Identifier: Apache-2.0
"""Random small problems for tests, and oracles for them that share no code with the package.

`best_prefix_masses` solves one linear program over all private mechanisms with scipy; `greatest_excess`
tries every event of every pair of neighbors in fractions, and `greatest_gaussian_excess` in balls.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import flint
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import norm

from rainbowdp.boundary import given
from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, ball
from rainbowdp.graph import DatasetGraph, RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.verification import Verification, Witness

Row = Mapping[str, Fraction]
Edges = Sequence[tuple[int, int]]

# Text of epsilon, and a rational number not above e^epsilon.
EPSILONS = {
    "0": Fraction(1),
    "ln(6/5)": Fraction(6, 5),
    "ln 2": Fraction(2),
    "ln 3": Fraction(3),
    "1/2": Fraction(1648, 1000),
    "1": Fraction(2718, 1000),
}
DELTAS = ("0", "0", "0", "1/50", "1/6")
MUS = ("1/10", "1", "5/2")
RATIONAL = ("0", "ln(6/5)", "ln 2", "ln 3")
ODDS = {"0": Fraction(1), "ln(6/5)": Fraction(6, 5), "ln 2": Fraction(2), "ln 3": Fraction(3)}
KINDS = ("given", "given", "uniform", "randomized-response")


@dataclass(frozen=True)
class Problem:
    """A small rainbow graph, a notion of privacy (Gaussian if there is a mu) and a boundary condition."""

    edges: tuple[tuple[int, int], ...]
    rainbows: tuple[str, ...]
    epsilon: str
    delta: Fraction
    boundary: Any
    mu: str | None = None

    @property
    def size(self) -> int:
        return len(self.rainbows)

    @property
    def colors(self) -> tuple[str, ...]:
        return self.graph().colors

    @property
    def privacy(self) -> PureDP | ApproxDP:
        """The notion of a problem without a mu."""
        return PureDP(self.epsilon) if self.delta == 0 else ApproxDP(self.epsilon, self.delta)

    @property
    def notion(self) -> Privacy:
        return self.privacy if self.mu is None else GaussianDP(self.mu)

    def graph(self) -> RainbowGraph:
        source, target = [edge[0] for edge in self.edges], [edge[1] for edge in self.edges]
        return RainbowGraph.from_arrays(
            np.array(source, dtype=np.int64), np.array(target, dtype=np.int64), self.rainbows
        )

    def mechanism(self) -> Mechanism:
        boundary = self.boundary if isinstance(self.boundary, str) else given(self.boundary)
        return optimal_mechanism(self.graph(), self.notion, boundary)  # type: ignore[arg-type]  # a name drawn below

    def is_boundary(self) -> list[bool]:
        crossing = [edge for edge in self.edges if self.rainbows[edge[0]] != self.rainbows[edge[1]]]
        touched = {dataset for edge in crossing for dataset in edge}
        return [dataset in touched for dataset in range(self.size)]

    def classes(self, dataset: int) -> list[list[str]]:
        """Return the classes of a dataset's rainbow, read from its text."""
        return [group.split("=") for group in self.rainbows[dataset].split(">")]


@st.composite
def rainbow_texts(draw: st.DrawFn, colors: str) -> str:
    """Draw an order of colors as text, some of them tied."""
    order, signs = draw(st.permutations(colors)), st.sampled_from([">", ">", ">", "="])
    text = "".join(color + draw(signs) for color in order)[:-1]
    return ">".join("=".join(sorted(group.split("="))) for group in text.split(">"))


@st.composite
def problems(
    draw: st.DrawFn,
    epsilons: Sequence[str] = tuple(EPSILONS),
    smallest_size: int = 2,
    kinds: Sequence[str] = KINDS,
    mus: Sequence[str] = (),
) -> Problem:
    """Draw graphs of up to 8 datasets over 2 to 4 colors, mostly connected, with ties now and then.

    The notion is Gaussian privacy where there are `mus` to choose from.
    """
    size = draw(st.integers(smallest_size, 8))
    colors = "abcd"[: draw(st.integers(2, 4))]
    palette = [draw(rainbow_texts(colors)) for _ in range(draw(st.integers(1, 3)))]
    blocks = draw(st.booleans())
    edges = set()
    for dataset in range(1, size):
        if draw(st.integers(0, 9)) > 0:
            # Blocks along a path give large distances, random trees give everything else.
            edges.add((dataset - 1 if blocks else draw(st.integers(0, dataset - 1)), dataset))
    for _ in range(draw(st.integers(0, 1 if blocks else 3))):
        one, other = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        if one != other:
            edges.add((min(one, other), max(one, other)))
    regions = (
        [dataset * len(palette) // size for dataset in range(size)]
        if blocks
        else [draw(st.integers(0, len(palette) - 1)) for _ in range(size)]
    )
    rainbows = tuple(palette[region] for region in regions)
    epsilon, delta, mu = "0", Fraction(0), None
    if mus:
        mu = draw(st.sampled_from(list(mus)))
    else:
        epsilon, delta = draw(st.sampled_from(list(epsilons))), Fraction(draw(st.sampled_from(DELTAS)))
    boundary: Any = draw(st.sampled_from(list(kinds)))
    if boundary == "given":

        def is_private(p: Row, q: Row) -> bool:
            if mu is not None:
                return _is_surely_gaussian(p, q, Fraction(mu)) and _is_surely_gaussian(q, p, Fraction(mu))
            limit = EPSILONS[epsilon], delta
            return max(pair_excess(p, q, *limit)[0], pair_excess(q, p, *limit)[0]) <= 0

        boundary = draw(_valid_boundaries(tuple(edges), rainbows, is_private))
    return Problem(tuple(sorted(edges)), rainbows, epsilon, delta, boundary, mu)


@st.composite
def _valid_boundaries(
    draw: st.DrawFn, edges: Edges, rainbows: Sequence[str], is_private: Callable[[Row, Row], bool]
) -> dict[str, dict[str, Fraction]]:
    """Draw one distribution per rainbow, moved toward one of them until all touching pairs are private."""
    colors = sorted(rainbows[0].replace("=", ">").split(">"))
    drawn = {}
    for rainbow in sorted(set(rainbows)):
        weights = [draw(st.integers(0, 8)) for _ in colors]
        if not any(weights):
            weights[0] = 1
        drawn[rainbow] = {c: Fraction(w, sum(weights)) for c, w in zip(colors, weights, strict=True)}
    center = drawn[min(drawn)]
    touching = {(rainbows[a], rainbows[b]) for a, b in edges if rainbows[a] != rainbows[b]}
    share = Fraction(1)
    while True:
        mixed = {
            rainbow: {c: center[c] + share * (row[c] - center[c]) for c in colors}
            for rainbow, row in drawn.items()
        }
        if all(is_private(mixed[a], mixed[b]) for a, b in touching):
            return mixed
        share = share / 2 if share > Fraction(1, 64) else Fraction(0)


def graph_of(size: int, edges: Edges) -> DatasetGraph:
    return DatasetGraph.from_pairs(
        size,
        np.array([edge[0] for edge in edges], dtype=np.int64),
        np.array([edge[1] for edge in edges], dtype=np.int64),
    )


def mechanism_of(rows: Sequence[Mapping[str, Exact]], labels: list[str] | None = None) -> Mechanism:
    """Return the mechanism with these exact rows, one class per dataset."""
    rainbow = ">".join(sorted(rows[0]))
    return Mechanism.from_table([rainbow] * len(rows), rows, labels=labels)


def witness_of(verification: Verification) -> Witness:
    """Return the witness of a verification that fails."""
    assert not verification.holds
    assert verification.witness is not None
    return verification.witness


def proper_events(colors: Sequence[str]) -> list[tuple[str, ...]]:
    return [event for size in range(1, len(colors)) for event in combinations(sorted(colors), size)]


def pair_excess(p: Row, q: Row, odds: Fraction, delta: Fraction) -> tuple[Fraction, tuple[str, ...]]:
    """Return the greatest p(S) - odds q(S) - delta over all proper events S, with a smallest such event."""
    scored = (
        (
            sum((p[c] for c in event), Fraction(0)) - odds * sum((q[c] for c in event), Fraction(0)) - delta,
            event,
        )
        for event in proper_events(tuple(p))
    )
    return max(scored, key=lambda item: item[0])


def greatest_excess(
    rows: Sequence[Row], edges: Edges, odds: Fraction, delta: Fraction
) -> tuple[Fraction, tuple[int, int]]:
    """Return the greatest excess over all pairs in both directions, and the first pair that has it."""
    best: tuple[Fraction, tuple[int, int]] | None = None
    for one, other in sorted(edges):
        for source, target in ((one, other), (other, one)):
            excess = pair_excess(rows[source], rows[target], odds, delta)[0]
            if best is None or excess > best[0]:
                best = excess, (source, target)
    assert best is not None, "there is a pair of neighbors"
    return best


def _is_surely_gaussian(p: Row, q: Row, mu: Fraction) -> bool:
    """Tell whether p exceeds no event of q by more than mu, with room for what floats lose."""
    pairs = [
        (float(sum((p[c] for c in event), Fraction(0))), float(sum((q[c] for c in event), Fraction(0))))
        for event in proper_events(tuple(p))
    ]
    return all(mass == other or mass <= norm.cdf(norm.ppf(other) + float(mu)) - 1e-9 for mass, other in pairs)


def gaussian_excess(mass: Exact, other: Exact, mu: Fraction) -> flint.arb:
    """Return a ball around mass - Phi(Phi^-1(other) + mu)."""
    if other in (0, 1):
        return ball(mass) - ball(other)
    two, center = flint.arb(2).sqrt(), flint.arb(1) - 2 * ball(other)
    quantile = -center.erfinv() * two
    return ball(mass) - (-(quantile + flint.arb(mu.numerator) / mu.denominator) / two).erfc() / 2


def greatest_gaussian_excess(
    rows: Sequence[Mapping[str, Exact]], edges: Edges, mu: Fraction, bits: int = 500
) -> tuple[flint.arb, tuple[int, int]] | None:
    """Return the greatest excess that so many bits show to be one, and its pair; None if there is none.

    An excess that they do not tell from 0 is none: mechanisms meet their limits exactly.
    """
    best: tuple[flint.arb, tuple[int, int]] | None = None
    for one, other in sorted(edges):
        for source, target in ((one, other), (other, one)):
            p, q = rows[source], rows[target]
            for event in proper_events(tuple(p)):
                masses = [sum((row[c] for c in event), Fraction(0)) for row in (p, q)]
                with flint.ctx.workprec(bits):
                    excess = gaussian_excess(masses[0], masses[1], mu)
                    if excess > 0 and (best is None or excess > best[0]):
                        best = excess, (source, target)
    return best


def best_prefix_masses(problem: Problem, boundary: NDArray[np.float64]) -> list[list[float]]:
    """Return for every dataset the largest mass of every proper prefix, by a linear program with scipy.

    Parameters
    ----------
    problem : Problem
        The graph and the notion of privacy.
    boundary : float64 array [n, k]
        Probabilities of the boundary datasets; other rows are not looked at.
    """
    colors = problem.colors
    k, n = len(colors), problem.size
    odds = float(np.exp(_exponent(problem.epsilon)))
    events = [(color,) for color in colors] if problem.delta == 0 else proper_events(colors)
    edges = [(one, other, odds) for one, other in problem.edges]
    above = private_rows(edges, n, k, [[colors.index(color) for color in event] for event in events])
    gain = np.zeros((n, k))
    for dataset in range(n):
        groups = problem.classes(dataset)
        for place, group in enumerate(groups):
            gain[dataset, [colors.index(color) for color in group]] = len(groups) - 1 - place
    fixed = {at: boundary[at].tolist() for at, at_boundary in enumerate(problem.is_boundary()) if at_boundary}
    found = best_mechanism(gain, above, [float(problem.delta)] * len(above), fixed)
    assert found is not None
    return [
        prefix_masses(dict(zip(colors, row, strict=True)), problem.classes(d)) for d, row in enumerate(found)
    ]


def private_rows(
    edges: Iterable[tuple[int, int, float]], size: int, colors: int, events: Sequence[Sequence[int]]
) -> list[NDArray[np.float64]]:
    """Return what must not exceed delta: an event here less its odds there, for pairs in both directions."""
    rows = []
    for one, other, odds in edges:
        for source, target in ((one, other), (other, one)):
            for event in events:
                row = np.zeros((size, colors))
                row[source, event], row[target, event] = 1.0, -odds
                rows.append(row.ravel())
    return rows


def best_mechanism(
    gain: NDArray[np.float64],
    above: Sequence[NDArray[np.float64]],
    right: Sequence[float],
    fixed: Mapping[int, Sequence[float]],
) -> NDArray[np.float64] | None:
    """Maximize a gain [n, k] over all tables with some rows fixed, by scipy; None if there are none."""
    n, k = gain.shape
    solved = linprog(
        -gain.ravel(),
        A_ub=np.array(above) if above else None,
        b_ub=np.array(right) if above else None,
        A_eq=np.kron(np.eye(n), np.ones(k)),
        b_eq=np.ones(n),
        bounds=[(fixed[at][j],) * 2 if at in fixed else (0.0, 1.0) for at in range(n) for j in range(k)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert solved.status in (0, 2), solved.message
    return np.asarray(solved.x, dtype=np.float64).reshape(n, k) if solved.status == 0 else None


def prefix_masses(row: Mapping[str, float], classes: Sequence[Sequence[str]]) -> list[float]:
    totals, total = [], 0.0
    for group in classes[:-1]:
        total += sum(row[color] for color in group)
        totals.append(total)
    return totals


def _exponent(epsilon: str) -> float:
    if epsilon.startswith("ln"):
        return float(np.log(float(Fraction(epsilon[2:].strip(" ()")))))
    return float(Fraction(epsilon))


def fractions_of(distribution: Distribution) -> dict[str, Fraction]:
    """Return the probabilities of a rational distribution."""
    return {color: as_fraction(value) for color, value in distribution.items()}


def as_fraction(value: Exact | None) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def path_edges(size: int) -> list[tuple[int, int]]:
    return list(pairwise(range(size)))
