# SPDX-License-Identifier: Apache-2.0
"""Files in and out: graphs, boundary conditions and mechanisms, in the forms that the documentation lists.

================  ==========================================================================================
file              form
================  ==========================================================================================
datasets          CSV or Parquet with the columns ``dataset`` and ``rainbow``
neighbors         CSV or Parquet with the columns ``source`` and ``target``
whole graph       GraphML or node-link JSON with the node attribute ``rainbow``
boundary          TOML or JSON, one table per rainbow text, color to probability
mechanism         CSV, Parquet or JSON, see `rainbowdp.formats.mechanism_writing`
boundary graph    GraphML, node-link JSON or CSV, written only
================  ==========================================================================================

The ending of a file's name says its form. Files are read whole or refused with an error that names the place;
they are written beside their target and renamed, so a file is never half-written.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rainbowdp.formats.documents import read_boundary
    from rainbowdp.formats.graphs import read_graph, read_neighbors
    from rainbowdp.formats.mechanism_reading import read_mechanism
    from rainbowdp.formats.mechanism_writing import write_mechanism
    from rainbowdp.formats.networks import write_boundary_graph

__all__ = [
    "read_boundary",
    "read_graph",
    "read_mechanism",
    "read_neighbors",
    "write_boundary_graph",
    "write_mechanism",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # A name loads its module when it is first asked for, so that a part does not load the others.
        if name in {"read_graph", "read_neighbors"}:
            from rainbowdp.formats import graphs as home
        elif name == "read_boundary":
            from rainbowdp.formats import documents as home
        elif name == "write_boundary_graph":
            from rainbowdp.formats import networks as home
        elif name == "read_mechanism":
            from rainbowdp.formats import mechanism_reading as home
        elif name == "write_mechanism":
            from rainbowdp.formats import mechanism_writing as home
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(home, name)
        return value
