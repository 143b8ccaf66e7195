# SPDX-License-Identifier: Apache-2.0
"""Graphs of datasets: structures, rainbow graphs, morphisms, and families to play with."""

from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.families import cycle, grid, hamming, histograms, hypercube, path
from rainbowdp.graph.family import Family
from rainbowdp.graph.morphism import (
    BoundaryMorphism,
    MorphismVerdict,
    RainbowPreservingVerdict,
    boundary_morphism,
    check_morphism,
    check_rainbow_preserving,
)
from rainbowdp.graph.pair_list import PairList
from rainbowdp.graph.rainbow_graph import RainbowGraph, Touch
from rainbowdp.graph.relation import CodePairs, NeighborRelation

__all__ = [
    "BoundaryMorphism",
    "CodePairs",
    "DatasetGraph",
    "Family",
    "MorphismVerdict",
    "NeighborRelation",
    "PairList",
    "RainbowGraph",
    "RainbowPreservingVerdict",
    "Touch",
    "boundary_morphism",
    "check_morphism",
    "check_rainbow_preserving",
    "cycle",
    "grid",
    "hamming",
    "histograms",
    "hypercube",
    "path",
]
