# SPDX-License-Identifier: Apache-2.0
"""Morphisms: maps between graphs that keep neighbors together, and the map from a graph to its lines.

A morphism sends neighbors to neighbors or to one dataset, so a private mechanism on its target can be
carried back (Zhou et al. 2022, Definition 4 and Theorem 1). The boundary morphism sends each dataset to its
region and its distance to the region's boundary (Definition 8); its image, the boundary graph, is a few lines
that touch at distance 0, however large the graph was. Checks return the place where a map fails, not a bare
False.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.exact.arguments import require
from rainbowdp.graph.arrays import Distances, dataset_codes
from rainbowdp.graph.pairs import DatasetGraph, listed
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.graph.relation import NeighborRelation, require_relation
from rainbowdp.rainbow import Rainbow


@dataclass(frozen=True)
class MorphismVerdict:
    """Whether a map is a morphism, or a rainbow-preserving one; true where it is.

    Parameters
    ----------
    violation : (int, int) or None
        Two neighbors, by number, whose images are neither equal nor neighbors; None if there are none.
    images : (int, int) or None
        The images of the two.
    dataset : int or None
        The first dataset whose image has another rainbow, where rainbows are to be preserved.
    rainbow, image_rainbow : Rainbow or None
        The rainbow of that dataset and the rainbow of its image.
    """

    violation: tuple[int, int] | None = None
    images: tuple[int, int] | None = None
    dataset: int | None = None
    rainbow: Rainbow | None = None
    image_rainbow: Rainbow | None = None

    def __bool__(self) -> bool:
        return self.violation is None and self.dataset is None


def check_morphism(mapping: ArrayLike, source: NeighborRelation, target: NeighborRelation) -> MorphismVerdict:
    """Check that a map sends neighbors to neighbors or to one dataset.

    Parameters
    ----------
    mapping : integer array [source.size]
        The image of each dataset of `source`, a dataset of `target`.
    source, target : DatasetGraph or another NeighborRelation
        The two graphs; the pairs of the second are listed.

    Returns
    -------
    MorphismVerdict
        True, or the first pair of neighbors that is torn apart (smallest numbers first).

    Raises
    ------
    GraphShapeError
        If the mapping does not have one dataset of `target` per dataset of `source`.
    UsageError
        If a graph is not a neighbor relation, or `target` cannot list its pairs.

    References
    ----------
    Zhou et al. 2022, Definition 4.

    Examples
    --------
    >>> path = DatasetGraph.from_pairs(4, [0, 1, 2], [1, 2, 3])
    >>> bool(check_morphism([0, 1, 1, 2], path, path))
    True
    >>> check_morphism([0, 1, 3, 3], path, path).violation
    (1, 2)
    """
    require_relation(source, "source")
    require_relation(target, "target")
    images = dataset_codes(mapping, source.size, target.size, "image")
    met = source.code_pairs(images, target.size)
    torn = np.flatnonzero(~listed(target).joined(met.first, met.second))
    if not torn.size:
        return MorphismVerdict()
    at = torn[np.lexsort((met.target[torn], met.source[torn]))[0]]
    one, other = int(met.source[at]), int(met.target[at])
    return MorphismVerdict((one, other), (int(images[one]), int(images[other])))


def check_rainbow_preserving(
    mapping: ArrayLike, source: RainbowGraph, target: RainbowGraph
) -> MorphismVerdict:
    """Check that a map is a morphism and that every dataset has the rainbow of its image.

    Parameters
    ----------
    mapping : integer array [source.size]
        The image of each dataset of `source`, a dataset of `target`.
    source, target : RainbowGraph
        The two graphs.

    Returns
    -------
    MorphismVerdict
        True, or the first pair of neighbors torn apart, or else the first dataset with another rainbow.

    Raises
    ------
    GraphShapeError
        If the mapping does not have one dataset of `target` per dataset of `source`.
    UsageError
        If a graph is not a `RainbowGraph`.

    References
    ----------
    Zhou et al. 2022, before Definition 5: a morphism g is rainbow-preserving if f_1 = f_2 ∘ g.

    Examples
    --------
    >>> graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "b>r", "r>b"])
    >>> bool(check_rainbow_preserving([0, 1, 2], graph, graph))
    True
    >>> verdict = check_rainbow_preserving([0, 1, 1], graph, graph)
    >>> verdict.dataset, str(verdict.rainbow), str(verdict.image_rainbow)
    (2, 'r>b', 'b>r')
    """
    require(source, "source", RainbowGraph)
    require(target, "target", RainbowGraph)
    morphism = check_morphism(mapping, source.structure, target.structure)
    if not morphism:
        return morphism
    images = dataset_codes(mapping, source.size, target.size, "image")
    place = {rainbow: code for code, rainbow in enumerate(target.rainbows)}
    expected = np.array([place.get(rainbow, -1) for rainbow in source.rainbows], dtype=np.int64)
    wrong = expected[source.regions] != target.regions[images]
    if not wrong.any():
        return morphism
    dataset = int(np.argmax(wrong))
    return MorphismVerdict(
        dataset=dataset,
        rainbow=source.rainbow_of(dataset),
        image_rainbow=target.rainbow_of(int(images[dataset])),
    )


@dataclass(frozen=True, eq=False)
class BoundaryMorphism:
    """The map from datasets to (region, distance), and its image.

    Made by :func:`boundary_morphism`. A class is a pair (region, distance) that occurs; classes are ordered
    by region, then by distance, a region's unconstrained class after its others.

    Parameters
    ----------
    codes : int32 array [n]
        The class of each dataset.
    class_region : int32 array [C]
        The region code of each class, as in ``graph.rainbows``.
    class_distance : masked int32 array [C]
        The distance of each class, masked for unconstrained ones.
    boundary_graph : RainbowGraph
        The classes as datasets, called like ``blue>red>green @ 2``, or ``blue>red>green @ -`` where
        unconstrained.

    References
    ----------
    Zhou et al. 2022, Definition 8.

    Examples
    --------
    >>> graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "b>r", "r>b"])
    >>> morphism = boundary_morphism(graph)
    >>> morphism.size, morphism.boundary_graph.label(int(morphism.codes[0]))
    (3, 'b>r @ 1')
    """

    codes: NDArray[np.int32]
    class_region: NDArray[np.int32]
    class_distance: Distances
    boundary_graph: RainbowGraph

    @property
    def size(self) -> int:
        """Number of classes."""
        return self.class_region.size


def boundary_morphism(graph: RainbowGraph) -> BoundaryMorphism:
    """Return the boundary morphism of a rainbow graph, with the boundary graph.

    All unconstrained datasets of one region (those in components without a boundary) form one class.

    Parameters
    ----------
    graph : RainbowGraph
        The graph to reduce.

    Returns
    -------
    BoundaryMorphism

    Raises
    ------
    UsageError
        If `graph` is not a `RainbowGraph`.

    References
    ----------
    Zhou et al. 2022, Definition 8 and Theorem 3.

    Examples
    --------
    >>> rainbows = ["b>r", "b>r", "r>b", "r>b", "b>r", "r>b"]
    >>> graph = RainbowGraph.from_arrays([0, 1, 2, 0], [1, 2, 3, 4], rainbows)
    >>> morphism = boundary_morphism(graph)
    >>> morphism.codes
    array([1, 0, 3, 4, 2, 5], dtype=int32)
    >>> morphism.boundary_graph.labels.tolist()
    ['b>r @ 0', 'b>r @ 1', 'b>r @ 2', 'r>b @ 0', 'r>b @ 1', 'r>b @ -']
    >>> morphism.boundary_graph
    RainbowGraph(6 datasets, 4 pairs, 2 regions)
    """
    require(graph, "graph", RainbowGraph)
    classes, met = graph.classes, graph.class_pairs
    class_region, class_distance = classes.region, classes.distance
    most = graph.largest_distance or 0
    prefixes = np.array([f"{rainbow} @ " for rainbow in graph.rainbows])
    suffixes = np.array([*map(str, range(most + 1)), "-"])
    labels = np.strings.add(prefixes[class_region], suffixes[class_distance.filled()])
    structure = DatasetGraph.from_pairs(classes.size, met.first, met.second)
    boundary_graph = RainbowGraph(structure, graph.rainbows, class_region, labels)
    return BoundaryMorphism(classes.codes, class_region, class_distance, boundary_graph)
