# SPDX-License-Identifier: Apache-2.0
"""Graphs of datasets: structures, rainbow graphs, morphisms, and families to play with."""

from rainbowdp.graph.blocks import NeighborBlocks
from rainbowdp.graph.classes import Touch
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.families import cycle, grid, hamming, histograms, hypercube, path
from rainbowdp.graph.family import Family
from rainbowdp.graph.implicit import ImplicitGraph
from rainbowdp.graph.listing import listed
from rainbowdp.graph.morphism import (
    BoundaryMorphism,
    MorphismVerdict,
    RainbowPreservingVerdict,
    boundary_morphism,
    check_morphism,
    check_rainbow_preserving,
)
from rainbowdp.graph.pair_list import PairList
from rainbowdp.graph.pair_stream import PairStream
from rainbowdp.graph.product import ProductGraph
from rainbowdp.graph.rainbow_graph import RainbowGraph
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
