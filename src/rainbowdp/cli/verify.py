# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify``: check any mechanism over all pairs of neighbors, or an answer from its receipt."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.output import emit_as, note, note_graph, steps
from rainbowdp.cli.params import argument, described, option
from rainbowdp.cli.receipt import ReceiptJson, read_if_receipt
from rainbowdp.errors import ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.exact import Exact
    from rainbowdp.release import ReceiptCheck
    from rainbowdp.verification import Verification

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
        if strict or any(given is not None for given in (neighbors, classes, epsilon, delta, mu)):
            raise UsageError(
                f"{mechanism!r} is a receipt, and says itself what it promises", help="give the receipt alone"
            )
        try:
            return _check_receipt(receipt, output_format)
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

    with steps("the mechanism") as progress:
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
    rows = [("asked", asked.typed), *found.rows]
    return _emit(found, _found_json(found, asked), rows, output_format)


COMMANDS = {"verify": (HELP, verify_command)}


def _require_readable(path: Path) -> None:
    """Refuse a missing or damaged file before the error about the missing --neighbors."""
    from rainbowdp.formats.documents import read_document
    from rainbowdp.formats.files import Form, form_to_read
    from rainbowdp.formats.writing import FORMS

    if form_to_read(path, "a mechanism or a receipt", FORMS) is Form.JSON:
        read_document(path, Form.JSON)


def _found_json(found: "Verification", asked: common.AskedPrivacy) -> dict[str, object]:
    from rainbowdp.verification.result import outward

    low, high = map(_json_number, outward(found.lower, found.upper))
    told: dict[str, object] | None = None
    if (worst := found.witness) is not None:
        told = {"source": worst.source, "target": worst.target, "event": list(worst.event)}
        told |= {name: _json_number(getattr(worst, name)) for name in ("probability", "limit", "excess")}
    return {
        "asked": asked.parameters,
        "tight": {found.notion: {"lower": low, "upper": high}},
        "neighbor_pairs": found.pairs,
        "judged_within": found.judged_within,
        "witness": told,
    }


def _json_number(value: "Exact | float | None") -> float | str | None:
    """Return the float closest to a number, infinity as the text ``inf``; None stays None."""
    from rainbowdp.exact import to_float

    if value is None:
        return None
    number = value if isinstance(value, float) else to_float(value, "nearest")
    return "inf" if math.isinf(number) else number


def _check_receipt(receipt: ReceiptJson, output_format: str) -> int:
    """Check a receipt, write what was found, and return the exit code."""
    from rainbowdp.release import verify_receipt
    from rainbowdp.release.words import NOT_SIGNED, receipt_rows

    found = verify_receipt(receipt)
    exit_code = _emit(found, _receipt_json(found, receipt), receipt_rows(found), output_format)
    if output_format != "json":
        note(NOT_SIGNED)
    return exit_code


def _receipt_json(found: "ReceiptCheck", receipt: ReceiptJson) -> dict[str, object]:
    stated = {part: receipt[part] for part in ("mechanism", "theorem", "cost", "where", "answer")}
    judged = {part: getattr(found.judged, part) for part in ("pairs", "people", "what", "broken")}
    return {"asked": receipt["privacy"], "faults": list(found.faults), **stated, "judged": judged}


def _emit(
    found: "Verification | ReceiptCheck",
    told: Mapping[str, object],
    rows: Iterable[tuple[str, str]],
    output_format: str,
) -> int:
    """Write what was found, as JSON or as a table, and return the exit code."""
    verdict = "holds" if found.holds else "BROKEN"
    emit_as(output_format, {"holds": found.holds, **told}, (verdict, ""), rows)
    return 0 if found.holds else 1
