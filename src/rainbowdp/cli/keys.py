# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp keys``: which categories of a column may be named at all."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.ask import Remarks, publish
from rainbowdp.cli.framework import described, option
from rainbowdp.cli.output import emit, emit_json, note, visible, written
from rainbowdp.cli.questions import Column
from rainbowdp.cli.values import read_where, require_both, whole
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.release import Keys
    from rainbowdp.release.keys_asking import KeyTerms

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


def keys_command(
    *,
    source: common.Source,
    column: Column,
    epsilon: common.Epsilon = None,
    delta: Annotated[
        str | None,
        option(
            "--delta NUMBER",
            "How likely at most a category is named that one person alone has, such as 1e-6.",
            panel="Privacy",
        ),
    ] = None,
    unit: common.Unit = None,
    max_keys: Annotated[
        int | None,
        option(
            "--max-keys K",
            "With --unit: one person counts for at most so many categories, chosen at random; epsilon "
            "and delta are divided by it.",
            whole("3"),
        ),
    ] = None,
    where: common.Where = None,
    table: common.TableName = None,
    sql: common.Query = None,
    encoding: common.Encoding = None,
    ledger: common.LedgerPlace = None,
    name: common.BudgetName = None,
    request_id: common.RequestId = None,
    receipt: common.ReceiptFile = None,
    output_format: Annotated[Literal["text", "json"], common.format_option("text", "json")] = "text",
) -> int:
    """Name categories; see `HELP`."""
    if epsilon is None or delta is None:
        raise UsageError(
            f"{'--epsilon' if epsilon is None else '--delta'} is missing",
            help="give both, for example --epsilon 1 --delta 1e-6: without delta nothing could ever be named",
        )
    asked = common.read_privacy(epsilon, delta, None)
    require_both("--unit", unit, "--max-keys", max_keys, "give both: --unit COLUMN --max-keys K")

    from rainbowdp.keys import key_mechanism
    from rainbowdp.release.keys_asking import KeyTerms, ask_keys_under

    terms = KeyTerms(column, key_mechanism(epsilon, delta, max_keys or 1), unit, read_where(where))
    place: dict[str, Any] = {"table": table, "sql": sql, "encoding": encoding}
    budget: dict[str, Any] = {"ledger": ledger, "name": name, "request_id": request_id}
    return publish(
        "list",
        partial(ask_keys_under, terms, source, **place, **budget),
        partial(_announce, terms, max_keys, asked.typed),
        request_id=request_id,
        target=receipt,
        receipt=lambda keys: keys.receipt,
        show=_show_json if output_format == "json" else _show_text,
    )


def _announce(terms: "KeyTerms", max_keys: int | None, typed: str, remarks: Remarks) -> None:
    """Write what is assumed and what it costs, once the table and the ledger are open, before the draw."""
    person = (
        "every row is a person"
        if terms.unit is None
        else f"{terms.unit!r} says whose row it is, and at most {max_keys} of one person's categories count"
    )
    note(f"privacy hides that one person joins or leaves; {person}")
    note(f"a category that {terms.mechanism.certain_from} people have is always named")
    for text in remarks:
        note(text)
    note(f"the list costs {typed}")


def _show_json(found: "Keys") -> None:
    emit_json(list(found.keys))


def _show_text(found: "Keys") -> None:
    emit(visible(written(key)) for key in found.keys)
