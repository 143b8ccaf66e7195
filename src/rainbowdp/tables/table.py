# SPDX-License-Identifier: Apache-2.0
"""A table that has been opened: its header has been judged, and no row has been read.

The one idea: everything public about a table is here (`Table.columns`, `Table.identity`, `Table.notes`),
everything else stays behind `Table.source`, and nothing of it is ever shown.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from rainbowdp.errors import UnknownColumnError
from rainbowdp.tables.header import check_known, shown_names
from rainbowdp.tables.source import Source


@dataclass(frozen=True, repr=False)
class Table:
    """An open table; a context manager that closes it.

    Attributes
    ----------
    columns : tuple of str or None
        The names of its columns, distinct; None for JSON lines, which have no header.
    identity : str
        Public text that names the source in ledgers and receipts: an absolute path, a URL without password
        and the table, ``standard input`` or ``frame``.
    notes : tuple of str
        Public remarks about the schema.
    is_query : bool
        Whether the rows are those of a query. Its columns may be made of cells, as by ``PIVOT``, so no
        message names one that was not asked for.
    encoding : str
        How a file of text is encoded.
    separator : str or None
        What stands between the cells of a file of text: a semicolon if it does in one of several files.
    source : Source
        The rows.
    """

    identity: str
    source: Source = field(compare=False)
    closing: tuple[Callable[[], object], ...] = field(default=(), compare=False)
    is_query: bool = False
    encoding: str = "utf-8"
    separator: str | None = None

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns, where something says them that is no row."""
        return self.source.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about columns of which no cell can be read, by their type, and about a missing header."""
        if self.columns is None:
            return ("JSON lines have no header: a column that no line has, misspelt perhaps, is null in all",)
        if self.is_query:
            return ()
        return tuple(
            f"column {column!r} has a type without text (list, struct, duration): none of its cells counts"
            for column in self.source.unreadable
        )

    def check(self, wanted: Iterable[str]) -> None:
        """Refuse columns that the table does not have, if it has a header.

        Raises
        ------
        UnknownColumnError
            With the closest column, or all of them, unless the rows are those of a query.
        """
        if self.columns is None:
            return
        if self.is_query:
            check_selected(self.identity, self.columns, wanted)
        else:
            check_known(self.identity, self.columns, wanted)

    def close(self) -> None:
        """Let go of connections and temporary files."""
        self.source.close()
        for close in self.closing:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        shown = [] if self.is_query else shown_names(self.columns or ())
        return f"Table({self.identity!r}, columns={shown!r})"


def check_selected(source: str, names: Sequence[str], wanted: Iterable[str]) -> None:
    """Refuse columns that a query does not have, without a word about those that it has.

    Raises
    ------
    UnknownColumnError
        With the column that was asked for.
    """
    for name in wanted:
        if name not in names:
            raise UnknownColumnError(
                f"{source} has no column {name!r}",
                help="the columns of a query are not shown, since it may make them of cells: check the name",
                column=name,
            )
