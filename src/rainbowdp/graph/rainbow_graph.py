# SPDX-License-Identifier: Apache-2.0
"""Rainbow graphs: datasets, their neighbors, and the rainbow (the order of the answers) of each dataset.

Regions, their interiors and boundaries, the distance to the boundary, and which regions touch are array
operations on a structure and one region code per dataset. A :class:`RainbowGraph` is checked when it is made
and cannot change afterwards. It works on numbers; labels name datasets in results only. The optimal mechanism
depends on the class of a dataset, which is its region and its distance. There are few classes, so solving
needs of the neighbors only which classes meet.
"""

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import ColorSetError, GraphShapeError, MissingRainbowError, UnknownDatasetError
from rainbowdp.exact.arguments import is_whole, kind_of
from rainbowdp.graph.arrays import (
    Distances,
    Rebuilt,
    distances_of,
    first_outside,
    first_places,
    frozen,
    held,
    integer_array,
    require_dataset,
    require_one_each,
)
from rainbowdp.graph.exchange import (
    Networked,
    matrix_pairs,
    named_rainbows,
    number_edges,
    number_rainbows,
    palette_of,
    rainbow_list,
)
from rainbowdp.graph.labels import LabelArray, Labels, label_array, matched, name_of
from rainbowdp.graph.pairs import DatasetGraph, listed
from rainbowdp.graph.relation import CodePairs, NeighborRelation, require_relation
from rainbowdp.rainbow import Rainbow, RainbowLike, quote_colors

_QUICKLY_SEARCHED = 100_000


class Touch(NamedTuple):
    """Two regions joined by a pair of neighbors.

    Attributes
    ----------
    first, second : int
        Codes of the two regions, ``first < second``.
    source, target : int
        One pair of neighboring datasets, `source` in the first region and `target` in the second.
    """

    first: int
    second: int
    source: int
    target: int


@dataclass(frozen=True, eq=False)
class Classes:
    """The pairs (region, distance) that occur, ordered by region, then by distance.

    Parameters
    ----------
    codes : int32 array [n]
        The class of each dataset.
    region : int32 array [C]
        The region code of each class.
    distance : masked int32 array [C]
        The distance of each class; masked for the unconstrained one, a region's last.
    """

    codes: NDArray[np.int32]
    region: NDArray[np.int32]
    distance: Distances

    @property
    def size(self) -> int:
        """Number of classes."""
        return self.region.size


