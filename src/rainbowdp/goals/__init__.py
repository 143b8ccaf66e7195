# SPDX-License-Identifier: Apache-2.0
"""The mechanisms of questions, and which one answers a question: by its kind, the privacy and the goal.

==========================================  =================================  ==========================
question                                    typical                            guarantee
==========================================  =================================  ==========================
winner, scores, the first of a ranking      flip; normal noise under mu        the line by lead
  with two options                          the line by lead                   the same
ranking                                     noise on differences; normal       the line, up to five
                                            noise under mu                     options
three levels of a count and more            the noisy level, or the line       the line
                                            where a level is narrow
yes-no, other levels, brackets              the line                           the same
a question of your own                      the line                           the same
==========================================  =================================  ==========================

- `mechanism`: the contract that all of them keep, and what several groups cost.
- `one_option`, `question_line`, `noisy_order`, `noisy_level`: the mechanisms, one frozen value each.
- `order_chances`: how often a noisy order is right. `concentrated`: rho.
- `judging`: whether a mechanism keeps its promise, decided from pairs of neighbors: all steps that tell
  something on a line (`rainbowdp.line.steps`), all small tables and all coins of flip (`table_judging`).
"""

from rainbowdp.boundary import BoundaryCondition
from rainbowdp.errors import QuestionError, UsageError
from rainbowdp.goals.mechanism import GOALS, Asked, Case, Goal, Located, QuestionMechanism
from rainbowdp.goals.noisy_level import level_mechanism
from rainbowdp.goals.noisy_order import NoisyOrder, NormalOrder
from rainbowdp.goals.one_option import Flip, LeadLine
from rainbowdp.goals.question_line import QuestionLine
from rainbowdp.line.steps import Pair, Pairs
from rainbowdp.privacy import GaussianDP
from rainbowdp.questions import Level, Ranking, Scores, Winner
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.measures import CountOf

__all__ = ["GOALS", "Asked", "Case", "Goal", "Located", "Pair", "Pairs", "QuestionMechanism", "mechanism_of"]


def mechanism_of(
    asked: Asked, goal: Goal = "typical", rule: str | BoundaryCondition = "default"
) -> QuestionMechanism:
    """Return the mechanism that answers a question.

    Parameters
    ----------
    asked : Asked
        The question, and how privately it is answered.
    goal : {"typical", "guarantee"}
        What the mechanism is to be good at.
    rule : str or BoundaryCondition
        For a question of your own: the distributions where regions meet.

    Returns
    -------
    QuestionMechanism

    Raises
    ------
    UsageError
        If a boundary is given for one of the package's own questions.
    QuestionError
        If the question cannot be answered so.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> two, three = winner("party", ["red", "blue"]), winner("party", ["red", "blue", "green"])
    >>> [mechanism_of(Asked(question, PureDP(1))).name for question in (two, three)]
    ['line', 'flip']

    With counts of 5, 4 and 1, flip uses that the third is far behind; the line uses the lead of 1 alone.

    >>> from rainbowdp.questions import OptionCounts
    >>> for goal in ("typical", "guarantee"):
    ...     chances = mechanism_of(Asked(three, PureDP("ln 2")), goal).at(OptionCounts((5, 4, 1))).chances()
    ...     print({option: str(chance) for option, chance in chances.items()})
    {'red': '35/48', 'blue': '47/192', 'green': '5/192'}
    {'red': '2/3', 'blue': '1/6', 'green': '1/6'}
    """
    question = asked.question
    if not is_known(question):
        return QuestionLine(asked, rule)
    if rule != "default":
        raise UsageError(
            f"the boundary of a {question.kind} question cannot be chosen",
            help="choose a goal; a boundary belongs to questions of your own",
        )
    match question:
        case Winner() | Scores():
            return _choice(asked, question, goal)
        case Ranking() if question.length == 1 or len(question.options) == 2:
            return _choice(asked, question, goal)
        case Ranking() if goal == "typical":
            return NormalOrder(asked) if isinstance(asked.privacy, GaussianDP) else NoisyOrder(asked)
        case Level(measure=CountOf()) if goal == "typical" and len(question.answers) > 2:
            return level_mechanism(asked)
        case _:
            return QuestionLine(asked)


def _choice(asked: Asked, question: Winner | Ranking | Scores, goal: Goal) -> QuestionMechanism:
    if isinstance(question, Winner) and question.approval is not None and asked.max_rows > 1:
        raise QuestionError(
            "where a person can have several options, a person has one row",
            help="leave out the rows per person, or ask about one option per row",
        )
    if isinstance(question, Scores):
        _check_scores(question, asked)
    if goal == "guarantee" or len(question.options) == 2:
        return LeadLine(asked)
    return NormalOrder(asked) if isinstance(asked.privacy, GaussianDP) else Flip(asked)


def _check_scores(question: Scores, asked: Asked) -> None:
    if asked.max_rows > 1:
        raise QuestionError(
            "scores are of people, not of rows: their sensitivity says what one person changes",
            help="leave out the rows per person",
        )
    if question.monotone and asked.changed:
        raise QuestionError(
            "scores are said to be monotone, which a changed record cannot promise",
            help="use add-remove neighbors, or leave monotone out and give the sensitivity to a change",
        )
