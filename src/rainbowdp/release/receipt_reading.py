# SPDX-License-Identifier: Apache-2.0
"""Reading a receipt: from JSON that anybody may have written to checked values, or a clear refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import RainbowError, ReceiptError
from rainbowdp.questions import Neighbors, question_from
from rainbowdp.release.receipt import LARGEST_TABLE, SCHEMA
from rainbowdp.release.terms import Terms, privacy_of

_WAY_ON = "give a receipt as rainbowdp wrote it, unchanged"
_NUMBERS = frozenset({int, float})
_UNIT, _GROUPS = frozenset({"column", "max_rows"}), frozenset({"by", "names"})
_BOUNDARY, _TABLE = frozenset({"rule", "distributions"}), frozenset({"answers", "probabilities"})
_KEYS = frozenset(
    [
        "schema",
        "rainbowdp",
        "question",
        "neighbors",
        "unit",
        "where",
        "privacy",
        "groups",
        "charges",
        "total",
        "boundary",
        "table",
        "answer",
    ]
)


@dataclass(frozen=True)
class Receipt:
    """What a receipt says.

    Attributes
    ----------
    terms : Terms
        What was asked, and how privately.
    boundary : mapping of str to mapping or None
        The distributions by true answer, as text; None where they are irrational.
    table : mapping of str to float64[distances, answers]
        The probabilities by true answer, in the order of the question's answers.
    answers : mapping of str to str or list of str
        The answer by group; without groups the only key is the empty text.
    charges : int
        By how many steps between neighbors one person moves all groups together.
    total : mapping of str to str
        What all answers cost together, as exact text.
    version : str
        The version of rainbowdp that wrote it.
    """

    terms: Terms
    boundary: Mapping[str, Mapping[str, str] | None]
    table: Mapping[str, npt.NDArray[np.float64]]
    answers: Mapping[str, object]
    charges: int
    total: Mapping[str, str]
    version: str


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
        If anything is missing, of a wrong type, or contradicts the rest.
    """
    if not isinstance(receipt, Mapping):
        raise ReceiptError("this is no receipt: it is not a JSON object", help=_WAY_ON)
    schema = receipt.get("schema")
    if schema != SCHEMA:
        raise ReceiptError(
            f"this is no receipt that this version knows: its schema is {schema!r}, not {SCHEMA!r}",
            help=_WAY_ON,
        )
    _require_keys(receipt, _KEYS, "receipt")
    terms = _readable_terms(receipt)
    answers = terms.question.answers
    return Receipt(
        terms=terms,
        boundary=_boundary(receipt, answers),
        table=_table(receipt, answers),
        answers=_answers(receipt["answer"], grouped=bool(terms.groups)),
        charges=_whole(receipt["charges"], "charges"),
        total=_texts(receipt["total"], "total"),
        version=_text(receipt["rainbowdp"], "rainbowdp"),
    )


def _readable_terms(receipt: Mapping[str, object]) -> Terms:
    try:
        terms = _terms(receipt)
        described = terms.question.describe()
    except ReceiptError:
        raise
    except (ValueError, ArithmeticError, TypeError, AttributeError, LookupError, RecursionError) as error:
        # Whatever a question, a number or a filter makes of content that nobody foresaw.
        why = error.what if isinstance(error, RainbowError) else type(error).__name__
        raise ReceiptError(f"the terms of the receipt cannot be read: {why}", help=_WAY_ON) from error
    if described != receipt["question"]:
        raise ReceiptError("the question of the receipt is not written as rainbowdp does", help=_WAY_ON)
    return terms


