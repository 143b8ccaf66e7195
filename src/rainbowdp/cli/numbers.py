# SPDX-License-Identifier: Apache-2.0
"""How exact numbers are shown: as JSON numbers, as table cells, as fraction text."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rainbowdp.exact import Exact

_DIGITS = 6


def json_number(value: float) -> float | str:
    """Return a float for JSON, in which infinity is the text ``inf``."""
    return "inf" if math.isinf(value) else value


def json_exact(value: "Exact | None") -> float | None:
    """Return the float closest to an exact number, for JSON; None stays None."""
    from rainbowdp.exact import to_float

    return None if value is None else to_float(value, "nearest")


def cell(value: float) -> str:
    """Return a float as a table cell with six significant digits."""
    return f"{value:.{_DIGITS}g}"


def exact_cell(value: "Exact | None") -> str:
    """Return an exact number as a table cell: rounded, with its fraction where that is short."""
    from rainbowdp.exact import format_exact, to_float

    if value is None:
        return "no closed form"
    rounded = cell(to_float(value, "nearest"))
    if not isinstance(value, Fraction):
        return rounded
    text = format_exact(value)
    return f"{rounded} ({text})" if "/" in text and len(text) <= 40 else rounded
