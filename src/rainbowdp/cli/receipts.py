# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify RECEIPT``: check a published answer from its receipt alone."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rainbowdp.cli.graphs import counted
from rainbowdp.cli.numbers import json_number
from rainbowdp.cli.output import emit_json, emit_table
from rainbowdp.errors import ReceiptError

if TYPE_CHECKING:
    from rainbowdp.release import ReceiptCheck

Receipt = Mapping[str, object]
_FAMILY = "rainbowdp."
_MARK = re.compile(rb'"schema"\s*:\s*"rainbowdp\.')
_HEAD = 1024


def read_if_receipt(path: Path) -> Receipt | None:
    """Return the content of a file that is a receipt, whatever its name, and None for any other file.

    Raises
    ------
    ReceiptError
        If the file begins like a receipt, and is damaged.
    """
    text = _object_text(path)
    if text is None:
        return None
    try:
        # Of bytes the parser would guess the encoding.
        content: Any = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        if _MARK.search(text[:_HEAD]):
            raise ReceiptError(
                f"{str(path)!r} is a damaged receipt: it is not JSON, or says one thing twice",
                help="give a receipt as rainbowdp wrote it, unchanged",
            ) from error
        return None
    if not isinstance(content, dict) or not str(content.get("schema", "")).startswith(_FAMILY):
        return None
    return cast("Receipt", content)


def _object_text(path: Path) -> bytes | None:
    """Return the text of a file that begins like an object of JSON."""
    # Whoever reads another file, or one that cannot be read, says what is wrong with it.
    with contextlib.suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
                    file.seek(0)
                    return file.read()
    return None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON that has no key twice: two readers would take it for two things."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def check_receipt(receipt: Receipt, chosen: str) -> int:
    """Check a receipt, write what was found, and return the exit code."""
    from rainbowdp.release.keys_receipt import KEYS_SCHEMA

    check = _check_keys if receipt["schema"] == KEYS_SCHEMA else _check_answer
    return check(receipt, chosen)


def _check_answer(receipt: Receipt, chosen: str) -> int:
    from rainbowdp.release import verify_receipt

    found = verify_receipt(receipt)
    verification = found.verification
    if chosen == "json":
        emit_json(
            {
                "holds": found.holds,
                "asked": receipt["privacy"],
                "tight": {
                    verification.notion: {
                        "lower": json_number(verification.lower),
                        "upper": json_number(verification.upper),
                    }
                },
                "charges": found.receipt.charges,
                "total": dict(found.receipt.total),
                "faults": list(found.faults),
                "where": receipt["where"],
                "answer": receipt["answer"],
            }
        )
    else:
        emit_table(("holds" if found.holds else "BROKEN", ""), _rows(found, receipt), right=False)
    return 0 if found.holds else 1


def _rows(found: "ReceiptCheck", receipt: Receipt) -> Iterator[tuple[str, str]]:
    terms, verification = found.receipt.terms, found.verification
    unit = "every row is a person"
    if terms.unit is not None:
        unit = f"{terms.unit!r} says whose row it is, at most {counted(terms.max_rows, 'row')} of one person"
    yield "question", f"{terms.question.kind} of {terms.question.column!r}"
    yield from _filters(receipt)
    yield "answer", _said(receipt["answer"])
    yield "neighbors", f"{terms.neighbors}; {unit}"
    yield "privacy", str(terms.privacy)
    if found.receipt.charges > 1:
        total = ", ".join(f"{name}={value}" for name, value in found.receipt.total.items())
        yield f"all {len(terms.groups)} groups", total
    yield "tight " + verification.notion, f"{verification.lower:.12g}"
    yield "judged", f"{counted(found.pairs, 'pair')} of neighboring rows of its table"
    yield "boundary and table", "as the terms demand" if not found.faults else found.faults[0]
    for fault in found.faults[1:]:
        yield "", fault


def _check_keys(receipt: Receipt, chosen: str) -> int:
    from rainbowdp.release.keys_receipt import keys_receipt_faults

    faults = keys_receipt_faults(receipt)
    keys = cast("list[str]", receipt["keys"])
    if chosen == "json":
        emit_json(
            {
                "holds": not faults,
                "asked": receipt["privacy"],
                "unit": receipt["unit"],
                "where": receipt["where"],
                "faults": faults,
                "keys": len(keys),
            }
        )
    else:
        privacy = cast("dict[str, str]", receipt["privacy"])
        rows = [
            ("keys", f"{len(keys)} named, of {receipt['column']!r}"),
            *_filters(receipt),
            ("neighbors", f"{receipt['neighbors']}; {_person(receipt)}"),
            ("privacy", ", ".join(f"{name}={value}" for name, value in privacy.items())),
            ("table", "the optimal one for this privacy" if not faults else faults[0]),
            *(("", fault) for fault in faults[1:]),
        ]
        emit_table(("BROKEN" if faults else "holds", ""), rows, right=False)
    return 1 if faults else 0


def _filters(receipt: Receipt) -> Iterator[tuple[str, str]]:
    where = cast("dict[str, str]", receipt["where"])
    if where:
        yield "rows", "only where " + ", ".join(f"{column!r} is {cell!r}" for column, cell in where.items())


def _person(receipt: Receipt) -> str:
    unit = cast("dict[str, object] | None", receipt["unit"])
    if unit is None:
        return "every row is a person"
    most = unit["max_keys"]
    each = f"{most} {'category' if most == 1 else 'categories'}"
    return f"{unit['column']!r} says whose row it is, at most {each} of one person"


def _said(answer: object) -> str:
    match answer:
        case dict():
            return "; ".join(f"{group}: {_said(one)}" for group, one in answer.items())
        case list():
            return " > ".join(map(str, answer))
        case _:
            return str(answer)
