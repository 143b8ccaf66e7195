# SPDX-License-Identifier: Apache-2.0
"""Plans: leads against the questions' own distances, exact figures, fair rivals, the least epsilon."""

import copy
import itertools
import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.baselines import permute_and_flip
from rainbowdp.errors import QuestionError, RainbowError, UsageError
from rainbowdp.exact import Log, to_float
from rainbowdp.planning import lead_rule, plan
from rainbowdp.planning.chances import rounded
from rainbowdp.planning.plan import WANTED
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import (
    Bracket,
    BracketCounts,
    ClampedSum,
    Level,
    Location,
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    Ranking,
    Summary,
    Winner,
    YesNo,
    answer_line,
    bracket,
    level,
    question_boundary,
    ranking,
    scores,
    winner,
    yes_no,
)
from rainbowdp.release import Terms

RELATIONS: tuple[Neighbors, ...] = ("add-remove", "change-one")
ROOTS = st.fractions(min_value=Fraction(11, 10), max_value=3, max_denominator=10)
QUESTIONS: dict[str, Question] = {
    "winner": winner("party", ["A", "B", "C"]),
    "two": winner("party", ["A", "B"]),
    "ranking": ranking("party", ["A", "B", "C"]),
    "count": yes_no("smoker", equals="yes", at_least=6),
    "majority": yes_no("smoker", equals="yes", share="1/2"),
    "two thirds": yes_no("smoker", equals="yes", share="2/3"),
    "sum": yes_no("income", clamp=(-2, 5), at_least=12),
    "levels": level("smoker", equals="yes", edges=[4, 11]),
    "shares": level("smoker", equals="yes", share=True, edges=["1/4", "2/3"]),
    "median": bracket("age", edges=[18, 65]),
    "quartile": bracket("age", edges=[18, 65], quantile="1/4"),
}


