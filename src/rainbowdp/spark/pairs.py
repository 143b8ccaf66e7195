# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors in a Spark DataFrame: what needs every pair is done where the pairs are.

The driver holds a number or two per dataset and sends them out; each partition answers for its
own pairs in one pass, and Spark merges the answers. Distances do not take a join per level: a partition
relaxes the distances that it was sent until none of its own pairs improves any, so a round settles everything
that lies within a partition, and rounds are needed only for what crosses between partitions.
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
from rainbowdp.graph.relation import CodePairs
from rainbowdp.spark import partitions
from rainbowdp.spark.partitions import UNREACHED, relaxed

if TYPE_CHECKING:
    import pyarrow as pa

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
            found = self._ask(self.frame, partitions.Mixed, sent, "dataset long").distinct().toArrow()
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
                self._ask(self.frame, partitions.Met, sent, schema, count)
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
        rest = self._ask(self.frame, partitions.Open, starts, "source long, target long").persist()
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

        found = self._ask(rest, partitions.Relaxed, steps, "dataset long, steps int")
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
