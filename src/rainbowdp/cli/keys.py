# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp keys``: read a table, and draw the categories whose names may be published."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli import output
from rainbowdp.cli.ask import publishing
from rainbowdp.cli.output import csv_line, emit, emit_json
from rainbowdp.cli.params import described, filters, whole
from rainbowdp.cli.questions import COLUMN, with_parts

if TYPE_CHECKING:
    from rainbowdp.release import Opening, Payment

HELP = described(
    "Name the categories of a column that may be named: those that enough people have.",
    "You need not know the categories beforehand; so their names are private, too. A category without "
    "people is never named, one that a single person has with probability delta at most, and one that many "
    "people have always; in between, as often as privacy allows. Each line of the result is one category, in "
    "the order of their text; --format json has the exact texts also where characters act on a terminal, and "
    "--format csv has a ' before a category that a spreadsheet would run as a formula.",
    lines=(
        "rainbowdp keys visits.csv --column diagnosis",
        "--unit patient --max-keys 3 --epsilon 1 --delta 1e-6",
    ),
)
DELTA = common.private(
    "--delta NUMBER",
    "How likely at most a category is named that one person alone has, such as 1e-6.",
    default=...,
)
EPSILON = common.private("--epsilon NUMBER", common.EPSILON.help, default=...)
MAX_KEYS = common.people(
    "--max-keys K",
    "With --unit: one person counts for at most so many categories, chosen at random; epsilon and delta are "
    "divided by it.",
    whole,
)
FORMAT = common.format_option("text", "json", "csv")

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - spreadsheets take them, too


def keys_command(
    *,
    source: str = common.SOURCE,
    column: str = COLUMN,
    epsilon: str = EPSILON,
    delta: str = DELTA,
    unit: str | None = common.UNIT,
    max_keys: int | None = MAX_KEYS,
    where: list[str] | None = common.WHERE,
    opening: "Opening",
    payment: "Payment",
    receipt: Path | None = common.RECEIPT,
    output_format: Literal["text", "json", "csv"] = FORMAT,
) -> int:
    """Name categories; see `HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.keys import key_mechanism
    from rainbowdp.rainbow import quote_color
    from rainbowdp.release import KeyTerms

    require_together("give both: --unit COLUMN --max-keys K", unit=unit, max_keys=max_keys)
    terms = KeyTerms(column, key_mechanism(epsilon, delta, max_keys or 1), unit, filters(where))
    with publishing("list", terms, source, opening, payment=payment, receipt=receipt) as found:
        if output_format == "json":
            emit_json(list(found.keys))
        elif output_format == "csv":
            emit(csv_line([_cell(text)]) for text in (column, *found.keys))
        else:
            emit(output.visible(quote_color(key)) for key in found.keys)
    return 0


COMMANDS = {"keys": (HELP, with_parts(keys_command, opening=common.opening, payment=common.payment))}
"""The command of this module by word: the help, and the function."""


def _cell(text: str) -> str:
    """Return a category as a cell that a spreadsheet shows as text: a person may have written it."""
    return output.visible(f"'{text}" if text.startswith(_FORMULA) else text)
