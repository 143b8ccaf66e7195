# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify``: check any mechanism over all pairs of neighbors, or an answer from its receipt."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

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
from rainbowdp.cli.receipts import check_receipt, read_if_receipt
from rainbowdp.errors import ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.verification import Verification, Witness

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
    from rainbowdp.formats.files import Form, form_to_read
    from rainbowdp.formats.mechanism_writing import FORMS

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