def led(question: Question, most: int) -> Iterator[tuple[Summary, Fraction]]:
    """Yield summaries and the lead of the true answer, worked out from what a lead is said to mean."""
    if question.kind in {"winner", "ranking"}:
        for counts in itertools.product(range(most + 1), repeat=len(getattr(question, "options"))):  # noqa: B009 - not of every question
            first = sorted(counts, reverse=True)
            gaps = [high - low for high, low in itertools.pairwise(first)]
            yield OptionCounts(counts), Fraction(gaps[0] if question.kind == "winner" else min(gaps))
    elif question.kind == "bracket":
        quantile: Fraction = getattr(question, "quantile")  # noqa: B009 - not of every question
        p, q = quantile.numerator, quantile.denominator
        for counts in itertools.product(range(7), repeat=3):
            ends = list(itertools.accumulate(counts))
            margins = [q * upto - p * ends[-1] for upto in ends]
            at = next(place for place, margin in enumerate(margins) if margin >= 0)
            around = [abs(margins[place]) for place in (at - 1, at) if 0 <= place < 2]
            yield BracketCounts(counts), Fraction(min(around), max(p, q - p))
    elif question.describe()["of"] == "sum":
        for total in range(-20, 50):
            yield ClampedSum(Fraction(total)), abs(Fraction(total) - 12) / 5
    else:
        edges: tuple[Fraction, ...] = getattr(question, "edges")  # noqa: B009 - not of every question
        for matching, others in itertools.product(range(18), range(12)):
            if question.describe()["of"] == "count":
                above = [matching - int(edge) for edge in edges]
                yield MatchCount(matching, matching + others), Fraction(min(max(a + 1, -a) for a in above))
                continue
            leads = []
            for edge in edges:
                p, q = edge.numerator, edge.denominator
                leads.append(abs(Fraction(q * matching - p * (matching + others), max(p, q - p))))
            yield MatchCount(matching, matching + others), min(leads)


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_lead_has_the_distance_that_the_question_itself_gives(
    name: str, neighbors: Neighbors, rows: int
) -> None:
    question = QUESTIONS[name]
    rule = lead_rule(question, neighbors, rows)
    met = set()
    for summary, lead in led(question, 9):
        people = lead / rows
        # The sum's distance under change-one divides by the whole range, and so does its lead.
        if name == "sum" and neighbors == "change-one":
            people = people * Fraction(5, 7)
        if people.denominator != 1 or people < 1:
            continue
        found = question.locate(summary, neighbors)
        at, distance = question.answers.index(found.answer), found.distance // rows
        least = rule.least_distance(at, int(people))
        assert least <= distance
        met.add((int(people), distance - least))
    # The promise is not too careful: at every lead some table is as near as it says.
    leads = {lead for lead, _ in met}
    assert leads
    assert all((lead, 0) in met for lead in leads)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize(
    "privacy", [PureDP("ln(3/2)"), PureDP("0.3"), ApproxDP(1, "1/100"), GaussianDP("1/2")]
)
def test_figures_are_those_of_the_lines_and_needs_are_their_inverse(
    name: str, neighbors: Neighbors, privacy: Privacy
) -> None:
    question = QUESTIONS[name]
    found = plan(question, privacy, neighbors=neighbors, leads=range(1, 80))
    (part,) = found.privacies
    rule = lead_rule(question, neighbors)
    boundary = question_boundary(question, privacy, neighbors)
    lines = [answer_line(question, answer, boundary, privacy) for answer in question.answers]
    for row in (part.rows[0], part.rows[4], part.rows[30]):
        rights = [
            to_float(line.distribution(rule.least_distance(at, row.lead))[answer], "nearest")
            for at, (answer, line) in enumerate(zip(question.answers, lines, strict=True))
        ]
        assert rounded(row.right) == pytest.approx(min(rights), abs=1e-15)
        assert row.wrong_at_best <= row.wrong
    for need in part.needs:
        if need.lead is not None and need.lead < 79:
            assert part.rows[need.lead - 1].right >= need.right
            if need.lead > 1:
                assert part.rows[need.lead - 2].right < need.right
    for need in part.needs:
        for at, rival in enumerate(need.rivals):
            if rival.lead is not None and 1 < rival.lead < 79:
                assert part.rows[rival.lead - 1].rivals[at].right >= need.right
                assert part.rows[rival.lead - 2].rivals[at].right < need.right


@given(ROOTS, st.integers(0, 40), st.booleans())
def test_for_a_majority_of_n_odd_records_permute_and_flip_is_wrong_cosh_times_as_often(
    root: Fraction, d: int, as_share: bool
) -> None:
    question = QUESTIONS["majority" if as_share else "two"]
    found = plan(question, PureDP(Log(root**2)), neighbors="change-one", leads=[2 * d + 1])
    row = found.privacies[0].rows[0]
    cosh = (root + 1 / root) / 2
    assert row.rival("permute-and-flip").wrong == cosh * row.wrong
    assert permute_and_flip([2 * d + 1, 0], Log(root**2))[1] == row.rival("permute-and-flip").wrong


def test_the_same_in_floats_where_epsilon_is_rational() -> None:
    for text, lead in itertools.product(("0.1", "1", "3"), (1, 7, 41)):
        found = plan(QUESTIONS["two"], PureDP(text), neighbors="change-one", leads=[lead])
        row = found.privacies[0].rows[0]
        ratio = rounded(row.rival("permute-and-flip").wrong) / rounded(row.wrong)
        assert ratio == pytest.approx(math.cosh(float(text) / 2), rel=1e-14)


@given(ROOTS, st.integers(1, 30), st.integers(2, 6))
def test_rivals_of_a_winner_are_their_whole_distributions(root: Fraction, lead: int, options: int) -> None:
    question = winner("party", [f"option {at}" for at in range(options)])
    for neighbors in RELATIONS:
        monotone = neighbors == "add-remove"
        row = plan(question, PureDP(Log(root**2)), neighbors=neighbors, leads=[lead]).privacies[0].rows[0]
        right = permute_and_flip([lead] + [0] * (options - 1), Log(root**2), monotone=monotone)[0]
        case = "all-close" if options > 2 else "one-close"
        assert row.rival("permute-and-flip", case).right == right
        far = permute_and_flip([10**4 * lead, (10**4 - 1) * lead], Log(root**2), monotone=monotone)[0]
        assert row.rival("permute-and-flip", "one-close").right == far


