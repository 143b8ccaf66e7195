# SPDX-License-Identifier: Apache-2.0
"""Exact draws beside the selection mechanisms of other libraries: one a call, and many in one call.

What is drawn is checked: the first answer has to come as often as its probability says.
"""

import sys
from math import sqrt
from pathlib import Path
from typing import Any

from benchmarks.child import NotInstalledError, answer_of
from benchmarks.draws_run import SCALAR, WAYS
from benchmarks.goals import Goal, number
from benchmarks.report import Report

SIZE = 20_000_000
OWN = {False: "rainbowdp `sample_all`", True: "rainbowdp `sample`"}
BITS = "OpenDP randomized response of bits"
SELECTIONS = ("OpenDP randomized response", "OpenDP noisy max")
# So many calls take a second or so.
_CALLS_PER_DRAW = 2_000
# One false alarm in 10^9 or so.
_DEVIATIONS = 6


def main(size: int, folder: Path) -> Report:  # noqa: ARG001 - draws need no file
    """Measure all ways to draw.

    Parameters
    ----------
    size : int
        The number of draws in one call; ways that draw once a call are called a 2,000th as often.
    folder : Path
        Not used.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If an answer does not come as often as its probability says.
    """
    rates: dict[str, float | str] = {}
    for name, (_, probability) in WAYS.items():
        count = max(size // _CALLS_PER_DRAW, 100) if name in SCALAR else size
        try:
            found = answer_of("draws_run", name, str(count))
        except NotInstalledError as error:
            rates[name] = str(error)
            continue
        if probability is not None:
            require_frequency(name, found["counts"], probability)
        rates[name] = count / found["seconds"]
        print(f"{name}: {rates[name]:.3g} draws a second", file=sys.stderr, flush=True)
    rows = [_row(name, rates) for name in WAYS]
    text = (
        f"{size:,} draws in one call, or {max(size // _CALLS_PER_DRAW, 100):,} calls; eight answers unless "
        "two are named. Bits are two answers."
    )
    return Report(
        text,
        ("way to draw", "a call draws", "draws per second", "ours of the same kind ÷ this"),
        rows,
        goals=goals(rates),
    )


def require_frequency(name: str, counts: list[int], probability: float) -> None:
    """Make sure that the first answer came as often as it should.

    Raises
    ------
    RuntimeError
        If it did not.

    Examples
    --------
    >>> require_frequency("fair", [5_020, 4_980], 1 / 2)
    """
    count = sum(counts)
    off = abs(counts[0] - count * probability) / sqrt(count * probability * (1 - probability))
    if off > _DEVIATIONS:
        raise RuntimeError(
            f"{name}: the first answer came {counts[0]} times in {count}, {off:.1f} deviations off"
        )


def _row(name: str, rates: dict[str, float | str]) -> list[str]:
    scalar = name in SCALAR
    rate, ours = rates[name], rates[OWN[scalar]]
    kind = "one" if scalar else "all"
    if isinstance(rate, str) or isinstance(ours, str):
        return [name, kind, str(rate), ""]
    compared = not name.startswith("rainbowdp")
    return [name, kind, f"{rate:,.0f}", number(ours / rate) if compared else ""]


def goals(rates: dict[str, Any]) -> list[Goal]:
    """Return what was to be reached against OpenDP."""
    bulk = {name: rate for name, rate in rates.items() if "sample_all" in name and not isinstance(rate, str)}
    scalar = rates[OWN[True]]
    bits = rates.get(BITS, "")
    selections = {name: rates[name] for name in SELECTIONS if not isinstance(rates.get(name, ""), str)}
    against_bits = {} if isinstance(bits, str) else {name: rate / bits for name, rate in bulk.items()}
    many = {
        f"{name}, {other}": rate / theirs
        for name, rate in bulk.items()
        for other, theirs in selections.items()
    }
    one = {other: scalar / theirs for other, theirs in selections.items() if not isinstance(scalar, str)}
    return [
        Goal("bulk draws against OpenDP's bulk randomized response", 10, against_bits, at_least=True),
        Goal("bulk draws against OpenDP's scalar selection", 50, many, at_least=True),
        Goal("scalar draws against OpenDP's scalar selection", 50, one, at_least=True),
    ]
