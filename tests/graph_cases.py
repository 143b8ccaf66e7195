# SPDX-License-Identifier: Apache-2.0
"""Random rainbow graphs for tests, as plain parts that networkx can read too."""

from dataclasses import dataclass

import networkx as nx
from hypothesis import strategies as st

from rainbowdp.graph import RainbowGraph

RAINBOWS = ("blue>red>green", "red>green=blue", "green>red>blue", "red=blue>green")


@dataclass(frozen=True)
class Case:
    """Pairs of numbers, in any direction, with self-loops and repeats, and a rainbow per number."""

    pairs: list[tuple[int, int]]
    rainbows: list[str]

    def built(self) -> RainbowGraph:
        """Return the graph as rainbowdp builds it."""
        source, target = [pair[0] for pair in self.pairs], [pair[1] for pair in self.pairs]
        return RainbowGraph.from_arrays(source, target, self.rainbows)

    def simple(self) -> nx.Graph:
        """Return the graph as networkx holds it, without self-loops."""
        graph = nx.Graph((one, other) for one, other in self.pairs if one != other)
        graph.add_nodes_from(range(len(self.rainbows)))
        return graph


@st.composite
def cases(draw: st.DrawFn, largest: int = 14) -> Case:
    """Draw sparse and dense graphs, connected or not, with one to four regions."""
    size = draw(st.integers(1, largest))
    number = st.integers(0, size - 1)
    pairs = draw(st.lists(st.tuples(number, number), max_size=2 * size))
    palette = RAINBOWS[: draw(st.integers(1, len(RAINBOWS)))]
    blocks = draw(st.booleans())
    if blocks:
        # Regions as blocks along a path: distances get larger than in random graphs.
        pairs += [(index, index + 1) for index in range(size - 1) if draw(st.integers(0, 9)) > 0]
        rainbows = [palette[index * len(palette) // size] for index in range(size)]
    else:
        rainbows = draw(st.lists(st.sampled_from(palette), min_size=size, max_size=size))
    return Case(pairs, rainbows)
