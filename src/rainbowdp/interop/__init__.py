# SPDX-License-Identifier: Apache-2.0
"""Bridges to other libraries for differential privacy, one module each, all optional.

The one idea: rainbowdp answers, and the other library keeps its books. `opendp` makes measurements of a
question, `diffprivlib` pays for an answer from that library's accountant, and `accounting` turns privacy into
privacy-loss distributions that compose. Numbers that cross a bridge become floats, and every one of them is
rounded to the side on which privacy is never under-reported. Nothing below imports this package, and a module
here loads the other library when it is first used.
"""
