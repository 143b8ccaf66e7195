# SPDX-License-Identifier: Apache-2.0
"""Distances of families whose pairs are never listed, up to billions of pairs.

Every family is checked at a thousandth of its size, with all pairs listed, against scipy's search; lattices
are also measured beside scipy's distance transform at full size, which is given the boundary.
"""

from pathlib import Path

from benchmarks.child import answer_of
from benchmarks.families_run import CUBE, HAMMING, SQUARE
from benchmarks.goals import Goal
from benchmarks.report import Report, mebibytes, times

SIZE = 100_000_000
PHASES = ("check", "boundary", "distances")
KINDS = (HAMMING, SQUARE, CUBE)
_SMALLER = 1000


def main(size: int, folder: Path) -> Report:  # noqa: ARG001 - no family needs a file
    """Measure all families.

    Parameters
    ----------
    size : int
        The number of datasets, roughly.
    folder : Path
        Not used.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If distances are not those of scipy.
    """
    rows = []
    rates = {}
    for kind in KINDS:
        answer_of("families_run", kind, str(size // _SMALLER), "check")
        found = answer_of("families_run", kind, str(size))
        rate = found["pairs"] / found["seconds"]
        transform = None if kind == HAMMING else answer_of("families_run", kind, str(size), "transform")
        rows.append(
            [
                kind,
                f"{found['datasets']:,}",
                f"{found['pairs']:,}",
                f"{found['seconds']:.2g}",
                *(f"{found['phases'][name]:.2g}" for name in PHASES),
                f"{rate / 1e6:,.0f}",
                mebibytes(found["memory_bytes"]),
                "" if transform is None else f"{transform['seconds']:.2g}",
                "" if transform is None else times(transform["seconds"], found["seconds"]),
            ]
        )
        if kind == HAMMING:
            rates[f"{found['pairs']:,} pairs"] = rate / 1e9
    text = (
        f"{size:,} datasets, or nearly. Seconds are from an array of regions to the distances: checking it, "
        "finding the boundary, and the distances."
    )
    columns = (
        "family",
        "datasets",
        "pairs",
        "seconds",
        *PHASES,
        "million pairs per second",
        "memory MiB",
        "transform alone, seconds",
        "transform ÷ ours",
    )
    goal = Goal("Hamming family without pairs: pairs per second", 1, rates, at_least=True, unit="·10⁹")
    return Report(text, columns, rows, goals=[goal])
