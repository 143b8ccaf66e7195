# SPDX-License-Identifier: Apache-2.0
"""Families whose pairs of neighbors live on a Spark cluster, in Parquet or in CSV with a header.

The driver holds a number or two per dataset and sends them out; each partition answers for its own pairs in
one pass, a function of what was sent and of batches of pairs, and Spark merges the answers by ``distinct`` or
by a minimum. Distances do not take a join per level: a partition relaxes the distances that it was sent until
none of its own pairs improves any, so a round settles everything that lies within a partition, and rounds are
needed only for what crosses between partitions. Everything else of rainbowdp works on the result as on any
other graph.

Master, memory and everything else come from where Spark looks for them: ``spark-submit``, ``spark-
defaults.conf``, ``SPARK_CONF_DIR``, or a session that the caller has started. Names of datasets become
numbers: numbers that are the datasets' own need a look at their range only, and names are joined to a table
of names, by Spark. A name that no dataset has is an error, as it is for files.
"""

import contextlib
import itertools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import (
    FileFormatError,
    FileUnreadableError,
    MissingExtraError,
    UnknownDatasetError,
    UsageError,
)
from rainbowdp.graph.arrays import dataset_codes, narrowest, number_type
from rainbowdp.graph.distances import UNREACHED, relaxed
from rainbowdp.graph.labels import close_labels
from rainbowdp.graph.relation import CodePairs, CodeTally, Ends, Report, marks, removal_notes

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]

FEW_ROUNDS = 8
"""After so many rounds the driver may take over."""

FEW_PAIRS = 16
"""Up to so many open pairs per dataset the driver takes over."""

_ENDS = ("source", "target")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_MET = ("first", "second", *_ENDS)
_BATCHES = 100
# A row that does not fit its header is an error, not a row that is silently lost or filled up.
_CSV = {"header": True, "quote": '"', "escape": '"', "mode": "FAILFAST", "emptyValue": ""}


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
    if not (block := list(batches)):
        return
    source, target = _ends(block)
    # Datasets of this partition are numbered anew, so that its work is that of its pairs.
    inside, numbers = np.unique(np.concatenate([source, target]), return_inverse=True)
    before = steps.value[inside]
    after = relaxed(numbers[: source.size], numbers[source.size :], before)
    improved = np.flatnonzero(after < before)
    yield _batch(dataset=inside[improved], steps=after[improved])


def _blocks(batches: Batches) -> Iterator[Ends]:
    """Yield the two columns of pairs, many batches at a time, since Spark's batches are small."""
    while block := list(itertools.islice(batches, _BATCHES)):
        yield _ends(block)


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
        return removal_notes(self._counts[1], 0)

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
        met = self._ask(self.frame, _met, sent, schema, count).groupBy("first", "second")
        least = met.agg(sql.min(sql.struct(*_ENDS)).alias("least")).orderBy("first", "second")
        found = least.select("first", "second", "least.source", "least.target").toArrow()
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


def spark_pairs(
    path: str, kind: str, size: int, labels: list[str] | None = None, report: Report | None = None
) -> SparkPairs:
    """Read pairs of neighbors with the running Spark session, or one made as Spark is configured.

    Parameters
    ----------
    path : str
        Whatever Spark can read there: a file, a folder, an address such as ``hdfs://...`` or ``s3a://...``.
    kind : {"parquet", "csv"}
        What it is. A CSV file has a header, quotes are doubled inside quotes, and no cell holds a line break.
    size : int
        Number of datasets.
    labels : list [n] of str, optional
        Their names; None if they are called 0 to n - 1.
    report : callable, optional
        Told in words about each pass over the pairs.

    Returns
    -------
    SparkPairs
        Its pairs are cached by Spark where names had to become numbers.

    Raises
    ------
    MissingExtraError, UsageError
        If PySpark is missing, or no session can be started.
    FileUnreadableError
        If Spark cannot read the table.
    FileFormatError, UnknownDatasetError
        If the table is not one of pairs of these datasets.
    """
    session = open_session()
    from pyspark.errors import PySparkException

    try:
        frame = session.read.parquet(path) if kind == "parquet" else session.read.options(**_CSV).csv(path)
        return SparkPairs(size, numbered(frame, labels, size), report)
    except (FileFormatError, UnknownDatasetError) as error:
        raise error.at(repr(path)) from error
    except PySparkException as error:
        raise FileUnreadableError(
            f"Spark cannot read {path!r}: {str(error).strip().splitlines()[0]}",
            help="check the address, and that each row of a CSV file has as many cells as its header",
            path=path,
        ) from error


