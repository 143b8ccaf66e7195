# SPDX-License-Identifier: Apache-2.0
"""Random lists of pairs for tests, and what is true of them by plain search; rainbow graphs made of them."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rainbowdp.graph import RainbowGraph

RAINBOWS = ("blue>red>green", "red>green=blue", "green>red>blue", "red=blue>green")


@dataclass(frozen=True)
class PairCase:
    """Pairs with self-loops, repeats and datasets without neighbors; codes and starts on the datasets."""

    size: int
    pairs: list[tuple[int, int]]
    codes: list[int]
    starts: list[bool]

    def ends(self, kind: type[np.int32] | type[np.int64] = np.int32) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return both ends as arrays."""
        source, target = ([pair[at] for pair in self.pairs] for at in (0, 1))
        return np.array(source, dtype=kind), np.array(target, dtype=kind)

    def code_array(self) -> NDArray[np.int32]:
        return np.array(self.codes, dtype=np.int32)

    def start_array(self) -> NDArray[np.bool_]:
        return np.array(self.starts, dtype=np.bool_)

    def edges(self) -> list[tuple[int, int]]:
        """Return every pair of neighbors once, the lower end first, in order."""
        return sorted({(min(pair), max(pair)) for pair in self.pairs if pair[0] != pair[1]})

    def mixed(self) -> list[bool]:
        found = [False] * self.size
        for one, other in self.edges():
            if self.codes[one] != self.codes[other]:
                found[one] = found[other] = True
        return found

    def least_pairs(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Return the first pair of neighbors of every pair of different codes, ordered by codes."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for one, other in self.edges():
            low, high = sorted((self.codes[one], self.codes[other]))
            if low != high:
                found.setdefault((low, high), (one, other))
        return dict(sorted(found.items()))

    def same(self) -> list[int]:
        return sorted(
            {self.codes[one] for one, other in self.edges() if self.codes[one] == self.codes[other]}
        )

    def steps(self) -> list[int]:
        """Return the distances that networkx finds, -1 where there is none."""
        graph = self.simple()
        starts = {dataset for dataset, start in enumerate(self.starts) if start}
        found = nx.multi_source_dijkstra_path_length(graph, starts) if starts else {}
        return [int(found.get(dataset, -1)) for dataset in range(self.size)]

    def simple(self) -> nx.Graph:
        """Return the graph as networkx holds it, without self-loops."""
        graph = nx.Graph(self.edges())
        graph.add_nodes_from(range(self.size))
        return graph

    @property
    def rainbows(self) -> list[str]:
        """One rainbow per dataset, by its code."""
        return [RAINBOWS[code % len(RAINBOWS)] for code in self.codes]

    def built(self) -> RainbowGraph:
        """Return the rainbow graph as rainbowdp builds it."""
        return RainbowGraph.from_arrays(*self.ends(), self.rainbows)

    def self_loops(self) -> int:
        return sum(one == other for one, other in self.pairs)

    def repeats(self) -> int:
        return len(self.pairs) - self.self_loops() - len(self.edges())


@st.composite
def pair_cases(draw: st.DrawFn, largest: int = 30) -> PairCase:
    """Draw lists in any order: random ones, and paths that wind through the datasets."""
    size = draw(st.integers(1, largest))
    number = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(number, number), max_size=2 * size))
    if draw(st.booleans()):
        order = draw(st.permutations(range(size)))
        pairs += list(pairwise(order))
        pairs = draw(st.permutations(pairs))
    if draw(st.booleans()):
        pairs = sorted((min(pair), max(pair)) for pair in pairs)
    codes = draw(st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=size, max_size=size))
    if draw(st.booleans()):
        # Blocks along a path: distances get larger than in random graphs.
        pairs += [(at, at + 1) for at in range(size - 1) if draw(st.integers(0, 9)) > 0]
        codes.sort()
    starts = draw(st.lists(st.integers(0, 5).map(lambda value: value == 0), min_size=size, max_size=size))
    return PairCase(size, pairs, codes, starts)
