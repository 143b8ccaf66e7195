# SPDX-License-Identifier: Apache-2.0
"""Notes about what a command works with: what was removed from a graph, and what a figure lacks.

A mistake in a file of neighbors often shows as datasets without a neighbor. They are legal and rarely meant,
and no check of privacy can find anything wrong with them. A font that lacks a character of a color draws a
box in its place, of which one note says so, instead of a warning per character.
"""

import contextlib
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rainbowdp.cli.output import note

if TYPE_CHECKING:
    from rainbowdp.graph.relation import NeighborRelation

_GLYPH = re.compile(r"Glyph (\d+) ")
_MOST_NAMED = 5


def note_graph(structure: "NeighborRelation") -> None:
    """Note what was removed, and how many datasets have no neighbor."""
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


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Collect the warnings of matplotlib in the block, and write them as notes when it ends well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing: dict[str, None] = {}
    others: dict[str, None] = {}
    for warning in caught:
        text = str(warning.message)
        if found := _GLYPH.match(text):
            missing[f"U+{int(found[1]):04X}"] = None
        else:
            others[text] = None
    if missing:
        named = ", ".join([*missing][:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")
        characters = counted(len(missing), "character")
        note(f"the font of the figure lacks {characters} ({named}), drawn as boxes")
    for text in others:
        note(f"while drawing: {text}")
