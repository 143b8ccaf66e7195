# SPDX-License-Identifier: Apache-2.0
"""What a command notes about a graph before it works with it: what was removed, and what says nothing.

A mistake in a file of neighbors often shows as datasets that nobody is a neighbor of. They are legal, they
are rarely meant, and no check of privacy can find anything wrong with them.
"""

from typing import TYPE_CHECKING

from rainbowdp.cli.output import note

if TYPE_CHECKING:
    from rainbowdp.graph.relation import NeighborRelation


def note_graph(structure: "NeighborRelation") -> None:
    """Say what was cleaned away, and how many datasets have no neighbor."""
    from rainbowdp.graph import DatasetGraph, PairList, PairStream

    for text in structure.notes:
        note(text)
    if not isinstance(structure, DatasetGraph | PairList):
        note("pairs of neighbors are counted as they are listed, repeated ones too")
    alone = structure.isolated if isinstance(structure, DatasetGraph | PairList | PairStream) else 0
    if structure.pair_count == 0:
        note("there is no pair of neighbors, so any mechanism is private: check the file of neighbors")
    elif alone:
        have = "1 dataset has" if alone == 1 else f"{alone} of {structure.size} datasets have"
        note(f"{have} no neighbor, so nothing limits the answers there")


def counted(number: int, what: str) -> str:
    """Return a number with its word, in the plural where there is not one."""
    return f"{number} {what}{'s' * (number != 1)}"
