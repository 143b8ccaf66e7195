# SPDX-License-Identifier: Apache-2.0
"""Passes along one axis of a product, by array operations: what the compiled passes do, without a compiler.

The one idea: an axis cuts the datasets ``(outer, position, inner)``, and a line along it is a path, a cycle
or a complete graph. A line's answer needs only its own datasets, and none of it needs the line's pairs: a
line of L datasets takes some L operations where a complete graph has L (L - 1) / 2 pairs.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.code_tally import CodeTally

AxisKind = Literal["path", "cycle", "complete"]
"""How the positions along an axis are neighbors."""

Cut = tuple[int, int, int]
"""Number of outer numbers, positions and inner numbers."""

_BLOCK = 1 << 20


def is_one_of(value: object, words: tuple[str, ...]) -> bool:
    """Whether a value is one of some words; arrays and the like, which compare in their own way, are none."""
    return isinstance(value, str) and value in words


def axis_mixed(codes: NDArray[Any], mixed: NDArray[np.bool_], cut: Cut, kind: AxisKind) -> None:
    """Mark the datasets that have a neighbor of another code along the axis."""
    along, marks = codes.reshape(cut), mixed.reshape(cut)
    if kind == "complete":
        marks |= (along != along[:, :1]).any(axis=1, keepdims=True)
        return
    differs = along[:, 1:] != along[:, :-1]
    marks[:, 1:] |= differs
    marks[:, :-1] |= differs
    if kind == "cycle":
        differs = along[:, 0] != along[:, -1]
        marks[:, 0] |= differs
        marks[:, -1] |= differs


def axis_steps(steps: NDArray[Any], cut: Cut, kind: AxisKind) -> None:
    """Lower each distance to what one line along the axis allows; no distance may be a type's largest."""
    along = steps.reshape(cut)
    if kind == "complete":
        np.minimum(along, along.min(axis=1, keepdims=True) + along.dtype.type(1), out=along)
        return
    rows = max(1, _BLOCK // (cut[1] * cut[2]))
    for start in range(0, cut[0], rows):
        part = along[start : start + rows]
        _one_way(part, wraps=kind == "cycle")
        _one_way(part[:, ::-1], wraps=kind == "cycle")


def _one_way(part: NDArray[Any], wraps: bool) -> None:
    """Lower each distance by what lies before it: a running minimum of distance minus position."""
    length = part.shape[1]
    if part.shape[2] > 1:
        one = part.dtype.type(1)
        for position in range(-length if wraps else 1, length):
            if position != -length:
                np.minimum(part[:, position], part[:, position - 1] + one, out=part[:, position])
        return
    line = part[:, :, 0].astype(np.int64)
    if wraps:
        line = np.concatenate([line, line], axis=1)
    line -= np.arange(line.shape[1])
    np.minimum.accumulate(line, axis=1, out=line)
    line += np.arange(line.shape[1])
    part[:, :, 0] = line[:, -length:]


def axes_code_pairs(codes: NDArray[Any], cuts: list[tuple[Cut, AxisKind]], tally: CodeTally) -> None:
    """Add which codes meet along some axes, with the least pair for each, to a tally."""
    for cut, kind in cuts:
        _axis_code_pairs(codes, cut, kind, tally)


def _axis_code_pairs(codes: NDArray[Any], cut: Cut, kind: AxisKind, tally: CodeTally) -> None:
    outer, length, inner = cut
    if kind == "complete":
        lines = max(1, _BLOCK // length)
        for start in range(0, outer * inner, lines):
            _line_code_pairs(codes, cut, np.arange(start, min(start + lines, outer * inner)), tally)
        return
    rows = max(1, _BLOCK // inner)
    for start in range(0, outer * length, rows):
        row = np.arange(start, min(start + rows, outer * length))
        position = row % length
        pairs = [(row[position < length - 1], 1)]
        if kind == "cycle":
            pairs.append((row[position == 0], length - 1))
        for at, step in pairs:
            source = (at[:, np.newaxis] * inner + np.arange(inner)).ravel()
            target = source + step * inner
            tally.add(codes[source], codes[target], source, target)


def _line_code_pairs(codes: NDArray[Any], cut: Cut, lines: NDArray[np.int64], tally: CodeTally) -> None:
    """Add the codes that occur in the same line of a complete axis, each with its first place there."""
    _, length, inner = cut
    base = lines // inner * (length * inner) + lines % inner
    places = base[:, np.newaxis] + np.arange(length) * inner
    held = codes[places]
    order = np.argsort(held, axis=1, kind="stable")
    held = np.take_along_axis(held, order, axis=1)
    first = np.ones(held.shape, dtype=np.bool_)
    first[:, 1:] = held[:, 1:] != held[:, :-1]
    tally.add_same(np.unique(held[:, 1:][~first[:, 1:]]).astype(np.int64))
    line, column = np.nonzero(first)
    code, place = held[line, column], places[line, order[line, column]]
    together = line[1:] == line[:-1]
    apart = 1
    while together.any():
        at = np.flatnonzero(together)
        tally.add(code[at], code[at + apart], place[at], place[at + apart])
        apart += 1
        together = line[apart:] == line[:-apart]
