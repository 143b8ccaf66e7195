# SPDX-License-Identifier: Apache-2.0
"""Reading a receipt: from any JSON to the terms that it states, or a clear refusal."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from rainbowdp.errors import RainbowError, ReceiptError
from rainbowdp.goals import Goal
from rainbowdp.keys import key_mechanism
from rainbowdp.questions import Neighbors, question_from
from rainbowdp.questions.descriptions import KINDS
from rainbowdp.release.keys_asking import KeyTerms
from rainbowdp.release.receipt import KEYS, SCHEMA
from rainbowdp.release.terms import Terms, privacy_of

WAY_ON = "give a receipt as rainbowdp wrote it, unchanged"
_OWN = (
    "if the question was written by its user, check_question proves it, with its code; else give it unchanged"
)
_FAMILY = "rainbowdp."
_UNIT, _GROUPS = frozenset({"column", "at_most"}), frozenset({"by", "names"})
_BUDGET, _KEYS_QUESTION = frozenset({"name", "request_id"}), frozenset({"kind", "column"})
_STATED = ("question", "neighbors", "unit", "where", "privacy", "groups", "goal", "boundary")
_PARTS = frozenset(
    {
        "schema",
        "rainbowdp",
        *_STATED,
        "mechanism",
        "theorem",
        "cost",
        "rho",
        "answer",
        "answered_at",
        "budget",
    }
)
# What a question, a number or a filter makes of content that was not foreseen.
_UNREADABLE = (ValueError, ArithmeticError, TypeError, AttributeError, LookupError, RecursionError)


@dataclass(frozen=True)
class Receipt:
    """What a receipt says.

    Attributes
    ----------
    terms : Terms or KeyTerms
        What was asked, and how privately.
    content : mapping
        All of it, as it stands there.
    """

    terms: Terms | KeyTerms
    content: Mapping[str, object]


def read_receipt(receipt: Mapping[str, object]) -> Receipt:
    """Read a receipt.

    Parameters
    ----------
    receipt : mapping
        What ``json.loads`` made of it.

    Returns
    -------
    Receipt

    Raises
    ------
    ReceiptError
        If anything is missing or of a wrong type, or the terms cannot be read.
    """
    if not isinstance(receipt, Mapping):
        raise ReceiptError("this is no receipt: it is not a JSON object", help=WAY_ON)
    _require_schema(receipt.get("schema"))
    _require_keys(receipt, _PARTS, "receipt")
    _text(receipt["rainbowdp"], "rainbowdp")
    _check_issue(receipt)
    try:
        terms = _terms(receipt)
    except ReceiptError:
        raise
    except _UNREADABLE as error:
        why = error.what if isinstance(error, RainbowError) else type(error).__name__
        way_on = _OWN if _is_own(receipt["question"]) else WAY_ON
        raise ReceiptError(f"the terms of the receipt cannot be read: {why}", help=way_on) from error
    return Receipt(terms, receipt)


def _require_schema(schema: object) -> None:
    if schema == SCHEMA:
        return
    if schema in ("rainbowdp.receipt/1", "rainbowdp.keys-receipt/1"):
        raise ReceiptError(
            f"a receipt of the schema {schema!r} was written before the first published version",
            help="ask again with this version: receipts are made again from their terms now",
        )
    another = isinstance(schema, str) and schema.startswith(_FAMILY)
    raise ReceiptError(
        f"this is no receipt that this version knows: its schema is {schema!r}, not {SCHEMA!r}",
        help="use the version of rainbowdp that wrote it, or a newer one" if another else WAY_ON,
    )


def _check_issue(receipt: Mapping[str, object]) -> None:
    """Check when the answer was given, and what paid for it."""
    text = _text(receipt["answered_at"], "answered_at")
    moment = None
    with contextlib.suppress(ValueError):
        moment = datetime.fromisoformat(text)
    if moment is None or moment.tzinfo is None or moment.utcoffset() != UTC.utcoffset(None):
        raise ReceiptError("the receipt does not say when, in UTC, the answer was given", help=WAY_ON)
    paid = _optional(receipt, "budget", _BUDGET)
    if paid is not None:
        _text(paid["name"], "name"), _text(paid["request_id"], "request_id")


def _is_own(question: object) -> bool:
    kind = question.get("kind") if isinstance(question, Mapping) else None
    return isinstance(kind, str) and kind not in {*KINDS, KEYS}


def _terms(receipt: Mapping[str, object]) -> Terms | KeyTerms:
    question = _object(receipt["question"], "question")
    person = _optional(receipt, "unit", _UNIT)
    unit = None if person is None else _text(person["column"], "column")
    most = 1 if person is None else _whole(person["at_most"], "at_most")
    where, privacy = _texts(receipt["where"], "where"), _texts(receipt["privacy"], "privacy")
    if unknown := set(privacy) - {"epsilon", "delta", "mu"}:
        raise ReceiptError(f"the privacy has an unknown parameter {min(unknown)!r}", help=WAY_ON)
    if question.get("kind") == KEYS:
        _require_keys(question, _KEYS_QUESTION, "question")
        mechanism = key_mechanism(privacy["epsilon"], privacy["delta"], most)
        return KeyTerms(_text(question["column"], "column"), mechanism, unit, where)
    split = _optional(receipt, "groups", _GROUPS)
    groups = [] if split is None else _list(split["names"], "names")
    rule = receipt["boundary"]
    return Terms(
        question=question_from(question),
        privacy=privacy_of(**privacy),
        neighbors=cast("Neighbors", _text(receipt["neighbors"], "neighbors")),
        unit=unit,
        max_rows=most,
        where=where,
        goal=cast("Goal", _text(receipt["goal"], "goal")),
        rule="default" if rule is None else _text(rule, "boundary"),
        by=None if split is None else _text(split["by"], "by"),
        groups=tuple(_text(name, "names") for name in groups),
    )


def _optional(receipt: Mapping[str, object], key: str, keys: frozenset[str]) -> Mapping[str, object] | None:
    if receipt[key] is None:
        return None
    found = _object(receipt[key], key)
    _require_keys(found, keys, key)
    return found


def _require_keys(found: Mapping[str, object], keys: frozenset[str], what: str) -> None:
    if wrong := keys ^ set(found):
        shown = min(map(str, wrong))
        raise ReceiptError(f"{shown!r} is missing from the {what}, or unknown there", help=WAY_ON)


def _texts(value: object, key: str) -> dict[str, str]:
    return {name: _text(one, name) for name, one in _object(value, key).items()}


def _object(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no object", help=WAY_ON)
    return value


def _list(value: object, key: str) -> list[object]:
    if not isinstance(value, list):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no list", help=WAY_ON)
    return value


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no text", help=WAY_ON)
    return value


def _whole(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no whole number", help=WAY_ON)
    return value
