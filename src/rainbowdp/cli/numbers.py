# SPDX-License-Identifier: Apache-2.0
"""How numbers are shown: exact ones in JSON, as table cells and as fraction text, and bounds of others."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rainbowdp.exact import Exact

_DIGITS = 6
_BOUND_DIGITS = 12
_DOWN, _UP = (Context(prec=_BOUND_DIGITS, rounding=way) for way in (ROUND_FLOOR, ROUND_CEILING))


def json_number(value: float) -> float | str:
    """Return a float for JSON, in which infinity is the text ``inf``."""
    return "inf" if math.isinf(value) else value


def json_exact(value: "Exact | None") -> float | None:
    """Return the float closest to an exact number, for JSON; None stays None."""
    from rainbowdp.exact import to_float

    return None if value is None else to_float(value, "nearest")


def outward(lower: float, upper: float) -> tuple[float, float]:
    """Return two bounds rounded outward to 12 significant digits.

    The last places of a bound say nothing about what it bounds, and much about how it was computed.

    Examples
    --------
    >>> outward(0.18232155679195192, 0.18232155679595743)
    (0.182321556791, 0.182321556796)
    >>> outward(0.5, math.inf)
    (0.5, inf)
    """
    return float(_DOWN.create_decimal_from_float(lower)), float(_UP.create_decimal_from_float(upper))


def json_bounds(lower: float, upper: float) -> dict[str, float | str]:
    """Return two bounds, rounded outward, for JSON."""
    low, high = outward(lower, upper)
    return {"lower": json_number(low), "upper": json_number(high)}


def bounds_cell(lower: float, upper: float) -> str:
    """Return two bounds as a table cell: one number where 12 significant digits do not tell them apart."""
    one, other = (f"{bound:.{_BOUND_DIGITS}g}" for bound in (lower, upper))
    if one == other:
        return one
    low, high = (f"{bound:.{_BOUND_DIGITS}g}" for bound in outward(lower, upper))
    return f"from {low} to {high}"


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
