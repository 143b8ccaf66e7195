# SPDX-License-Identifier: Apache-2.0
"""The public functions that draw from a distribution or a mechanism, one draw or many, by one of two methods.

- ``constant``: every draw takes two words, 128 bits of U, for every result. Its first word is compared with
  integers around all cumulative masses of its row. Where it is close to one of them, all 128 bits are
  compared exactly, and only where these lie in the gap of a 128-bit enclosure further words are read.
- ``lazy``: every draw takes one byte, 8 bits of U, which decide most draws by a look-up. Those that it leaves
  open take one word more, and so on as above: few bits and little time, and how many and how much depends on
  what comes out.

Draws that integers from `thresholds` do not decide are decided by `settle`, so both methods draw the
same color for the same U. The drawn colors are a function of the bits alone. Draws are taken in blocks of
`BLOCK`. A block of the constant method reads the first words of all its draws, then their second words; a
block of the lazy one reads words whose bytes, least significant first, are those of its draws, then one word
for each draw that is open. Then further words of draws that are still open follow, one draw after the other.

Simulations draw from one mechanism again and again, one draw a call. After a mechanism of few classes was
drawn from a few times, the `Thresholds` of all its classes are kept with it, and a draw compares one word
with those of its class. It reads the same two words as the constant method and draws the same color. When
that begins depends on how often the mechanism was drawn from and on how many classes it has, and not on the
datasets drawn from. Before it begins, and for mechanisms of many classes, a draw works out the row of its
class, which the mechanism keeps: a second draw from the same class is quicker.
"""

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError, UnknownDatasetError, UsageError
from rainbowdp.exact.arguments import is_whole, items_of, kind_of, one_of, require, whole
from rainbowdp.graph.compiled import compiled
from rainbowdp.mechanism import LineRows, Mechanism
from rainbowdp.sampling.bits import WORD_BITS, BitSource, SystemBits, words_in_blocks
from rainbowdp.sampling.thresholds import BYTE_BITS, CumulativeMasses, Deciding, Thresholds, settle

Method = Literal["constant", "lazy"]
"""How draws are made: with the same number of bits for each, or with as few as it takes."""

BLOCK = 1 << 15
"""How many draws are taken together; part of the meaning of a bit stream, since blocks follow each other."""

FEWEST_COMPILED = 1 << 27
"""numpy makes fewer comparisons of draws with colors than this before the compiled loops are loaded."""

