# SPDX-License-Identifier: Apache-2.0
"""Tables of pairs of neighbors, as Spark reads them: Parquet, or CSV with a header."""

from typing import Any

from numpy.typing import NDArray

from rainbowdp.errors import FileUnreadableError, RainbowError, UsageError
from rainbowdp.spark.numbering import numbered
from rainbowdp.spark.pairs import Report, SparkPairs
from rainbowdp.spark.session import open_session


def spark_pairs(
    path: str, kind: str, size: int, labels: NDArray[Any] | None = None, report: Report | None = None
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
    labels : array [n], optional
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
        If there is no Spark here.
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


def _table(session: Any, path: str, kind: str) -> Any:  # noqa: ANN401 - PySpark is no dependency of the checker
    if kind == "parquet":
        return session.read.parquet(path)
    # A row that does not fit its header is an error, not a row that is silently lost or filled up.
    options = {"header": True, "quote": '"', "escape": '"', "mode": "FAILFAST", "emptyValue": ""}
    return session.read.options(**options).csv(path)
