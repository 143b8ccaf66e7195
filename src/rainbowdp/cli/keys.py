# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp keys``: from a table to the names of the categories that may be published."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli import output
from rainbowdp.cli.ask import publish
from rainbowdp.cli.output import emit, emit_json, written
from rainbowdp.cli.params import described, filters, whole
from rainbowdp.cli.questions import COLUMN

if TYPE_CHECKING:
    from rainbowdp.release import Keys

HELP = described(
    "Name the categories of a column that may be named: those that enough people have.",
    "You need not know the categories beforehand; so their names are private, too. A category without "
    "people is never named, one that a single person has with probability delta at most, and one that many "
    "people have always; in between, as often as privacy allows. Each line of the result is one category, in "
    "the order of their text; --format json has the exact texts also where characters act on a terminal.",
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


def keys_command(
    *,
    source: str = common.SOURCE,
    column: str = COLUMN,
    epsilon: str = EPSILON,
    delta: str = DELTA,
    unit: str | None = common.UNIT,
    max_keys: int | None = MAX_KEYS,
    where: list[str] | None = common.WHERE,
    table: str | None = common.TABLE,
    sql: str | None = common.SQL,
    encoding: str | None = common.ENCODING,
    describe: Path | None = common.DESCRIBE,
    separator: str | None = common.SEPARATOR,
    missing: Sequence[str] | None = common.MISSING,
    skip_rows: int | None = common.SKIP_ROWS,
    ledger: str | None = common.LEDGER,
    name: str | None = common.NAME,
    request_id: str | None = common.REQUEST_ID,
    receipt: Path | None = common.RECEIPT,
    output_format: Literal["text", "json"] = common.TEXT_OR_JSON,
) -> int:
    """Name categories; see `HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.keys import key_mechanism
    from rainbowdp.release import KeyTerms, Opening, Payment, ask_under

    require_together("give both: --unit COLUMN --max-keys K", unit=unit, max_keys=max_keys)
    terms = KeyTerms(column, key_mechanism(epsilon, delta, max_keys or 1), unit, filters(where))
    payment = Payment(ledger, name, request_id)
    said = common.read_description(describe, separator, missing, skip_rows)
    asking = partial(ask_under, terms, source, Opening(table, sql, encoding, said), payment)
    return publish("list", asking, partial(_show, output_format), (terms, payment), receipt)


COMMANDS = {"keys": (HELP, keys_command)}
"""The command of this module by word: the help, and the function."""


def _show(output_format: str, found: "Keys") -> None:
    if output_format == "json":
        emit_json(list(found.keys))
    else:
        emit(output.visible(written(key)) for key in found.keys)
