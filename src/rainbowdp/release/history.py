# SPDX-License-Identifier: Apache-2.0
"""Say in words what a ledger keeps as text: what was asked, and what was answered."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from rainbowdp.errors import RainbowError
from rainbowdp.ledger import Cost
from rainbowdp.privacy import privacy_of
from rainbowdp.questions import Question, question_from
from rainbowdp.questions.kinds import possible_answers, question_words, shown_answer
from rainbowdp.rainbow import quote_color
from rainbowdp.tables.filters import filters_in_words, read_filters


def asked_words(asked: str) -> str:
    """Return what was asked in words; a text of another program stays as it is.

    Examples
    --------
    >>> from rainbowdp import PureDP, winner
    >>> from rainbowdp.release import Terms
    >>> from rainbowdp.release.asking import fingerprint
    >>> terms = Terms(winner("vote", ["A", "B"]), PureDP(1), by="region", groups=("Nord", "Sued"))
    >>> asked_words(fingerprint(terms)), asked_words("the winner")
    ("winner of 'vote': A, B (by region)", 'the winner')
    """
    match kept := _read(asked):
        case {"keys": str(column)}:
            words = f"categories of {column!r}"
        case {"question": {"kind": _}}:
            question = _question(kept)
            possible = None if question is None else possible_answers(question)
            words = question_words(kept["question"], possible)
        case _:
            return asked
    beside = ", ".join(_beside(kept))
    return f"{words} ({beside})" if beside else words


def charged_words(cost: Cost, privacy: str) -> str:
    """Return what was charged, and for which privacy where that costs something else by itself.

    Examples
    --------
    >>> from rainbowdp import PureDP
    >>> charged_words(Cost.of(PureDP(2)), "epsilon=2"), charged_words(Cost.of(PureDP(2)), "epsilon=1")
    ('epsilon 2', 'epsilon 2, for epsilon=1')
    """
    asked = cost
    with contextlib.suppress(RainbowError, ValueError, TypeError):
        asked = Cost.of(privacy_of(**dict(part.split("=") for part in privacy.split(", "))))
    return cost.shown() if asked == cost else f"{cost.shown()}, for {privacy}"


def answer_words(asked: str, answer: str) -> str:
    """Return what was answered in words; a text of another program stays as it is.

    Examples
    --------
    >>> answer_words("", '{"Nord":"A","Sued":"B"}'), answer_words("", '["Ulm"]'), answer_words("", "Ann")
    ('Nord: A, Sued: B', 'Ulm', 'Ann')
    """
    question = _question(_read(asked))
    match _read(answer):
        case {"": said}:
            return _said(question, said)
        case dict() as groups if groups:
            return ", ".join(
                f"{quote_color(group)}: {_said(question, said)}" for group, said in groups.items()
            )
        case list() as keys:
            return ", ".join(quote_color(str(key)) for key in keys) or "no category"
        case _:
            return answer


def _read(text: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _question(kept: Any) -> Question | None:  # noqa: ANN401 - as above
    """Return a question of the package's own."""
    with contextlib.suppress(RainbowError, LookupError, TypeError):
        return question_from(kept["question"])
    return None


def _said(question: Question | None, said: Any) -> str:  # noqa: ANN401 - as above
    if question is not None and isinstance(said, str | list) and all(isinstance(part, str) for part in said):
        return shown_answer(question, said)
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _beside(kept: Mapping[str, Any]) -> Iterator[str]:
    """Yield what else was asked, where it is not what is asked by default."""
    if by := kept.get("by"):
        yield f"by {by if isinstance(by, str) else ', '.join(map(str, by))}"
    if where := kept.get("where"):
        with contextlib.suppress(RainbowError):
            yield f"where {filters_in_words(read_filters(where))}"
    if unit := kept.get("unit"):
        yield f"at most {kept.get('max_rows') or kept.get('max_keys')} of each {unit}"
    for part, usual in (("neighbors", "add-remove"), ("goal", "typical"), ("boundary", "default")):
        if kept.get(part, usual) != usual:
            yield str(kept[part])
    if encoding := kept.get("encoding"):
        yield f"read as {encoding}"