def test_a_geometric_count_is_exactly_as_good_and_better_with_several_rows_per_person() -> None:
    for neighbors, name in itertools.product(RELATIONS, ("count", "majority")):
        found = plan(QUESTIONS[name], PureDP("ln 2"), neighbors=neighbors, leads=[1, 3, 8])
        assert all(row.rival("thresholded geometric").wrong == row.wrong for row in found.privacies[0].rows)
    found = plan(QUESTIONS["count"], PureDP("ln 2"), max_rows=3, leads=[1, 3, 8])
    assert all(row.rival("thresholded geometric").wrong < row.wrong for row in found.privacies[0].rows)
    assert any("BETTER" in text and "geometric" in text for text in found.privacies[0].remarks)


@pytest.mark.parametrize("odds", [3, 9, 18, 19, 99, 999])
@pytest.mark.parametrize("neighbors", RELATIONS)
def test_a_rival_that_is_right_exactly_as_often_as_needed_is_right_often_enough(
    odds: int, neighbors: Neighbors
) -> None:
    for name in ("winner", "two", "count", "levels", "median"):
        needs = (
            plan(QUESTIONS[name], PureDP(Log(Fraction(odds))), neighbors=neighbors, leads=[1])
            .privacies[0]
            .needs
        )
        for need, rival in [(each, rival) for each in needs for rival in each.rivals]:
            assert rival.lead is not None
            leads = [lead for lead in (rival.lead - 1, rival.lead) if lead]
            part = plan(
                QUESTIONS[name], PureDP(Log(Fraction(odds))), neighbors=neighbors, leads=leads
            ).privacies[0]
            wrong = [rounded(row.rival(rival.mechanism, rival.case).wrong) for row in part.rows]
            allowed = float(1 - need.right) * (1 + 1e-12)
            assert wrong[-1] <= allowed
            assert all(chance > allowed for chance in wrong[:-1])


def test_remarks_say_where_a_rival_is_better() -> None:
    found = plan(QUESTIONS["winner"], PureDP("0.5"), leads=[1, 2, 40])
    texts = found.privacies[0].remarks
    assert len(texts) == 5
    assert "all other answers equally close: rainbowdp is right" in texts[0]
    assert "all other answers equally close: permute-and-flip is BETTER at some leads" in texts[1]
    assert texts[1].endswith("1, 2")
    assert "one other answer close: permute-and-flip is BETTER, right more often at every lead" in texts[3]
    assert "most favored answer" in texts[4]
    far = plan(QUESTIONS["winner"], PureDP("1"), leads=[60]).privacies[0].remarks[-1]
    assert re.search(r"right with probability 1 - \d\.\de-\d+ at a lead of 60, not 1 - \d\.\de-\d+$", far)
    equal = plan(QUESTIONS["count"], PureDP("0.5"), leads=[1, 2, 40]).privacies[0].remarks
    assert equal[2] == "the thresholded geometric mechanism is right exactly as often at every lead shown"


