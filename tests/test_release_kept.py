# SPDX-License-Identifier: Apache-2.0
"""Lines that are kept for public terms change no number, never cross terms, and know nothing of a table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

import rainbowdp as rdp
from bit_sources import ReplayBits
from rainbowdp.questions import MatchCount, Question, QuestionLines, Summary
from rainbowdp.questions.levels import Level
from rainbowdp.questions.regions import MOST_ANSWERS, lines_of, solved_lines
from rainbowdp.release import Terms, answer

LEVEL = rdp.level("vote", equals="red", edges=[10, 20, 30])
QUESTIONS: dict[str, Question] = {
    "yes-no": rdp.yes_no("vote", equals="red", at_least=10),
    "level": LEVEL,
    "share level": rdp.level("vote", equals="red", share=True, edges=["1/4", "1/2"]),
}
NOTIONS = (rdp.PureDP("1/2"), rdp.PureDP("ln 2"), rdp.ApproxDP("1/2", "1/100"), rdp.GaussianDP("1/2"))


@dataclass(frozen=True)
class OwnLevel(Level):
    """A question that was derived from one of the package's."""


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    solved_lines.cache_clear()
    yield
    solved_lines.cache_clear()


def terms_of(question: Question, privacy: rdp.privacy.Privacy) -> Terms:
    return Terms(question, privacy, goal="guarantee")


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_kept_lines_have_the_very_numbers_of_lines_made_anew(
    question: Question, privacy: rdp.privacy.Privacy
) -> None:
    for _ in range(2):
        for matching in (0, 14, 80):
            summary = MatchCount(matching, 100)
            anew = QuestionLines(rdp.questions.in_table(question), privacy, "add-remove")
            found = question.locate(summary)
            expected = anew.line(found.answer).distribution(found.distance)
            chances = terms_of(question, privacy).mechanism.at(summary).chances()
            assert chances == dict(expected)


def lines(terms: Terms) -> QuestionLines:
    return lines_of(
        rdp.questions.in_table(terms.question), terms.privacy, terms.relation, terms.max_rows, terms.boundary
    )


def test_different_terms_never_share() -> None:
    half = rdp.PureDP("1/2")
    different = [
        Terms(LEVEL, half),
        Terms(replace(LEVEL, column="voted"), half),
        Terms(rdp.level("vote", equals="red", edges=[10, 20, 31]), half),
        Terms(rdp.level("vote", equals="red", edges=[10, 20, 30], labels=["a", "b", "c", "d"]), half),
        Terms(LEVEL, rdp.PureDP("1/3")),
        Terms(LEVEL, rdp.PureDP("ln 2")),
        Terms(LEVEL, rdp.ApproxDP("1/2", 0)),
        Terms(LEVEL, rdp.GaussianDP("1/2")),
        Terms(LEVEL, half, "change-one"),
        Terms(LEVEL, half, unit="id", max_rows=2),
    ]
    found = [lines(terms) for terms in different]
    assert len(set(map(id, found))) == len(different)
    assert [id(lines(terms)) for terms in different] == list(map(id, found))
    # Filters and groups do not change the chances of one group.
    assert lines(Terms(LEVEL, half, where={"town": "Ulm"}, by="town", groups=("A", "B"))) is found[0]


def state_after(question: Question, summaries: list[Summary]) -> object:
    """Return all that is kept, and all that has been worked out in it, after asking these tables."""
    solved_lines.cache_clear()
    for seed, summary in enumerate(summaries):
        answer(terms_of(question, rdp.PureDP("1/2")), summary, bits=ReplayBits(seed)).receipt  # noqa: B018 - made here
    kept = solved_lines.cache_info().currsize
    shared = lines(terms_of(question, rdp.PureDP("1/2")))
    found = [(name, worked_out(shared.line(name))) for name in question.answers]
    return kept, solved_lines.cache_info().currsize, found, sorted(set(vars(shared)) - {"different"})


def worked_out(line: rdp.Line) -> object:
    """Return what a line and its privacy remember."""
    return sorted(vars(line)), repr(vars(line.privacy))


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_kept_knows_nothing_of_the_tables(name: str) -> None:
    question = QUESTIONS[name]
    summaries: list[Summary] = [MatchCount(red, 600) for red in (25, 0, 12, 31, 500)]
    states = [state_after(question, [one]) for one in summaries]
    assert all(state == states[0] for state in states)
    assert state_after(question, summaries) == states[0]
    assert state_after(question, summaries[::-1]) == states[0]


def test_nothing_is_kept_of_large_questions_and_of_those_that_others_wrote() -> None:
    wide = rdp.level("vote", equals="a", edges=range(1, MOST_ANSWERS + 1))
    own = OwnLevel("vote", LEVEL.measure, LEVEL.edges, LEVEL.labels)
    for question in (wide, own):
        found = answer(Terms(question, rdp.PureDP(1), goal="guarantee"), MatchCount(3, 9))
        assert found.answer in question.answers
    assert not solved_lines.cache_info().currsize
