# SPDX-License-Identifier: Apache-2.0
"""Tell whether a question is one of the package's kinds, describe it, and write its answers as text.

A class that is derived from a kind may change any part of it. So facts about a kind or a measure are used
only where the type is exactly that class. A question or a reading of a user's own is asked beforehand
how its answers are written, because nothing must fail after a charge, and is given each distinct text once.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final

from rainbowdp.errors import QuestionError, did_you_mean
from rainbowdp.exact.arguments import described
from rainbowdp.questions.levels import Bracket, Level, YesNo
from rainbowdp.questions.measures import CountOf, ShareOf, SumOf
from rainbowdp.questions.question import Json, Question
from rainbowdp.questions.readings import (
    ApprovalReading,
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    Summary,
    SumReading,
    Tally,
    as_texts,
)
from rainbowdp.questions.scores import Scores
from rainbowdp.questions.selection import Form, Ranking, Winner
from rainbowdp.rainbow import quote_color, quote_colors

OWN_ANSWER_FIRST: Final = (Winner, Ranking, Scores, YesNo)
"""Of these, every answer has itself best and all others tied."""

_KNOWN: Final = {made.kind: made for made in (Winner, Ranking, YesNo, Level, Bracket, Scores)}
_MEASURES: Final = frozenset({CountOf, ShareOf, SumOf})
KINDS: Final = tuple(_KNOWN)
"""The kinds of the package's own questions."""
GROUP: Final = "rainbowdp.questions"
"""The group of entry points through which packages add kinds of questions."""
_MOST_SHOWN = 6
_READINGS: Final = (OptionReading, ApprovalReading, MatchReading, SumReading, BracketReading)


def is_known(question: Question) -> bool:
    """Say whether a question is one of the package's own, and neither it nor a part is derived from one.

    Examples
    --------
    >>> class Derived(Winner):
    ...     pass
    >>> is_known(Winner("vote", ("A", "B"))), is_known(Derived("vote", ("A", "B")))
    (True, False)
    """
    return unknown_part(question) is None


def unknown_part(question: Question) -> type | None:
    """Return the class that makes a question a user's own; None if it is one of the package's.

    Examples
    --------
    >>> from fractions import Fraction
    >>> class Many(CountOf):
    ...     pass
    >>> unknown_part(YesNo("smoker", Many("yes"), (Fraction(10),))).__name__
    'Many'
    """
    if type(question) not in _KNOWN.values():
        return type(question)
    measure = type(question.measure) if isinstance(question, Level) else None
    return None if measure is None or measure in _MEASURES else measure


def description_of(question: Question) -> dict[str, Json]:
    """Return everything that defines a question, as receipts and ledgers keep it.

    Parameters
    ----------
    question : Question
        The question.

    Returns
    -------
    dict
        What its ``describe`` returns. The kind of a question that is derived from one of the package's, and
        describes itself as that one, is ``own``, because nothing that is known of the kind need hold for it.

    Examples
    --------
    >>> from rainbowdp.questions import Winner
    >>> class Cautious(Winner):
    ...     pass
    >>> [description_of(kind("vote", ("A", "B")))["kind"] for kind in (Winner, Cautious)]
    ['winner', 'own winner: Cautious']
    """
    said: dict[str, Json] = json.loads(json.dumps(question.describe(), allow_nan=False))
    unknown, kind = unknown_part(question), said.get("kind")
    if unknown is None or not isinstance(kind, str) or kind not in _KNOWN:
        return said
    return {**said, "kind": f"own {kind}: {unknown.__name__}"}


def question_from(description: Mapping[str, Json]) -> Question:
    """Return the question that ``describe`` described.

    Other packages can add kinds: an entry point of the group ``rainbowdp.questions``, named as the kind,
    leads to a function that makes a question of a description.

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
        If the kind is unknown (or its package makes a question that describes itself otherwise), or something
        is missing or of a wrong type.

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
    if not isinstance(kind, str) or kind not in _KNOWN:
        for point in entry_points(group=GROUP, name=str(kind)):
            own: Question = point.load()(description)
            if description_of(own) == description:
                return own
        raise QuestionError(
            f"{kind!r} is not a kind of question that rainbowdp knows",
            help=did_you_mean(str(kind), _KNOWN) or f"kinds are {', '.join(_KNOWN)}",
        )
    return _KNOWN[kind].from_description(description)


def answer_forms(question: Question) -> Mapping[str, Form]:
    """Return in which form each answer of a question leaves.

    Parameters
    ----------
    question : Question
        The question.

    Returns
    -------
    mapping of str to str or tuple of str
        By answer, in the order of the answers.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> dict(answer_forms(ranking("party", ["red", "blue"])))
    {'red>blue': ('red', 'blue'), 'blue>red': ('blue', 'red')}
    """
    stated = {answer: question.answer_json(answer) for answer in question.answers}
    return MappingProxyType(
        {answer: form if isinstance(form, str) else tuple(form) for answer, form in stated.items()}
    )


def text_reading(reading: Reading) -> Reading:
    """Return a reading of a user's own so that it is given each distinct text once; others as they are."""
    return reading if type(reading) in _READINGS else _OfTexts(reading.column, reading)


@dataclass(frozen=True)
class _OfTexts:
    """A reading of a user's own, to which all cells are given together, as texts; see `Reading`."""

    column: str
    reading: Reading

    def place(self, cell: object) -> object:
        """Return what one cell counts as."""
        return self.reading.place(cell)

    def summary(self, tally: Tally) -> Summary:
        """Return the summary of cells, all of which are read before the user's own code sees one."""
        return self.reading.summary(as_texts(tally))


def possible_answers(question: Question) -> str:
    """Return what may come out.

    Examples
    --------
    >>> from rainbowdp.questions import ranking, winner
    >>> possible_answers(winner("vote", ["A", "B"])), possible_answers(ranking("vote", ["A", "B", "C"]))
    ('A, B', 'every order of A, B, C')
    >>> possible_answers(ranking("vote", ["A", "B", "C"], top=2, as_set=True))
    'every set of 2 of A, B, C'
    """
    texts = question.options if isinstance(question, Ranking) else question.answers
    shown = quote_colors(texts[:_MOST_SHOWN]) + (", …" if len(texts) > _MOST_SHOWN else "")
    if not isinstance(question, Ranking):
        return shown
    if question.length == 1:
        return f"each of {shown}"
    if question.as_set:
        return f"every set of {question.length} of {shown}"
    return f"every order of {'' if question.top is None else f'{question.top} of '}{shown}"


def form_text(question: object, answer: Form) -> str:
    """Return an answer as one text: an order with ``>`` between options, a set with commas.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> form_text(ranking("vote", ["A", "B", "C"], top=2, as_set=True), ("A", "C"))
    'A, C'
    """
    if isinstance(answer, str):
        return answer
    between = ", " if isinstance(question, Ranking) and question.as_set else ">"
    return between.join(map(quote_color, answer))


def shown_answer(question: Question, answer: str | Sequence[str]) -> str:
    """Return an answer for people: an order with ``>``, a set with commas.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> shown_answer(ranking("vote", ["A", "B", "C"], top=2, as_set=True), ("A", "C"))
    'A, C'
    """
    return quote_color(answer) if isinstance(answer, str) else form_text(question, tuple(answer))
