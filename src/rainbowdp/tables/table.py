# SPDX-License-Identifier: Apache-2.0
"""A table that has been opened: its header has been judged, and no row has been read.

Everything public about a table is here (`Table.columns`, `Table.identity`, `Table.notes`); everything else
stays behind `Table.source`, and nothing of it is ever shown.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Self

from rainbowdp.tables.header import check_known
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
        What separates the cells of a file of text: a semicolon if it does in one of several files.
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
            With one that is spelled nearly like it, unless the rows are those of a query.
        """
        if self.columns is not None:
            check_known(self.identity, self.columns, wanted, hints=not self.is_query)

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
        return f"Table({self.identity!r})"
