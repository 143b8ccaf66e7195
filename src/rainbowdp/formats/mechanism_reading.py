# SPDX-License-Identifier: Apache-2.0
"""Read mechanisms from files, whichever program wrote them.

A JSON file says its precision. A table shows it: if every probability is an integer or a fraction ``a/b``,
the file is exact, and its numbers are meant as they are written; with one decimal or exponent among them it
is float64, and its numbers stand for numbers nearby.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from rainbowdp.formats.coded_mechanisms import read_coded
from rainbowdp.formats.content import content_of
from rainbowdp.formats.mechanism_json import read_json_mechanism
from rainbowdp.formats.mechanism_tables import load_table, loaded_mechanism
from rainbowdp.formats.mechanism_writing import FORMS
from rainbowdp.formats.suffixes import Form, form_to_read, path_of
from rainbowdp.formats.tables import connect
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
        return read_coded(path, path_of(classes, "classes"))
    form = form_to_read(path, "a mechanism", FORMS)
    with content_of(path), connect() as database:
        if form is Form.JSON:
            colors, precision = _load_json(database, path)
        else:
            colors, precision = load_table(database, path, form)
        return loaded_mechanism(database, path, colors, precision)


def _load_json(database: "DuckDBPyConnection", path: Path) -> tuple[tuple[str, ...], Precision]:
    """Load a JSON file into the table ``datasets``; return its colors and its precision."""
    found = read_json_mechanism(path)
    database.register("row_arrays", found.columns)
    # A column of nulls alone has no type of its own.
    casts = ", ".join(f"{name}::varchar as {name}" for name in found.columns)
    database.execute(f"create temp table datasets as select {casts} from row_arrays")  # noqa: S608 - fixed names
    return found.colors, found.precision
