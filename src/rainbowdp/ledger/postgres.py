# SPDX-License-Identifier: Apache-2.0
"""A ledger in a PostgreSQL database, which several machines share.

It is reached through SQLAlchemy and psycopg, the extra ``postgres``. Writers queue by one advisory lock,
which asks for no right beyond reading and inserting. A server that answers commits before they are safe
(``synchronous_commit=off``) is told to wait for them.

A ledger is used only if its tables have exactly the form that `POSTGRESQL` makes: the digest of the server's
own description of columns, constraints, indexes, triggers and rules is compared.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rainbowdp.errors import LedgerError, MissingExtraError
from rainbowdp.ledger.database import (
    ADDED,
    APPLICATION,
    OLD_VERSION,
    POSTGRESQL,
    READ_VERSION,
    RECORD_VERSION,
    VERSION,
    Database,
    Row,
    Run,
    refuse,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_CONNECT_SECONDS = 10
_EXISTS = "SELECT to_regclass('rainbowdp_ledger') IS NOT NULL, to_regclass('rainbowdp_entries') IS NOT NULL"
_WAIT_FOR_COMMITS = (
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
)

# Otherwise the server may describe checks and indexes with quoted names.
_PLAIN_NAMES = "SELECT set_config('quote_all_identifiers', 'off', true)"
FORM = """
WITH tables AS (
    SELECT oid, relname::text AS name FROM pg_class
    WHERE oid IN (to_regclass('rainbowdp_ledger'), to_regclass('rainbowdp_entries'))
)
SELECT concat_ws(' ', name, relkind, relpersistence, relhassubclass, relispartition, relrowsecurity)
FROM tables JOIN pg_class USING (oid)
UNION ALL
SELECT concat_ws(' ', name, attname, format_type(atttypid, atttypmod), attnotnull, attgenerated, attidentity,
    atthasdef, attcollation = typcollation)
FROM tables JOIN pg_attribute ON attrelid = tables.oid JOIN pg_type ON pg_type.oid = atttypid
WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT concat_ws(' ', name, pg_get_constraintdef(pg_constraint.oid))
FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE contype IN ('c', 'f', 'p', 'u', 'x')
UNION ALL
SELECT concat_ws(' ', name, pg_get_indexdef(indexrelid, 0, true), indisvalid)
FROM tables JOIN pg_index ON indrelid = tables.oid
UNION ALL
SELECT concat_ws(' ', name, pg_get_triggerdef(pg_trigger.oid, true), tgenabled IN ('O', 'A'), prosrc)
FROM tables JOIN pg_trigger ON tgrelid = tables.oid JOIN pg_proc ON pg_proc.oid = tgfoid
WHERE NOT tgisinternal
UNION ALL
SELECT concat_ws(' ', name, pg_get_ruledef(pg_rewrite.oid))
FROM tables JOIN pg_rewrite ON ev_class = tables.oid
"""
DIGESTS = {
    OLD_VERSION: "d9b6322c28b011e4d526973988698a9651269bee7af624d581ecfcb48267798d",
    VERSION: "51ec0a92206a0bfb423d4908f17b79bdf3e8b0517c5009fe00453f1ae4760ae7",
}


class PostgresDatabase(Database):
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

    _MAKE = (*POSTGRESQL, *ADDED, RECORD_VERSION)
    _UPDATE = (*ADDED, RECORD_VERSION)

    def __init__(self, url: str, *, create: bool, timeout: float) -> None:
        for package in ("sqlalchemy", "psycopg"):
            if find_spec(package) is None:
                raise MissingExtraError(
                    f"a ledger in PostgreSQL needs {package}, which is not installed",
                    help="pip install 'rainbowdp[postgres]'",
                    package=package,
                )
        self.engine, label = _engine(url)
        super().__init__(label)
        self._milliseconds = max(1, round(timeout * 1000))
        try:
            self._prepare(create=create)
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def _begun(self, *, write: bool) -> Iterator[Run]:
        with self.engine.begin() as connection:
            run = _runner(connection)
            run(f"SET LOCAL lock_timeout = {self._milliseconds}", {})
            if write:
                run(_WAIT_FOR_COMMITS, {})
                run(f"SELECT pg_catalog.pg_advisory_xact_lock({APPLICATION})", {})
            yield run

    def close(self) -> None:
        """Close the connection."""
        # Connections that came through a fork belong to the parent.
        self.engine.dispose(close=os.getpid() == self._owner)

    def _is_empty(self, run: Run) -> bool:
        return not any(run(_EXISTS, {})[0])

    def _version(self, run: Run) -> object:
        if run(_EXISTS, {}) != [(True, True)]:
            refuse(self.label, "does not exist there", "make it with `rainbowdp budget create`")
        return run(READ_VERSION, {})[0][0]

    def _check(self, run: Run, version: int) -> None:
        self._check_version(self._version(run), version)
        run(_PLAIN_NAMES, {})
        if digest(run(FORM, {})) != DIGESTS[version]:
            refuse(
                self.label,
                "has not the form of a ledger: a column, trigger, index or check was added, changed, "
                "disabled or dropped",
                "restore it from a copy, and ask who changed it",
            )

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

        try:
            yield
        except (SQLAlchemyError, OSError, UnicodeError) as error:
            if _interrupted(error):
                raise KeyboardInterrupt from None
            said = str(getattr(error, "orig", None) or error).partition("\n")[0]
            if isinstance(error, DataError | IntegrityError):
                # The server's message can quote an answer that was drawn and not stored.
                said = f"the server refuses an entry ({type(error).__name__})"
            raise LedgerError(
                f"ledger {self.label!r} cannot be used: {said}",
                help="check the server and the rights of this user, and try again; nothing was answered",
                ledger=self.label,
            ) from None


def digest(rows: list[Row]) -> str:
    """Return one digest of the lines of `FORM`, in any order."""
    return sha256("\n".join(sorted(str(line) for (line,) in rows)).encode()).hexdigest()


def _interrupted(error: BaseException | None) -> bool:
    """Tell whether an error hides an interrupt, because giving the busy connection back failed."""
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
        # In another encoding, which a database or user may want, psycopg returns bytes or refuses characters.
        connect_args={"connect_timeout": _CONNECT_SECONDS, "client_encoding": "utf8"},
    )
    return engine, named.render_as_string()


def _runner(connection: "Connection") -> Run:
    from sqlalchemy import text

    def run(statement: str, values: Mapping[str, object]) -> list[Row]:
        result = connection.execute(text(statement), dict(values))
        return [tuple(row) for row in result] if result.returns_rows else []

    return run
