# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions: one distribution per rainbow, for the datasets where regions meet, and their check.

A boundary is homogeneous (Zhou et al. 2022, Definition 6) because it is kept by rainbow and not by dataset.
Keys are compared as rainbows, so spelling does not matter, and distributions given dataset by dataset are
accepted only if they agree within every region.

Two neighbors of different rainbows are both boundary datasets. So the constraint between two distributions is
checked once for every pair of regions that touch, and it is checked exactly.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import flint

from rainbowdp.distribution import Distribution, Probabilities
from rainbowdp.errors import (
    BoundaryMissingError,
    BoundaryNotPrivateError,
    ColorError,
    DistributionError,
    NotHomogeneousError,
    NumberError,
    did_you_mean,
)
from rainbowdp.exact import Exact, ball, enclose_with, format_fraction, normal_quantile, show, to_float
from rainbowdp.exact.arguments import require
from rainbowdp.graph import RainbowGraph, Touch
from rainbowdp.privacy import GaussianDP, Privacy, Violation, likelihood_events, require_privacy
from rainbowdp.privacy.verdict import Excess
from rainbowdp.rainbow import Rainbow, color_mismatch, quote_color, quote_colors

_LONGEST_FRACTION = 24
_DIGITS = 6


@dataclass(frozen=True)
class BoundaryCondition:
    """The distributions that a mechanism must have on the boundary of every region.

    `check_boundary` decides whether they are private where regions touch.

    Parameters
    ----------
    distributions : mapping of Rainbow to Distribution
        One distribution per rainbow; kept read-only, sorted by the text of the rainbows. `given`
        reads texts and mappings.
    notes : tuple of str
        What a user should know about where the numbers come from, such as a rounding.

    Raises
    ------
    ColorError
        If a distribution does not have the colors of its rainbow.
    UsageError
        If it is not a mapping from rainbows to distributions.

    References
    ----------
    Zhou et al. 2022, Definition 6 and Theorem 2.

    Examples
    --------
    >>> rainbow = Rainbow.parse("blue>red")
    >>> condition = BoundaryCondition({rainbow: Distribution({"blue": "2/3", "red": "1/3"})})
    >>> condition.distributions[Rainbow.parse("blue > red")]
    Distribution(blue=2/3, red=1/3)
    """

    distributions: Mapping[Rainbow, Distribution]
    notes: tuple[str, ...] = ()

    def __reduce__(
        self,
    ) -> tuple[type["BoundaryCondition"], tuple[dict[Rainbow, Distribution], tuple[str, ...]]]:
        return BoundaryCondition, (dict(self.distributions), self.notes)

    def __post_init__(self) -> None:
        require(self.distributions, "distributions", Mapping)
        for rainbow, distribution in self.distributions.items():
            require(rainbow, "distributions", Rainbow)
            require(distribution, "distributions", Distribution)
            with _placed(f"the boundary distribution of {rainbow}"):
                distribution.require_colors(rainbow)
        ordered = dict(sorted(self.distributions.items(), key=lambda item: str(item[0])))
        object.__setattr__(self, "distributions", MappingProxyType(ordered))
        object.__setattr__(self, "notes", tuple(self.notes))


