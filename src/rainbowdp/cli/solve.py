# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp solve``: from a rainbow graph to its optimal mechanism, verified, on the disk."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli import completion
from rainbowdp.cli.boundaries import read_probabilities
from rainbowdp.cli.figures import drawing
from rainbowdp.cli.graphs import counted, note_graph
from rainbowdp.cli.options import (
    ENGINES,
    AskedPrivacy,
    Debug,
    Delta,
    Engine,
    Epsilon,
    Exactly,
    Mu,
    Normalize,
    Plot,
    described,
    format_option,
    read_choice,
    read_plot,
    read_privacy,
    require_distinct,
    require_rational,
)
from rainbowdp.cli.output import emit_json, emit_table, note
from rainbowdp.cli.progress import Steps, steps
from rainbowdp.cli.signals import load_duckdb
from rainbowdp.errors import NotVerifiedError, UsageError, did_you_mean

if TYPE_CHECKING:
    from rainbowdp.boundary import BoundaryCondition
    from rainbowdp.graph import BoundaryMorphism, RainbowGraph
    from rainbowdp.mechanism import Mechanism
    from rainbowdp.optimal import BoundaryName

FORMATS = ("table", "json")
BOUNDARIES: "tuple[BoundaryName, ...]" = ("uniform", "randomized-response", "max-min")

HELP = described(
    "Find the optimal mechanism of a family of datasets, check it, and write it to a file.",
    "Datasets are joined to their neighbors, and each has a rainbow: its order of the possible answers "
    "(colors), best first. Where neighbors have different rainbows the boundary condition says how likely "
    "each answer is; everywhere else the optimal probabilities follow. The optimal probabilities are checked "
    "exactly, for every pair of neighbors, before anything is written.",
    example="figure 1 of the paper",
    lines=(
        "rainbowdp solve --datasets figure1-nodes.csv",
        "--neighbors figure1-edges.csv --boundary uniform",
        "--epsilon 'ln 2' --exact --out mechanism.csv",
    ),
)


@dataclass(frozen=True)
class _Targets:
    """Where results go, all of it checked before the work begins."""

    out: Path | None
    classes: Path | None
    boundary_graph: Path | None
    plot: Path | None


