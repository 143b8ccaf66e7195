# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify``: check any mechanism over all pairs of neighbors, or an answer from its receipt."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from rainbowdp.cli import options as common
from rainbowdp.cli.framework import NETWORKS, TABLES, argument, described, files, option
from rainbowdp.cli.output import (
    bounds_cell,
    counted,
    emit_json,
    emit_table,
    exact_cell,
    json_bounds,
    json_exact,
    note,
    note_graph,
)
from rainbowdp.cli.progress import Signals, steps
from rainbowdp.errors import ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.release import ReceiptCheck
    from rainbowdp.verification import Verification, Witness

Receipt = Mapping[str, object]
_MARK = re.compile(rb'"schema"\s*:\s*"rainbowdp\.')
_HEAD = 1024

HELP = described(
    "Check whether a mechanism keeps a promise of privacy, over all pairs of neighbors.",
    "It knows nothing of how the mechanism was made. Where the promise holds the exit code is 0; where it is "
    "broken the exit code is 1 and the worst pair of neighbors and event are shown. Either way it says how "
    "private the mechanism really is: its tight epsilon (or delta at the epsilon asked for, or mu), between "
    "two bounds.",
    "A receipt of ask or keys is checked from the receipt alone: the mechanism is made again from its terms, "
    "every part is compared, and the mechanism is checked on pairs of neighboring tables.",
    lines=("rainbowdp verify mechanism.csv", "--neighbors figure1-edges.csv --epsilon 'ln 2'"),
)


def verify_command(
    *,
    mechanism: Annotated[
        str,
        argument(
            "MECHANISM|RECEIPT",
            "A .csv, .parquet or .json file as solve writes it: dataset, rainbow, distance, then one "
            "column of probabilities per color. Fractions are judged exactly as written. Or a receipt as ask "
            "and keys write it, which needs no options.",
            complete=files(*TABLES, ".json"),
        ),
    ],
    neighbors: Annotated[
        str | None,
        option(
            "--neighbors FILE",
            "CSV or Parquet with the columns source,target; or a whole graph as .graphml or .json.",
            complete=files(*TABLES, *NETWORKS),
        ),
    ] = None,
    classes: common.ClassTable = None,
    epsilon: common.Epsilon = None,
    delta: common.Delta = None,
    mu: common.Mu = None,
    strict: Annotated[
        bool,
        option(
            "--strict", "Judge decimals, too, exactly as written, instead of within the precision of float64."
        ),
    ] = False,
    output_format: Annotated[Literal["table", "json"], common.format_option("table", "json")] = "table",
    engine: common.Engine = "auto",
) -> int:
    """Check a mechanism over all pairs of neighbors; see `HELP`."""
    receipt = read_if_receipt(Path(mechanism))
    if receipt is not None:
        if strict or any(option is not None for option in (neighbors, classes, epsilon, delta, mu)):
            raise UsageError(
                f"{mechanism!r} is a receipt, and says itself what it promises", help="give the receipt alone"
            )
        try:
            return check_receipt(receipt, output_format)
        except ReceiptError as error:
            raise error.at(repr(mechanism)) from error
    if neighbors is None:
        _require_readable(Path(mechanism))
        raise UsageError(
            "--neighbors is missing",
            help="give the file with the pairs of neighbors; only a receipt needs none",
        )
    asked = common.read_privacy(epsilon, delta, mu)

    from rainbowdp.formats import read_mechanism, read_neighbors
    from rainbowdp.verification import verify

    with steps() as progress:
        progress.step("reading the mechanism")
        Signals.load_duckdb()
        made = read_mechanism(Path(mechanism), classes=classes)
        progress.step("reading the pairs of neighbors")
        structure = read_neighbors(neighbors, made.labels, made.size, engine=engine, report=progress.step)
        note_graph(structure)
        progress.step("checking every pair of neighbors")
        found = verify(made, structure, asked.notion, strict=strict, progress=progress.advance)
    if found.witness is not None and found.witness.undecided:
        note("4096 bits did not decide the constraint for the pair shown, which counts as a failure")
    if found.why_infinite is not None:
        note(found.why_infinite)
    if output_format == "json":
        emit_json(_found_json(found, asked))
    else:
        _print_table(found, asked)
    return 0 if found.holds else 1


def _require_readable(path: Path) -> None:
    """Refuse a file that is missing or damaged before an option is missed that a mechanism needs."""
    from rainbowdp.formats.documents import read_document
    from rainbowdp.formats.mechanism_writing import FORMS
    from rainbowdp.formats.suffixes import Form, form_to_read

    form = form_to_read(path, "a mechanism or a receipt", FORMS)
    if form is Form.JSON:
        read_document(path, form)


def _found_json(found: "Verification", asked: common.AskedPrivacy) -> dict[str, object]:
    witness = None if found.witness is None else _witness_json(found.witness)
    return {
        "holds": found.holds,
        "asked": asked.parameters,
        "tight": {found.notion: json_bounds(found.lower, found.upper)},
        "neighbor_pairs": found.pairs,
        "judged_within": found.judged_within,
        "witness": witness,
    }


def _witness_json(witness: "Witness") -> dict[str, object]:
    return {
        "source": witness.source,
        "target": witness.target,
        "event": list(witness.event),
        "probability": json_exact(witness.probability),
        "limit": json_exact(witness.limit),
        "excess": json_exact(witness.excess),
    }


def _print_table(found: "Verification", asked: common.AskedPrivacy) -> None:
    rows = [
        ("asked", asked.typed),
        (f"tight {found.notion}", bounds_cell(found.lower, found.upper)),
        ("judged", f"{counted(found.pairs, 'pair')} of neighbors"),
        ("numbers", "within the stated precision (a relative 1e-12)" if found.stated else "as written"),
    ]
    witness = found.witness
    if witness is not None:
        from rainbowdp.rainbow import quote_color

        rows += [
            ("worst pair", f"{witness.source!r} against {witness.target!r}"),
            ("event", " or ".join(map(quote_color, witness.event))),
            ("its probability", exact_cell(witness.probability)),
            ("limit", exact_cell(witness.limit)),
            ("excess", exact_cell(witness.excess)),
        ]
    emit_table(("holds" if found.holds else "BROKEN", ""), rows)


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
