# SPDX-License-Identifier: Apache-2.0
"""Distances as they are typed: ``0:31``, ``0:31:5``, ``0,5,9`` or ``7``."""

from collections.abc import Iterator, Sequence

from rainbowdp.cli.options import LARGEST_WHOLE, whole_number
from rainbowdp.errors import UsageError

_HELP = (
    "write a range such as 0:31 (31 is left out) or 0:31:5, a list such as 0,5,9, or one distance such as 7"
)


def read_distances(text: str) -> Sequence[int]:
    """Read the value of ``--distances``.

    Parameters
    ----------
    text : str
        ``a:b`` or ``a:b:step`` without b, a comma-separated list, or one number.

    Returns
    -------
    sequence of int
        At least one distance from 0 to 2^53; a range costs no memory however long it is.

    Raises
    ------
    UsageError
        If the text has no such form, or means no distance at all.

    Examples
    --------
    >>> read_distances("0:31:10"), read_distances("0,5, 9"), read_distances("7")
    (range(0, 31, 10), [0, 5, 9], [7])
    """
    if ":" not in text:
        return [_number(part, text) for part in text.split(",")]
    parts = [_number(part, text) for part in text.split(":")]
    if len(parts) > 3:
        raise UsageError(f"--distances {text!r} has too many colons", help=_HELP, option="--distances")
    start, stop, step = (*parts, 1)[:3]
    if step == 0:
        raise UsageError(f"--distances {text!r} has the step 0", help=_HELP, option="--distances")
    distances = range(start, stop, step)
    if not distances:
        raise UsageError(
            f"--distances {text!r} is empty: the end is left out, and it is not above the start",
            help=_HELP,
            option="--distances",
        )
    return distances


def batches(distances: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield the distances in their order, some at a time."""
    for start in range(0, len(distances), size):
        yield distances[start : start + size]


def _number(part: str, text: str) -> int:
    stripped = part.strip()
    distance = whole_number(part)
    if distance is None:
        wrong = f"{stripped!r} in --distances {text!r}" if stripped != text else f"--distances {text!r}"
        raise UsageError(f"{wrong} is not a whole number of at least 0", help=_HELP, option="--distances")
    if distance > LARGEST_WHOLE:
        raise UsageError(
            f"the distance {stripped} is beyond 2^53", help="use smaller distances", option="--distances"
        )
    return distance
