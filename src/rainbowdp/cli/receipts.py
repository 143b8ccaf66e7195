# SPDX-License-Identifier: Apache-2.0
"""Read a receipt from a file, check it, and show what it says and what was found."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rainbowdp.cli.output import counted, emit_json, emit_table, note, possible_answers, shown_answer
from rainbowdp.errors import ReceiptError

if TYPE_CHECKING:
    from rainbowdp.release import KeyTerms, ReceiptCheck, Terms

Receipt = Mapping[str, object]
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
    if not isinstance(content, dict) or not str(content.get("schema", "")).startswith("rainbowdp."):
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
        emit_json(_receipt_json(found, receipt))
    else:
        emit_table(("holds" if found.holds else "BROKEN", ""), _receipt_rows(found, receipt))
        note("a receipt is not signed: it cannot tell whether its terms and answer are those of the draw")
    return 0 if found.holds else 1


def _receipt_json(found: "ReceiptCheck", receipt: Receipt) -> dict[str, object]:
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


def _receipt_rows(found: "ReceiptCheck", receipt: Receipt) -> Iterator[tuple[str, str]]:
    from rainbowdp.release import Terms

    terms = found.receipt.terms
    possible = possible_answers(terms.question) if isinstance(terms, Terms) else None
    yield "question", _question(cast("dict[str, object]", receipt["question"]), possible)
    where = cast("dict[str, str]", receipt["where"])
    if where:
        yield "rows", "only where " + ", ".join(f"{name!r} is {cell!r}" for name, cell in where.items())
    if isinstance(terms, Terms) and terms.groups:
        yield "groups", f"one answer for each of {', '.join(terms.groups)}, as {terms.by!r} says"
    yield "answer", _said(terms, receipt["answer"])
    yield "answered", str(receipt["answered_at"])
    yield (
        "neighbors",
        f"{receipt['neighbors']}; {_person(receipt, 'categories' if possible is None else 'rows')}",
    )
    yield "privacy", _parameters(receipt["privacy"])
    yield "cost", _parameters(receipt["cost"])
    if receipt["rho"] is not None:
        yield "rho (zCDP)", _rho(receipt["rho"])
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


def _question(stated: Mapping[str, object], possible: str | None) -> str:
    """Return what was asked: the kind, the column, what is counted, and what could come out."""
    column = f" of {stated['column']!r}" if "column" in stated else ""
    told = {name.replace("_", " "): value for name, value in stated.items() if _is_told(name, value)}
    said = [f"{name} {_listed(value)}" for name, value in told.items()]
    asked = "; ".join([f"{stated['kind']}{column}", *said])
    return asked if possible is None else f"{asked}: {possible}"


def _is_told(name: str, value: object) -> bool:
    return value is not None and name not in {"kind", "column", "options", "labels", "top", "as_set"}


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# A part that does not follow from the terms can have any form.
def _parameters(stated: object) -> str:
    if not isinstance(stated, dict):
        return json.dumps(stated)
    return ", ".join(f"{name}={value}" for name, value in stated.items())


def _rho(stated: object) -> str:
    match stated:
        case {"value": float(value), "bound": bool(is_bound)}:
            return f"{value:.6g}{', a bound' if is_bound else ''}, of each answer"
        case _:
            return json.dumps(stated)


def _person(receipt: Receipt, what: str) -> str:
    unit = cast("dict[str, object] | None", receipt["unit"])
    if unit is None:
        return "every row is a person"
    return f"{unit['column']!r} says whose row it is, at most {unit['at_most']} {what} of one person"


def _said(terms: "Terms | KeyTerms", answer: object) -> str:
    """Return an answer as `ask` shows it; one that cannot come out as it stands in the receipt."""
    from rainbowdp.release import Terms

    match answer:
        case dict():
            return "; ".join(f"{group}: {_said(terms, one)}" for group, one in answer.items())
        case list() if not isinstance(terms, Terms):
            return f"{len(answer)} categories"
        case str() | list() if isinstance(terms, Terms) and all(isinstance(part, str) for part in answer):
            return shown_answer(terms.question, answer)
        case _:
            return json.dumps(answer)
