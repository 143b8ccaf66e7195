# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors in a Spark DataFrame: what needs every pair is done where the pairs are.

The driver holds a number or two per dataset and sends them out; each partition answers for its own pairs in
one pass, a function of what was sent and of batches of pairs, and Spark merges the answers by ``distinct`` or
by a minimum. Distances do not take a join per level: a partition relaxes the distances that it was sent until
none of its own pairs improves any, so a round settles everything that lies within a partition, and rounds are
needed only for what crosses between partitions.
"""

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileUnreadableError, UsageError
from rainbowdp.graph.arrays import dataset_codes, narrowest, number_type
from rainbowdp.graph.passes import CodeTally, marks
from rainbowdp.graph.relation import CodePairs

if TYPE_CHECKING:
    import pyarrow as pa


Batches = Iterator["pa.RecordBatch"]
Ends = tuple[NDArray[np.int64], NDArray[np.int64]]
Report = Callable[[str], None]

UNREACHED = np.iinfo(np.int32).max
"""The number of steps of a dataset that no start is known to reach."""

FEW_ROUNDS = 8
"""After so many rounds the driver may take over."""

FEW_PAIRS = 16
"""Up to so many open pairs per dataset the driver takes over."""

_ENDS = ("source", "target")
_MET = ("first", "second", *_ENDS)
_BLOCK = 1 << 20


def _mixed(codes: Any, batches: Batches) -> Batches:  # noqa: ANN401 - a broadcast array, as below; mypy does not know PySpark
    """Yield the datasets that have a neighbor of another code, each once."""
    yield _batch(dataset=np.flatnonzero(marks(_blocks(batches), codes.value).mixed))


def _met(codes: Any, count: int, batches: Batches) -> Batches:  # noqa: ANN401 - see _mixed
    """Yield the codes that meet with their least pair of datasets; for equal codes the code four times."""
    tally = CodeTally(count, codes.value.size)
    for source, target in _blocks(batches):
        tally.add_pairs(source, target, codes.value)
    met = tally.result()
    columns = (met.first, met.second, met.source, met.target)
    joined = [np.concatenate([column.astype(np.int64), met.same]) for column in columns]
    yield _batch(**dict(zip(_MET, joined, strict=True)))


def _open(starts: Any, batches: Batches) -> Batches:  # noqa: ANN401 - see _mixed
    """Yield the pairs that can improve a distance: those with an end that is not a start."""
    for source, target in _blocks(batches):
        kept = (source != target) & ~(starts.value[source] & starts.value[target])
        yield _batch(source=source[kept], target=target[kept])


def relaxed_partition(steps: Any, batches: Batches) -> Batches:  # noqa: ANN401 - see _mixed
    """Yield the datasets that the pairs of a partition bring nearer.

    Parameters
    ----------
    steps : Broadcast of int32 array [n]
        A number of steps that reaches each dataset, the largest int32 where none is known.
    batches : iterator of record batches
        The pairs.

    Yields
    ------
    record batch
        ``dataset, steps``.
    """
    parts = list(_blocks(batches))
    if not parts:
        return
    source, target = (np.concatenate([part[end] for part in parts]) for end in (0, 1))
    # Datasets of this partition are numbered anew, so that its work is that of its pairs.
    inside, numbers = np.unique(np.concatenate([source, target]), return_inverse=True)
    before = steps.value[inside]
    after = relaxed(numbers[: source.size], numbers[source.size :], before)
    improved = np.flatnonzero(after < before)
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


def _blocks(batches: Batches) -> Iterator[Ends]:
    """Yield the two columns of pairs, many batches at a time, since Spark's batches are small."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= _BLOCK:
            yield _ends(waiting)
            waiting, rows = [], 0
    if waiting:
        yield _ends(waiting)


def _ends(batches: "list[pa.RecordBatch]") -> Ends:
    import pyarrow as pa

    table = pa.Table.from_batches(batches)
    source, target = (_column(table, name).astype(np.int64, copy=False) for name in _ENDS)
    return source, target


def _batch(**columns: NDArray[Any]) -> "pa.RecordBatch":
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(columns)


def _column(table: "pa.Table", name: str) -> NDArray[Any]:
    values: NDArray[Any] = table.column(name).to_numpy()
    return values


