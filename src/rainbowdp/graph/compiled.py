# SPDX-License-Identifier: Apache-2.0
"""Decide whether loops over pairs run as machine code, and compile such loops with numba.

Numba is an extra. With it, loops over millions of pairs are compiled once and kept on the disk;
without it everything goes through numpy and scipy, to the same result. Modules whose name begins with
``kernels`` hold such loops alone, and are imported where one of them is about to be called.
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import TypeVar, cast

_Loop = TypeVar("_Loop", bound=Callable[..., object])

FEWEST = 1 << 18
"""Loading numba takes a third of a second, and numpy does fewer pairs than this in less."""

FEWEST_LOADED = 1 << 16
"""Where numba is loaded, a loop that was compiled before is read from the disk in a hundredth of a second."""


@cache
def compiled() -> bool:
    """Tell whether loops can be compiled here.

    Returns
    -------
    bool
        Whether numba can be imported.
    """
    try:
        import numba
    except ImportError:
        return False
    return bool(numba)


def is_worth_compiling(count: int) -> bool:
    """Tell whether a pass over so many pairs is quicker as machine code, loading it included.

    Parameters
    ----------
    count : int
        Number of pairs.

    Returns
    -------
    bool
        False without numba.

    Examples
    --------
    >>> is_worth_compiling(100)
    False
    """
    return count >= (FEWEST_LOADED if "numba" in sys.modules else FEWEST) and compiled()


def kernel(loop: _Loop) -> _Loop:
    """Compile a loop over arrays when it is first called, and keep the machine code on the disk.

    Where no folder for it can be written, as in a read-only installation, every process compiles anew.
    Indices are not checked in machine code: the callers of a kernel have checked the arrays.

    Parameters
    ----------
    loop : callable
        A function of arrays and integers. No kernel computes with floats.

    Returns
    -------
    callable
        The same function; other threads run while it does.
    """
    import numba

    try:
        made = numba.njit(cache=True, nogil=True, boundscheck=False)(loop)
    except RuntimeError:
        # This is how numba says that it finds no folder for its cache.
        made = numba.njit(nogil=True, boundscheck=False)(loop)
    return cast("_Loop", made)