def open_session() -> Any:  # noqa: ANN401 - mypy does not know PySpark
    """Return the running Spark session, or start one.

    Returns
    -------
    pyspark.sql.SparkSession

    Raises
    ------
    MissingExtraError
        If PySpark or pandas is not installed.
    UsageError
        If no session can be started, for example without Java.
    """
    try:
        import pandas as pd  # noqa: F401 - PySpark asks for it where batches are exchanged
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtraError(
            "this needs PySpark and pandas, which are not installed",
            help="install them with: pip install 'rainbowdp[spark]'",
        ) from error
    # Without it, workers on this machine would take the first python3 of the path, which may lack rainbowdp.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        # PySpark says which pandas it has not been tested with; pandas is not used here.
        warnings.simplefilter("ignore")
        try:
            # What Spark says in the middle of a terminal would hide what rainbowdp says there.
            builder = SparkSession.builder.appName("rainbowdp")
            return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
        except (PySparkException, OSError) as error:
            raise UsageError(
                f"no Spark session could be started: {str(error).splitlines()[0]}",
                help="check SPARK_HOME, JAVA_HOME and the master that Spark is configured with",
            ) from error


def numbered(frame: Any, labels: list[str] | None, size: int) -> Any:  # noqa: ANN401 - mypy does not know PySpark
    """Return pairs of neighbors by the numbers of the datasets.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With the columns ``source`` and ``target``, names of datasets.
    labels : list [n] of str, or None
        The names of the datasets; None if they are called 0 to n - 1.
    size : int
        Number of datasets.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns ``source`` and ``target`` as whole numbers from 0, without nulls.

    Raises
    ------
    FileFormatError
        If a column is missing, or a pair lacks an end.
    UnknownDatasetError
        If a pair names a dataset that is not there.
    """
    from pyspark.sql import functions as sql

    for name in _ENDS:
        if name not in frame.columns:
            raise FileFormatError(
                f"the table of neighbors has no column {name!r}",
                help=f"its columns are {', '.join(map(repr, frame.columns))}",
                column=name,
            )
    pairs = frame.select(*_ENDS)
    whole = labels is None and all(kind in _WHOLE for _, kind in pairs.dtypes)
    extremes = [sql.min(sql.least(*_ENDS)), sql.max(sql.greatest(*_ENDS))] if whole else []
    nulls = [sql.sum(sql.col(name).isNull().cast("long")) for name in _ENDS]
    *counts, lowest, highest = [*pairs.agg(*nulls, *extremes).first(), None, None][:4]
    for name, count in zip(_ENDS, counts, strict=True):
        if count:
            raise FileFormatError(
                f"the table of neighbors has no {name} in {count} row{'s' * (count > 1)}",
                help="name both datasets of every pair",
                column=name,
            )
    if not whole:
        return _joined(pairs, labels, size)
    if lowest is not None and (lowest < 0 or highest >= size):
        wrong = lowest if lowest < 0 else highest
        raise _unknown(str(wrong), f"the datasets are 0 to {size - 1}")
    return pairs.select(*(sql.col(name).cast("long").alias(name) for name in _ENDS))


def _joined(pairs: Any, labels: list[str] | None, size: int) -> Any:  # noqa: ANN401 - see numbered
    import pyarrow as pa
    from pyspark.sql import functions as sql

    texts = list(map(str, range(size))) if labels is None else labels
    table = pa.table({"name": pa.array(texts, pa.string()), "number": np.arange(size, dtype=np.int64)})
    names = pairs.sparkSession.createDataFrame(table)
    found = pairs.select(*(sql.col(end).cast("string").alias(end) for end in _ENDS))
    for end in _ENDS:
        known = names.select(sql.col("name").alias(f"{end}_name"), sql.col("number").alias(f"{end}_number"))
        found = found.join(known, found[end] == known[f"{end}_name"], "left")
    wrong = [found.where(sql.col(f"{end}_number").isNull()).agg(sql.min(end).alias("name")) for end in _ENDS]
    (first,) = wrong[0].union(wrong[1]).agg(sql.min("name")).first()
    if first is not None:
        raise _unknown(first, close_labels(first, texts))
    return found.select(*(sql.col(f"{end}_number").alias(end) for end in _ENDS))


def _unknown(name: str, help: str) -> UnknownDatasetError:
    return UnknownDatasetError(
        f"the table of neighbors names the dataset {name!r}, which does not exist",
        help=help or "list it among the datasets, or remove the pair",
        dataset=name,
    )
