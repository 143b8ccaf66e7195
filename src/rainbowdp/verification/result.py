# SPDX-License-Identifier: Apache-2.0
"""The result of a verification: whether the constraint holds, how tight it is, and where it fails."""

from dataclasses import dataclass
from html import escape
from typing import Literal

from rainbowdp.exact import Exact, show
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE

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


def _shown(value: Exact | None) -> str:
    return "no closed form" if value is None else show(value)


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

    def _repr_html_(self) -> str:
        """Return the outcome as a table, for notebooks."""
        rows = [
            ("asked", self.asked),
            (f"tight {self.notion}", f"from {self.lower:.12g} to {self.upper:.12g}"),
            ("pairs of neighbors", str(self.pairs)),
        ]
        if (worst := self.witness) is not None:
            rows += [
                ("worst pair", f"{worst.source} against {worst.target}"),
                ("event", " or ".join(worst.event)),
                ("its probability", show(worst.probability)),
                ("limit", _shown(worst.limit)),
                ("excess", _shown(worst.excess)),
            ]
        cells = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows)
        return f"<p><b>{'holds' if self.holds else 'BROKEN'}</b></p><table>{cells}</table>"
