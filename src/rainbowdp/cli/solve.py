# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp solve``: read a rainbow graph, find its optimal mechanism, verify it, and write it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.output import Steps, counted, drawing, emit_as, note, note_graph, steps
from rainbowdp.cli.params import described, option, require_distinct, writable
from rainbowdp.errors import NotVerifiedError, UsageError, did_you_mean

if TYPE_CHECKING:
    from rainbowdp.boundary import BoundaryCondition
    from rainbowdp.graph import BoundaryMorphism, RainbowGraph
    from rainbowdp.mechanism import Mechanism
    from rainbowdp.optimal import BoundaryName

BOUNDARIES: "tuple[BoundaryName, ...]" = ("uniform", "randomized-response", "max-min")

_CHECKED = "every pair of neighbors, exactly"

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


DATASETS = option(
    "--datasets FILE",
    "CSV or Parquet with the columns dataset,rainbow (such as blue>red>green); or a whole graph as .graphml "
    "or node-link .json with the node attribute rainbow.",
    default=...,
)
BOUNDARY = option(
    "--boundary CONDITION",
    "Probabilities where regions of different rainbows meet. A .toml or .json file with one table per "
    "rainbow, color to probability; or 'uniform' (all colors alike), 'randomized-response' (the best class "
    "as likely as is private even if all regions touched) or 'max-min' (the smallest probability of a best "
    "class as large as the regions that do touch allow).",
    default=...,
    words=BOUNDARIES,
)
NEIGHBORS = option(
    "--neighbors FILE",
    "CSV or Parquet with the columns source,target: each pair of neighboring datasets once, in any "
    "direction. Left out for a whole graph.",
)
OUT = option(
    "--out FILE",
    "Where to write the mechanism: .csv, .parquet or .json, one row per dataset. Without --exact its "
    "decimals are right to a relative 1e-12; verify accepts them so, perhaps not with --strict.",
    writable,
)
CLASSES = option(
    "--classes FILE",
    "Write two tables, .csv or .parquet, for many datasets of few classes: the class of each dataset to "
    "--out, and one row of probabilities per class here.",
    writable,
)
BOUNDARY_GRAPH = option(
    "--boundary-graph FILE",
    "Where to write the boundary graph, one node per rainbow and distance: .graphml, node-link .json, or "
    ".csv (edges only).",
    writable,
)


def solve_command(
    *,
    datasets: str = DATASETS,
    boundary: str = BOUNDARY,
    neighbors: str | None = NEIGHBORS,
    epsilon: str | None = common.EPSILON,
    delta: str | None = common.DELTA,
    mu: str | None = common.MU,
    out: Path | None = OUT,
    classes: Path | None = CLASSES,
    exact: bool = common.EXACT,
    normalize: bool = common.NORMALIZE,
    boundary_graph: Path | None = BOUNDARY_GRAPH,
    plot: Path | None = common.PLOT,
    report: Path | None = common.REPORT,
    output_format: Literal["table", "json"] = common.TABLE_OR_JSON,
    engine: Any = common.ENGINE,  # noqa: ANN401 - one of the engines, which the option checks
) -> int:
    """Find, check and write the optimal mechanism; see `HELP`."""
    asked = common.read_privacy(epsilon, delta, mu, exact=exact)
    if classes is not None and out is None:
        raise UsageError(
            "--classes is given without --out", help="say with --out where the class of each dataset goes"
        )
    require_distinct(
        {
            "--out": out,
            "--classes": classes,
            "--boundary-graph": boundary_graph,
            "--plot": plot,
            "--report": report,
        },
        {"--datasets": datasets, "--neighbors": neighbors, "--boundary": boundary},
    )

    from rainbowdp.formats import read_graph, write_boundary_graph, write_mechanism
    from rainbowdp.graph import PairList, boundary_morphism
    from rainbowdp.optimal import optimal_mechanism

    _require_forms(out, classes, boundary_graph)
    with steps("the graph") as progress:
        condition = _read_condition(boundary, normalize=normalize)
        graph = read_graph(datasets, neighbors, engine=engine, report=progress.step)
        if isinstance(graph.structure, PairList):
            # Notes tell how many pairs are repeated. Counted later, that would take a tenth of the time more.
            graph.structure.count_ahead()
        _require_forms(out, classes, boundary_graph, graph.colors)
        progress.step("finding the optimal mechanism")
        mechanism = optimal_mechanism(graph, asked.notion, condition, progress=progress.advance)
        progress.step("checking every pair of neighbors")
        _verify(graph, mechanism, asked, progress)
        note_graph(graph.structure)
        for text in mechanism.notes:
            note(text)
        morphism = boundary_morphism(graph)
        if out is not None:
            progress.step("writing the mechanism")
            write_mechanism(out, mechanism, exact=exact, classes=classes)
        if boundary_graph is not None:
            progress.step("writing the boundary graph")
            write_boundary_graph(boundary_graph, morphism)
        if plot is not None:
            progress.step("drawing the figure")
            _draw(graph, mechanism, plot, asked.typed)
        if report is not None:
            progress.step("writing the report")
            from rainbowdp.explorer.reports import graph_report
            from rainbowdp.formats.files import write_whole

            write_whole(
                report, graph_report(graph, mechanism, asked.notion, [f"rainbowdp checked {_CHECKED}"])
            )
    _print_summary(graph, morphism, asked, output_format)
    return 0


