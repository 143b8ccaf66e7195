# SPDX-License-Identifier: Apache-2.0
"""Tables of pairs of neighbors, as Spark reads them: Parquet, or CSV with a header.

Master, memory and everything else come from where Spark looks for them: ``spark-submit``, ``spark-
defaults.conf``, ``SPARK_CONF_DIR``, or a session that the caller has started. Names of datasets become
numbers: numbers that are the datasets' own need a look at their range only, and names are joined to a table
of names, by Spark. A name that no dataset has is an error, as it is for files.
"""

import os
import shutil
import sys
import warnings
from typing import Any

import numpy as np

from rainbowdp.errors import (
    FileFormatError,
    FileUnreadableError,
    MissingExtraError,
    RainbowError,
    UnknownDatasetError,
    UsageError,
)
from rainbowdp.graph.labels import close_labels
from rainbowdp.spark.pairs import Report, SparkPairs

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_ENDS = ("source", "target")


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
        frame = _table(session, path, kind)
        return SparkPairs(size, numbered(frame, labels, size), report)
    except UsageError:
        raise
    except RainbowError as error:
        raise error.at(repr(path)) from error
    except PySparkException as error:
        raise FileUnreadableError(
            f"Spark cannot read {path!r}: {str(error).strip().splitlines()[0]}",
            help="check the address, and that each row of a CSV file has as many cells as its header",
            path=path,
        ) from error


def _table(session: Any, path: str, kind: str) -> Any:  # noqa: ANN401 - mypy does not know PySpark
    if kind == "parquet":
        return session.read.parquet(path)
    # A row that does not fit its header is an error, not a row that is silently lost or filled up.
    options = {"header": True, "quote": '"', "escape": '"', "mode": "FAILFAST", "emptyValue": ""}
    return session.read.options(**options).csv(path)


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
    if (
        SparkSession.getActiveSession() is None
        and shutil.which("java") is None
        and not os.environ.get("JAVA_HOME")
    ):
        raise UsageError(
            "Spark needs Java, and there is no java on this machine",
            help="install a Java runtime (17 or newer), or set JAVA_HOME",
        )
    # Without it, workers on this machine would take the first python3 of the path, which may lack rainbowdp.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        # PySpark says which pandas it has not been tested with; pandas is not used here.
        warnings.simplefilter("ignore")
        try:
            # What Spark says in the middle of a terminal would hide what rainbowdp says there.
            builder = SparkSession.builder.appName("rainbowdp")
            builder = builder.config("spark.ui.showConsoleProgress", "false")
            session = builder.getOrCreate()
        except (PySparkException, OSError) as error:
            raise UsageError(
                f"no Spark session could be started: {str(error).splitlines()[0]}",
                help="check SPARK_HOME, JAVA_HOME and the master that Spark is configured with",
            ) from error
    return session


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
                f"{count} row{'s' * (count > 1)} of the table of neighbors {'have' if count > 1 else 'has'} "
                f"no {name}",
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
