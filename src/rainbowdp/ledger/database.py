# SPDX-License-Identifier: Apache-2.0
"""What both databases of a ledger share: tables, and the transactions that the rules need.

A ledger is one list of entries that only ever grows. Everything it knows is a sum over its entries. Entry 1
of a budget creates it, each later one points to the one before, so that none can go missing unseen; partial
indexes let a request be charged once, be answered once, and a budget be closed once. Triggers refuse to
change, delete or replace an entry.

Both databases run the same statements, with parameters named ``:name``; a value is never part of the text of
a statement. Any failure is a `LedgerError`, and the transaction is undone: a charge exists only after its
commit.
"""

import contextlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import ClassVar, Final, NoReturn

from rainbowdp.errors import LedgerError

Row = tuple[object, ...]
Run = Callable[[str, Mapping[str, object]], list[Row]]
"""Run one statement with named parameters inside a transaction, and return its rows."""

VERSION: Final = 3
OLD_VERSION: Final = 2
"""The version before budgets had a promise; such a ledger is brought up when it is opened."""
APPLICATION: Final = 0x52424450
"""The letters RBDP: the application id of a SQLite file, and the key of PostgreSQL's advisory lock."""

_BOTH: Final = ("rainbowdp_ledger", "rainbowdp_entries")
_TABLES: Final = (
    "CREATE TABLE rainbowdp_ledger (version INTEGER NOT NULL PRIMARY KEY, recorded_at TEXT NOT NULL)",
    """CREATE TABLE rainbowdp_entries (
    budget TEXT NOT NULL,
    number INTEGER NOT NULL,
    previous INTEGER,
    event TEXT NOT NULL CHECK (event IN ('create', 'raise', 'charge', 'answer', 'close')),
    recorded_at TEXT NOT NULL,
    kind TEXT CHECK (kind IN ('pure', 'approximate', 'gaussian')),
    epsilon_rational TEXT,
    epsilon_logarithm TEXT,
    delta TEXT,
    mu_squared TEXT,
    request TEXT,
    question TEXT,
    source TEXT,
    privacy TEXT,
    charge INTEGER,
    answer TEXT,
    reason TEXT,
    PRIMARY KEY (budget, number),
    FOREIGN KEY (budget, previous) REFERENCES rainbowdp_entries (budget, number),
    FOREIGN KEY (budget, charge) REFERENCES rainbowdp_entries (budget, number),
    CHECK (number >= 1),
    CHECK ((previous IS NULL) = (number = 1)),
    CHECK (previous IS NULL OR previous = number - 1),
    CHECK ((event = 'create') = (number = 1)),
    CHECK ((kind IS NOT NULL) = (event IN ('create', 'raise', 'charge'))),
    CHECK ((mu_squared IS NOT NULL) = (coalesce(kind, '') = 'gaussian')),
    CHECK ((epsilon_rational IS NOT NULL) = (coalesce(kind, '') IN ('pure', 'approximate'))),
    CHECK ((epsilon_logarithm IS NOT NULL) = (epsilon_rational IS NOT NULL)),
    CHECK ((delta IS NOT NULL) = (epsilon_rational IS NOT NULL)),
    CHECK ((request IS NOT NULL) = (event = 'charge')),
    CHECK ((question IS NOT NULL) = (event = 'charge')),
    CHECK ((source IS NOT NULL) = (event = 'charge')),
    CHECK ((privacy IS NOT NULL) = (event = 'charge')),
    CHECK ((charge IS NOT NULL) = (event = 'answer')),
    CHECK ((answer IS NOT NULL) = (event = 'answer')),
    CHECK ((reason IS NOT NULL) = (event = 'raise'))
)""",
)
_INDEXES: Final = (
    "CREATE UNIQUE INDEX rainbowdp_one_charge ON rainbowdp_entries (request) WHERE event = 'charge'",
    "CREATE UNIQUE INDEX rainbowdp_one_answer ON rainbowdp_entries (budget, charge) WHERE event = 'answer'",
    "CREATE UNIQUE INDEX rainbowdp_one_close ON rainbowdp_entries (budget) WHERE event = 'close'",
)

ADDED: Final = (
    """ALTER TABLE rainbowdp_entries ADD COLUMN neighbors TEXT
CHECK (neighbors IS NULL OR event = 'create' AND neighbors IN ('add-remove', 'change-one'))""",
    "ALTER TABLE rainbowdp_entries ADD COLUMN unit TEXT CHECK (unit IS NULL OR neighbors IS NOT NULL)",
)
"""What version 3 has more than version 2: the promise of a budget. It stays null in budgets made before."""

_REFUSE: Final = "BEGIN SELECT RAISE(ABORT, 'a ledger only grows: nothing in it is changed or deleted'); END"
ONE_VERSION: Final = """CREATE TRIGGER rainbowdp_ledger_append BEFORE INSERT ON rainbowdp_ledger
WHEN EXISTS (SELECT 1 FROM rainbowdp_ledger)
BEGIN SELECT RAISE(ABORT, 'a ledger only grows: nothing in it is changed or deleted'); END"""
"""Lets a SQLite ledger record one version only; an update drops it for the moment."""

