# SPDX-License-Identifier: Apache-2.0
"""Read and write files of graphs, boundary conditions and mechanisms; read descriptions of tables of people.

================  ==========================================================================================
file              form
================  ==========================================================================================
datasets          CSV or Parquet with the columns ``dataset`` and ``rainbow``
neighbors         CSV or Parquet with the columns ``source`` and ``target``
whole graph       GraphML or node-link JSON with the node attribute ``rainbow``
boundary          TOML or JSON, one table per rainbow text, color to probability
mechanism         CSV, Parquet or JSON, see `rainbowdp.formats.writing`
boundary graph    GraphML, node-link JSON or CSV, written only
================  ==========================================================================================

The ending of a file's name says its form. Files are read whole or refused with an error that names the place;
they are written beside their target and renamed, so a file is never half-written.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rainbowdp.formats.documents import read_boundary as read_boundary
    from rainbowdp.formats.graphs import read_graph as read_graph
    from rainbowdp.formats.graphs import read_neighbors as read_neighbors
    from rainbowdp.formats.mechanism_reading import mechanism_of_json as mechanism_of_json
    from rainbowdp.formats.mechanism_reading import read_mechanism as read_mechanism
    from rainbowdp.formats.writing import mechanism_json as mechanism_json
    from rainbowdp.formats.writing import write_boundary_graph as write_boundary_graph
    from rainbowdp.formats.writing import write_mechanism as write_mechanism

_HOMES = {
    "mechanism_json": "writing",
    "mechanism_of_json": "mechanism_reading",
    "read_boundary": "documents",
    "read_graph": "graphs",
    "read_mechanism": "mechanism_reading",
    "read_neighbors": "graphs",
    "write_boundary_graph": "writing",
    "write_mechanism": "writing",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # A name loads its module when it is first asked for, so that a part does not load the others.
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"rainbowdp.formats.{_HOMES[name]}"), name)
        return value
