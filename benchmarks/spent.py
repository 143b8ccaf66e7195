# SPDX-License-Identifier: Apache-2.0
"""What a piece of work inside this process needs: time, processor time, and memory above what is there.

For what `benchmarks.measuring` cannot see from outside: a part of a process, without its start and imports.
Every program is treated alike: it runs up to three times, as long as the runs before it took less than ten
seconds together, and its best time counts; its memory is the most over all runs.
"""

import contextlib
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benchmarks.measuring import UNIT_OF_MEMORY, most_of

_Result = TypeVar("_Result")

MOST_RUNS = 3
ENOUGH_SECONDS = 10.0
_SECONDS_BETWEEN_LOOKS = 0.01
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Spent:
    """What some work needed.

    Attributes
    ----------
    seconds : float
        Of the quickest run.
    processor_seconds : float
        Of all processors together, in the same run.
    memory_bytes : int
        The most that was resident at one time in any run, above what was before the first.
    anonymous_bytes : int
        The same without pages of files, which the system can take back; as often as it was looked at. Where
        the system does not tell them apart, the same number.
    runs : int
        How often it ran.
    """

    seconds: float
    processor_seconds: float
    memory_bytes: int
    anonymous_bytes: int
    runs: int


def spent(work: Callable[[], _Result]) -> tuple[_Result, Spent]:
    """Do some work, perhaps several times, and return its last result and what it needed.

    Examples
    --------
    >>> result, needed = spent(lambda: sum(range(1000)))
    >>> result, needed.runs, needed.seconds > 0
    (499500, 3, True)
    """
    before = _memory()
    with contextlib.suppress(OSError):
        # Begins the account of the most memory anew.
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    times: list[tuple[float, float]] = []
    with most_of(_anonymous, _SECONDS_BETWEEN_LOOKS) as most:
        # Nothing of a run is kept while the next one goes on, which would count as its memory.
        result = _timed(work, times)
        while len(times) < MOST_RUNS and sum(seconds for seconds, _ in times) < ENOUGH_SECONDS:
            del result
            result = _timed(work, times)
    after = _memory()
    seconds, processor_seconds = min(times)
    needed = after.most - before.resident
    anonymous = needed if before.anonymous is None else max(most) - before.anonymous
    return result, Spent(seconds, processor_seconds, max(needed, 0), max(anonymous, 0), len(times))


def _timed(work: Callable[[], _Result], times: list[tuple[float, float]]) -> _Result:
    started, used = time.perf_counter(), time.process_time()
    result = work()
    times.append((time.perf_counter() - started, time.process_time() - used))
    return result


@dataclass(frozen=True)
class _Memory:
    resident: int
    most: int
    anonymous: int | None


def _memory() -> _Memory:
    if not _STATUS.exists():
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT_OF_MEMORY
        return _Memory(most, most, None)
    lines = (line.split() for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines())
    found = {words[0]: int(words[1]) * 1024 for words in lines if words and words[-1] == "kB"}
    return _Memory(found["VmRSS:"], found["VmHWM:"], found.get("RssAnon:"))


def _anonymous() -> int:
    return _memory().anonymous or 0
