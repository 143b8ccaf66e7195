# SPDX-License-Identifier: Apache-2.0
"""Errors that left the rows behind: they say what went wrong, and no longer where.

The one idea: a traceback keeps the values of every function it went through, and tools that report errors
show them. Where rows are read, these are cells and counts. What nobody foresaw keeps its traceback, so that
it can be mended.
"""

from typing import Final

from rainbowdp.errors import RainbowError


class _Untraced:
    """Raises what is raised inside anew, from here."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _: object, raised: BaseException | None, __: object) -> None:
        """End."""
        if isinstance(raised, RainbowError | KeyboardInterrupt | MemoryError):
            raise raised.with_traceback(None)


UNTRACED: Final = _Untraced()
"""Inside it rows are read."""
