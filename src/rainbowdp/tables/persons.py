# SPDX-License-Identifier: Apache-2.0
"""At most M rows per person, in a keyed random order that is computed from that person's rows alone.

A person's rows are numbered 0, 1, 2, ... among themselves, row ``i`` gets the rank
``PRF(key, person, i)``, and the M smallest ranks are kept. The key is drawn from the operating system for
each call. A pseudorandom function under a secret uniform key cannot be told from a random function, so the
ranks are as good as independent uniform ones, and their order as a random permutation for every person that
is independent of all others: a reader who saw a difference could tell the two functions apart. A person
stands in it by a hash, ``PRF(another key, text of the person)``.

The function is SipHash-2-4 (`rainbowdp.tables.row_limit`), with 128 bits for persons and 64 for ranks. Two
persons of N share a hash with a probability below ``N**2 / 2**129``. Two rows of a person share a rank with
probability ``2**-64``, and are then told apart by what the ranks are hashes of: the choice stays a function
of the person's own rows, and of n rows none is kept more often than another by more than ``n / 2**64``.

**Stability.** The rank of a row is a function of the key, the person and the row's number among the
person's own rows; no row of another person enters it. The numbers themselves are given

- where the source keeps an order (files, frames in memory): by that order. Adding, removing or changing
  rows of others moves a row in the file, and not among the rows of its person; changing the answer cells of
  anyone moves no row at all. So a row's fate depends neither on others nor on the answer column.
- where it keeps none (servers, Spark): among the rows of the person that agree in group and answer, and the
  rank is ``PRF(key, person, group, answer, i)``. Such rows are the same to every question, so what is kept is
  a function of the key and of this person's rows as a multiset. Changing a person's answers may change which
  of *this person's* rows are kept, under one key; over the keys every row is kept equally often, whatever its
  answer.

A person is the text of the unit cell (`cell_text`), so ``7``, ``7.0`` and ``" 7 "`` are one person. Only
hashes of persons and of answers are put aside, in an unnamed temporary file; texts of groups and answers are
taken down apart from them, in a database that lives in memory and spills to temporary files.
"""

import contextlib
import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

from rainbowdp.errors import TableUnreadableError, UsageError
from rainbowdp.formats.tables import connect
from rainbowdp.tables.local_files import check_room
from rainbowdp.tables.row_limit import Numbering, Words, distinct, hashes_of_texts, kept, key_for
from rainbowdp.tables.source import BATCH, is_interrupt
from rainbowdp.tables.spools import PersonRows, in_order

if TYPE_CHECKING:
    import numpy as np
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

