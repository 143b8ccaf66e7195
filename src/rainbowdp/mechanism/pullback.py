# SPDX-License-Identifier: Apache-2.0
"""Mechanisms carried back along a map of datasets."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from rainbowdp.errors import MechanismShapeError, NotAMorphismError, UsageError
from rainbowdp.exact.arguments import kind_of, require
from rainbowdp.graph import check_morphism
from rainbowdp.graph.arrays import integer_array
from rainbowdp.graph.labels import LabelArray, Labels, RowLabels, label_array
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.mechanism.value import Mechanism


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
    >>> from rainbowdp.graph import path
    >>> pullback([0, 1, 1], on_line, between=(path(3).structure, path(2).structure)).size
    3
    """
    require(mechanism, "mechanism", Mechanism)
    images = integer_array(mapping, "mapping")
    if images.size == 0 or int(images.min()) < 0 or int(images.max()) >= mechanism.size:
        wrong = images[(images < 0) | (images >= mechanism.size)]
        raise MechanismShapeError(
            f"the mapping sends a dataset to {int(wrong[0])}" if wrong.size else "the mapping is empty",
            help=f"images are 0 to {mechanism.size - 1}, the datasets of the mechanism",
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
        With the same names in any order. Where one of the two has no names, the order is taken to be the
        same already.

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
    if labels is None or mechanism.labels is None or _are_same(labels, mechanism.labels):
        return mechanism
    ours, theirs = labels.astype(np.str_), mechanism.labels.astype(np.str_)
    if np.array_equal(ours, theirs):
        return mechanism
    order = np.argsort(theirs)
    mapping = order[np.searchsorted(theirs[order], ours).clip(max=theirs.size - 1)]
    missing = theirs[mapping] != ours
    if missing.any():
        raise MechanismShapeError(
            f"the mechanism has no dataset {str(ours[missing][0])!r}, which the graph has",
            help="use a mechanism on the graph that it was made for",
        )
    return pullback(mapping, mechanism, labels)


def _are_same(labels: LabelArray, others: LabelArray) -> bool:
    """Whether two lists of names are known to be one, without looking at any name."""
    return labels is others or (isinstance(labels, RowLabels) and labels == others)