def test_rivals_apply_only_where_they_do_and_a_plan_says_so() -> None:
    for name, words in {"ranking": "whole orders", "sum": "a sum need not be", "median": "no count"}.items():
        notes = plan(QUESTIONS[name], PureDP(1), leads=[1]).notes
        assert any(words in note for note in notes), name
    found = plan(QUESTIONS["shares"], [PureDP(1), GaussianDP(1), ApproxDP(1, "1e-6")], leads=[1])
    assert len(found.notes) >= 3
    assert found.privacies[1].rows[0].rivals == ()
    changed = plan(QUESTIONS["levels"], PureDP(1), neighbors="change-one", leads=[2]).privacies[0].rows[0]
    assert {(rival.mechanism, rival.case) for rival in changed.rivals} == set(
        itertools.product(
            ("exponential mechanism", "permute-and-flip", "thresholded geometric"), ("all-close", "one-close")
        )
    )
    with pytest.raises(KeyError):
        changed.rival("guessing")


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("name", ["winner", "majority", "levels", "median"])
def test_the_least_epsilon_suffices_and_the_decimal_before_does_not(name: str, neighbors: Neighbors) -> None:
    found = plan(QUESTIONS[name], neighbors=neighbors, want="0.99", lead=40)
    assert found.least is not None
    assert found.least.right >= Fraction(99, 100)
    assert len(found.least.text.strip("0.")) <= 4
    value = Fraction(found.least.text)
    assert value == found.least.value
    leading = math.floor(math.log10(value))
    before = value - Fraction(10) ** (leading - 3)
    row = plan(QUESTIONS[name], PureDP(before), neighbors=neighbors, leads=[40]).privacies[0].rows[0]
    assert row.right < Fraction(99, 100)
    assert [part.privacy for part in found.privacies] == [PureDP(value)]


def test_a_question_that_says_nothing_of_rows_that_count_for_nothing_is_planned_as_it_is_asked() -> None:
    base = yes_no("c", equals="A", at_least=100)

    class Own:
        kind, column, answers, reading, tight = "own", base.column, base.answers, base.reading, False
        rainbow, describe, answer_json = base.rainbow, base.describe, base.answer_json

        def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
            return base.locate(summary, neighbors)

        def touching(self, neighbors: Neighbors, max_rows: int = 1) -> None:  # noqa: ARG002 - as the protocol has it
            return None

    leads = [1, 2, 3, 10, 20]
    for neighbors in RELATIONS:
        found = plan(Own(), PureDP("ln 2"), neighbors=neighbors, leads=leads)
        terms = Terms(Own(), PureDP("ln 2"), neighbors)
        for row in found.privacies[0].rows:
            # So many rows must go before the count is below 100.
            location = terms.asked.locate(MatchCount(99 + row.lead, 1000), neighbors)
            drawn = terms.distribution(location.answer, location.distance)
            assert row.right == drawn[location.answer]


def test_the_least_epsilon_in_closed_form() -> None:
    """Two options, add-remove, lead L, ties lost: e^(-(L-1) epsilon) / (1 + e^epsilon) <= 1/100."""
    for lead in (2, 40, 1000, 10**15, 10**30):
        least = plan(QUESTIONS["two"], want="0.99", lead=lead).least
        assert least is not None
        low, high = 0.0, 10.0
        for _ in range(200):
            middle = (low + high) / 2
            wrong = math.exp(-(lead - 1) * middle) / (1 + math.exp(middle))
            low, high = (low, middle) if wrong <= 0.01 else (middle, high)
        assert high <= float(least.value) <= high * 1.001


def test_the_least_beside_a_delta_under_mu_and_where_guessing_is_enough() -> None:
    pure = plan(QUESTIONS["winner"], want="0.99", lead=20).least
    beside = plan(QUESTIONS["winner"], want="0.99", lead=20, delta="1e-2").least
    first = plan(QUESTIONS["winner"], ApproxDP(1, "1e-2"), want="0.99", lead=20).least
    mu = plan(QUESTIONS["winner"], [GaussianDP(1)], want="0.99", lead=20).least
    assert pure is not None
    assert beside is not None
    assert mu is not None
    assert beside.value < pure.value
    assert first == beside
    assert mu.parameter == "mu"
    assert isinstance(mu.privacy, GaussianDP)
    guess = plan(QUESTIONS["winner"], want="1/3", lead=20).least
    assert guess is not None
    assert guess.text == "0"
    with pytest.raises(QuestionError, match="no parameter up to 512"):
        plan(QUESTIONS["winner"], want=1 - Fraction(1, 10**300), lead=1)