@contextlib.contextmanager
def at_work() -> Iterator[None]:
    """Turn Spark's exceptions into errors of this package.

    Raises
    ------
    UsageError
        If the workers lack a package.
    FileUnreadableError
        If Spark gives up for another reason.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # it ships no types
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        if lack := next((line for line in lines if line.startswith("ModuleNotFoundError")), None):
            raise UsageError(
                f"the workers of Spark lack a package: {lack}",
                help="install rainbowdp in the Python of the workers, and name that Python with "
                "spark.pyspark.python or PYSPARK_PYTHON",
            ) from error
        raise FileUnreadableError(
            f"Spark has given up: {lines[0] if lines else type(error).__name__}",
            help="look at what Spark says in its own log",
        ) from error


@dataclass(eq=False, repr=False)
class SparkPairs:
    """The pairs of neighbors of datasets 0 to ``size - 1``, in a Spark DataFrame.

    A :class:`rainbowdp.graph.NeighborRelation`, so a `RainbowGraph` can be made on it. The workers need
    rainbowdp and PyArrow installed.

    Parameters
    ----------
    size : int
        Number of datasets; the driver and every worker hold some bytes for each.
    frame : pyspark.sql.DataFrame
        Two columns of integers, ``source`` and ``target``: numbers of datasets, without nulls, a pair in
        either direction or both.
    report : callable, optional
        Told in words what each pass over the pairs has done.

    Examples
    --------
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> session = SparkSession.builder.getOrCreate()  # doctest: +SKIP
    """

    size: int
    frame: Any
    report: Report | None = None

    def __repr__(self) -> str:
        return f"SparkPairs({self.size} datasets)"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the input, in words; empty if nothing was."""
        loops = self._counts[1]
        return (f"{loops} self-loop{'s' * (loops > 1)} removed",) if loops else ()

    @property
    def pair_count(self) -> int:
        """Number of pairs that join two different datasets, as they stand in the table."""
        return self._counts[0]

    @cached_property
    def _counts(self) -> tuple[int, int]:
        """How many rows join different datasets, and how many are self-loops."""
        from pyspark.sql import functions as sql

        loops = sql.sum((sql.col("source") == sql.col("target")).cast("long"))
        with at_work():
            rows, looped = self.frame.agg(sql.count("*"), loops).first()
        return rows - (looped or 0), looped or 0

    @at_work()
    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        asked = dataset_codes(codes, self.size)
        sent = asked.astype(narrowest(int(asked.max(initial=0)) + 1))
        found = self._ask(self.frame, _mixed, sent, "dataset long").distinct().toArrow()
        marked = np.zeros(self.size, dtype=np.bool_)
        marked[_column(found, "dataset")] = True
        self._say(f"{int(marked.sum())} datasets with a neighbor of another rainbow or class")
        return marked

    @at_work()
    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        from pyspark.sql import functions as sql

        schema = ", ".join(f"{name} long" for name in _MET)
        sent = dataset_codes(codes, self.size, count).astype(narrowest(count))
        found = (
            self._ask(self.frame, _met, sent, schema, count)
            .groupBy("first", "second")
            .agg(sql.min(sql.struct(*_ENDS)).alias("least"))
            .select("first", "second", "least.source", "least.target")
            .orderBy("first", "second")
            .toArrow()
        )
        first, second, *ends = (_column(found, name) for name in _MET)
        apart = first != second
        self._say(f"{int(apart.sum())} pairs of different codes meet")
        source, target = (end[apart].astype(number_type(self.size)) for end in ends)
        return CodePairs(first[apart], second[apart], source, target, first[~apart])

    @at_work()
    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached.

        Takes as many rounds as a shortest path crosses partitions, and one more that finds nothing. Where
        paths are long and their datasets scattered over the partitions, a few rounds show it; if no more
        than `FEW_PAIRS` pairs per dataset are open then, the driver takes them and finishes.
        """
        from pyspark.sql import functions as sql

        steps = np.where(starts, 0, UNREACHED).astype(np.int32)
        # Pairs of two starts improve nothing; the rest is what each round reads.
        rest = self._ask(self.frame, _open, starts, "source long, target long").persist()
        try:
            for round_number in itertools.count(1):
                found = self._ask(rest, relaxed_partition, steps, "dataset long, steps int")
                improved = found.groupBy("dataset").agg(sql.min("steps").alias("steps")).toArrow()
                self._say(f"round {round_number}: {improved.num_rows} distances improved")
                if improved.num_rows == 0:
                    break
                steps[_column(improved, "dataset")] = _column(improved, "steps")
                if round_number == FEW_ROUNDS and rest.count() <= FEW_PAIRS * self.size:
                    pairs = rest.toArrow()
                    self._say(f"{pairs.num_rows} pairs on paths across partitions are finished on the driver")
                    steps = relaxed(_column(pairs, "source"), _column(pairs, "target"), steps)
                    break
        finally:
            rest.unpersist()
        return np.where(steps == UNREACHED, np.int32(-1), steps)

    def _ask(self, frame: Any, task: Callable[..., Any], sent: NDArray[Any], schema: str, *more: Any) -> Any:  # noqa: ANN401 - mypy does not know PySpark
        """Send an array to all workers and let each partition answer for its pairs."""
        shared = frame.sparkSession.sparkContext.broadcast(sent)
        with warnings.catch_warnings():
            # PySpark says which pandas it has not been tested with; no pandas frame is made here.
            warnings.simplefilter("ignore", FutureWarning)
            return frame.mapInArrow(partial(task, shared, *more), schema)

    def _say(self, text: str) -> None:
        if self.report is not None:
            self.report(text)
