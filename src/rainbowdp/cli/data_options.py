# SPDX-License-Identifier: Apache-2.0
"""The options of the commands that read a table and publish something: the data, the budget, the receipt."""

import contextlib
import glob
import os
import re
import shlex
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rainbowdp.cli.completion import files
from rainbowdp.cli.lists import read_said
from rainbowdp.cli.output import json_text, note
from rainbowdp.cli.progress import steps
from rainbowdp.cli.receipts import read_if_receipt
from rainbowdp.cli.signals import load_duckdb
from rainbowdp.errors import RainbowError, ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.release import Answer, Keys

Found = TypeVar("Found", "Answer", "Keys")
# What SQLite and DuckDB add to the name of a file for those that they keep beside it.
_BESIDE = ("-journal", "-wal", "-shm", ".wal")
# Where the system has such a name, it leads to the file that was sent there.
_STANDARD_INPUT = "/dev/stdin"
_RECEIPT = re.compile(r"rainbowdp\.(keys-)?receipt/[0-9]+")
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
        metavar="COLUMN=VALUE",
        help="Count only rows in which the column says exactly this, such as city=Bonn; if given several "
        "times, all must hold.",
        rich_help_panel=_DATA,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Answer once for each of --groups; this column says to which one a row belongs.",
        rich_help_panel=_DATA,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="LIST",
        help="The groups, as the column --by says them, separated by commas. They are public, never read "
        "from the data.",
        rich_help_panel=_DATA,
    ),
]
TableName = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="In a database: the table.", rich_help_panel=_DATA),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--sql",
        metavar="QUERY",
        help="In a database: a query whose rows are the table.",
        rich_help_panel=_DATA,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="How a text file is encoded, such as latin-1, cp1252 or utf-16; UTF-8 if left out.",
        rich_help_panel=_DATA,
    ),
]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="The file that keeps the budget, made by rainbowdp budget create, or "
        "postgresql://user@host/database. Without it nobody adds up what answers cost.",
        autocompletion=files(),
        rich_help_panel=_LEDGER,
    ),
]
BudgetName = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The budget in it that pays.", rich_help_panel=_LEDGER),
]
RequestId = Annotated[
    str | None,
    typer.Option(
        "--request-id",
        metavar="ID",
        help="A name of your own for this request: repeated under it, it returns the stored answer and costs "
        "nothing.",
        rich_help_panel=_LEDGER,
    ),
]
ReceiptFile = Annotated[
    str | None,
    typer.Option(
        "--receipt",
        metavar="FILE",
        help="Also write a receipt: what was asked, how privately, by which mechanism, and the answer. It "
        "may be published, and rainbowdp verify checks it.",
        autocompletion=files(".json"),
    ),
]


def require_source(source: str) -> None:
    """Refuse a table without a name.

    Raises
    ------
    UsageError
        If it is empty.
    """
    if not source.strip():
        raise UsageError(
            f"the table {source!r} has no name",
            help="name a file, a pattern of files in quotes, - for standard input, or a database",
        )


def require_payer(ledger: str | None, name: str | None, request_id: str | None) -> None:
    """Refuse a ledger without the name of a budget, and a budget or request id without a ledger.

    Raises
    ------
    UsageError
        With the option that is missing.
    """
    if ledger is None and (name is not None or request_id is not None):
        given = "--name" if name is not None else "--request-id"
        raise UsageError(
            f"{given} is given without --ledger", help="give the file that keeps the budget: --ledger FILE"
        )
    if ledger is not None and name is None:
        raise UsageError("--ledger is given without --name", help="name the budget that pays: --name NAME")


