# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp keys``: which categories of a column may be named at all."""

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
    receipt_path,
    require_payer,
    require_source,
)
from rainbowdp.cli.lists import read_said, read_where
from rainbowdp.cli.options import (
    LARGEST_WHOLE,
    Debug,
    described,
    format_option,
    read_choice,
    read_privacy,
    require_text,
    whole_number,
)
from rainbowdp.cli.output import emit, emit_json, note, require_signs, visible
from rainbowdp.cli.question_declarations import Unit
from rainbowdp.cli.question_values import read_column
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.release import Keys
    from rainbowdp.tables.source import Progress

FORMATS = ("text", "json")
_PRIVACY = "Privacy (give both)"

Epsilon = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="NUMBER",
        help="How much one person may matter: whether somebody is in the table makes no list more than "
        "e^epsilon times as likely, but for what --delta allows. A decimal, a fraction or a logarithm: 0.5, "
        "1/3, 'ln 2'. Smaller is more private.",
        rich_help_panel=_PRIVACY,
    ),
]
Delta = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="NUMBER",
        help="How likely at most a category is named that one person alone has, such as 1e-6. Smaller is "
        "more private.",
        rich_help_panel=_PRIVACY,
    ),
]

HELP = described(
    "Name the categories of a column that may be named: those that enough people have.",
    "You need not know the categories beforehand; so their names are private, too. A category that nobody "
    "has is never named, one that a single person has with probability delta at most, and one that many "
    "people have always; in between, as often as privacy allows. Each line of the result is one category, in "
    "the order of their text; --format json has the exact texts also where signs act on a terminal.",
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
    asked = read_privacy(epsilon, delta, None)
    most = _max_keys(unit, max_keys)
    wanted, filters = read_column(column), read_where(where)
    require_source(source)
    require_payer(ledger, name, request_id)

    from rainbowdp.keys import key_mechanism
    from rainbowdp.rainbow import quote_color
    from rainbowdp.release.keys_asking import KeyTerms, ask_keys_under

    mechanism = key_mechanism(epsilon, delta, 1 if most is None else most)
    terms = KeyTerms(wanted, mechanism, unit, filters)
    query = None if sql is None else require_text("--sql", sql)
    target = receipt_path(receipt, source, ledger)

    said: list[str] = []

    def announce(remarks: tuple[str, ...]) -> None:
        person = (
            "every row is a person"
            if unit is None
            else f"{unit!r} says whose row it is, and at most {most} of one person's categories count"
        )
        note(f"privacy hides that one person joins or leaves; {person}")
        note(f"a category that {mechanism.certain_from} people have is always named")
        for text in remarks:
            note(text)
        said.extend(remarks)
        note(f"the list costs {asked.typed}")

    def asking(progress: "Progress") -> "Keys":
        return ask_keys_under(
            terms,
            source,
            table=table,
            sql=query,
            encoding=encoding,
            ledger=ledger,
            name=name,
            request_id=request_id,
            progress=progress,
            opened=announce,
        )

    def show(found: "Keys") -> None:
        if chosen == "json":
            emit_json(list(found.keys))
        else:
            require_signs(found.keys)
            emit(visible(quote_color(key)) for key in found.keys)

    def receipt_of(keys: "Keys") -> dict[str, object]:
        return keys.receipt

    return ask_and_publish(
        "list", asking, asked_id=request_id, target=target, receipt=receipt_of, show=show, said=said
    )


def _max_keys(unit: str | None, max_keys: str | None) -> int | None:
    if (unit is None) != (max_keys is None):
        missing, present = ("--max-keys", "--unit") if max_keys is None else ("--unit", "--max-keys")
        raise UsageError(
            f"{present} is given without {missing}",
            help="name the column that says whose row it is, and for how many categories one person counts",
        )
    if unit is None or max_keys is None:
        return None
    read_said("--unit", unit, "name the column that says whose row it is")
    number = whole_number(max_keys)
    if number is None or not 1 <= number <= LARGEST_WHOLE:
        raise UsageError(
            f"--max-keys {max_keys!r} is not a whole number from 1 to 2^53",
            help="give for example --max-keys 3",
            option="--max-keys",
        )
    return number
