# SPDX-License-Identifier: Apache-2.0
"""Whole graphs as GraphML and node-link JSON: rainbow graphs are read, boundary graphs are written.

GraphML is read and written by networkx. Node-link JSON is what ``networkx.node_link_data`` writes: a list
``nodes`` of objects with ``id`` and ``rainbow``, and a list ``edges`` (``links`` in older versions of
networkx) of objects with ``source`` and ``target``. Node ids are text or integers, and become labels as text.

The boundary graph is the image of a graph under its boundary morphism. Every node carries the attributes
``rainbow``, ``distance`` (absent where unconstrained) and ``datasets``, the number of datasets that it stands
for.

=============  ==============================================================================================
ending         form
=============  ==============================================================================================
``.graphml``   GraphML
``.json``      node-link JSON with the keys ``nodes`` and ``edges``
``.csv``       one line per edge: ``source, target``, then rainbow, distance and datasets of both; a node
               without edges does not appear
=============  ==============================================================================================
"""

import csv
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from rainbowdp.errors import DuplicateDatasetError, FileWriteError
from rainbowdp.exact.arguments import require
from rainbowdp.formats.documents import read_document, shown
from rainbowdp.formats.files import Form, form_to_write, malformed, path_of, replacing
from rainbowdp.graph import BoundaryMorphism, listed

NETWORKS = (Form.GRAPHML, Form.JSON)
"""The forms of whole graphs."""

BOUNDARY_FORMS = (Form.GRAPHML, Form.JSON, Form.CSV)
"""The forms of boundary graphs."""

Nodes = list[tuple[str, str | None]]
"""Labels, each with what the file gives as its rainbow."""

Edges = list[tuple[str, str]]
"""The labels of both ends of every edge."""

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COLUMNS = ("rainbow", "distance", "datasets")


def read_network(path: Path, form: Form) -> tuple[Nodes, Edges]:
    """Read a whole rainbow graph.

    Parameters
    ----------
    path : Path
        The file.
    form : Form
        GraphML or JSON.

    Returns
    -------
    tuple
        Nodes and edges, not yet compared with each other.

    Raises
    ------
    FileUnreadableError, FileFormatError, DuplicateDatasetError
        If the file cannot be read or is not such a graph.
    """
    nodes, edges = _graphml(path) if form is Form.GRAPHML else _node_link(path)
    if not nodes:
        raise malformed(path, "has no nodes", "a graph needs at least one dataset")
    for label, rainbow in nodes:
        if rainbow is not None and type(rainbow) is not str:
            what = f"has {shown(rainbow)} as the rainbow of the node {label!r}"
            raise malformed(path, what, "write it as text, such as blue>red>green")
    return nodes, edges


def _graphml(path: Path) -> tuple[Nodes, Edges]:
    from xml.etree.ElementTree import ParseError

    import networkx as nx

    try:
        # A key without a type is text, which networkx says in a warning.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            graph = nx.read_graphml(path, node_type=str)
    except (ParseError, nx.NetworkXException, ValueError, LookupError, TypeError) as error:
        reason = str(error) or type(error).__name__
        raise malformed(path, f"is not GraphML: {reason}", "correct or export the file again") from error
    declared = _declared_nodes(path)
    # networkx makes a node of every end of an edge, declared or not.
    nodes = [(str(node), rainbow) for node, rainbow in graph.nodes(data="rainbow") if str(node) in declared]
    return nodes, [(str(source), str(target)) for source, target in graph.edges()]


def _declared_nodes(path: Path) -> set[str]:
    """Return the ids of the nodes; refuse further graphs and equal ids, which networkx drops."""
    from xml.etree.ElementTree import iterparse

    graphs, ids = 0, set[str]()
    for _, element in iterparse(path):  # noqa: S314 - expat limits expansion, and networkx has read it
        name = element.tag.rpartition("}")[2]
        if name == "graph":
            graphs += 1
        elif name == "node":
            node = element.get("id", "")
            if node in ids:
                raise DuplicateDatasetError(
                    f"two nodes of {str(path)!r} have the id {node!r}", help="give every node its own id"
                )
            ids.add(node)
    if graphs != 1:
        raise malformed(
            path, f"holds {graphs} graphs", "put one graph into the file, without graphs inside its nodes"
        )
    return ids


def _node_link(path: Path) -> tuple[Nodes, Edges]:
    document = read_document(path, Form.JSON)
    if "edges" in document and "links" in document:
        raise malformed(path, "has both 'edges' and 'links'", "keep the one that holds the edges")
    key = "links" if "links" in document else "edges"
    nodes = _objects(path, document, "nodes", ("id",))
    edges = _objects(path, document, key, ("source", "target"))
    return (
        [(node["id"], node.get("rainbow")) for node in nodes],
        [(edge["source"], edge["target"]) for edge in edges],
    )


