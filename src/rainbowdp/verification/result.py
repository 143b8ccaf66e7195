# SPDX-License-Identifier: Apache-2.0
"""The result of a verification: whether the constraint holds, how tight it is, and where it fails."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from html import escape
from typing import Literal

from rainbowdp.exact import Exact, format_exact, to_float
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE
from rainbowdp.rainbow import quote_color

_BOUND_DIGITS = 12
_DOWN, _UP = (Context(prec=_BOUND_DIGITS, rounding=way) for way in (ROUND_FLOOR, ROUND_CEILING))
_LONGEST = 40
"""Characters of a fraction that is shown."""

Notion = Literal["epsilon", "delta", "mu"]


@dataclass(frozen=True)
class Witness:
    """The pair of neighbors and the event that exceed the constraint most.

    Attributes
    ----------
    source, target : str
        Names of two neighbors; the source gives the event too much probability.
    event : tuple of str
        Colors, sorted.
    probability : Exact
        Probability of the event at the source.
    limit : Exact or None
        The largest one allowed there. None where it has no exact form: rows in powers of another e^x than the
        constraint, or sums of several normal terms.
    excess : Exact or None
        probability - limit.
    undecided : bool
        True if 4096 bits did not decide the constraint, which counts as a failure. Under Gaussian privacy,
        and between powers of different e^x, numbers that rainbowdp did not make can be undecided.
    """

    source: str
    target: str
    event: tuple[str, ...]
    probability: Exact
    limit: Exact | None
    excess: Exact | None
    undecided: bool = False


def outward(lower: float, upper: float) -> tuple[float, float]:
    """Return two bounds rounded outward to 12 significant digits.

    The last places of a bound say nothing about what it bounds, and much about how it was computed.

    Examples
    --------
    >>> outward(0.18232155679195192, 0.18232155679595743)
    (0.182321556791, 0.182321556796)
    >>> outward(0.5, float("inf"))
    (0.5, inf)
    """
    return float(_DOWN.create_decimal_from_float(lower)), float(_UP.create_decimal_from_float(upper))


def _between(lower: float, upper: float) -> str:
    """Say two bounds: as one number where 12 significant digits do not tell them apart."""
    one, other = (f"{bound:.{_BOUND_DIGITS}g}" for bound in (lower, upper))
    if one == other:
        return one
    low, high = (f"{bound:.{_BOUND_DIGITS}g}" for bound in outward(lower, upper))
    return f"from {low} to {high}"


def _rounded(value: Exact | None) -> str:
    """Say an exact number: rounded to six digits, with its fraction where that is short."""
    if value is None:
        return "no closed form"
    rounded = f"{to_float(value, 'nearest'):.6g}"
    if not isinstance(value, Fraction):
        return rounded
    text = format_exact(value)
    return f"{rounded} ({text})" if "/" in text and len(text) <= _LONGEST else rounded


@dataclass(frozen=True)
class Verification:
    """The outcome of `verify`; true where the constraint holds for every pair of neighbors.

    Attributes
    ----------
    holds : bool
        Whether no pair of neighbors exceeds the constraint (for stated decimals: provably).
    asked : str
        The notion of privacy as typed.
    notion : {"epsilon", "delta", "mu"}
        What the tight figure is: epsilon at delta 0, delta at the asked epsilon, or mu.
    lower, upper : float
        The tight figure lies between them; infinite where an impossible color is possible at a neighbor.
    witness : Witness or None
        The greatest excess; None where the constraint holds.
    pairs : int
        Pairs of neighbors that were covered.
    class_pairs : int
        Different pairs of classes among them, each of which was decided: by itself, or with its stretch of a
        line.
    stated : bool
        Whether decimals were judged as numbers nearby, see `judged_within`.
    why_infinite : str or None
        Where `upper` is infinite, a sentence that says which probability makes it so.

    Examples
    --------
    >>> import numpy as np
    >>> from rainbowdp import Mechanism, PureDP, verify
    >>> from rainbowdp.graph import DatasetGraph
    >>> stated = Mechanism.from_table(["a>b", "a>b"], np.array([[1.0, 0.0], [0.5, 0.5]]), labels=["x", "y"])
    >>> found = verify(stated, DatasetGraph.from_pairs(2, [0], [1]), PureDP(1))
    >>> found.judged_within
    'the stated precision: v stands for every number within v (1 ± 1e-12) ± 1e-300'
    >>> print(found.why_infinite)
    'b' is written 0 at 'x' and 0.5 at its neighbor 'y': if 0 is meant, no finite epsilon is enough
    """

    holds: bool
    asked: str
    notion: Notion
    lower: float
    upper: float
    witness: Witness | None
    pairs: int
    class_pairs: int
    stated: bool = False
    why_infinite: str | None = None

    @property
    def judged_within(self) -> str | None:
        """How far from what is written the numbers may be; None where numbers are judged as they are."""
        if not self.stated:
            return None
        width, least = float(STATED_RELATIVE), float(STATED_ABSOLUTE)
        return f"the stated precision: v stands for every number within v (1 ± {width:g}) ± {least:g}"

    def __bool__(self) -> bool:
        return self.holds

    @property
    def rows(self) -> Iterator[tuple[str, str]]:
        """What was found, in words: the name of each thing, and the thing itself."""
        yield f"tight {self.notion}", _between(self.lower, self.upper)
        yield "judged", f"{self.pairs} pair{'s' * (self.pairs != 1)} of neighbors"
        yield "numbers", "within the stated precision (a relative 1e-12)" if self.stated else "as written"
        if (worst := self.witness) is not None:
            yield "worst pair", f"{worst.source!r} against {worst.target!r}"
            yield "event", " or ".join(map(quote_color, worst.event))
            yield "its probability", _rounded(worst.probability)
            yield "limit", _rounded(worst.limit)
            yield "excess", _rounded(worst.excess)

    def _repr_html_(self) -> str:
        """Return the outcome as a table, for notebooks."""
        rows = [("asked", self.asked), *self.rows]
        cells = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows)
        return f"<p><b>{'holds' if self.holds else 'BROKEN'}</b></p><table>{cells}</table>"
