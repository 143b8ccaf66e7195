# SPDX-License-Identifier: Apache-2.0
"""From a question to its mechanism: the graph of its regions, the distributions where they meet, the lines.

Only what a question says of itself is used: its answers, their rainbows, and which regions touch. So a
question that a user writes is treated like those of this package.

Where the boundary is randomized response, and for most questions it is, every answer has the same chances up
to names. Then nothing is to be solved or checked, and a question of ten thousand options costs no more than
one of three.
"""

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rainbowdp.boundary import BoundaryCondition, check_boundary, max_min, randomized_response, uniform
from rainbowdp.boundary.ready_made import response, response_notes
from rainbowdp.errors import BoundaryMissingError, QuestionError, did_you_mean
from rainbowdp.exact.arguments import one_of
from rainbowdp.graph import DatasetGraph, RainbowGraph
from rainbowdp.line import Line
from rainbowdp.privacy import Privacy
from rainbowdp.questions.kinds import OWN_ANSWER_FIRST, is_known
from rainbowdp.questions.question import Neighbors, Question, require_relation, require_rows
from rainbowdp.rainbow import Rainbow

Places = npt.NDArray[np.int64]
RULES = ("default", "max-min", "randomized-response", "uniform")
_RESPONSE = "randomized-response"
MOST_PROBABILITIES = 500
"""A max-min programme of more probabilities is not solved unless it is asked for by name."""
MOST_ANSWERS, MOST_TERMS = 128, 16
"""Lines are kept for questions of no more answers, and for so many terms, those that were asked last."""


def region_graph(question: Question, neighbors: Neighbors, max_rows: int = 1) -> RainbowGraph:
    """Return the graph of the regions of a question: one dataset per answer, joined where regions touch.

    Parameters
    ----------
    question : Question
        Any question.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person can have.

    Returns
    -------
    RainbowGraph
        Its datasets are labeled by the answers, in the order of the answers.

    Raises
    ------
    QuestionError
        If the question names pairs of answers that it does not have, or its rainbows do not have its
        answers best.

    Examples
    --------
    >>> from rainbowdp.questions import level
    >>> question = level("smoker", equals="yes", edges=[10, 20, 30])
    >>> region_graph(question, "add-remove")
    RainbowGraph(4 datasets, 3 pairs, 4 regions)
    >>> region_graph(question, "add-remove", max_rows=11)
    RainbowGraph(4 datasets, 5 pairs, 4 regions)
    """
    answers, rainbows = _checked(question)
    structure = DatasetGraph.from_pairs(len(answers), *touching_pairs(question, neighbors, max_rows))
    return RainbowGraph.from_codes(structure, rainbows, np.arange(len(answers)), labels=list(answers))


def touching_pairs(question: Question, neighbors: Neighbors, max_rows: int = 1) -> tuple[Places, Places]:
    """Return which regions of a question touch: pairs of answers, by their numbers.

    Parameters
    ----------
    question, neighbors, max_rows
        As for `region_graph`.

    Returns
    -------
    two int64 arrays

    Raises
    ------
    QuestionError
        If the question names pairs of answers that it does not have.
    """
    require_relation(neighbors)
    max_rows = require_rows(max_rows)
    answers = question.answers
    touching = question.touching(neighbors, max_rows)
    if touching is None:
        first, second = np.triu_indices(len(answers), 1)
        return first, second
    places = {answer: at for at, answer in enumerate(answers)}
    for pair in touching:
        for answer in pair:
            if answer not in places:
                raise QuestionError(
                    f"the region of {answer!r} is said to touch another, and it is not an answer",
                    help=did_you_mean(answer, answers) or "name pairs of answers",
                )
    pairs = np.array([[places[one], places[other]] for one, other in sorted(touching)], dtype=np.int64)
    first, second = pairs.reshape(-1, 2).T
    return first, second


