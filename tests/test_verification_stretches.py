# SPDX-License-Identifier: Apache-2.0
"""Stretches of lines that are proven at once: what they leave out is what the slow path finds to be right.

The slow path decides every pair of classes by itself; here `FEW_STEPS` is small, so that short lines are
proven in stretches too. Closed forms that are wrong on purpose must not be proven.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from rainbowdp.boundary import given
from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, parse_exponent
from rainbowdp.families import grid, path
from rainbowdp.graph import DatasetGraph, RainbowGraph, listed
from rainbowdp.graph.relation import CodePairs
from rainbowdp.line import Line
from rainbowdp.mechanism import LineRows, Mechanism, pullback
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.verification import Verification, check, verify
from rainbowdp.verification.stretches import classes_that_meet, representative_pairs
from small_problems import ODDS, fractions_of, pair_excess, rainbow_texts, witness_of

RATIONAL_NOTIONS: tuple[PureDP | ApproxDP, ...] = (
    PureDP("ln(6/5)"),
    PureDP("ln 2"),
    PureDP(0),
    ApproxDP("ln(6/5)", "1/50"),
    ApproxDP("ln 2", "1/1000"),
    ApproxDP(0, "1/40"),
)
NOTIONS: tuple[Privacy, ...] = (
    *RATIONAL_NOTIONS,
    PureDP("1/3"),
    PureDP("1/20"),
    ApproxDP("1/10", "1/100"),
    GaussianDP("1/4"),
    GaussianDP("ln 2"),
    GaussianDP(0),
)


@st.composite
def solved_lines(
    draw: st.DrawFn, notions: tuple[Privacy, ...] = NOTIONS
) -> tuple[Mechanism, RainbowGraph, Privacy]:
    """Draw a path of two regions, two lines, with ties, zeros and every notion of privacy, and solve it."""
    colors = "abcd"[: draw(st.integers(2, 4))]
    palette = [draw(rainbow_texts(colors)) for _ in range(2)]
    size = draw(st.integers(5, 26))
    turn = draw(st.integers(1, size - 1))
    graph = path(size).rainbow_graph(palette, (np.arange(size) >= turn).astype(int))
    weights = [draw(st.integers(0, 20)) for _ in colors]
    if not any(weights):
        weights[0] = 1
    row = {color: Fraction(weight, sum(weights)) for color, weight in zip(colors, weights, strict=True)}
    privacy = draw(st.sampled_from(list(notions)))
    condition = given(dict.fromkeys(palette, row))
    return optimal_mechanism(graph, privacy, condition), graph, privacy


@contextmanager
def few_steps(number: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rainbowdp.verification.stretches.FEW_STEPS", number)
        yield


def pair_by_pair(mechanism: Mechanism, graph: RainbowGraph | DatasetGraph, privacy: Privacy) -> Verification:
    """Verify with every pair of classes decided by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "representative_pairs", lambda _mechanism, pairs, _privacy, _progress: pairs)
        return verify(mechanism, graph, privacy)


def left(mechanism: Mechanism, graph: RainbowGraph, privacy: Privacy) -> tuple[CodePairs, CodePairs]:
    """Return the pairs of classes, and those of them that are decided one by one."""
    aligned, _, pairs = classes_that_meet(mechanism, graph)
    return pairs, representative_pairs(aligned, pairs, privacy, lambda *_: None)


def same_outcome(one: Verification, other: Verification) -> None:
    assert (one.holds, one.pairs, one.class_pairs) == (other.holds, other.pairs, other.class_pairs)
    assert one.witness == other.witness
    # Ends are rounded outward from enclosures of other pairs with the same figure.
    for end, same in ((one.lower, other.lower), (one.upper, other.upper)):
        assert end == same or abs(end - same) <= math.ulp(end)


@drawn(solved_lines())
@settings(max_examples=15)
def test_stretches_and_single_pairs_agree(solved: tuple[Mechanism, RainbowGraph, Privacy]) -> None:
    mechanism, graph, privacy = solved
    with few_steps(3):
        at_once = verify(mechanism, graph, privacy)
        pairs, kept = left(mechanism, graph, privacy)
    same_outcome(at_once, pair_by_pair(mechanism, graph, privacy))
    assert at_once.holds
    assert kept.size <= pairs.size


