# SPDX-License-Identifier: Apache-2.0
"""Carry a mechanism along a map of datasets, reorder its datasets, and compare mechanisms.

A pullback answers for each dataset as another mechanism does for its image. A mechanism is compared with
another one, with itself along the boundary, and utilities with both. Every check returns a verdict that is
true or false by itself and holds the datasets or mechanisms that show why it is false.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rainbowdp.distribution import dominates
from rainbowdp.errors import MechanismShapeError, NotAMorphismError, UnknownDatasetError, UsageError
from rainbowdp.exact.arguments import items_of, kind_of, require
from rainbowdp.graph import RainbowGraph, check_morphism
from rainbowdp.graph.arrays import first_occurrences, first_outside, integer_array
from rainbowdp.graph.labels import LabelArray, Labels, label_array, matched
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.mechanism.value import Mechanism
from rainbowdp.rainbow import Rainbow


def pullback(
    mapping: ArrayLike,
    mechanism: Mechanism,
    labels: Labels | None = None,
    *,
    between: tuple[NeighborRelation, NeighborRelation] | None = None,
) -> Mechanism:
    """Return the mechanism that answers for each dataset as the given one does for its image.

    Along a morphism the pullback of a private mechanism is private. Give the two graphs as `between` to have
    the map checked; without them it is taken to be a morphism. The result keeps the classes of the given
    mechanism, so it costs one look-up per dataset.

    Parameters
    ----------
    mapping : integer array [n]
        The image of each dataset, a dataset number of `mechanism`.
    mechanism : Mechanism
        A mechanism on the images.
    labels : sequence or array [n], optional
        Names of the datasets.
    between : pair of DatasetGraph or another NeighborRelation, optional
        The neighbors among the n datasets, and those among the datasets of `mechanism`.

    Returns
    -------
    Mechanism
        On n datasets.

    Raises
    ------
    MechanismShapeError
        If an image is not a dataset of `mechanism`.
    NotAMorphismError
        If `between` is given and the map tears two neighbors apart.
    GraphShapeError, UsageError
        If an argument is of the wrong kind.

    References
    ----------
    Zhou et al. 2022, Theorem 1 (for any morphism) and Theorem 3 (along the boundary morphism).

    Examples
    --------
    >>> on_line = Mechanism.from_table(
    ...     rainbows=["b>r", "b>r"], table=[{"b": "1/2", "r": "1/2"}, {"b": "3/4", "r": "1/4"}]
    ... )
    >>> carried = pullback([0, 1, 1], on_line, labels=["x", "y", "z"])
    >>> carried.distribution("z")
    Distribution(b=3/4, r=1/4)
    >>> from rainbowdp.families import path
    >>> pullback([0, 1, 1], on_line, between=(path(3).structure, path(2).structure)).size
    3
    """
    require(mechanism, "mechanism", Mechanism)
    images = integer_array(mapping, "mapping")
    outside = first_outside(images, mechanism.size)
    if images.size == 0 or outside is not None:
        what = "is empty" if outside is None else f"sends a dataset to {int(images[outside])}"
        raise MechanismShapeError(
            f"the mapping {what}", help=f"images are 0 to {mechanism.size - 1}, the datasets of the mechanism"
        )
    if between is not None:
        _require_pair(between)
        torn = check_morphism(images, *between).violation
        if torn is not None:
            raise NotAMorphismError(
                f"the mapping sends the neighbors {torn[0]} and {torn[1]} to {images[torn[0]]} and "
                f"{images[torn[1]]}, which are neither equal nor neighbors",
                help="a pullback is private along a morphism only (Theorem 1)",
                violation=torn,
            )
    return replace(
        mechanism,
        codes=mechanism.codes[images].astype(np.int32),
        labels=None if labels is None else label_array(labels, images.size),
    )


def _require_pair(between: object) -> None:
    if not isinstance(between, tuple) or len(between) != 2:
        raise UsageError(
            f"`between` must be a pair of graphs, and is {kind_of(between)}",
            help="give the neighbors among the datasets, and those among their images",
            argument="between",
        )


def in_order_of(labels: LabelArray | None, mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with its datasets in the order of some labels.

    Parameters
    ----------
    labels : array [n] or None
        Names of the datasets in the wanted order.
    mechanism : Mechanism
        With the same names in any order. Where one of the two has no names and those of the other are not
        numbers, the order is taken to be the same already; otherwise datasets without names are 0 to n - 1.

    Returns
    -------
    Mechanism

    Raises
    ------
    MechanismShapeError
        If a name is missing in the mechanism.

    Examples
    --------
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["b>r", "r>b"], table=[{"b": "1", "r": "0"}, {"b": "0", "r": "1"}], labels=["x", "y"]
    ... )
    >>> in_order_of(np.array(["y", "x"]), mechanism).codes
    array([1, 0], dtype=int32)
    """
    try:
        mapping = matched(labels, mechanism.labels)
    except UnknownDatasetError as error:
        raise MechanismShapeError(
            f"the mechanism has no dataset {error.values['dataset']!r}, which the graph has",
            help="use a mechanism on the graph that it was made for",
        ) from error
    return mechanism if mapping is None else pullback(mapping, mechanism, labels)