def _terms(receipt: Mapping[str, object]) -> Terms:
    person, split = _optional(receipt, "unit", _UNIT), _optional(receipt, "groups", _GROUPS)
    boundary = _object(receipt["boundary"], "boundary")
    _require_keys(boundary, _BOUNDARY, "boundary")
    parameters = _texts(receipt["privacy"], "privacy")
    if unknown := set(parameters) - {"epsilon", "delta", "mu"}:
        raise ReceiptError(f"the privacy has an unknown parameter {min(unknown)!r}", help=_WAY_ON)
    groups = [] if split is None else _list(split["names"], "names")
    return Terms(
        question=question_from(_object(receipt["question"], "question")),
        privacy=privacy_of(**parameters),
        neighbors=cast("Neighbors", _text(receipt["neighbors"], "neighbors")),
        unit=None if person is None else _text(person["column"], "column"),
        max_rows=1 if person is None else _whole(person["max_rows"], "max_rows"),
        where=_texts(receipt["where"], "where"),
        rule=_text(boundary["rule"], "rule"),
        by=None if split is None else _text(split["by"], "by"),
        groups=tuple(_text(name, "names") for name in groups),
    )


def _boundary(receipt: Mapping[str, object], answers: tuple[str, ...]) -> dict[str, Mapping[str, str] | None]:
    stated = _object(_object(receipt["boundary"], "boundary")["distributions"], "distributions")
    if set(stated) != set(answers):
        raise ReceiptError("the boundary does not have one distribution per answer", help=_WAY_ON)
    read: dict[str, Mapping[str, str] | None] = {}
    for answer, distribution in stated.items():
        if distribution is None:
            read[answer] = None
            continue
        values = _texts(distribution, f"distribution of {answer!r}")
        _require_keys(values, frozenset(answers), f"distribution of {answer!r}")
        read[answer] = values
    return read


def _table(receipt: Mapping[str, object], answers: tuple[str, ...]) -> dict[str, npt.NDArray[np.float64]]:
    table = _object(receipt["table"], "table")
    _require_keys(table, _TABLE, "table")
    if _list(table["answers"], "answers") != list(answers):
        raise ReceiptError("the columns of the table are not the answers in their order", help=_WAY_ON)
    stated = _object(table["probabilities"], "probabilities")
    if set(stated) != set(answers):
        raise ReceiptError("the table does not have rows for every answer", help=_WAY_ON)
    return {answer: _rows(stated[answer], answer, len(answers)) for answer in answers}


def _rows(stated: object, answer: str, width: int) -> npt.NDArray[np.float64]:
    rows = _list(stated, f"table of {answer!r}")
    if not 1 <= len(rows) <= LARGEST_TABLE:
        raise ReceiptError(f"the table of {answer!r} has {len(rows)} rows", help=_WAY_ON)
    for row in rows:
        cells = _list(row, f"row of {answer!r}")
        # What is not a number fails the comparison, too, and so does what no float can hold.
        numbers = all(type(cell) in _NUMBERS and 0 <= cast("float", cell) <= 1 for cell in cells)
        if len(cells) != width or not numbers:
            raise ReceiptError(f"a row of {answer!r} is not {width} probabilities", help=_WAY_ON)
    return np.array(rows, dtype=np.float64)


def _answers(value: object, *, grouped: bool) -> dict[str, object]:
    if not grouped:
        return {"": _answer(value)}
    return {group: _answer(one) for group, one in _object(value, "answer").items()}


def _answer(value: object) -> object:
    if isinstance(value, list):
        return [_text(part, "answer") for part in value]
    return _text(value, "answer")


def _optional(receipt: Mapping[str, object], key: str, keys: frozenset[str]) -> Mapping[str, object] | None:
    if receipt[key] is None:
        return None
    found = _object(receipt[key], key)
    _require_keys(found, keys, key)
    return found


def _require_keys(found: Mapping[str, object], keys: frozenset[str], what: str) -> None:
    if wrong := keys ^ set(found):
        raise ReceiptError(f"{min(wrong)!r} is missing from the {what}, or unknown there", help=_WAY_ON)


def _texts(value: object, key: str) -> dict[str, str]:
    return {name: _text(one, name) for name, one in _object(value, key).items()}


def _object(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no object", help=_WAY_ON)
    return value


def _list(value: object, key: str) -> list[object]:
    if not isinstance(value, list):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no list", help=_WAY_ON)
    return value


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no text", help=_WAY_ON)
    return value


def _whole(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ReceiptError(f"{key!r} is missing from the receipt, or is no whole number", help=_WAY_ON)
    return value
