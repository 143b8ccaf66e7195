# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp sample``: draw a mechanism's answer for one dataset, exactly."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli import completion
from rainbowdp.cli.options import (
    LARGEST_WHOLE,
    ClassTable,
    Debug,
    described,
    format_option,
    read_choice,
    require_text,
    whole_number,
)
from rainbowdp.cli.output import emit, json_text, note
from rainbowdp.cli.progress import Steps, steps
from rainbowdp.cli.signals import load_duckdb
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.distribution import Distribution

FORMATS = ("text", "json")
_BLOCK = 1 << 16
_PER_JSON_LINE = 1000

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
        typer.Argument(
            metavar="MECHANISM",
            help="A .csv, .parquet or .json file as solve writes it.",
            autocompletion=completion.files(*completion.MECHANISMS),
        ),
    ],
    dataset: Annotated[
        str, typer.Option("--dataset", metavar="NAME", help="The dataset to answer for, by its name.")
    ],
    classes: ClassTable = None,
    count: Annotated[
        str,
        typer.Option(
            "--count",
            metavar="N",
            help="How many independent draws, at least 1; they are written as they are drawn.",
        ),
    ] = "1",
    output_format: Annotated[str, format_option(*FORMATS)] = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Draw answers for one dataset; see `HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    wanted = whole_number(count)
    if wanted is not None and wanted > LARGEST_WHOLE:
        raise UsageError(f"--count {count!r} is beyond 2^53", help="draw fewer answers at once")
    if not wanted:
        raise UsageError(
            f"--count {count!r} is not a number of draws", help="give a whole number from 1 to 2^53"
        )

    from rainbowdp.formats import read_mechanism
    from rainbowdp.rainbow import quote_color

    with steps() as progress:
        progress.step("reading the mechanism")
        load_duckdb()
        made = read_mechanism(Path(mechanism), classes=classes)
        distribution = made.distribution(require_text("--dataset", dataset))
        if wanted > 1:
            note(f"each draw is a release of its own: together they cost the privacy of {wanted} answers")
        progress.step("drawing")
        drawn = _draws(distribution, wanted, progress)
        if chosen == "json":
            emit(_json_lines(drawn), "json", progress.finish)
        else:
            emit(map(quote_color, drawn), before=progress.finish)
    return 0


def _draws(distribution: "Distribution", count: int, progress: Steps) -> Iterator[str]:
    """Yield answers as they are drawn, a block at a time, so that any number of them fits into memory."""
    from rainbowdp.sampling import sample_distribution

    for done in range(0, count, _BLOCK):
        progress.advance(done, count)
        yield from sample_distribution(distribution, min(_BLOCK, count - done))


def _json_lines(drawn: Iterable[str]) -> Iterator[str]:
    """Yield a JSON list, some of its entries per line; a short list is one line."""
    remaining = iter(drawn)
    line = list(itertools.islice(remaining, _PER_JSON_LINE))
    opening = "["
    while following := list(itertools.islice(remaining, _PER_JSON_LINE)):
        yield f"{opening}{json_text(line)[1:-1]}"
        opening, line = ",", following
    yield f"{opening}{json_text(line)[1:-1]}]"
