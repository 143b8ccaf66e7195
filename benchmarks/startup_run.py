# SPDX-License-Identifier: Apache-2.0
"""Small things inside a process that has everything loaded: ``python -m benchmarks.startup_run ask|line``.

``ask`` asks a summary in memory a thousand times, each time a release of its own; ``line`` makes the table of
a line of ten answers at a million distances.
"""

import sys
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.child import say
from benchmarks.spent import spent

ASKED = 1_000
DISTANCES = 1_000_000
_OPTIONS = "abcdefghij"


def run(what: str) -> dict[str, Any]:
    """Measure one of them, and check what comes out.

    Raises
    ------
    RuntimeError
        If an answer is none of the options, or a row of the table is no distribution.
    """
    return _ask() if what == "ask" else _line()


def _ask() -> dict[str, Any]:
    from rainbowdp import ask, winner
    from rainbowdp.questions import OptionCounts

    question = winner("vote", list(_OPTIONS))
    summary = OptionCounts(tuple(range(100, 1100, 100)))
    answers, needed = spent(lambda: {str(ask(summary, question, epsilon=1).answer) for _ in range(ASKED)})
    if not answers <= {*_OPTIONS}:
        raise RuntimeError("an answer is none of the options")
    return asdict(needed)


def _line() -> dict[str, Any]:
    from rainbowdp import Line, PureDP

    boundary = dict.fromkeys(_OPTIONS, "1/10")
    distances = np.arange(DISTANCES)
    line = Line(">".join(_OPTIONS), boundary, PureDP("1/1000"))
    table, needed = spent(lambda: Line(line.rainbow, boundary, line.privacy).probabilities(distances))
    if table.shape != (DISTANCES, len(_OPTIONS)) or not np.allclose(table.sum(axis=1), 1):
        raise RuntimeError("a row of the table is no distribution")
    return asdict(needed)


if __name__ == "__main__":
    say(run(sys.argv[1]))
