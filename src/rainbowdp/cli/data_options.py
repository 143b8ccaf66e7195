# SPDX-License-Identifier: Apache-2.0
"""The options of the commands that read a table and publish something, and how these commands proceed."""

import contextlib
import glob
import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from rainbowdp.cli.completion import files
from rainbowdp.cli.framework import argument, option
from rainbowdp.cli.lists import names
from rainbowdp.cli.output import json_text, note
from rainbowdp.cli.progress import steps
from rainbowdp.cli.receipts import read_if_receipt
from rainbowdp.cli.signals import load_duckdb
from rainbowdp.cli.values import require, require_both, text_with, unicode_text
from rainbowdp.errors import RainbowError, ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.release import Answer, Keys

Found = TypeVar("Found", "Answer", "Keys")
Remarks = tuple[str, ...]
# What SQLite and DuckDB add to the name of a file for those that they keep beside it.
_BESIDE = ("-journal", "-wal", "-shm", ".wal")
# Where the system has such a name, it leads to the file that was sent there.
_STANDARD_INPUT = "/dev/stdin"
_RECEIPT = re.compile(r"rainbowdp\.(keys-)?receipt/[0-9]+")
_NAME_A_RECEIPT = "name the file for the receipt, such as receipt.json"
_DATA, _LEDGER = "Data", "Budget"


def _source(_: str, text: str) -> str:
    if not text.strip():
        raise UsageError(
            f"the table {text!r} has no name",
            help="name a file, a pattern of files in quotes, - for standard input, or a database",
        )
    return text


def _receipt(option: str, text: str) -> str:
    """Read the place of a receipt, and check that a file can be written there."""
    from rainbowdp.formats.writing import check_writable

    receipt = text_with(_NAME_A_RECEIPT)(option, text)
    if receipt == "-" or receipt.endswith("/"):
        raise UsageError(f"{option} {receipt!r} names no file", help=_NAME_A_RECEIPT)
    check_writable(Path(receipt))
    return receipt


Source = Annotated[
    str,
    argument(
        "SOURCE",
        "The table: .csv, .tsv, .parquet or .jsonl (also .gz, .zst), a quoted pattern such as "
        "'part-*.csv', - for standard input, or sqlite:///file, duckdb:///file, "
        "postgresql://user@host/database.",
        _source,
        complete=files(".csv", ".tsv", ".parquet", ".jsonl", ".gz", ".zst"),
    ),
]
Where = Annotated[
    list[str] | None,
    option(
        "--where COLUMN=VALUE",
        "Count only rows in which the column says exactly this, such as city=Bonn; if given several "
        "times, all must hold.",
        panel=_DATA,
    ),
]
By = Annotated[
    str | None,
    option(
        "--by COLUMN",
        "Answer once for each of --groups; this column says to which one a row belongs.",
        text_with("name the column that says to which group a row belongs"),
        panel=_DATA,
    ),
]
Groups = Annotated[
    Sequence[str] | None,
    option(
        "--groups LIST",
        "The groups, as the column --by says them, separated by commas. They are public, never read "
        "from the data.",
        names("Bonn,Ulm"),
        panel=_DATA,
    ),
]
TableName = Annotated[
    str | None,
    option("--table NAME", "In a database: the table.", panel=_DATA),
]
Query = Annotated[
    str | None,
    option("--sql QUERY", "In a database: a query whose rows are the table.", unicode_text, panel=_DATA),
]
Encoding = Annotated[
    str | None,
    option(
        "--encoding NAME",
        "How a text file is encoded, such as latin-1, cp1252 or utf-16; UTF-8 if left out.",
        panel=_DATA,
    ),
]
LedgerPlace = Annotated[
    str | None,
    option(
        "--ledger FILE",
        "The file that keeps the budget, made by rainbowdp budget create, or "
        "postgresql://user@host/database. Without it the costs of answers are not added up.",
        panel=_LEDGER,
        complete=files(),
    ),
]
BudgetName = Annotated[
    str | None,
    option("--name NAME", "The budget in it that pays.", panel=_LEDGER),
]
RequestId = Annotated[
    str | None,
    option(
        "--request-id ID",
        "A name of your own for this request: repeated under it, it returns the stored answer and costs "
        "nothing.",
        panel=_LEDGER,
    ),
]
ReceiptFile = Annotated[
    str | None,
    option(
        "--receipt FILE",
        "Also write a receipt: what was asked, how privately, by which mechanism, and the answer. It "
        "may be published, and rainbowdp verify checks it.",
        _receipt,
        complete=files(".json"),
    ),
]


def require_payer(ledger: str | None, name: str | None, request_id: str | None) -> None:
    """Refuse a ledger without the name of a budget, and a budget or request id without a ledger.

    Raises
    ------
    UsageError
        With the option that is missing.
    """
    help = "give the file that keeps the budget and the budget that pays: --ledger FILE --name NAME"
    require_both("--ledger", ledger, "--name", name, help)
    require("--request-id", request_id, "--ledger", ledger, help)


def receipt_path(receipt: str | None, *inputs: str | None) -> Path | None:
    """Return where the receipt goes, after checking that it overwrites nothing but a receipt.

    Parameters
    ----------
    receipt : str or None
        As given.
    *inputs : str or None
        Files, patterns and URLs of files that must stay: the table, the ledger, the list of options.

    Raises
    ------
    UsageError
        If it would replace an input, or anything else than a receipt.
    """
    if receipt is None:
        return None
    require_other_files(receipt, *inputs)
    path = Path(receipt)
    if path.is_file() and path.stat().st_size and not _is_receipt(path):
        raise UsageError(
            f"--receipt would replace {receipt!r}, which is not a receipt",
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
    """Refuse the table itself as the list of options: messages would show its rows.

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


def publish(
    what: str,
    asking: Callable[..., Found],
    announce: Callable[[Remarks], None],
    *,
    request_id: str | None,
    target: Path | None,
    receipt: Callable[[Found], object],
    show: Callable[[Found], None],
) -> int:
    """Ask a table, write the notes and the receipt, show what was found; return the exit code 0.

    Parameters
    ----------
    what : str
        What is asked for, in a word.
    asking : callable
        Takes ``progress``, which is called with the part of the table that has been read, and ``opened``,
        which is called with remarks about the table before it is read; returns what may be published.
    announce : callable
        Writes the notes before the table is read, among them those remarks.
    request_id : str or None
        As typed.
    target : Path or None
        Where the receipt goes.
    receipt : callable
        Makes the receipt of what was found; it must not fail.
    show : callable
        Writes what was found to stdout.

    Raises
    ------
    RainbowError
        As `asking` does; and if the receipt or the result cannot be written, with a help that says how it
        can be had again.
    """
    said: list[str] = []

    def opened(remarks: Remarks) -> None:
        said.extend(remarks)
        announce(remarks)

    with steps() as progress:
        progress.step("reading the table")
        load_duckdb()
        found = asking(progress=lambda share: progress.advance(round(1000 * share), 1000), opened=opened)
    for text in found.notes:
        if text not in said:
            note(text)
    if request_id is None and found.request_id is not None:
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
