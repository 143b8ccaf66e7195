# SPDX-License-Identifier: Apache-2.0
"""Read mechanisms from CSV, Parquet and JSON files, also from files of other programs.

A JSON file says its precision. A table shows it: if every probability is an integer or a fraction ``a/b``,
the file is exact, and its numbers are meant as they are written; with one decimal or exponent among them it
is float64, and its numbers stand for numbers nearby.

In two tables, the class of every dataset and the classes, the class table is read like a mechanism whose
datasets are the classes. It says how many datasets each class has, so that tables of two different
mechanisms are refused. JSON passes through Python row by row; files of millions of datasets are better as CSV
or Parquet.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import DistributionError, FileFormatError
from rainbowdp.formats.datasets import NamedRows, named_rows, text_column
from rainbowdp.formats.documents import parsed_document, parsed_rainbow, read_document, shown
from rainbowdp.formats.files import TABLES, Form, content_of, form_to_read, malformed, path_of, wrong_row
from rainbowdp.formats.text_tables import connect_if_asked, open_table
from rainbowdp.formats.writing import CLASS_COLUMNS, CODE_COLUMNS, FIRST_COLUMNS, FORMS
from rainbowdp.graph.labels import label_array
from rainbowdp.mechanism import Mechanism, Precision
from rainbowdp.rainbow import Rainbow, color_mismatch

_LARGEST_DISTANCE = 2**31 - 1
_EXACT = re.compile("[+-]?[0-9]+( */ *[0-9]+)?")
_OPTIONAL = ("rainbow", "distance")
_COUNT = re.compile("[0-9]{1,18}")


def read_mechanism(path: Path | str, *, classes: Path | str | None = None) -> Mechanism:
    r"""Read a mechanism from CSV, Parquet or JSON.

    Parameters
    ----------
    path : Path or str
        A file as `rainbowdp.formats.write_mechanism` makes it, or from another program: of a table the
        column ``dataset`` and one per color are enough. Without the column ``rainbow`` all colors are tied,
        and without ``distance`` no dataset has a distance.
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
    with content_of(path):
        found = (
            _of_document(path, read_document(path, form))
            if form is Form.JSON
            else _read_table(path, form, FIRST_COLUMNS)
        )
        return _noted(_mechanism(path, *found))


def mechanism_of_json(text: str) -> Mechanism:
    """Return the mechanism that a text holds; see `Mechanism.from_json`."""
    place = Path("the text")
    return _noted(_mechanism(place, *_of_document(place, parsed_document(place, Form.JSON, text))))


def _noted(made: Mechanism) -> Mechanism:
    """Return a mechanism with a note where no rainbow was stated."""
    tied = len(made.colors) > 1 and all(len(rainbow.classes) == 1 for rainbow in made.class_rainbow)
    return replace(made, notes=("no order of answers is stated: all are tied",)) if tied else made


def _read_table(path: Path, form: Form, first: tuple[str, ...]) -> tuple[NamedRows, tuple[str, ...]]:
    """Return the rows of a CSV or Parquet file, with the columns of `first` before those of the colors.

    Rainbows and distances may be left out: then all colors are tied, and there is no distance.
    """
    table = open_table(path, form, tuple(name for name in first if name not in _OPTIONAL))
    colors = tuple(sorted(name for name in table.names if name not in first))
    if not colors or colors == CODE_COLUMNS[1:]:
        raise malformed(
            path,
            "has no column for a color",
            f"give it one column per color after {first[0]}; of a mechanism that is written as two tables, "
            "give both (--classes FILE)",
        )
    present = [name for name in first if name in table.names]
    with connect_if_asked() as database:
        rows = named_rows(path, first[0], table.batches(database, *present, *colors))
    defaults = {"rainbow": str(Rainbow([colors])), "distance": None}
    columns: list[tuple[str | None, ...]] = list(zip(*rows.distinct, strict=True))
    for name, value in defaults.items():
        if name not in present:
            columns.insert(first.index(name) - 1, (value,) * len(rows.distinct))
    return replace(rows, distinct=list(zip(*columns, strict=True))), colors


