# SPDX-License-Identifier: Apache-2.0
"""Whether a boundary condition fits a graph and is private where its regions touch.

Two neighbors of different rainbows are both boundary datasets. So the constraint between two distributions is
checked once for every pair of regions that touch, and it is checked exactly.
"""

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial

import flint

from rainbowdp.boundary.condition import BoundaryCondition
from rainbowdp.distribution import Distribution
from rainbowdp.errors import BoundaryMissingError, BoundaryNotPrivateError, did_you_mean
from rainbowdp.exact import Exact, ball, enclose_with, format_fraction, normal_quantile, to_float
from rainbowdp.exact.arguments import require
from rainbowdp.graph import RainbowGraph, Touch
from rainbowdp.privacy import (
    GaussianDP,
    Privacy,
    Violation,
    likelihood_events,
    require_privacy,
)
from rainbowdp.privacy.verdict import Excess
from rainbowdp.rainbow import Rainbow, color_mismatch, quote_color

_LONGEST_FRACTION = 24
_DIGITS = 6


def check_boundary(condition: BoundaryCondition, graph: RainbowGraph, privacy: Privacy) -> tuple[str, ...]:
    """Refuse a boundary condition that does not fit the graph or is not private.

    Parameters
    ----------
    condition : BoundaryCondition
        The distributions.
    graph : RainbowGraph
        The graph whose boundary is meant.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.

    Returns
    -------
    tuple of str
        Notes, for distributions that are not needed.

    Raises
    ------
    ColorError
        If a rainbow of the condition has other colors than the graph.
    BoundaryMissingError
        If a region with a boundary has no distribution; names the rainbow and a boundary dataset.
    BoundaryNotPrivateError
        If the distributions of two touching regions break the constraint. Of all pairs the one of greatest
        excess is named (the first one where several are equal): both rainbows, two neighboring datasets, the
        event and by how much, and a parameter that would do for this pair. Its `values` hold ``rainbows``,
        ``datasets`` (the one that gives too much first), ``event``, ``probability``, ``limit``, ``excess``
        and ``privacy``.
    UsageError
        If an argument is of the wrong kind.

    References
    ----------
    Zhou et al. 2022, Definition 2 and Theorem 2.

    Examples
    --------
    >>> from rainbowdp.boundary import given
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_edges([("x", "y")], {"x": "a>b", "y": "b>a"})
    >>> condition = given({"a>b": {"a": "3/4", "b": "1/4"}, "b>a": {"a": "1/4", "b": "3/4"}})
    >>> check_boundary(condition, graph, PureDP("ln 3"))
    ()
    >>> try:
    ...     check_boundary(condition, graph, PureDP("ln 2"))
    ... except BoundaryNotPrivateError as error:
    ...     print(error.report())
    error[RDP402]: the boundary distributions of a>b and b>a break epsilon=ln(2): the neighbors 'x' and 'y' \
give the event {a} probability 3/4 and 1/4, and the limit for 'x' is 1/2, exceeded by 1/4
    help: move the two distributions towards each other; this pair needs epsilon=ln(3)
    """
    require(condition, "condition", BoundaryCondition)
    require(graph, "graph", RainbowGraph)
    require_privacy(privacy)
    notes = _fit(condition.distributions, graph)
    worst: tuple[Excess, tuple[Distribution, Distribution], Touch] | None = None
    # Regions often share a distribution, and every two of them are asked about once.
    known: set[tuple[int, int]] = set()
    for touch in graph.touching:
        first, second = graph.rainbows[touch.first], graph.rainbows[touch.second]
        p, q = condition.distributions[first], condition.distributions[second]
        pair = (min(id(p), id(q)), max(id(p), id(q)))
        if p is q or pair in known:
            continue
        known.add(pair)
        violation = privacy.admits(p, q).violation
        if violation is None:
            continue
        ours, theirs = (q, p) if violation.swapped else (p, q)
        found = Excess(violation, partial(_excess_ball, privacy, ours, theirs, violation.event))
        if found.is_above(worst and worst[0]):
            worst = found, (p, q), touch
    if worst is not None:
        raise _not_private(worst[0].violation, *worst[1:], graph, privacy)
    return notes


def _excess_ball(
    privacy: Privacy, ours: Distribution, theirs: Distribution, event: tuple[str, ...]
) -> flint.arb:
    return ball(ours.mass(event)) - privacy.limit_ball(theirs.mass(event))


