# SPDX-License-Identifier: Apache-2.0
"""A ledger in one SQLite file, which one machine's processes share.

Writers queue by ``BEGIN IMMEDIATE``. Commits are synchronous to the last step (``synchronous=EXTRA``): with
``FULL`` and a rollback journal, a loss of power just after a commit can bring the journal back and undo it,
and the answer would have left without its charge.

A file is used only if it is sound and has exactly the form of a ledger. One trigger more or less, and it is
refused. A ledger of version 2 is checked in the same way and then brought up to version 3 in one transaction,
which leaves its entries as they are.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from rainbowdp.errors import LedgerError
from rainbowdp.ledger.database import (
    ADDED,
    APPLICATION,
    ONE_VERSION,
    READ_VERSION,
    RECORD_VERSION,
    SQLITE,
    VERSION,
    Database,
    Row,
    Run,
    refuse,
)

_OLDEST = (3, 37, 0)
_SMALLEST = 512
_BESIDE = ("-journal", "-wal", "-shm")
_FORM = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name"
_SETTINGS = (
    "synchronous=EXTRA",
    "foreign_keys=ON",
    "recursive_triggers=ON",
    "ignore_check_constraints=OFF",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)
_ANOTHER_FILE = "name a file that `rainbowdp budget create` made"
_HINTS = {
    "SQLITE_BUSY": "another process holds it: try again",
    "SQLITE_READONLY": "make the file and its directory writable",
    "SQLITE_FULL": "free some space where it lies, and try again",
    "SQLITE_CORRUPT": "restore it from a copy, and do not answer from this data before",
    "SQLITE_NOTADB": _ANOTHER_FILE,
    "SQLITE_CANTOPEN": "check that the file and its directory can be read and written",
    "SQLITE_IOERR": "check the free space and the health of the disk where it lies",
}


class SqliteDatabase(Database):
    """The entries of a ledger in a SQLite file; see `rainbowdp.ledger.database.Database`.

    Parameters
    ----------
    path : Path
        The file.
    create : bool
        Make the file a ledger if it does not exist or is empty.
    timeout : float
        How many seconds to wait for another process.

    Raises
    ------
    LedgerError
        If the file is missing, is not a ledger, is damaged, or cannot be opened.
    """

    _MAKE = (
        f"PRAGMA application_id={APPLICATION}",
        f"PRAGMA user_version={VERSION}",
        *(*SQLITE, *ADDED, RECORD_VERSION),
    )
    _UPDATE = (
        f"PRAGMA user_version={VERSION}",
        "DROP TRIGGER rainbowdp_ledger_append",
        *(*ADDED, RECORD_VERSION, ONE_VERSION),
    )

    def __init__(self, path: Path, *, create: bool, timeout: float) -> None:
        super().__init__(str(path))
        if sqlite3.sqlite_version_info < _OLDEST:
            refuse(self.label, f"needs SQLite 3.37, and this is {sqlite3.sqlite_version}", "update Python")
        with self._translated():
            file = _real_file(path, self.label, create=create)
            self.connection = sqlite3.connect(
                f"{file.as_uri()}?mode={'rwc' if create else 'rw'}",
                uri=True,
                timeout=timeout,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                for setting in _SETTINGS:
                    self.connection.execute(f"PRAGMA {setting}")
                self._prepare(create=create)
            except BaseException:
                self.connection.close()
                raise

    @contextlib.contextmanager
    def _begun(self, *, write: bool) -> Iterator[Run]:
        self.connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield self._run
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                # What fails here is undone by the next process that opens the file.
                with contextlib.suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file."""
        # A connection that came through a fork is not ours to close: it would drop the parent's locks.
        if os.getpid() == self._owner:
            with self._lock, self._translated():
                self.connection.close()

    def _run(self, statement: str, values: Mapping[str, object]) -> list[Row]:
        return self.connection.execute(statement, values).fetchall()

    def _is_empty(self, run: Run) -> bool:
        return run("PRAGMA application_id", {}) == [(0,)] and not run(_FORM, {})

    def _version(self, run: Run) -> object:
        is_ours = run("PRAGMA application_id", {}) == [(APPLICATION,)]
        return run("PRAGMA user_version", {})[0][0] if is_ours else None

    def _check(self, run: Run, version: int) -> None:
        if self._is_empty(run):
            refuse(self.label, "is an empty file", _ANOTHER_FILE)
        if run("PRAGMA application_id", {}) != [(APPLICATION,)]:
            refuse(self.label, "is a SQLite file, but not a ledger", _ANOTHER_FILE)
        self._check_version(self._version(run), version)
        if run(_FORM, {}) != _form_of_a_ledger(version):
            refuse(
                self.label,
                "has not the form of a ledger: a table, index or trigger was added, changed or dropped",
                "restore it from a copy, and ask who changed it",
            )
        self._check_version(run(READ_VERSION, {})[0][0], version)
        if run("PRAGMA integrity_check(1)", {}) != [("ok",)] or run("PRAGMA foreign_key_check", {}):
            refuse(self.label, "is damaged", _HINTS["SQLITE_CORRUPT"])

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
            if isinstance(error, OSError):
                name, said = "SQLITE_CANTOPEN", error.strerror or str(error)
            else:
                name, said = getattr(error, "sqlite_errorname", ""), str(error)
            hints = (hint for start, hint in _HINTS.items() if name.startswith(start))
            raise LedgerError(
                f"ledger {self.label!r} cannot be used: {said}",
                help=next(hints, "nothing was answered; check the file and try again"),
                ledger=self.label,
            ) from None


def _real_file(path: Path, label: str, *, create: bool) -> Path:
    """Return the file behind all symbolic links, so that every process finds the same journal beside it."""
    # Unlike Path.resolve it leaves a circle of links to the checks below.
    file = Path(os.path.realpath(path))
    if file.name.endswith(_BESIDE):
        refuse(label, "has a name that SQLite gives to files of its own, and removes", "name another file")
    if file.is_dir():
        refuse(label, "is a directory", "name a file")
    if not file.exists():
        if not create:
            refuse(label, "does not exist", "make it with `rainbowdp budget create`, or check the path")
        if not file.parent.is_dir():
            refuse(label, "lies in a directory that does not exist", "make the directory first")
    elif not file.is_file():
        refuse(label, "is not a regular file", _ANOTHER_FILE)
    elif 0 < file.stat().st_size < _SMALLEST and not Path(f"{file}-journal").exists():
        # SQLite takes a file of a few bytes for an empty one, and would write over it.
        refuse(label, "is not a database", _ANOTHER_FILE)
    return file


def _form_of_a_ledger(version: int) -> list[Row]:
    """Return what SQLite says about the form of a new ledger of a version."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for statement in (*SQLITE, *(ADDED if version == VERSION else ())):
            connection.execute(statement)
        return connection.execute(_FORM).fetchall()
