# SPDX-License-Identifier: Apache-2.0
"""Read mechanisms from files, whichever program wrote them.

A JSON file says its precision. A table shows it: if every probability is an integer or a fraction ``a/b``,
the file is exact, and its numbers are meant as they are written; with one decimal or exponent among them it
is float64, and its numbers stand for numbers nearby.

In two tables, the class of every dataset and the classes, the class table is read like a mechanism whose
datasets are the classes. It says how many datasets each class has, so that tables of two different
mechanisms are refused. JSON passes through Python row by row; files of millions of datasets are better as CSV
or Parquet.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, did_you_mean
from rainbowdp.formats.dataset_codes import CODED_FORMS, read_codes
from rainbowdp.formats.datasets import refuse_repeats
from rainbowdp.formats.documents import read_document, shown
from rainbowdp.formats.mechanism_tables import load_table, loaded_mechanism
from rainbowdp.formats.mechanism_writing import CLASS_COLUMNS, FIRST_COLUMNS, FORMS
from rainbowdp.formats.suffixes import Form, content_of, form_to_read, path_of
from rainbowdp.formats.tables import connect
from rainbowdp.graph.labels import label_array
from rainbowdp.mechanism import Mechanism, Precision

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def read_mechanism(path: Path | str, *, classes: Path | str | None = None) -> Mechanism:
    r"""Read a mechanism from CSV, Parquet or JSON.

    Parameters
    ----------
    path : Path or str
        A file as `rainbowdp.formats.write_mechanism` makes it, or from another program.
    classes : Path or str, optional
        The class table, where the mechanism is written in two tables.

    Returns
    -------
    Mechanism
        Datasets in the order of the file, labels as text; of two tables without labels where they call the
        datasets 0 to n - 1 in this order.

    Raises
    ------
    UsageError
        If the path is not the name of a file.
    FileUnreadableError, FileFormatError
        If the file cannot be read, does not have its form, its rainbows and colors do not fit, or
        two tables do not belong together.
    DuplicateDatasetError
        If it names a dataset twice.
    DistributionError, NumberError
        If a row holds no distribution; the message names the dataset.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "mechanism.csv"
    >>> _ = path.write_text("dataset,rainbow,distance,no,yes\nann,yes>no,0,1/3,2/3\nbob,no>yes,0,2/3,1/3\n")
    >>> mechanism = read_mechanism(path)
    >>> mechanism.precision, mechanism.distribution("bob")
    ('exact', Distribution(no=2/3, yes=1/3))
    """
    path = path_of(path)
    if classes is not None:
        return _read_coded(path, path_of(classes, "classes"))
    form = form_to_read(path, "a mechanism", FORMS)
    with content_of(path), connect() as database:
        if form is Form.JSON:
            colors, precision = _load_json(database, path)
        else:
            colors, precision = load_table(database, path, form)
        return loaded_mechanism(database, path, colors, precision)


def _load_json(database: "DuckDBPyConnection", path: Path) -> tuple[tuple[str, ...], Precision]:
    """Load a JSON file into the table ``datasets``; return its colors and its precision."""
    found = _read_json(path)
    database.register("row_arrays", found.columns)
    # A column of nulls alone has no type of its own.
    casts = ", ".join(f"{name}::varchar as {name}" for name in found.columns)
    database.execute(f"create temp table datasets as select {casts} from row_arrays")  # noqa: S608 - fixed names
    return found.colors, found.precision


def _read_coded(path: Path, classes: Path) -> Mechanism:
    """Read a mechanism from two tables: ``dataset, class``, and the class table."""
    form = form_to_read(path, "the class of every dataset", CODED_FORMS)
    made, sizes = _read_classes(classes)
    with content_of(path), connect() as database:
        codes, labels = read_codes(database, path, form, [made.label(at) for at in range(made.size)])
    found = np.bincount(codes, minlength=made.size)
    if not np.array_equal(found, sizes):
        at = int(np.flatnonzero(found != sizes)[0])
        raise FileFormatError(
            f"{str(path)!r} and {str(classes)!r} do not belong together: the class {made.label(at)!r} has "
            f"{found[at]} datasets in the one, and {sizes[at]} by the other",
            help="give the two tables that were written together",
            path=str(path),
        )
    named = None if labels is None else label_array(labels, codes.size)
    return replace(made, codes=made.codes[codes], labels=named)


def _read_classes(path: Path) -> tuple[Mechanism, NDArray[np.int64]]:
    """Return the mechanism of the classes, and how many datasets each has."""
    form = form_to_read(path, "the class table", CODED_FORMS)
    with content_of(path), connect() as database:
        loaded = load_table(database, path, form, CLASS_COLUMNS)
        refuse_repeats(database, path, "class")
        made = loaded_mechanism(database, path, *loaded)
        counted = "select try_cast(datasets as bigint) from datasets order by rowid"
        sizes = database.execute(counted).fetchall()
    for row, (size,) in enumerate(sizes, 1):
        if size is None or size < 0:
            raise FileFormatError(
                f"row {row} of {str(path)!r} does not say how many datasets its class has",
                help="write a whole number into the column datasets (rows are counted after the header)",
                path=str(path),
                row=row,
            )
    return made, np.array(sizes, dtype=np.int64).ravel()


@dataclass(frozen=True)
class _JsonMechanism:
    """The content of a JSON mechanism, not yet judged as numbers.

    Attributes
    ----------
    colors : tuple of str
        Sorted by code point.
    precision : {"exact", "float64"}
        As the file says.
    columns : dict of str to array of text
        ``dataset``, ``rainbow``, ``distance`` (None where unconstrained), then one column per color, called
        ``p0``, ``p1``, ....
    """

    colors: tuple[str, ...]
    precision: Literal["exact", "float64"]
    columns: dict[str, NDArray[Any]]


def _read_json(path: Path) -> _JsonMechanism:
    """Read a JSON mechanism.

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read, or does not have the form; the message names the row.
    """
    document = read_document(path, Form.JSON)
    colors, rows, precision = (document.get(key) for key in ("colors", "rows", "precision"))
    if precision not in ("exact", "float64"):
        raise _malformed(path, f"its precision is {shown(precision)}", 'write "exact" or "float64"')
    if not isinstance(colors, list) or not colors or not all(type(color) is str for color in colors):
        raise _malformed(
            path, f"its colors are {shown(colors)}", 'write a list of texts, such as ["blue", "red"]'
        )
    if len(set(colors)) < len(colors):
        raise _malformed(path, "it names a color twice", "name every color once")
    if not isinstance(rows, list) or not rows:
        raise _malformed(path, f"its rows are {shown(rows)}", "write a list with one object per dataset")
    ordered = tuple(sorted(colors))
    lines = [_cells(path, at, row, ordered) for at, row in enumerate(rows)]
    table = np.array(lines, dtype=object)
    names = (*FIRST_COLUMNS, *(f"p{at}" for at in range(len(ordered))))
    return _JsonMechanism(
        colors=ordered,
        precision="exact" if precision == "exact" else "float64",
        columns={name: table[:, at].copy() for at, name in enumerate(names)},
    )


def _cells(path: Path, at: int, row: object, colors: tuple[str, ...]) -> list[str | None]:
    """Return the cells of one row as text, None for a distance that is null."""
    if not isinstance(row, dict):
        raise _malformed(path, f"rows[{at}] is {shown(row)}", "write one object per dataset")
    probabilities = row.get("probabilities")
    if not isinstance(probabilities, dict):
        raise _malformed(
            path,
            f"rows[{at}] has {shown(probabilities)} as its probabilities",
            "write an object, color to value",
        )
    for color in probabilities.keys() ^ set(colors):
        known = color in colors
        raise _malformed(
            path,
            f"rows[{at}] {'has no probability for' if known else 'has a probability for the unknown color'} "
            f"{color!r}",
            did_you_mean(color, probabilities if known else colors)
            or "give every color of the list one value",
        )
    values = [*(row.get(key) for key in FIRST_COLUMNS), *(probabilities[color] for color in colors)]
    for name, value in zip((*FIRST_COLUMNS, *colors), values, strict=True):
        if not isinstance(value, str) and not (name == "distance" and value is None and "distance" in row):
            raise _malformed(
                path,
                f"rows[{at}] has {shown(value)} as its {name!r}",
                "write texts, numbers, or null for a distance that does not exist",
            )
    return values


def _malformed(path: Path, what: str, help: str) -> FileFormatError:
    return FileFormatError(f"{str(path)!r} is not a mechanism: {what}", help=help, path=str(path))
