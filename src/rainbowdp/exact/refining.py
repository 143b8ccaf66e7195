# SPDX-License-Identifier: Apache-2.0
"""The precision at work, and the one loop that refines enclosures until they decide.

The precision of flint is one setting of the whole process. `working_precision` sets it for one thread at a
time and puts it back, so that threads that compute at once neither see nor keep the precision of another.
Nothing else in the package sets it.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar, overload

import flint

from rainbowdp.errors import UndecidedError

FIRST_PRECISION = 64
LAST_PRECISION = 4096

_Found = TypeVar("_Found")
_LOCK = threading.RLock()


@contextlib.contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute balls with this many bits inside the block, while other threads wait.

    Examples
    --------
    >>> before = flint.ctx.prec
    >>> with working_precision(200):
    ...     third = flint.arb(1) / 3
    >>> third.rel_accuracy_bits() > 190, flint.ctx.prec == before
    (True, True)
    """
    with _LOCK, flint.ctx.workprec(bits):
        yield


@overload
def refine(attempt: Callable[[int], _Found | None], first: int = ..., last: int = ...) -> _Found | None: ...


@overload
def refine(attempt: Callable[[int], _Found | None], first: int, last: None) -> _Found: ...


def refine(
    attempt: Callable[[int], _Found | None], first: int = FIRST_PRECISION, last: int | None = LAST_PRECISION
) -> _Found | None:
    """Try again at twice the precision until something is found.

    Parameters
    ----------
    attempt : callable
        Computes at the precision in force, which it is told, and returns None where that is not enough.
    first, last : int
        The precisions to begin and to end with; None for no last one.

    Returns
    -------
    object or None
        What was found first; None if the last precision was not enough.

    Examples
    --------
    >>> refine(lambda bits: bits if bits > 100 else None), refine(lambda bits: None)
    (128, None)
    """
    bits = first
    while last is None or bits <= last:
        with working_precision(bits):
            found = attempt(bits)
        if found is not None:
            return found
        bits *= 2
    return None


@overload
def shown_sign(evaluate: Callable[[], flint.arb]) -> int | None: ...


@overload
def shown_sign(evaluate: Callable[[], flint.arb], first: int, last: None) -> int: ...


def shown_sign(
    evaluate: Callable[[], flint.arb], first: int = FIRST_PRECISION, last: int | None = LAST_PRECISION
) -> int | None:
    """Return the sign of the nonzero number that `evaluate` encloses; None where no precision shows it.

    Examples
    --------
    >>> shown_sign(lambda: flint.arb(2).sqrt() - 1), shown_sign(lambda: flint.arb(2).sqrt() ** 2 - 2)
    (1, None)
    """

    def attempt(_: int) -> int | None:
        value = evaluate()
        return 1 if value > 0 else -1 if value < 0 else None

    return refine(attempt, first, None) if last is None else refine(attempt, first, last)


def undecided() -> UndecidedError:
    """Return the error about two numbers that the last precision does not tell apart."""
    return UndecidedError(
        f"two numbers could not be told apart with {LAST_PRECISION} bits",
        help="it counts as a failure; move one of the numbers by more than 1e-1000",
    )