@drawn(solved_lines(RATIONAL_NOTIONS))
@settings(max_examples=15)
def test_what_is_left_out_is_private_by_brute_force_and_has_a_figure_that_is_kept(
    solved: tuple[Mechanism, RainbowGraph, Privacy],
) -> None:
    mechanism, graph, privacy = solved
    assert isinstance(privacy, PureDP | ApproxDP)
    with few_steps(3):
        pairs, kept = left(mechanism, graph, privacy)
    rows = [fractions_of(row) for row in mechanism.rows]
    odds = ODDS[str(privacy).split("=")[1].split(",")[0].replace("ln(2)", "ln 2")]

    def figure(one: int, other: int) -> Fraction | float:
        both = (rows[one], rows[other]), (rows[other], rows[one])
        if isinstance(privacy, ApproxDP):
            return max(Fraction(0), *(pair_excess(p, q, odds, Fraction(0))[0] for p, q in both))
        return max(p[c] / q[c] if q[c] else math.inf for p, q in both for c in p if p[c])

    known = {figure(int(a), int(b)) for a, b in zip(kept.first, kept.second, strict=True)}
    for one, other in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        assert figure(one, other) in known
        for p, q in ((rows[one], rows[other]), (rows[other], rows[one])):
            assert pair_excess(p, q, odds, privacy.delta)[0] <= 0


@pytest.mark.parametrize("privacy", [PureDP(0), *NOTIONS[1::2], GaussianDP("1/4")], ids=str)
@pytest.mark.parametrize("asked", [PureDP("1/3"), ApproxDP("1/10", "1/100"), GaussianDP("1/4")], ids=str)
def test_another_constraint_than_the_line_s_own_is_judged_as_pair_by_pair(
    privacy: Privacy, asked: Privacy
) -> None:
    graph = path(12).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(12) >= 9).astype(int))
    mechanism = optimal_mechanism(graph, privacy, "uniform")
    with few_steps(3):
        at_once = verify(mechanism, graph, asked)
    same_outcome(at_once, pair_by_pair(mechanism, graph, asked))


@pytest.mark.parametrize(
    "privacy",
    [
        PureDP("1/1000"),
        PureDP("ln(6/5)"),
        ApproxDP("ln(1001/1000)", "1e-7"),
        ApproxDP(0, "1e-6"),
        GaussianDP("1/1000"),
    ],
    ids=str,
)
def test_long_lines_leave_few_pairs_and_keep_their_figure(privacy: Privacy) -> None:
    size = 10_000
    graph = path(size).rainbow_graph(["a>b>c", "c>b=a"], (np.arange(size) >= 8_000).astype(int))
    mechanism = optimal_mechanism(graph, privacy, "uniform")
    pairs, kept = left(mechanism, graph, privacy)
    assert pairs.size == size - 1
    assert kept.size < 200
    verification = verify(mechanism, graph, privacy)
    assert verification.holds
    assert (verification.pairs, verification.class_pairs) == (size - 1, size - 1)
    figure = privacy.mu if isinstance(privacy, GaussianDP) else privacy.epsilon
    if isinstance(privacy, ApproxDP):
        figure = privacy.delta
    exact = parse_exponent(figure)
    number = float(exact) if isinstance(exact, Fraction) else math.log(exact.argument)
    assert verification.lower == pytest.approx(number, rel=1e-14)
    assert verification.upper - verification.lower <= 2 * math.ulp(number)


def test_regions_with_gaps_and_many_pieces_are_put_together() -> None:
    family = grid(40, 40)
    codes = (family.values[:, 0] >= 37).astype(int) + 2 * (family.values[:, 1] >= 38).astype(int)
    graph = family.rainbow_graph(["a>b>c", "c>b>a", "b>a>c", "b>c>a"], codes)
    privacy = PureDP("ln(6/5)")
    mechanism = optimal_mechanism(graph, privacy, "uniform")
    same_outcome(verify(mechanism, graph, privacy), pair_by_pair(mechanism, graph, privacy))
    # Every third distance is missing, so only every third pair is one of neighboring distances.
    gaps = path(30).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(30) >= 28).astype(int))
    line = optimal_mechanism(gaps, privacy, "uniform")
    mapping = np.array([at for at in range(28) if at % 3])
    with few_steps(3):
        thinned = pullback(mapping, line)
        smaller = listed(path(mapping.size).structure)
        at_once = verify(thinned, smaller, privacy)
    assert not at_once.holds
    same_outcome(at_once, pair_by_pair(thinned, smaller, privacy))


