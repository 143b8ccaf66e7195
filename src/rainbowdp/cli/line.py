# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp line``: the optimal probabilities by distance to the boundary, for one rainbow."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.options import AskedPrivacy
from rainbowdp.cli.output import Steps, cell, csv_line, drawing, emit, emit_table, json_text, note, steps
from rainbowdp.cli.params import described, option, unicode_text, whole_numbers
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.line import Line

_BATCH = 16_384
_LARGEST_IN_JSON = 2**53
_EXACT_BATCH = 8
_MANY_DIGITS = 10_000
_LONGEST_TABLE = 100_000

HELP = described(
    "Print the optimal probabilities at each distance from the boundary, for one rainbow.",
    "A dataset at distance 0 has a neighbor that ranks the answers differently; there the probabilities are "
    "given (--boundary). Farther away they follow, and the best answer becomes more and more likely.",
    example="the first one of the paper",
    lines=(
        "rainbowdp line --rainbow 'blue>red>green'",
        "--boundary 'blue=3/55,red=9/55,green=43/55'",
        "--epsilon 'ln(6/5)' --distances 0:31",
    ),
)


RAINBOW = option(
    "--rainbow RAINBOW",
    "The answers (colors), best first: 'blue>red>green'; tied ones with '=': 'blue>red=green'.",
    unicode_text,
    default=...,
)
BOUNDARY = option(
    "--boundary LIST",
    "The probability of each color at distance 0, next to datasets of another rainbow, as decimals or "
    "fractions that sum to 1: 'blue=3/55,red=9/55,green=43/55'. A color with a character such as > or = "
    "stands in double quotes.",
    unicode_text,
    default=...,
)
DISTANCES = option(
    "--distances DISTANCES",
    "Steps to the boundary: a range 0:31 (31 is left out) or 0:31:5, a list 0,5,9, or one 7. By default from "
    "0 to where the best answer has 99 in 100, in at most 50 rows.",
    whole_numbers,
)
_ROWS_BY_DEFAULT = 50
FORMAT = common.format_option("table", "csv", "json")