_BYTES_IN_WORD = WORD_BITS // BYTE_BITS
_FOLLOWING_BITS = np.uint64(WORD_BITS - BYTE_BITS)
_OPENING_BITS = np.uint64(BYTE_BITS)


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
    deciding = Deciding(
        thresholds, compiled=len(classes) * thresholds.colors >= FEWEST_COMPILED and compiled()
    )
    decided = _constant if method == "constant" else _lazy
    drawn = np.empty(len(classes), dtype=np.int32)
    starts = range(0, len(classes), BLOCK)
    draws = [min(BLOCK, len(classes) - start) for start in starts]
    # How many words each block reads before anything is decided.
    sizes = [2 * count if method == "constant" else -(-count // _BYTES_IN_WORD) for count in draws]
    for start, words in zip(starts, words_in_blocks(bits, sizes), strict=True):
        block, here = classes[start : start + BLOCK], drawn[start : start + BLOCK]
        places = block if place_of is None else place_of[block]
        for draw, revealed, length in decided(deciding, words, places, here, bits):
            here[draw] = settle(CumulativeMasses(rows[int(block[draw])]), revealed, length, bits)
    return drawn


def _occurring(classes: NDArray[np.int32], rows: int) -> NDArray[np.intp]:
    """Return which rows occur, ascending."""
    occurs = np.zeros(rows, dtype=np.bool_)
    for start in range(0, len(classes), BLOCK):
        occurs[classes[start : start + BLOCK]] = True
        if occurs.all():
            break
    return np.flatnonzero(occurs)


_Open = Iterator[tuple[int, int, int]]
"""Draws of a block that integers leave open: which one, the bits of U that are revealed, and how many."""


def _constant(
    deciding: Deciding,
    words: NDArray[np.uint64],
    places: NDArray[np.int32],
    drawn: NDArray[np.int32],
    _: BitSource,
) -> _Open:
    first, second = words[: drawn.size], words[drawn.size :]
    for draw in deciding.by_words(first, places, drawn).tolist():
        yield draw, int(first[draw]) << WORD_BITS | int(second[draw]), 2 * WORD_BITS


def _lazy(
    deciding: Deciding,
    words: NDArray[np.uint64],
    places: NDArray[np.int32],
    drawn: NDArray[np.int32],
    bits: BitSource,
) -> _Open:
    first = words.astype("<u8", copy=False).view(np.uint8)[: drawn.size]
    open_draws = deciding.by_bytes(first, places, drawn)
    opening, following = first[open_draws].astype(np.uint64), bits.words(open_draws.size)
    later = np.empty(open_draws.size, dtype=np.int32)
    longer = (opening << _FOLLOWING_BITS) | (following >> _OPENING_BITS)
    still_open = deciding.by_words(longer, places[open_draws], later)
    drawn[open_draws] = later
    for at in still_open.tolist():
        revealed = int(opening[at]) << WORD_BITS | int(following[at])
        yield int(open_draws[at]), revealed, WORD_BITS + BYTE_BITS


MOST_CLASSES = 256
"""Thresholds are kept for single draws from mechanisms of up to this many classes."""

MOST_DISTANCE = 4096
"""Thresholds are not kept for deeper lines, whose fractions have more digits than this."""

FIRST_DRAWS = 8
"""Thresholds of all classes are computed after this many draws: for fewer it would take longer."""


def draw_once(mechanism: Mechanism, code: int, thresholds: Thresholds, bits: BitSource) -> int:
    """Draw once from a class by the thresholds of all classes, and return the position of the color."""
    first, second = map(int, bits.words(2))
    # All of them are compared, for every result.
    above = [first - bound for bound in thresholds.whole_numbers[code]]
    reached = sum([height >= 0 for height in above])
    if not sum([0 <= height < thresholds.slack for height in above]):
        return reached
    revealed = first << WORD_BITS | second
    return settle(CumulativeMasses(mechanism.rows[code]), revealed, 2 * WORD_BITS, bits)


def thresholds_of(mechanism: Mechanism) -> Thresholds | None:
    """Count a draw from a mechanism, and return the thresholds of all its classes where they are kept by now.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism that is drawn from.

    Returns
    -------
    Thresholds or None
        None for the first `FIRST_DRAWS` draws, and always for mechanisms that would take too long.
    """
    key = id(mechanism)
    if key not in _SINGLE:
        weakref.finalize(mechanism, _SINGLE.pop, key, None)
    known = _SINGLE.get(key, 0)
    if isinstance(known, int):
        known = _SINGLE[key] = known + 1 if known < FIRST_DRAWS else _enclosed(mechanism)
    return None if isinstance(known, int) else known


def _enclosed(mechanism: Mechanism) -> Thresholds | None:
    rows = mechanism.rows
    is_deep = isinstance(rows, LineRows) and int(rows.distances.max()) > MOST_DISTANCE
    if mechanism.class_count > MOST_CLASSES or is_deep:
        return None
    try:
        return Thresholds.of(rows, np.arange(mechanism.class_count))
    except DistributionError:
        # One class that cannot be drawn from must not prevent draws from the others.
        return None


# By identity, the number of draws so far, and from some number on the thresholds; both go with their
# mechanism. Mechanisms are equal by their probabilities, and to compare these would take longer than a draw.
_SINGLE: dict[int, int | Thresholds | None] = {}


Datasets = Sequence[str] | NDArray[np.str_] | NDArray[np.integer] | NDArray[np.bool_]
"""Datasets by name, by number (an integer array) or by a mask."""

LARGEST_COUNT = 10**8
"""Largest number of draws in one call, which returns a list."""


def sample_distribution(
    distribution: Distribution,
    count: int = 1,
    *,
    method: Method = "constant",
    bits: BitSource | None = None,
) -> list[str]:
    """Draw colors from a distribution, independently and exactly.

    Parameters
    ----------
    distribution : Distribution
        Exact probabilities; fractions that do not sum to 1 are divided by their sum.
    count : int
        How many colors, at least 0.
    method : {"constant", "lazy"}
        Whether every draw reads 128 bits, or as few as decide it, which is quicker and depends on the answer.
    bits : BitSource, optional
        Where random bits come from; the operating system unless given, which is for tests.

    Returns
    -------
    list of str
        The drawn colors, `count` of them.

    Raises
    ------
    UsageError
        If the count is negative or no whole number, there is no such method, or an argument is of the wrong
        kind.
    DistributionError
        If the probabilities are negative or all 0.

    Notes
    -----
    Each color has exactly its real probability as long as the bits are uniform and independent; no float
    decides. By the constant method a draw reads two words and meets all cumulative masses for every
    outcome: longer, exact comparisons follow with a probability far below 2^-40, further words with one below
    2^-126 per color. Time spent before, on the distribution itself, depends on it and is not protected.

    Examples
    --------
    >>> sample_distribution(Distribution({"blue": 0, "red": 1}), 3)
    ['red', 'red', 'red']
    """
    require(distribution, "distribution", Distribution)
    one_of("a method", method, get_args(Method))
    count = whole("a number of draws", count, 0, LARGEST_COUNT)
    drawn = draw_rows([distribution], np.zeros(count, dtype=np.int32), _source(bits), method)
    names: list[str] = np.array(distribution.colors, dtype=object)[drawn].tolist()
    return names


def sample(
    mechanism: Mechanism,
    dataset: object,
    count: int = 1,
    *,
    method: Method = "constant",
    bits: BitSource | None = None,
) -> list[str]:
    """Draw the mechanism's answer for one dataset, independently and exactly.

    Every draw is a release of its own: `count` draws cost `count` times the privacy of one.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    dataset : str or int
        The dataset's name, as for `Mechanism.distribution`.
    count : int
        How many draws, at least 0.
    method : {"constant", "lazy"}
        Whether every draw reads 128 bits, or as few as decide it, which is quicker and depends on the answer.
    bits : BitSource, optional
        Where random bits come from; the operating system unless given, which is for tests.

    Returns
    -------
    list of str
        The drawn colors, `count` of them.

    Raises
    ------
    UnknownDatasetError
        If the mechanism does not have the dataset.
    UsageError
        If the count is negative or no whole number, there is no such method, or an argument is of the wrong
        kind.

    Notes
    -----
    As `sample_distribution`; the time for making the dataset's distribution depends on the dataset. After
    a few single draws from a mechanism of few classes all of these are looked at, and later single draws take
    a fraction of the time, for every dataset.

    Examples
    --------
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["blue>red"], table=[{"blue": "2/3", "red": "1/3"}], labels=["ann"]
    ... )
    >>> sample(mechanism, "ann")[0] in mechanism.colors
    True
    """
    require(mechanism, "mechanism", Mechanism)
    code = int(mechanism.codes[mechanism.index(dataset)])
    if is_whole(count) and count == 1 and method == "constant":
        thresholds = thresholds_of(mechanism)
        if thresholds is not None:
            return [mechanism.colors[draw_once(mechanism, code, thresholds, _source(bits))]]
    return sample_distribution(mechanism.rows[code], count, method=method, bits=bits)


def sample_all(
    mechanism: Mechanism,
    datasets: Datasets | None = None,
    *,
    method: Method = "constant",
    bits: BitSource | None = None,
) -> NDArray[np.int32]:
    """Draw the mechanism's answer for many datasets, one independent exact draw each.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism, over n datasets.
    datasets : sequence of str [m], int[m], bool[n] or None
        Names, numbers from 0 (an integer array), or a mask of the datasets; they may be repeated. None for
        every dataset once.
    method : {"constant", "lazy"}
        Whether every draw reads 128 bits, or as few as decide it, which is quicker and depends on the answer.
    bits : BitSource, optional
        Where random bits come from; the operating system unless given, which is for tests.

    Returns
    -------
    int32[m]
        The drawn colors as positions in ``mechanism.colors``.

    Raises
    ------
    UnknownDatasetError
        If the mechanism does not have one of the datasets.
    UsageError
        If an array has the wrong shape, there is no such method, or an argument is of the wrong kind.

    Notes
    -----
    This is as exact as `sample`, for any number of classes. Only classes that occur are looked at, and time
    spent on them depends on which these are. From 16 million draws on, of eight colors, or fewer of more,
    compiled loops are used where the extra ``fast`` is installed; they draw the same colors from the same
    bits.

    Examples
    --------
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["blue>red", "red>blue"],
    ...     table=[{"blue": 1, "red": 0}, {"blue": 0, "red": 1}],
    ...     labels=["ann", "bob"],
    ... )
    >>> sample_all(mechanism).tolist()
    [0, 1]
    >>> sample_all(mechanism, ["bob", "bob"], method="lazy").tolist()
    [1, 1]
    """
    require(mechanism, "mechanism", Mechanism)
    one_of("a method", method, get_args(Method))
    classes = _classes(mechanism, datasets)
    return draw_rows(mechanism.rows, classes, _source(bits), method, lambda: mechanism.table)


def _source(bits: BitSource | None) -> BitSource:
    """Return the source of a call: what it was handed, or else the operating system."""
    if bits is None:
        return SystemBits()
    if not all(callable(getattr(bits, method, None)) for method in ("bits", "words")):
        raise UsageError(
            f"`bits` must be a source of random bits, and is {kind_of(bits)}",
            help="leave it out; a source of your own needs the methods bits(count) and words(count)",
            argument="bits",
        )
    return bits


def _classes(mechanism: Mechanism, datasets: Datasets | None) -> NDArray[np.int32]:
    """Return the class of every wanted dataset."""
    if datasets is None:
        return mechanism.codes
    if not isinstance(datasets, np.ndarray) or datasets.dtype.kind not in "bui":
        wanted = items_of(datasets)
        if wanted is None:
            raise UsageError(
                f"`datasets` must be a list of names, and is {kind_of(datasets)}",
                help="give several names, an array of numbers or a mask; or use sample for one dataset",
                argument="datasets",
            )
        names = [mechanism.index(name) for name in wanted]
        return mechanism.codes[np.array(names, dtype=np.intp)]
    is_mask = datasets.dtype.kind == "b"
    if datasets.ndim != 1 or (is_mask and len(datasets) != mechanism.size):
        kind = "a mask" if is_mask else "an array of dataset numbers"
        raise UsageError(
            f"{kind} of shape {datasets.shape} does not fit {mechanism.size} datasets",
            help="give a one-dimensional array: dataset numbers, or one truth value per dataset",
        )
    places = np.flatnonzero(datasets) if is_mask else datasets.astype(np.intp)
    # numpy would count a negative number from the end.
    outside = places[(places < 0) | (places >= mechanism.size)]
    if len(outside):
        raise UnknownDatasetError(
            f"there is no dataset number {int(outside[0])}", help=f"numbers are 0 to {mechanism.size - 1}"
        )
    return mechanism.codes[places]
