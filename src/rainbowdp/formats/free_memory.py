# SPDX-License-Identifier: Apache-2.0
"""How much memory can be used: what the machine has free, or less where a container may not have it all.

The one idea: on Linux a limit may be set on any group of processes that holds this one, and the least room of
all of them counts. Where the system does not say, there is as much as there is.
"""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_ROOT = Path("/")
# The limit, what is in use, and which line of memory.stat tells what of that can be given back at once.
_GROUPS = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def free_memory(root: Path = _ROOT) -> int:
    """Return how many bytes of memory can be used, as far as the system says.

    Parameters
    ----------
    root : Path
        Where the file systems ``proc`` and ``sys`` are, for tests.

    Returns
    -------
    int

    Examples
    --------
    >>> free_memory() > 0
    True
    """
    return max(min(_of_machine(root), *_of_groups(root)), 0)


def _of_machine(root: Path) -> int:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def _of_groups(root: Path) -> Iterator[int]:
    """Yield the room that each group of processes has which holds this one and has a limit."""
    yield 1 << 62
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, name = [*line.split(":", 2), "", ""][:3]
        known = next((kind for kind in controllers.split(",") if kind in _GROUPS), None)
        if known is None:
            continue
        place = PurePosixPath(name)
        for group in (place, *place.parents):
            # Inside a container the group may be the root of what is seen.
            folder = root / "sys/fs/cgroup" / known / str(group).lstrip("/")
            yield _room(folder, *_GROUPS[known])


def _room(folder: Path, limit: str, used: str, reclaimed: str) -> int:
    most, taken = _number(folder / limit), _number(folder / used)
    if most is None or taken is None:
        return 1 << 62
    stated = (line.split() for line in _lines(folder / "memory.stat"))
    back = next((int(words[1]) for words in stated if words[:1] == [reclaimed]), 0)
    return most - taken + back


def _number(path: Path) -> int | None:
    """Return the number in a file; None where there is none, as for a limit that is not set."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