def test_the_cost_is_told_in_figures_and_words() -> None:
    found = plan(QUESTIONS["two"], [PureDP(1), ApproxDP("ln 3", "1e-6"), GaussianDP(1)], leads=[1])
    pure, approximate, gaussian = (part.cost for part in found.privacies)
    assert pure.odds_factor == pytest.approx(math.e)
    assert pure.rho == pytest.approx(math.tanh(0.5))
    assert pure.guess == pytest.approx(math.e / (1 + math.e))
    assert (approximate.odds_factor, approximate.rho, approximate.delta) == (3, None, "1e-06")
    assert gaussian.rho == 0.5
    assert gaussian.odds_factor is None
    assert gaussian.guess == pytest.approx(0.6914624612740131)
    assert "joins or leaves" in pure.words[0]
    replaced = plan(QUESTIONS["two"], PureDP(1), neighbors="change-one", leads=[1]).privacies[0].cost
    assert "replaced" in replaced.words[0]


def test_the_rho_of_randomized_response_is_reached_and_no_more() -> None:
    """The Renyi divergence of order 1 of randomized response is its Kullback-Leibler divergence."""
    for epsilon in (0.1, 1, 3):
        p = math.exp(epsilon) / (1 + math.exp(epsilon))
        divergence = p * math.log(p / (1 - p)) + (1 - p) * math.log((1 - p) / p)
        rho = plan(QUESTIONS["two"], PureDP(epsilon), leads=[1]).privacies[0].cost.rho
        assert rho == pytest.approx(divergence)


def test_json_has_every_figure() -> None:
    found = plan(
        QUESTIONS["winner"], [PureDP("0.1"), PureDP("ln 2")], want="0.97", lead=33, leads=[1, 5], max_rows=2
    )
    read = json.loads(json.dumps(found.to_json()))
    assert read["question"]["kind"] == "winner"
    assert (read["neighbors"], read["max_rows"]) == ("add-remove", 2)
    assert [part["privacy"] for part in read["plans"]] == [{"epsilon": "0.1"}, {"epsilon": "ln(2)"}]
    rows = read["plans"][0]["rows"]
    assert [row["lead"] for row in rows] == [1, 5, 33]
    assert rows[0]["right"] + rows[0]["wrong"] == pytest.approx(1)
    assert [need["right"] for need in read["plans"][1]["needed"]] == [
        "9/10",
        "19/20",
        "97/100",
        "99/100",
        "999/1000",
    ]
    assert read["least"]["lead"] == 33
    assert len(found.rows) == 6


def test_leads_are_chosen_up_to_what_is_needed() -> None:
    rows = plan(QUESTIONS["two"], PureDP("0.1"), lead=37).privacies[0].rows
    assert [row.lead for row in rows] == [1, 2, 5, 10, 20, 37, 50, 100]
    nothing = plan(QUESTIONS["two"], PureDP(0)).privacies[0]
    assert [need.lead for need in nothing.needs] == [None] * len(WANTED)
    assert all(rival.lead is None for need in nothing.needs for rival in need.rivals)
    assert {row.right for row in nothing.rows} == {Fraction(1, 2)}


def test_tiny_and_large_parameters_and_many_options_are_no_trouble() -> None:
    (part,) = plan(QUESTIONS["two"], PureDP("1e-9")).privacies
    # ln(100 / (1 + e^epsilon)) / epsilon is 3912023004.93, and ties cost one step.
    assert part.needs[2].lead == 3912023006
    (part,) = plan(winner("ballot", [f"candidate {at}" for at in range(477)]), PureDP("ln(3/2)")).privacies
    assert part.needs[0].lead is not None
    assert rounded(part.rows[0].right) < 0.01
    (part,) = plan(QUESTIONS["two"], PureDP(100)).privacies
    assert part.needs[-1].lead == 1
    assert part.rows[0].wrong < Fraction(1, 10**43)


