# SPDX-License-Identifier: Apache-2.0
"""What a source of rows can do, whatever holds them: count raw cells, and list them.

Both queries mention only the columns that are needed, and cells come back as they are, as values that
`rainbowdp.questions.cells.cell_text` understands. Nothing is converted in a way that could fail on a cell.
What a library raises all the same while rows are read is replaced by one fixed message (`guarded`), since
its own words may quote a cell.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from rainbowdp.errors import RainbowError, TableUnreadableError

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
    except BaseException as error:  # noqa: BLE001 - a library's message may quote a cell; a panic of polars is no Exception
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
