# SPDX-License-Identifier: Apache-2.0
"""Whole graphs from GraphML and node-link JSON, with the rainbow of each dataset as a node attribute.

GraphML is read by networkx. Node-link JSON is what ``networkx.node_link_data`` writes: a list ``nodes`` of
objects with ``id`` and ``rainbow``, and a list ``edges`` (``links`` in older versions of networkx) of objects
with ``source`` and ``target``. Node ids are text or integers, and become labels as text.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import (
    ColorError,
    DuplicateDatasetError,
    FileFormatError,
    MissingRainbowError,
    RainbowSyntaxError,
)
from rainbowdp.formats.documents import read_document, shown
from rainbowdp.formats.suffixes import Form
from rainbowdp.graph import RainbowGraph


def read_network(path: Path, form: Form) -> RainbowGraph:
    """Read a whole rainbow graph.

    Parameters
    ----------
    path : Path
        The file.
    form : Form
        GraphML or JSON.

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read or is not such a graph.
    MissingRainbowError, UnknownDatasetError, DuplicateDatasetError, ColorSetError
        If a node has no rainbow, an edge names no node, and so on; the message names the file.
    """
    if form is Form.GRAPHML:
        nodes, edges = _graphml(path)
    else:
        nodes, edges = _node_link(path)
    rainbows: dict[str, str] = {}
    for label, rainbow in nodes:
        if label in rainbows:
            raise DuplicateDatasetError(
                f"two nodes of {str(path)!r} have the id {label!r}", help="give every node its own id"
            )
        if rainbow is None or not str(rainbow).strip():
            raise MissingRainbowError(
                f"the node {label!r} of {str(path)!r} has no rainbow",
                help="give every node the attribute rainbow, such as blue>red>green",
                dataset=label,
            )
        if type(rainbow) is not str:
            raise FileFormatError(
                f"the node {label!r} of {str(path)!r} has {shown(rainbow)} as its rainbow",
                help="write it as text, such as blue>red>green",
                dataset=label,
            )
        rainbows[label] = rainbow
    if not rainbows:
        raise FileFormatError(
            f"{str(path)!r} has no nodes", help="a graph needs at least one dataset", path=str(path)
        )
    try:
        return RainbowGraph.from_edges(edges, rainbows)
    except (RainbowSyntaxError, ColorError) as error:
        raise FileFormatError(f"{str(path)!r}: {error.what}", help=error.help, **error.values) from error


def network_edges(path: Path, form: Form) -> dict[str, NDArray[Any]]:
    """Return the labels of both ends of every edge, as two columns ``v0`` and ``v1`` of text."""
    _, edges = _graphml(path) if form is Form.GRAPHML else _node_link(path)
    ends = np.array(edges, dtype=object).reshape(-1, 2)
    return {"v0": ends[:, 0], "v1": ends[:, 1]}


def _graphml(path: Path) -> tuple[list[tuple[str, Any]], list[tuple[str, str]]]:
    from xml.etree.ElementTree import ParseError

    import networkx as nx

    try:
        # A key without a type is text, which networkx says in a warning.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            graph = nx.read_graphml(path, node_type=str)
    except (ParseError, nx.NetworkXException, ValueError, LookupError, TypeError) as error:
        reason = str(error) or type(error).__name__
        raise FileFormatError(
            f"{str(path)!r} is not GraphML: {reason}", help="correct or export the file again", path=str(path)
        ) from error
    declared = _require_whole(path)
    # networkx makes a node of every end of an edge, declared or not.
    nodes = [(str(node), rainbow) for node, rainbow in graph.nodes(data="rainbow") if str(node) in declared]
    return nodes, [(str(source), str(target)) for source, target in graph.edges()]


def _require_whole(path: Path) -> set[str]:
    """Return the ids of the nodes, and refuse what networkx leaves out without a word.

    Those are further graphs, and further nodes of one id.
    """
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
        raise FileFormatError(
            f"{str(path)!r} holds {graphs} graphs",
            help="put one graph into the file, without graphs inside its nodes",
            path=str(path),
        )
    return ids


def _node_link(path: Path) -> tuple[list[tuple[str, Any]], list[tuple[str, str]]]:
    document = read_document(path, Form.JSON)
    if "edges" in document and "links" in document:
        raise FileFormatError(
            f"{str(path)!r} has both 'edges' and 'links'",
            help="keep the one that holds the edges",
            path=str(path),
        )
    key = "links" if "edges" not in document and "links" in document else "edges"
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
        raise FileFormatError(
            f"{str(path)!r} is not node-link JSON: it has no list {key!r}",
            help="write {nodes: [{id, rainbow}, …], edges: [{source, target}, …]}, as networkx does",
            path=str(path),
        )
    for at, item in enumerate(found):
        for field in fields:
            if not isinstance(item, dict) or not isinstance(item.get(field), str):
                what = shown(item.get(field)) if isinstance(item, dict) and field in item else "nothing"
                raise FileFormatError(
                    f"{key}[{at}] of {str(path)!r} has {what} as its {field!r}",
                    help="ids are text or integers",
                    path=str(path),
                )
    return found
