# SPDX-License-Identifier: Apache-2.0
"""The closed form beside a linear program for the same optimum, by HiGHS; all values are compared."""

import sys
from pathlib import Path

from benchmarks.child import answer_of
from benchmarks.goals import Goal, number
from benchmarks.report import Report, mebibytes

SIZE = 100_000
_STEPS = (100, 10, 1)
_FEWEST = 16


def main(size: int, folder: Path) -> Report:
    """Measure both at a hundredth, a tenth of the size, and at the size.

    Parameters
    ----------
    size : int
        The number of datasets of the largest lattice, roughly.
    folder : Path
        An empty directory.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If the values differ.
    """
    rows = []
    ratios = {}
    for step in _STEPS:
        asked, place = str(max(size // step, _FEWEST)), str(folder / f"{step}.npy")
        ours = answer_of("linear_program", asked, "closed", place)
        theirs = answer_of("linear_program", asked, "program", place)
        ratio = theirs["seconds"] / ours["seconds"]
        print(f"{ours['datasets']:,} datasets: {ratio:.0f}", file=sys.stderr, flush=True)
        rows.append(
            [
                f"{ours['datasets']:,}",
                f"{ours['pairs']:,}",
                f"{ours['seconds']:.2g}",
                f"{theirs['seconds']:.2g}",
                number(ratio),
                mebibytes(ours["memory_bytes"]),
                mebibytes(theirs["memory_bytes"]),
                f"{theirs['difference']:.0e}",
            ]
        )
        if step == 1:
            ratios[f"{ours['datasets']:,} datasets"] = ratio
    columns = (
        "datasets",
        "pairs",
        "closed form, seconds",
        "HiGHS, seconds",
        "HiGHS ÷ closed form",
        "closed form, MiB",
        "HiGHS, MiB",
        "largest difference",
    )
    text = f"{size:,} datasets at most, in a square of two regions, three answers, epsilon 1/2."
    goal = Goal("closed form, faster than HiGHS, same values", 1000, ratios, at_least=True)
    return Report(text, columns, rows, goals=[goal])