def _mechanism(
    path: Path,
    rows: NamedRows,
    colors: tuple[str, ...],
    precision: Precision | None = None,
) -> Mechanism:
    """Return the mechanism whose rows have a name, a rainbow, a distance and a probability per color.

    Rows whose other cells are written alike share one class.
    """
    texts, steps, *others = zip(*rows.distinct, strict=True)
    columns = others[-len(colors) :]
    for name, column in zip(("rainbow", *colors), (texts, *columns), strict=True):
        if None in column:
            row, what = rows.first[column.index(None)], f"has nothing in the column {name!r}"
            raise wrong_row(path, row, what, "fill it; only a distance may be empty")
    rainbows: dict[str, Rainbow] = {}
    distances: dict[str | None, int | None] = {}
    for row, text, step in zip(rows.first, texts, steps, strict=True):
        if text not in rainbows:
            rainbows[text] = _rainbow(path, row, text, colors)
        if step not in distances:
            distances[step] = _distance(path, row, step)
    if precision is None:
        exact = all(_EXACT.fullmatch(cell) for column in columns for cell in column)
        precision = "exact" if exact else "float64"
    try:
        return Mechanism.from_table(
            [rainbows[text] for text in texts],
            np.array(columns, dtype=object).T,
            colors=colors,
            codes=rows.codes,
            distances=[distances[step] for step in steps],
            labels=rows.texts(),
            precision=precision,
        )
    except DistributionError as error:
        # A mechanism is judged as it is; no option rescales its rows.
        error.help = "give probabilities of at least 0 that sum to 1, as fractions or with all their digits"
        raise


def _distance(path: Path, row: int, text: str | None) -> int | None:
    """Read a number of steps; a cell without one is None."""
    if text is None:
        return None
    if re.fullmatch("0*[0-9]{1,10}", text) and int(text) <= _LARGEST_DISTANCE:
        return int(text)
    raise wrong_row(
        path,
        row,
        f"has the distance {text!r}",
        f"write a whole number up to {_LARGEST_DISTANCE}, or nothing where the dataset is unconstrained",
    )


def _rainbow(path: Path, row: int, text: str, colors: tuple[str, ...]) -> Rainbow:
    """Read a rainbow, which must rank exactly the colors that have a column."""
    rainbow = parsed_rainbow(text, f"row {row + 1} of {str(path)!r}")
    if rainbow.colors == colors:
        return rainbow
    misfit = color_mismatch("has a rainbow that does not fit", rainbow.colors, colors, "it does not rank")
    raise wrong_row(path, row, misfit.what, misfit.help)


def _read_coded(path: Path, classes: Path) -> Mechanism:
    """Read a mechanism from two tables: ``dataset, class``, and the class table."""
    form = form_to_read(path, "the class of every dataset", TABLES)
    made, sizes = _read_classes(classes)
    with content_of(path):
        rows = _read_codes(path, form, [made.label(at) for at in range(made.size)])
    found = np.bincount(rows.codes, minlength=made.size)
    if not np.array_equal(found, sizes):
        at = int(np.flatnonzero(found != sizes)[0])
        raise FileFormatError(
            f"{str(path)!r} and {str(classes)!r} do not belong together: the class {made.label(at)!r} has "
            f"{found[at]} datasets in the one, and {sizes[at]} by the other",
            help="give the two tables that were written together",
            path=str(path),
        )
    named = None if rows.labels is None else label_array(rows.labels, rows.codes.size)
    return replace(made, codes=made.codes[rows.codes], labels=named)