@pytest.mark.parametrize("privacy", [PureDP("ln(6/5)"), PureDP("1/3"), GaussianDP("1/4")], ids=str)
def test_single_pairs_off_a_line_are_seen_among_many_steps_of_it(privacy: Privacy) -> None:
    graph = path(80).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(80) >= 40).astype(int))
    mechanism = optimal_mechanism(graph, privacy, "uniform")
    source, target = listed(graph.structure).pairs()
    # Distances 20 and 21, but of two regions.
    crossing = DatasetGraph.from_pairs(80, [*source.tolist(), 19], [*target.tolist(), 61])
    found = witness_of(verify(mechanism, crossing, privacy))
    assert {found.source, found.target} == {"19", "61"}
    # Two distances of one region, but not neighboring ones.
    shorter = pullback(np.delete(np.arange(80), 9), mechanism, labels=list(map(str, range(79))))
    assert left(shorter, path(79).rainbow_graph(["a>b>c"], [0] * 79), privacy)[1].size < 40
    found = witness_of(verify(shorter, path(79).structure, privacy))
    assert {found.source, found.target} == {"8", "9"}


class OneWrongRow(LineRows):
    """Rows on lines, but for one."""

    wrong = -1

    def _row(self, index: int) -> Distribution:
        return super()._row(index - 2 if index == self.wrong else index)


class OneWrongDistance(Line):
    """A line with one distance, far from both ends and from the middle, at which it is a step ahead."""

    def distribution(self, distance: int, *, symbolic: bool = False) -> Distribution:
        return super().distribution(distance + (distance == 12), symbolic=symbolic)


@pytest.mark.parametrize("privacy", [PureDP(1), PureDP("ln(6/5)"), GaussianDP("1/4")], ids=str)
def test_rows_that_only_claim_to_be_on_a_line_are_looked_at_one_by_one(privacy: Privacy) -> None:
    graph = path(44).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(44) >= 42).astype(int))
    mechanism = optimal_mechanism(graph, privacy, "uniform")
    rows = mechanism.rows
    assert type(rows) is LineRows
    parts = ([rows[0]] * 2, rows.regions, np.ma.MaskedArray(rows.distances, mask=rows.distances < 0))
    for wrong in (3, 30):
        claimed = OneWrongRow(rows.lines, *parts)
        claimed.wrong = int(mechanism.codes[wrong])
        witness = witness_of(verify(replace(mechanism, rows=claimed), graph, privacy))
        assert str(wrong) in (witness.source, witness.target)
    lines = [
        OneWrongDistance(line.rainbow, line.boundary, line.privacy) for line in rows.lines if line is not None
    ]
    other = replace(mechanism, rows=LineRows(lines, *parts))
    assert left(other, graph, privacy)[1].size == 43
    assert not verify(other, graph, privacy).holds


Propagate = Callable[[Exact, int], Exact]


def too_long(privacy: Privacy, right: Propagate, mass: Exact, steps: int) -> Exact:
    """Grow one step longer than allowed."""
    assert isinstance(privacy, PureDP | ApproxDP)
    threshold = privacy.threshold(mass)
    if threshold is None or steps <= threshold:
        return right(mass, steps)
    grown = privacy.odds * right(mass, threshold) + privacy.delta
    return right(min(grown, Fraction(1)), steps - threshold - 1)


def too_fast(_: Privacy, right: Propagate, mass: Exact, steps: int) -> Exact:
    """Take one step more where there is one at all."""
    return right(mass, steps + (steps > 0))


def too_slow_later(_: Privacy, right: Propagate, mass: Exact, steps: int) -> Exact:
    """Stop growing at distance 30, which is private but not the closed form."""
    return right(mass, min(steps, 30))


