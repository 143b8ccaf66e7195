# SPDX-License-Identifier: Apache-2.0
"""Reading a receipt: from JSON that anybody may have written to checked values, or a clear refusal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import RainbowError, ReceiptError
from rainbowdp.questions import Neighbors, question_from
from rainbowdp.questions.descriptions import KINDS
from rainbowdp.release.public_table import LARGEST_TABLE
from rainbowdp.release.receipt import SCHEMA, privacy_json
from rainbowdp.release.terms import Terms, privacy_of

_OWN = (
    "if it is somebody's own question, check_question proves it, with its code; else give a receipt unchanged"
)
_WAY_ON = "give a receipt as rainbowdp wrote it, unchanged"
_FAMILY = "rainbowdp."
_NUMBERS = frozenset({int, float})
_UNIT, _GROUPS = frozenset({"column", "max_rows"}), frozenset({"by", "names"})
_BOUNDARY, _TABLE = frozenset({"rule", "regions"}), frozenset({"order", "regions"})
_REGION = frozenset({"answers", "probabilities"})
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
class Region:
    """What a receipt says about some true answers that share a table.

    Attributes
    ----------
    answers : tuple of str
        The true answers.
    boundary : list or None
        The cells at distance 0 as exact text.
    columns : tuple of float64[distances, 1 or answers of the class]
        By the classes of a true answer's order: the probability of every answer in it, or of each of them.
    """

    answers: tuple[str, ...]
    boundary: list[object] | None
    columns: tuple[npt.NDArray[np.float64], ...]


@dataclass(frozen=True)
class Receipt:
    """What a receipt says.

    Attributes
    ----------
    terms : Terms
        What was asked, and how privately.
    order : text or mapping
        In which order the cells of a row stand.
    regions : tuple of Region
        The boundary and the tables.
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
    order: object
    regions: tuple[Region, ...]
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
        another = isinstance(schema, str) and schema.startswith(_FAMILY)
        raise ReceiptError(
            f"this is no receipt that this version knows: its schema is {schema!r}, not {SCHEMA!r}",
            help="use the version of rainbowdp that wrote it, or a newer one" if another else _WAY_ON,
        )
    _require_keys(receipt, _KEYS, "receipt")
    terms = _readable_terms(receipt)
    table = _object(receipt["table"], "table")
    _require_keys(table, _TABLE, "table")
    return Receipt(
        terms=terms,
        order=table["order"],
        regions=_regions(terms, _object(receipt["boundary"], "boundary"), table),
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
        way_on = _OWN if _is_own(receipt["question"]) else _WAY_ON
        raise ReceiptError(f"the terms of the receipt cannot be read: {why}", help=way_on) from error
    written = {"question": described, "where": dict(terms.where), "privacy": privacy_json(terms)}
    for key, right in written.items():
        if receipt[key] != right:
            raise ReceiptError(f"the {key} of the receipt is not written as rainbowdp does", help=_WAY_ON)
    split = _optional(receipt, "groups", _GROUPS)
    if split is not None and split["names"] != list(terms.groups):
        raise ReceiptError("the groups of the receipt are not written as rainbowdp does", help=_WAY_ON)
    return terms


def _is_own(question: object) -> bool:
    kind = question.get("kind") if isinstance(question, Mapping) else None
    return isinstance(kind, str) and kind not in KINDS


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


def _regions(terms: Terms, *stated: Mapping[str, object]) -> tuple[Region, ...]:
    """Return the regions of the boundary and of the table, which are about the same answers."""
    (names, boundaries), (again, tables) = map(_named, stated)
    if names != again:
        raise ReceiptError("the boundary and the table are not about the same answers", help=_WAY_ON)
    if sorted(name for some in names for name in some) != sorted(terms.question.answers):
        raise ReceiptError("the table does not have every answer once", help=_WAY_ON)
    return tuple(
        Region(
            tuple(some),
            None if boundary is None else _list(boundary, f"boundary of {some[0]!r}"),
            _columns(table, some[0], [len(tied) for tied in terms.question.rainbow(some[0]).classes]),
        )
        for some, boundary, table in zip(names, boundaries, tables, strict=True)
    )


def _named(stated: Mapping[str, object]) -> tuple[list[list[str]], list[object]]:
    """Return the answers of each region, and what is said about them."""
    regions = [_object(region, "region") for region in _list(stated["regions"], "regions")]
    for region in regions:
        _require_keys(region, _REGION, "region")
    names = [[_text(name, "answers") for name in _list(region["answers"], "answers")] for region in regions]
    if not all(names):
        raise ReceiptError("a region has no answer", help=_WAY_ON)
    return names, [region["probabilities"] for region in regions]


def _columns(stated: object, answer: str, sizes: Sequence[int]) -> tuple[npt.NDArray[np.float64], ...]:
    """Return the probabilities by class: one number for all its answers, or one for each, in every row."""
    rows = _list(stated, f"table of {answer!r}")
    if not 1 <= len(rows) <= LARGEST_TABLE:
        raise ReceiptError(f"the table of {answer!r} has {len(rows)} rows", help=_WAY_ON)
    for row in rows:
        cells = _list(row, f"row of {answer!r}")
        if len(cells) != len(sizes):
            raise ReceiptError(f"a row of {answer!r} has {len(cells)} cells, not {len(sizes)}", help=_WAY_ON)
    columns = zip(*cast("list[list[object]]", rows), strict=True)
    return tuple(_column(column, size, answer) for column, size in zip(columns, sizes, strict=True))


def _column(cells: Sequence[object], size: int, answer: str) -> npt.NDArray[np.float64]:
    """Return the cells of one class as rows of numbers: one in each row, or one for each of its answers."""
    several = {len(cell) if isinstance(cell, list) else 1 for cell in cells}
    if any(isinstance(cell, list) and not len(cell) == size > 1 for cell in cells):
        raise ReceiptError(f"a cell of {answer!r} is not one number, nor {size} of them", help=_WAY_ON)
    if len(several) > 1:
        raise ReceiptError(f"the rows of {answer!r} have different forms", help=_WAY_ON)
    numbers = [one for cell in cells for one in (cell if isinstance(cell, list) else [cell])]
    # What is not a number fails the comparison, too, and so does what no float can hold.
    if not all(type(one) in _NUMBERS and 0 <= cast("float", one) <= 1 for one in numbers):
        raise ReceiptError(f"a cell of {answer!r} is no probability", help=_WAY_ON)
    return np.array(numbers, dtype=np.float64).reshape(len(cells), -1)


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
