# SPDX-License-Identifier: Apache-2.0
"""One exact answer from a summary that another library made, with nothing private in any exception.

What can be refused is refused when a `SummaryDraw` is made, without data. Its `draw` is a function of every
summary, and where it fails all the same, it says that it failed and nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from rainbowdp.errors import InternalError, UsageError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.goals import Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.mechanism import require_goal
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Neighbors, Question, Summary
from rainbowdp.questions.question import require_question
from rainbowdp.questions.regions import RULES
from rainbowdp.questions.selection import form_text
from rainbowdp.sampling import BitSource


@dataclass(frozen=True)
class SummaryDraw:
    """The mechanism of a question, from summary to answer.

    Parameters
    ----------
    question : Question
        What is asked.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion between two tables that differ in at most `max_rows` rows.
    neighbors : {"add-remove", "change-one"}
        How rows differ.
    goal : {"typical", "guarantee"}
        What the mechanism is to be good at, see `rainbowdp.goals`.
    rule : str
        For a question of one's own: the boundary, as for `question_boundary`.
    max_rows : int
        How many rows may differ between neighbors.

    Raises
    ------
    UsageError
        If the number of rows is none, or there is no such rule.
    QuestionError
        If the question is not well formed, or there is no such goal.

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
    goal: Goal = "typical"
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
        self.mechanism  # noqa: B018 - what fails in making it is public, and may be told

    @cached_property
    def mechanism(self) -> QuestionMechanism:
        """The mechanism, made of public terms."""
        asked = Asked(self.question, self.privacy, self.neighbors, self.max_rows)
        return mechanism_of(asked, require_goal(self.goal), self.rule)

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
            An order, or a set, of several options is one text, with ``>`` or commas between them.

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
        mechanism = self.mechanism
        try:
            return form_text(self.question, mechanism.at(summarize()).draw(bits))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - its message may quote a count, and OpenDP prints it, or crashes
            raise InternalError(
                "an answer could not be drawn",
                help="ask the question with rainbowdp.ask, which explains more",
            ) from None