def _fit(distributions: Mapping[Rainbow, Distribution], graph: RainbowGraph) -> tuple[str, ...]:
    """Refuse wrong colors and missing regions, and return notes on what is not needed."""
    present = set(graph.rainbows)
    for rainbow in distributions:
        if rainbow.colors != graph.colors:
            what = f"the boundary rainbow {rainbow} does not fit the graph"
            raise color_mismatch(what, rainbow.colors, graph.colors, "it does not rank")
    witness: dict[int, int] = {}
    for touch in graph.touching:
        witness.setdefault(touch.first, touch.source)
        witness.setdefault(touch.second, touch.target)
    for code, dataset in sorted(witness.items()):
        rainbow = graph.rainbows[code]
        if rainbow not in distributions:
            close = did_you_mean(str(rainbow), map(str, distributions.keys() - present))
            raise BoundaryMissingError(
                f"the region {rainbow} has a boundary, for example the dataset {graph.label(dataset)!r}, and "
                "no boundary distribution",
                help=close
                or f"give a distribution for {rainbow}, or use uniform, randomized-response or max-min",
                rainbow=rainbow,
                dataset=graph.label(dataset),
            )
    needed = {graph.rainbows[code] for code in witness}
    notes = []
    for rainbow in distributions.keys() - needed:
        why = "has no boundary" if rainbow in present else "is not in the graph"
        notes.append(f"the boundary distribution of {rainbow} is not needed: the region {why}")
    return tuple(sorted(notes))


def _not_private(
    violation: Violation,
    distributions: tuple[Distribution, Distribution],
    touch: Touch,
    graph: RainbowGraph,
    privacy: Privacy,
) -> BoundaryNotPrivateError:
    order = (1, 0) if violation.swapped else (0, 1)
    rainbows = tuple(graph.rainbows[(touch.first, touch.second)[end]] for end in order)
    datasets = tuple(graph.label((touch.source, touch.target)[end]) for end in order)
    ours, theirs = (distributions[end] for end in order)
    event = ", ".join(map(quote_color, violation.event))
    other = theirs.mass(violation.event)
    what = (
        f"the boundary distributions of {rainbows[0]} and {rainbows[1]} break {privacy}: the neighbors "
        f"{datasets[0]!r} and {datasets[1]!r} give "
    )
    what += (
        f"the event {{{event}}} probability {_show(violation.probability)} and {_show(other)}"
        if violation.event
        else "their colors likelihood ratios of undecided order"
    )
    if violation.limit is not None:
        what += f", and the limit for {datasets[0]!r} is {_show(violation.limit)}"
    if violation.undecided:
        what += ", which 4096 bits do not tell from the limit; that counts as broken"
    elif violation.excess is not None:
        what += f", exceeded by {_show(violation.excess)}"
    enough = _enough(ours, theirs, privacy) or ""
    return BoundaryNotPrivateError(
        what,
        help="move the two distributions towards each other" + (enough and f"; this pair needs {enough}"),
        rainbows=rainbows,
        datasets=datasets,
        event=violation.event,
        probability=violation.probability,
        limit=violation.limit,
        excess=violation.excess,
        privacy=str(privacy),
        needed=enough or None,
    )


def _enough(p: Distribution, q: Distribution, privacy: Privacy) -> str | None:
    """Return the least parameter that lets two rational distributions be neighbors, where there is one.

    Every event needs odds of (probability - delta) / other probability, or a mu of the difference of the
    quantiles of its two probabilities.
    """
    delta = Fraction(0) if isinstance(privacy, GaussianDP) else privacy.delta
    needed: list[tuple[Fraction, Fraction]] = []
    for ours, theirs in ((p, q), (q, p)):
        for event in likelihood_events(ours, theirs):
            probability, other = ours.mass(event), theirs.mass(event)
            if not isinstance(probability, Fraction) or not isinstance(other, Fraction):
                return None
            if probability - delta > other:
                needed.append((probability - delta, other))
    if not needed or any(other == 0 for _, other in needed):
        return None
    if not isinstance(privacy, GaussianDP):
        return _epsilon_text(max(probability / other for probability, other in needed), delta)
    if any(probability == 1 for probability, _ in needed):
        return None
    uppers = [enclose_with(partial(_quantile_difference, *masses), 96)[1] for masses in needed]
    return f"mu={_decimal(max(uppers), ROUND_CEILING)}"


def _epsilon_text(odds: Fraction, delta: Fraction) -> str:
    text = format_fraction(odds)
    if len(text) > _LONGEST_FRACTION:
        _, upper = enclose_with(lambda: ball(odds).log(), 96)
        epsilon = f"epsilon={_decimal(upper, ROUND_CEILING)}"
    else:
        epsilon = f"epsilon=ln({text})"
    return f"{epsilon}, delta={format_fraction(delta)}" if delta else epsilon


def _quantile_difference(probability: Fraction, other: Fraction) -> flint.arb:
    return normal_quantile(ball(probability)) - normal_quantile(ball(other))


def _show(value: Exact) -> str:
    """Return a short fraction as it is, and anything else as an interval of two decimals."""
    if isinstance(value, Fraction) and len(format_fraction(value)) <= _LONGEST_FRACTION:
        return format_fraction(value)
    low = _decimal(Fraction(to_float(value, "down")), ROUND_FLOOR)
    high = _decimal(Fraction(to_float(value, "up")), ROUND_CEILING)
    return low if low == high else f"[{low}, {high}]"


def _decimal(value: Fraction, rounding: str) -> str:
    context = Context(prec=_DIGITS, rounding=rounding)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
