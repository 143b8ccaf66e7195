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

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]
Ends = tuple[NDArray[np.int64], NDArray[np.int64]]

UNREACHED = np.iinfo(np.int32).max
"""The number of steps of a dataset that no start is known to reach."""


@dataclass(frozen=True)
class Mixed:
    """Which datasets have a neighbor of another code.

    Parameters
    ----------
    codes : Broadcast of int32 array [n]
        The code of each dataset.
    """

    codes: Any

    def __call__(self, batches: Batches) -> Batches:
        """Yield the datasets, each once."""
        codes = self.codes.value
        marked = np.zeros(codes.size, dtype=np.bool_)
        for source, target in map(_ends, batches):
            crossing = codes[source] != codes[target]
            marked[source[crossing]] = True
            marked[target[crossing]] = True
        yield _batch(dataset=np.flatnonzero(marked))


@dataclass(frozen=True)
class Met:
    """Which codes meet, equal ones too, each with the least pair of datasets.

    Parameters
    ----------
    codes : Broadcast of int32 array [n]
        The code of each dataset.
    count : int
        The number of codes.
    """

    codes: Any
    count: int

    def __call__(self, batches: Batches) -> Batches:
        """Yield ``first <= second, source, target``, each pair of codes once a batch."""
        codes = self.codes.value
        for ends in map(_ends, batches):
            source, target = np.minimum(*ends), np.maximum(*ends)
            proper = source != target
            source, target = source[proper], target[proper]
            one, other = codes[source].astype(np.int64), codes[target].astype(np.int64)
            packed = np.minimum(one, other) * self.count + np.maximum(one, other)
            order = np.lexsort((target, source, packed))
            packed = packed[order]
            fresh = np.ones(packed.size, dtype=np.bool_)
            np.not_equal(packed[1:], packed[:-1], out=fresh[1:])
            at, packed = order[fresh], packed[fresh]
            yield _batch(
                first=packed // max(self.count, 1),
                second=packed % max(self.count, 1),
                source=source[at],
                target=target[at],
            )


@dataclass(frozen=True)
class Open:
    """The pairs that can improve a distance: those with an end that is no start.

    Parameters
    ----------
    starts : Broadcast of bool array [n]
        The datasets at distance 0.
    """

    starts: Any

    def __call__(self, batches: Batches) -> Batches:
        """Yield the pairs, as they are."""
        starts = self.starts.value
        for source, target in map(_ends, batches):
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
        parts = list(map(_ends, batches))
        if not parts:
            return
        source, target = (np.concatenate([part[end] for part in parts]) for end in (0, 1))
        known = self.steps.value
        # Datasets of this partition are numbered anew, so that its work and memory are those of its pairs.
        inside, numbers = np.unique(np.concatenate([source, target]), return_inverse=True)
        if not inside.size:
            return
        before = known[inside]
        after = relaxed(numbers[: source.size], numbers[source.size :], before)
        improved = after < before
        yield _batch(dataset=inside[improved], steps=after[improved])


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


def _ends(batch: "pa.RecordBatch") -> Ends:
    """Return the two columns of a batch of pairs as arrays."""
    source, target = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("source", "target"))
    return source.astype(np.int64, copy=False), target.astype(np.int64, copy=False)


def _batch(**columns: NDArray[Any]) -> "pa.RecordBatch":
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(columns)