# INSERT OR REPLACE deletes without a trigger of deletion, and foreign keys are off unless a client turns them
# on: hence the twin of a new entry and the entry before it are looked for.
_SQLITE_GUARDS: Final = (
    *(
        f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} {_REFUSE}"
        for table in _BOTH
        for action in ("UPDATE", "DELETE")
    ),
    """CREATE TRIGGER rainbowdp_entries_append BEFORE INSERT ON rainbowdp_entries
WHEN EXISTS (SELECT 1 FROM rainbowdp_entries WHERE budget = NEW.budget AND number = NEW.number)
OR NEW.number > 1 AND NOT EXISTS (
    SELECT 1 FROM rainbowdp_entries WHERE budget = NEW.budget AND number = NEW.number - 1
)
OR NEW.event = 'charge' AND EXISTS (
    SELECT 1 FROM rainbowdp_entries WHERE event = 'charge' AND request = NEW.request
)
OR NEW.event = 'answer' AND EXISTS (
    SELECT 1 FROM rainbowdp_entries WHERE event = 'answer' AND budget = NEW.budget AND charge = NEW.charge
)
OR NEW.event = 'close' AND EXISTS (
    SELECT 1 FROM rainbowdp_entries WHERE event = 'close' AND budget = NEW.budget
)
BEGIN SELECT RAISE(ABORT, 'a ledger only grows: nothing in it is changed or deleted'); END""",
)

RECORD_VERSION: Final = """
INSERT INTO rainbowdp_ledger (version, recorded_at) VALUES (:version, :recorded_at) RETURNING version
"""

READ_VERSION: Final = "SELECT max(version) FROM rainbowdp_ledger"

SQLITE: Final = (
    *(f"{table} STRICT, WITHOUT ROWID" for table in _TABLES),
    *_INDEXES,
    *_SQLITE_GUARDS,
    ONE_VERSION,
)
"""What makes a SQLite ledger of version 2; `ADDED` follows. WITHOUT ROWID, so that no hidden key can be used
to replace an entry."""

POSTGRESQL: Final = (
    *_TABLES,
    *_INDEXES,
    """CREATE FUNCTION rainbowdp_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
RAISE EXCEPTION 'a ledger only grows: nothing in it is changed or deleted'; END $$""",
    *(
        f"CREATE TRIGGER {table}_guard BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION rainbowdp_guard()"
        for table in _BOTH
    ),
)
"""What makes a PostgreSQL ledger of version 2; `ADDED` follows."""


class Database(ABC):
    """A place that keeps the entries of a ledger; used by one thread at a time, and never after a fork.

    Parameters
    ----------
    label : str
        Where it is, for messages; without a password.
    """

    _MAKE: ClassVar[tuple[str, ...]]
    """Statements that make a ledger."""
    _UPDATE: ClassVar[tuple[str, ...]]
    """Statements that make a ledger of this version out of one of the version before."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._owner = os.getpid()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[Run]:
        """Open a transaction that is committed at the end and undone by any error.

        Only one writing transaction is open at a time, and it sees everything committed before it began.

        Raises
        ------
        LedgerError
            If the database cannot be read, written or locked in time.
        """
        if os.getpid() != self._owner:
            refuse(self.label, "was opened in another process", "open it anew after a fork")
        with self._lock, self._translated(), self._begun(write=write) as run:
            yield run

    def _prepare(self, *, create: bool) -> None:
        """Make a ledger if there is none and one is wanted; bring an old one up; refuse all but a ledger."""
        with self.transaction(write=False) as run:
            is_lacking = bool(self._lacking(run, create=create))
        if is_lacking:
            with self.transaction(write=True) as run:
                # Another process may have been faster.
                statements = self._lacking(run, create=create)
                if statements is self._UPDATE:
                    self._check(run, OLD_VERSION)
                for statement in statements:
                    is_record = statement is RECORD_VERSION
                    run(statement, {"version": VERSION, "recorded_at": now()} if is_record else {})
        with self.transaction(write=False) as run:
            self._check(run, VERSION)

    def _lacking(self, run: Run, *, create: bool) -> tuple[str, ...]:
        """Return the statements that make a ledger of this version."""
        if create and self._is_empty(run):
            return self._MAKE
        return self._UPDATE if self._version(run) == OLD_VERSION else ()

    def _check_version(self, version: object, expected: int) -> None:
        """Refuse a ledger of another version than the expected one."""
        if not isinstance(version, int) or version < 1:
            refuse(self.label, "does not say which version it has", "restore it from a copy")
        if version != expected:
            refuse(
                self.label,
                f"has version {version}, and this rainbowdp knows version {VERSION}",
                "use the version of rainbowdp that wrote it",
            )

    @abstractmethod
    def close(self) -> None:
        """Give the connection back; transactions are impossible from then on."""

    @abstractmethod
    def _begun(self, *, write: bool) -> AbstractContextManager[Run]:
        """Open a transaction, with the lock held."""

    @abstractmethod
    def _is_empty(self, run: Run) -> bool:
        """Tell whether there is nothing that could be a ledger."""

    @abstractmethod
    def _version(self, run: Run) -> object:
        """Return the version that a ledger says it has."""

    @abstractmethod
    def _check(self, run: Run, version: int) -> None:
        """Refuse everything but a sound ledger of a version."""

    @abstractmethod
    def _translated(self) -> AbstractContextManager[None]:
        """Make errors of the database a `LedgerError`."""


def now() -> str:
    """Return the time in UTC, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def refuse(label: str, reason: str, hint: str) -> NoReturn:
    """Raise the error of a ledger that cannot be used.

    Raises
    ------
    LedgerError
        Always.
    """
    raise LedgerError(f"ledger {label!r} {reason}", help=hint, ledger=label)
