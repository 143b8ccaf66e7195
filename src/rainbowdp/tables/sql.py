# SPDX-License-Identifier: Apache-2.0
"""Parse SQL URLs: the database, the table or query, and the public name without a password.

A URL names a database, ``table`` or ``sql`` names the rows. Messages and ledgers call a source by its
`SqlPlace.identity`: where the database is, and which rows, without user, password or options.
"""

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rainbowdp.errors import TableUnreadableError, UsageError, did_you_mean, readable
from rainbowdp.tables.local_files import is_utf8

_POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg", "postgresql+psycopg2")


@dataclass(frozen=True)
class SqlPlace:
    """A database and the rows of it that are meant.

    Attributes
    ----------
    kind : str
        ``sqlite``, ``duckdb`` or ``postgresql``.
    url : str
        For the driver, password included; never shown.
    path : Path
        The file, where the database is one.
    database : str
        The public name of the database.
    table, sql : str, optional
        The rows; at most one of them.
    """

    kind: str
    url: str = field(repr=False)
    path: Path
    database: str
    table: str | None
    sql: str | None

    @property
    def identity(self) -> str:
        """The public name of the rows; a query goes by its digest."""
        if self.sql is not None:
            return f"{self.database} query sha256:{hashlib.sha256(self.sql.encode()).hexdigest()[:16]}"
        return f"{self.database} table {self.table}" if self.table else self.database

    def chosen_table(self, tables: Iterable[str]) -> str:
        """Return the table that is meant, among those of the database.

        Raises
        ------
        UsageError
            If none is named, and there is not exactly one.
        TableUnreadableError
            If there is no such table.
        """
        known = sorted(tables)
        shown = ", ".join(map(repr, known[:20])) + (", …" if len(known) > 20 else "")
        if self.table is None:
            if len(known) == 1:
                return known[0]
            raise UsageError(
                f"{self.database} holds {len(known)} tables, and none is named",
                help=f"name one with --table: {shown}" if known else "name rows with --sql",
            )
        if self.table not in known:
            hint = did_you_mean(self.table, known)
            raise TableUnreadableError(
                f"{self.database} has no table {self.table!r}",
                help=hint or (f"its tables are {shown}" if known else "it holds no table"),
                table=self.table,
            )
        return self.table


def sql_place(url: str, table: str | None, sql: str | None) -> SqlPlace:
    """Read an SQL URL.

    Raises
    ------
    UsageError
        If the database is of no known kind, both a table and a query are named, or one is not text. The
        message shows no more of the URL than its scheme.

    Examples
    --------
    >>> sql_place("postgresql://ann:secret@db.example/health", "visits", None).identity
    'postgresql://db.example:5432/health table visits'
    """
    if table is not None and sql is not None:
        raise UsageError("both a table and a query are named", help="leave out --table or --sql")
    for what, said in (("table", table), ("query", sql)):
        # Bytes of a command line that are not UTF-8 come as half a surrogate pair.
        if said is not None and ("\0" in said or not is_utf8(said)):
            raise UsageError(f"the {what} is not text", help="write it in UTF-8, without NUL")
    scheme = url.partition("://")[0].lower()
    kind = "postgresql" if scheme in _POSTGRESQL else scheme
    if kind not in {"sqlite", "duckdb", "postgresql"}:
        raise UsageError(
            f"{scheme}:// is not a database that can be read",
            help="use sqlite:///FILE, duckdb:///FILE or postgresql://USER@HOST/DATABASE, or export CSV",
        )
    query = None if sql is None else sql.strip().rstrip(";").strip()
    if kind != "postgresql":
        # As in SQLAlchemy: three slashes before a relative path, four before an absolute one.
        path = _file(unquote(url[len(scheme) + 3 :].partition("?")[0].removeprefix("/")))
        return SqlPlace(kind, url, path, f"{kind}:///{path}", table, query)
    try:
        parts = urlsplit(url)
        place = f"{parts.hostname or 'localhost'}:{parts.port or 5432}{parts.path}"
    except ValueError:
        raise UsageError(
            "the postgresql:// URL is not well formed",
            help="write postgresql://USER@HOST:PORT/DATABASE, with special characters as %XX",
        ) from None
    driver = f"postgresql://{url.split('://', 1)[1]}"
    return SqlPlace(kind, driver, Path(), f"postgresql://{place}", table, query)


def _file(name: str) -> Path:
    """Return the absolute path of a file that is there."""
    # A name may be too long, or hold a NUL, or lead through a directory that may not be read.
    with contextlib.suppress(OSError, ValueError):
        path = Path(name).absolute()
        if path.is_file():
            return path
    raise TableUnreadableError(f"there is no file {readable(name)!r}", help="check the name")


def quoted(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def unreadable_query(place: SqlPlace, reason: str) -> TableUnreadableError:
    """Return the error for a query, or a view, that a database refuses before it runs."""
    if place.sql is None:
        return TableUnreadableError(
            f"{place.database} cannot be read: {reason}",
            help="check that it is a database which no other program has left unfinished, and how its tables "
            "and views are declared",
        )
    return TableUnreadableError(
        f"{place.database} does not accept the query: {reason}",
        help="check its spelling and the names in it",
    )
