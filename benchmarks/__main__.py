# SPDX-License-Identifier: Apache-2.0
"""Runs members: ``python -m benchmarks [--page FILE] [--goals FILE] [NAME | NAME=SIZE ...]``.

Without names all members run, at their own sizes. Reports are printed; ``--page`` also puts them into their
places in a page, and ``--goals`` the goals of that page into another one. Files
go to a temporary directory, which is removed in all cases; TMPDIR says where.
"""

import argparse
import importlib
import os
import tempfile
from pathlib import Path

from benchmarks.machine import load, machine, versions
from benchmarks.report import FIGURES, Report, placed, with_goals

MEMBERS = ("distances", "growth", "families", "draws", "optimum", "startup", "ask_csv", "explorer")
PACKAGES = (
    "rainbowdp",
    "numpy",
    "numba",
    "pyarrow",
    "duckdb",
    "polars",
    "scipy",
    "python-graphblas",
    "networkit",
    "rustworkx",
    "igraph",
    "networkx",
    "highspy",
    "opendp",
    "diffprivlib",
)


def main() -> None:
    """Run the members that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run benchmarks.")
    parser.add_argument(
        "members", nargs="*", metavar="NAME[=SIZE]", help=f"any of {', '.join(MEMBERS)}; all by default"
    )
    parser.add_argument("--page", type=Path, help="also write the reports into this page")
    parser.add_argument("--goals", type=Path, help="with --page: also write the goals into this page")
    given = parser.parse_args()
    # An installed package has its modules as bytecode; what is measured here writes it in its first run.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    chosen: list[tuple[str, int | None]] = []
    for text in given.members or MEMBERS:
        name, sign, size = text.partition("=")
        if name not in MEMBERS or (sign and not (size.isdecimal() and int(size))):
            parser.error(f"{text!r} is no member, or has no size: name any of {', '.join(MEMBERS)}")
        chosen.append((name, int(size) if sign else None))
    for name, number in chosen:
        report, content = run(name, number)
        print(f"{name}\n\n{content}\n", flush=True)
        if given.page is not None:
            put(given.page, name, report, content)
    if given.page is not None and given.goals is not None:
        page, results = (path.read_text(encoding="utf-8") for path in (given.goals, given.page))
        given.goals.write_text(with_goals(page, results), encoding="utf-8")


def run(name: str, size: int | None) -> tuple[Report, str]:
    """Run one member in a folder of its own, and return its report, also as text with where it was made."""
    member = importlib.import_module(f"benchmarks.{name}")
    before = load()
    with tempfile.TemporaryDirectory(prefix="rainbowdp-benchmark-") as folder:
        report: Report = member.main(member.SIZE if size is None else size, Path(folder))
    where = f"Machine: {machine()}; {versions(PACKAGES)}. Load before {before}, after {load()}."
    return report, f"{report.markdown()}\n\n{where}"


def put(page: Path, name: str, report: Report, content: str) -> None:
    """Write a report into its place in a page, and its figures beside the page."""
    page.write_text(placed(page.read_text(encoding="utf-8"), name, content), encoding="utf-8")
    for figure, drawing in report.figures.items():
        place = page.parent / FIGURES / figure
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