def _read_classes(path: Path) -> tuple[Mechanism, NDArray[np.int64]]:
    """Return the mechanism of the classes, and how many datasets each has."""
    form = form_to_read(path, "the class table", TABLES)
    with content_of(path):
        rows, colors = _read_table(path, form, CLASS_COLUMNS)
        made = _mechanism(path, rows, colors)
    sizes = []
    for row, (_, _, size, *_) in zip(rows.first, rows.distinct, strict=True):
        if size is None or not _COUNT.fullmatch(size):
            what = "does not say how many datasets its class has"
            raise wrong_row(path, row, what, "write a whole number into the column datasets")
        sizes.append(int(size))
    return made, np.array(sizes, dtype=np.int64)[rows.codes]


def _read_codes(path: Path, form: Form, classes: list[str]) -> NamedRows:
    """Return the datasets, with codes that number these classes."""
    table = open_table(path, form, CODE_COLUMNS)
    with connect_if_asked() as database:
        rows = named_rows(path, CODE_COLUMNS[0], table.batches(database, *CODE_COLUMNS))
    numbers: dict[str | None, int] = {name: at for at, name in enumerate(classes)}
    for row, (said,) in zip(rows.first, rows.distinct, strict=True):
        if said not in numbers:
            what = f"has the class {said!r}, which the class table lacks"
            if said is None:
                what = f"has nothing in the column {CODE_COLUMNS[1]!r}"
            raise wrong_row(path, row, what, "give every dataset a class of the class table")
    return replace(rows, codes=np.array([numbers[said] for (said,) in rows.distinct], np.int32)[rows.codes])


def _of_document(path: Path, document: dict[str, Any]) -> tuple[NamedRows, tuple[str, ...], Precision]:
    """Return the rows of a JSON mechanism, its colors and its precision."""
    import pyarrow as pa

    colors, rows, precision = (document.get(key) for key in ("colors", "rows", "precision"))
    if precision not in ("exact", "float64"):
        raise _unfit(path, f"its precision is {shown(precision)}", 'write "exact" or "float64"')
    if not isinstance(colors, list) or not colors or not all(type(color) is str for color in colors):
        raise _unfit(path, f"its colors are {shown(colors)}", 'write texts, such as ["blue", "red"]')
    if len(set(colors)) < len(colors):
        raise _unfit(path, "it names a color twice", "name every color once")
    if not isinstance(rows, list) or not rows:
        raise _unfit(path, f"its rows are {shown(rows)}", "write a list with one object per dataset")
    ordered = tuple(sorted(colors))
    lines = [_cells(path, at, row, ordered) for at, row in enumerate(rows)]
    columns = list(map(text_column, zip(*lines, strict=True)))
    table = pa.table(columns, list(map(str, range(len(columns)))))
    return named_rows(path, FIRST_COLUMNS[0], table.to_batches()), ordered, precision


def _cells(path: Path, at: int, row: object, colors: tuple[str, ...]) -> list[str | None]:
    """Return the cells of one row as text, None for a distance that is null."""
    if not isinstance(row, dict):
        raise _unfit(path, f"rows[{at}] is {shown(row)}", "write one object per dataset")
    given = row.get("probabilities")
    if not isinstance(given, dict):
        what = f"rows[{at}] has {shown(given)} as its probabilities"
        raise _unfit(path, what, "write an object, color to value")
    if given.keys() != set(colors):
        misfit = color_mismatch(f"rows[{at}]", list(given), colors, "no probability for")
        raise _unfit(path, misfit.what, misfit.help)
    row = {"rainbow": str(Rainbow([colors])), "distance": None, **row}
    cells = [*((key, row.get(key)) for key in FIRST_COLUMNS), *((color, given[color]) for color in colors)]
    for name, value in cells:
        if not isinstance(value, str) and not (name == "distance" and value is None):
            what = f"rows[{at}] has {shown(value)} as its {name!r}"
            raise _unfit(path, what, "write texts, numbers, or null for a distance that does not exist")
    return [value for _, value in cells]


def _unfit(path: Path, what: str, help: str) -> FileFormatError:
    return malformed(path, f"is not a mechanism: {what}", help)