def skips(_: Privacy, right: Propagate, mass: Exact, steps: int) -> Exact:
    """Leave out one distance, so that one pair among many is two steps apart."""
    return right(mass, steps + (steps >= 23))


@pytest.mark.parametrize(
    ("defect", "privacy", "holds"),
    [
        *((skips, privacy, False) for privacy in (PureDP("1/50"), ApproxDP("1/50", "1/10000"))),
        *((too_long, PureDP(epsilon), False) for epsilon in ("ln(6/5)", "1/5")),
        (too_long, ApproxDP("ln(6/5)", "1/1000"), False),
        (too_fast, PureDP("ln(6/5)"), False),
        (too_fast, ApproxDP("1/5", "1/1000"), False),
        (too_fast, GaussianDP("1/4"), False),
        (skips, GaussianDP("1/10"), False),
        (too_slow_later, PureDP("1/20"), True),
    ],
)
def test_a_defect_of_the_closed_form_is_not_proven_away(
    defect: Callable[[Privacy, Propagate, Exact, int], Exact],
    privacy: Privacy,
    holds: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rainbow, row = "a>b>c", {"a": "1/40", "b": "2/40", "c": "37/40"}
    graph = path(44).rainbow_graph([rainbow, "b>a=c"], (np.arange(44) >= 42).astype(int))

    def wrong(line: Line, distance: int, *, symbolic: bool = False) -> tuple[Exact, ...]:
        def right(mass: Exact, steps: int) -> Exact:
            return privacy.propagate(mass, steps, symbolic=symbolic)

        masses = line.boundary.prefix_masses(line.rainbow)[:-1]
        return (*(defect(privacy, right, mass, distance) for mass in masses), Fraction(1))

    condition = given({rainbow: row, "b>a=c": row})
    monkeypatch.setattr(Line, "prefix_masses", wrong)
    mechanism = optimal_mechanism(graph, privacy, condition)
    found = verify(mechanism, graph, privacy)
    assert found.holds == holds
    same_outcome(found, pair_by_pair(mechanism, graph, privacy))


def test_shares_of_a_tied_class_that_move_are_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Line.distribution

    def leaning(self: Line, distance: int, *, symbolic: bool = False) -> Distribution:
        row = dict(right(self, distance, symbolic=symbolic))
        if distance >= 20:
            row["a"], row["b"] = row["a"] + row["b"], Fraction(0)
        return Distribution.trusted(row)

    monkeypatch.setattr(Line, "distribution", leaning)
    graph = path(44).rainbow_graph(["a=b>c", "c>a=b"], (np.arange(44) >= 42).astype(int))
    for privacy in (PureDP("ln(6/5)"), ApproxDP("1/10", "1/1000"), GaussianDP("1/10")):
        witness = witness_of(verify(optimal_mechanism(graph, privacy, "uniform"), graph, privacy))
        assert {witness.source, witness.target} == {"22", "21"}


@pytest.mark.parametrize(
    ("own", "asked", "implied"),
    [
        (PureDP(1), PureDP(1), True),
        (PureDP(1), PureDP("ln 3"), True),
        (PureDP(1), PureDP("ln 2"), False),
        (PureDP(1), ApproxDP(1, "1/10"), True),
        (ApproxDP(1, 0), PureDP(1), True),
        (ApproxDP(1, "1/10000"), PureDP(1), False),
        (ApproxDP(1, "1/10000"), ApproxDP(1, "1/5000"), True),
        (ApproxDP(1, "1/10000"), ApproxDP(1, "1/20000"), False),
        (GaussianDP(1), GaussianDP("ln 3"), True),
        (GaussianDP(1), GaussianDP("1/2"), False),
        (GaussianDP(1), PureDP(100), False),
    ],
    ids=str,
)
def test_only_a_constraint_that_the_line_s_own_implies_is_proven(
    own: Privacy, asked: Privacy, implied: bool
) -> None:
    graph = path(90).rainbow_graph(["a>b", "b>a"], (np.arange(90) >= 88).astype(int))
    pairs, kept = left(optimal_mechanism(graph, own, "uniform"), graph, asked)
    assert (kept.size < pairs.size) == implied