def test_scores_and_questions_of_other_people_have_leads_too() -> None:
    best = scores(["A", "B", "C"], sensitivity="1/2")
    rule = lead_rule(best, "add-remove")
    assert [rule.least_distance(1, lead) for lead in (1, 2, 3, 4)] == [0, 0, 1, 1]
    assert [rule.least_distance(0, lead) for lead in (1, 2, 3, 4)] == [0, 1, 1, 2]
    for gap in range(1, 9):
        for order in ((gap, 0, -9), (0, gap, -9)):
            found = best.locate(best.values([Fraction(value, 2) for value in order]))
            at = best.answers.index(found.answer)
            assert found.distance == rule.least_distance(at, gap)
    assert plan(best, PureDP(1), leads=[4]).privacies[0].rows[0].rival("permute-and-flip").wrong < 1


def test_what_makes_no_sense_is_refused() -> None:
    question = QUESTIONS["two"]
    with pytest.raises(UsageError, match="needs a privacy"):
        plan(question)
    with pytest.raises(UsageError, match="without a lead"):
        plan(question, want="0.99")
    with pytest.raises(UsageError, match="privacies"):
        plan(question, [1])  # type: ignore[list-item]  # what is refused
    for want in (0, 1, "1.5", -1):
        with pytest.raises(QuestionError, match="cannot be wanted"):
            plan(question, PureDP(1), want=want)
    for lead in (0, -3, 1.5):
        with pytest.raises(QuestionError, match="no lead"):
            plan(question, PureDP(1), lead=lead)  # type: ignore[arg-type]  # what is refused
        with pytest.raises(QuestionError, match="no lead"):
            plan(question, PureDP(1), leads=[lead])  # type: ignore[list-item]  # what is refused
    with pytest.raises(QuestionError, match="number of rows"):
        plan(question, PureDP(1), max_rows=0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"privacies": 1}, "`privacies` must be a PureDP"),
        ({"privacies": None}, "`privacies` must be a PureDP"),
        ({"leads": 5}, "5 is no list of leads"),
        ({"leads": [10**100 + 1]}, "is no lead"),
        ({"lead": 10**5000}, "is no lead"),
        ({"question": "winner"}, "'winner' is no question"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused_in_words(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(RainbowError, match=said):
        plan(**{"question": winner("c", ["a", "b"]), "privacies": PureDP(1), **wrong})


@pytest.mark.parametrize("neighbors", ["add-remove", "change-one"])
@pytest.mark.parametrize("kind", [Winner, Ranking, YesNo, Level, Bracket])
def test_a_derived_question_is_planned_by_its_distance(kind: type[Any], neighbors: Neighbors) -> None:
    made: dict[type[Any], Any] = {
        Winner: winner("c", ["a", "b"]),
        Ranking: ranking("c", ["a", "b"]),
        YesNo: yes_no("c", equals="y", at_least=50),
        Level: level("c", equals="y", edges=[50, 100]),
        Bracket: bracket("c", edges=[10]),
    }

    class Derived(kind):  # type: ignore[misc]  # each in turn
        def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
            found: Location = super().locate(summary, neighbors)
            return Location(found.answer, found.distance // 3)

    question = copy.copy(made[kind])
    derived = object.__new__(Derived)
    for name, value in vars(question).items():
        object.__setattr__(derived, name, value)
    found = plan(derived, PureDP("1/2"), neighbors=neighbors, leads=[12])
    assert "another answer is the true one" in found.lead_means
    assert found.notes[0].startswith("No rival is compared: rainbowdp does not know which scores")
    # A lead is the distance and one more, so nothing depends on how the distance is found.
    terms = Terms(derived, PureDP("1/2"), neighbors)
    least = min(to_float(terms.distribution(answer, 11)[answer], "nearest") for answer in derived.answers)
    ((_, row),) = found.rows
    assert rounded(row.wrong) == pytest.approx(1 - least)
