# SPDX-License-Identifier: Apache-2.0
"""The options of the commands that read a table and publish something: the data, the budget, the receipt."""

import contextlib
import glob
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rainbowdp.cli.completion import choices, files
from rainbowdp.cli.options import require_text
from rainbowdp.cli.output import json_text, note
from rainbowdp.cli.progress import steps
from rainbowdp.cli.signals import load_duckdb
from rainbowdp.errors import RainbowError, UsageError

if TYPE_CHECKING:
    from rainbowdp.release import Answer, Keys

Found = TypeVar("Found", "Answer", "Keys")
RULES = ("default", "max-min", "randomized-response", "uniform")
_DATA, _LEDGER = "Data", "Budget"

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="The table: .csv, .tsv, .parquet or .jsonl (also .gz, .zst), a quoted pattern such as "
        "'part-*.csv', - for standard input, or sqlite:///file, duckdb:///file, "
        "postgresql://user@host/database.",
        autocompletion=files(".csv", ".tsv", ".parquet", ".jsonl", ".gz", ".zst"),
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="NAME=TEXT",
        help="Only rows with exactly this cell count; may be given several times.",
        rich_help_panel=_DATA,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Answer once for each of --groups: the cells of this column.",
        rich_help_panel=_DATA,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option("--groups", metavar="A,B,C", help="The groups; they are public.", rich_help_panel=_DATA),
]
TableName = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="For SQL: the table.", rich_help_panel=_DATA),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--sql", metavar="QUERY", help="For SQL: a query in place of a table.", rich_help_panel=_DATA
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Of text files, such as latin-1; UTF-8 by default.",
        rich_help_panel=_DATA,
    ),
]
Boundary = Annotated[
    str,
    typer.Option(
        "--boundary",
        metavar="|".join(RULES),
        help="What happens at a tie. The default serves the answer that is worst off.",
        autocompletion=choices(*RULES),
        rich_help_panel=_DATA,
    ),
]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="The ledger that keeps the budget: a file, or postgresql://user@host/database.",
        autocompletion=files(),
        rich_help_panel=_LEDGER,
    ),
]
BudgetName = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The budget that pays.", rich_help_panel=_LEDGER),
]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="A name for this request: repeating it returns the stored answer and costs nothing.",
        rich_help_panel=_LEDGER,
    ),
]
ReceiptFile = Annotated[
    str | None,
    typer.Option(
        "--receipt",
        metavar="FILE",
        help="Also write a receipt: what was asked, how privately, and how sure the answer is. It may be "
        "published.",
        autocompletion=files(".json"),
    ),
]


def read_where(given: list[str] | None) -> dict[str, str]:
    """Return the filters, by column.

    Raises
    ------
    UsageError
        If one is no assignment, or a column is named twice.
    """
    from rainbowdp.rainbow import parse_assignments

    filters: dict[str, str] = {}
    for text in given or []:
        for column, value in parse_assignments(require_text("--where", text)).items():
            if column in filters:
                raise UsageError(
                    f"--where names the column {column!r} twice",
                    help="a cell says one thing: give one filter",
                )
            filters[column] = value
    return filters


def receipt_path(receipt: str | None, *inputs: str | None) -> Path | None:
    """Return where the receipt goes, after checking that it can be written and overwrites no input.

    Parameters
    ----------
    receipt : str or None
        As given.
    *inputs : str or None
        Files, patterns and URLs of files that must stay: the table, the ledger.

    Raises
    ------
    FileWriteError
        If it cannot be written.
    UsageError
        If it would replace an input.
    """
    if receipt is None:
        return None
    from rainbowdp.formats.writing import check_writable

    path = Path(receipt)
    check_writable(path)
    for given in inputs:
        if given is not None and any(_is_same_file(path, place) for place in _places(given)):
            raise UsageError(
                f"--receipt would replace {given!r}", help="write the receipt to a file of its own"
            )
    return path


def _places(given: str) -> list[str]:
    """Return the files that a path, a pattern or the URL of a file names."""
    plain = given.removeprefix("sqlite:///").removeprefix("duckdb:///")
    return [plain, *glob.glob(plain, recursive=True)]  # noqa: PTH207 - patterns may be absolute


def _is_same_file(path: Path, place: str) -> bool:
    return "\0" not in place and os.path.realpath(place) == os.path.realpath(path)


@contextlib.contextmanager
def _reading_table() -> Iterator[Callable[[float], None]]:
    """Give what the part of the table that has been read is reported to."""
    with steps() as progress:
        progress.step("reading the table")
        load_duckdb()
        yield lambda share: progress.advance(round(1000 * share), 1000)


def ask_and_publish(
    what: str,
    asking: Callable[[Callable[[float], None]], Found],
    *,
    asked_id: str | None,
    receipt: Path | None,
    show: Callable[[Found], None],
) -> int:
    """Ask a table, say what is to be known about what was found, write its receipt, show it; return 0.

    Parameters
    ----------
    what : str
        What is asked for, in a word.
    asking : callable
        Takes what is told how much of the table has been read, and returns what may be published.
    asked_id : str or None
        The request id that was typed.
    receipt : Path or None
        Where the receipt goes.
    show : callable
        Writes what was found to stdout.

    Raises
    ------
    RainbowError
        As what asks does; and if the receipt or the result cannot be written, with a help that says how it
        can be had again.
    """
    with _reading_table() as progress:
        found = asking(progress)
    for text in found.notes:
        note(text)
    if asked_id is None and found.request_id is not None:
        note(f"request id {found.request_id}: with it the same {what} can be had again at no cost")
    try:
        if receipt is not None:
            from rainbowdp.formats.writing import replacing

            with replacing(receipt) as beside:
                beside.write_text(json_text(found.receipt) + "\n", encoding="utf-8")
        show(found)
    except RainbowError as error:
        again = (
            f"the {what} was drawn and is lost: asking again costs its privacy again"
            if found.request_id is None
            else f"--request-id {shlex.quote(found.request_id)} repeats the {what} at no cost"
        )
        error.help = f"{error.help}; {again}" if error.help else again
        raise
    return 0
