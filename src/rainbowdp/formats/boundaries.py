# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions read from TOML or JSON, and boundary graphs written as GraphML, JSON or CSV.

A boundary condition is one table per rainbow text, color to probability. Numbers are read as their source
text, so ``0.1`` is one tenth. Rainbows are compared as rainbows: blanks and the order inside a tied class do
not matter, and one rainbow spelled twice is refused. In TOML::

    ["blue>red=green"]
    blue = "3/55"
    red = 0.5

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
from fractions import Fraction
from pathlib import Path

import numpy as np

from rainbowdp.errors import FileFormatError, FileWriteError, NumberError
from rainbowdp.exact import format_fraction, parse_fraction
from rainbowdp.exact.arguments import require
from rainbowdp.formats.datasets import parsed_rainbow
from rainbowdp.formats.documents import read_document, shown
from rainbowdp.formats.suffixes import Form, content_of, form_to_read, form_to_write, path_of
from rainbowdp.formats.writing import replacing
from rainbowdp.graph import BoundaryMorphism, listed
from rainbowdp.rainbow import Rainbow


def read_boundary(path: Path | str) -> dict[Rainbow, dict[str, str]]:
    r"""Read a boundary condition.

    Parameters
    ----------
    path : Path or str
        A ``.toml`` or ``.json`` file.

    Returns
    -------
    dict of Rainbow to dict of str to str
        For each rainbow the probability of each color, as it is written: an exact number. Whether they sum to
        1 and are private is asked later, see `given` and `check_boundary` in `rainbowdp.boundary`.

    Raises
    ------
    UsageError
        If the path is not the name of a file.
    FileUnreadableError
        If the file cannot be read.
    FileFormatError
        If it is not a table of tables, or names a rainbow twice.
    NumberError
        If a probability is not an exact number.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "boundary.toml"
    >>> _ = path.write_text('["yes>no"]\nyes = "2/3"\nno = "1/3"\n["no > yes"]\nyes = 0.5\nno = 0.5\n')
    >>> for rainbow, probabilities in read_boundary(path).items():
    ...     print(rainbow, probabilities)
    yes>no {'yes': '2/3', 'no': '1/3'}
    no>yes {'yes': '0.5', 'no': '0.5'}
    """
    path = path_of(path)
    with content_of(path):
        return _read(path)


def _read(path: Path) -> dict[Rainbow, dict[str, str]]:
    document = read_document(path, form_to_read(path, "a boundary condition", (Form.TOML, Form.JSON)))
    found: dict[Rainbow, dict[str, str]] = {}
    for text, table in document.items():
        rainbow = parsed_rainbow(text, repr(str(path)))
        if rainbow in found:
            raise FileFormatError(
                f"{str(path)!r} gives the rainbow {rainbow} twice, the second time as {text!r}",
                help="give every rainbow one table",
                path=str(path),
                rainbow=str(rainbow),
            )
        if not isinstance(table, dict):
            raise FileFormatError(
                f"{str(path)!r} gives {shown(table)} for {text!r}, not a table",
                help='write for example ["blue>red"] and below it blue = "1/3" and red = "2/3"',
                path=str(path),
                rainbow=text,
            )
        found[rainbow] = {color: _number(path, text, color, value) for color, value in table.items()}
    if not found:
        raise FileFormatError(
            f"{str(path)!r} gives no rainbow a distribution",
            help='write for example ["blue>red"] and below it blue = "1/3" and red = "2/3"',
            path=str(path),
        )
    return found


def _number(path: Path, rainbow: str, color: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_fraction(Fraction(value))
    if isinstance(value, str):
        # TOML allows underscores between digits.
        text = value.replace("_", "") if type(value) is not str else value
        try:
            parse_fraction(text)
        except NumberError as error:
            raise error.at(f"{str(path)!r}, {color!r} at {rainbow}") from error
        return text
    raise FileFormatError(
        f"{str(path)!r} gives {shown(value)} as the probability of {color!r} at {rainbow}",
        help="write a number such as 0.1, or a text such as 1/3 in quotes",
        path=str(path),
        rainbow=rainbow,
        color=color,
    )


FORMS = (Form.GRAPHML, Form.JSON, Form.CSV)
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COLUMNS = ("rainbow", "distance", "datasets")


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
    form = form_to_write(path, "the boundary graph", FORMS)
    nodes = _nodes(morphism)
    source, target = listed(morphism.boundary_graph.structure).pairs()
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    with replacing(path) as beside:
        if form is Form.GRAPHML:
            import networkx as nx

            refuse_unwritable(morphism.boundary_graph.colors, form)
            graph = nx.Graph()
            graph.add_nodes_from((node["id"], _present(node)) for node in nodes)
            graph.add_edges_from((nodes[one]["id"], nodes[other]["id"]) for one, other in edges)
            written = io.BytesIO()
            nx.write_graphml_xml(graph, written)
            # XML readers take a carriage return for a line feed, except where it is written as a reference.
            beside.write_bytes(written.getvalue().replace(b"\r", b"&#13;"))
        elif form is Form.JSON:
            document = {
                "directed": False,
                "multigraph": False,
                "graph": {},
                "nodes": [{"id": node["id"], **_present(node)} for node in nodes],
                "edges": [{"source": nodes[one]["id"], "target": nodes[other]["id"]} for one, other in edges],
            }
            beside.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        else:
            with beside.open("w", encoding="utf-8", newline="") as file:
                table = csv.writer(file, lineterminator="\n")
                ends = [f"{end}_{column}" for end in ("source", "target") for column in _COLUMNS]
                table.writerow(["source", "target", *ends])
                for pair in edges:
                    details = [nodes[end].get(column) for end in pair for column in _COLUMNS]
                    table.writerow([nodes[pair[0]]["id"], nodes[pair[1]]["id"], *details])


def refuse_unwritable(colors: tuple[str, ...], form: Form) -> None:
    """Refuse colors that the form cannot hold: XML has no way to write most control characters.

    Raises
    ------
    FileWriteError
        If there is one.
    """
    if form is not Form.GRAPHML:
        return
    for color in colors:
        if found := _NOT_IN_XML.search(color):
            raise FileWriteError(
                f"GraphML cannot hold the color {color!r}: it has no way to write {found[0]!r}",
                help="write the boundary graph as .json or .csv, or rename the color",
                color=color,
            )


def _nodes(morphism: BoundaryMorphism) -> list[dict[str, str | int | None]]:
    graph = morphism.boundary_graph
    counts = np.bincount(morphism.codes, minlength=graph.size).tolist()
    distances = morphism.class_distance.tolist()
    return [
        {
            "id": graph.label(at),
            "rainbow": str(graph.rainbow_of(at)),
            "distance": distances[at],
            "datasets": counts[at],
        }
        for at in range(graph.size)
    ]


def _present(node: dict[str, str | int | None]) -> dict[str, str | int]:
    return {key: value for key, value in node.items() if key != "id" and value is not None}
