# SPDX-License-Identifier: Apache-2.0
"""Write what solving finds: mechanisms, and boundary graphs.

CSV and Parquet hold ``dataset, rainbow, distance``, then one column per color in code-point order; the
distance is empty (null) where unconstrained. JSON holds::

    {"colors": [...], "precision": "exact" | "float64",
     "rows": [{"dataset", "rainbow", "distance": int | null, "probabilities": {color: value}}]}

Exact values are fraction text (``3/55``, and ``1`` or ``0``); float64 values are the shortest decimals that
read back as the same float, and always contain a point or an exponent, so a CSV file shows which of the two
it is. In Parquet exact values are text columns and float64 values are double columns.

A mechanism in two tables has ``dataset, class``, and a class table with ``class, rainbow, distance``, the
number of ``datasets`` of the class, and the columns of colors: what a large family needs, since it often has
a thousand classes.

A row is rendered once per class; Arrow joins the classes to the datasets block by block, so 10^8 datasets
take no loop in Python.

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

import contextlib
import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import ColorError, FileWriteError
from rainbowdp.exact import format_exact
from rainbowdp.exact.arguments import require
from rainbowdp.formats.datasets import number_column, text_column
from rainbowdp.formats.files import TABLES, Form, form_to_write, path_of, replacing
from rainbowdp.graph import BoundaryMorphism, listed
from rainbowdp.graph.labels import LabelArray
from rainbowdp.mechanism import Mechanism

if TYPE_CHECKING:
    import pyarrow as pa

FORMS = (*TABLES, Form.JSON)
FIRST_COLUMNS = ("dataset", "rainbow", "distance")
CLASS_COLUMNS = ("class", "rainbow", "distance", "datasets")
CODE_COLUMNS = ("dataset", "class")
BOUNDARY_FORMS = (Form.GRAPHML, Form.JSON, Form.CSV)
"""The forms of boundary graphs."""

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DETAILS = ("rainbow", "distance", "datasets")
_MOST_ROWS, _MOST_BYTES = 1 << 18, 1 << 26
_CSV_SPECIAL, _JSON_SPECIAL = r'[\n\r"#,]|^$', r'["\\\x00-\x1f]'


def write_mechanism(
    path: Path | str, mechanism: Mechanism, *, exact: bool | None = None, classes: Path | str | None = None
) -> None:
    """Write a mechanism as CSV, Parquet or JSON, by the ending of the name.

    Parameters
    ----------
    path : Path or str
        A ``.csv``, ``.parquet`` or ``.json`` file. It is there whole or not at all.
    mechanism : Mechanism
        The mechanism.
    exact : bool, optional
        Write fractions instead of float64 values; by default where the mechanism's precision is exact.
    classes : Path or str, optional
        A ``.csv`` or ``.parquet`` file for the class table; `path` is then one of these too, and holds the
        class of every dataset. Each of the two is there whole or not at all, and
        `rainbowdp.formats.read_mechanism` refuses two that do not belong together.

    Raises
    ------
    UsageError
        If the ending of a name says no such form, or an argument is of another kind.
    ColorError
        If a color is called like one of the first columns.
    IrrationalError
        If fractions are asked for and a probability is irrational.
    FileWriteError
        If the file cannot be written, or the form cannot hold the names of the colors.

    Examples
    --------
    >>> import tempfile
    >>> mechanism = Mechanism.from_table(
    ...     ["b>r", "r>b"], [{"b": "2/3", "r": "1/3"}, {"b": "1/3", "r": "2/3"}], labels=["ann", "bob"]
    ... )
    >>> path = Path(tempfile.mkdtemp()) / "mechanism.csv"
    >>> write_mechanism(path, mechanism, exact=True)
    >>> print(path.read_text())
    dataset,rainbow,distance,b,r
    ann,b>r,,2/3,1/3
    bob,r>b,,1/3,2/3
    <BLANKLINE>
    """
    path = path_of(path)
    require(mechanism, "mechanism", Mechanism)
    exact = mechanism.precision == "exact" if exact is None else exact
    targets = [path] if classes is None else [path, path_of(classes, "classes")]
    forms = forms_to_write(*targets)
    refuse_reserved(mechanism.colors, FIRST_COLUMNS if classes is None else CLASS_COLUMNS)
    tables = [_whole(mechanism, exact=exact)] if classes is None else _coded(mechanism, exact=exact)
    with contextlib.ExitStack() as replaced:
        beside = [replaced.enter_context(replacing(target)) for target in targets]
        for table, place, form in zip(tables, beside, forms, strict=True):
            if form is Form.PARQUET:
                table.write_parquet(place)
            elif form is Form.CSV:
                table.write_csv(place)
            else:
                with place.open("wb") as file:
                    table.write_json(file, exact=exact)


def mechanism_json(mechanism: Mechanism) -> str:
    """Return a mechanism as JSON; see `Mechanism.to_json`."""
    refuse_reserved(mechanism.colors)
    exact, file = mechanism.precision == "exact", io.BytesIO()
    _whole(mechanism, exact=exact).write_json(file, exact=exact)
    return file.getvalue().decode()


def forms_to_write(path: Path, classes: Path | None = None) -> list[Form]:
    """Return the forms in which a mechanism is to be written, in one file or in two tables.

    Raises
    ------
    UsageError
        If the ending of a name says no such form.
    """
    if classes is None:
        return [form_to_write(path, "the mechanism", FORMS)]
    return [
        form_to_write(path, "the class of every dataset", TABLES),
        form_to_write(classes, "the class table", TABLES),
    ]


def refuse_reserved(colors: tuple[str, ...], first: tuple[str, ...] = FIRST_COLUMNS) -> None:
    """Refuse colors that are called like one of the first columns of a mechanism file.

    Raises
    ------
    ColorError
        If there is one.
    """
    reserved = next((color for color in colors if color in first), None)
    if reserved is not None:
        raise ColorError(
            f"a mechanism file has a column {reserved!r} already, so no color can be called that",
            help="rename the color",
            color=reserved,
        )


@dataclass(frozen=True)
class _Table:
    """Rows of which each has a name of its own, and shares all other cells with the rows of its class.

    Attributes
    ----------
    title : str
        The first column, that of the names.
    kind : Arrow type
        What the names are in Parquet.
    labels : array [n] or None
        The names; None if they are 0 to n - 1.
    codes : int32 array [n]
        The class of each row.
    classes : Arrow table
        The other columns, one row per class.
    """

    title: str
    kind: Any
    labels: LabelArray | None
    codes: NDArray[np.int32]
    classes: "pa.Table"

    def blocks(self) -> "Iterator[tuple[pa.Array, pa.Array]]":
        """Yield names and classes, of so many rows at a time that their cells fit into memory."""
        row_bytes = 1 + self.classes.nbytes // max(1, self.classes.num_rows)
        rows = max(1, min(_MOST_ROWS, _MOST_BYTES // row_bytes))
        for start in range(0, self.codes.size, rows):
            stop = min(start + rows, self.codes.size)
            names = np.arange(start, stop) if self.labels is None else self.labels[start:stop]
            named = number_column(names) if names.dtype.kind == "i" else text_column(names.tolist())
            yield named, number_column(self.codes[start:stop])

    def write_parquet(self, path: Path) -> None:
        """Write the rows as Parquet."""
        import pyarrow as pa
        from pyarrow import parquet

        schema = pa.schema([(self.title, self.kind), *self.classes.schema])
        encoding = {self.title: "DELTA_BINARY_PACKED"} if pa.types.is_integer(self.kind) else None
        with parquet.ParquetWriter(
            path, schema, compression="zstd", use_dictionary=schema.names[1:], column_encoding=encoding
        ) as writer:
            for names, codes in self.blocks():
                shared = self.classes.take(codes).columns
                writer.write_table(pa.table([names.cast(self.kind), *shared], schema=schema))

    def write_csv(self, path: Path) -> None:
        """Write the rows as CSV; the empty text stands in quotes, and a missing cell is empty."""
        columns = [column.to_pylist() for column in self.classes.columns]
        tails = [",".join(["", *map(_csv_cell, cells)]) + "\n" for cells in zip(*columns, strict=True)]
        with path.open("wb") as file:
            file.write((",".join(map(_csv_cell, [self.title, *self.classes.column_names])) + "\n").encode())
            for lines in self._lines("", _CSV_SPECIAL, _csv_cell, tails):
                file.write(lines)

    def write_json(self, file: BinaryIO, *, exact: bool) -> None:
        """Write the rows of a mechanism as JSON."""
        colors = self.classes.column_names[2:]
        rainbows, distances, *columns = (column.to_pylist() for column in self.classes.columns)
        tails = [
            f'", "rainbow": {_json(rainbow)}, "distance": {_json(distance)}, '
            f'"probabilities": {_json(dict(zip(colors, row, strict=True)))}}},\n'
            for rainbow, distance, row in zip(rainbows, distances, zip(*columns, strict=True), strict=True)
        ]
        precision = "exact" if exact else "float64"
        file.write(f'{{"colors": {_json(colors)}, "precision": "{precision}", "rows": [\n'.encode())
        file.writelines(self._lines('{"dataset": "', _JSON_SPECIAL, lambda name: _json(name)[1:-1], tails))
        file.seek(-len(",\n"), os.SEEK_CUR)
        file.write(b"\n]}\n")

    def _lines(
        self, before: str, special: str, written: Callable[[str], str], tails: list[str]
    ) -> "Iterator[pa.Buffer]":
        """Yield all rows as text: what stands before each name, the name, and the tail of its class.

        A block with a name that matches the pattern for `special` ones is `written` in another form.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        ends = text_column(tails)
        start, empty = text_column([before, ""])
        for names, codes in self.blocks():
            texts = names.cast(pa.large_string())
            if pc.any(pc.match_substring_regex(texts, special)).as_py():
                texts = text_column(list(map(written, texts.to_pylist())))
            yield pc.binary_join_element_wise(start, texts, ends.take(codes), empty).buffers()[2]


