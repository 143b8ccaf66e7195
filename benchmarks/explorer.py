# SPDX-License-Identifier: Apache-2.0
"""How long a slider of the explorer takes to redraw the page, in Chromium driven by Playwright."""

import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

from benchmarks.child import ROOT
from benchmarks.goals import Goal
from benchmarks.report import Report

SIZE = 500
_MOVES = 60
_WIDTH = 25
_WHAT = {
    "plan": "Plan, 12 options, {} leads: epsilon",
    "line": "Line, five colors, {} distances: epsilon",
    "boundary": "Line, five colors, {} distances: a boundary probability",
    "gaussian": "Line, five colors, {} distances: mu",
    "graph": "Graph, {} datasets: epsilon",
}


def main(size: int, folder: Path) -> Report:
    """Move each slider to and fro.

    Parameters
    ----------
    size : int
        The number of datasets of the graph.
    folder : Path
        An empty directory.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If Node, Chromium or the packages in tests/browser are missing, or the page fails.
    """
    from rainbowdp.explorer import page

    graph, html = folder / "graph.json", folder / "page.html"
    graph.write_text(json.dumps(_lattice(size)), encoding="utf-8")
    html.write_text(page(), encoding="utf-8")
    command = [
        shutil.which("node") or "node",
        "move_sliders.js",
        shutil.which("chromium") or "chromium",
        *map(str, (html, graph, _MOVES)),
    ]
    # The sockets of a browser lie in its own temporary folder, and their paths must be short.
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    done = subprocess.run(
        command,
        cwd=ROOT / "tests/browser",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the page could not be measured: {done.stderr}")
    found = json.loads(done.stdout)
    views = found["views"]
    if views["graph"]["shown"] != size:
        raise RuntimeError(f"{views['graph']['shown']} of {size} datasets were drawn")
    most = {name: statistics.quantiles(view["milliseconds"], n=10)[-1] for name, view in views.items()}
    rows = [
        [
            what.format(views[name]["shown"]),
            f"{statistics.median(views[name]['milliseconds']):.1f}",
            f"{most[name]:.1f}",
            f"{views[name]['processor']:.1f}",
        ]
        for name, what in _WHAT.items()
    ]
    text = (
        f"{size:,} datasets of a lattice in the graph, {_MOVES} moves of each slider in Chromium "
        f"{found['browser']}: milliseconds from the move until the page is drawn, and processor milliseconds "
        "of the thread of the page."
    )
    lines = {_WHAT[name].partition(": ")[2]: most[name] for name in ("line", "boundary", "gaussian")}
    return Report(
        text,
        ("slider", "median", "nine of ten below", "processor"),
        rows,
        goals=[
            Goal("explorer: nine of ten moves on a line of 200 distances redraw in", 16, lines, unit=" ms"),
            Goal(f"explorer: … on a graph of {size:,} datasets", 100, {"": most["graph"]}, unit=" ms"),
        ],
    )


def _lattice(size: int) -> dict[str, list[dict[str, object]]]:
    """Return a lattice in three regions as node-link data."""
    rainbows = ("blue>red>green", "red>green>blue", "green>blue>red")
    nodes = [{"id": at, "rainbow": rainbows[3 * at // size]} for at in range(size)]
    beside = [(at - 1, at) for at in range(size) if at % _WIDTH]
    below = [(at - _WIDTH, at) for at in range(_WIDTH, size)]
    return {"nodes": nodes, "edges": [{"source": one, "target": other} for one, other in beside + below]}
