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
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import TableUnreadableError, UsageError
from rainbowdp.formats.tables import connect
from rainbowdp.tables.local_files import check_room
from rainbowdp.tables.row_limit import Numbering, Words, distinct, hashes_of_texts, kept, key_for
from rainbowdp.tables.source import BATCH, is_interrupt

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LEAST_KEY = 16
_MARK = 16
_KEPT = "said join picked on said.rowid = picked.place"
# How many bytes of texts, and of what stands beside each, the database sorts by itself.
_SORTED = 1 << 27
_BESIDE = 64
# Counts that are held in memory before they go to the database.
_COUNTED = 1 << 18
# Words in a row: two of the person, two of what the row says.
_WIDTH = 4
# A power of two.
_SHARES = 128
# Rows that are held in memory before they are written; a table with fewer of them is never written.
_HELD = 1 << 20
# Rows of one share that are handed out at once: far more than a share has unless persons are few.
_PIECE = 1 << 21
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


@contextlib.contextmanager
def spool_for(key: bytes) -> "Iterator[Spool]":
    """Open a spool; where memory or disk end, raise one fixed message, since a library's own may quote a row.

    Parameters
    ----------
    key : bytes
        From `key_or_fresh`.

    Raises
    ------
    TableUnreadableError
        If no temporary file can be made, whatever the rows are, or there is no room for them.
    """
    import duckdb

    check_room()
    try:
        # Also where every row is a person: what the database spills goes to the same place.
        with PersonRows() as rows, connect() as database:
            yield Spool(key, rows, database)
    except (duckdb.Error, sqlite3.Error, OSError, RuntimeError) as error:
        # An interrupt inside of a call back to Python comes as an error that shows where.
        if is_interrupt(error) or "KeyboardInterrupt" in str(error):
            raise KeyboardInterrupt from None
        raise TableUnreadableError(
            "there is no room for the rows of all persons",
            help="make room in the directory for temporary files, or name another one with TMPDIR",
        ) from None


class Spool:
    """Rows of persons, put aside until all have come, and what is counted of them."""

    def __init__(self, key: bytes, rows: "PersonRows", database: "DuckDBPyConnection") -> None:
        self._person_key = key_for("person", key)
        self._said_key = key_for("said", key)
        self._rank_key = key_for("rank", key)
        self._rows = rows
        self._database = database
        database.execute(f"set memory_limit = '{_MEMORY}'")
        database.execute("create table said (u ubigint, w ubigint, part integer, cell varchar)")
        database.execute("create table chosen (u ubigint, w ubigint, n bigint)")

    def said(self, sayings: Sequence[tuple[int, str | None]]) -> list[bytes]:
        """Take down what rows say, the number of the group and the text of the cell; return marks for `add`.

        What is taken down twice gets the same mark twice.
        """
        messages = [b"%d" % part if cell is None else b"%d:" % part + cell.encode() for part, cell in sayings]
        hashes = hashes_of_texts(messages, self._said_key)
        parts, cells = zip(*sayings, strict=True)
        self._insert("said", hashes, part=np.array(parts, np.int32), cell=np.array(cells, object))
        content = hashes.tobytes()
        return [content[at : at + _MARK] for at in range(0, len(content), _MARK)]

    def add(self, persons: Sequence[str], marks: Sequence[bytes]) -> None:
        """Put rows aside: the person of each, and what it says as a mark from `said`."""
        hashes = hashes_of_texts([person.encode() for person in persons], self._person_key)
        self._rows.add(hashes, _words_of(marks))

    def count(self, marks: Sequence[bytes], counts: Sequence[int]) -> None:
        """Count what needs no choice, since every row is a person: marks from `said` and numbers of rows."""
        self._insert("chosen", _words_of(marks), n=np.array(counts, np.int64))

    def keep(self, most: int, numbering: Numbering) -> None:
        """Choose the rows that every person keeps, and count what they say.

        Parameters
        ----------
        most : int
            Rows that a person keeps, over all groups.
        numbering : Numbering
            What tells the rows of a person apart.
        """
        counted: list[tuple[Words, Words]] = []
        for pieces in self._rows.shares():
            counted.append(distinct(kept(pieces, most, numbering, self._rank_key)))
            if sum(len(numbers) for _, numbers in counted) > _COUNTED:
                self._insert_chosen(counted)
                counted = []
        self._insert_chosen(counted)

    def rows_per_person(self) -> Counter[int]:
        """Return how many persons have how many rows, of all that were put aside."""
        found: Counter[int] = Counter()
        for pieces in self._rows.shares():
            persons = [piece[:, :2] for piece in pieces]
            _, rows = distinct(np.concatenate(persons)) if persons else ((), ())
            sizes, counts = np.unique(rows, return_counts=True)
            found.update(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))
        return found

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
            yield from _in_order(self._fetched(cells))

    def _count(self) -> None:
        """Add up what is kept, by the first row of `said` that says it.

        No step of this holds a text, so that the memory it takes depends on no length. Rows of `said` go by
        while they are compared with these numbers.
        """
        self._database.execute(
            "create table if not exists picked as select place, sum(n)::bigint as n from chosen "
            "join (select u, w, min(rowid) as place from said group by u, w) using (u, w) group by place"
        )

    def _insert_chosen(self, counted: Sequence[tuple[Words, Words]]) -> None:
        if counted:
            marks, numbers = map(np.concatenate, zip(*counted, strict=True))
            self._insert("chosen", marks, n=numbers)

    def _insert(self, table: str, hashes: Words, **columns: NDArray[Any]) -> None:
        columns = {"u": hashes[:, 0].copy(), "w": hashes[:, 1].copy(), **columns}
        self._database.register("batch", columns)
        self._database.execute(f"insert into {table} select * from batch")  # noqa: S608 - one of two names
        self._database.unregister("batch")

    def _fetched(self, query: str) -> Iterator[tuple]:  # type: ignore[type-arg]  # rows of any shape
        result = self._database.execute(query)
        while batch := result.fetchmany(BATCH):
            yield from batch


