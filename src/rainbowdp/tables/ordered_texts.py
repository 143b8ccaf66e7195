# SPDX-License-Identifier: Apache-2.0
"""Texts in their order, however many and however long they are, within a stated part of the memory.

As many as fit are sorted at a time and put aside in an unnamed temporary file; then all such
runs are read side by side. Databases sort faster, and give up where long texts fill the memory that they may
take.
"""

import heapq
import struct
import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

_HELD = 1 << 26
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
            if size > _HELD:
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
