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
from rainbowdp.ledger.database import Row, Run, Values, check_version, now, raise_alone, refuse
from rainbowdp.ledger.postgres_form import is_ledger
from rainbowdp.ledger.schema import APPLICATION, POSTGRESQL, VERSION
from rainbowdp.ledger.statements import READ_VERSION, RECORD_VERSION

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_CONNECT_SECONDS = 10
_EXISTS = "SELECT to_regclass('rainbowdp_ledger') IS NOT NULL, to_regclass('rainbowdp_entries') IS NOT NULL"
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
        seen = Values()
        with self._lock, self._translated(seen), self.engine.begin() as connection:
            run = seen.watched(_runner(connection))
            run(f"SET LOCAL lock_timeout = {self._milliseconds}", {})
            if write:
                run(_WAIT_FOR_COMMITS, {})
                run(f"SELECT pg_catalog.pg_advisory_xact_lock({APPLICATION})", {})
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
            if not is_ledger(run):
                refuse(
                    self.label,
                    "has not the form of a ledger: a column, trigger, index or check was added, changed, "
                    "disabled or dropped",
                    "restore it from a copy, and ask who changed it",
                )

    @contextlib.contextmanager
    def _translated(self, seen: Values) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        failed: LedgerError | KeyboardInterrupt | None = None
        try:
            yield
        except (SQLAlchemyError, OSError, UnicodeError) as error:
            said = getattr(error, "orig", None) or error
            detail = (str(said).splitlines() or [""])[0]
            if seen.private:
                detail = f"the server refuses an entry ({type(said).__name__})"
            failed = LedgerError(
                f"ledger {self.label!r} cannot be used: {detail}",
                help="check the server and the rights of this user, and try again; nothing was answered",
                ledger=self.label,
            )
            if _interrupted(error):
                failed = KeyboardInterrupt()
        if failed is not None:
            raise_alone(failed)


def _interrupted(error: BaseException | None) -> bool:
    """Tell whether an error came of an interrupt: giving a busy connection back fails, and hides it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


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
        # A database or user may want another encoding, in which psycopg returns bytes or has fewer signs.
        connect_args={"connect_timeout": _CONNECT_SECONDS, "client_encoding": "utf8"},
    )
    return engine, named.render_as_string()


def _runner(connection: "Connection") -> Run:
    from sqlalchemy import text

    def run(statement: str, values: Mapping[str, object]) -> list[Row]:
        result = connection.execute(text(statement), dict(values))
        return [tuple(row) for row in result] if result.returns_rows else []

    return run
