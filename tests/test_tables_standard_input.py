# SPDX-License-Identifier: Apache-2.0
"""Standard input: all of it is read, however it comes, and what is missing is told for what it is."""

import contextlib
import io
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cell_tally import cells
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import open_table

ROWS = b"vote\n" + b"red\n" * 3


@contextlib.contextmanager
def piped(monkeypatch: pytest.MonkeyPatch, *, waits: bool) -> Iterator[int]:
    """Make standard input a pipe, and give its other end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, waits)
    with open(reader, "rb") as stream:  # noqa: PTH123 - a number, not a name
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        yield writer


@pytest.mark.parametrize("waits", [True, False])
def test_rows_that_come_late_are_read(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with piped(monkeypatch, waits=waits) as writer:

        def write() -> None:
            for part in (ROWS, b"blue\n" * 50_000, b"red\n"):
                with os.fdopen(os.dup(writer), "wb") as file:
                    file.write(part)
                time.sleep(0.2)
            os.close(writer)

        thread = threading.Thread(target=write)
        thread.start()
        with open_table("-") as table:
            thread.join()
            assert cells(table, "vote") == {"red": 4, "blue": 50_000}


def test_a_copy_that_does_not_fit_is_no_fault_of_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROWS * 100)))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(TableUnreadableError, match="no room for a temporary copy"):
            open_table("-")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())
