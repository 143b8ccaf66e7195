# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp keys``: which categories of a column may be named at all."""

import unicodedata
from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli.data_options import (
    BudgetName,
    Encoding,
    LedgerPlace,
    Query,
    ReceiptFile,
    RequestId,
    Source,
    TableName,
    Where,
    ask_and_publish,
    read_where,
    receipt_path,
)
from rainbowdp.cli.options import (
    LARGEST_WHOLE,
    Debug,
    Delta,
    Epsilon,
    described,
    format_option,
    read_choice,
    require_text,
    whole_number,
)
from rainbowdp.cli.output import emit, emit_json, note, require_signs
from rainbowdp.cli.question_options import Unit
from rainbowdp.errors import UsageError, printable

if TYPE_CHECKING:
    from rainbowdp.release import Keys
    from rainbowdp.release.ready import Progress

FORMATS = ("text", "json")

HELP = described(
    "Name the categories of a column that may be named: those that enough people have.",
    "Nobody declares the categories, so their names are private, too. A category that one person has is "
    "named with probability delta at most, one that nobody has never, and one that many have always; in "
    "between, as often as its privacy allows. One category stands on each line, in the order of their text, "
    "with control signs as escapes; --format json has the exact texts.",
    lines=(
        "rainbowdp keys visits.csv --column diagnosis",
        "--unit patient --max-keys 3 --epsilon 1 --delta 1e-6",
    ),
)


def keys_command(
    *,
    source: Source,
    column: Annotated[str, typer.Option("--column", metavar="NAME", help="The column with the categories.")],
    epsilon: Epsilon = None,
    delta: Delta = None,
    unit: Unit = None,
    max_keys: Annotated[
        str | None,
        typer.Option(
            "--max-keys",
            metavar="K",
            help="With --unit: one person counts for at most so many categories, chosen at random; epsilon "
            "and delta are divided by it.",
        ),
    ] = None,
    where: Where = None,
    table: TableName = None,
    sql: Query = None,
    encoding: Encoding = None,
    ledger: LedgerPlace = None,
    name: BudgetName = None,
    request_id: RequestId = None,
    receipt: ReceiptFile = None,
    output_format: Annotated[str, format_option(*FORMATS)] = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Name categories; see `HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    if epsilon is None or delta is None:
        raise UsageError(
            f"{'--epsilon' if epsilon is None else '--delta'} is missing",
            help="give both, for example --epsilon 1 --delta 1e-6: without delta nothing could ever be named",
        )
    most = _max_keys(unit, max_keys)

    from rainbowdp.keys import key_mechanism
    from rainbowdp.rainbow import quote_color
    from rainbowdp.release.keys_asking import ask_keys

    mechanism = key_mechanism(epsilon, delta, 1 if most is None else most)
    target = receipt_path(receipt, source, ledger)
    person = "every row is a person" if unit is None else f"{unit!r} says whose row it is"
    note(f"privacy hides that one person joins or leaves; {person}")
    note(f"a category that {mechanism.certain_from} people have is always named")
    note(f"the list costs epsilon={epsilon.strip()}, delta={delta.strip()}")

    def asking(progress: "Progress") -> "Keys":
        return ask_keys(
            source,
            require_text("--column", column),
            epsilon=epsilon,
            delta=delta,
            unit=unit,
            max_keys=most,
            where=read_where(where),
            table=table,
            sql=sql,
            encoding=encoding,
            ledger=ledger,
            name=name,
            request_id=request_id,
            progress=progress,
        )

    def show(found: "Keys") -> None:
        if chosen == "json":
            emit_json(list(found.keys))
        else:
            require_signs(found.keys)
            emit(_shown(quote_color(key)) for key in found.keys)

    return ask_and_publish("list", asking, asked_id=request_id, receipt=target, show=show)


def _shown(key: str) -> str:
    """Return a category with its signs that act on a terminal, or are not seen, as escapes; blanks stay."""
    if key.isprintable():
        return key
    return "".join(sign if unicodedata.category(sign) == "Zs" else printable(sign) for sign in key)


def _max_keys(unit: str | None, max_keys: str | None) -> int | None:
    if (unit is None) != (max_keys is None):
        missing, present = ("--max-keys", "--unit") if max_keys is None else ("--unit", "--max-keys")
        raise UsageError(
            f"{present} is given without {missing}",
            help="name the column that says whose row it is, and for how many categories one person counts",
        )
    if max_keys is None:
        return None
    number = whole_number(max_keys)
    if number is None or not 1 <= number <= LARGEST_WHOLE:
        raise UsageError(f"--max-keys {max_keys!r} is no number", help="give a whole number of at least 1")
    return number
