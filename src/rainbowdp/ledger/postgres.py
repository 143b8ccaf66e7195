# SPDX-License-Identifier: Apache-2.0
"""A ledger in a PostgreSQL database, which several machines share.

It is reached through SQLAlchemy and psycopg, the extra ``postgres``. Writers queue by one advisory lock,
which asks for no right beyond reading and inserting. A server that answers commits before they are safe
(``synchronous_commit=off``) is told to wait for them.
"""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rainbowdp.errors import LedgerError, MissingExtraError
from rainbowdp.ledger.database import Row, Run, check_version, now, refuse
from rainbowdp.ledger.schema import APPLICATION, ENTRIES, LEDGER, POSTGRESQL, VERSION
from rainbowdp.ledger.statements import COLUMNS, READ_VERSION, RECORD_VERSION

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_CONNECT_SECONDS = 10
_EXISTS = "SELECT to_regclass('rainbowdp_ledger') IS NOT NULL, to_regclass('rainbowdp_entries') IS NOT NULL"
# Two guards and nothing else; both keys, one charge, one answer, one close, and no other index; two tables
# that are kept; what they are checked for.
_FORM = """
SELECT
    (SELECT count(*) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
        WHERE t.tgrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND p.proname = 'rainbowdp_guard'
        AND p.prosrc LIKE '%RAISE EXCEPTION%'),
    (SELECT count(*) FROM pg_trigger t
        WHERE t.tgrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND NOT t.tgisinternal),
    (SELECT count(*) FROM pg_rewrite
        WHERE ev_class IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))),
    (SELECT count(*) FROM pg_class
        WHERE oid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries')) AND relrowsecurity),
    (SELECT count(*) FROM pg_index
        WHERE indrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND indisunique AND indisvalid AND indexprs IS NULL),
    (SELECT count(*) FROM pg_index
        WHERE indrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))),
    (SELECT count(*) FROM pg_class
        WHERE oid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
        AND relkind = 'r' AND relpersistence = 'p' AND NOT relhassubclass AND NOT relispartition),
    (SELECT count(*) FROM pg_constraint
        WHERE conrelid = to_regclass('rainbowdp_entries') AND contype = 'c' AND convalidated),
    (SELECT count(*) FROM pg_constraint
        WHERE conrelid = to_regclass('rainbowdp_entries') AND contype = 'f' AND convalidated)
"""
_FORM_OF_A_LEDGER = (2, 2, 0, 0, 5, 5, 2, 18, 2)
_COLUMNS = """
SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    a.attgenerated = '' AND a.attidentity = '' AND NOT a.atthasdef AND a.attcollation = t.typcollation
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
    AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname::text COLLATE "C", a.attname::text COLLATE "C"
"""
_NUMBERS = {"charge", "number", "previous"}
_NEEDED = {"budget", "event", "number", "recorded_at"}
_COLUMNS_OF_A_LEDGER = [
    *(
        (ENTRIES, name, "integer" if name in _NUMBERS else "text", name in _NEEDED, True)
        for name in sorted(COLUMNS)
    ),
    (LEDGER, "recorded_at", "text", True, True),
    (LEDGER, "version", "integer", True, True),
]
# Of connections, rights, names, locks, room and itself the server says nothing that it was given.
_SHOWN = ("08", "25", "28", "3D", "42", "53", "55", "57", "58")
_WAIT_FOR_COMMITS = (
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
)


