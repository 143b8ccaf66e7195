# SPDX-License-Identifier: Apache-2.0
"""What a worker does with the pairs of one partition: one class per question, called by Spark.

Each is a frozen value with what the driver sent out, and a function from the partition's batches of pairs to
batches of answers. None knows anything of other partitions; an answer is such that Spark can merge them by
``distinct`` or by a minimum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.passes import CodeTally, marks

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]
Ends = tuple[NDArray[np.int64], NDArray[np.int64]]

UNREACHED = np.iinfo(np.int32).max
"""The number of steps of a dataset that no start is known to reach."""

_BLOCK = 1 << 20
# Up to so many datasets per pair of a partition, numbering its own anew takes longer than it saves.
_FEW_DATASETS = 4
_MOST_SWEEPS = 16


@dataclass(frozen=True)
class Mixed:
    """Which datasets have a neighbor of another code.

    Parameters
    ----------
    codes : Broadcast of unsigned integer array [n]
        The code of each dataset.
    """

    codes: Any

    def __call__(self, batches: Batches) -> Batches:
        """Yield the datasets, each once."""
        yield _batch(dataset=np.flatnonzero(marks(_blocks(batches), self.codes.value).mixed))


@dataclass(frozen=True)
class Met:
    """Which codes meet, equal ones too, each with the least pair of datasets.

    Parameters
    ----------
    codes : Broadcast of unsigned integer array [n]
        The code of each dataset.
    count : int
        The number of codes.
    """

    codes: Any
    count: int

    def __call__(self, batches: Batches) -> Batches:
        """Yield ``first < second, source, target``, and for equal codes the code four times."""
        codes = self.codes.value
        tally = CodeTally(self.count, codes.size)
        for source, target in _blocks(batches):
            tally.add_pairs(source, target, codes)
        met = tally.result()
        columns = (met.first, met.second, met.source, met.target)
        names = ("first", "second", "source", "target")
        yield _batch(
            **{
                name: np.concatenate([column.astype(np.int64), met.same])
                for name, column in zip(names, columns, strict=True)
            }
        )


@dataclass(frozen=True)
class Open:
    """The pairs that can improve a distance: those with an end that is not a start.

    Parameters
    ----------
    starts : Broadcast of bool array [n]
        The datasets at distance 0.
    """

    starts: Any

    def __call__(self, batches: Batches) -> Batches:
        """Yield the pairs, as they are."""
        starts = self.starts.value
        for source, target in _blocks(batches):
            kept = (source != target) & ~(starts[source] & starts[target])
            yield _batch(source=source[kept], target=target[kept])


@dataclass(frozen=True)
class Relaxed:
    """What the pairs of a partition make of the distances that it was sent.

    Parameters
    ----------
    steps : Broadcast of int32 array [n]
        A number of steps that reaches each dataset, the largest int32 where none is known.
    """

    steps: Any

    def __call__(self, batches: Batches) -> Batches:
        """Yield ``dataset, steps`` for the datasets that the pairs of this partition improve."""
        parts = list(_blocks(batches))
        if not parts:
            return
        source, target = (np.concatenate([part[end] for part in parts]) for end in (0, 1))
        known = self.steps.value
        if known.size <= _FEW_DATASETS * source.size:
            inside, before = None, known
        else:
            # Datasets of this partition are numbered anew, so that its work is that of its pairs.
            inside, numbers = np.unique(np.concatenate([source, target]), return_inverse=True)
            source, target, before = numbers[: source.size], numbers[source.size :], known[inside]
        after = relaxed(source, target, before)
        improved = np.flatnonzero(after < before)
        yield _batch(dataset=improved if inside is None else inside[improved], steps=after[improved])


def relaxed(source: NDArray[Any], target: NDArray[Any], steps: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the numbers of steps that no pair can improve.

    Parameters
    ----------
    source, target : integer array [m]
        Pairs of neighbors.
    steps : int32 array [k]
        Numbers of steps that reach each dataset, the largest int32 where none is known.

    Returns
    -------
    int32 array [k]
        The least numbers of steps that follow from these along the pairs.

    Examples
    --------
    >>> far = np.iinfo(np.int32).max
    >>> relaxed(np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0, far, 9, far], dtype=np.int32))
    array([0, 1, 2, 3], dtype=int32)
    """
    if is_worth_compiling(source.size):
        from rainbowdp.graph.distances import relax_in_place

        steps, changed = steps.copy(), source.size
        for sweep in range(_MOST_SWEEPS):
            before, changed = changed, relax_in_place(source, target, steps, backward=sweep % 2 == 1)
            if not changed:
                return steps
            if sweep > 1 and changed >= before:
                break
    return _searched(source, target, steps)


def _searched(source: NDArray[Any], target: NDArray[Any], steps: NDArray[np.int32]) -> NDArray[np.int32]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    size = steps.size
    reached = np.flatnonzero(steps != UNREACHED)
    # One search from an extra dataset, whose edges are as long as the steps known so far; an edge of length 0
    # would be no edge, so each is one longer.
    rows = np.concatenate([source, np.full(reached.size, size)])
    columns = np.concatenate([target, reached])
    lengths = np.concatenate([np.ones(source.size), steps[reached] + 1.0])
    graph = coo_array((lengths, (rows, columns)), shape=(size + 1, size + 1))
    # Repeated pairs would add up on the way to rows, so each keeps one entry of length 1.
    compressed = graph.tocsr()
    inner = compressed.data[: compressed.indptr[size]]
    inner[:] = 1.0
    found = dijkstra(compressed, directed=False, indices=[size])[0, :size] - 1
    return np.where(np.isinf(found), UNREACHED, found).astype(np.int32)


def _blocks(batches: Batches) -> Iterator[Ends]:
    """Yield the two columns of pairs, many batches at a time, since Spark's batches are small."""
    waiting: list[Ends] = []
    rows = 0
    for batch in batches:
        waiting.append(_ends(batch))
        rows += batch.num_rows
        if rows >= _BLOCK:
            yield _joined(waiting)
            waiting, rows = [], 0
    if waiting:
        yield _joined(waiting)


def _joined(parts: list[Ends]) -> Ends:
    source, target = zip(*parts, strict=True)
    return np.concatenate(source), np.concatenate(target)


def _ends(batch: "pa.RecordBatch") -> Ends:
    """Return the two columns of a batch of pairs as arrays."""
    source, target = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("source", "target"))
    return source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)


def _batch(**columns: NDArray[Any]) -> "pa.RecordBatch":
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(columns)
