# SPDX-License-Identifier: Apache-2.0
"""Keep at most M rows of each person: every row has a random number, and the M smallest of a person stay.

The number of a person's row is SipHash of the person and of how many rows of that person came before, under a
secret key that is drawn from the operating system for each call. It depends neither on what the row says nor
on other persons: under one key, no other person's rows change what is kept of a person. The numbers have 64
bits and are as good as independent uniform ones, since SipHash is made as a pseudorandom function. So what is
kept is a uniformly random set of the person's rows. Two rows of a person have the same number with
probability ``2**-64``; of n rows none is kept more often than another by more than ``n / 2**64``. Of
categories, each one counts as a row, however often the person names it.

A person is the text of the unit cell (`cell_text`), so ``7``, ``7.0`` and ``" 7 "`` are one person. It stands
here by a hash of 128 bits, BLAKE2s under a key of the same call. Two persons of N share one with a
probability below ``N**2 / 2**129``. Only hashes of persons and of answers are put aside, in an unnamed
temporary file; texts of groups and answers are taken down apart from them, in a database that lives in memory
and spills to temporary files.
"""

import contextlib
import hashlib
import secrets
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2s
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import TableUnreadableError, UsageError
from rainbowdp.formats.text_tables import connect
from rainbowdp.tables.local_files import check_room
from rainbowdp.tables.source import BATCH, is_interrupt

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Words = NDArray[np.uint64]
Places = NDArray[np.intp]

_LEAST_KEY = 16
_KEPT = "said join picked on said.rowid = picked.place"
# How many bytes of texts, and of what stands beside each, the database sorts by itself.
_SORTED = 1 << 27
_BESIDE = 64
# Words in a row: two of the person, two of what the row says.
_WIDTH = 4
_PERSON, _SAID = slice(0, 2), slice(2, 4)
# Beside a row: its number, and how many rows of its person there were so far.
_NUMBER, _COUNT = 4, 5
_SIPHASH = b"somepseudorandomlygeneratedbytes"
# As many messages as fit the caches of a processor with all that is computed about them.
_AT_ONCE = 1 << 13
# A power of two.
_SHARES = 128
# Rows that are held in memory before they are written; a table with fewer of them is never written.
_HELD = 1 << 20
# Rows of one share that are handed out at once: far more than a share has unless persons are few.
_PIECE = 1 << 21
# Numbers of rows that are held in memory before the database takes them down.
_COUNTS = 1 << 18
_MEMORY = "1GB"


