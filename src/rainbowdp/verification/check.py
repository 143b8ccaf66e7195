# SPDX-License-Identifier: Apache-2.0
"""Verification of any mechanism on every pair of neighbors.

Pairs of datasets are reduced to pairs of classes, and whole stretches of a line to a few of them. A float64
filter clears what is clear, and exact arithmetic decides the rest. Nothing is assumed of the mechanism but
its rows.
"""

import math
from typing import Literal

import flint

from rainbowdp.errors import UsageError
from rainbowdp.exact import exponent_ball, round_ball, to_float
from rainbowdp.exact.arguments import kind_of, require
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.relation import NeighborRelation, require_relation
from rainbowdp.mechanism import Mechanism, in_order_of
from rainbowdp.mechanism.comparison import require_same_size
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.privacy.verdict import Excess
from rainbowdp.verification.pairs import class_pairs
from rainbowdp.verification.result import Notion, Verification, Witness
from rainbowdp.verification.stated import RowKind
from rainbowdp.verification.stretches import Progress, representative_pairs
from rainbowdp.verification.task import Task


def verify(
    mechanism: Mechanism,
    graph: NeighborRelation | RainbowGraph,
    privacy: Privacy,
    strict: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Check a privacy constraint on every pair of neighbors, and say how tight it is.

    The check does not use how the mechanism was made. Exact rows (fractions, or the exact expressions of a
    mechanism that rainbowdp solved) are decided exactly; where they are given by the formula of a line, one
    proof covers a stretch of distances (see `rainbowdp.verification.line_proof`). Rows that are stated
    decimals (`Mechanism.stated`) cannot meet a tight constraint exactly; each value v stands for the numbers
    within v (1 ± 1e-12) ± 1e-300, and the check fails only where an excess is proven for all of them.

    Parameters
    ----------
    mechanism : Mechanism
        Any mechanism.
    graph : DatasetGraph, another NeighborRelation, or RainbowGraph
        The neighbors. A `RainbowGraph` with the same labels in another order is put in order; otherwise its
        datasets are those of the mechanism, in the same order.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint that is asked.
    strict : bool
        Judge stated decimals exactly as they are written, without any precision around them; a row need not
        sum to exactly 1 then. Exact rows are always judged so.
    progress : callable, optional
        Called now and then with the number of steps done and the number of steps in all.

    Returns
    -------
    Verification
        Whether it holds; the tight epsilon (at delta 0), delta (at the asked epsilon) or mu, between two
        floats rounded outward; and where it fails the pair of neighbors and the event of greatest excess (of
        several equal ones the first). For stated decimals the enclosure holds for all numbers that they can
        stand for, so its upper end may be infinite where probabilities fall below 1e-287; a color that is
        written 0 in both rows of a pair counts as impossible in both.

    Raises
    ------
    MechanismShapeError
        If the mechanism and the graph do not have the same datasets.
    UsageError
        If an argument is of another kind.

    References
    ----------
    Zhou et al. 2022, Definition 2; Gu et al. 2024 for delta > 0; Dong, Roth and Su 2022 for mu.

    Examples
    --------
    >>> from rainbowdp.graph import DatasetGraph
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["blue>red", "red>blue"],
    ...     table=[{"blue": "2/3", "red": "1/3"}, {"blue": "1/3", "red": "2/3"}],
    ...     labels=["ann", "bob"],
    ... )
    >>> neighbors = DatasetGraph.from_pairs(2, [0], [1])
    >>> verify(mechanism, neighbors, PureDP("ln 2")).holds
    True
    >>> failed = verify(mechanism, neighbors, PureDP("ln(3/2)"))
    >>> failed.holds, round(failed.lower, 6), failed.witness.source, failed.witness.event
    (False, 0.693147, 'ann', ('blue',))
    >>> failed.witness.probability, failed.witness.limit, failed.witness.excess
    (Fraction(2, 3), Fraction(1, 2), Fraction(1, 6))
    """
    _require_kinds(mechanism, graph, privacy, strict, progress)
    structure = graph.structure if isinstance(graph, RainbowGraph) else graph
    require_same_size(mechanism, structure.size)
    aligned = in_order_of(graph.labels, mechanism) if isinstance(graph, RainbowGraph) else mechanism
    kind: RowKind = "ideal" if not mechanism.stated else "written" if strict else "stated"
    met = class_pairs(aligned.codes, structure)
    pairs = representative_pairs(aligned, met, privacy, progress or _silent)
    task = Task(aligned, privacy, kind, pairs, progress or _silent)
    bounds = task.bounds()
    worst, place = task.worst(bounds)
    low, high = task.figure(bounds)
    if kind == "stated":
        high = max(high, task.figure_within_classes())
    notion = _notion(privacy)
    lower, upper = _outward(low, "down", notion), _outward(high, "up", notion)
    if worst is None and kind != "stated":
        upper = min(upper, _asked_float(privacy, "up"))
    if worst is not None and not worst.violation.undecided:
        lower = max(lower, _asked_float(privacy, "down"))
    upper = max(lower, upper)
    return Verification(
        holds=worst is None,
        asked=str(privacy),
        notion=notion,
        lower=lower,
        upper=upper,
        witness=None if worst is None else _witness(worst, aligned, pairs.source[place], pairs.target[place]),
        pairs=structure.pair_count,
        class_pairs=met.size,
        stated=kind == "stated",
        why_infinite=task.why_infinite(notion) if upper == math.inf else None,
    )


def _require_kinds(
    mechanism: object, graph: object, privacy: object, strict: object, progress: object
) -> None:
    """Raise `UsageError` for arguments of other kinds than `verify` can judge."""
    require(mechanism, "mechanism", Mechanism)
    if not isinstance(graph, RainbowGraph):
        require_relation(graph, "graph")
    require(privacy, "privacy", PureDP, ApproxDP, GaussianDP)
    require(strict, "strict", bool)
    if progress is not None and not callable(progress):
        raise UsageError(
            f"`progress` must be callable, and is {kind_of(progress)}",
            help="give a function of the steps done and the steps in all, or leave it out",
        )


def _silent(done: int, steps: int) -> None:
    """Report nothing."""


def _notion(privacy: Privacy) -> Notion:
    match privacy:
        case PureDP():
            return "epsilon"
        case ApproxDP():
            return "delta"
        case GaussianDP():
            return "mu"


def _outward(value: flint.arb, rounding: Literal["down", "up"], notion: Notion) -> float:
    """Return a figure as a float rounded outward; the figure of pure privacy is the logarithm of a ratio."""
    if value == flint.arb.pos_inf():
        return float("inf")
    if notion != "epsilon":
        return max(round_ball(lambda: value, rounding), 0.0)
    return round_ball(value.log, rounding) if value > 1 else 0.0


def _asked_float(privacy: Privacy, rounding: Literal["down", "up"]) -> float:
    match privacy:
        case PureDP(epsilon=exponent) | GaussianDP(mu=exponent):
            return round_ball(lambda: exponent_ball(exponent), rounding)
        case ApproxDP(delta=delta):
            return to_float(delta, rounding)


def _witness(worst: Excess, mechanism: Mechanism, source: int, target: int) -> Witness:
    violation = worst.violation
    if violation.swapped:
        source, target = target, source
    return Witness(
        source=mechanism.label(int(source)),
        target=mechanism.label(int(target)),
        event=violation.event,
        probability=violation.probability,
        limit=violation.limit,
        excess=violation.excess,
        undecided=violation.undecided,
    )
