# SPDX-License-Identifier: Apache-2.0
"""Put rows of persons, and texts to be sorted, aside in unnamed temporary files.

A row of a person is four words, the hash of its person and the hash of what it says. `PersonRows` keeps rows
in shares that hold all rows of a person and fit into memory: a share is chosen by the person's hash, so that
what is done for each person can be done share by share. Rows come back in the order in which they were added.

`in_order` sorts as many texts as fit at a time and puts them aside; then all such runs are read side by side.
Databases sort faster, and give up where long texts fill the memory that they may take.

The files have no name, so an end of the process leaves nothing behind.
"""

import contextlib
import heapq
import struct
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, Self

import numpy as np

from rainbowdp.tables.row_limit import Words

WIDTH = 4
"""Words in a row: two of the person, two of what the row says."""

# A power of two.
_SHARES = 128
# Rows that are held in memory before they are written; a table with fewer of them is never written.
_HELD = 1 << 20
# Rows of one share that are handed out at once: far more than a share has unless persons are few.
_PIECE = 1 << 21


class PersonRows:
    """A spool of rows; a context manager that closes its file.

    It and any of its methods raise an ``OSError`` where the disk has no room.
    """

    def __init__(self) -> None:
        self._held: Words = np.empty((_HELD, WIDTH), dtype=np.uint64)
        self._size = 0
        # For each time that rows were written: how many rows had been before, and where each share begins.
        self._written: list[tuple[int, Words]] = []
        self._rows_written = 0
        self._closing = contextlib.ExitStack()
        self._file: IO[bytes] = self._closing.enter_context(_unnamed_file())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # What could not be written is tried once more, and needs not succeed any longer.
        with contextlib.suppress(OSError):
            self._closing.close()

    def add(self, persons: Words, said: Words) -> None:
        """Append rows: the hash of each one's person and of what it says, of two words each."""
        done = 0
        while done < len(persons):
            room = slice(self._size, self._size + len(persons) - done)
            rows = self._held[room]
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
        rows = self._held[: self._size]
        # Other bits than those by which rows are put together later.
        share = (rows[:, 1] & np.uint64(_SHARES - 1)).astype(np.uint8)
        starts = np.concatenate([[0], np.bincount(share, minlength=_SHARES).cumsum()]).astype(np.uint64)
        before = self._rows_written
        self._file.seek(before * 8 * WIDTH)
        self._file.write(rows.take(np.argsort(share, kind="stable"), axis=0).data)
        self._file.flush()
        self._written.append((before, starts))
        self._rows_written += len(rows)
        self._size = 0

    def _pieces(self, share: int) -> Iterator[Words]:
        parts: list[Words] = []
        size = 0
        for before, starts in self._written:
            first, end = int(starts[share]), int(starts[share + 1])
            parts.append(self._read(before + first, end - first))
            size += end - first
            if size >= _PIECE:
                yield np.concatenate(parts)
                parts, size = [], 0
        if size:
            yield np.concatenate(parts)

    def _read(self, first: int, count: int) -> Words:
        self._file.seek(first * 8 * WIDTH)
        content = self._file.read(count * 8 * WIDTH)
        if len(content) != count * 8 * WIDTH:
            raise OSError("a temporary file has been cut")
        return np.frombuffer(content, dtype=np.uint64).reshape(count, WIDTH)


def _unnamed_file() -> IO[bytes]:
    return tempfile.TemporaryFile(prefix="rainbowdp-")


_HELD_BYTES = 1 << 26
# What a text takes beside its bytes.
_BESIDE = 128
_READ = 1 << 18
_HEAD = struct.Struct("<Iq")

Counted = tuple[str, int]


def in_order(counted: Iterable[Counted]) -> Iterator[Counted]:
    """Yield distinct texts with their numbers, in the order of the texts.

    Parameters
    ----------
    counted : iterable of str and int
        Texts that UTF-8 can say, each with a number below 2**63.

    Raises
    ------
    OSError
        If the disk has no room.

    Examples
    --------
    >>> list(in_order([("rent", 7), ("food", 9), ("Ärger", 1)]))
    [('food', 9), ('rent', 7), ('Ärger', 1)]
    """
    with tempfile.TemporaryFile(prefix="rainbowdp-") as file:
        runs: list[tuple[int, int]] = []
        held: list[Counted] = []
        size = 0
        for text, number in counted:
            held.append((text, number))
            size += 4 * len(text) + _BESIDE
            if size > _HELD_BYTES:
                runs.append(_put(file, held))
                held, size = [], 0
        held.sort()
        yield from heapq.merge(*(_run(file, start, end) for start, end in runs), held)


def _put(file: IO[bytes], held: list[Counted]) -> tuple[int, int]:
    """Write a sorted run, and return where it begins and ends."""
    held.sort()
    start = file.seek(0, 2)
    for text, number in held:
        content = text.encode()
        file.write(_HEAD.pack(len(content), number) + content)
    file.flush()
    return start, file.tell()


def _run(file: IO[bytes], at: int, end: int) -> Iterator[Counted]:
    """Yield what stands between two places; the file is read elsewhere in the meantime."""
    rest = b""
    while at < end:
        file.seek(at)
        block = file.read(min(_READ, end - at))
        if not block:
            raise OSError("a temporary file has been cut")
        at += len(block)
        rest += block
        place = 0
        while len(rest) - place >= _HEAD.size:
            length, number = _HEAD.unpack_from(rest, place)
            stop = place + _HEAD.size + length
            if stop > len(rest):
                break
            yield rest[place + _HEAD.size : stop].decode(), number
            place = stop
        rest = rest[place:]
