# SPDX-License-Identifier: Apache-2.0
"""Silence while rows are read: warnings and log entries depend on what cells hold, and may quote them."""

import contextlib
import logging
import sys
import threading
import warnings
from typing import ClassVar


def _unheard(*_: object) -> None:
    """Show no warning."""


class Silence:
    """Lets no warning and no log entry out while anybody is inside one, in whichever thread.

    An interrupt may come at any of its steps, so each of them may be done again.
    """

    _lock: ClassVar = threading.RLock()
    _inside: ClassVar[set[int]] = set()
    _before: "ClassVar[tuple[warnings.catch_warnings[None], int] | None]" = None

    def __enter__(self) -> None:
        try:
            with self._lock:
                self._inside.add(id(self))
                if Silence._before is None:
                    Silence._before = warnings.catch_warnings(), logging.root.manager.disable
                    Silence._before[0].__enter__()
                    warnings.simplefilter("ignore")
                    # Who turns filters on again must not be heard either.
                    warnings.showwarning = _unheard  # type: ignore[assignment]  # for any warning
                    logging.disable(sys.maxsize)
        except BaseException:
            self._leave()
            raise

    def __exit__(self, *_: object) -> bool | None:
        try:
            self._leave()
        except BaseException:
            self._leave()
            raise
        return None

    def _leave(self) -> None:
        with self._lock:
            self._inside.discard(id(self))
            if Silence._before is not None and not self._inside:
                filters, disabled = Silence._before
                logging.disable(disabled)
                # They may not have been put aside yet.
                with contextlib.suppress(RuntimeError, AttributeError):
                    filters.__exit__(None, None, None)
                Silence._before = None
