# SPDX-License-Identifier: Apache-2.0
"""The options of ``ask`` and ``keys`` about data, budget and receipt, and how both ask, pay and publish."""

import contextlib
import json
import re
import shlex
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from rainbowdp.cli.framework import argument, files, option
from rainbowdp.cli.output import json_text, note
from rainbowdp.cli.progress import Signals, steps
from rainbowdp.cli.values import unicode_text
from rainbowdp.errors import RainbowError, ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.release import Answer, Keys

Found = TypeVar("Found", "Answer", "Keys")
Remarks = tuple[str, ...]
Receipt = Mapping[str, object]
_FAMILY = "rainbowdp."
_MARK = re.compile(rb'"schema"\s*:\s*"rainbowdp\.')
_HEAD = 1024
_data = partial(option, panel="Data")
_budget = partial(option, panel="Budget")


def _receipt(_: str, text: str) -> Path:
    """Read the place of a receipt, and check that it can be written and replaces nothing but a receipt."""
    from rainbowdp.formats.writing import check_writable

    path = Path(text)
    check_writable(path)
    if path.is_file() and path.stat().st_size and not _is_receipt(path):
        raise UsageError(
            f"--receipt would replace {text!r}, which is not a receipt",
            help="write the receipt to a new file",
        )
    return path


Source = Annotated[
    str,
    argument(
        "SOURCE",
        "The table: .csv, .tsv, .parquet or .jsonl (also .gz, .zst), a quoted pattern such as "
        "'part-*.csv', - for standard input, or sqlite:///file, duckdb:///file, "
        "postgresql://user@host/database.",
        complete=files(".csv", ".tsv", ".parquet", ".jsonl", ".gz", ".zst"),
    ),
]
Where = Annotated[
    list[str] | None,
    _data(
        "--where COLUMN=VALUE",
        "Count only rows in which the column says exactly this, such as city=Bonn; if given several "
        "times, all must hold.",
    ),
]
TableName = Annotated[str | None, _data("--table NAME", "In a database: the table.")]
Query = Annotated[
    str | None, _data("--sql QUERY", "In a database: a query whose rows are the table.", unicode_text)
]
Encoding = Annotated[
    str | None,
    _data(
        "--encoding NAME", "How a text file is encoded, such as latin-1, cp1252 or utf-16; UTF-8 if left out."
    ),
]
LedgerPlace = Annotated[
    str | None,
    _budget(
        "--ledger FILE",
        "The file that keeps the budget, made by rainbowdp budget create, or "
        "postgresql://user@host/database. Without it the costs of answers are not added up.",
        complete=files(),
    ),
]
BudgetName = Annotated[str | None, _budget("--name NAME", "The budget in it that pays.")]
RequestId = Annotated[
    str | None,
    _budget(
        "--request-id ID",
        "A name of your own for this request: repeated under it, it returns the stored answer and costs "
        "nothing.",
    ),
]
ReceiptFile = Annotated[
    Path | None,
    option(
        "--receipt FILE",
        "Also write a receipt: what was asked, how privately, by which mechanism, and the answer. It "
        "may be published, and rainbowdp verify checks it.",
        _receipt,
        complete=files(".json"),
    ),
]


def read_if_receipt(path: Path) -> Receipt | None:
    """Return the content of a file that is a receipt, also under another name; None for any other file.

    Raises
    ------
    ReceiptError
        If the file begins like a receipt, and is damaged.
    """
    text = _object_text(path)
    if text is None:
        return None
    try:
        # Of bytes the parser would guess the encoding.
        content: Any = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        if _MARK.search(text[:_HEAD]):
            raise ReceiptError(
                f"{str(path)!r} is a damaged receipt: it is not JSON, or says one thing twice",
                help="give a receipt as rainbowdp wrote it, unchanged",
            ) from error
        return None
    if not isinstance(content, dict) or not str(content.get("schema", "")).startswith(_FAMILY):
        return None
    return cast("Receipt", content)


def _is_receipt(path: Path) -> bool:
    with contextlib.suppress(ReceiptError):
        return "receipt" in str((read_if_receipt(path) or {}).get("schema"))
    return False


def _object_text(path: Path) -> bytes | None:
    """Return the text of a file that begins like an object of JSON."""
    # The reader of mechanisms reports a file that cannot be read.
    with contextlib.suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
                    file.seek(0)
                    return file.read()
    return None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON that has no key twice: two readers would take it for two things."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


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
        Signals.load_duckdb()
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
