# SPDX-License-Identifier: Apache-2.0
"""Say in words what a receipt states, what a check of it found, and what a ledger keeps as text."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rainbowdp.errors import RainbowError
from rainbowdp.ledger import Cost
from rainbowdp.privacy import privacy_of
from rainbowdp.questions import Question, question_from
from rainbowdp.questions.kinds import possible_answers, shown_answer
from rainbowdp.rainbow import quote_color
from rainbowdp.release.terms import Terms
from rainbowdp.tables.rows import filters_in_words, read_filters

if TYPE_CHECKING:
    from rainbowdp.release.checking import ReceiptCheck

NOT_SIGNED = "a receipt is not signed: it cannot tell whether its terms and answer are those of the draw"
"""What is said beside every check of a receipt."""


def receipt_rows(found: "ReceiptCheck") -> Iterator[tuple[str, str]]:
    """Yield what a receipt states and what was found, each with its name.

    Parameters
    ----------
    found : ReceiptCheck
        From `verify_receipt`; a part that does not follow from the terms can have any form.

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> from rainbowdp.release import ask, verify_receipt
    >>> people = pandas.DataFrame({"party": ["red"] * 90 + ["blue"] * 10})
    >>> receipt = ask(people, winner("party", ["red", "blue"]), epsilon=1).receipt
    >>> dict(receipt_rows(verify_receipt(receipt)))["privacy"]
    'epsilon=1'
    """
    terms, judged = found.receipt.terms, found.judged
    stated: Mapping[str, Any] = found.receipt.content
    question = terms.question if isinstance(terms, Terms) else None
    yield "question", _question_words(stated["question"], question)
    if terms.where:
        yield "rows", f"only where {filters_in_words(terms.where)}"
    if isinstance(terms, Terms) and terms.divided is not None:
        yield "groups", f"one answer for each of {'; '.join(terms.group_names)}, by {terms.divided.by}"
    yield "answer", _receipt_answer(question, stated["answer"])
    yield "answered", stated["answered_at"]
    person = "every row is a person"
    if terms.unit is not None:
        what = "categories" if question is None else "rows"
        most = f"at most {stated['unit']['at_most']} {what} of one person"
        person = f"{terms.unit!r} says whose row it is, {most}"
    yield "neighbors", f"{stated['neighbors']}; {person}"
    yield "privacy", _parameters(stated["privacy"])
    yield "cost", _parameters(stated["cost"])
    if stated["rho"] is not None:
        yield "rho (zCDP)", _rho(stated["rho"])
    goal = f", goal {stated['goal']}" if stated["goal"] else ""
    yield "mechanism", f"{stated['mechanism']}{goal}"
    for fault in found.faults or ("identical",):
        yield "recomputed", fault
    pairs = f"{judged.pairs} pair{'s' * (judged.pairs != 1)}: " if judged.pairs else ""
    yield "judged", f"{pairs}{judged.what}"
    if judged.broken is not None:
        yield "broken at", judged.broken
    yield "in all cases", str(stated["theorem"])


def asked_words(asked: str) -> str:
    """Return in words what a ledger keeps as the question; a text of another program stays as it is.

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
            words = _question_words(kept["question"], _question(kept))
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
    """Return in words what a ledger keeps as the answer; a text of another program stays as it is.

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


def _question_words(stated: Mapping[str, Any], question: Question | None) -> str:
    """Return what was asked: the kind, the column, what is counted, and what could come out."""
    column = f" of {stated['column']!r}" if "column" in stated else ""
    said = [f"{stated['kind']}{column}"]
    for name, value in stated.items():
        if value not in (None, []) and name not in {"kind", "column", "options", "labels", "top", "as_set"}:
            values = ", ".join(map(str, value)) if isinstance(value, list) else value
            said.append(f"{name.replace('_', ' ')} {values}")
    return "; ".join(said) + ("" if question is None else f": {possible_answers(question)}")


def _receipt_answer(question: Question | None, answer: object) -> str:
    """Return an answer as `ask` shows it; of categories, how many there are."""
    match answer:
        case dict():
            return "; ".join(f"{group}: {_receipt_answer(question, one)}" for group, one in answer.items())
        case list() if question is None:
            return f"{len(answer)} categor{'y' if len(answer) == 1 else 'ies'}"
        case _:
            return _said(question, answer)


def _said(question: Question | None, said: object) -> str:
    """Return an answer to a question; one that cannot come out as it stands in its JSON."""
    if question is not None and isinstance(said, str | list) and all(isinstance(part, str) for part in said):
        return shown_answer(question, said)
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _parameters(stated: object) -> str:
    shown = [f"{name}={value}" for name, value in stated.items()] if isinstance(stated, dict) else []
    return ", ".join(shown) or json.dumps(stated)


def _rho(stated: object) -> str:
    match stated:
        case {"value": float(value), "bound": bool(is_bound)}:
            return f"{value:.6g}{', a bound' if is_bound else ''}, of each answer"
        case _:
            return json.dumps(stated)


def _read(text: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _question(kept: Any) -> Question | None:  # noqa: ANN401 - as above
    """Return a question of the package's own."""
    with contextlib.suppress(RainbowError, LookupError, TypeError):
        return question_from(kept["question"])
    return None


def _beside(kept: Mapping[str, Any]) -> Iterator[str]:
    """Yield what else was asked, where it is not what is asked by default."""
    if by := kept.get("by"):
        yield f"by {', '.join(map(str, by if isinstance(by, list) else [by]))}"
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
