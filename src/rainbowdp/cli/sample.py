# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp sample``: draw a mechanism's answer for one dataset, exactly."""

from pathlib import Path
from typing import Annotated

import typer

from rainbowdp.cli.numbers import json_text
from rainbowdp.cli.options import Debug, described, format_option, read_choice
from rainbowdp.cli.output import emit, note
from rainbowdp.cli.progress import steps
from rainbowdp.errors import UsageError

FORMATS = ("text", "json")

HELP = described(
    "Draw the answer of a mechanism for one dataset, at random, with exactly its probabilities.",
    "Random bits come from the operating system. Each draw is a release of its own: drawing twice costs the "
    "privacy of two answers.",
    lines=("rainbowdp sample mechanism.csv --dataset a",),
)


def sample_command(
    *,
    mechanism: Annotated[
        str,
        typer.Argument(metavar="MECHANISM", help="A .csv, .parquet or .json file as solve writes it."),
    ],
    dataset: Annotated[
        str, typer.Option("--dataset", metavar="NAME", help="The dataset to answer for, by its name.")
    ],
    count: Annotated[
        str, typer.Option("--count", metavar="N", help="How many independent draws, at least 1.")
    ] = "1",
    output_format: Annotated[str, format_option(*FORMATS)] = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Draw answers for one dataset; see `HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    wanted = count.strip()
    if not (wanted.isascii() and wanted.isdigit() and 0 < len(wanted) <= 12 and int(wanted) > 0):
        raise UsageError(f"--count {count!r} is not a number of draws", help="give a whole number from 1")

    from rainbowdp.formats import read_mechanism
    from rainbowdp.rainbow import quote_color
    from rainbowdp.sampling import sample

    with steps() as progress:
        progress.step("reading the mechanism")
        made = read_mechanism(Path(mechanism))
        progress.step("drawing")
        drawn = sample(made, dataset, int(wanted))
    if len(drawn) > 1:
        note(f"each draw is a release of its own: together they cost the privacy of {len(drawn)} answers")
    emit([json_text(drawn)] if chosen == "json" else map(quote_color, drawn))
    return 0
