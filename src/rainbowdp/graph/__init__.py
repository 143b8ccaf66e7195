# SPDX-License-Identifier: Apache-2.0
"""Graphs of datasets: neighbors in their structures, rainbow graphs, and morphisms between graphs."""

from rainbowdp.graph.blocks import NeighborBlocks
from rainbowdp.graph.dataset_graph import DatasetGraph, listed
from rainbowdp.graph.implicit import ImplicitGraph
from rainbowdp.graph.morphism import (
    BoundaryMorphism,
    MorphismVerdict,
    RainbowPreservingVerdict,
    boundary_morphism,
    check_morphism,
    check_rainbow_preserving,
)
from rainbowdp.graph.pairs import PairList, PairStream
from rainbowdp.graph.product import ProductGraph
from rainbowdp.graph.rainbow_graph import RainbowGraph, Touch
from rainbowdp.graph.relation import CodePairs, NeighborRelation
from rainbowdp.graph.simplex import SimplexGraph

__all__ = [
    "BoundaryMorphism",
    "CodePairs",
    "DatasetGraph",
    "ImplicitGraph",
    "MorphismVerdict",
    "NeighborBlocks",
    "NeighborRelation",
    "PairList",
    "PairStream",
    "ProductGraph",
    "RainbowGraph",
    "RainbowPreservingVerdict",
    "SimplexGraph",
    "Touch",
    "boundary_morphism",
    "check_morphism",
    "check_rainbow_preserving",
    "listed",
]
