# SPDX-License-Identifier: Apache-2.0
"""Functions that long work calls to tell how far it is: their type, a silent one, and one for a part."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the number of steps in all."""


def silent(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Part:
    """Tells the progress of a part of the work as that of the whole.

    Parameters
    ----------
    progress : callable
        Told about the whole.
    start : int
        Steps done before the part begins.
    total : int
        Steps of the whole.

    Examples
    --------
    >>> Part(lambda done, total: print(done, "of", total), 10, 30)(5, 20)
    15 of 30
    """

    progress: Progress
    start: int
    total: int

    def __call__(self, done: int, _: int) -> None:
        """Tell how much of the whole is done when so many steps of the part are."""
        self.progress(min(self.start + done, self.total), self.total)
