# SPDX-License-Identifier: Apache-2.0
"""From the description of a question back to the question."""

from collections.abc import Callable, Mapping

from rainbowdp.errors import QuestionError, did_you_mean
from rainbowdp.exact.arguments import described
from rainbowdp.questions.bracket import read_bracket
from rainbowdp.questions.question import Json, Question
from rainbowdp.questions.scores import read_scores
from rainbowdp.questions.selection import read_selection
from rainbowdp.questions.thresholds import read_level

_READERS: dict[str, Callable[[Mapping[str, Json]], Question]] = {
    "winner": read_selection,
    "ranking": read_selection,
    "yes-no": read_level,
    "level": read_level,
    "bracket": read_bracket,
    "scores": read_scores,
}


def question_from(description: Mapping[str, Json]) -> Question:
    """Return the question that ``describe`` described.

    Parameters
    ----------
    description : mapping
        As `Question.describe` gives it, or as ``json.loads`` reads it from a receipt.

    Returns
    -------
    Question

    Raises
    ------
    QuestionError
        If the kind is unknown, or something is missing or of a wrong type.

    Examples
    --------
    >>> from rainbowdp.questions import winner
    >>> question = winner("party", ["red", "blue"])
    >>> question_from(question.describe()) == question
    True
    """
    if not isinstance(description, Mapping):
        raise QuestionError(f"{described(description)} describes no question", help="give a JSON object")
    kind = description.get("kind")
    if not isinstance(kind, str) or kind not in _READERS:
        raise QuestionError(
            f"{kind!r} is no kind of question that rainbowdp knows",
            help=did_you_mean(str(kind), _READERS) or f"kinds are {', '.join(_READERS)}",
        )
    return _READERS[kind](description)
