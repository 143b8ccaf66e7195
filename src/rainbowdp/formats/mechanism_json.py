# SPDX-License-Identifier: Apache-2.0
"""The JSON form of a mechanism, read into columns of text.

JSON is the form for mechanisms that one looks at or hands to another program: its objects pass through Python
one by one. Files of millions of datasets are better as CSV or Parquet.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, did_you_mean
from rainbowdp.formats.documents import read_document, shown
from rainbowdp.formats.mechanism_writing import FIRST_COLUMNS
from rainbowdp.formats.suffixes import Form


@dataclass(frozen=True)
class JsonMechanism:
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


def read_json_mechanism(path: Path) -> JsonMechanism:
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
    return JsonMechanism(
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
