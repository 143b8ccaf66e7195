# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify``: check any mechanism over all pairs of neighbors, or an answer from its receipt."""

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from rainbowdp.cli import Signals
from rainbowdp.cli import options as common
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
    steps,
)
from rainbowdp.cli.params import argument, described, option
from rainbowdp.errors import ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.release import ReceiptCheck
    from rainbowdp.verification import Verification

Receipt = Mapping[str, object]
_MARK = re.compile(rb'"schema"\s*:\s*"rainbowdp\.')
_HEAD = 1024

HELP = described(
    "Check whether a mechanism keeps a promise of privacy, over all pairs of neighbors.",
    "The check does not use how the mechanism was made. "
    "Where the promise holds the exit code is 0; where it is "
    "broken the exit code is 1 and the worst pair of neighbors and event are shown. Either way it says how "
    "private the mechanism really is: its tight epsilon (or delta at the epsilon asked for, or mu), between "
    "two bounds.",
    "A receipt of ask or keys is checked from the receipt alone: the mechanism is made again from its terms, "
    "every part is compared, and the mechanism is checked on pairs of neighboring tables.",
    lines=("rainbowdp verify mechanism.csv", "--neighbors figure1-edges.csv --epsilon 'ln 2'"),
)


MECHANISM = argument(
    "MECHANISM|RECEIPT",
    "A .csv, .parquet or .json file as solve writes it: dataset, rainbow, distance, then one column of "
    "probabilities per color. Fractions are judged exactly as written. Or a receipt as ask and keys write "
    "it, which needs no options.",
)
NEIGHBORS = option(
    "--neighbors FILE",
    "CSV or Parquet with the columns source,target; or a whole graph as .graphml or .json.",
)
STRICT = option(
    "--strict", "Judge decimals, too, exactly as written, instead of within the precision of float64."
)


def verify_command(
    *,
    mechanism: str = MECHANISM,
    neighbors: str | None = NEIGHBORS,
    classes: str | None = common.CLASSES,
    epsilon: str | None = common.EPSILON,
    delta: str | None = common.DELTA,
    mu: str | None = common.MU,
    strict: bool = STRICT,
    output_format: Literal["table", "json"] = common.TABLE_OR_JSON,
    engine: Any = common.ENGINE,  # noqa: ANN401 - one of the engines, which the option checks
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


COMMANDS = {"verify": (HELP, verify_command)}


def _require_readable(path: Path) -> None:
    """Refuse a missing or damaged file before the error about the missing --neighbors."""
    from rainbowdp.formats.documents import read_document
    from rainbowdp.formats.files import Form, form_to_read
    from rainbowdp.formats.writing import FORMS

    if form_to_read(path, "a mechanism or a receipt", FORMS) is Form.JSON:
        read_document(path, Form.JSON)


def _found_json(found: "Verification", asked: common.AskedPrivacy) -> dict[str, object]:
    worst = found.witness
    return {
        "holds": found.holds,
        "asked": asked.parameters,
        "tight": {found.notion: json_bounds(found.lower, found.upper)},
        "neighbor_pairs": found.pairs,
        "judged_within": found.judged_within,
        "witness": worst
        and {
            "source": worst.source,
            "target": worst.target,
            "event": list(worst.event),
            "probability": json_exact(worst.probability),
            "limit": json_exact(worst.limit),
            "excess": json_exact(worst.excess),
        },
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
        If the file has the mark of a receipt, and is damaged.
    """
    text = _object_text(path)
    if text is None or not _MARK.search(text):
        return None
    try:
        # Of bytes the parser would guess the encoding.
        content: Any = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(
            f"{str(path)!r} is a damaged receipt: it is not JSON, or has a key twice",
            help="give a receipt as rainbowdp wrote it, unchanged",
        ) from error
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
    """Return a JSON object; refuse one with a key twice, which two readers may read differently."""
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
        from rainbowdp.release.words import receipt_rows

        emit_table(("holds" if found.holds else "BROKEN", ""), receipt_rows(found))
        note("a receipt is not signed: it cannot tell whether its terms and answer are those of the draw")
    return 0 if found.holds else 1


def _receipt_json(found: "ReceiptCheck", receipt: Receipt) -> dict[str, object]:
    judged = {part: getattr(found.judged, part) for part in ("pairs", "people", "what", "broken")}
    stated = {part: receipt[part] for part in ("mechanism", "theorem", "cost", "where", "answer")}
    told = {"holds": found.holds, "asked": receipt["privacy"], "faults": list(found.faults)}
    return {**told, **stated, "judged": judged}