class PostgresDatabase:
    """The entries of a ledger in PostgreSQL; see `rainbowdp.ledger.database.Database`.

    Parameters
    ----------
    url : str
        ``postgresql://user@host/database``; a password is better kept in ``~/.pgpass``.
    create : bool
        Make the tables if there are none.
    timeout : float
        How many seconds to wait for another writer.

    Raises
    ------
    MissingExtraError
        If SQLAlchemy or psycopg is not installed.
    LedgerError
        If the database cannot be reached, or holds no ledger or one that lost its guards.
    """

    def __init__(self, url: str, *, create: bool, timeout: float) -> None:
        for package in ("sqlalchemy", "psycopg"):
            if find_spec(package) is None:
                raise MissingExtraError(
                    f"a ledger in PostgreSQL needs {package}, which is not installed",
                    help="pip install 'rainbowdp[postgres]'",
                    package=package,
                )
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._milliseconds = max(1, round(timeout * 1000))
        self.engine, self.label = _engine(url)
        try:
            if create:
                self._make()
            self._check()
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def transaction(self, *, write: bool) -> Iterator[Run]:
        """Open a transaction; see `rainbowdp.ledger.database.Database.transaction`."""
        if os.getpid() != self._owner:
            refuse(self.label, "was opened in another process", "open it anew after a fork")
        with self._lock, self._translated(), self.engine.begin() as connection:
            run = _runner(connection)
            run(f"SET LOCAL lock_timeout = {self._milliseconds}", {})
            if write:
                run(_WAIT_FOR_COMMITS, {})
                run(f"SELECT pg_advisory_xact_lock({APPLICATION})", {})
            yield run

    def close(self) -> None:
        """Close the connection."""
        # Connections that came through a fork belong to the parent.
        self.engine.dispose(close=os.getpid() == self._owner)

    def _make(self) -> None:
        """Make the tables, unless there are some."""
        with self.transaction(write=True) as run:
            if not any(run(_EXISTS, {})[0]):
                for statement in POSTGRESQL:
                    run(statement, {})
                run(RECORD_VERSION, {"version": VERSION, "recorded_at": now()})

    def _check(self) -> None:
        """Refuse everything but a ledger with all its guards."""
        with self.transaction(write=False) as run:
            if run(_EXISTS, {}) != [(True, True)]:
                refuse(self.label, "does not exist there", "make it with `rainbowdp budget create`")
            check_version(self.label, run(READ_VERSION, {}))
            if run(_FORM, {}) != [_FORM_OF_A_LEDGER] or run(_COLUMNS, {}) != _COLUMNS_OF_A_LEDGER:
                refuse(
                    self.label,
                    "has not the form of a ledger: a column, trigger, index or check was added, changed, "
                    "disabled or dropped",
                    "restore it from a copy, and ask who changed it",
                )

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        detail = ""
        cause: BaseException | None = None
        try:
            yield
        except (SQLAlchemyError, OSError, UnicodeError) as error:
            said = getattr(error, "orig", None) or error
            state = getattr(said, "sqlstate", None)
            if state is None or state.startswith(_SHOWN):
                detail, cause = (str(said).splitlines() or [""])[0], error
            else:
                # It may quote an answer that was drawn, and will not have been stored.
                detail = f"the server refuses a statement (SQLSTATE {state})"
        if detail:
            raise LedgerError(
                f"ledger {self.label!r} cannot be used: {detail}",
                help="check the server and the rights of this user, and try again; nothing was answered",
                ledger=self.label,
            ) from cause


def _engine(url: str) -> "tuple[Engine, str]":
    """Return what connects to the database, and where that is without a password."""
    from sqlalchemy import URL, create_engine, make_url
    from sqlalchemy.exc import ArgumentError

    try:
        address = make_url(url).set(drivername="postgresql+psycopg")
        named = URL.create("postgresql", address.username, None, address.host, address.port, address.database)
    except (ArgumentError, ValueError):
        # The text is not shown: it may hold a password.
        raise LedgerError(
            "the address of the ledger is not a PostgreSQL URL",
            help="write it like postgresql://user@host/database",
        ) from None
    engine = create_engine(
        address,
        pool_size=1,
        max_overflow=0,
        pool_pre_ping=True,
        hide_parameters=True,
        isolation_level="READ COMMITTED",
        connect_args={"connect_timeout": _CONNECT_SECONDS},
    )
    return engine, named.render_as_string()


def _runner(connection: "Connection") -> Run:
    from sqlalchemy import text

    def run(statement: str, values: Mapping[str, object]) -> list[Row]:
        result = connection.execute(text(statement), dict(values))
        return [tuple(row) for row in result] if result.returns_rows else []

    return run
