# SPDX-License-Identifier: Apache-2.0
"""The line of every answer of a question, under one notion of privacy and one rule for the boundary.

Where the boundary is randomized response, and for most questions it is, every answer has the same chances up
to names. Then nothing is to be solved or checked, and a question of ten thousand options costs no more than
one of three.
"""

from functools import cached_property

from rainbowdp.boundary import BoundaryCondition
from rainbowdp.boundary.ready_made import response, response_notes
from rainbowdp.line import Line
from rainbowdp.privacy import Privacy
from rainbowdp.questions.kinds import OWN_ANSWER_FIRST, is_known
from rainbowdp.questions.question import Neighbors, Question, require_relation, require_rows
from rainbowdp.questions.regions import answer_line, is_large, large_note, question_boundary
from rainbowdp.questions.selection import Ranking


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
        require_relation(neighbors)
        max_rows = require_rows(max_rows)
        self._question, self._privacy = question, privacy
        self._lines: dict[str, Line] = {}
        self.is_response = _is_response(question, neighbors, max_rows, boundary)
        self.notes: tuple[str, ...] = response_notes(privacy)
        large = self.is_response and boundary == "default" and _is_too_large(question, neighbors, max_rows)
        self.remarks: tuple[str, ...] = (large_note(question),) if large else ()
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


def _is_response(
    question: Question, neighbors: Neighbors, max_rows: int, boundary: str | BoundaryCondition
) -> bool:
    """Tell whether `question_boundary` makes randomized response, for a question that needs no checks."""
    if not is_known(question) or not isinstance(boundary, str):
        return False
    if boundary == "randomized-response" or (boundary == "default" and isinstance(question, Ranking)):
        return True
    if boundary == "default" and is_large(question):
        return True
    return boundary in {"default", "max-min"} and question.touching(neighbors, max_rows) is None


def _is_too_large(question: Question, neighbors: Neighbors, max_rows: int) -> bool:
    """Tell whether randomized response stands for max-min only because the programme would be too large."""
    if isinstance(question, Ranking) or not is_large(question):
        return False
    return question.touching(neighbors, max_rows) is not None
