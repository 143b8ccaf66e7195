# SPDX-License-Identifier: Apache-2.0
"""From what callers have to numbers: rainbows, edges, networkx graphs and sparse matrices.

Names become numbers here, once, by hash look-ups that run in C, and whatever does not fit is refused here
with its place: the dataset, the edge or the shape.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import (
    ColorSetError,
    GraphShapeError,
    MissingRainbowError,
    RainbowError,
    UnknownDatasetError,
)
from rainbowdp.exact.arguments import described, is_whole, items_of, kind_of
from rainbowdp.graph.arrays import first_places, frozen, sorted_distinct
from rainbowdp.graph.labels import NameOf, close_labels
from rainbowdp.rainbow import Rainbow, quote_color


class NetworkLike(Protocol):
    """What is used of a networkx graph of any kind."""

    @property
    def nodes(self) -> Callable[..., Iterable[tuple[Hashable, object]]]:
        """Nodes; called with ``data=attribute`` they come with that attribute's value."""

    @property
    def edges(self) -> Callable[[], Iterable[tuple[Hashable, Hashable]]]:
        """Edges; called without arguments they come as pairs of nodes."""


Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Palette:
    """Distinct rainbows sorted by text, and the one that each dataset prefers.

    Parameters
    ----------
    rainbows : tuple of Rainbow
        Only those that occur.
    regions : int32 array [n]
        Index into `rainbows` per dataset.
    """

    rainbows: tuple[Rainbow, ...]
    regions: NDArray[np.int32]


def palette_of(known: Sequence[Rainbow | str], codes: NDArray[Any], name: NameOf) -> Palette:
    """Parse, merge and sort rainbows, drop those that do not occur, and check their colors.

    Parameters
    ----------
    known : sequence of Rainbow or str
        Rainbows in any order; two spellings of one rainbow become one region.
    codes : integer array [n]
        Index into `known` per dataset, all within range.
    name : callable
        Label of a dataset.

    Raises
    ------
    ColorSetError
        If two datasets rank different sets of colors.
    RainbowSyntaxError, ColorError
        If a text is not a rainbow.
    """
    place = first_places(codes, len(known))
    first = {code: int(place[code]) for code in np.flatnonzero(place >= 0).tolist()}
    parsed = {code: _parsed(known[code], at, name) for code, at in first.items()}
    reference = parsed[int(codes[0])]
    for code, rainbow in parsed.items():
        at = first[code]
        if rainbow.colors != reference.colors:
            raise ColorSetError(
                f"the dataset {name(at)!r} ranks the colors {_listed(rainbow)}, and the dataset {name(0)!r} "
                f"ranks {_listed(reference)}",
                help="rank the same colors in every dataset; colors can be tied, as in blue>red=green",
                dataset=name(at),
                other=name(0),
                colors=rainbow.colors,
                other_colors=reference.colors,
            )
    texts = {code: str(rainbow) for code, rainbow in parsed.items()}
    order = sorted(set(texts.values()))
    rank = {text: index for index, text in enumerate(order)}
    by_text = {texts[code]: rainbow for code, rainbow in parsed.items()}
    region_of = np.zeros(len(known), dtype=np.int32)
    for code, text in texts.items():
        region_of[code] = rank[text]
    return Palette(tuple(by_text[text] for text in order), frozen(region_of[codes]))


def rainbow_list(rainbows: Iterable[Item], name: str) -> list[Item]:
    """Return rainbows as a list; one text, or what cannot be gone through, is refused."""
    items = items_of(rainbows)
    if items is None:
        raise MissingRainbowError(
            f"`{name}` is {kind_of(rainbows)}, and no list of rainbows",
            help='give a list, as in ["blue>red", "red>blue"]',
        )
    return items


def _parsed(rainbow: Rainbow | str, dataset: int, name: NameOf) -> Rainbow:
    if isinstance(rainbow, Rainbow):
        return rainbow
    try:
        return Rainbow.parse(rainbow)
    except RainbowError as error:
        raise type(error)(
            f"the dataset {name(dataset)!r}: {error.what}", help=error.help, **error.values
        ) from error


def _listed(rainbow: Rainbow) -> str:
    return ", ".join(map(quote_color, rainbow.colors))


def number_rainbows(
    rainbows: Iterable[object], name: NameOf, where: str = "its entry of `rainbows`"
) -> tuple[list[Rainbow | str], NDArray[np.int32]]:
    """Return the distinct values among one rainbow per dataset, and a code per dataset.

    Parameters
    ----------
    rainbows : iterable of Rainbow or str
        One per dataset.
    name : callable
        Label of a dataset.
    where : str
        Where a missing rainbow belongs, for the message.

    Raises
    ------
    MissingRainbowError
        If a value is None, blank or no rainbow at all, naming the dataset.
    """
    items = rainbow_list(rainbows.tolist() if isinstance(rainbows, np.ndarray) else rainbows, "rainbows")
    try:
        distinct = dict.fromkeys(items)
    except TypeError:
        # A list or dict cannot be a key; it is no rainbow either, and is named below.
        distinct = dict.fromkeys(item if isinstance(item, Hashable) else None for item in items)
    missing = [value for value in distinct if not _is_rainbow(value)]
    if missing:
        at = next(index for index, item in enumerate(items) if not _is_rainbow(item))
        what = "has no rainbow" if _is_blank(items[at]) else f"has {_shown(items[at])} in place of a rainbow"
        raise MissingRainbowError(
            f"the dataset {name(at)!r} {what}",
            help=f"give it one in {where}, as in blue>red>green",
            dataset=name(at),
        )
    number = {value: index for index, value in enumerate(distinct)}
    codes = np.fromiter(map(number.__getitem__, items), dtype=np.int32, count=len(items))
    return list(distinct), codes