def given(
    distributions: Mapping[Rainbow, Probabilities] | Mapping[str, Probabilities], *, normalize: bool = False
) -> BoundaryCondition:
    """Make a boundary condition of given distributions.

    Parameters
    ----------
    distributions : mapping of Rainbow or str to Distribution or mapping
        One distribution per rainbow. Text keys are read as rainbows, in any spelling; probabilities that are
        not exact yet are read by `rainbowdp.exact.parse_fraction`.
    normalize : bool, keyword-only
        Divide the probabilities of a rainbow by their sum where it is not 1.

    Returns
    -------
    BoundaryCondition

    Raises
    ------
    ColorError
        If a distribution does not have the colors of its rainbow, or two keys are the same rainbow.
    DistributionError
        If probabilities are negative or do not sum to 1; the message names the rainbow.
    NumberError
        If a probability is not an exact number.
    RainbowSyntaxError
        If a key is not a rainbow.
    UsageError
        If `distributions` is not a mapping.

    Examples
    --------
    >>> given({"red > blue": {"blue": "1/3", "red": "2/3"}}).distributions
    mappingproxy({Rainbow(classes=(('red',), ('blue',))): Distribution(blue=1/3, red=2/3)})
    """
    read: dict[Rainbow, Distribution] = {}
    require(distributions, "distributions", Mapping)
    for key, probabilities in distributions.items():
        rainbow = Rainbow.of(key)
        if rainbow in read:
            raise ColorError(
                f"the boundary distribution of {rainbow} is given twice",
                help="give one distribution per rainbow; blanks and the order of tied colors do not matter",
                rainbow=str(rainbow),
            )
        read[rainbow] = _read(probabilities, f"the boundary distribution of {rainbow}", normalize=normalize)
    return BoundaryCondition(read)


def from_datasets(graph: RainbowGraph, distributions: Mapping[str, Probabilities]) -> BoundaryCondition:
    """Make a boundary condition of distributions given dataset by dataset.

    With different distributions in one region there may be no optimal mechanism at all, so they are refused.
    For three colors or more not even the smallest prefix masses over the datasets make a private mechanism.

    Parameters
    ----------
    graph : RainbowGraph
        Its datasets are named by `graph.label`.
    distributions : mapping of str to Distribution or mapping
        Dataset to distribution, for some datasets of the graph; one dataset per region is enough.

    Returns
    -------
    BoundaryCondition

    Raises
    ------
    NotHomogeneousError
        If two datasets of one region have different distributions; the message names them.
    UnknownDatasetError
        If the graph has no such dataset.
    ColorError, DistributionError, NumberError
        If something is not a distribution over the graph's colors; the message names the dataset.
    UsageError
        If `graph` is not a `RainbowGraph`, or `distributions` not a mapping.

    References
    ----------
    Zhou et al. 2022, Definition 6 and Theorem 2.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges([("a", "b")], {"a": "blue>red", "b": "red>blue"})
    >>> even = {"blue": "1/2", "red": "1/2"}
    >>> from_datasets(graph, {"a": even, "b": even}).distributions[Rainbow.parse("blue>red")]
    Distribution(blue=1/2, red=1/2)
    """
    read: dict[Rainbow, Distribution] = {}
    speaker: dict[Rainbow, str] = {}
    require(graph, "graph", RainbowGraph)
    require(distributions, "distributions", Mapping)
    for name, probabilities in distributions.items():
        dataset = graph.index(name)
        rainbow = graph.rainbows[int(graph.regions[dataset])]
        place = f"the distribution of the dataset {name!r}"
        distribution = _read(probabilities, place)
        with _placed(place):
            distribution.require_colors(rainbow)
        if rainbow not in read:
            read[rainbow], speaker[rainbow] = distribution, name
        elif read[rainbow] != distribution:
            raise NotHomogeneousError(
                f"the datasets {speaker[rainbow]!r} and {name!r} of the region {rainbow} have different "
                f"distributions: {_shown(read[rainbow])} and {_shown(distribution)}",
                help="give all boundary datasets of a region the same distribution; with different ones "
                "there may be no optimal mechanism",
                rainbow=rainbow,
                datasets=(speaker[rainbow], name),
            )
    return BoundaryCondition(read)


def _read(probabilities: Probabilities, place: str, *, normalize: bool = False) -> Distribution:
    with _placed(place):
        if isinstance(probabilities, Distribution):
            return probabilities
        return Distribution(probabilities, normalize=normalize)


@contextmanager
def _placed(place: str) -> Iterator[None]:
    """Name the place in errors about a distribution."""
    try:
        yield
    except (ColorError, DistributionError, NumberError) as error:
        raise error.at(place) from error


def _shown(distribution: Distribution) -> str:
    return ", ".join(f"{quote_color(color)}={show(value)}" for color, value in distribution.items())


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
    event = quote_colors(violation.event)
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