def _csv_cell(value: str | float | None) -> str:
    if not isinstance(value, str):
        return "" if value is None else repr(value)
    quoted = value.replace('"', '""')
    return f'"{quoted}"' if re.search(_CSV_SPECIAL, value) else value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _whole(mechanism: Mechanism, *, exact: bool) -> _Table:
    """Return a mechanism as one table."""
    import pyarrow as pa

    classes = _classes(mechanism, exact=exact)
    return _Table(FIRST_COLUMNS[0], pa.string(), mechanism.labels, mechanism.codes, classes)


def _coded(mechanism: Mechanism, *, exact: bool) -> list[_Table]:
    """Return the table of the class of every dataset, and the class table."""
    import pyarrow as pa

    labels = mechanism.labels
    whole = labels is None or (isinstance(labels, np.ndarray) and labels.dtype.kind == "i")
    count = mechanism.class_count
    numbers = np.arange(count, dtype=np.int32)
    sizes = np.bincount(mechanism.codes, minlength=count)
    code_column = pa.table([number_column(numbers)], names=CODE_COLUMNS[1:])
    classes = _classes(mechanism, exact=exact).add_column(2, CLASS_COLUMNS[3], number_column(sizes))
    return [
        _Table(CODE_COLUMNS[0], pa.int64() if whole else pa.string(), labels, mechanism.codes, code_column),
        _Table(CLASS_COLUMNS[0], pa.int32(), None, numbers, classes),
    ]


