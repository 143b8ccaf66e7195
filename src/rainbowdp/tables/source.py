# SPDX-License-Identifier: Apache-2.0
"""What a source of rows can do, whatever holds them, and what is refused about its columns.

A source counts raw cells and lists them. Both queries mention only the columns that are needed, and cells
come back as they are, as values that `rainbowdp.questions.cells.cell_text` understands. Nothing is converted
in a way that could fail on a cell. What a library raises all the same while rows are read is replaced by one
fixed message (`guarded`), since its own words may quote a cell.

The header of a file may be a person's row where the file lacks one. So messages name no column of a table,
except one that is spelled nearly like a column that is asked for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from rainbowdp.errors import RainbowError, TableUnreadableError, UnknownColumnError, did_you_mean
from rainbowdp.formats.csv_files import NAMELESS

# Bytes that are no text in UTF-8 stand for a cell that is there and cannot be read.
UNREADABLE_CELL = b"\xff"
BATCH = 1 << 14

Cells = tuple[object, ...]
Progress = Callable[[float], None]


class Source(Protocol):
    """A table somewhere, of which the header has been read."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns; None where nothing but the rows could say them."""

    @property
    def ordered(self) -> bool:
        """Whether the rows have an order that they keep from one reading to the next."""

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The columns of a type whose cells are never text, by schema."""

    def counted(self, columns: Sequence[str], progress: Progress | None) -> Iterator[list[Cells]]:
        """Yield batches of ``(cell, ..., number of rows)`` for columns; a combination may come twice."""

    def rows(self, columns: Sequence[str], progress: Progress | None) -> Iterator[list[Cells]]:
        """Yield batches of ``(cell, ...)`` for columns, row by row, in the order if there is one."""

    def close(self) -> None:
        """Let go of connections and temporary files."""


def guarded(source: str, batches: Callable[[], Iterable[list[Cells]]]) -> Iterator[list[Cells]]:
    """Yield batches, and raise a fixed message instead of whatever a library raises.

    Parameters
    ----------
    source : str
        The public name of the table.
    batches : callable
        Starts the query.

    Raises
    ------
    TableUnreadableError
        Without the message of the error that caused it.
    """
    try:
        yield from batches()
    except (RainbowError, KeyboardInterrupt, GeneratorExit, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a library's message may quote a cell; a panic of polars is not an Exception
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        raise TableUnreadableError(
            f"{source} could not be read to its end",
            help="check that it is complete and what its name says, that its server answers, and that memory "
            "is left; the reason is left out, since it may quote a cell",
        ) from None


def is_interrupt(error: BaseException) -> bool:
    """Tell whether an error is how DuckDB reports that the user wants to stop."""
    return type(error).__name__ == "InterruptException" or str(error) == "Query interrupted"


def row_count(row: Cells) -> int:
    """Return the number of rows at the end of a counted combination of cells."""
    count = row[-1]
    if not isinstance(count, int):
        raise TypeError("a number of rows is an integer")
    return count


def check_distinct(source: str, names: Sequence[str]) -> None:
    """Refuse a table that names a column twice, or several not at all.

    Raises
    ------
    UnknownColumnError
        With the numbers of two such columns.

    Examples
    --------
    >>> check_distinct("frame", ["id", "vote", "id"])
    Traceback (most recent call last):
    rainbowdp.errors.UnknownColumnError: frame gives its columns 1 and 3 the same name
    """
    first: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        before = first.setdefault(name, number)
        if before != number:
            shared = "the same name" if name else "no name"
            raise UnknownColumnError(
                f"{_called(source)} gives its columns {before} and {number} {shared}",
                help="give every column a name of its own; a separator at the end of a line makes one more",
            )


def check_alike(paths: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    """Refuse files that do not have the same columns.

    Raises
    ------
    TableUnreadableError
        With two files that differ.
    """
    for path, own in zip(paths, names, strict=True):
        if set(own) != set(names[0]):
            raise TableUnreadableError(
                f"{str(path)!r} and {str(paths[0])!r} do not have the same columns",
                help="name files with the same columns in their first lines, or one file",
            )


def check_known(source: str, names: Sequence[str], wanted: Iterable[str], *, hints: bool = True) -> None:
    """Refuse columns that a table does not have.

    Parameters
    ----------
    source : str
        How messages call the table.
    names : sequence of str
        Its columns.
    wanted : iterable of str
        The columns that are asked for.
    hints : bool
        Whether to name a column that is spelled nearly like the one that is asked for.

    Raises
    ------
    UnknownColumnError
        If one of them is unknown.
    """
    for name in wanted:
        if name not in names:
            near = did_you_mean(name, filter(str.isprintable, names)) if hints else ""
            raise UnknownColumnError(
                f"{_called(source)} has no column {name!r}",
                help=near
                or "check the name; the names of the columns must stand in the first line of a file",
                column=name,
            )


def _called(source: str) -> str:
    """Return a source as messages call it: what stands outside, such as a path, in quotes."""
    return source if source in NAMELESS or source.startswith(("'", '"')) else repr(source)
