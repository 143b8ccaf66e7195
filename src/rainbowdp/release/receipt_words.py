# SPDX-License-Identifier: Apache-2.0
"""Say what a receipt states, and what was found about it, in rows of two texts."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rainbowdp.questions.kinds import possible_answers, question_words, shown_answer
from rainbowdp.release.checking import ReceiptCheck
from rainbowdp.release.key_terms import KeyTerms
from rainbowdp.release.terms import Terms
from rainbowdp.tables.rows import filters_in_words


def receipt_rows(found: ReceiptCheck) -> Iterator[tuple[str, str]]:
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
    possible = possible_answers(terms.question) if isinstance(terms, Terms) else None
    yield "question", question_words(stated["question"], possible)
    if terms.where:
        yield "rows", f"only where {filters_in_words(terms.where)}"
    if isinstance(terms, Terms) and terms.divided is not None:
        yield "groups", f"one answer for each of {'; '.join(terms.group_names)}, by {terms.divided.by}"
    yield "answer", _said(terms, stated["answer"])
    yield "answered", stated["answered_at"]
    person = "every row is a person"
    if terms.unit is not None:
        what = "categories" if possible is None else "rows"
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


def _parameters(stated: object) -> str:
    shown = [f"{name}={value}" for name, value in stated.items()] if isinstance(stated, dict) else []
    return ", ".join(shown) or json.dumps(stated)


def _rho(stated: object) -> str:
    match stated:
        case {"value": float(value), "bound": bool(is_bound)}:
            return f"{value:.6g}{', a bound' if is_bound else ''}, of each answer"
        case _:
            return json.dumps(stated)


def _said(terms: Terms | KeyTerms, answer: object) -> str:
    """Return an answer as `ask` shows it; one that cannot come out as it stands in the receipt."""
    match answer:
        case dict():
            return "; ".join(f"{group}: {_said(terms, one)}" for group, one in answer.items())
        case list() if not isinstance(terms, Terms):
            return f"{len(answer)} categor{'y' if len(answer) == 1 else 'ies'}"
        case str() | list() if isinstance(terms, Terms) and all(isinstance(part, str) for part in answer):
            return shown_answer(terms.question, answer)
        case _:
            return json.dumps(answer)
