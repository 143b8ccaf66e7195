# SPDX-License-Identifier: Apache-2.0
"""Exact numbers: how they are read, kept, compared, enclosed and rounded.

Privacy is a claim about real numbers, and floats do not carry it. `text` reads numbers, `odds` and `normal`
keep the irrational ones that privacy needs, and `enclosure` holds the only ways out: decided signs,
enclosures, and directed rounding. `display` writes numbers into messages.
"""

from rainbowdp.exact.display import show
from rainbowdp.exact.enclosure import (
    Exact,
    ball,
    bounds,
    enclose,
    enclose_with,
    format_exact,
    round_ball,
    sign,
    to_float,
)
from rainbowdp.exact.normal import NormalExpression, exponent_ball, normal_cdf, normal_quantile
from rainbowdp.exact.odds import OddsExpression
from rainbowdp.exact.real import FIRST_PRECISION, LAST_PRECISION, Real, rational_ball
from rainbowdp.exact.text import Exponent, Log, NumberLike, format_fraction, parse_exponent, parse_fraction

__all__ = [
    "FIRST_PRECISION",
    "LAST_PRECISION",
    "Exact",
    "Exponent",
    "Log",
    "NormalExpression",
    "NumberLike",
    "OddsExpression",
    "Real",
    "ball",
    "bounds",
    "enclose",
    "enclose_with",
    "exponent_ball",
    "format_exact",
    "format_fraction",
    "normal_cdf",
    "normal_quantile",
    "parse_exponent",
    "parse_fraction",
    "rational_ball",
    "round_ball",
    "show",
    "sign",
    "to_float",
]