@contextlib.contextmanager
def spool_for(secret: bytes | None) -> "Iterator[Spool]":
    """Open a spool; where memory or disk end, raise one fixed message, since a library's own may quote a row.

    Parameters
    ----------
    secret : bytes, optional
        Under which rows have their numbers; by default from the operating system.

    Raises
    ------
    UsageError
        If a given key has fewer than 16 bytes.
    TableUnreadableError
        If no temporary file can be made, whatever the rows are, or there is no room for them.
    """
    import duckdb

    if secret is not None and len(secret) < _LEAST_KEY:
        raise UsageError(
            f"a key of {len(secret)} bytes is too short to hide anything",
            help="leave it out, or give 32 bytes",
        )
    check_room()
    try:
        # Also where every row is a person: what the database spills goes to the same place.
        with PersonRows() as rows, connect() as database:
            yield Spool(secrets.token_bytes(32) if secret is None else secret, rows, database)
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

    def __init__(self, secret: bytes, rows: "PersonRows", database: "DuckDBPyConnection") -> None:
        self._hash = blake2s(hashlib.sha256(secret).digest())
        self._numbers = hashlib.sha256(b"numbers" + secret).digest()[:16]
        self._rows = rows
        self._database = database
        database.execute(f"set memory_limit = '{_MEMORY}'")
        database.execute("create table said (u ubigint, w ubigint, part integer, cell varchar)")
        database.execute("create table chosen (u ubigint, w ubigint, n bigint)")

    def take_down(self, sayings: Sequence[tuple[int, str | None]]) -> list[bytes]:
        """Take down what rows say, the number of the group and the text of the cell; return marks for `add`.

        What is taken down twice gets the same mark twice.
        """
        messages = [b"%d" % part if cell is None else b"%d:" % part + cell.encode() for part, cell in sayings]
        marks = self._hashes(messages)
        parts, cells = zip(*sayings, strict=True)
        self._insert("said", _words_of(marks), part=np.array(parts, np.int32), cell=np.array(cells, object))
        return marks

    def add(self, persons: Sequence[str], marks: Sequence[bytes]) -> None:
        """Put rows aside: the person of each, and what it says as a mark from `take_down`."""
        hashes = self._hashes(map(str.encode, persons))
        self._rows.add(np.hstack([_words_of(hashes), _words_of(marks)]))

    def count(self, marks: Sequence[bytes], counts: Sequence[int]) -> None:
        """Count what needs no choice, as every row is a person: marks from `take_down`, numbers of rows."""
        self._insert("chosen", _words_of(marks), n=np.array(counts, np.int64))

    def keep(self, most: int, *, once: bool) -> None:
        """Choose the rows that every person keeps, and count what they say.

        Parameters
        ----------
        most : int
            Rows that a person keeps, over all groups.
        once : bool
            Whether what a person says twice counts once.
        """
        held: list[Words] = []
        for pieces in self._rows.shares():
            held.append(np.column_stack(distinct(chosen(pieces, most, self._numbers, once=once))))
            if sum(map(len, held)) > _COUNTS:
                held = self._count_held(held)
        self._count_held(held)

    def rows_per_person(self) -> Counter[int]:
        """Return how many persons have how many rows, of all that were put aside."""
        found: Counter[int] = Counter()
        for pieces in self._rows.shares():
            persons = [piece[:, _PERSON] for piece in pieces]
            if persons:
                found.update(distinct(np.concatenate(persons))[1].tolist())
        return found

    def tally(self, part: int) -> Iterator[tuple[str | None, int]]:
        """Yield ``(cell, number of rows)`` for what is kept of a group."""
        self._add_up()
        yield from self._fetched(f"select cell, n from {_KEPT} where part = {int(part)}")  # noqa: S608 - a number

    def by_cell(self) -> Iterator[tuple[str, int]]:
        """Yield ``(cell, number of rows)`` for all that is kept, in the order of the cells."""
        self._add_up()
        ((size,),) = self._fetched(f"select coalesce(sum(strlen(cell) + {_BESIDE}), 0) from {_KEPT}")  # noqa: S608 - a number
        small = size <= _SORTED
        counted = self._fetched(f"select cell, n from {_KEPT} {'order by cell' * small}")  # noqa: S608 - a fixed text
        yield from counted if small else _in_order(counted)

    def _add_up(self) -> None:
        """Add up what is kept, by the first row of `said` that says it.

        No step of this holds a text, so that the memory it takes depends on no length. Rows of `said` go by
        while they are compared with these numbers.
        """
        self._database.execute(
            "create table if not exists picked as select place, sum(n)::bigint as n from chosen "
            "join (select u, w, min(rowid) as place from said group by u, w) using (u, w) group by place"
        )

    def _hashes(self, messages: Iterable[bytes]) -> list[bytes]:
        """Return the keyed hash of each message."""
        hashes = []
        for message in messages:
            # To copy a state that has taken the key is faster than to begin with the key each time.
            state = self._hash.copy()
            state.update(message)
            hashes.append(state.digest())
        return hashes

    def _count_held(self, held: list[Words]) -> list[Words]:
        """Count marks, with numbers of rows in a third word; return what is held then: nothing."""
        if held:
            counted = np.concatenate(held)
            self._insert("chosen", counted, n=counted[:, 2].copy())
        return []

    def _insert(self, table: str, hashes: Words, **columns: NDArray[Any]) -> None:
        columns = {"u": hashes[:, 0].copy(), "w": hashes[:, 1].copy(), **columns}
        self._database.register("batch", columns)
        self._database.execute(f"insert into {table} select * from batch")  # noqa: S608 - one of two names
        self._database.unregister("batch")

    def _fetched(self, query: str) -> Iterator[tuple]:  # type: ignore[type-arg]  # rows of any shape
        result = self._database.execute(query)
        while batch := result.fetchmany(BATCH):
            yield from batch