@dataclass(frozen=True)
class HomogeneityVerdict:
    """Whether all boundary datasets of each region have one distribution; true where they do.

    Attributes
    ----------
    violation : (int, int) or None
        Two boundary datasets of one region, by number in the graph, with different distributions.
    rainbow : Rainbow or None
        Their region.
    """

    violation: tuple[int, int] | None = None
    rainbow: Rainbow | None = None

    def __bool__(self) -> bool:
        return self.violation is None


@dataclass(frozen=True)
class DominationVerdict:
    """Whether one mechanism dominates another; true where it does.

    Attributes
    ----------
    dataset : int or None
        A dataset, by number, at which it is lexicographically less.
    """

    dataset: int | None = None

    def __bool__(self) -> bool:
        return self.dataset is None


@dataclass(frozen=True)
class OrderVerdict:
    """Whether a utility is order-reasonable on some mechanisms; true where it is.

    Attributes
    ----------
    counterexample : (int, int) or None
        Indices of a mechanism and of one that it dominates, and yet the second has the larger utility.
    utilities : tuple
        The utilities of the two.
    """

    counterexample: tuple[int, int] | None = None
    utilities: tuple[Any, ...] = ()

    def __bool__(self) -> bool:
        return self.counterexample is None


def check_homogeneous(mechanism: Mechanism, graph: RainbowGraph) -> HomogeneityVerdict:
    """Check that all boundary datasets of each region have the same distribution.

    Parameters
    ----------
    mechanism : Mechanism
        On the datasets of the graph; put in the graph's order where both have labels.
    graph : RainbowGraph
        The graph, which says what the boundaries are.

    Returns
    -------
    HomogeneityVerdict
        True, or two boundary datasets of one region that differ.

    Raises
    ------
    MechanismShapeError
        If mechanism and graph have different sizes.
    UsageError
        If an argument is of the wrong kind.

    References
    ----------
    Zhou et al. 2022, Definition 6.

    Examples
    --------
    >>> graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "r>b", "b>r"])
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["b>r", "r>b", "b>r"],
    ...     table=[{"b": "1/2", "r": "1/2"}, {"b": "1/3", "r": "2/3"}, {"b": "2/3", "r": "1/3"}],
    ... )
    >>> check_homogeneous(mechanism, graph).violation
    (0, 2)
    """
    require(mechanism, "mechanism", Mechanism)
    require(graph, "graph", RainbowGraph)
    require_same_size(mechanism, graph.size)
    mechanism = in_order_of(graph.labels, mechanism)
    places = np.flatnonzero(graph.boundary)
    if places.size == 0:
        return HomogeneityVerdict()
    regions, codes = graph.regions[places], mechanism.codes[places]
    at = first_occurrences(regions, codes, max(len(graph.rainbows), mechanism.class_count))
    first: dict[int, int] = {}
    for place in places[np.sort(at)].tolist():
        region = int(graph.regions[place])
        known = first.setdefault(region, place)
        one, other = int(mechanism.codes[known]), int(mechanism.codes[place])
        if one != other and mechanism.rows[one] != mechanism.rows[other]:
            return HomogeneityVerdict((known, place), graph.rainbows[region])
    return HomogeneityVerdict()


