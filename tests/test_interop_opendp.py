# SPDX-License-Identifier: Apache-2.0
"""Measurements inside OpenDP: what they draw, what their maps promise, and what OpenDP does with both.

Oracles are the histograms themselves (all pairs at a distance, judged by rainbowdp's verification), loops
over steps in fractions, and OpenDP's own Gaussian mechanism.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import opendp.prelude as dp
import pytest
from opendp.context import Query
from opendp.extras.polars import Bound
from opendp.mod import OpenDPException

from own_readings import ReadsOwn
from question_oracle import histograms
from rainbowdp import ApproxDP, Distribution, GaussianDP, Mechanism, PureDP, verify
from rainbowdp.errors import InternalError, PrivacyParameterError, QuestionError, RainbowError, UsageError
from rainbowdp.exact import Exact
from rainbowdp.exact.enclosure import rounded
from rainbowdp.goals import Asked, Goal, mechanism_of
from rainbowdp.graph import DatasetGraph
from rainbowdp.interop import gaussian_epsilon
from rainbowdp.interop import opendp as bridge
from rainbowdp.interop.opendp import make_rainbow, make_rainbow_gaussian, make_rainbow_winner, register
from rainbowdp.privacy import Privacy
from rainbowdp.questions import (
    Location,
    Neighbors,
    OptionCounts,
    OptionReading,
    Summary,
    Winner,
    bracket,
    ranking,
    scores,
    winner,
    yes_no,
)

PARTIES = ("red", "blue", "green")
WINNER = winner("party", PARTIES)
DRAWS, FALSE_ALARM = 1500, 1e-6
CANARY = 987654321


@pytest.fixture(autouse=True)
def features() -> Iterator[None]:
    """Enable what OpenDP asks for measurements written in Python, for one test."""
    dp.enable_features("contrib", "honest-but-curious")
    yield
    dp.disable_features("contrib", "honest-but-curious")


def counts_space(size: str = "i64") -> tuple[dp.Domain, dp.Metric]:
    return dp.vector_domain(dp.atom_domain(T=size)), dp.l1_distance(T=size)


def rows_space(metric: dp.Metric | None = None) -> tuple[dp.Domain, dp.Metric]:
    return dp.vector_domain(dp.atom_domain(T=str)), metric or dp.symmetric_distance()


def loss_at(measurement: dp.Measurement, distance: float) -> float:
    return cast("float", measurement.map(distance))  # type: ignore[no-untyped-call]  # OpenDP annotates no maps


def losses_at(measurement: dp.Measurement, distance: float) -> tuple[float, float]:
    return cast("tuple[float, float]", loss_at(measurement, distance))


def rows_of(counts: tuple[int, ...]) -> list[str]:
    return [party for party, count in zip(PARTIES, counts, strict=True) for _ in range(count)]


def drawn(measurement: dp.Measurement, data: object) -> Counter[str]:
    return Counter(measurement(data) for _ in range(DRAWS))


def fits(found: Counter[str], privacy: Privacy, counts: tuple[int, ...]) -> bool:
    """Tell whether answers were drawn as the mechanism says; that a draw is exact is tested elsewhere.

    Fails at a total variation of t = sqrt(ln(6 / 10^-6) / (2 n)) = 0.072: a right one with probability
    below 10^-6 (see `sampler_checks`), one that is wrong by 0.12 or more with probability above 0.999.
    """
    ideal = mechanism_of(Asked(WINNER, privacy)).at(OptionCounts(counts)).chances()
    threshold = math.sqrt(math.log(6 / FALSE_ALARM) / (2 * DRAWS))
    apart = sum(abs(found[party] / DRAWS - rounded(ideal[party])) for party in PARTIES) / 2
    return found.total() == DRAWS and apart < threshold


@pytest.mark.parametrize("privacy", [PureDP("1/2"), ApproxDP("ln 2", "1/20"), GaussianDP("2/3")])
def test_a_measurement_of_counts_draws_as_the_mechanism_says(privacy: Privacy) -> None:
    if isinstance(privacy, GaussianDP):
        measurement = make_rainbow_gaussian(*counts_space(), WINNER, "2/3")
    elif isinstance(privacy, ApproxDP):
        measurement = make_rainbow(*counts_space(), WINNER, "ln 2", delta="1/20")
    else:
        measurement = make_rainbow(*counts_space(), WINNER, "1/2")
    found = drawn(measurement, [4, 6, 3])
    assert fits(found, privacy, (4, 6, 3))
    assert not fits(found, privacy, (4, 4, 3))
    assert not fits(found, privacy, (6, 4, 3))


def test_a_measurement_of_rows_draws_as_the_mechanism_says() -> None:
    of_rows = make_rainbow_winner(*rows_space(), PARTIES, "1/2")
    assert fits(drawn(of_rows, [*rows_of((4, 6, 3)), "", "pink"]), PureDP("1/2"), (4, 6, 3))


def test_counts_may_come_from_the_categories_of_opendp() -> None:
    counted = rows_space() >> dp.t.then_count_by_categories(
        categories=list(PARTIES), MO=dp.L1Distance["i64"], TOA="i64", null_category=False
    )
    chained = counted >> make_rainbow(counted.output_domain, counted.output_metric, WINNER, 50)
    assert chained(rows_of((4, 9, 3))) == "blue"
    assert loss_at(chained, 2) == 100.0


def test_whole_numbers_of_every_size_are_read_and_count_from_zero() -> None:
    assert make_rainbow(*counts_space(), WINNER, 50)([-(2**62), 1, -100]) == "blue"
    for size in ("i32", "u32", "u64"):
        assert make_rainbow(*counts_space(size), WINNER, 50)([1, 100, 2]) == "blue"


def all_rows(
    privacy: Privacy, family: Sequence[tuple[int, ...]], neighbors: Neighbors, goal: Goal, most: int = 1
) -> Mechanism:
    asked = mechanism_of(Asked(WINNER, privacy, neighbors, most), goal)
    table = [
        Distribution.trusted(cast("dict[str, Exact]", asked.at(OptionCounts(counts)).chances()))
        for counts in family
    ]
    return Mechanism.from_table(["red=blue=green"] * len(family), table)


def joined(
    family: Sequence[tuple[int, ...]], near: Callable[[tuple[int, ...], tuple[int, ...]], bool]
) -> DatasetGraph:
    """Join all histograms that are near each other."""
    pairs = [
        (a, b) for (a, one), (b, other) in itertools.combinations(enumerate(family), 2) if near(one, other)
    ]
    return DatasetGraph.from_pairs(len(family), [a for a, _ in pairs], [b for _, b in pairs])


def moved(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(abs(x - y) for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize(("distance", "most"), [(1, 1), (2, 1), (3, 1), (2, 2), (3, 2)])
@pytest.mark.parametrize("delta", [None, "1/50"])
def test_the_map_holds_for_all_histograms_at_a_distance(distance: int, most: int, delta: str | None) -> None:
    goal: Goal = "typical" if delta is None else "guarantee"
    measurement = make_rainbow(*counts_space(), WINNER, "3/10", delta=delta, goal=goal, max_rows=most)
    privacy = PureDP("3/10") if delta is None else ApproxDP("3/10", delta)
    family = histograms(3, 5)
    mechanism = all_rows(privacy, family, "add-remove", goal, most)
    epsilon, allowed = (
        (loss_at(measurement, distance), 0.0) if delta is None else losses_at(measurement, distance)
    )
    pairs = joined(family, lambda one, other: moved(one, other) <= distance)
    assert verify(mechanism, pairs, ApproxDP(Fraction(epsilon), Fraction(allowed)))
    if distance == most == 1:
        # The mechanism uses up what it has, so a map any smaller would be wrong.
        assert not verify(
            mechanism, pairs, ApproxDP(Fraction(epsilon) - Fraction(1, 10**9), Fraction(allowed))
        )


def test_maps_are_rounded_up_and_start_at_zero() -> None:
    tenth = make_rainbow(*counts_space(), WINNER, "1/10")
    for distance in range(1, 60):
        found = loss_at(tenth, distance)
        assert math.nextafter(found, 0) < Fraction(distance, 10) <= Fraction(found)
    assert loss_at(tenth, 0) == 0
    assert losses_at(make_rainbow(*counts_space(), WINNER, "1/10", delta="1/8"), 0) == (0, 0)
    assert losses_at(make_rainbow_gaussian(*counts_space(), WINNER, "1/10", delta="1/8"), 0) == (0, 0)
    large = make_rainbow(*counts_space(), WINNER, "1/2", delta="1/8", goal="guarantee")
    assert losses_at(large, 2**62) == (2.0**61, 1.0)
    # The choice of a typical answer makes no use of delta, and does not pay for it.
    assert losses_at(make_rainbow(*counts_space(), WINNER, "1/2", delta="1/8"), 2) == (1.0, 0.0)
    # Several rows of a person are one step where the question knows of them.
    knowing = make_rainbow(*rows_space(), WINNER, "1/2", max_rows=3)
    assert [loss_at(knowing, rows) for rows in (0, 1, 3, 4, 7)] == [0, 0.5, 0.5, 1.0, 1.5]


def test_rows_that_change_cost_one_step() -> None:
    changing = make_rainbow(*rows_space(dp.change_one_distance()), WINNER, "1/2")
    assert (loss_at(changing, 1), loss_at(changing, 3)) == (0.5, 1.5)
    family = histograms(3, 5)
    mechanism = all_rows(PureDP("1/2"), family, "change-one", "typical")
    # A row that changes leaves one count and joins another, or comes out of or goes into what counts nowhere.
    graph = joined(
        family, lambda one, other: moved(one, other) == 1 or (moved(one, other), sum(one)) == (2, sum(other))
    )
    assert verify(mechanism, graph, PureDP("1/2"))


@pytest.mark.parametrize("mu", ["1/2", "2"])
def test_gaussian_maps_agree_with_the_gaussian_mechanism_of_opendp(mu: str) -> None:
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    noise = dp.m.make_gaussian(*space, scale=float(1 / Fraction(mu)))
    ours = make_rainbow_gaussian(*counts_space(), WINNER, mu)
    assert ours.output_measure == noise.output_measure
    for steps in (1, 2):
        assert loss_at(ours, steps) == pytest.approx(loss_at(noise, float(steps)), rel=1e-12)
        assert loss_at(ours, steps) >= (Fraction(mu) * steps) ** 2 / 2
        fixed = make_rainbow_gaussian(*counts_space(), WINNER, mu, delta="1e-6")
        epsilon, delta = losses_at(fixed, steps)
        assert epsilon == gaussian_epsilon(GaussianDP(mu), "1e-6", steps)
        assert Fraction(delta) >= Fraction(1, 10**6)
        converted = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noise), 1e-6)
        assert epsilon <= losses_at(converted, steps)[0] * (1 + 1e-9)


def resolved(query: Query) -> dp.Measurement:
    return cast("dp.Measurement", query.resolve())


def context(
    loss: tuple[dp.Measure, float | tuple[float, float]],
    unit: tuple[dp.Metric, float | Sequence[Bound]],
    weights: list[float],
) -> dp.Context:
    return dp.Context.compositor(
        data=rows_of((300, 100, 50)),
        privacy_unit=unit,
        privacy_loss=loss,
        split_by_weights=weights,
        domain=dp.vector_domain(dp.atom_domain(T=str)),
    )


def test_a_context_solves_epsilon_from_its_budget_and_ends() -> None:
    register()
    contributions = 3
    ours = context(dp.loss_of(epsilon=4.0), dp.unit_of(contributions=contributions), [1, 3])
    counted = ours.query().count_by_categories(
        categories=list(PARTIES), MO=dp.L1Distance["i64"], TOA="i64", null_category=False
    )
    first = counted.rainbow(WINNER)
    assert first.param() == pytest.approx(1 / contributions, rel=1e-12)
    assert loss_at(resolved(first), contributions) <= 1.0
    assert first.release() == "red"
    second = ours.query().rainbow_winner(list(PARTIES))
    assert second.param() == pytest.approx(3 / contributions, rel=1e-12)
    assert second.release() == "red"
    with pytest.raises(ValueError, match="exhausted"):
        ours.query()


def test_a_context_of_epsilon_and_delta_takes_both_kinds() -> None:
    register()
    ours = context(dp.loss_of(epsilon=4.0, delta=1e-6), dp.unit_of(contributions=1), [1, 1, 1])
    pure = ours.query().rainbow(WINNER)
    assert losses_at(resolved(pure), 1) == pytest.approx((4 / 3, 0.0))
    assert pure.release() == "red"
    assert ours.query().rainbow(WINNER, delta="3e-7", goal="guarantee").release() == "red"
    greedy = ours.query().rainbow(WINNER, delta="1e-5", goal="guarantee")
    with pytest.raises(OpenDPException):
        greedy.release()
    assert ours.query().rainbow_gaussian(WINNER, delta="3e-7").release() == "red"


def test_a_context_of_rho_solves_mu() -> None:
    register()
    ours = context(dp.loss_of(rho=2.0), dp.unit_of(changes=1), [1, 1])
    query = ours.query().rainbow_gaussian(WINNER)
    assert query.param() == pytest.approx(math.sqrt(2), rel=1e-12)
    assert query.release() == "red"
    assert ours.query().rainbow(WINNER).release() == "red"


def test_other_questions_are_answered_from_rows() -> None:
    older = yes_no("answer", equals="yes", share="1/2")
    assert make_rainbow(*rows_space(), older, 3)(["yes"] * 90 + ["no"] * 10) == "yes"
    ages = bracket("age", edges=[18, 65])
    assert make_rainbow(*rows_space(), ages, 3)(["12"] * 30 + ["40"] * 90 + ["old"]) == "18..<65"
    assert make_rainbow(*counts_space(), ages, 3)([30, 90, 0]) == "18..<65"
    order = ranking("party", PARTIES)
    assert make_rainbow(*counts_space(), order, 3)([100, 300, 200]) == "blue>green>red"


def test_wrong_inputs_and_parameters_are_refused_when_a_measurement_is_made() -> None:
    whole, real = (dp.vector_domain(dp.atom_domain(T=kind)) for kind in ("i64", float))
    counts, rows, nothing = counts_space(), rows_space(), cast("Any", None)
    own = scores(["A", "B"], sensitivity=1)
    refused: list[tuple[type[RainbowError], str, Callable[[], object]]] = [
        (UsageError, "L2Distance", lambda: make_rainbow(whole, dp.l2_distance(T="i64"), WINNER, 1)),
        (UsageError, "Vec<f64>", lambda: make_rainbow(real, dp.l1_distance(T=float), WINNER, 1)),
        (UsageError, "rows cannot", lambda: make_rainbow(dp.atom_domain(T=str), rows[1], WINNER, 1)),
        (PrivacyParameterError, "negative", lambda: make_rainbow(*counts, WINNER, -1)),
        (PrivacyParameterError, "outside", lambda: make_rainbow(*counts, WINNER, 1, delta=2)),
        (PrivacyParameterError, "no finite", lambda: make_rainbow_gaussian(*counts, WINNER, 1, delta=0)),
        (QuestionError, "0 is not a number of rows", lambda: make_rainbow(*counts, WINNER, 1, max_rows=0)),
        (QuestionError, "not read from a table", lambda: make_rainbow(*rows, own, 1)),
        (QuestionError, "None is not a question", lambda: make_rainbow(*rows, nothing, 1)),
    ]
    for error, said, call in refused:
        with pytest.raises(error, match=said):
            call()


@dataclass(frozen=True)
class Talkative(Winner):
    """A question with a defect that tells what it saw."""

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        assert isinstance(summary, OptionCounts)
        raise ValueError(f"cannot locate {summary.counts} under {neighbors}")


def test_an_exception_never_carries_a_count_or_a_cell() -> None:
    talkative = Talkative("party", PARTIES)
    broken = make_rainbow(*counts_space(), talkative, 1)
    cells = make_rainbow(*rows_space(), talkative, 1)
    wrong = make_rainbow(*counts_space(), WINNER, 1)
    calls: list[tuple[dp.Measurement, list[object]]] = [
        (broken, [CANARY, 1, 2]),
        (cells, [str(CANARY)] * 3),
        (wrong, [CANARY, 1]),
        (wrong, [CANARY, 1, 2, 3]),
    ]
    for measurement, data in calls:
        with pytest.raises(OpenDPException) as caught:
            measurement(data)
        assert str(CANARY) not in repr(caught.value) + str(caught.value)
        assert caught.value.__cause__ is None
    mechanism = mechanism_of(Asked(WINNER, PureDP(1)))
    with pytest.raises(InternalError) as silent:
        bridge.drawn(mechanism, lambda: OptionCounts((CANARY, 5)))
    assert str(CANARY) not in repr(silent.value)
    assert silent.value.__cause__ is silent.value.__context__ is None


def measured(question: Any, rows: list[Any]) -> str:  # noqa: ANN401 - any question
    domain = dp.vector_domain(dp.user_domain("any", lambda _: True))
    answer: str = make_rainbow(domain, dp.symmetric_distance(), question, 30)(rows)
    return answer


def test_rows_that_python_takes_for_equal_say_what_each_of_them_says() -> None:
    # Their order decides nothing: neighbors do not depend on it.
    question = winner("vote", ["1", "true"])
    for rows in ([True, *[1] * 40], [*[1] * 40, True]):
        assert measured(question, rows) == "1"


class Pairs(OptionReading):
    """A reading that says how many rows are for the first option, and how many there are."""

    def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
        counts = super().summary(tally).counts
        return OptionCounts((counts[0], sum(counts)))


def test_counts_are_taken_only_where_each_is_that_of_rows_of_its_own() -> None:
    question = ReadsOwn("vote", ("A", "B"), own=Pairs("vote", ("A", "B")))
    with pytest.raises(UsageError, match="needs more than counts"):
        make_rainbow(*counts_space(), question, 1)
    # Of rows it is answered all the same, as it counts them: 300 and 400.
    assert measured(question, ["A"] * 300 + ["B"] * 100) == "B"