def receipt_path(receipt: str | None, *inputs: str | None) -> Path | None:
    """Return where the receipt goes, after checking that it can be written and overwrites no input.

    Parameters
    ----------
    receipt : str or None
        As given.
    *inputs : str or None
        Files, patterns and URLs of files that must stay: the table, the ledger, the list of options.

    Raises
    ------
    FileWriteError
        If it cannot be written.
    UsageError
        If it has no name, or would replace an input, or anything else than a receipt.
    """
    if receipt is None:
        return None
    from rainbowdp.formats.writing import check_writable

    name_a_file = "name the file for the receipt, such as receipt.json"
    path = Path(read_said("--receipt", receipt, name_a_file))
    if receipt == "-" or receipt.endswith("/"):
        raise UsageError(f"--receipt {receipt!r} names no file", help=name_a_file)
    check_writable(path)
    require_other_files(receipt, *inputs)
    # Whatever else is there is not ours to replace.
    if path.is_file() and path.stat().st_size and not _is_receipt(path):
        raise UsageError(
            f"--receipt would replace {receipt!r}, which is no receipt",
            help="write the receipt to a new file",
        )
    return path


def _is_receipt(path: Path) -> bool:
    """Tell whether a file is one whole receipt of an answer or of keys, as they are always written."""
    with contextlib.suppress(ReceiptError):
        return bool(_RECEIPT.fullmatch(str((read_if_receipt(path) or {}).get("schema"))))
    return False


def require_other_files(receipt: str | None, *inputs: str | None) -> None:
    """Refuse a receipt that would replace an input; see `receipt_path`.

    Raises
    ------
    UsageError
        If it would.
    """
    for given in inputs:
        if receipt and given and any(_is_same_file(Path(receipt), place) for place in _places(given)):
            raise UsageError(
                f"--receipt would replace {given!r}", help="write the receipt to a file of its own"
            )


def require_declared(options: str | None, source: str | None) -> None:
    """Refuse the table itself as the list of options: its rows would be shown as what was declared.

    Raises
    ------
    UsageError
        If it is.
    """
    if options and source and any(_is_same_file(Path(options), place) for place in _places(source)):
        raise UsageError(
            f"--options-file names the table itself, {options!r}",
            help="declare all that may be answered in a file of its own; it is never read from the table",
        )


def _places(given: str) -> list[str]:
    """Return the files that a path, a pattern or the URL of a file names."""
    from rainbowdp.tables.sql import file_of

    plain = _STANDARD_INPUT if given == "-" else given.removeprefix("sqlite:///").removeprefix("duckdb:///")
    files = [plain, str(file_of(given) or plain)]
    # Databases keep files of these names beside their own, and remove them.
    own = [f"{os.path.realpath(file)}{what}" for file in files for what in _BESIDE if "\0" not in file]
    return [*files, *own, *glob.glob(plain, recursive=True)]  # noqa: PTH207 - patterns may be absolute


def _is_same_file(path: Path, place: str) -> bool:
    if "\0" in f"{path}{place}":
        return False
    # Two names of one file need not be links.
    with contextlib.suppress(OSError):
        return path.samefile(place)
    return os.path.realpath(place) == os.path.realpath(path)


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
    target: Path | None,
    receipt: Callable[[Found], object],
    show: Callable[[Found], None],
    said: Collection[str],
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
    target : Path or None
        Where the receipt goes.
    receipt : callable
        Makes the receipt of what was found; it must not fail.
    show : callable
        Writes what was found to stdout.
    said : collection of str
        Which notes have been shown when all of the table has been read.

    Raises
    ------
    RainbowError
        As what asks does; and if the receipt or the result cannot be written, with a help that says how it
        can be had again.
    """
    with _reading_table() as progress:
        found = asking(progress)
    for text in found.notes:
        if text not in said:
            note(text)
    if asked_id is None and found.request_id is not None:
        note(f"request id {found.request_id}: with it the same {what} can be had again at no cost")
    try:
        if target is not None:
            from rainbowdp.formats.writing import replacing

            with replacing(target) as beside:
                beside.write_text(json_text(receipt(found)) + "\n", encoding="utf-8")
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
