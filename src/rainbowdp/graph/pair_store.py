# SPDX-License-Identifier: Apache-2.0
"""Pairs that are set aside and read again, forward or backward: in memory, or on the disk.

The file on the disk has no name, so it is gone when the process ends, also when that is killed. Only a batch
of it is in memory at a time; the operating system may cache the rest.
"""

import os
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileWriteError
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.relation import Ends

BATCH = 1 << 20
"""Pairs that are read at once."""

Kind = type[np.int32] | type[np.int64]
"""The type that numbers datasets."""


class PairMemory:
    """Pairs of datasets in memory, in the arrays that they come in; it offers what `PairSpool` does.

    Parameters
    ----------
    kind : numpy integer type
        What numbers the datasets.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._parts: list[Ends] = []

    @property
    def size(self) -> int:
        """Number of pairs."""
        return sum(source.size for source, _ in self._parts)

    def add(self, source: Integers, target: Integers) -> None:
        """Append pairs."""
        self._parts.append((source, target))

    def batches(self, *, backward: bool = False) -> Iterator[Ends]:
        """Yield all pairs batch by batch, from the first batch to the last or the other way."""
        return reversed(self._parts) if backward else iter(self._parts)

    def array(self, count: int) -> Integers:
        """Return an array for so many datasets."""
        array: NDArray[Any] = np.empty(count, dtype=self._kind)
        return array


class PairSpool:
    """Pairs of datasets in an unnamed temporary file, which is closed when it is no longer held.

    Parameters
    ----------
    kind : numpy integer type
        What numbers the datasets.

    Examples
    --------
    >>> spool = PairSpool(np.int32)
    >>> spool.add(np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32))
    >>> spool.size, [source.tolist() for source, _ in spool.batches()]
    (2, [[0, 1]])
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._file: IO[bytes] = unnamed_file()
        self._sizes: list[int] = []
        # A reader that comes again as often as it needs cannot say when it is the last time.
        weakref.finalize(self, self._file.close)

    @property
    def size(self) -> int:
        """Number of pairs."""
        return sum(self._sizes)

    def add(self, source: Integers, target: Integers) -> None:
        """Append pairs.

        Raises
        ------
        FileWriteError
            If there is no room.
        """
        for start in range(0, source.size, BATCH):
            ends = (source[start : start + BATCH], target[start : start + BATCH])
            try:
                for end in ends:
                    np.ascontiguousarray(end, dtype=self._kind).tofile(self._file)
            except OSError as error:
                raise no_room(error) from error
            self._sizes.append(ends[0].size)

    def batches(self, *, backward: bool = False) -> Iterator[Ends]:
        """Yield all pairs batch by batch, from the first batch to the last or the other way."""
        width = np.dtype(self._kind).itemsize
        ends = np.cumsum(self._sizes) * 2 * width
        order = range(len(self._sizes))
        for number in reversed(order) if backward else order:
            size = self._sizes[number]
            self._file.seek(int(ends[number]) - 2 * size * width)
            both: NDArray[Any] = np.fromfile(self._file, dtype=self._kind, count=2 * size)
            if both.size < 2 * size:
                raise no_room(OSError("it has been cut"))
            yield both[:size], both[size:]

    def array(self, count: int) -> Integers:
        """Return an array that lives in an unnamed file, so that the system may move it out of memory.

        Raises
        ------
        FileWriteError
            If there is no room.
        """
        with unnamed_file() as file:
            try:
                # Without room, writing to the mapping would end the process; and nothing cannot be mapped.
                length = max(count, 1) * np.dtype(self._kind).itemsize
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, length)
                else:
                    file.truncate(length)
                array: Integers = np.memmap(file, dtype=self._kind, mode="r+")[:count]
            except OSError as error:
                raise no_room(error) from error
        return array


PairStore = PairMemory | PairSpool
"""A place for pairs, and for an array of as many numbers as they have ends."""


def unnamed_file() -> IO[bytes]:
    """Open a temporary file that is gone when it is closed, however that comes."""
    try:
        return tempfile.TemporaryFile(prefix="rainbowdp-", buffering=0)
    except OSError as error:
        raise no_room(error) from error


def no_room(error: OSError) -> FileWriteError:
    """Return the error of a temporary file that cannot be written."""
    folder = tempfile.gettempdir()
    return FileWriteError(
        f"cannot write a temporary file in {folder!r}: {error.strerror or error}",
        help="make room there, or set the environment variable TMPDIR to a folder with room",
        path=folder,
    )
