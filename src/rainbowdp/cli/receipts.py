# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify RECEIPT``: check a published answer from its receipt alone."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rainbowdp.cli.notes import counted
from rainbowdp.cli.output import emit_json, emit_table, note
from rainbowdp.errors import ReceiptError

if TYPE_CHECKING:
    from rainbowdp.release import ReceiptCheck

Receipt = Mapping[str, object]
_FAMILY = "rainbowdp."
_MARK = re.compile(rb'"schema"\s*:\s*"rainbowdp\.')
_HEAD = 1024


def read_if_receipt(path: Path) -> Receipt | None:
    """Return the content of a file that is a receipt, also under another name; None for any other file.

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
    # The reader of mechanisms reports a file that cannot be read.
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
    from rainbowdp.release import verify_receipt

    found = verify_receipt(receipt)
    if chosen == "json":
        emit_json(_as_json(found, receipt))
    else:
        emit_table(("holds" if found.holds else "BROKEN", ""), _rows(found, receipt), right=False)
        note("a receipt is not signed: it cannot tell whether its terms and answer are those of the draw")
    return 0 if found.holds else 1


def _as_json(found: "ReceiptCheck", receipt: Receipt) -> dict[str, object]:
    judged = found.judged
    return {
        "holds": found.holds,
        "asked": receipt["privacy"],
        "mechanism": receipt["mechanism"],
        "theorem": receipt["theorem"],
        "judged": {
            "pairs": judged.pairs,
            "people": judged.people,
            "what": judged.what,
            "broken": judged.broken,
        },
        "cost": receipt["cost"],
        "faults": list(found.faults),
        "where": receipt["where"],
        "answer": receipt["answer"],
    }


def _rows(found: "ReceiptCheck", receipt: Receipt) -> Iterator[tuple[str, str]]:
    question = cast("dict[str, object]", receipt["question"])
    column = f" of {question['column']!r}" if "column" in question else ""
    is_keys = question["kind"] == "keys"
    yield "question", f"{question['kind']}{column}"
    where = cast("dict[str, str]", receipt["where"])
    if where:
        yield "rows", "only where " + ", ".join(f"{name!r} is {cell!r}" for name, cell in where.items())
    answer = receipt["answer"]
    yield "answer", f"{len(cast('list[str]', answer))} categories" if is_keys else _said(answer)
    yield "answered", str(receipt["answered_at"])
    yield "neighbors", f"{receipt['neighbors']}; {_person(receipt, 'categories' if is_keys else 'rows')}"
    yield "privacy", _parameters(receipt["privacy"])
    yield "cost", _parameters(receipt["cost"])
    rho = cast("dict[str, object] | None", receipt["rho"])
    if rho is not None:
        yield "rho (zCDP)", f"{rho['value']:.6g}{', a bound' if rho['bound'] else ''}, of each answer"
    goal = "" if receipt["goal"] is None else f", goal {receipt['goal']}"
    yield "mechanism", f"{receipt['mechanism']}{goal}"
    yield "recomputed", "identical" if not found.faults else found.faults[0]
    for fault in found.faults[1:]:
        yield "", fault
    judged = found.judged
    counted_pairs = f"{counted(judged.pairs, 'pair')}: " if judged.pairs else ""
    yield "judged", f"{counted_pairs}{judged.what}"
    if judged.broken is not None:
        yield "broken at", judged.broken
    yield "in all cases", str(receipt["theorem"])


def _parameters(stated: object) -> str:
    return ", ".join(f"{name}={value}" for name, value in cast("dict[str, str]", stated).items())


def _person(receipt: Receipt, what: str) -> str:
    unit = cast("dict[str, object] | None", receipt["unit"])
    if unit is None:
        return "every row is a person"
    return f"{unit['column']!r} says whose row it is, at most {unit['at_most']} {what} of one person"


def _said(answer: object) -> str:
    match answer:
        case dict():
            return "; ".join(f"{group}: {_said(one)}" for group, one in answer.items())
        case list():
            return " > ".join(map(str, answer))
        case _:
            return str(answer)