def question_boundary(
    question: Question,
    privacy: Privacy,
    neighbors: Neighbors,
    max_rows: int = 1,
    boundary: str | BoundaryCondition = "default",
) -> BoundaryCondition:
    """Return the distributions where the regions of a question meet, checked exactly.

    Parameters
    ----------
    question : Question
        Any question.
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer may reveal about one person.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person can have.
    boundary : str or BoundaryCondition
        A condition, or a rule: ``max-min`` serves the worst-off region best, given which regions touch;
        ``randomized-response`` and ``uniform`` do not look at that; ``default`` is randomized response for
        a ranking, where all regions touch, and where the programme of max-min would have more than 500
        probabilities, with a note; and else max-min.

    Returns
    -------
    BoundaryCondition

    Raises
    ------
    QuestionError
        If there is no such rule, or the question is not well formed.
    BoundaryMissingError, BoundaryNotPrivateError, ColorError
        If a given condition does not fit.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import level
    >>> question = level("smoker", equals="yes", edges=[10, 20], labels=["low", "medium", "high"])
    >>> condition = question_boundary(question, PureDP("ln 2"), "add-remove")
    >>> for rainbow, distribution in condition.distributions.items():
    ...     print(rainbow, repr(distribution))
    high>medium>low Distribution(high=1/2, low=1/8, medium=3/8)
    low>medium>high Distribution(high=1/8, low=1/2, medium=3/8)
    medium>high=low Distribution(high=1/4, low=1/4, medium=1/2)
    """
    graph = region_graph(question, neighbors, max_rows)
    if isinstance(boundary, BoundaryCondition):
        check_boundary(boundary, graph, privacy)
        return boundary
    rule, notes = _rule(question, neighbors, max_rows, boundary)
    if rule == "uniform":
        return uniform(graph)
    if rule == "max-min":
        return max_min(graph, privacy)
    found = randomized_response(graph, privacy)
    return BoundaryCondition(found.distributions, (*found.notes, *notes))


def _rule(
    question: Question, neighbors: Neighbors, max_rows: int, boundary: str
) -> tuple[str, tuple[str, ...]]:
    """Return max-min, randomized-response or uniform, and notes about the choice.

    Where all regions touch, max-min is the response. Of 120 orders it would be a large programme, for little:
    an order touches few others. The response is private between any two regions, whether they touch or not.
    """
    one_of("a boundary rule", boundary, RULES, QuestionError)
    if boundary in ("uniform", _RESPONSE):
        return boundary, ()
    if boundary == "default" and question.kind == "ranking":
        return _RESPONSE, ()
    touching, count = question.touching(neighbors, max_rows), len(question.answers)
    if touching is None or len(set(map(frozenset, touching))) == count * (count - 1) // 2:
        return _RESPONSE, ()
    if boundary == "default" and count**2 > MOST_PROBABILITIES:
        note = (
            f"with {count} answers randomized response is used where they meet: the programme of max-min "
            f"would have more than {MOST_PROBABILITIES} probabilities"
        )
        return _RESPONSE, (note,)
    return "max-min", ()


def answer_line(question: Question, answer: str, boundary: BoundaryCondition, privacy: Privacy) -> Line:
    """Return the optimal distributions of tables with one true answer, by distance.

    Parameters
    ----------
    question : Question
        Any question.
    answer : str
        The true answer.
    boundary : BoundaryCondition
        From `question_boundary`.
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer may reveal about one person.

    Returns
    -------
    Line
        To be asked with the row distance, divided and rounded down by the number of rows per person.

    Raises
    ------
    QuestionError
        If there is no such answer.
    BoundaryMissingError
        If the condition has no distribution for it.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> question, privacy = winner("party", ["red", "blue"]), PureDP("ln 2")
    >>> boundary = question_boundary(question, privacy, "add-remove")
    >>> answer_line(question, "red", boundary, privacy).distribution(1)
    Distribution(blue=1/6, red=5/6)
    """
    if answer not in question.answers:
        raise QuestionError(
            f"{answer!r} is not an answer to this question",
            help=did_you_mean(str(answer), question.answers) or "name one of the question's answers",
        )
    rainbow = question.rainbow(answer)
    if rainbow not in boundary.distributions:
        raise BoundaryMissingError(
            f"the boundary has no distribution for {rainbow}", help="make it with question_boundary"
        )
    return Line(rainbow, boundary.distributions[rainbow], privacy)


def _checked(question: Question) -> tuple[tuple[str, ...], list[Rainbow]]:
    """Return the answers and their rainbows, if they fit each other."""
    answers = tuple(question.answers)
    if (
        len(answers) < 2
        or len(set(answers)) < len(answers)
        or not all(isinstance(text, str) for text in answers)
    ):
        raise QuestionError(
            "a question needs at least two answers, distinct texts", help="name its answers apart"
        )
    rainbows = [question.rainbow(answer) for answer in answers]
    for answer, rainbow in zip(answers, rainbows, strict=True):
        if rainbow.classes[0] != (answer,) or set(rainbow.colors) != set(answers):
            raise QuestionError(
                f"the rainbow of {answer!r} is {rainbow}", help="have the answer itself best, then all others"
            )
    return answers, rainbows