def _classes(mechanism: Mechanism, *, exact: bool) -> "pa.Table":
    """Return rainbow, distance and probabilities of every class."""
    import pyarrow as pa

    if exact:
        rows = [[format_exact(value) for value in row.values()] for row in mechanism.rows]
        probabilities = [text_column(values).cast(pa.string()) for values in zip(*rows, strict=True)]
    else:
        probabilities = list(map(number_column, mechanism.table.T))
    distances = mechanism.class_distance
    columns = [
        text_column(list(map(str, mechanism.class_rainbow))).cast(pa.string()),
        number_column(distances.data, np.ma.getmaskarray(distances)),
        *probabilities,
    ]
    return pa.table(columns, names=[*FIRST_COLUMNS[1:], *mechanism.colors])


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
                ends = [f"{end}_{column}" for end in ("source", "target") for column in _DETAILS]
                table.writerow(["source", "target", *ends])
                for pair in edges:
                    table.writerow([*pair, *(nodes[end].get(column) for end in pair for column in _DETAILS)])


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


def _as_graphml(nodes: dict[str, dict[str, str | int]], edges: list[tuple[str, str]]) -> bytes:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(nodes.items())
    graph.add_edges_from(edges)
    written = io.BytesIO()
    nx.write_graphml_xml(graph, written)
    # XML readers take a carriage return for a line feed, except where it is written as a reference.
    return written.getvalue().replace(b"\r", b"&#13;")
