# SPDX-License-Identifier: Apache-2.0
"""At most M rows per person, in a keyed random order that is computed from that person's rows alone.

The one idea: a person's rows are numbered 0, 1, 2, ... among themselves, row ``i`` gets the rank
``SHA-256(key, person, i)``, and the M smallest ranks are kept. The key is drawn from the operating system
for each call, so the ranks are as good as an independent random permutation for every person.

**Stability.** The rank of a row is a function of the key, the person and the row's number among the
person's own rows; no row of anybody else enters it. The numbers themselves are given

- where the source keeps an order (files, frames in memory): by that order. Adding, removing or changing
  rows of others moves a row in the file, and not among the rows of its person; changing the answer cells of
  anyone moves no row at all. So a row's fate depends neither on others nor on the answer column.
- where it keeps none (servers, Spark): by the group and the answer, as text. Rows that agree in both are the
  same to every question, so what is kept is a function of the key and of this person's rows as a multiset.
  Changing a person's answers may change which of *this person's* rows are kept, under one key; over the keys
  every row is kept equally often, whatever its answer.

A person is the text of the unit cell (`cell_text`), so ``7``, ``7.0`` and ``" 7 "`` are one person. Only a
hash of it is stored, in a database that lives in memory and spills to temporary files.
"""

import contextlib
import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

from rainbowdp.errors import TableUnreadableError, UsageError
from rainbowdp.formats.tables import connect
from rainbowdp.tables.source import BATCH

if TYPE_CHECKING:
    import numpy as np
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

T = TypeVar("T")
_REMEMBERED = 1 << 18
_LEAST_KEY = 16


def key_or_fresh(key: bytes | None) -> bytes:
    """Return 32 bytes of key: from the operating system, or from the given ones.

    Raises
    ------
    UsageError
        If a given key has fewer than 16 bytes.
    """
    if key is None:
        return secrets.token_bytes(32)
    if len(key) < _LEAST_KEY:
        raise UsageError(
            f"a key of {len(key)} bytes is too short to hide anything", help="leave it out, or give 32 bytes"
        )
    return hashlib.sha256(key).digest()


class Spool:
    """Rows of persons, put aside until all have come.

    Parameters
    ----------
    key : bytes
        From `key_or_fresh`.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._persons: dict[str, tuple[int, int]] = {}
        self._position = 0
        self._closing = contextlib.ExitStack()
        self._database: DuckDBPyConnection = self._closing.enter_context(connect())
        self._database.execute(
            "create table rows (u ubigint, w ubigint, position ubigint, part integer, cell varchar)"
        )
        self._database.execute("create table kept (part integer, cell varchar, n bigint)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def add(self, persons: Sequence[str], parts: Sequence[int], cells: Sequence[str | None]) -> None:
        """Put rows aside: the person, the number of the group and the text of the cell that counts."""
        import numpy as np

        if not persons:
            return
        hashes = np.array([self._hashed(person) for person in persons], dtype=np.uint64)
        count = len(persons)
        self._insert(
            "rows",
            u=np.ascontiguousarray(hashes[:, 0]),
            w=np.ascontiguousarray(hashes[:, 1]),
            position=np.arange(self._position, self._position + count, dtype=np.uint64),
            part=np.array(parts, dtype=np.int32),
            cell=_texts(cells),
        )
        self._position += count

    def add_counts(self, parts: Sequence[int], cells: Sequence[str | None], counts: Sequence[int]) -> None:
        """Put aside what needs no choice, since every row is a person: group, cell and number of rows."""
        import numpy as np

        if counts:
            self._insert(
                "kept",
                part=np.array(parts, dtype=np.int32),
                cell=_texts(cells),
                n=np.array(counts, dtype=np.int64),
            )

    def keep(self, most: int, *, ordered: bool, one_group: bool) -> None:
        """Choose the rows that every person keeps.

        Parameters
        ----------
        most : int
            Rows that a person keeps, over all groups.
        ordered : bool
            Whether rows were added in an order that the source keeps.
        one_group : bool
            Whether a person keeps only rows of one group: that of the row with the smallest rank.
        """
        order = "position" if ordered else "part, cell"
        confined = "where part = first_part" if one_group else ""
        query = f"""
            insert into kept
            with numbered as (
                select u, w, part, cell, row_number() over (partition by u, w order by {order}) as i from rows
            ), ranked as (
                select u, w, part, cell, {self._rank("u || ':' || w || ':' || i")} as rank from numbered
            ), placed as (
                select *, first_value(part) over (partition by u, w order by rank) as first_part from ranked
            ), limited as (
                select part, cell, row_number() over (partition by u, w order by rank) as place
                from placed {confined}
            )
            select part, cell, count(*) from limited where place <= {int(most)} group by part, cell
            """  # noqa: S608 - numbers and fixed words only
        _with_room(lambda: self._database.execute(query))

    def tally(self, part: int) -> Iterator[tuple[str | None, int]]:
        """Yield ``(cell, number of rows)`` for what is kept of a group."""
        yield from self._fetched(
            f"select cell, sum(n)::bigint from kept where part = {int(part)} group by cell"  # noqa: S608 - a number
        )

    def people_by_cell(self, most: int | None) -> Iterator[tuple[str, int]]:
        """Yield ``(cell, number of people)`` in the order of the cells.

        Parameters
        ----------
        most : int, optional
            For how many different cells a person counts. None where counts were added instead of persons.
        """
        query = "select cell, sum(n)::bigint from kept group by cell order by cell"
        if most is not None:
            # Which cells a person keeps depends on the person's set of cells, and on no order of rows.
            query = f"""
            with mine as (select distinct u, w, cell from rows), limited as (
                select cell, row_number() over (
                    partition by u, w order by {self._rank("u || ':' || w || ':' || cell")}
                ) as place from mine
            )
            select cell, count(*) from limited where place <= {int(most)} group by cell order by cell
            """  # noqa: S608 - numbers and fixed words only
        yield from self._fetched(query)

    def _insert(self, table: str, **columns: object) -> None:
        self._database.register("batch", columns)
        query = f"insert into {table} select * from batch"  # noqa: S608 - one of two names
        _with_room(lambda: self._database.execute(query))
        self._database.unregister("batch")

    def _rank(self, what: str) -> str:
        return f"sha256('{self._key.hex()}:' || {what})"

    def _fetched(self, query: str) -> Iterator[tuple]:  # type: ignore[type-arg]  # rows of any shape
        result = _with_room(lambda: self._database.execute(query))
        while batch := _with_room(lambda: result.fetchmany(BATCH)):
            yield from batch

    def _hashed(self, person: str) -> tuple[int, int]:
        known = self._persons.get(person)
        if known is None:
            if len(self._persons) >= _REMEMBERED:
                self._persons.clear()
            digest = hashlib.blake2b(
                person.encode("utf-8", "surrogatepass"), digest_size=16, key=self._key
            ).digest()
            known = (int.from_bytes(digest[:8]), int.from_bytes(digest[8:]))
            self._persons[person] = known
        return known


def _with_room(work: Callable[[], T]) -> T:
    """Do something; the end of memory or disk is one fixed message, since a library's own may quote a row."""
    import duckdb

    with contextlib.suppress(duckdb.Error):
        try:
            return work()
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
    raise TableUnreadableError(
        "there is no room for the rows of all persons",
        help="make room in the directory for temporary files, or name another one with TMPDIR",
    )


def _texts(cells: Sequence[str | None]) -> "NDArray[np.object_]":
    import numpy as np

    texts = np.empty(len(cells), dtype=object)
    texts[:] = cells
    return texts