def line_command(
    *,
    rainbow: str = RAINBOW,
    boundary: str = BOUNDARY,
    distances: Sequence[int] | None = DISTANCES,
    epsilon: str | None = common.EPSILON,
    delta: str | None = common.DELTA,
    mu: str | None = common.MU,
    exact: bool = common.EXACT,
    normalize: bool = common.NORMALIZE,
    output_format: Literal["table", "csv", "json"] = FORMAT,
    plot: Path | None = common.PLOT,
) -> int:
    """Print the optimal probabilities by distance; see `HELP`."""
    asked = common.read_privacy(epsilon, delta, mu, exact=exact)
    if output_format == "table" and len(distances or ()) > _LONGEST_TABLE:
        raise UsageError(
            f"a table of {len(distances or ())} distances is too long to read",
            help="use --format csv or json, which come as they are computed, or a step as in 0:1000000:1000",
        )

    from rainbowdp.distribution import Distribution
    from rainbowdp.line import Line
    from rainbowdp.rainbow import Rainbow, parse_assignments

    ranked = Rainbow.parse(rainbow)
    values = common.rescaled(parse_assignments(boundary), "the boundary", normalize=normalize)
    made = Line(ranked, Distribution(values), asked.notion)
    if distances is None:
        telling = made.telling_distances()
        distances = telling[:: -(-len(telling) // _ROWS_BY_DEFAULT)]
    if exact:
        _note_digits(made, max(distances))
    with steps() as progress:
        if plot is not None:
            from rainbowdp.plots import plot_line

            progress.step("drawing the figure")
            with drawing():
                plot_line(made, distances, plot, title=f"{ranked}   {asked.typed}")
        progress.step("computing the probabilities")
        cells = _cells(made, distances, exact=exact, progress=progress)
        if output_format == "csv":
            emit(_csv_lines(made, cells), before=progress.finish)
        elif output_format == "json":
            emit(_json_lines(made, asked, cells, exact=exact), before=progress.finish)
        else:
            rows = list(cells)
            progress.finish()
            _print_table(made, asked, rows, exact=exact)
    return 0


COMMANDS = {"line": (HELP, line_command)}


def _note_digits(line: "Line", farthest: int) -> None:
    """Say how long the fractions become, before they take their time."""
    odds = getattr(line.privacy, "odds", None)
    if not isinstance(odds, Fraction):
        return
    digits = round(2 * farthest * math.log10(odds.numerator))
    if digits >= _MANY_DIGITS:
        note(f"at distance {farthest} a fraction has up to some {digits:,} digits")


_Cells = Iterator[tuple[str, ...]]


def _cells(line: "Line", distances: Sequence[int], *, exact: bool, progress: Steps) -> _Cells:
    """Yield each distance and its probabilities as text, best color first.

    Ten million distances pass through here, so a batch is handled column by column.
    """
    import numpy as np

    from rainbowdp.exact import format_exact

    ordered = line.rainbow.ordered
    places = [line.rainbow.colors.index(color) for color in ordered]
    done = 0
    size = _EXACT_BATCH if exact else _BATCH
    for start in range(0, len(distances), size):
        batch = distances[start : start + size]
        columns: list[list[str]]
        if exact:
            rows = [line.distribution(distance) for distance in batch]
            columns = [[format_exact(row[color]) for row in rows] for color in ordered]
        else:
            table = line.probabilities(np.array(batch, dtype=np.int64))
            columns = [list(map(repr, table[:, place].tolist())) for place in places]
        yield from zip(map(str, batch), *columns, strict=True)
        done += len(batch)
        progress.advance(done, len(distances))


def _csv_lines(line: "Line", cells: _Cells) -> Iterator[str]:
    yield csv_line(["distance", *line.rainbow.ordered])
    yield from map(",".join, cells)


def _json_lines(line: "Line", asked: AskedPrivacy, cells: _Cells, *, exact: bool) -> Iterator[str]:
    from rainbowdp.exact import show

    head: dict[str, object] = {"rainbow": str(line.rainbow), "privacy": asked.parameters}
    if line.has_thresholds:
        # Beyond 2^53 many readers of JSON round whole numbers.
        head["thresholds"] = [
            each if each is None or each <= _LARGEST_IN_JSON else show(each) for each in line.thresholds
        ]
    yield f'{json_text(head)[:-1]}, "rows": ['
    value = '"%s"' if exact else "%s"
    names = (json_text(color).replace("%", "%%") for color in line.rainbow.ordered)
    members = ", ".join(f"{name}: {value}" for name in names)
    row = f'{{"distance": %s, "probabilities": {{{members}}}}}'
    yield f" {row % next(cells)}"
    yield from map(f",{row}".__mod__, cells)
    yield "]}"


def _print_table(line: "Line", asked: AskedPrivacy, rows: list[tuple[str, ...]], *, exact: bool) -> None:
    emit([f"{line.rainbow}, {asked.typed}", *_threshold_words(line), ""], for_people=True)
    shown = ((distance, *(values if exact else map(_shown, values))) for distance, *values in rows)
    emit_table(("distance", *line.rainbow.ordered), shown)


def _shown(value: str) -> str:
    """Return a rounded probability; one below 1 is not shown as 1."""
    text = cell(float(value))
    return ">0.999999" if text == "1" and float(value) < 1 else text


def _threshold_words(line: "Line") -> Iterator[str]:
    """Say in words up to which distance each prefix of the rainbow keeps growing by the factor e^epsilon."""
    from rainbowdp.exact import show, sign
    from rainbowdp.rainbow import quote_color

    if not line.has_thresholds:
        return
    best: list[str] = []
    here, next_to = line.prefix_masses(0), line.prefix_masses(1)
    for group, threshold, mass, moved in zip(
        line.rainbow.classes[:-1], line.thresholds, here, next_to, strict=False
    ):
        best.extend(map(quote_color, group))
        name = " + ".join(best)
        if sign(moved - mass) == 0:
            # Probability 0 or 1, or epsilon 0: what the first step does not change, no step does.
            yield f"{name}: stays at {show(mass)} at every distance"
        elif threshold is None:
            yield f"{name}: grows at every distance (no threshold)"
        elif threshold == 0:
            yield f"{name}: closes in on 1 from the start (threshold 0)"
        else:
            yield f"{name}: grows up to distance {show(threshold)}, then closes in on 1"
