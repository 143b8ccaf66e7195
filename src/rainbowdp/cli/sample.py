# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp sample``: draw a mechanism's answer for one dataset, exactly."""

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rainbowdp.cli.options import CLASSES, TEXT_OR_JSON
from rainbowdp.cli.output import Steps, emit, json_text, note, steps
from rainbowdp.cli.params import argument, described, option, unicode_text, whole

if TYPE_CHECKING:
    from rainbowdp.distribution import Distribution

_BLOCK = 1 << 16
_PER_JSON_LINE = 1000

HELP = described(
    "Draw the answer of a mechanism for one dataset, at random, with exactly its probabilities.",
    "Random bits come from the operating system. Each draw is a release of its own: drawing twice costs the "
    "privacy of two answers.",
    lines=("rainbowdp sample mechanism.csv --dataset a",),
)


MECHANISM = argument("MECHANISM", "A .csv, .parquet or .json file as solve writes it.")
DATASET = option("--dataset NAME", "The dataset to answer for, by its name.", unicode_text, default=...)
COUNT = option(
    "--count N",
    "How many independent draws, at least 1; they are written as they are drawn.",
    whole,
    default=1,
)


def sample_command(
    *,
    mechanism: str = MECHANISM,
    dataset: str = DATASET,
    classes: str | None = CLASSES,
    count: int = COUNT,
    output_format: Literal["text", "json"] = TEXT_OR_JSON,
) -> int:
    """Draw answers for one dataset; see `HELP`."""
    from rainbowdp.formats import read_mechanism
    from rainbowdp.rainbow import quote_color

    with steps("the mechanism") as progress:
        made = read_mechanism(Path(mechanism), classes=classes)
        distribution = made.distribution(dataset)
        if count > 1:
            note(f"each draw is a release of its own: together they cost the privacy of {count} answers")
        progress.step("drawing")
        drawn = _draws(distribution, count, progress)
        if output_format == "json":
            emit(_json_lines(drawn), before=progress.finish)
        else:
            emit(map(quote_color, drawn), before=progress.finish)
    return 0


COMMANDS = {"sample": (HELP, sample_command)}


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
