# SPDX-License-Identifier: Apache-2.0
"""Read, keep, compare, enclose and round exact numbers.

A privacy constraint is an inequality of real numbers, so no decision uses floats. `text` reads numbers,
`real` sets the precision, `odds` and `real` hold the irrational numbers, and `enclosure` decides signs,
encloses numbers, compares those of any form, also such as are known by enclosures alone, rounds them in a
direction, and writes them for messages. `arguments` refuses arguments of the wrong kind.
"""

from rainbowdp.exact.enclosure import Exact as Exact
from rainbowdp.exact.enclosure import Number as Number
from rainbowdp.exact.enclosure import are_compatible as are_compatible
from rainbowdp.exact.enclosure import ball as ball
from rainbowdp.exact.enclosure import bounds as bounds
from rainbowdp.exact.enclosure import compare as compare
from rainbowdp.exact.enclosure import enclose as enclose
from rainbowdp.exact.enclosure import enclose_with as enclose_with
from rainbowdp.exact.enclosure import format_exact as format_exact
from rainbowdp.exact.enclosure import is_same as is_same
from rainbowdp.exact.enclosure import round_ball as round_ball
from rainbowdp.exact.enclosure import show as show
from rainbowdp.exact.enclosure import sign as sign
from rainbowdp.exact.enclosure import simplest as simplest
from rainbowdp.exact.enclosure import to_float as to_float
from rainbowdp.exact.odds import OddsExpression as OddsExpression
from rainbowdp.exact.real import FIRST_PRECISION as FIRST_PRECISION
from rainbowdp.exact.real import LAST_PRECISION as LAST_PRECISION
from rainbowdp.exact.real import NormalExpression as NormalExpression
from rainbowdp.exact.real import Real as Real
from rainbowdp.exact.real import exponent_ball as exponent_ball
from rainbowdp.exact.real import normal_cdf as normal_cdf
from rainbowdp.exact.real import normal_quantile as normal_quantile
from rainbowdp.exact.real import rational_ball as rational_ball
from rainbowdp.exact.real import refine as refine
from rainbowdp.exact.real import shown_sign as shown_sign
from rainbowdp.exact.real import working_precision as working_precision
from rainbowdp.exact.text import Exponent as Exponent
from rainbowdp.exact.text import Log as Log
from rainbowdp.exact.text import LogPart as LogPart
from rainbowdp.exact.text import divided_exponent as divided_exponent
from rainbowdp.exact.text import format_fraction as format_fraction
from rainbowdp.exact.text import parse_exponent as parse_exponent
from rainbowdp.exact.text import parse_fraction as parse_fraction
