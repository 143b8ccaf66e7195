# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in two tables: the class of every dataset, and the classes.

The class table is read like a mechanism whose datasets are the classes. It says how many datasets each class
has, so that tables of two different mechanisms are refused.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError
from rainbowdp.formats.content import content_of
from rainbowdp.formats.dataset_codes import CODED_FORMS, read_codes
from rainbowdp.formats.graphs import refuse_repeats
from rainbowdp.formats.mechanism_tables import load_table, loaded_mechanism
from rainbowdp.formats.mechanism_writing import CLASS_COLUMNS
from rainbowdp.formats.suffixes import form_to_read
from rainbowdp.formats.tables import connect
from rainbowdp.graph.labels import label_array
from rainbowdp.mechanism import Mechanism


def read_coded(path: Path, classes: Path) -> Mechanism:
    """Read a mechanism from two tables.

    Parameters
    ----------
    path : Path
        CSV or Parquet with the columns ``dataset, class``.
    classes : Path
        CSV or Parquet with the columns ``class, rainbow, distance, datasets`` and one per color.

    Returns
    -------
    Mechanism

    Raises
    ------
    FileUnreadableError, FileFormatError, DuplicateDatasetError, DistributionError, NumberError
        If a table cannot be read, or they do not belong together.
    """
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