def _is_rainbow(value: object) -> bool:
    return isinstance(value, Rainbow) or (isinstance(value, str) and not _is_blank(value))


def _shown(value: object) -> str:
    return described(value) if is_whole(value) else repr(value)


def _is_blank(value: object) -> bool:
    """Whether the value is how tables write that there is none: None, NaN or a blank text."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())


def number_edges(
    edges: Iterable[Sequence[Hashable]] | NDArray[Any], datasets: Sequence[Hashable]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of both ends of every edge in the list of datasets.

    Parameters
    ----------
    edges : iterable of pairs, or array [m, 2]
        Two datasets each.
    datasets : sequence
        All datasets.

    Raises
    ------
    GraphShapeError
        If an edge is not a pair.
    UnknownDatasetError
        If an edge names a dataset that is not in the list, naming both.
    """
    flat = _flat(edges)
    number = {dataset: index for index, dataset in enumerate(datasets)}
    try:
        ends = np.fromiter(map(number.get, flat, itertools.repeat(-1)), dtype=np.int64, count=len(flat))
    except TypeError:
        # A list or a dict names no dataset, and has no place to be looked up at.
        at = next(index for index, end in enumerate(flat) if not _is_hashable(end))
        raise UnknownDatasetError(
            f"the edge number {at // 2}, counted from 0, has {kind_of(flat[at])} in place of a dataset",
            help="name datasets by text or integers",
            edge=at // 2,
        ) from None
    if ends.size and ends.min() < 0:
        at = int(np.argmin(ends))
        edge = tuple(flat[at - at % 2 : at - at % 2 + 2])
        raise UnknownDatasetError(
            f"the edge {edge!r} (number {at // 2}, counted from 0) names the dataset {flat[at]!r}, "
            "which has no rainbow",
            help=close_labels(str(flat[at]), list(map(str, datasets))) or "give every dataset a rainbow",
            dataset=str(flat[at]),
            edge=at // 2,
        )
    return ends[0::2], ends[1::2]


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _flat(edges: Iterable[Sequence[Hashable]] | NDArray[Any]) -> list[Hashable]:
    if isinstance(edges, np.ndarray):
        if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
            raise GraphShapeError(
                f"an array of edges must have two columns, not the shape {edges.shape}",
                help="pass an array of shape [m, 2]",
                shape=edges.shape,
            )
        return cast("list[Hashable]", edges.ravel().tolist())
    pairs = items_of(edges)
    if pairs is None:
        raise GraphShapeError(
            f"`edges` is {kind_of(edges)}, and no list of pairs",
            help='write for example [("a", "b"), ("b", "c")]',
        )
    sized = all(issubclass(kind, Sequence) and not issubclass(kind, str) for kind in set(map(type, pairs)))
    if not sized or not set(map(len, pairs)) <= {2}:
        at, edge = next(
            (index, edge)
            for index, edge in enumerate(pairs)
            if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2
        )
        raise GraphShapeError(
            f"the edge {edge!r} (number {at}, counted from 0) is not a pair of datasets",
            help="write every edge as (source, target)",
            edge=at,
        )
    return list(itertools.chain.from_iterable(pairs))


def matrix_pairs(matrix: object) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the size and the pairs of a sparse matrix; each unordered pair comes once.

    Every stored entry other than 0 is an edge, whichever side of the diagonal it stands on.

    Raises
    ------
    GraphShapeError
        If the value is not a scipy sparse matrix or array, or is not square.
    """
    from scipy.sparse import coo_array, issparse

    shape: tuple[int, ...] = getattr(matrix, "shape", ())
    if not issparse(matrix) or len(shape) != 2 or shape[0] != shape[1]:
        what = f"a matrix of shape {shape}" if issparse(matrix) else f"a {type(matrix).__name__}"
        raise GraphShapeError(
            f"{what} is not the adjacency of a graph",
            help="pass a square scipy sparse matrix or array, one row and column per dataset",
            shape=shape,
        )
    size = int(shape[0])
    entries = coo_array(cast("Any", matrix), copy=True)
    # Stored duplicates are not summed: two that cancel would lose an edge, and with it a constraint.
    present = entries.data != 0
    rows = entries.coords[0][present].astype(np.int64)
    columns = entries.coords[1][present].astype(np.int64)
    keys = sorted_distinct(np.minimum(rows, columns) * size + np.maximum(rows, columns))
    return size, keys // max(size, 1), keys % max(size, 1)
