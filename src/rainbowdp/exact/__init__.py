# SPDX-License-Identifier: Apache-2.0
"""Exact numbers: how they are read, kept, compared, enclosed and rounded.

Privacy is a claim about real numbers, and floats do not carry it. `text` reads numbers, `real` sets the
precision, `odds` and `real` keep the irrational numbers that privacy needs, and `enclosure` holds the only
ways out: decided signs, enclosures, directed rounding, and texts for messages. `arguments` refuses arguments
of the wrong kind.
"""

from rainbowdp.exact.enclosure import (
    Exact,
    are_compatible,
    ball,
    bounds,
    compare,
    enclose,
    enclose_with,
    format_exact,
    is_same,
    round_ball,
    show,
    sign,
    simplest,
    to_float,
)
from rainbowdp.exact.odds import OddsExpression
from rainbowdp.exact.real import (
    FIRST_PRECISION,
    LAST_PRECISION,
    NormalExpression,
    Real,
    exponent_ball,
    normal_cdf,
    normal_quantile,
    rational_ball,
    refine,
    shown_sign,
    working_precision,
)
from rainbowdp.exact.text import (
    Exponent,
    Log,
    LogPart,
    NumberLike,
    divided_exponent,
    format_fraction,
    parse_exponent,
    parse_fraction,
)

__all__ = [
    "FIRST_PRECISION",
    "LAST_PRECISION",
    "Exact",
    "Exponent",
    "Log",
    "LogPart",
    "NormalExpression",
    "NumberLike",
    "OddsExpression",
    "Real",
    "are_compatible",
    "ball",
    "bounds",
    "compare",
    "divided_exponent",
    "enclose",
    "enclose_with",
    "exponent_ball",
    "format_exact",
    "format_fraction",
    "is_same",
    "normal_cdf",
    "normal_quantile",
    "parse_exponent",
    "parse_fraction",
    "rational_ball",
    "refine",
    "round_ball",
    "show",
    "shown_sign",
    "sign",
    "simplest",
    "to_float",
    "working_precision",
]