T = TypeVar("T")
_LEAST_KEY = 16
_MARK = 16
_KEPT = "said join picked on said.rowid = picked.place"
# How many bytes of texts, and of what stands beside each, the database sorts by itself.
_SORTED = 1 << 27
_BESIDE = 64
# Counts that are held in memory before they go to the database.
_COUNTED = 1 << 18
_MEMORY = "1GB"


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
    """Rows of persons, put aside until all have come, and what is counted of them.

    Parameters
    ----------
    key : bytes
        From `key_or_fresh`.

    Raises
    ------
    TableUnreadableError
        If no temporary file can be made, whatever the rows are; by any of its methods, if there is no room.
    """

    def __init__(self, key: bytes) -> None:
        self._person_key = key_for("person", key)
        self._said_key = key_for("said", key)
        self._rank_key = key_for("rank", key)
        self._closing = contextlib.ExitStack()
        check_room()
        try:
            # Also where every row is a person: what the database spills goes to the same place.
            self._rows = self._closing.enter_context(_with_room(PersonRows))
            self._database: DuckDBPyConnection = self._closing.enter_context(connect())
            self._database.execute(f"set memory_limit = '{_MEMORY}'")
            self._database.execute("create table said (u ubigint, w ubigint, part integer, cell varchar)")
            self._database.execute("create table chosen (u ubigint, w ubigint, n bigint)")
        except BaseException:
            self._closing.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def said(self, sayings: Sequence[tuple[int, str | None]]) -> list[bytes]:
        """Take down what rows say, the number of the group and the text of the cell; return marks for `add`.

        What is taken down twice gets the same mark twice.
        """
        hashes = self._hashes_of_said([part for part, _ in sayings], [cell for _, cell in sayings])
        content = hashes.tobytes()
        return [content[at : at + _MARK] for at in range(0, len(content), _MARK)]

    def _hashes_of_said(self, parts: Sequence[int], cells: Sequence[str | None]) -> Words:
        pairs = zip(parts, cells, strict=True)
        messages = [b"%d" % part if cell is None else b"%d:" % part + cell.encode() for part, cell in pairs]
        hashes = hashes_of_texts(messages, self._said_key)
        columns = {"u": hashes[:, 0].copy(), "w": hashes[:, 1].copy()}
        self._insert("said", **columns, part=_integers(parts), cell=_texts(cells))
        return hashes

    def add(self, persons: Sequence[str], marks: Sequence[bytes]) -> None:
        """Put rows aside: the person of each, and what it says as a mark from `said`."""
        import numpy as np

        if not persons:
            return
        hashes = hashes_of_texts([person.encode() for person in persons], self._person_key)
        said = np.frombuffer(b"".join(marks), dtype=np.uint64).reshape(-1, 2)
        _with_room(lambda: self._rows.add(hashes, said))

    def add_counts(self, parts: Sequence[int], cells: Sequence[str | None], counts: Sequence[int]) -> None:
        """Put aside what needs no choice, since every row is a person: group, cell and number of rows."""
        import numpy as np

        if counts:
            hashes = self._hashes_of_said(parts, cells)
            self._insert_chosen([(hashes, np.array(counts, dtype=np.int64))])

    def keep(self, most: int, numbering: Numbering) -> None:
        """Choose the rows that every person keeps.

        Parameters
        ----------
        most : int
            Rows that a person keeps, over all groups.
        numbering : Numbering
            What tells the rows of a person apart.
        """
        counted: list[tuple[Words, Words]] = []
        for pieces in _each_with_room(self._rows.shares()):
            chosen = kept(_each_with_room(pieces), most, numbering, self._rank_key)
            counted.append(distinct(chosen))
            if sum(len(numbers) for _, numbers in counted) > _COUNTED:
                self._insert_chosen(counted)
                counted = []
        self._insert_chosen(counted)

    def tally(self, part: int) -> Iterator[tuple[str | None, int]]:
        """Yield ``(cell, number of rows)`` for what is kept of a group."""
        self._count()
        yield from self._fetched(f"select cell, n from {_KEPT} where part = {int(part)}")  # noqa: S608 - a number

    def by_cell(self) -> Iterator[tuple[str, int]]:
        """Yield ``(cell, number of rows)`` for all that is kept, in the order of the cells."""
        self._count()
        ((size,),) = self._fetched(f"select coalesce(sum(strlen(cell) + {_BESIDE}), 0) from {_KEPT}")  # noqa: S608 - a number
        cells = f"select cell, n from {_KEPT}"  # noqa: S608 - a fixed text
        if size <= _SORTED:
            yield from self._fetched(f"{cells} order by cell")
        else:
            yield from _each_with_room(in_order(self._fetched(cells)))

    def _count(self) -> None:
        """Add up what is kept, by the first row of `said` that says it.

        No step of this holds a text, so that the memory it takes depends on no length. Rows of `said` go by
        while they are compared with these numbers.
        """
        self._run(
            "create table if not exists picked as select place, sum(n)::bigint as n from chosen "
            "join (select u, w, min(rowid) as place from said group by u, w) using (u, w) group by place"
        )

    def _insert_chosen(self, counted: "Sequence[tuple[Words, NDArray[np.integer]]]") -> None:
        import numpy as np

        if not counted:
            return
        marks = np.concatenate([marks for marks, _ in counted])
        numbers = np.concatenate([numbers for _, numbers in counted])
        self._insert("chosen", u=marks[:, 0].copy(), w=marks[:, 1].copy(), n=numbers)

    def _insert(self, table: str, **columns: object) -> None:
        _with_room(lambda: self._database.register("batch", columns))
        self._run(f"insert into {table} select * from batch")  # noqa: S608 - one of three names
        _with_room(lambda: self._database.unregister("batch"))

    def _run(self, query: str) -> None:
        _with_room(lambda: self._database.execute(query))

    def _fetched(self, query: str) -> Iterator[tuple]:  # type: ignore[type-arg]  # rows of any shape
        result = _with_room(lambda: self._database.execute(query))
        while batch := _with_room(lambda: result.fetchmany(BATCH)):
            yield from batch


def _with_room(work: Callable[[], T]) -> T:
    """Do something; the end of memory or disk is one fixed message, since a library's own may quote a row."""
    import duckdb

    try:
        return work()
    except (duckdb.Error, OSError, RuntimeError) as error:
        # An interrupt inside of a call back to Python comes as an error that shows where.
        if is_interrupt(error) or "KeyboardInterrupt" in str(error):
            raise KeyboardInterrupt from None
        raise TableUnreadableError(
            "there is no room for the rows of all persons",
            help="make room in the directory for temporary files, or name another one with TMPDIR",
        ) from None


def _each_with_room(items: Iterator[T]) -> Iterator[T]:
    """Yield what an iterator yields, with the same message for the end of memory or disk."""
    while True:
        found = _with_room(lambda: next(items, None))
        if found is None:
            return
        yield found


def _integers(numbers: Sequence[int]) -> "NDArray[np.int32]":
    import numpy as np

    return np.array(numbers, dtype=np.int32)


def _texts(cells: Sequence[str | None]) -> "NDArray[np.object_]":
    import numpy as np

    texts = np.empty(len(cells), dtype=object)
    texts[:] = cells
    return texts
