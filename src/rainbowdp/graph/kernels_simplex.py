# SPDX-License-Identifier: Apache-2.0
"""Compiled passes over the histograms of some records: stretch by stretch, no pair ever written down.

Histograms that agree in all counts but the last two follow each other, so they form a stretch of numbers, and
a move of one record leads from a stretch to another one, all along at the same shift. A stretch has `prefix`,
its counts before the last two, and ``before[l]``, the records in the counts from l on; its own last two
counts are ``(position, before[-1] - position)``. `simplex` says what the shift of a move is. Only
integers occur.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import kernel
from rainbowdp.graph.kernels import Table, put

Counts = NDArray[np.int64]


@kernel
def _next(prefix: Counts, before: Counts) -> bool:
    """Go on to the next stretch; return whether there is one."""
    last = prefix.size - 1
    while last >= 0 and before[last + 1] == 0:
        last -= 1
    # All records left of `last` stay; one more goes there, and the counts after it become 0.
    if last < 0:
        return False
    prefix[last] += 1
    before[last + 1] -= 1
    for part in range(last + 1, prefix.size):
        prefix[part] = 0
        before[part + 1] = before[part]
    return True


@kernel
def _previous(prefix: Counts, before: Counts) -> bool:
    """Go back to the stretch before; return whether there is one."""
    last = prefix.size - 1
    while last >= 0 and prefix[last] == 0:
        last -= 1
    if last < 0:
        return False
    prefix[last] -= 1
    before[last + 1] += 1
    for part in range(last + 1, prefix.size):
        prefix[part] = before[part]
        before[part + 1] = 0
    return True


@kernel
def _terms(ways: NDArray[np.int64], before: Counts, sign: int, terms: NDArray[np.int64]) -> None:
    """Fill in what a move adds to the number of a histogram: a head at its first part and a tail at its last.

    `terms` [3, parts] holds heads, tails, and what all parts before one add together when they lie between.
    """
    parts = before.size + 1
    head, tail, middle = terms[0], terms[1], terms[2]
    middle[0] = 0
    for part in range(parts - 2):
        here, after = before[part], before[part + 1]
        row = ways[part]
        # Where nothing is left to move the value is not used.
        less_here, less_after = max(here - sign, 0), max(after - sign, 0)
        head[part] = row[after] - row[less_after]
        tail[part] = row[less_here] - row[here]
        middle[part + 1] = middle[part] + row[less_here] - row[less_after] - row[here] + row[after]
    tail[parts - 2] = -sign
    tail[parts - 1] = 0
    head[parts - 2] = 1
    # The last two parts add nothing between others, and from the one to the other is the next number.
    middle[parts - 1] = middle[parts - 2]


@kernel
def _shift(terms: NDArray[np.int64], source: int, target: int) -> int:
    """Return what a move between two parts adds to the number."""
    shift: int = terms[0, source] + terms[2, target] - terms[2, source + 1] + terms[1, target]
    return shift


@kernel
def _span(prefix: Counts, target: int, start: int, stop: int) -> tuple[int, int]:
    """Return the part of a stretch that has a record in some part, the last two among them."""
    if target == prefix.size:
        return start + 1, stop
    if target > prefix.size:
        return start, stop - 1
    return (start, stop) if prefix[target] > 0 else (start, start)


@kernel
def simplex_mixed(
    codes: NDArray[Any], mixed: NDArray[np.uint8], ways: NDArray[np.int64], shape: tuple[int, int, int]
) -> None:
    """Mark the histograms with a neighbor of another code.

    `shape` holds the records, the parts, and the first part that records move to.
    """
    records, parts, first_target = shape
    prefix, before = np.zeros(parts - 2, dtype=np.int64), np.full(parts - 1, records, dtype=np.int64)
    terms = np.zeros((3, parts), dtype=np.int64)
    start = 0
    more = True
    while more:
        stop = start + before[parts - 2] + 1
        _terms(ways, before, 1, terms)
        for target in range(first_target, parts):
            begin, end = _span(prefix, target, start, stop)
            for source in range(target if begin < end else 0):
                shift = _shift(terms, source, target)
                one, other = codes[begin:end], codes[begin + shift : end + shift]
                mark, other_mark = mixed[begin:end], mixed[begin + shift : end + shift]
                for x in range(one.size):
                    differs = one[x] != other[x]
                    mark[x] |= differs
                    other_mark[x] |= differs
        start = stop
        more = _next(prefix, before)


@kernel
def simplex_code_pairs(
    codes: NDArray[Any], ways: NDArray[np.int64], shape: tuple[int, int, int], place: Counts, table: Table
) -> bool:
    """Record the codes of every pair of neighbors, from the stretch in `place` on.

    `place` holds the prefix and the `before` of a stretch, one after the other, and the state of the table
    where it starts. Returns whether all was done; if not, the table has to be larger.
    """
    records, parts, first_target = shape
    state = table[3]
    prefix, before = place[: parts - 2], place[parts - 2 :]
    terms = np.zeros((3, parts), dtype=np.int64)
    start = state[0]
    if start == 0:
        prefix[:] = 0
        before[:] = records
    more = True
    while more:
        stop = start + before[parts - 2] + 1
        _terms(ways, before, 1, terms)
        for target in range(first_target, parts):
            span = _span(prefix, target, start, stop)
            for source in range(target if span[0] < span[1] else 0):
                if not _record(codes, span, _shift(terms, source, target), table):
                    state[0] = start
                    return False
        start = stop
        more = _next(prefix, before)
    return True


@kernel
def _record(codes: NDArray[Any], span: tuple[int, int], shift: int, table: Table) -> bool:
    """Record the codes of a stretch of datasets and of those that lie further; return whether all fitted."""
    keys, least, same, state = table
    begin, end = span
    one, other = codes[begin:end], codes[begin + shift : end + shift]
    last = np.int64(-1)
    for x in range(one.size):
        here, there = np.int64(one[x]), np.int64(other[x])
        if here == there:
            same[here] = True
            continue
        key = min(here, there) * same.size + max(here, there)
        if key == last:
            continue
        if 2 * (state[1] + 1) > keys.size:
            return False
        last = key
        state[1] += put(keys, least, key, (begin + x) * codes.size + begin + x + shift)
    return True


@kernel
def simplex_steps_down(steps: NDArray[Any], ways: NDArray[np.int64], shape: tuple[int, int, int]) -> None:
    """Lower the steps by all moves to a later part, from the last histogram to the first."""
    records, parts, first_target = shape
    prefix, before = np.zeros(parts - 2, dtype=np.int64), np.full(parts - 1, records, dtype=np.int64)
    if parts > 2:
        # The last stretch has all records in the first part.
        prefix[0] = records
        before[1:] = 0
    terms = np.zeros((3, parts), dtype=np.int64)
    start = steps.size - before[parts - 2] - 1
    more = True
    while more:
        stop = start + before[parts - 2] + 1
        _terms(ways, before, 1, terms)
        for target in range(first_target, parts):
            begin, end = _span(prefix, target, start, stop)
            for source in range(min(target, parts - 2) if begin < end else 0):
                shift = _shift(terms, source, target)
                _lower(steps[begin:end], steps[begin + shift : end + shift])
        for at in range(stop - 2, start - 1, -1):
            steps[at] = min(steps[at], steps.dtype.type(steps[at + 1] + 1))
        more = _previous(prefix, before)
        start -= before[parts - 2] + 1


@kernel
def simplex_steps_up(steps: NDArray[Any], ways: NDArray[np.int64], shape: tuple[int, int, int]) -> None:
    """Lower the steps by all moves to an earlier part, from the first histogram to the last."""
    records, parts, first_target = shape
    prefix, before = np.zeros(parts - 2, dtype=np.int64), np.full(parts - 1, records, dtype=np.int64)
    terms = np.zeros((3, parts), dtype=np.int64)
    start = 0
    more = True
    while more:
        stop = start + before[parts - 2] + 1
        _terms(ways, before, -1, terms)
        for source in range(parts - 2):
            for target in range(max(first_target, source + 1), parts if prefix[source] > 0 else 0):
                shift = _shift(terms, source, target)
                _lower(steps[start:stop], steps[start + shift : stop + shift])
        for at in range(start + 1, stop):
            steps[at] = min(steps[at], steps.dtype.type(steps[at - 1] + 1))
        start = stop
        more = _next(prefix, before)


@kernel
def _lower(here: NDArray[Any], there: NDArray[Any]) -> None:
    """Let every entry be at most one more than the entry beside it."""
    for x in range(here.size):
        here[x] = min(here[x], here.dtype.type(there[x] + 1))
