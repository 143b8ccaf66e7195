# SPDX-License-Identifier: Apache-2.0
"""The result of a verification: whether the constraint holds, how tight, where it fails, why infinite."""

from dataclasses import dataclass
from html import escape
from operator import itemgetter
from typing import Literal

import numpy as np

from rainbowdp.exact import Exact, show
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE, Mechanism
from rainbowdp.verification.class_pairs import ClassPairs
from rainbowdp.verification.filters import Floats
from rainbowdp.verification.judge import RowKind

# Below this the absolute part of the stated precision counts, see `rainbowdp.verification.judge`.
_CLOSE_TO_ZERO = 2e-287

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


def why_infinite(
    mechanism: Mechanism, pairs: ClassPairs, table: Floats, kind: RowKind, notion: Notion
) -> str:
    """Return a sentence that says why the upper end of the tight figure is infinite.

    Parameters
    ----------
    mechanism : Mechanism
        Names the datasets.
    pairs : ClassPairs
        The pairs of classes that were judged.
    table : float64 array [C, k]
        Nearest floats of the rows; positive where the numbers are.
    kind : {"ideal", "written", "stated"}
        How the rows were judged.
    notion : {"epsilon", "delta", "mu"}
        What the figure is.

    Returns
    -------
    str
    """
    # A class that two neighbors share forms a pair with itself.
    first, second = (np.concatenate([side, pairs.same]) for side in (pairs.first, pairs.second))
    one, other = table[first], table[second]
    least = np.where(np.maximum(one, other) > 0, np.minimum(one, other), np.inf).T
    column, place = np.unravel_index(int(np.argmin(least)), least.shape)
    if least[column, place] > (_CLOSE_TO_ZERO if kind == "stated" else 0.0):
        return f"4096 bits do not tell a probability from 0 or 1, so no finite {notion} is sure to be enough"
    if place < pairs.size:
        names = [mechanism.label(int(end[place])) for end in (pairs.source, pairs.target)]
    else:
        dataset = int(np.flatnonzero(mechanism.codes == first[place])[0])
        names = [mechanism.label(dataset), "another of the same row"]
    values = float(one[place, column]), float(other[place, column])
    (low, here), (high, there) = sorted(zip(values, names, strict=True), key=itemgetter(0))
    color = mechanism.colors[column]
    if kind == "ideal":
        return (
            f"{color!r} has probability 0 at {here!r} and more at its neighbor {there!r}, which no finite "
            f"{notion} allows"
        )
    written = f"{color!r} is written {low:g} at {here!r} and {high:g} at its neighbor {there!r}"
    if low > 0:
        return (
            f"{written}: the first is too close to 0 for the stated precision to exclude an infinite {notion}"
        )
    return f"{written}: if 0 is meant, no finite {notion} is enough"
