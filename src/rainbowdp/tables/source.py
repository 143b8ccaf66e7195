# SPDX-License-Identifier: Apache-2.0
"""A source of rows (`Source`), which every kind of table becomes, and the checks of its column names.

A source yields batches of raw cells, column by column, row by row or counted. Both queries mention only the
columns that are needed, and cells come back as they are, as values that `rainbowdp.questions.cells.cell_text`
understands. Nothing is converted in a way that could fail on a cell. What a library raises all the same while
rows are read is replaced by one fixed message, since its own words may quote a cell.

The header of a file may be a person's row where the file lacks one. So messages name no column of a table,
except one that is spelled nearly like a column that is asked for. Notes name columns of Parquet files and
frames, whose names come from a schema and not from a first line.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rainbowdp.errors import RainbowError, TableUnreadableError, UnknownColumnError, did_you_mean
from rainbowdp.formats.encodings import NAMELESS

# A cell that is there and cannot be read is this byte, which is not UTF-8.
UNREADABLE_CELL = b"\xff"
BATCH = 1 << 14

Batch = list[Sequence[object]]
"""Columns of cells, equally long; where rows are counted, a last column says how many rows hold each."""

OfCell = Callable[[Any], object]
Progress = Callable[[float], None]
Read = Callable[[Sequence[str], bool, Progress | None], Iterable[Batch]]
"""Starts a query for some columns, and says whether equal rows are to be counted."""


@dataclass(frozen=True, repr=False)
class Source:
    """A table somewhere, of which the header has been read.

    Attributes
    ----------
    name : str
        The public name of the table in messages.
    columns : tuple of str or None
        The names of the columns; None where nothing but the rows could say them.
    query : callable
        Yields batches of cells, or of distinct cells (a combination may come twice) and numbers of rows.
    unreadable : frozenset of str
        The columns of a declared type whose cells are never text. As in other columns of such types, the
        query yields nothing but None and unreadable cells for them.
    types : mapping
        For columns of a declared type, the name that a file or database gives it. Libraries make most types
        of the columns of frames of the rows, and no such type is declared.
    reads : mapping
        For some columns, what makes a cell of what the query yields for it, unless that is None.
    table : str, optional
        Which table of a database it is.
    separator : str, optional
        What separates the cells of a file of text.
    takes : frozenset of str
        The parts of a `Dialect`, and ``encoding``, by which the rows are read.
    left_out : callable
        Counts, by what is wrong with them, the records of which no cells are made; private.
    close : callable
        Closes connections and removes temporary files; by default it does nothing.
    """

    name: str
    columns: tuple[str, ...] | None
    query: Read
    unreadable: frozenset[str] = frozenset()
    types: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, OfCell] = field(default_factory=dict)
    table: str | None = None
    separator: str | None = None
    takes: frozenset[str] = frozenset()
    left_out: Callable[[], Mapping[str, int]] = dict
    close: Callable[[], object] = lambda: None

    def batches(
        self, columns: Sequence[str], progress: Progress | None = None, *, counted: bool
    ) -> Iterator[Batch]:
        """Yield batches of cells.

        Raises
        ------
        TableUnreadableError
            Instead of what a library raises, without its message.
        """
        columns = list(map(one_form, columns))
        try:
            for batch in self.query(columns, counted, progress):
                cells = list(batch)
                for at, column in enumerate(columns):
                    if column in self.reads:
                        cells[at] = cells_by(self.reads[column], cells[at])
                yield cells
        except (RainbowError, KeyboardInterrupt, GeneratorExit, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a library's message may quote a cell; a panic of polars is not an Exception
            if is_interrupt(error):
                raise KeyboardInterrupt from None
            raise TableUnreadableError(
                f"{self.name} could not be read to its end",
                help="check that it is complete and what its name says, that its server answers, and that "
                "memory is left; the reason is left out, since it may quote a cell",
            ) from None


def part_of(progress: Progress | None, at: int, count: int) -> Progress | None:
    """Return the progress of one of several parts that are equally long, by its number from 0."""
    return None if progress is None else lambda share: progress((at + share) / count)


def one_form(name: str) -> str:
    r"""Return the name of a column in the one form of Unicode in which texts are compared.

    Examples
    --------
    >>> one_form("Ma\u0308rz") == "M\u00e4rz"
    True
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def named_in_one_form(source: Source) -> Source:
    """Return a source whose columns are called by the one form of their names.

    Raises
    ------
    UnknownColumnError
        If two of them are the same then.
    """
    columns = tuple(map(one_form, source.columns or ()))
    if source.columns is None or columns == source.columns:
        return source
    check_distinct(source.name, columns)
    stored = dict(zip(columns, source.columns, strict=True))

    def query(chosen: Sequence[str], counted: bool, progress: Progress | None) -> Iterable[Batch]:
        return source.query([stored[column] for column in chosen], counted, progress)

    return replace(
        source,
        columns=columns,
        query=query,
        unreadable=frozenset(map(one_form, source.unreadable)),
        types={one_form(column): kind for column, kind in source.types.items()},
        reads={one_form(column): read for column, read in source.reads.items()},
    )


def cells_by(read: OfCell, column: Sequence[object]) -> list[object]:
    """Return what a column says by a function of its cells that are not None."""
    return [None if cell is None else read(cell) for cell in column]


def fetched(cursor: Any) -> Iterator[Batch]:  # noqa: ANN401 - of any database
    """Yield the rows of a cursor as batches of columns."""
    while rows := cursor.fetchmany(BATCH):
        yield list(zip(*rows, strict=True))


def is_interrupt(error: BaseException) -> bool:
    """Tell whether an error is how DuckDB reports that the user wants to stop."""
    return type(error).__name__ == "InterruptException" or str(error) == "Query interrupted"


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
