# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors in a Spark DataFrame: what needs every pair is done where the pairs are.

The driver holds a number or two per dataset and sends them out; each partition answers for its own pairs in
one pass (`Mixed`, `Met`, `Open`, `Relaxed`: a value with what the driver sent, and a function from batches of
pairs to batches of answers), and Spark merges the answers by ``distinct`` or by a minimum. Distances do not
take a join per level: a partition relaxes the distances that it was sent until none of its own pairs improves
any, so a round settles everything that lies within a partition, and rounds are needed only for what crosses
between partitions.
"""

import contextlib
import functools
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileUnreadableError, UsageError
from rainbowdp.graph.arrays import dataset_codes, narrowest
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.passes import CodeTally, marks
from rainbowdp.graph.relation import CodePairs

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


Report = Callable[[str], None]

_MET = ("first", "second", "source", "target")

FEW_ROUNDS = 8
"""After so many rounds the driver may take over."""

FEW_PAIRS = 16
"""Up to so many open pairs per dataset the driver takes over."""


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

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        asked = dataset_codes(codes, self.size)
        sent = asked.astype(narrowest(int(asked.max(initial=0)) + 1))
        with at_work():
            found = self._ask(self.frame, Mixed, sent, "dataset long").distinct().toArrow()
        marked = np.zeros(self.size, dtype=np.bool_)
        marked[_column(found, "dataset")] = True
        self._say(f"{int(marked.sum())} datasets with a neighbor of another rainbow or class")
        return marked

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        from pyspark.sql import functions as sql

        schema = ", ".join(f"{name} long" for name in _MET)
        sent = dataset_codes(codes, self.size, count).astype(narrowest(count))
        with at_work():
            found = (
                self._ask(self.frame, Met, sent, schema, count)
                .groupBy("first", "second")
                .agg(sql.min(sql.struct("source", "target")).alias("least"))
                .select("first", "second", "least.source", "least.target")
                .orderBy("first", "second")
                .toArrow()
            )
        first, second, source, target = map(functools.partial(_column, found), _MET)
        apart = first != second
        self._say(f"{int(apart.sum())} pairs of different codes meet")
        kind = np.int32 if self.size <= np.iinfo(np.int32).max else np.int64
        return CodePairs(
            first[apart],
            second[apart],
            source[apart].astype(kind),
            target[apart].astype(kind),
            first[~apart],
        )

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached.

        Takes as many rounds as a shortest path crosses partitions, and one more that finds nothing. Where
        paths are long and their datasets scattered over the partitions, a few rounds show it; if no more
        than `FEW_PAIRS` pairs per dataset are open then, the driver takes them and finishes.
        """
        with at_work():
            return self._steps_from(starts)

    def _steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        steps = np.where(starts, 0, UNREACHED).astype(np.int32)
        # Pairs of two starts improve nothing; the rest is what each round reads.
        rest = self._ask(self.frame, Open, starts, "source long, target long").persist()
        try:
            for round_number in itertools.count(1):
                improved = self._improved(rest, steps)
                self._say(f"round {round_number}: {improved.num_rows} distances improved")
                if improved.num_rows == 0:
                    break
                steps[_column(improved, "dataset")] = _column(improved, "steps")
                if round_number == FEW_ROUNDS and rest.count() <= FEW_PAIRS * self.size:
                    steps = self._finished_here(rest, steps)
                    break
        finally:
            rest.unpersist()
        return np.where(steps == UNREACHED, np.int32(-1), steps)

    def _improved(self, rest: Any, steps: NDArray[np.int32]) -> "pa.Table":  # noqa: ANN401 - see _ask
        """Return which datasets the partitions bring nearer, each with the best that any of them found."""
        from pyspark.sql import functions as sql

        found = self._ask(rest, Relaxed, steps, "dataset long, steps int")
        merged: pa.Table = found.groupBy("dataset").agg(sql.min("steps").alias("steps")).toArrow()
        return merged

    def _finished_here(self, rest: Any, steps: NDArray[np.int32]) -> NDArray[np.int32]:  # noqa: ANN401 - see _ask
        """Relax the open pairs to the end on the driver, which has room for a few pairs per dataset."""
        pairs = rest.toArrow()
        self._say(f"the paths cross many partitions: {pairs.num_rows} pairs are finished on the driver")
        return relaxed(_column(pairs, "source"), _column(pairs, "target"), steps)

    def _ask(self, frame: Any, task: Callable[..., Any], sent: NDArray[Any], schema: str, *more: Any) -> Any:  # noqa: ANN401 - mypy does not know PySpark
        """Send an array to all workers and let each partition answer for its pairs."""
        shared = frame.sparkSession.sparkContext.broadcast(sent)
        with warnings.catch_warnings():
            # PySpark says which pandas it has not been tested with; no pandas frame is made here.
            warnings.simplefilter("ignore", FutureWarning)
            return frame.mapInArrow(task(shared, *more), schema)

    def _say(self, text: str) -> None:
        if self.report is not None:
            self.report(text)


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


def _column(table: "pa.Table", name: str) -> NDArray[Any]:
    values: NDArray[Any] = table.column(name).to_numpy()
    return values
