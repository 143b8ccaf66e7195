# SPDX-License-Identifier: Apache-2.0
"""What is kept of public terms: it changes no number, never crosses terms, and knows nothing of a table."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

import rainbowdp as rdp
from bit_sources import ReplayBits
from rainbowdp.questions import Location, MatchCount, OptionCounts, Question, QuestionLines, Summary
from rainbowdp.questions.selection import Winner
from rainbowdp.release import Terms, answer, public_table
from rainbowdp.release.kept import FIRST, MOST_ANSWERS, MOST_TERMS, SOLVED, Kept

QUESTIONS: dict[str, Question] = {
    "winner": rdp.winner("vote", ["red", "blue", "green", "amber"]),
    "ranking": rdp.ranking("vote", ["red", "blue", "green"]),
    "yes-no": rdp.yes_no("vote", equals="red", at_least=10),
    "level": rdp.level("vote", equals="red", edges=[10, 20, 30]),
    "bracket": rdp.bracket("age", edges=[18, 40, 65]),
    "scores": rdp.scores(["a", "b", "c"], sensitivity=1),
}
NOTIONS = (rdp.PureDP("1/2"), rdp.PureDP("ln 2"), rdp.ApproxDP("1/2", "1/100"), rdp.GaussianDP("1/2"))


@dataclass(frozen=True)
class OwnWinner(Winner):
    """A question that somebody derived from one of ours."""


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    """Forget everything that was kept."""
    for kept in (FIRST, SOLVED, public_table._TABLES):
        kept.clear()


def exactly(distribution: rdp.Distribution) -> dict[str, str]:
    """Return the exact numbers with their forms."""
    return {color: repr(value) for color, value in distribution.items()}


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_kept_lines_have_the_very_numbers_of_lines_made_anew(
    question: Question, privacy: rdp.Privacy
) -> None:
    Terms(question, privacy).distribution(question.answers[-1], 3)
    for name, distance in itertools.product(question.answers, (0, 1, 2, 7)):
        anew = QuestionLines(Terms(question, privacy).asked, privacy, "add-remove")
        expected = anew.line(name).distribution(distance, symbolic=True)
        assert exactly(Terms(question, privacy).distribution(name, distance)) == exactly(expected)


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_receipts_are_the_same_whatever_is_kept(question: Question, privacy: rdp.Privacy) -> None:
    def receipt() -> str:
        return json.dumps(rdp.release.make_receipt(Terms(question, privacy), question.answers[0]))

    first, again = receipt(), receipt()
    forget()
    assert first == again == receipt()


def test_whoever_changes_a_receipt_changes_no_other() -> None:
    terms = Terms(QUESTIONS["level"], rdp.PureDP("ln 2"))
    receipt: Any = rdp.release.make_receipt(terms, "x")
    written = json.dumps(receipt)
    for part in ("boundary", "table"):
        for region in receipt[part]["regions"]:
            region["answers"].append("z")
            for cell in region["probabilities"]:
                if isinstance(cell, list):
                    cell[0] = "changed"
            region["probabilities"][:] = ["changed"]
    assert json.dumps(rdp.release.make_receipt(terms, "x")) == written
    assert json.dumps(rdp.release.make_receipt(replace(terms), "x")) == written


def different_terms() -> list[Terms]:
    """Return terms that differ from the first in one thing each, if only in a name or a kind."""
    winner, level = rdp.winner("vote", ["a", "b", "c"]), rdp.level("vote", equals="a", edges=[1, 2, 3])
    half = rdp.PureDP("1/2")
    return [
        Terms(winner, half),
        Terms(rdp.winner("vote", ["b", "a", "c"]), half),
        Terms(rdp.winner("vote", ["a", "b", "d"]), half),
        Terms(rdp.winner("vote", ["a", "b"]), half),
        Terms(rdp.winner("voted", ["a", "b", "c"]), half),
        Terms(rdp.ranking("vote", ["a", "b", "c"]), half),
        Terms(winner, rdp.PureDP("1/3")),
        Terms(winner, rdp.PureDP("ln 2")),
        Terms(winner, rdp.ApproxDP("1/2", 0)),
        Terms(winner, rdp.ApproxDP("1/2", "1/100")),
        Terms(winner, rdp.GaussianDP("1/2")),
        Terms(winner, half, "change-one"),
        Terms(winner, half, unit="id", max_rows=2),
        Terms(winner, half, rule="uniform"),
        Terms(winner, half, rule="randomized-response"),
        Terms(level, half),
        Terms(rdp.level("vote", equals="a", edges=[1, 2, 4]), half),
        Terms(rdp.level("vote", equals="a", edges=[1, 2, 3], labels=["a", "b", "c", "d"]), half),
        Terms(level, half, unit="id", max_rows=2),
        Terms(level, rdp.PureDP("1/3")),
    ]


def test_different_terms_never_share() -> None:
    names = [terms.kept_as for terms in different_terms()]
    for (at, one), (other, two) in itertools.product(enumerate(names), repeat=2):
        assert (one == two) is (at == other)
    assert names == [terms.kept_as for terms in different_terms()]
    # In one process, one after the other and twice, each has its own numbers.
    for terms in [*different_terms(), *reversed(different_terms())]:
        lines = QuestionLines(terms.asked, terms.privacy, terms.relation, terms.max_rows, terms.rule)
        name = terms.question.answers[1]
        expected = lines.line(name).distribution(2, symbolic=True)
        assert exactly(terms.distribution(name, 2)) == exactly(expected)


def test_filters_groups_and_persons_do_not_change_the_chances() -> None:
    question, privacy = QUESTIONS["winner"], rdp.PureDP("1/2")
    one = Terms(question, privacy).kept_as
    assert Terms(question, privacy, where={"town": "Ulm"}).kept_as == one
    assert Terms(question, privacy, by="town", groups=("A", "B")).kept_as == one
    assert Terms(question, privacy, "change-one").kept_as != one
    # Inside one of several groups, a person who changes comes or goes.
    assert Terms(question, privacy, "change-one", by="town", groups=("A", "B")).kept_as == one


def state_after(question: Question, summaries: list[Summary]) -> object:
    """Return all that is kept, and all that has been worked out in it, after asking these tables."""
    forget()
    for seed, summary in enumerate(summaries):
        answer(Terms(question, rdp.PureDP("1/2")), summary, bits=ReplayBits(seed)).receipt  # noqa: B018 - made here
    found: list[object] = [FIRST.names(), SOLVED.names(), public_table._TABLES.names()]
    found.extend(map(worked_out, FIRST.values()))
    for lines in SOLVED.values():
        found.append([(name, worked_out(lines.line(name))) for name in question.answers])
        found.append(sorted(set(vars(lines)) - {"different"}))
    return found


def worked_out(line: rdp.Line) -> object:
    """Return what a line and its privacy remember."""
    return sorted(vars(line)), repr(vars(line.privacy))


@pytest.mark.parametrize("name", ["winner", "yes-no", "level"])
def test_what_is_kept_knows_nothing_of_the_tables(name: str) -> None:
    question = QUESTIONS[name]
    summaries = [
        question.reading.summary([("red", red), ("blue", blue), ("amber", 9)])
        for red, blue in ((25, 3), (0, 90), (12, 12), (31, 30), (500, 1))
    ]
    states = [state_after(question, [one]) for one in summaries]
    assert all(state == states[0] for state in states)
    assert state_after(question, summaries) == states[0]
    assert state_after(question, summaries[::-1]) == states[0]


def test_solved_lines_are_left_as_they_were_made() -> None:
    question, summary = QUESTIONS["level"], QUESTIONS["level"].reading.summary([("red", 25)])
    for _ in range(2):
        answer(Terms(question, rdp.PureDP("1/2")), summary, bits=ReplayBits(1))
    (lines,) = SOLVED.values()
    for name in question.answers:
        assert set(vars(lines.line(name))) == {"rainbow", "boundary", "privacy"}


def test_nothing_is_kept_of_large_questions_and_of_those_that_others_wrote() -> None:
    wide = rdp.winner("vote", list(map(str, range(MOST_ANSWERS + 1))))
    own = OwnWinner("vote", ("a", "b"))
    summaries = {wide: OptionCounts(tuple(range(MOST_ANSWERS + 1))), own: OptionCounts((3, 4))}
    for question, summary in summaries.items():
        terms = Terms(question, rdp.PureDP(1))
        assert terms.kept_as is None
        found = answer(terms, summary)
        assert found.answer in question.answers
        assert found.receipt["schema"]
    assert not FIRST.names()
    assert not SOLVED.names()


def test_the_terms_asked_last_are_kept() -> None:
    question, summary = QUESTIONS["winner"], OptionCounts((1, 2, 3, 4))
    asked = [Terms(question, rdp.PureDP(f"1/{at}")) for at in range(2, MOST_TERMS + 6)]
    for terms in asked:
        answer(terms, summary)
    assert FIRST.names() == [terms.kept_as for terms in asked[-MOST_TERMS:]]
    answer(replace(asked[-MOST_TERMS]), summary)
    assert FIRST.names()[-1] == asked[-MOST_TERMS].kept_as


def test_what_fails_is_kept_nowhere_and_fails_again() -> None:
    kept: Kept[int] = Kept(2)

    def fail() -> int:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kept.of("a", fail)
    assert kept.of("a", lambda: 1, small=lambda value: value > 1) == 1
    assert kept.names() == []
    assert kept.of("a", lambda: 2, small=lambda value: value > 1) == 2
    assert (kept.names(), kept.values()) == (["a"], [2])


def test_a_location_outside_the_answers_is_still_refused() -> None:
    @dataclass(frozen=True)
    class Astray(Winner):
        def locate(self, *_: object) -> Location:
            return Location("elsewhere", 1)

    with pytest.raises(rdp.errors.QuestionError, match="does not locate the table"):
        answer(Terms(Astray("vote", ("a", "b")), rdp.PureDP(1)), OptionCounts((1, 2)))


@pytest.mark.parametrize("failure", [ValueError("41 of 99"), rdp.errors.QuestionError("41 of 99")])
def test_what_a_question_of_ones_own_says_when_it_fails_is_left_out(failure: Exception) -> None:
    @dataclass(frozen=True)
    class Failing(Winner):
        def locate(self, *_: object) -> Location:
            raise failure

    with pytest.raises(rdp.errors.QuestionError, match="does not locate the table") as caught:
        answer(Terms(Failing("vote", ("a", "b")), rdp.PureDP(1)), OptionCounts((41, 58)))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_a_summary_of_another_kind_is_refused_by_its_kind() -> None:
    with pytest.raises(rdp.errors.QuestionError, match="OptionCounts"):
        answer(Terms(QUESTIONS["winner"], rdp.PureDP(1)), MatchCount(1, 2))
