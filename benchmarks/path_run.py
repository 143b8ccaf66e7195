# SPDX-License-Identifier: Apache-2.0
"""One program on one family, in a process: ``python -m benchmarks.path_run PROGRAM FOLDER``.

Prints what the program needed from the files to the distances, imports not counted, and whether its distances
are the ones of the program that was first to leave them in the folder. They are compared one by one, after
the measurement.
"""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.child import say_if_installed
from benchmarks.floors import decoded, look_up, pairs, regions
from benchmarks.own_path import Phases, distances, load, solved
from benchmarks.peers import PEERS, Array, Search
from benchmarks.spent import spent

if TYPE_CHECKING:
    from rainbowdp.formats.pairs import Engine

OWN: "dict[str, Engine]" = {"rainbowdp": "memory", "rainbowdp, streamed": "stream"}
WHOLE = "rainbowdp, whole solve"
FLOORS = ("one Parquet decode", "one look-up pass")
_ANSWER = "answer.npy"


class WrongAnswerError(Exception):
    """Two programs disagree about distances."""


def run(program: str, folder: Path) -> dict[str, Any]:
    """Run a program on the family in a folder.

    Returns
    -------
    dict
        What `benchmarks.spent.Spent` has. For programs that give distances also ``phases`` of our own path,
        name to least seconds, ``levels``, a checksum of how many datasets there are at each distance, and
        ``largest``.

    Raises
    ------
    ImportError
        If the program is not installed.
    WrongAnswerError
        If its distances are not those of the program before.
    """
    if program == FLOORS[0]:
        import pyarrow.parquet  # noqa: F401 - not measured

        return asdict(spent(lambda: decoded(folder))[1])
    if program == FLOORS[1]:
        return _look_up(folder)
    phases = Phases()
    own = program in OWN or program == WHOLE
    steps, needed = spent(_own(program, folder, phases) if own else _peer(PEERS[program](), folder))
    check(steps, folder / _ANSWER)
    counts = np.bincount(steps + 1)
    levels = hashlib.sha256(counts.astype(np.int64).tobytes()).hexdigest()
    return asdict(needed) | {
        "phases": phases.seconds,
        "levels": levels,
        "largest": int(steps.max(initial=-1)),
    }


def check(steps: Array, answer: Path) -> None:
    """Compare distances with those that lie in a file, one by one; leave them there if none do.

    Raises
    ------
    WrongAnswerError
        If they differ anywhere.
    """
    if steps.dtype != np.int32:
        raise WrongAnswerError(f"distances are {steps.dtype} and not int32")
    if not answer.exists():
        np.save(answer, steps)
        return
    known = np.load(answer)
    if known.shape != steps.shape:
        raise WrongAnswerError(f"{steps.size} distances instead of {known.size}")
    wrong = np.flatnonzero(known != steps)
    if wrong.size:
        at = int(wrong[0])
        raise WrongAnswerError(
            f"{wrong.size} of {steps.size} distances differ, first that of dataset {at}: "
            f"{int(steps[at])} instead of {int(known[at])}"
        )


def _own(program: str, folder: Path, phases: Phases) -> Callable[[], Array]:
    load()
    if program == WHOLE:
        return lambda: solved(folder, "memory", phases)
    return lambda: distances(folder, OWN[program], phases)


def _peer(search: Search, folder: Path) -> Callable[[], Array]:
    if (folder / "source.npy").exists() and not _reads_parquet():
        # For Debian's own Python, which has no reader; loading these is quicker than decoding.
        files = [folder / f"{name}.npy" for name in ("source", "target", "regions")]
        return lambda: search(*map(np.load, files))
    return lambda: search(*pairs(folder), regions(folder))


def _reads_parquet() -> bool:
    try:
        import pyarrow.parquet  # noqa: F401 - only whether it is there
    except ImportError:
        return False
    return True


def _look_up(folder: Path) -> dict[str, Any]:
    loop = look_up()
    source, target = pairs(folder)
    state = regions(folder).astype(np.int8)
    loop(source[:1], target[:1], state)
    return asdict(spent(lambda: loop(source, target, state))[1])


if __name__ == "__main__":
    say_if_installed(lambda: run(sys.argv[1], Path(sys.argv[2])))