def solve_command(
    *,
    datasets: Annotated[
        str,
        typer.Option(
            "--datasets",
            metavar="FILE",
            help="CSV or Parquet with the columns dataset,rainbow (such as blue>red>green); or a whole graph "
            "as .graphml or node-link .json with the node attribute rainbow.",
            autocompletion=completion.files(*completion.TABLES, *completion.NETWORKS),
        ),
    ],
    boundary: Annotated[
        str,
        typer.Option(
            "--boundary",
            metavar="CONDITION",
            help="Probabilities where regions of different rainbows meet. A .toml or .json file with one "
            "table per rainbow, color to probability; or 'uniform' (all colors alike), 'randomized-response' "
            "(the best class as likely as is private even if all regions touched) or 'max-min' (the smallest "
            "probability of a best class as large as the regions that do touch allow).",
            autocompletion=completion.choices(*BOUNDARIES, endings=completion.BOUNDARIES),
        ),
    ],
    neighbors: Annotated[
        str | None,
        typer.Option(
            "--neighbors",
            metavar="FILE",
            help="CSV or Parquet with the columns source,target: each pair of neighboring datasets once, in "
            "any direction. Left out for a whole graph.",
            autocompletion=completion.files(*completion.TABLES),
        ),
    ] = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where to write the mechanism: .csv, .parquet or .json, one row per dataset. Without "
            "--exact its decimals are right to a relative 1e-12: verify accepts them within that precision, "
            "and verify --strict, which takes them literally, may find a pair exceeded by such a rounding.",
            autocompletion=completion.files(".csv", ".parquet", ".json"),
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="FILE",
            help="Write the mechanism as two tables, .csv or .parquet: the class of every dataset to --out, "
            "and one row of probabilities per class here. For large families: datasets are many, and "
            "classes few.",
            autocompletion=completion.files(*completion.TABLES),
        ),
    ] = None,
    exact: Exactly = False,
    normalize: Normalize = False,
    boundary_graph: Annotated[
        str | None,
        typer.Option(
            "--boundary-graph",
            metavar="FILE",
            help="Where to write the boundary graph, one node per rainbow and distance: .graphml, node-link "
            ".json, or .csv (edges only).",
            autocompletion=completion.files(".graphml", ".json", ".csv"),
        ),
    ] = None,
    plot: Plot = None,
    output_format: Annotated[str, format_option(*FORMATS)] = "table",
    engine: Engine = "auto",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Find, check and write the optimal mechanism; see `HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    kept = read_choice("--engine", engine, ENGINES)
    asked = read_privacy(epsilon, delta, mu)
    if exact:
        require_rational(asked)
    targets = _read_targets(out, classes, boundary_graph, plot)
    written = {
        "--out": targets.out,
        "--classes": targets.classes,
        "--boundary-graph": targets.boundary_graph,
        "--plot": targets.plot,
    }
    for option, source in {"--datasets": datasets, "--neighbors": neighbors, "--boundary": boundary}.items():
        require_distinct({option: None if source is None else Path(source), **written})

    from rainbowdp.formats import read_graph
    from rainbowdp.formats.boundary_graphs import FORMS, refuse_unwritable
    from rainbowdp.formats.mechanism_writing import CLASS_COLUMNS, FIRST_COLUMNS, refuse_reserved
    from rainbowdp.formats.suffixes import form_to_write
    from rainbowdp.graph import PairList, boundary_morphism
    from rainbowdp.optimal import optimal_mechanism

    with steps() as progress:
        load_duckdb()
        condition = _read_condition(boundary, normalize=normalize)
        progress.step("reading the graph")
        graph = read_graph(datasets, neighbors, engine=kept, report=progress.step)
        if isinstance(graph.structure, PairList):
            graph.structure.count_ahead()
        if targets.out is not None:
            refuse_reserved(graph.colors, CLASS_COLUMNS if targets.classes else FIRST_COLUMNS)
        if targets.boundary_graph is not None:
            form = form_to_write(targets.boundary_graph, "the boundary graph", FORMS)
            refuse_unwritable(graph.colors, form)
        progress.step("finding the optimal mechanism")
        mechanism = optimal_mechanism(graph, asked.notion, condition, progress=progress.advance)
        progress.step("checking every pair of neighbors")
        _verify(graph, mechanism, asked, progress)
        note_graph(graph.structure)
        for text in mechanism.notes:
            note(text)
        morphism = boundary_morphism(graph)
        _write(targets, graph, mechanism, morphism, exact=exact, progress=progress)
    _print_summary(graph, morphism, asked, chosen)
    return 0


def _read_targets(
    out: str | None, classes: str | None, boundary_graph: str | None, plot: str | None
) -> _Targets:
    from rainbowdp.formats import boundary_graphs, mechanism_writing
    from rainbowdp.formats.suffixes import form_to_write
    from rainbowdp.formats.writing import check_writable

    figure = read_plot(plot)
    table = None if out is None else Path(out)
    class_table = None if classes is None else Path(classes)
    drawing = None if boundary_graph is None else Path(boundary_graph)
    if table is not None:
        mechanism_writing.forms_to_write(table, class_table)
        check_writable(table)
        if class_table is not None:
            check_writable(class_table)
    elif class_table is not None:
        raise UsageError(
            "--classes writes the second of two tables, and --out is missing",
            help="say with --out where the class of every dataset is to be written",
            option="--classes",
        )
    if drawing is not None:
        form_to_write(drawing, "the boundary graph", boundary_graphs.FORMS)
        check_writable(drawing)
    require_distinct(
        {"--out": table, "--classes": class_table, "--boundary-graph": drawing, "--plot": figure}
    )
    return _Targets(table, class_table, drawing, figure)


def _read_condition(boundary: str, *, normalize: bool) -> "BoundaryCondition | BoundaryName":
    for name in BOUNDARIES:
        if boundary == name:
            return name
    path = Path(boundary)
    if not path.suffix and not os.path.exists(path):  # noqa: PTH110 - it never raises, whatever the name
        raise UsageError(
            f"--boundary {boundary!r} is neither a file nor the name of a boundary condition",
            help=did_you_mean(boundary, BOUNDARIES) or f"give a file, or one of {', '.join(BOUNDARIES)}",
            option="--boundary",
        )

    from rainbowdp.boundary import given
    from rainbowdp.errors import RainbowError
    from rainbowdp.formats import read_boundary

    read = {
        rainbow: read_probabilities(table, f"the boundary of {rainbow}", normalize=normalize)
        for rainbow, table in read_boundary(path).items()
    }
    try:
        return given(read)
    except RainbowError as error:
        # The file could be read; what it asks for is refused, as it would be on the command line.
        raise error.at(repr(boundary)) from error


def _verify(graph: "RainbowGraph", mechanism: "Mechanism", asked: AskedPrivacy, progress: Steps) -> None:
    """Check the mechanism like anybody else's; a failure here is a defect of rainbowdp."""
    from rainbowdp.verification import verify

    found = verify(mechanism, graph, asked.notion, progress=progress.advance)
    if found.witness is not None:
        raise NotVerifiedError(
            f"the mechanism failed its own check between {found.witness.source!r} and "
            f"{found.witness.target!r}; nothing was written",
            help="this is a defect of rainbowdp: please report it with the command and its input",
            source=found.witness.source,
            target=found.witness.target,
        )


def _write(
    targets: _Targets,
    graph: "RainbowGraph",
    mechanism: "Mechanism",
    morphism: "BoundaryMorphism",
    *,
    exact: bool,
    progress: Steps,
) -> None:
    from rainbowdp.formats import write_boundary_graph, write_mechanism

    if targets.out is not None:
        progress.step("writing the mechanism")
        write_mechanism(targets.out, mechanism, exact=exact, classes=targets.classes)
    if targets.boundary_graph is not None:
        progress.step("writing the boundary graph")
        write_boundary_graph(targets.boundary_graph, morphism)
    if targets.plot is not None:
        from rainbowdp.plots import plot_solution

        progress.step("drawing the figure")
        with drawing():
            plot_solution(graph, mechanism, targets.plot)


def _print_summary(
    graph: "RainbowGraph", morphism: "BoundaryMorphism", asked: AskedPrivacy, chosen: str
) -> None:
    nodes, edges = morphism.boundary_graph.size, morphism.boundary_graph.pair_count
    summary = {
        "datasets": graph.size,
        "neighbor_pairs": graph.pair_count,
        "rainbows": len(graph.rainbows),
        "boundary_datasets": int(graph.boundary.sum()),
        "boundary_graph": {"nodes": nodes, "edges": edges},
        "largest_distance": graph.largest_distance,
        "unconstrained_datasets": int(graph.unconstrained.sum()),
        "privacy": asked.parameters,
        "verified": True,
    }
    if chosen == "json":
        emit_json(summary)
        return
    rows = [
        ("datasets", f"{graph.size}"),
        ("pairs of neighbors", f"{graph.pair_count}"),
        ("rainbows (regions)", f"{len(graph.rainbows)}"),
        ("boundary datasets", f"{summary['boundary_datasets']}"),
        ("boundary graph", f"{counted(nodes, 'node')}, {counted(edges, 'edge')}"),
        (
            "largest distance",
            "no boundary" if graph.largest_distance is None else f"{graph.largest_distance}",
        ),
        ("unconstrained datasets", f"{summary['unconstrained_datasets']}"),
        ("privacy", asked.typed),
        ("verified", "every pair of neighbors, exactly"),
    ]
    emit_table(("solved", ""), rows, right=False)
