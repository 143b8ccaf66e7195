# SPDX-License-Identifier: Apache-2.0
"""Say questions and answers in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from rainbowdp.questions.question import Question
from rainbowdp.questions.selection import Ranking, form_text
from rainbowdp.rainbow import quote_color

_MOST_SHOWN = 6


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
    shown = ", ".join(map(quote_color, texts[:_MOST_SHOWN])) + (", …" if len(texts) > _MOST_SHOWN else "")
    if not isinstance(question, Ranking):
        return shown
    if question.length == 1:
        return f"each of {shown}"
    if question.as_set:
        return f"every set of {question.length} of {shown}"
    return f"every order of {'' if question.top is None else f'{question.top} of '}{shown}"


def shown_answer(question: Question, answer: str | Sequence[str]) -> str:
    """Return an answer for people: an order with ``>``, a set with commas.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> shown_answer(ranking("vote", ["A", "B", "C"], top=2, as_set=True), ("A", "C"))
    'A, C'
    """
    return quote_color(answer) if isinstance(answer, str) else form_text(question, tuple(answer))


def question_words(stated: Mapping[str, Any], possible: str | None) -> str:
    """Return what was asked: the kind, the column, what is counted, and what could come out."""
    column = f" of {stated['column']!r}" if "column" in stated else ""
    said = [f"{stated['kind']}{column}"]
    for name, value in stated.items():
        if value is not None and name not in {"kind", "column", "options", "labels", "top", "as_set"}:
            values = ", ".join(map(str, value)) if isinstance(value, list) else value
            said.append(f"{name.replace('_', ' ')} {values}")
    return "; ".join(said) + (f": {possible}" if possible else "")