def _packed_pairs(graph: "RainbowGraph", places: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return every pair of neighbors as one number; `places` renumbers the datasets."""
    ends = [end.astype(np.int64) for end in listed(graph.structure).pairs()]
    one, other = ends if places is None else (places[end] for end in ends)
    return np.asarray(np.minimum(one, other) * graph.size + np.maximum(one, other))


@dataclass(frozen=True, eq=False, repr=False)
class RainbowGraph(Rebuilt, Networked):
    """A family of datasets with neighbors, and one rainbow per dataset.

    Most callers use :meth:`from_edges`, :meth:`from_arrays`, :meth:`from_codes`, :meth:`from_networkx` or
    :meth:`from_scipy`. Arrays are copied where a caller could still write to them, and read-only.

    Parameters
    ----------
    structure : DatasetGraph, PairList or another NeighborRelation
        Datasets 0 to n - 1 and their neighbors.
    rainbows : tuple of Rainbow
        The rainbows that occur, sorted by text; one region each.
    regions : int32 array [n]
        The region of each dataset, an index into `rainbows`.
    labels : array [n] of str or int64, optional
        Names of the datasets; None if they are called 0 to n - 1.

    Raises
    ------
    GraphShapeError
        If there is no dataset, or the parts do not fit each other.
    ColorSetError
        If rainbows rank different sets of colors.
    DuplicateDatasetError
        If two datasets have one label.
    MissingRainbowError, RainbowSyntaxError
        If a value in the place of a rainbow is not one.
    UsageError
        If `structure` is not a neighbor relation.

    References
    ----------
    Zhou et al. 2022, section "Optimal Rainbow Differential Privacy", the rainbow graph; Definition 5 for
    interior and boundary.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges(
    ...     edges=[("a", "b"), ("b", "c"), ("c", "d")],
    ...     rainbows={"a": "blue>red", "b": "blue>red", "c": "red>blue", "d": "red>blue"},
    ... )
    >>> graph
    RainbowGraph(4 datasets, 3 pairs, 2 regions)
    >>> graph.boundary
    array([False,  True,  True, False])
    >>> graph.distance.tolist()
    [1, 0, 0, 1]
    >>> graph.touching
    (Touch(first=0, second=1, source=1, target=2),)
    """

    structure: NeighborRelation
    rainbows: tuple[Rainbow, ...]
    regions: NDArray[np.int32]
    labels: LabelArray | None = None

    def __post_init__(self) -> None:
        require_relation(self.structure, "structure")
        regions = integer_array(self.regions, "regions")
        require_one_each("region codes", regions.size, self.structure.size)
        if regions.size == 0:
            raise GraphShapeError("a rainbow graph needs at least one dataset", help="give it some")
        rainbows = tuple(map(Rainbow.of, rainbow_list(self.rainbows, "rainbows")))
        count, texts = len(rainbows), list(map(str, rainbows))
        if (
            texts != sorted(set(texts))
            or first_outside(regions, count) is not None
            or (first_places(regions, count) < 0).any()
        ):
            raise GraphShapeError(
                "the rainbows must be distinct, sorted by their text, and each of them some dataset's",
                help="use RainbowGraph.from_codes, which sorts and merges them, and drops all others",
            )
        if any(rainbow.colors != rainbows[0].colors for rainbow in rainbows):
            raise ColorSetError(
                "the rainbows rank different sets of colors", help="rank the same colors in every rainbow"
            )
        labels = None if self.labels is None else label_array(self.labels, regions.size)
        vars(self).update(rainbows=rainbows, regions=held(regions, np.int32), labels=labels)

    @classmethod
    def from_codes(
        cls,
        structure: NeighborRelation,
        palette: Sequence[RainbowLike],
        codes: ArrayLike,
        labels: Labels | None = None,
    ) -> "RainbowGraph":
        """Build the graph from a structure and a code per dataset; the fastest way in.

        Parameters
        ----------
        structure : DatasetGraph, PairList or another NeighborRelation
            Datasets and neighbors.
        palette : sequence of Rainbow or str
            Rainbows in any order, repeats and unused ones allowed.
        codes : integer array [n]
            Index into `palette` per dataset.
        labels : sequence or array [n], optional
            Names of the datasets, text or integers.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        MissingRainbowError
            If a code is not an index into the palette; the message names the dataset.
        ColorSetError
            If two datasets rank different sets of colors; the message names them and both sets.
        GraphShapeError, DuplicateDatasetError, RainbowSyntaxError, ColorError
            For parts of the wrong form.
        UsageError
            If `structure` is not a neighbor relation.

        Examples
        --------
        >>> from rainbowdp.graph import DatasetGraph
        >>> structure = DatasetGraph.from_pairs(3, [0, 1], [1, 2])
        >>> graph = RainbowGraph.from_codes(structure, ["red>blue", "blue>red"], [0, 0, 1])
        >>> [str(rainbow) for rainbow in graph.rainbows], graph.regions
        (['blue>red', 'red>blue'], array([1, 1, 0], dtype=int32))
        """
        require_relation(structure, "structure")
        palette = rainbow_list(palette, "palette")
        array = integer_array(codes, "codes")
        require_one_each("rainbows", array.size, structure.size)
        name = partial(name_of, labels)
        at = first_outside(array, len(palette))
        if at is not None:
            raise MissingRainbowError(
                f"the dataset {name(at)!r} has the rainbow code {int(array[at])}",
                help=f"codes are 0 to {len(palette) - 1}, indices into the palette",
                dataset=name(at),
            )
        rainbows, regions = palette_of(palette, array, name)
        # The constructor makes an array of any sequence of labels.
        return cls(structure, rainbows, regions, cast("LabelArray | None", labels))

    @classmethod
    def from_arrays(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        rainbows: Iterable[RainbowLike],
        labels: Labels | None = None,
    ) -> "RainbowGraph":
        """Build the graph from numbered pairs and one rainbow per dataset.

        Parameters
        ----------
        source, target : integer array [m]
            Numbers of the two datasets of each pair, in any direction.
        rainbows : iterable of Rainbow or str [n]
            The rainbow of each dataset.
        labels : sequence or array [n], optional
            Names of the datasets, text or integers.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        MissingRainbowError, UnknownDatasetError, ColorSetError, DuplicateDatasetError, GraphShapeError
            As in :meth:`from_codes` and :meth:`DatasetGraph.from_pairs`.

        Examples
        --------
        >>> graph = RainbowGraph.from_arrays([0, 1, 1], [1, 2, 0], ["blue>red", "blue > red", "red>blue"])
        >>> graph, graph.notes
        (RainbowGraph(3 datasets, 2 pairs, 2 regions), ('1 repeated pair removed',))
        """
        palette, codes = number_rainbows(rainbows, partial(name_of, labels))
        structure = DatasetGraph.from_pairs(codes.size, source, target)
        return cls.from_codes(structure, palette, codes, labels)

    @classmethod
    def from_edges(
        cls,
        edges: Any,  # noqa: ANN401 - pairs, an array, or a frame of any library
        rainbows: Any,  # noqa: ANN401 - a mapping, or a series or frame of any library
    ) -> "RainbowGraph":
        """Build the graph from named edges and a mapping from datasets to rainbows.

        Parameters
        ----------
        edges : iterable of pairs, array [m, 2], or data frame
            The two datasets of each pair of neighbors, in any direction; of a frame (of pandas, polars,
            pyarrow or anything else with the Arrow interface) the first two columns.
        rainbows : mapping, series or data frame
            The rainbow of every dataset; its order numbers the datasets. Keys that are neither text nor
            integers are called by their text. A series of pandas is read by its index, and of a frame the
            first two columns are the dataset and its rainbow.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        UnknownDatasetError
            If an edge names a dataset without a rainbow; the message says which edge.
        MissingRainbowError, ColorSetError, DuplicateDatasetError, GraphShapeError
            As in :meth:`from_codes`.

        Examples
        --------
        >>> RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"}).boundary
        array([ True,  True])
        """
        return cls._named(edges, named_rainbows(rainbows), "its entry of `rainbows`")

    @classmethod
    def from_networkx(cls, graph: Any, attribute: str = "rainbow") -> "RainbowGraph":  # noqa: ANN401 - networkx is not imported
        """Build the graph from a networkx graph whose nodes carry their rainbow.

        Directed graphs and multigraphs are read as undirected simple ones; what that removes is counted.

        Parameters
        ----------
        graph : networkx graph
            Any of networkx's four kinds.
        attribute : str
            Name of the node attribute that holds the rainbow, a text or a :class:`Rainbow`.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        MissingRainbowError
            If a node lacks the attribute; the message names the node.
        ColorSetError, DuplicateDatasetError, GraphShapeError
            As in :meth:`from_codes`.

        Examples
        --------
        >>> import networkx
        >>> path = networkx.path_graph(4)
        >>> networkx.set_node_attributes(path, {0: "b>r", 1: "b>r", 2: "r>b", 3: "r>b"}, "rainbow")
        >>> RainbowGraph.from_networkx(path).distance.tolist()
        [1, 0, 0, 1]
        """
        if not all(callable(getattr(graph, part, None)) for part in ("nodes", "edges")):
            raise GraphShapeError(
                f"{kind_of(graph)} is not a networkx graph",
                help="give a networkx graph, or use from_edges or from_arrays",
            )
        return cls._named(
            graph.edges(), dict(graph.nodes(data=attribute)), f"the node attribute {attribute!r}"
        )

    @classmethod
    def from_scipy(
        cls, matrix: object, rainbows: Iterable[RainbowLike], labels: Labels | None = None
    ) -> "RainbowGraph":
        """Build the graph from a sparse adjacency matrix.

        Parameters
        ----------
        matrix : scipy sparse matrix or array [n, n]
            Any entry other than 0 is an edge, on either side of the diagonal. Entries that mirror each other
            are the usual form of one edge, and not counted as repeated.
        rainbows : iterable of Rainbow or str [n]
            The rainbow of each dataset.
        labels : sequence or array [n], optional
            Names of the datasets, text or integers.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        GraphShapeError
            If the matrix is not sparse, not square, or does not have one row per rainbow.
        MissingRainbowError, ColorSetError, DuplicateDatasetError
            As in :meth:`from_codes`.

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> path = coo_array(([1, 1, 1], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
        >>> RainbowGraph.from_scipy(path, ["b>r", "b>r", "r>b", "r>b"]).distance.tolist()
        [1, 0, 0, 1]
        """
        size, source, target = matrix_pairs(matrix)
        palette, codes = number_rainbows(rainbows, partial(name_of, labels))
        return cls.from_codes(DatasetGraph.from_pairs(size, source, target), palette, codes, labels)

    @classmethod
    def _named(
        cls,
        edges: Iterable[Sequence[Hashable]] | NDArray[Any],
        rainbows: Mapping[Any, RainbowLike],
        where: str,
    ) -> "RainbowGraph":
        datasets = list(rainbows)
        palette, codes = number_rainbows(rainbows.values(), lambda at: str(datasets[at]), where)
        source, target = number_edges(edges, datasets)
        structure = DatasetGraph.from_pairs(len(datasets), source, target)
        numbered = datasets == list(range(len(datasets))) and all(map(is_whole, datasets))
        return cls.from_codes(structure, palette, codes, None if numbered else datasets)

    def __repr__(self) -> str:
        return f"RainbowGraph({self.size} datasets, {self.pair_count} pairs, {len(self.rainbows)} regions)"

    def __eq__(self, other: object) -> bool:
        """Tell whether two graphs have the same datasets, by name in any order, rainbows and neighbors."""
        if not isinstance(other, RainbowGraph):
            return NotImplemented
        if (self.size, self.pair_count, self.rainbows) != (other.size, other.pair_count, other.rainbows):
            return False
        try:
            places = matched(self.labels, other.labels, named=True)
        except UnknownDatasetError:
            return False
        if not np.array_equal(self.regions, other.regions if places is None else other.regions[places]):
            return False
        same = places is None and self.structure == other.structure
        return same or np.array_equal(np.sort(_packed_pairs(self, places)), np.sort(_packed_pairs(other)))

    def __hash__(self) -> int:
        return hash((self.size, self.pair_count, self.rainbows))

    def _columns(self, most: int | None = None) -> list[tuple[str, list[Any]]]:
        texts = list(map(str, self.rainbows))
        rainbows = [texts[region] for region in self.regions[:most].tolist()]
        if most is not None and self.size > _QUICKLY_SEARCHED and "distance" not in vars(self):
            return [("rainbow", rainbows)]
        distances, boundary = self.distance[:most].tolist(), self.boundary[:most].tolist()
        return [("rainbow", rainbows), ("distance", distances), ("boundary", boundary)]

    @property
    def size(self) -> int:
        """Number of datasets."""
        return self.structure.size

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""
        return self.structure.pair_count

    @property
    def notes(self) -> tuple[str, ...]:
        """What was removed from the input, in words; empty if nothing was."""
        return self.structure.notes

    @property
    def colors(self) -> tuple[str, ...]:
        """The colors that every rainbow ranks, sorted by code point."""
        return self.rainbows[0].colors

    @cached_property
    def boundary(self) -> NDArray[np.bool_]:
        """Which datasets have a neighbor of another region, bool [n] (Definition 5, the inner boundary)."""
        return frozen(self.structure.mixed(self.regions))

    @property
    def interior(self) -> NDArray[np.bool_]:
        """Which datasets have neighbors of their own region only, bool [n] (Definition 5)."""
        return frozen(~self.boundary)

    def region(self, rainbow: Rainbow | str) -> NDArray[np.bool_]:
        """Return which datasets have this rainbow.

        Parameters
        ----------
        rainbow : Rainbow or str
            A rainbow over the colors of the graph.

        Returns
        -------
        bool array [n]
            All False if no dataset has it.

        Raises
        ------
        ColorSetError
            If the rainbow ranks other colors than the graph.
        RainbowSyntaxError, ColorError
            If it is not a rainbow.

        Examples
        --------
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> graph.region("r>b")
        array([False,  True])
        """
        wanted = Rainbow.of(rainbow)
        if wanted.colors != self.colors:
            raise ColorSetError(
                f"{wanted} ranks other colors than the graph",
                help=f"the colors of the graph are {quote_colors(self.colors)}",
                rainbow=str(wanted),
            )
        return frozen(self.regions == (self.rainbows.index(wanted) if wanted in self.rainbows else -1))

    @cached_property
    def distance(self) -> Distances:
        """Steps from each dataset to the boundary of its region, masked int32 [n].

        A path out of a region meets the boundary of that region first, so one search from all boundary
        datasets gives every distance. Masked where no boundary can be reached: such a dataset is
        unconstrained.
        """
        return distances_of(self.structure.steps_from(self.boundary))

    @property
    def largest_distance(self) -> int | None:
        """The largest distance to a boundary; None if the graph has no boundary."""
        return int(self.distance.max()) if self.boundary.any() else None

    @property
    def unconstrained(self) -> NDArray[np.bool_]:
        """Which datasets have no boundary in their component, bool [n]."""
        return np.ma.getmaskarray(self.distance)

    @cached_property
    def touching(self) -> tuple[Touch, ...]:
        """Every unordered pair of regions joined by neighbors, with the first such pair of datasets.

        Ordered by the two region codes; the first pair is the one with the smallest dataset number.
        """
        met = self.class_pairs
        # Neighbors in different regions are both at distance 0, so two regions touch in one pair of classes.
        low, high = self.classes.region[met.first], self.classes.region[met.second]
        apart = low != high
        low, high, source, target = low[apart], high[apart], met.source[apart], met.target[apart]
        swapped = self.regions[source] > self.regions[target]
        columns = (low, high, np.where(swapped, target, source), np.where(swapped, source, target))
        return tuple(itertools.starmap(Touch, zip(*(column.tolist() for column in columns), strict=True)))

    @cached_property
    def classes(self) -> Classes:
        """The pairs (region, distance) that occur, and the one of each dataset."""
        return classes_of(self.regions, self.distance, len(self.rainbows))

    @cached_property
    def class_pairs(self) -> CodePairs:
        """Which of the `classes` meet along pairs of neighbors, each with the first such pair."""
        return self.structure.code_pairs(self.classes.codes, self.classes.size)

    def rainbow_of(self, dataset: int) -> Rainbow:
        """Return the rainbow of a dataset, given by its number.

        Parameters
        ----------
        dataset : int
            From 0.

        Returns
        -------
        Rainbow

        Raises
        ------
        UnknownDatasetError
            If there is no such number.

        Examples
        --------
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> print(graph.rainbow_of(1))
        r>b
        """
        require_dataset(dataset, self.size)
        return self.rainbows[int(self.regions[dataset])]


def classes_of(regions: NDArray[np.int32], distance: Distances, region_count: int) -> Classes:
    """Return a number for every pair (region, distance) that occurs, and that of each dataset.

    Parameters
    ----------
    regions : int32 array [n]
        The region of each dataset.
    distance : masked int32 array [n]
        Its distance to the region's boundary, masked where it is unconstrained.
    region_count : int
        Number of regions.

    Returns
    -------
    Classes

    Examples
    --------
    >>> distance = np.ma.MaskedArray([1, 0, 0, -1], mask=[False, False, False, True])
    >>> found = classes_of(np.array([0, 0, 1, 1]), distance, 2)
    >>> found.codes, found.region, found.distance.tolist()
    (array([1, 0, 2, 3], dtype=int32), array([0, 0, 1, 1], dtype=int32), [0, 1, 0, None])
    """
    steps = distance.data
    # Within a region every distance up to the largest occurs, so counting levels numbers the classes.
    deepest = np.full(region_count, -1, dtype=np.int32)
    np.maximum.at(deepest, regions, steps.astype(np.int32, copy=False))  # ten times as quick in one type
    levels = deepest.astype(np.int64) + 1
    free = np.ma.getmaskarray(distance)
    has_free = np.zeros(region_count, dtype=np.int64)
    has_free[regions[free]] = 1
    counts = levels + has_free
    starts = np.cumsum(counts) - counts
    codes = starts.astype(np.int32)[regions]
    codes += steps
    if free.any():
        codes[free] = (starts + levels)[regions[free]]
    region = np.repeat(np.arange(region_count, dtype=np.int32), counts)
    level = np.arange(region.size) - starts[region]
    level[level == levels[region]] = -1
    return Classes(frozen(codes), frozen(region), distances_of(level))