def _objects(path: Path, document: dict[str, Any], key: str, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return a list of objects of the document whose fields are text or integers."""
    found = document.get(key)
    if not isinstance(found, list):
        raise malformed(
            path,
            f"is not node-link JSON: it has no list {key!r}",
            "write {nodes: [{id, rainbow}, …], edges: [{source, target}, …]}, as networkx does",
        )
    for at, item in enumerate(found):
        for field in fields:
            if not isinstance(item, dict) or not isinstance(item.get(field), str):
                what = shown(item.get(field)) if isinstance(item, dict) and field in item else "nothing"
                raise malformed(
                    path, f"has {what} as the {field!r} of {key}[{at}]", "ids are text or integers"
                )
    return found


def write_boundary_graph(path: Path | str, morphism: BoundaryMorphism) -> None:
    """Write the boundary graph of a rainbow graph.

    Parameters
    ----------
    path : Path or str
        A ``.graphml``, ``.json`` or ``.csv`` file.
    morphism : BoundaryMorphism
        As `rainbowdp.graph.boundary_morphism` makes it.

    Raises
    ------
    UsageError
        If the ending of the name says no such form, or an argument is of another kind.
    FileWriteError
        If the file cannot be written, or GraphML cannot hold the name of a color.

    References
    ----------
    Zhou et al. 2022, Definition 8 and Figure 1 (b).

    Examples
    --------
    >>> import tempfile
    >>> from rainbowdp.graph import RainbowGraph, boundary_morphism
    >>> graph = RainbowGraph.from_edges(
    ...     [("a", "b"), ("b", "c")], {"a": "yes>no", "b": "yes>no", "c": "no>yes"}
    ... )
    >>> path = Path(tempfile.mkdtemp()) / "boundary.csv"
    >>> write_boundary_graph(path, boundary_morphism(graph))
    >>> for line in path.read_text().splitlines():
    ...     print(line[:45])
    source,target,source_rainbow,source_distance,
    no>yes @ 0,yes>no @ 0,no>yes,0,1,yes>no,0,1
    yes>no @ 0,yes>no @ 1,yes>no,0,1,yes>no,1,1
    """
    path = path_of(path)
    require(morphism, "morphism", BoundaryMorphism)
    form = form_to_write(path, "the boundary graph", BOUNDARY_FORMS)
    nodes = _boundary_nodes(morphism)
    names = list(nodes)
    source, target = listed(morphism.boundary_graph.structure).pairs()
    edges = [(names[a], names[b]) for a, b in zip(source.tolist(), target.tolist(), strict=True)]
    refuse_unwritable(morphism.boundary_graph.colors, form)
    with replacing(path) as beside:
        if form is Form.GRAPHML:
            beside.write_bytes(_as_graphml(nodes, edges))
        elif form is Form.JSON:
            document = {
                "directed": False,
                "multigraph": False,
                "graph": {},
                "nodes": [{"id": name, **details} for name, details in nodes.items()],
                "edges": [{"source": one, "target": other} for one, other in edges],
            }
            beside.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        else:
            with beside.open("w", encoding="utf-8", newline="") as file:
                table = csv.writer(file, lineterminator="\n")
                ends = [f"{end}_{column}" for end in ("source", "target") for column in _COLUMNS]
                table.writerow(["source", "target", *ends])
                for pair in edges:
                    table.writerow([*pair, *(nodes[end].get(column) for end in pair for column in _COLUMNS)])


def refuse_unwritable(colors: tuple[str, ...], form: Form) -> None:
    """Refuse colors that the form cannot hold: XML has no way to write most control characters.

    Raises
    ------
    FileWriteError
        If there is one.
    """
    for color in colors if form is Form.GRAPHML else ():
        if found := _NOT_IN_XML.search(color):
            raise FileWriteError(
                f"GraphML cannot hold the color {color!r}: it has no way to write {found[0]!r}",
                help="write the boundary graph as .json or .csv, or rename the color",
                color=color,
            )


def _boundary_nodes(morphism: BoundaryMorphism) -> dict[str, dict[str, str | int]]:
    """Return the attributes of every node by its name; without a distance where there is none."""
    graph = morphism.boundary_graph
    counts = np.bincount(morphism.codes, minlength=graph.size).tolist()
    nodes: dict[str, dict[str, str | int]] = {}
    for at, distance in enumerate(morphism.class_distance.tolist()):
        known = {} if distance is None else {"distance": distance}
        nodes[graph.label(at)] = {"rainbow": str(graph.rainbow_of(at)), **known, "datasets": counts[at]}
    return nodes


def _as_graphml(nodes: dict[str, dict[str, str | int]], edges: Edges) -> bytes:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(nodes.items())
    graph.add_edges_from(edges)
    written = io.BytesIO()
    nx.write_graphml_xml(graph, written)
    # XML readers take a carriage return for a line feed, except where it is written as a reference.
    return written.getvalue().replace(b"\r", b"&#13;")