COMMANDS = {"solve": (HELP, solve_command)}


def _require_forms(
    out: Path | None, classes: Path | None, boundary_graph: Path | None, colors: tuple[str, ...] = ()
) -> None:
    """Refuse files whose names do not say their form, and colors that the forms cannot hold."""
    from rainbowdp.formats.files import form_to_write
    from rainbowdp.formats.writing import (
        BOUNDARY_FORMS,
        CLASS_COLUMNS,
        FIRST_COLUMNS,
        forms_to_write,
        refuse_reserved,
        refuse_unwritable,
    )

    if out is not None:
        forms_to_write(out, classes)
        refuse_reserved(colors, FIRST_COLUMNS if classes is None else CLASS_COLUMNS)
    if boundary_graph is not None:
        refuse_unwritable(colors, form_to_write(boundary_graph, "the boundary graph", BOUNDARY_FORMS))


def _read_condition(boundary: str, *, normalize: bool) -> "BoundaryCondition | BoundaryName":
    for name in BOUNDARIES:
        if boundary == name:
            return name
    path = Path(boundary)
    if not path.suffix and not os.path.exists(path):  # noqa: PTH110 - Path.exists raises for some names
        raise UsageError(
            f"--boundary {boundary!r} is neither a file nor the name of a boundary condition",
            help=did_you_mean(boundary, BOUNDARIES) or f"give a file, or one of {', '.join(BOUNDARIES)}",
            option="--boundary",
        )

    from rainbowdp.boundary import given
    from rainbowdp.errors import RainbowError
    from rainbowdp.formats import read_boundary

    read = {
        rainbow: common.rescaled(table, f"the boundary of {rainbow}", normalize=normalize)
        for rainbow, table in read_boundary(path).items()
    }
    try:
        return given(read)
    except RainbowError as error:
        # The file could be read; what it asks for is refused, as it would be on the command line.
        raise error.at(repr(boundary)) from error


def _verify(
    graph: "RainbowGraph", mechanism: "Mechanism", asked: common.AskedPrivacy, progress: Steps
) -> None:
    """Check the mechanism as `verify` checks any; a failure here is a defect of rainbowdp."""
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


def _draw(graph: "RainbowGraph", mechanism: "Mechanism", figure: Path, title: str) -> None:
    from rainbowdp.plots import plot_solution

    with drawing():
        plot_solution(graph, mechanism, figure, title=title)


def _print_summary(
    graph: "RainbowGraph", morphism: "BoundaryMorphism", asked: common.AskedPrivacy, output_format: str
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
    titles = {"neighbor_pairs": "pairs of neighbors", "rainbows": "rainbows (regions)"}
    texts = {
        "boundary_graph": f"{counted(nodes, 'node')}, {counted(edges, 'edge')}",
        "privacy": asked.typed,
        "verified": _CHECKED,
        **({"largest_distance": "no boundary"} if graph.largest_distance is None else {}),
    }
    rows = [
        (titles.get(name, name.replace("_", " ")), texts.get(name, f"{value}"))
        for name, value in summary.items()
    ]
    emit_as(output_format, summary, ("solved", ""), rows)
