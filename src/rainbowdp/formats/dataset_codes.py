# SPDX-License-Identifier: Apache-2.0
"""The class of every dataset as a table with the columns ``dataset, class``.

Names are written and read in blocks, and datasets that are called 0 to n - 1 stay integers, so that 10^8 of
them take no loop in Python. ``class`` is the number of a row of the
class table, counted from 0.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError
from rainbowdp.formats.datasets import (
    ArrowError,
    integer_batches,
    integer_rows,
    known_datasets,
    refuse_repeats,
)
from rainbowdp.formats.suffixes import Form
from rainbowdp.formats.tables import arrays, literal, open_table, reading
from rainbowdp.mechanism import Mechanism

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

CODED_FORMS = (Form.CSV, Form.PARQUET)
COLUMNS = ("dataset", "class")
_BLOCK = 1 << 20


def write_codes(database: "DuckDBPyConnection", path: Path, form: Form, mechanism: Mechanism) -> None:
    """Write the class of every dataset.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
        From `rainbowdp.formats.tables.connect`.
    path : Path
        A new file.
    form : Form
        CSV or Parquet.
    mechanism : Mechanism
        Whose datasets and classes.

    Raises
    ------
    OSError, duckdb.Error
        If the file cannot be written.
    """
    if form is Form.PARQUET:
        _write_parquet(path, mechanism)
    else:
        _write_csv(database, path, mechanism)


def _blocks(mechanism: Mechanism) -> Iterator[tuple[NDArray[Any], NDArray[np.int32]]]:
    for start in range(0, mechanism.size, _BLOCK):
        stop = min(start + _BLOCK, mechanism.size)
        names = np.arange(start, stop) if mechanism.labels is None else mechanism.labels[start:stop]
        yield names, mechanism.codes[start:stop]


def _write_parquet(path: Path, mechanism: Mechanism) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    labels = mechanism.labels
    whole = labels is None or (isinstance(labels, np.ndarray) and labels.dtype.kind == "i")
    schema = pa.schema([("dataset", pa.int64() if whole else pa.string()), ("class", pa.int32())])
    with parquet.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=["class"],
        column_encoding={"dataset": "DELTA_BINARY_PACKED"} if whole else None,
    ) as writer:
        for names, codes in _blocks(mechanism):
            texts = names if whole else names.astype(object)
            writer.write_table(pa.table([pa.array(texts, schema.types[0]), codes], schema=schema))


def _write_csv(database: "DuckDBPyConnection", path: Path, mechanism: Mechanism) -> None:
    rows = path.with_suffix(".rows")
    try:
        with path.open("wb") as whole:
            whole.write(f"{','.join(COLUMNS)}\n".encode())
            for names, codes in _blocks(mechanism):
                named = names if names.dtype.kind == "i" else names.astype(object)
                database.register("block", {"dataset": named, "class": codes})
                database.execute(
                    f"copy (select dataset::varchar, class from block) to {literal(str(rows))} "  # noqa: S608 - a quoted path
                    "(format csv, header false, quote '\"', escape '\"')"
                )
                whole.write(rows.read_bytes())
    finally:
        rows.unlink(missing_ok=True)


def read_codes(
    database: "DuckDBPyConnection", path: Path, form: Form, classes: list[str]
) -> tuple[NDArray[np.int32], list[str] | None]:
    """Read the class of every dataset.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
        From `rainbowdp.formats.tables.connect`, without tables.
    path, form
        The file.
    classes : list of str
        The names of the classes.

    Returns
    -------
    codes : int32 array [n]
        Indices into `classes`.
    labels : list of str [n], or None
        The names of the datasets; None where they are called 0 to n - 1 in order.

    Raises
    ------
    FileUnreadableError, FileFormatError, DuplicateDatasetError
        If the file cannot be read, a cell is empty, a class is unknown or a dataset named twice.
    """
    if form is Form.PARQUET and classes == list(map(str, range(len(classes)))):
        numbered = _integers(path, len(classes))
        if numbered is not None:
            return numbered, None
    table = open_table(database, path, form, COLUMNS)
    with reading(path):
        database.execute(
            f"create temp table datasets as select v0 as dataset, v1 as class from ({table.query(*COLUMNS)})"  # noqa: S608 - built by tables
        )
    database.register("names", {"name": np.array(classes, dtype=object), "code": np.arange(len(classes))})
    database.execute(
        "create temp table coded as select d.rowid as place, n.code from datasets d "
        "left join names n on d.class = n.name"
    )
    _refuse_wrong(database, path)
    refuse_repeats(database, path)
    labels = known_datasets(database, str(path)).labels
    codes = arrays(database.execute("select code::integer as code from coded order by place"))["code"]
    return codes, None if labels is None else list(map(str, labels.tolist()))


def _integers(path: Path, count: int) -> NDArray[np.int32] | None:
    """Return the classes of datasets that are integers from 0 up, in order; None if anything is otherwise."""
    if integer_rows(path, COLUMNS) is None:
        return None
    try:
        return _numbered(integer_batches(path, COLUMNS), count)
    except ArrowError:
        return None


def _numbered(batches: Iterator[tuple[NDArray[Any], NDArray[Any]]], count: int) -> NDArray[np.int32] | None:
    parts: list[NDArray[np.int32]] = []
    place = 0
    for datasets, codes in batches:
        stop = place + datasets.size
        if any(isinstance(column, np.ma.MaskedArray) for column in (datasets, codes)):
            return None
        if not np.array_equal(datasets, np.arange(place, stop)):
            return None
        if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < count:
            return None
        parts.append(codes.astype(np.int32, copy=False))
        place = stop
    return np.concatenate(parts) if place else None


def _refuse_wrong(database: "DuckDBPyConnection", path: Path) -> None:
    wrong = database.execute(
        "select d.rowid, d.dataset, d.class from datasets d join coded c on c.place = d.rowid "
        "where d.dataset is null or c.code is null order by d.rowid limit 1"
    ).fetchone()
    if wrong is None:
        if database.execute("select count(*) from datasets").fetchone() == (0,):
            raise FileFormatError(
                f"{str(path)!r} has a header and no datasets",
                help="give it one row per dataset",
                path=str(path),
            )
        return
    row, dataset, said = wrong
    if dataset is None or said is None:
        what = f"has nothing in the column {COLUMNS[dataset is not None]!r}"
    else:
        what = f"has the class {said!r}, which the class table lacks"
    raise FileFormatError(
        f"row {row + 1} of {str(path)!r} {what}",
        help="give every dataset a class of the class table (rows are counted after the header)",
        path=str(path),
        row=row + 1,
    )
