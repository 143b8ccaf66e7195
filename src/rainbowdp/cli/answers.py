# SPDX-License-Identifier: Apache-2.0
"""The possible answers of a question, and one of them, as text for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rainbowdp.questions import Question

_MOST_SHOWN = 6


def written(answer: str) -> str:
    """Return an answer, or a name, as lists take it.

    Examples
    --------
    >>> print(written("Ulm"), written("B, C"))
    Ulm "B, C"
    """
    from rainbowdp.rainbow import quote_color

    return quote_color(answer)


def possible_answers(question: "Question") -> str:
    """Return what may come out.

    Examples
    --------
    >>> from rainbowdp.questions import ranking, winner
    >>> possible_answers(winner("vote", ["A", "B"])), possible_answers(ranking("vote", ["A", "B", "C"]))
    ('A, B', 'every order of A, B, C')
    >>> possible_answers(ranking("vote", ["A", "B", "C"], top=2, as_set=True))
    'every set of 2 of A, B, C'
    """
    from rainbowdp.questions import Ranking

    texts = question.options if isinstance(question, Ranking) else question.answers
    shown = ", ".join(map(written, texts[:_MOST_SHOWN])) + (", …" if len(texts) > _MOST_SHOWN else "")
    if not isinstance(question, Ranking):
        return shown
    if question.length == 1:
        return f"each of {shown}"
    if question.as_set:
        return f"every set of {question.length} of {shown}"
    return f"every order of {'' if question.top is None else f'{question.top} of '}{shown}"


def shown_answer(question: "Question", answer: str | Sequence[str]) -> str:
    """Return an answer for people: an order with ``>``, a set with commas.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> shown_answer(ranking("vote", ["A", "B", "C"], top=2, as_set=True), ("A", "C"))
    'A, C'
    """
    from rainbowdp.questions.selection import form_text

    return written(answer) if isinstance(answer, str) else form_text(question, tuple(answer))