def _words_of(hashes: Sequence[bytes]) -> Words:
    """Return two words for each hash, which has four."""
    return np.frombuffer(b"".join(hashes), dtype=np.uint64).reshape(-1, 4)[:, :2]


def siphash(columns: Sequence[Words], secret: bytes) -> Words:
    """Return SipHash-2-4 of rows of words, which are given as columns, all rows together.

    A row is the message of 8 bytes for each word, and of 7 for the last one, which is below ``2**56``: so the
    length of the message fits beside it.

    References
    ----------
    J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF. INDOCRYPT 2012.

    Examples
    --------
    >>> siphash([np.arange(2, dtype=np.uint64)], bytes(16)).tolist()
    [9653631509764641772, 16226771425619785023]
    """
    length = np.uint64((8 * len(columns) - 1) << 56)
    halves = np.frombuffer(secret, dtype="<u8").tolist() * 2
    starts = (int.from_bytes(_SIPHASH[at : at + 8], "big") for at in range(0, 32, 8))
    state = [
        np.full(len(columns[0]), half ^ start, np.uint64) for half, start in zip(halves, starts, strict=True)
    ]
    for word in (*columns[:-1], columns[-1] | length):
        state[3] ^= word
        _mix(state, 2)
        state[0] ^= word
    state[2] ^= np.uint64(255)
    _mix(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _mix(state: list[Words], rounds: int) -> None:
    """Mix the four words of a state, for all messages at once."""
    for _ in range(rounds):
        for to, by, bits in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
            state[to] += state[by]
            state[by] = _rotated(state[by], bits) ^ state[to]
            if by == 1:
                state[to] = _rotated(state[to], 32)


def _rotated(words: Words, bits: int) -> Words:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def chosen(pieces: Iterable[Words], most: int, secret: bytes, *, once: bool) -> Words:
    """Choose the rows that every person keeps.

    Parameters
    ----------
    pieces : iterable of arrays
        All rows of some persons, as `PersonRows` yields them.
    most : int
        Rows that a person keeps.
    secret : bytes
        Of `siphash`: 16 bytes.
    once : bool
        Whether what a person says several times is one row.

    Returns
    -------
    array of words
        What the kept rows say, two words each.

    Examples
    --------
    >>> rows = np.array([[7, 7, 1, 1], [8, 8, 1, 1], [7, 7, 1, 1]], np.uint64)
    >>> chosen([rows], 2, bytes(16), once=False).tolist()
    [[1, 1], [1, 1], [1, 1]]
    >>> chosen([rows], 2, bytes(16), once=True).tolist()
    [[1, 1], [1, 1]]
    """
    kept: Words = np.empty((0, _WIDTH + 2), dtype=np.uint64)
    for piece in pieces:
        rows = np.concatenate([kept, np.pad(piece, ((0, 0), (0, 2)))])
        # A saying that has lost its place must not come again, so all of them stay until the end.
        kept = _first(rows, 1, *_runs(rows[:, :_WIDTH])) if once else _smallest(rows, len(kept), most, secret)
    if once:
        # They get their numbers in the order of their hashes, which depends on no other person.
        kept = _smallest(kept.take(np.lexsort(kept[:, _SAID].T), axis=0), 0, most, secret)
    return kept[:, _SAID]


def _smallest(rows: Words, old: int, most: int, secret: bytes) -> Words:
    """Return the rows with the smallest numbers of each person; only the first so many have theirs yet."""
    order, starts = _runs(rows[:, _PERSON])
    rows, new = rows.take(order, axis=0), order >= old
    sizes = np.diff(starts, append=len(rows))
    # Of a person, rows with numbers stand first, and say how many there were.
    told = rows[starts, _COUNT]
    kept = np.add.reduceat(~new, starts, dtype=np.uint64) if len(rows) else told
    places = np.arange(len(rows), dtype=np.uint64) - np.repeat(starts.astype(np.uint64) + kept - told, sizes)
    for at in range(0, len(rows), _AT_ONCE):
        part = np.flatnonzero(new[at : at + _AT_ONCE]) + at
        rows[part, _NUMBER] = siphash([*rows[part, _PERSON].T, places[part]], secret)
    rows[:, _COUNT] = np.repeat(told + sizes.astype(np.uint64) - kept, sizes)
    return _first(rows, most, _by_number(rows[:, _NUMBER], sizes), starts)


def _by_number(numbers: Words, sizes: Places) -> Places:
    """Return an order that puts the numbers of each run, which are so many, from small to large."""
    runs = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
    bits = np.uint64(len(sizes).bit_length())
    packed = (runs << np.uint64(64) - bits) | (numbers >> bits)
    order = np.argsort(packed)
    # Different numbers may begin with the same bits.
    return order if _differ(packed.take(order)).all() else np.lexsort((numbers, runs))


def distinct(keys: Words) -> tuple[Words, Words]:
    """Return each key once, and how often it is there.

    Examples
    --------
    >>> keys, counts = distinct(np.array([[7, 1], [5, 1], [7, 1]], dtype=np.uint64))
    >>> sorted(zip(map(tuple, keys.tolist()), counts.tolist()))
    [((5, 1), 1), ((7, 1), 2)]
    """
    order, starts = _runs(keys)
    return keys.take(order[starts], axis=0), np.diff(starts, append=len(keys)).astype(np.uint64)


def _runs(keys: Words) -> tuple[Places, Places]:
    """Return an order that puts equal keys together and keeps theirs, and where each run of them begins."""
    # One word of a key, cut to make room for its place, is sorted much faster than whole keys.
    bits = np.uint64(len(keys).bit_length())
    packed = np.bitwise_xor.reduce(keys, axis=1) >> bits << bits | np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    order = (packed & (np.uint64(1) << bits) - np.uint64(1)).astype(np.intp)
    starts = _starts(keys, order)
    if len(starts) == np.count_nonzero(_differ(packed >> bits)):
        return order, starts
    # Different keys look alike then.
    order = np.lexsort(keys.T)
    return order, _starts(keys, order)


def _starts(keys: Words, order: Places) -> Places:
    """Return where each run of equal keys begins."""
    return np.flatnonzero(_differ(*keys.take(order, axis=0).T))


def _differ(*columns: Words) -> NDArray[np.bool_]:
    """Tell which rows differ from the one before; the first one does."""
    changes = [column[1:] != column[:-1] for column in columns]
    # Of no rows there is no first one.
    return np.append(True, np.logical_or.reduce(changes))[: len(columns[0])]


def _first(rows: Words, most: int, order: Places, starts: Places) -> Words:
    """Return the first rows of each run."""
    sizes = np.diff(starts, append=len(rows))
    return rows.take(order[np.arange(len(rows)) - np.repeat(starts, sizes) < most], axis=0)


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
        # Closing writes what is still buffered; an error there no longer matters.
        with contextlib.suppress(OSError):
            self._file.close()

    def add(self, rows: Words) -> None:
        """Append rows: the hash of each one's person and of what it says, of two words each."""
        while len(rows):
            room = self._held[self._size : self._size + len(rows)]
            room[:], rows = rows[: len(room)], rows[len(room) :]
            self._size += len(room)
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
