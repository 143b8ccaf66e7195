# SPDX-License-Identifier: Apache-2.0
"""Graphs of datasets: neighbors in their structures, rainbow graphs, and morphisms between graphs."""

from rainbowdp.graph.implicit import ImplicitGraph, NeighborBlocks
from rainbowdp.graph.morphism import (
    BoundaryMorphism,
    MorphismVerdict,
    RainbowPreservingVerdict,
    boundary_morphism,
    check_morphism,
    check_rainbow_preserving,
)
from rainbowdp.graph.pairs import DatasetGraph, PairList, PairStream, listed
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
