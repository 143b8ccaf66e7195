# SPDX-License-Identifier: Apache-2.0
"""Distances as they are typed: ``0:31``, ``0:31:5``, ``0,5,9`` or ``7``."""

from collections.abc import Iterator, Sequence
from typing import Literal

from rainbowdp.cli.options import LARGEST_WHOLE, whole_number
from rainbowdp.errors import UsageError

_EXAMPLES = {
    "distance": ("0:31", "31", "0:31:5", "0,5,9", "7"),
    "lead": ("1:21", "21", "1:21:5", "1,5,20", "40"),
}


def read_distances(text: str, *, called: Literal["distance", "lead"] = "distance") -> Sequence[int]:
    """Read the value of ``--distances``, or of ``--leads``.

    Parameters
    ----------
    text : str
        ``a:b`` or ``a:b:step`` without b, a comma-separated list, or one number.
    called : {"distance", "lead"}
        What the numbers are.

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
    option = f"--{called}s"
    if not text.strip():
        raise UsageError(f"{option} {text!r} is empty", help=_help(called), option=option)
    if ":" not in text:
        return [_number(part, text, called) for part in text.split(",")]
    parts = [_number(part, text, called) for part in text.split(":")]
    if len(parts) > 3:
        raise UsageError(f"{option} {text!r} has too many colons", help=_help(called), option=option)
    start, stop, step = (*parts, 1)[:3]
    if step == 0:
        raise UsageError(f"{option} {text!r} has the step 0", help=_help(called), option=option)
    distances = range(start, stop, step)
    if not distances:
        raise UsageError(
            f"{option} {text!r} is empty: the end is left out, and it is not above the start",
            help=_help(called),
            option=option,
        )
    return distances


def batches(distances: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield the distances in their order, some at a time."""
    for start in range(0, len(distances), size):
        yield distances[start : start + size]


def _help(called: str) -> str:
    range_, end, stepped, listed, one = _EXAMPLES[called]
    return (
        f"write a range such as {range_} ({end} is left out) or {stepped}, a list such as {listed}, or one "
        f"{called} such as {one}"
    )


def _number(part: str, text: str, called: str) -> int:
    option, stripped = f"--{called}s", part.strip()
    distance = whole_number(part)
    if distance is None:
        wrong = f"{stripped!r} in {option} {text!r}" if stripped != text else f"{option} {text!r}"
        raise UsageError(f"{wrong} is not a whole number of at least 0", help=_help(called), option=option)
    if distance > LARGEST_WHOLE:
        raise UsageError(
            f"the {called} {stripped} is beyond 2^53", help=f"use smaller {called}s", option=option
        )
    return distance
