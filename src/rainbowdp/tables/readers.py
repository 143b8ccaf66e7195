# SPDX-License-Identifier: Apache-2.0
"""What engines hand out for a cell, as a value that `rainbowdp.questions.cells.cell_text` understands.

Each function looks at one cell alone, and none of them fails: what it does not know stays what it is, or
becomes the cell that cannot be read.
"""

from decimal import Decimal, InvalidOperation

from rainbowdp.tables.moments import iso_text
from rainbowdp.tables.source import UNREADABLE_CELL


def plain_bytes(cell: object) -> object:
    """Return bytes for whatever kind of bytes a library uses."""
    return bytes(cell) if isinstance(cell, bytearray | memoryview) else cell


def shortest_float(cell: object, bits: int = 32) -> object:
    """Return the float64 that prints like a shorter float, which not every library keeps apart.

    Examples
    --------
    >>> shortest_float(0.10000000149011612), shortest_float(0.0999755859375, 16)
    (0.1, 0.1)
    """
    import numpy as np

    if not isinstance(cell, float):
        return cell
    with np.errstate(all="ignore"):
        return float(str(np.float16(cell) if bits == 16 else np.float32(cell)))


def decimal_of(cell: object) -> object:
    r"""Return the number that a text of an engine says; no text of it fails.

    Examples
    --------
    >>> decimal_of("1.50"), decimal_of("NaN"), decimal_of("?")
    (Decimal('1.50'), None, b'\xff')
    """
    cell = _decoded(cell)
    if not isinstance(cell, str):
        return cell
    try:
        number = Decimal(cell)
    except InvalidOperation:
        return UNREADABLE_CELL
    return None if number.is_nan() else number


def moment_of(cell: object) -> object:
    r"""Return ISO text for what an engine writes for a cell of a type of dates and times.

    Examples
    --------
    >>> moment_of("2020-01-31 05:06:07.8"), moment_of("0044-03-15 BC"), moment_of(None)
    ('2020-01-31T05:06:07.800000', b'\xff', None)
    """
    cell = _decoded(cell)
    if not isinstance(cell, str):
        return cell
    text = iso_text(cell)
    return UNREADABLE_CELL if text is None else text


def perhaps_moment_of(cell: object) -> object:
    """Return the same, and any other text as it is: a column of SQLite holds what it likes.

    Examples
    --------
    >>> perhaps_moment_of(b"2020-01-31 05:06:07"), perhaps_moment_of(b"red")
    ('2020-01-31T05:06:07', b'red')
    """
    text = _decoded(cell)
    found = iso_text(text) if isinstance(text, str) else None
    return cell if found is None else found


def _decoded(cell: object) -> object:
    """Return the text of an engine that hands out bytes."""
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell
