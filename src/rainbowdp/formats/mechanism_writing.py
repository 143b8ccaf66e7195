# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as files.

CSV and Parquet hold ``dataset, rainbow, distance``, then one column per color in code-point order; the
distance is empty (null) where unconstrained. JSON holds::

    {"colors": [...], "precision": "exact" | "float64",
     "rows": [{"dataset", "rainbow", "distance": int | null, "probabilities": {color: value}}]}

Exact values are fraction text (``3/55``, and ``1`` or ``0``); float64 values are the shortest decimals that
read back as the same float, and always contain a point or an exponent, so a CSV file shows which of the two
it is. In Parquet exact values are text columns and float64 values are double columns.

A mechanism in two tables has ``dataset, class``, and a class table with ``class, rainbow, distance``, the
number of ``datasets`` of the class, and the columns of colors: what a large family needs, since it often has
a thousand classes.

A row is rendered once per class; DuckDB joins the classes to the datasets, so a million datasets cost no
Python loop.
"""

import contextlib
import csv
import io
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rainbowdp.errors import ColorError, FileWriteError
from rainbowdp.exact import format_exact
from rainbowdp.exact.arguments import require
from rainbowdp.formats.dataset_codes import CODED_FORMS, write_codes
from rainbowdp.formats.suffixes import Form, form_to_write, path_of
from rainbowdp.formats.tables import arrow_batches, connect, literal
from rainbowdp.formats.writing import replacing
from rainbowdp.mechanism import Mechanism

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FORMS = (Form.CSV, Form.PARQUET, Form.JSON)
FIRST_COLUMNS = ("dataset", "rainbow", "distance")
CLASS_COLUMNS = ("class", "rainbow", "distance", "datasets")
_JSON_CHUNK = 100_000
_BLOCK = 1 << 18


def write_mechanism(
    path: Path | str, mechanism: Mechanism, *, exact: bool, classes: Path | str | None = None
) -> None:
    """Write a mechanism as CSV, Parquet or JSON, by the ending of the name.

    Parameters
    ----------
    path : Path or str
        A ``.csv``, ``.parquet`` or ``.json`` file. It is there whole or not at all.
    mechanism : Mechanism
        The mechanism.
    exact : bool
        Write fractions instead of float64 values.
    classes : Path or str, optional
        A ``.csv`` or ``.parquet`` file for the class table; `path` is then one of these too, and holds the
        class of every dataset. Each of the two is there whole or not at all, and
        `rainbowdp.formats.read_mechanism` refuses two that do not belong together.

    Raises
    ------
    UsageError
        If the ending of a name says no such form, or an argument is of another kind.
    ColorError
        If a color is called like one of the first columns.
    IrrationalError
        If fractions are asked for and a probability is irrational.
    FileWriteError
        If the file cannot be written, or the form cannot hold the names of the colors.

    Examples
    --------
    >>> import tempfile
    >>> mechanism = Mechanism.from_table(
    ...     ["b>r", "r>b"], [{"b": "2/3", "r": "1/3"}, {"b": "1/3", "r": "2/3"}], labels=["ann", "bob"]
    ... )
    >>> path = Path(tempfile.mkdtemp()) / "mechanism.csv"
    >>> write_mechanism(path, mechanism, exact=True)
    >>> print(path.read_text())
    dataset,rainbow,distance,b,r
    ann,b>r,,2/3,1/3
    bob,r>b,,1/3,2/3
    <BLANKLINE>
    """
    import duckdb

    path = path_of(path)
    require(mechanism, "mechanism", Mechanism)
    targets = [path] if classes is None else [path, path_of(classes, "classes")]
    forms = forms_to_write(*targets)
    first = FIRST_COLUMNS if classes is None else CLASS_COLUMNS
    refuse_reserved(mechanism.colors, first)
    values = _values(mechanism, exact=exact)
    with connect() as database, contextlib.ExitStack() as replaced:
        beside = [replaced.enter_context(replacing(target)) for target in targets]
        try:
            _load_classes(database, mechanism, values)
            if classes is None:
                _load_datasets(database, mechanism)
            else:
                _load_sizes(database, mechanism)
                write_codes(database, beside[0], forms[0], mechanism)
            if forms[-1] is Form.CSV:
                _write_csv(database, beside[-1], first, mechanism.colors)
            elif forms[-1] is Form.PARQUET:
                _write_parquet(database, beside[-1], first, mechanism.colors, exact=exact)
            else:
                _write_json(database, beside[-1], mechanism, values, exact=exact)
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise FileWriteError(
                f"cannot write {str(path)!r}: {_reason(str(error))}",
                help="check the permissions and the free space, or write elsewhere",
                path=str(path),
            ) from error


def forms_to_write(path: Path, classes: Path | None = None) -> list[Form]:
    """Return the forms in which a mechanism is to be written, in one file or in two tables.

    Raises
    ------
    UsageError
        If the ending of a name says no such form.
    """
    if classes is None:
        return [form_to_write(path, "the mechanism", FORMS)]
    return [
        form_to_write(path, "the class of every dataset", CODED_FORMS),
        form_to_write(classes, "the class table", CODED_FORMS),
    ]


def _reason(message: str) -> str:
    """Return what the system said, out of the names of hidden files and JSON that DuckDB puts around it."""
    if number := re.search(r'"errno":"(\d+)"', message):
        return os.strerror(int(number[1]))
    return message.strip().splitlines()[0].removeprefix("IO Error: ")


def refuse_reserved(colors: tuple[str, ...], first: tuple[str, ...] = FIRST_COLUMNS) -> None:
    """Refuse colors that are called like one of the first columns of a mechanism file.

    Raises
    ------
    ColorError
        If there is one.
    """
    reserved = next((color for color in colors if color in first), None)
    if reserved is not None:
        raise ColorError(
            f"a mechanism file has a column {reserved!r} already, so no color can be called that",
            help="rename the color",
            color=reserved,
        )


def _values(mechanism: Mechanism, *, exact: bool) -> list[list[str]]:
    """Return the probabilities as text, one list of colors per class."""
    if exact:
        return [[format_exact(value) for value in row.values()] for row in mechanism.rows]
    return [list(map(repr, row)) for row in mechanism.table.tolist()]


def _load_classes(database: "DuckDBPyConnection", mechanism: Mechanism, values: list[list[str]]) -> None:
    """Load the table ``classes``."""
    arrays = {
        "code": np.arange(mechanism.class_count, dtype=np.int32),
        "rainbow": np.array(list(map(str, mechanism.class_rainbow)), dtype=object),
        "distance": mechanism.class_distance.filled(-1),
    }
    columns = np.array(values, dtype=object).reshape(mechanism.class_count, len(mechanism.colors))
    arrays |= {f"p{at}": columns[:, at].copy() for at in range(len(mechanism.colors))}
    database.register("class_arrays", arrays)
    database.execute(
        "create temp table classes as "
        "select * replace (nullif(distance, -1)::integer as distance) from class_arrays"
    )


def _load_datasets(database: "DuckDBPyConnection", mechanism: Mechanism) -> None:
    """Load a table of datasets, and call its join with the classes ``mechanism``."""
    datasets = {"code": mechanism.codes}
    if mechanism.labels is not None:
        datasets["label"] = mechanism.labels.astype(np.str_).astype(object)
    database.register("dataset_arrays", datasets)
    database.execute("create temp table datasets as select * from dataset_arrays")
    name = "d.rowid" if mechanism.labels is None else "d.label"
    database.execute(
        f"create temp view mechanism as select {name}::varchar as dataset, d.rowid as place, c.* "  # noqa: S608 - one of two names
        "from datasets d join classes c on d.code = c.code"
    )


def _load_sizes(database: "DuckDBPyConnection", mechanism: Mechanism) -> None:
    """Count the datasets of each class, and call the classes with these counts ``mechanism``."""
    sizes = np.bincount(mechanism.codes, minlength=mechanism.class_count)
    database.register("sizes", {"code": np.arange(sizes.size, dtype=np.int32), "datasets": sizes})
    database.execute(
        "create temp view mechanism as select code as class, code as place, s.datasets, c.* "
        "from classes c join sizes s using (code)"
    )


def _probability_columns(colors: tuple[str, ...]) -> str:
    return ", ".join(f"p{at}" for at in range(len(colors)))


def _write_csv(
    database: "DuckDBPyConnection", path: Path, first: tuple[str, ...], colors: tuple[str, ...]
) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        head = io.StringIO()
        # The writer quotes only those line breaks that its own line ending has.
        csv.writer(head, lineterminator="\r\n").writerow([*first, *colors])
        file.write(head.getvalue().removesuffix("\r\n") + "\n")
    # DuckDB would rename ``red`` beside ``Red``, so the header is written here and the rows are appended.
    rows = path.with_suffix(".rows")
    try:
        database.execute(
            f"copy (select {', '.join(first)}, {_probability_columns(colors)} from mechanism "  # noqa: S608 - fixed names
            f"order by place) to {literal(str(rows))} (format csv, header false, quote '\"', escape '\"')"
        )
        with path.open("ab") as whole, rows.open("rb") as part:
            while chunk := part.read(1 << 20):
                whole.write(chunk)
    finally:
        rows.unlink(missing_ok=True)


def _write_parquet(
    database: "DuckDBPyConnection",
    path: Path,
    first: tuple[str, ...],
    colors: tuple[str, ...],
    *,
    exact: bool,
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    kind = "varchar" if exact else "double"
    probabilities = ", ".join(f"p{at}::{kind}" for at in range(len(colors)))
    rows = database.sql(f"select {', '.join(first)}, {probabilities} from mechanism order by place")  # noqa: S608 - fixed names
    batches = arrow_batches(rows, _BLOCK)
    # Named here, since DuckDB would rename ``red`` beside ``Red``.
    schema = pa.schema(
        [(name, field.type) for name, field in zip((*first, *colors), batches.schema, strict=True)]
    )
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))


def _write_json(
    database: "DuckDBPyConnection",
    path: Path,
    mechanism: Mechanism,
    values: list[list[str]],
    *,
    exact: bool,
) -> None:
    names = [json.dumps(color, ensure_ascii=False) for color in mechanism.colors]
    distances = mechanism.class_distance.tolist()
    tails = [
        f', "rainbow": {json.dumps(str(rainbow), ensure_ascii=False)}, "distance": {json.dumps(distance)}, '
        f'"probabilities": {{{_members(names, row, exact=exact)}}}}}'
        for rainbow, distance, row in zip(mechanism.class_rainbow, distances, values, strict=True)
    ]
    arrays = {"code": np.arange(len(tails), dtype=np.int32), "tail": np.array(tails, dtype=object)}
    database.register("tail_arrays", arrays)
    database.execute("create temp table tails as select * from tail_arrays")
    head = f'{{"colors": [{", ".join(names)}], "precision": "{"exact" if exact else "float64"}", "rows": [\n'
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(head)
        for start in range(0, mechanism.size, _JSON_CHUNK):
            (chunk,) = database.execute(
                "select string_agg('{\"dataset\": ' || to_json(dataset) || tail, ',\n' order by place) "
                "from mechanism join tails using (code) where place >= ? and place < ?",
                [start, start + _JSON_CHUNK],
            ).fetchone() or ("",)
            file.write((",\n" if start else "") + chunk)
        file.write("\n]}\n")


def _members(names: list[str], row: list[str], *, exact: bool) -> str:
    return ", ".join(
        f'{name}: "{value}"' if exact else f"{name}: {value}" for name, value in zip(names, row, strict=True)
    )
