# SPDX-License-Identifier: Apache-2.0
"""Graphs of datasets: how neighbors are stored, rainbow graphs, and morphisms between graphs."""

from rainbowdp.graph.histograms import SimplexGraph as SimplexGraph
from rainbowdp.graph.implicit import ImplicitGraph as ImplicitGraph
from rainbowdp.graph.implicit import NeighborBlocks as NeighborBlocks
from rainbowdp.graph.morphism import BoundaryMorphism as BoundaryMorphism
from rainbowdp.graph.morphism import boundary_morphism as boundary_morphism
from rainbowdp.graph.morphism import check_morphism as check_morphism
from rainbowdp.graph.morphism import check_rainbow_preserving as check_rainbow_preserving
from rainbowdp.graph.pairs import DatasetGraph as DatasetGraph
from rainbowdp.graph.pairs import PairList as PairList
from rainbowdp.graph.pairs import PairStream as PairStream
from rainbowdp.graph.pairs import listed as listed
from rainbowdp.graph.product import ProductGraph as ProductGraph
from rainbowdp.graph.rainbow_graph import RainbowGraph as RainbowGraph
from rainbowdp.graph.rainbow_graph import Touch as Touch
from rainbowdp.graph.relation import CodePairs as CodePairs
from rainbowdp.graph.relation import NeighborRelation as NeighborRelation
