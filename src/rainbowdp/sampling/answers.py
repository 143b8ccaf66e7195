# SPDX-License-Identifier: Apache-2.0
"""The public functions that draw: from a distribution, and from a mechanism for one or many datasets.

Bits come from the operating system unless a call is handed another source, which only tests do.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UnknownDatasetError, UsageError
from rainbowdp.exact.arguments import described, is_whole, items_of, kind_of, require
from rainbowdp.mechanism import Mechanism
from rainbowdp.sampling.bits import BitSource, SystemBits
from rainbowdp.sampling.bulk import Method, draw_rows, require_method
from rainbowdp.sampling.repeated import bounds_of

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
    decides. By the constant method a draw reads two words and meets all cumulative masses, whatever comes
    out: longer, exact comparisons follow with a probability far below 2^-40, further words with one below
    2^-126 per color. Time spent before, on the distribution itself, depends on it and is not protected.

    Examples
    --------
    >>> sample_distribution(Distribution({"blue": 0, "red": 1}), 3)
    ['red', 'red', 'red']
    """
    require(distribution, "distribution", Distribution)
    require_method(method)
    if not is_whole(count) or not 0 <= count <= LARGEST_COUNT:
        raise UsageError(
            f"the number of draws cannot be {described(count)}",
            help=f"ask for a whole number from 0 to {LARGEST_COUNT}",
            count=count,
        )
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
    a fraction of the time, for whatever dataset.

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
        bounds = bounds_of(mechanism)
        if bounds is not None:
            return [mechanism.colors[bounds.draw(mechanism, code, _source(bits))]]
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
    require_method(method)
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
