# SPDX-License-Identifier: Apache-2.0
"""One exact answer from a summary that another library made, with nothing private in any exception.

What can be refused is refused when a `SummaryDraw` is made, without data. Its `draw` is a function of every
summary, and where it fails all the same, it says that it failed and nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from rainbowdp.distribution import Distribution
from rainbowdp.errors import InternalError, UsageError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Neighbors, Question, QuestionLines, Summary, in_table, region_graph
from rainbowdp.questions.known import is_known
from rainbowdp.questions.question import require_question
from rainbowdp.questions.regions import RULES
from rainbowdp.release.own_questions import LeftOut, locate_guarded
from rainbowdp.sampling import BitSource, sample_distribution


@dataclass(frozen=True)
class SummaryDraw:
    """The optimal mechanism of a question, from summary to answer.

    Parameters
    ----------
    question : Question
        What is asked.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion between two tables that differ in at most `max_rows` rows.
    neighbors : {"add-remove", "change-one"}
        How rows differ.
    rule : str
        The boundary, as for `question_boundary`.
    max_rows : int
        How many rows may differ between neighbors.

    Raises
    ------
    UsageError
        If the number of rows is none, or there is no such rule.
    QuestionError
        If the question is not well formed.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> winner_of_two = SummaryDraw(winner("party", ["red", "blue"]), PureDP("1/2"))
    >>> winner_of_two.draw(OptionCounts((900, 100)))
    'red'
    """

    question: Question
    privacy: Privacy
    neighbors: Neighbors = "add-remove"
    rule: str = "default"
    max_rows: int = 1

    def __post_init__(self) -> None:
        require_question(self.question)
        if not is_whole(self.max_rows) or self.max_rows < 1:
            raise UsageError(
                f"{described(self.max_rows)} is no number of rows", help="give a whole number of at least 1"
            )
        object.__setattr__(self, "max_rows", int(self.max_rows))
        if self.rule not in RULES:
            raise UsageError(
                f"{described(self.rule)} is no boundary rule", help=f"choose one of {', '.join(RULES)}"
            )
        region_graph(self.asked, self.neighbors, self.max_rows)  # refuses a question that is not well formed

    @cached_property
    def asked(self) -> Question:
        """The question as it is asked of rows that may also count for nothing."""
        return in_table(self.question)

    @cached_property
    def lines(self) -> QuestionLines:
        """The closed form by true answer, and so nothing about any table; made for the first draw."""
        return QuestionLines(self.asked, self.privacy, self.neighbors, self.max_rows, self.rule)

    def row(self, summary: Summary) -> Distribution:
        """Return the distribution of the answer, exactly. It tells the distance, so it is private.

        Parameters
        ----------
        summary : Summary
            Of the kind that the question's reading makes.

        Returns
        -------
        Distribution
        """
        if is_known(self.question):
            location = self.asked.locate(summary, self.neighbors)
        else:
            location = locate_guarded(self.asked, summary, self.neighbors)
        steps = location.distance // self.max_rows
        return self.lines.line(location.answer).distribution(steps, symbolic=True)

    def draw(self, summary: Summary, *, bits: BitSource | None = None) -> str:
        """Draw one answer from a summary.

        Parameters
        ----------
        summary : Summary
            Of the kind that the question's reading makes.
        bits : BitSource, optional
            Where random bits come from; the operating system unless given, which is for tests.

        Returns
        -------
        str

        Raises
        ------
        InternalError
            If anything goes wrong that could depend on the summary; the message is always the same.
        """
        return self.draw_from(lambda: summary, bits=bits)

    def draw_from(self, summarize: Callable[[], Summary], *, bits: BitSource | None = None) -> str:
        """Draw one answer from a summary that is yet to be made; what fails there is covered, too.

        Parameters
        ----------
        summarize : callable
            Makes the summary.
        bits : BitSource, optional
            As for `draw`.

        Returns
        -------
        str

        Raises
        ------
        InternalError
            As for `draw`.
        """
        self.lines  # noqa: B018 - what fails in making them is public, and may be told
        # Nothing is chained to the error below: what failed may have said what it saw, and OpenDP prints it.
        with LeftOut():
            return sample_distribution(self.row(summarize()), bits=bits)[0]
        raise InternalError(
            "an answer could not be drawn", help="ask the question with rainbowdp.ask, which explains more"
        )