class QuestionLines:
    """The optimal distributions of a question, by true answer and distance.

    Parameters
    ----------
    question : Question
        Any question.
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer may reveal about one person.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person can have.
    boundary : str or BoundaryCondition
        As for `question_boundary`.

    Raises
    ------
    QuestionError, BoundaryMissingError, BoundaryNotPrivateError, ColorError
        As for `question_boundary` and `answer_line`; at once, for all answers, and never later.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> lines = QuestionLines(winner("party", ["red", "blue"]), PureDP("ln 2"), "add-remove")
    >>> lines.line("red").distribution(1), lines.all_alike
    (Distribution(blue=1/6, red=5/6), True)
    """

    def __init__(
        self,
        question: Question,
        privacy: Privacy,
        neighbors: Neighbors,
        max_rows: int = 1,
        boundary: str | BoundaryCondition = "default",
    ) -> None:
        self._question, self._privacy = question, privacy
        self._lines: dict[str, Line] = {}
        rule = ""
        self.remarks: tuple[str, ...] = ()
        if is_known(question) and isinstance(boundary, str):
            rule, self.remarks = _rule(question, neighbors, max_rows, boundary)
        self.is_response = rule == _RESPONSE
        self.notes: tuple[str, ...] = response_notes(privacy)
        if not self.is_response:
            condition = question_boundary(question, privacy, neighbors, max_rows, boundary)
            self.notes = condition.notes
            # All at once: what fails here must not depend on the table.
            for answer in question.answers:
                self._lines[answer] = answer_line(question, answer, condition, privacy)

    @property
    def all_alike(self) -> bool:
        """Whether every answer has the same chances as any other, up to names, and so have its rivals."""
        return self.is_response and type(self._question) in OWN_ANSWER_FIRST

    def line(self, answer: str) -> Line:
        """Return the closed form for one true answer, by its distance to the nearest other one."""
        if answer not in self._lines:
            rainbow = self._question.rainbow(answer)
            self._lines[answer] = Line(rainbow, response(rainbow, self._privacy), self._privacy)
        return self._lines[answer]

    @cached_property
    def different(self) -> tuple[tuple[Line, tuple[int, ...]], ...]:
        """The lines whose right answers have different chances, each with the answers by number."""
        answers = self._question.answers
        if self.is_response:
            return ((self.line(answers[0]), tuple(range(len(answers)))),)
        found: dict[str, tuple[Line, list[int]]] = {}
        for at, answer in enumerate(answers):
            line = self.line(answer)
            found.setdefault(repr(line.boundary[answer]), (line, []))[1].append(at)
        return tuple((line, tuple(places)) for line, places in found.values())


def lines_of(
    question: Question,
    privacy: Privacy,
    neighbors: Neighbors,
    max_rows: int = 1,
    boundary: str | BoundaryCondition = "default",
) -> QuestionLines:
    """Return the lines of a question; solved boundaries are kept for the next question with the same terms.

    The terms are all public. No table, summary, true answer, distance or drawn answer is part of them or
    decides what is kept, so how long an ask takes says what was asked before and never what a table holds.
    Nothing that is kept fills up as true answers come by: lines of randomized response are made answer by
    answer, so they are not kept, and a line that is shared must not be used itself, since it works out its
    masses when it is used.

    Parameters
    ----------
    question, privacy, neighbors, max_rows, boundary
        As for `QuestionLines`.
    """
    if (
        not isinstance(boundary, str)
        or not is_known(question)
        or len(question.answers) > MOST_ANSWERS
        or _rule(question, neighbors, max_rows, boundary)[0] == _RESPONSE
    ):
        return QuestionLines(question, privacy, neighbors, max_rows, boundary)
    known: Any = question  # frozen, and so with a hash
    # A privacy remembers thresholds, so what is kept has one of its own.
    return solved_lines(known, replace(privacy), neighbors, max_rows, boundary)


@lru_cache(maxsize=MOST_TERMS, typed=True)
def solved_lines(
    question: Question, privacy: Privacy, neighbors: Neighbors, max_rows: int, boundary: str
) -> QuestionLines:
    """Return the lines under these terms, solved once; see `lines_of`."""
    return QuestionLines(question, privacy, neighbors, max_rows, boundary)