def _words_of(marks: Sequence[bytes]) -> Words:
    return np.frombuffer(b"".join(marks), dtype=np.uint64).reshape(-1, 2)


class PersonRows:
    """Rows of persons: hashes of the person and of what the row says; a context manager that closes its file.

    Rows are kept in shares that hold all rows of a person and fit into memory: a share is chosen by the
    person's hash, so that what is done for each person can be done share by share. Rows come back in the
    order in which they were added. The file has no name, so an end of the process leaves nothing behind.
    """

    def __init__(self) -> None:
        self._held: Words = np.empty((_HELD, _WIDTH), dtype=np.uint64)
        self._size = 0
        # For each time that rows were written: how many rows had been before, and where each share begins.
        self._written: list[tuple[int, Words]] = []
        self._file: IO[bytes] = _unnamed_file()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # What could not be written is tried once more, and needs not succeed any longer.
        with contextlib.suppress(OSError):
            self._file.close()

    def add(self, persons: Words, said: Words) -> None:
        """Append rows: the hash of each one's person and of what it says, of two words each."""
        done = 0
        while done < len(persons):
            rows = self._held[self._size : self._size + len(persons) - done]
            end = done + len(rows)
            rows[:, :2], rows[:, 2:] = persons[done:end], said[done:end]
            self._size += len(rows)
            done = end
            if self._size == len(self._held):
                self._write()

    def shares(self) -> Iterator[Iterator[Words]]:
        """Yield for each share its rows, piece by piece; all rows of a person are in one share."""
        if not self._written:
            yield iter([self._held[: self._size]])
            return
        self._write()
        for share in range(_SHARES):
            yield self._pieces(share)

    def _write(self) -> None:
        rows, self._size = self._held[: self._size], 0
        # Other bits than those by which rows are put together later.
        share = (rows[:, 1] & np.uint64(_SHARES - 1)).astype(np.uint8)
        starts = np.concatenate([[0], np.bincount(share, minlength=_SHARES).cumsum()]).astype(np.uint64)
        end = self._file.seek(0, 2)
        self._file.write(rows.take(np.argsort(share, kind="stable"), axis=0).data)
        self._file.flush()
        self._written.append((end // (8 * _WIDTH), starts))

    def _pieces(self, share: int) -> Iterator[Words]:
        parts: list[Words] = []
        size = 0
        for before, starts in self._written:
            first, end = int(starts[share]), int(starts[share + 1])
            self._file.seek((before + first) * 8 * _WIDTH)
            content = self._file.read((end - first) * 8 * _WIDTH)
            parts.append(np.frombuffer(content, dtype=np.uint64).reshape(end - first, _WIDTH))
            size += end - first
            if size >= _PIECE:
                yield np.concatenate(parts)
                parts, size = [], 0
        if size:
            yield np.concatenate(parts)


def _unnamed_file() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="rainbowdp-")


def _in_order(counted: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield texts with their numbers, in the order of the texts.

    SQLite sorts in an unnamed temporary file. DuckDB sorts faster, and gives up where long texts fill the
    memory that it may take.
    """
    with contextlib.closing(sqlite3.connect("")) as database:
        database.execute("create table counted (cell text, n integer)")
        database.executemany("insert into counted values (?, ?)", counted)
        yield from database.execute("select cell, n from counted order by cell")
