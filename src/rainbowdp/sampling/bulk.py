# SPDX-License-Identifier: Apache-2.0
"""Many exact draws at once, by one of two methods.

- ``constant``: every draw takes two words, 128 bits of U, for every result. Its first word is compared with
  integers around all cumulative masses of its row. Where it is close to one of them, all 128 bits are
  compared exactly, and only where these lie in the gap of a 128-bit enclosure further words are read.
- ``lazy``: every draw takes one byte, 8 bits of U, which decide most draws by a look-up. Those that it leaves
  open take one word more, and so on as above: few bits and little time, and how many and how much depends on
  what comes out.

Draws that integers from `thresholds` do not decide are decided by `draw.settle`, so both methods draw the
same color for the same U. The drawn colors are a function of the bits alone. Draws are taken in blocks of
`BLOCK`. A block of the constant method reads the first words of all its draws, then their second words; a
block of the lazy one reads words whose bytes, least significant first, are those of its draws, then one word
for each draw that is open. Then further words of draws that are still open follow, one draw after the other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import described
from rainbowdp.graph.compiled import compiled
from rainbowdp.sampling.bits import WORD_BITS, BitSource, read_words, words_in_blocks
from rainbowdp.sampling.deciding import Deciding
from rainbowdp.sampling.draw import CumulativeMasses, settle
from rainbowdp.sampling.thresholds import BYTE_BITS, Thresholds

Method = Literal["constant", "lazy"]
"""How draws are made: with the same number of bits for each, or with as few as it takes."""

BLOCK = 1 << 15
"""How many draws are taken together; part of the meaning of a bit stream, since blocks follow each other."""

FEWEST_COMPILED = 1 << 27
"""numpy makes fewer comparisons of draws with colors than this before the compiled loops are loaded."""

_BYTES_IN_WORD = WORD_BITS // BYTE_BITS
_FOLLOWING_BITS = np.uint64(WORD_BITS - BYTE_BITS)
_OPENING_BITS = np.uint64(BYTE_BITS)


@dataclass(frozen=True, eq=False)
class _Rest:
    """The exact way, for draws of one block that integers did not decide."""

    rows: Sequence[Distribution]
    classes: NDArray[np.int32]
    bits: BitSource

    def settled(self, draw: int, revealed: int, length: int) -> int:
        """Return the position of a draw of which so many bits are revealed."""
        masses = CumulativeMasses(self.rows[int(self.classes[draw])])
        return settle(masses, revealed, length, self.bits)


def require_method(method: object) -> None:
    """Raise `UsageError` unless this names a method."""
    if method not in get_args(Method):
        raise UsageError(
            f"there is no method {described(method)}", help='take "constant" or "lazy"', method=method
        )


def draw_rows(
    rows: Sequence[Distribution],
    classes: NDArray[np.int32],
    bits: BitSource,
    method: Method = "constant",
    table: Callable[[], NDArray[np.float64]] | None = None,
) -> NDArray[np.int32]:
    """Draw once for each row named.

    Parameters
    ----------
    rows : sequence of Distribution
        Distributions over the same k colors, possibly made when asked for; only those that occur are.
    classes : int32[m]
        The row to draw from, for each draw.
    bits : BitSource
        Where random bits come from.
    method : {"constant", "lazy"}
        See the module's docstring.
    table : callable, optional
        Makes the floats nearest to the rows, see `Thresholds.of`.

    Returns
    -------
    int32[m]
        The drawn colors as positions in the order of the rows (by code point).
    """
    used = _occurring(classes, len(rows))
    place_of = None if len(used) == len(rows) else np.zeros(len(rows), dtype=np.int32)
    if place_of is not None:
        place_of[used] = np.arange(len(used))
    thresholds = Thresholds.of(rows, used, table)
    deciding = Deciding(thresholds, compiled=_is_compiled(len(classes) * thresholds.colors))
    draw_block = _constant if method == "constant" else _lazy
    drawn = np.empty(len(classes), dtype=np.int32)
    starts = range(0, len(classes), BLOCK)
    sizes = [_words_of(method, min(BLOCK, len(classes) - start)) for start in starts]
    for start, words in zip(starts, words_in_blocks(bits, sizes), strict=True):
        block = classes[start : start + BLOCK]
        places = block if place_of is None else place_of[block]
        draw_block(deciding, words, places, drawn[start : start + BLOCK], _Rest(rows, block, bits))
    return drawn


def _occurring(classes: NDArray[np.int32], rows: int) -> NDArray[np.intp]:
    """Return which rows occur, ascending."""
    occurs = np.zeros(rows, dtype=np.bool_)
    for start in range(0, len(classes), BLOCK):
        occurs[classes[start : start + BLOCK]] = True
        if occurs.all():
            break
    return np.flatnonzero(occurs)


def _words_of(method: Method, draws: int) -> int:
    """Return how many words a block reads before anything is decided."""
    return 2 * draws if method == "constant" else -(-draws // _BYTES_IN_WORD)


def _is_compiled(comparisons: int) -> bool:
    return comparisons >= FEWEST_COMPILED and compiled()


def _constant(
    deciding: Deciding,
    words: NDArray[np.uint64],
    places: NDArray[np.int32],
    drawn: NDArray[np.int32],
    rest: _Rest,
) -> None:
    first, second = words[: drawn.size], words[drawn.size :]
    for draw in deciding.by_words(first, places, drawn).tolist():
        revealed = int(first[draw]) << WORD_BITS | int(second[draw])
        drawn[draw] = rest.settled(draw, revealed, 2 * WORD_BITS)


def _lazy(
    deciding: Deciding,
    words: NDArray[np.uint64],
    places: NDArray[np.int32],
    drawn: NDArray[np.int32],
    rest: _Rest,
) -> None:
    first = words.astype("<u8", copy=False).view(np.uint8)[: drawn.size]
    open_draws = deciding.by_bytes(first, places, drawn)
    opening, following = first[open_draws].astype(np.uint64), read_words(rest.bits, open_draws.size)
    later = np.empty(open_draws.size, dtype=np.int32)
    longer = (opening << _FOLLOWING_BITS) | (following >> _OPENING_BITS)
    still_open = deciding.by_words(longer, places[open_draws], later)
    drawn[open_draws] = later
    for place in still_open.tolist():
        draw = int(open_draws[place])
        revealed = int(opening[place]) << WORD_BITS | int(following[place])
        drawn[draw] = rest.settled(draw, revealed, WORD_BITS + BYTE_BITS)
