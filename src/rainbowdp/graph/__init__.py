# SPDX-License-Identifier: Apache-2.0
"""Graphs of datasets: structures, rainbow graphs, morphisms, and families to play with."""

from rainbowdp.graph.families import Family, cycle, grid, hamming, histograms, hypercube, path
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
    "Family",
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
    "cycle",
    "grid",
    "hamming",
    "histograms",
    "hypercube",
    "listed",
    "path",
]
