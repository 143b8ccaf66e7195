# SPDX-License-Identifier: Apache-2.0
"""Check how a question writes its answers before a row is read, and give cells to a user's own reading.

An answer must not fail after its charge. So how each answer is written is asked of the question beforehand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, kind_of
from rainbowdp.questions import Question, Summary
from rainbowdp.questions.known import is_known
from rainbowdp.questions.readings import (
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
    Tally,
    as_texts,
)
from rainbowdp.questions.selection import Form

_READINGS = (OptionReading, MatchReading, SumReading, BracketReading)


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

    Raises
    ------
    QuestionError
        If an answer is not a text, or ``answer_json`` returns for it anything but a text or a list of texts,
        or what it returns for another one, too.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> dict(answer_forms(ranking("party", ["red", "blue"])))
    {'red>blue': ('red', 'blue'), 'blue>red': ('blue', 'red')}
    """
    answers: tuple[object, ...] = question.answers
    odd = next((answer for answer in answers if not isinstance(answer, str)), "")
    if odd != "":
        raise QuestionError(f"an answer of the question is {kind_of(odd)}", help="name answers by a str each")
    forms = {answer: _form(question, answer) for answer in question.answers}
    # A ranking that names the first options has one form for several orders.
    if not is_known(question) and len(set(forms.values())) < len(forms):
        raise QuestionError(
            "the question writes two of its answers in the same way", help="let answer_json tell them apart"
        )
    return MappingProxyType(forms)


def _form(question: Question, answer: str) -> Form:
    stated: object = question.answer_json(answer)
    if isinstance(stated, str):
        return stated
    if isinstance(stated, list | tuple) and stated and all(isinstance(text, str) for text in stated):
        return tuple(stated)
    raise QuestionError(
        f"the question writes its answer {answer!r} as {described(stated)}",
        help="let answer_json return a text or a list of texts for each of the answers",
    )


def reading_of(question: Question) -> Reading:
    """Return the reading of a question.

    Raises
    ------
    QuestionError
        If it is not a reading.
    """
    reading: object = question.reading
    column, summary = getattr(reading, "column", None), getattr(reading, "summary", None)
    if not isinstance(column, str) or not callable(summary):
        raise QuestionError(
            f"the reading of the question is {described(reading)}",
            help="give an object with a `column`, which is a str, `place` and `summary`",
        )
    return cast("Reading", reading)


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
