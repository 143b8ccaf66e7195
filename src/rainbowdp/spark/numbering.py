# SPDX-License-Identifier: Apache-2.0
"""From the names of datasets in a Spark table of pairs to their numbers.

Numbers that are the datasets' own need no more than a look at their range; names are joined to a table of
names, by Spark. A name that no dataset has is an error, as it is for files.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, UnknownDatasetError
from rainbowdp.graph.labels import close_labels

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_ENDS = ("source", "target")


def numbered(frame: Any, labels: NDArray[Any] | None, size: int) -> Any:  # noqa: ANN401 - PySpark is no dependency of the checker
    """Return pairs of neighbors by the numbers of the datasets.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With the columns ``source`` and ``target``, names of datasets.
    labels : array [n] or None
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
    _refuse_nulls(pairs)
    if labels is None and all(kind in _WHOLE for _, kind in pairs.dtypes):
        whole = pairs.select(*(sql.col(name).cast("long").alias(name) for name in _ENDS))
        lowest, highest = whole.agg(sql.min(sql.least(*_ENDS)), sql.max(sql.greatest(*_ENDS))).first()
        if lowest is not None and (lowest < 0 or highest >= size):
            raise _unknown(str(lowest if lowest < 0 else highest), None, size)
        return whole
    return _joined(pairs, labels, size)


def _refuse_nulls(pairs: Any) -> None:  # noqa: ANN401 - see numbered
    from pyspark.sql import functions as sql

    counts = pairs.agg(*(sql.sum(sql.col(name).isNull().cast("long")) for name in _ENDS)).first()
    for name, count in zip(_ENDS, counts, strict=True):
        if count:
            raise FileFormatError(
                f"{count} row{'s' * (count > 1)} of the table of neighbors {'have' if count > 1 else 'has'} "
                f"no {name}",
                help="name both datasets of every pair",
                column=name,
            )


def _joined(pairs: Any, labels: NDArray[Any] | None, size: int) -> Any:  # noqa: ANN401 - see numbered
    import pyarrow as pa
    from pyspark.sql import functions as sql

    texts = np.arange(size).astype(np.str_) if labels is None else labels.astype(np.str_)
    table = pa.table({"name": pa.array(texts.tolist()), "number": np.arange(size, dtype=np.int64)})
    names = pairs.sparkSession.createDataFrame(table)
    found = pairs.select(*(sql.col(end).cast("string").alias(end) for end in _ENDS))
    for end in _ENDS:
        known = names.select(sql.col("name").alias(f"{end}_name"), sql.col("number").alias(f"{end}_number"))
        found = found.join(known, found[end] == known[f"{end}_name"], "left")
    wrong = [found.where(sql.col(f"{end}_number").isNull()).agg(sql.min(end).alias("name")) for end in _ENDS]
    (first,) = wrong[0].union(wrong[1]).agg(sql.min("name")).first()
    if first is not None:
        raise _unknown(first, texts, size)
    return found.select(*(sql.col(f"{end}_number").alias(end) for end in _ENDS))


def _unknown(name: str, texts: NDArray[np.str_] | None, size: int) -> UnknownDatasetError:
    known = f"the datasets are 0 to {size - 1}" if texts is None else ""
    return UnknownDatasetError(
        f"the table of neighbors names the dataset {name!r}, which does not exist",
        help=known
        or close_labels(name, texts.tolist() if texts is not None else [])
        or "list it among the datasets, or remove the pair",
        dataset=name,
    )