def mechanism_dominates(first: Mechanism, second: Mechanism) -> DominationVerdict:
    """Tell whether the first mechanism is lexicographically at least the second at every dataset.

    Parameters
    ----------
    first, second : Mechanism
        On the same datasets, with the same rainbows; put in the order of the first where both have labels.

    Returns
    -------
    DominationVerdict
        True, or a dataset at which the first mechanism is less.

    Raises
    ------
    MechanismShapeError
        If sizes or rainbows differ.
    UndecidedError
        Only for Gaussian numbers, or numbers of different e^epsilon, that 4096 bits do not tell apart.
    UsageError
        If an argument is not a mechanism.

    References
    ----------
    Zhou et al. 2022, Definition 3.

    Examples
    --------
    >>> better = Mechanism.from_table(["b>r"], [{"b": "2/3", "r": "1/3"}])
    >>> worse = Mechanism.from_table(["b>r"], [{"b": "1/3", "r": "2/3"}])
    >>> bool(mechanism_dominates(better, worse)), mechanism_dominates(worse, better).dataset
    (True, 0)
    """
    require(first, "first", Mechanism)
    require(second, "second", Mechanism)
    require_same_size(second, first.size)
    second = in_order_of(first.labels, second)
    count = max(first.class_count, second.class_count)
    for place in np.sort(first_occurrences(first.codes, second.codes, count)).tolist():
        one, other = int(first.codes[place]), int(second.codes[place])
        rainbow, stated = first.class_rainbow[one], second.class_rainbow[other]
        # A mechanism that ties all colors states no order, as one that is read without rainbows.
        if len(rainbow.classes) == 1:
            rainbow = stated
        if len(stated.classes) > 1 and stated != rainbow:
            raise MechanismShapeError(
                f"dataset {first.label(place)!r} has the rainbow {rainbow} in one mechanism and "
                f"{stated} in the other",
                help="compare mechanisms on one rainbow graph",
            )
        if not dominates(first.rows[one], second.rows[other], rainbow):
            return DominationVerdict(place)
    return DominationVerdict()


def check_order_reasonable(
    utility: Callable[[Mechanism], Any], mechanisms: Sequence[Mechanism]
) -> OrderVerdict:
    """Check that a utility never ranks a mechanism below one that it dominates.

    A utility is order-reasonable if that holds for all private mechanisms; this checks it for those given,
    so a true verdict is evidence, and a false one a proof.

    Parameters
    ----------
    utility : callable
        Takes a mechanism and returns a number (or anything that can be compared).
    mechanisms : sequence of Mechanism
        On the same datasets with the same rainbows; all ordered pairs are compared.

    Returns
    -------
    OrderVerdict
        True, or a mechanism and one that it dominates, with the smaller and the larger utility.

    Raises
    ------
    MechanismShapeError
        If the mechanisms do not live on the same datasets.
    UsageError
        If the utility cannot be called, or an argument is not a mechanism.

    References
    ----------
    Zhou et al. 2022, Definition 3.

    Examples
    --------
    >>> better = Mechanism.from_table(["b>r"], [{"b": "2/3", "r": "1/3"}])
    >>> worse = Mechanism.from_table(["b>r"], [{"b": "1/3", "r": "2/3"}])
    >>> bool(check_order_reasonable(lambda m: m.distribution(0)["b"], [worse, better]))
    True
    >>> check_order_reasonable(lambda m: m.distribution(0)["r"], [worse, better]).counterexample
    (1, 0)
    """
    if not callable(utility):
        raise UsageError(
            f"`utility` must be a function of a mechanism, and is {kind_of(utility)}",
            help='write for example lambda mechanism: mechanism.distribution("ann")["blue"]',
            argument="utility",
        )
    compared = items_of(mechanisms)
    if compared is None:
        raise UsageError(
            f"`mechanisms` must be a list of mechanisms, and is {kind_of(mechanisms)}",
            help="give at least two mechanisms",
            argument="mechanisms",
        )
    for mechanism in compared:
        require(mechanism, "mechanisms", Mechanism)
    values = [utility(mechanism) for mechanism in compared]
    for i, first in enumerate(compared):
        for j, second in enumerate(compared):
            if i != j and values[i] < values[j] and mechanism_dominates(first, second):
                return OrderVerdict((i, j), (values[i], values[j]))
    return OrderVerdict()


def require_same_size(mechanism: Mechanism, size: int) -> None:
    """Raise `MechanismShapeError` unless the mechanism has this many datasets."""
    if mechanism.size != size:
        raise MechanismShapeError(
            f"the mechanism has {mechanism.size} datasets, the other side {size}",
            help="use a mechanism and a graph (or mechanisms) on the same datasets in the same order",
        )
