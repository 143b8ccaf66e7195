# SPDX-License-Identifier: Apache-2.0
"""Rows of a mechanism as text in a database, judged and made a value.

Wherever rows come from, they are put into the table ``datasets`` with the text columns
``dataset, rainbow, distance, p0, p1, ...``. Rows whose rainbow, distance and probabilities are written alike
share one class; DuckDB finds the classes, so the work in Python grows with their number.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import DistributionError, FileFormatError, did_you_mean
from rainbowdp.formats.datasets import parsed_rainbow, refuse_repeats
from rainbowdp.formats.mechanism_writing import FIRST_COLUMNS
from rainbowdp.formats.suffixes import Form
from rainbowdp.formats.tables import arrays, open_table, reading
from rainbowdp.mechanism import Mechanism, Precision
from rainbowdp.rainbow import Rainbow, quote_color

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LARGEST_DISTANCE = 2**31 - 1
_EXACT = "[+-]?[0-9]+( */ *[0-9]+)?"


def load_table(
    database: "DuckDBPyConnection", path: Path, form: Form, first: tuple[str, ...] = FIRST_COLUMNS
) -> tuple[tuple[str, ...], Precision]:
    """Load a CSV or Parquet file into the table ``datasets``.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
        From `rainbowdp.formats.tables.connect`.
    path, form
        The file.
    first : tuple of str
        The columns that are not colors: `FIRST_COLUMNS` or `CLASS_COLUMNS`. The first three are loaded
        as ``dataset``, ``rainbow`` and ``distance``, others by their own name.

    Returns
    -------
    tuple
        Its colors and its precision.

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read, or lacks a column.
    """
    try:
        table = open_table(database, path, form, first)
    except FileFormatError as error:
        if first == FIRST_COLUMNS and error.values.get("column") == "rainbow":
            error.help += "; where a mechanism is written as two tables, give both (--classes FILE)"
        raise
    colors = tuple(sorted(name for name in table.names if name not in first))
    if not colors:
        raise FileFormatError(
            f"{str(path)!r} has no column for a color",
            help=f"give it one column per color after {', '.join(first[:-1])} and {first[-1]}",
            path=str(path),
        )
    loaded = (*FIRST_COLUMNS, *first[len(FIRST_COLUMNS) :], *(f"p{at}" for at in range(len(colors))))
    columns = {f"v{at}": name for at, name in enumerate(loaded)}
    with reading(path):
        database.execute(
            f"create temp table datasets as select {', '.join(map(' as '.join, columns.items()))} "  # noqa: S608 - fixed names
            f"from ({table.query(*first, *colors)})"
        )
    exact = " and ".join(f"bool_and(regexp_full_match(p{at}, '{_EXACT}'))" for at in range(len(colors)))
    found = database.execute(f"select {exact} from datasets where {_all_present(colors)}").fetchone()  # noqa: S608 - column numbers
    return colors, "float64" if found and found[0] is False else "exact"


def _all_present(colors: tuple[str, ...]) -> str:
    return " and ".join(f"p{at} is not null" for at in range(len(colors)))


def loaded_mechanism(
    database: "DuckDBPyConnection", path: Path, colors: tuple[str, ...], precision: Precision
) -> Mechanism:
    """Return the mechanism that the table ``datasets`` holds.

    Parameters
    ----------
    database : duckdb.DuckDBPyConnection
        With that table.
    path : Path
        The file it came from, for messages.
    colors, precision
        From `load_table`.

    Returns
    -------
    Mechanism
        Datasets in the order of the rows, labels as text.

    Raises
    ------
    FileFormatError, DuplicateDatasetError, DistributionError, NumberError
        If a row does not fit a mechanism; the message names it.
    """
    _refuse_gaps(database, path, colors)
    refuse_repeats(database, path)
    return _from_loaded(database, path, colors, precision)


def _refuse_gaps(database: "DuckDBPyConnection", path: Path, colors: tuple[str, ...]) -> None:
    """Refuse a mechanism without rows, an empty cell other than a distance, and a distance that is none."""
    if database.execute("select count(*) from datasets").fetchone() == (0,):
        raise FileFormatError(
            f"{str(path)!r} has a header and no datasets", help="give it one row per dataset", path=str(path)
        )
    columns = ("dataset", "rainbow", *(f"p{at}" for at in range(len(colors))))
    for column, name in zip(columns, ("dataset", "rainbow", *colors), strict=True):
        (row,) = database.execute(
            f"select min(rowid) from datasets where {column} is null"  # noqa: S608 - column numbers
        ).fetchone() or (None,)
        if row is not None:
            raise FileFormatError(
                f"row {row + 1} of {str(path)!r} has nothing in the column {name!r}",
                help="fill it (rows are counted after the header); only a distance may be empty",
                path=str(path),
                row=row + 1,
            )
    wrong = database.execute(
        "select rowid, distance from datasets where distance is not null and not coalesce("
        "regexp_full_match(distance, '[0-9]+') and try_cast(distance as integer) is not null, false) "
        "order by rowid limit 1"
    ).fetchone()
    if wrong:
        raise FileFormatError(
            f"row {wrong[0] + 1} of {str(path)!r} has the distance {wrong[1]!r}"
            + (f", beyond {_LARGEST_DISTANCE}" if re.fullmatch("[0-9]+", wrong[1]) else ""),
            help="write a whole number of steps, or nothing where the dataset is unconstrained",
            path=str(path),
            row=wrong[0] + 1,
        )


def _from_loaded(
    database: "DuckDBPyConnection", path: Path, colors: tuple[str, ...], precision: Precision
) -> Mechanism:
    columns = ", ".join(("rainbow", "distance", *(f"p{at}" for at in range(len(colors)))))
    database.execute(
        "create temp table classes as select row_number() over (order by first) - 1 as code, * from "  # noqa: S608 - column numbers
        f"(select {columns}, min(rowid) as first from datasets group by {columns})"
    )
    same = " and ".join(f"c.{name} is not distinct from d.{name}" for name in columns.split(", "))
    loaded = arrays(
        database.execute(
            "select d.dataset, c.code::integer as code from datasets d "  # noqa: S608 - column numbers
            f"join classes c on {same} order by d.rowid"
        )
    )
    classes = arrays(
        database.execute(
            f"select first, coalesce(distance::integer, -1) as steps, {columns} from classes order by code"  # noqa: S608 - column numbers
        )
    )
    steps = classes["steps"]
    try:
        return Mechanism.from_table(
            _rainbows(path, classes["rainbow"], classes["first"], colors),
            np.stack([classes[f"p{at}"] for at in range(len(colors))], axis=1).astype(object),
            colors=colors,
            codes=loaded["code"],
            distances=np.ma.MaskedArray(steps, mask=steps < 0),
            labels=loaded["dataset"].tolist(),
            precision=precision,
        )
    except DistributionError as error:
        # A mechanism is judged as it is; no option rescales its rows.
        error.help = "give probabilities of at least 0 that sum to 1, as fractions or with all their digits"
        raise


def _rainbows(path: Path, texts: NDArray[Any], first: NDArray[Any], colors: tuple[str, ...]) -> list[Rainbow]:
    """Read the rainbow of each class; every one must rank exactly the colors that have a column."""
    known: dict[str, Rainbow] = {}
    for text, row in zip(texts.tolist(), first.tolist(), strict=True):
        if text in known:
            continue
        place = f"row {row + 1} of {str(path)!r}"
        rainbow = known[text] = parsed_rainbow(text, place)
        if rainbow.colors != colors:
            unknown = [color for color in rainbow.colors if color not in colors]
            unranked = [color for color in colors if color not in rainbow.colors]
            what = (
                f"ranks {quote_color(unknown[0])}, which has no column"
                if unknown
                else f"does not rank {quote_color(unranked[0])}, which has a column"
            )
            raise FileFormatError(
                f"{place}: the rainbow {rainbow} {what}",
                help=(did_you_mean(unknown[0], colors) if unknown else "")
                or f"every rainbow ranks the colors {', '.join(map(quote_color, colors))}",
                path=str(path),
                row=row + 1,
            )
    return [known[text] for text in texts.tolist()]
