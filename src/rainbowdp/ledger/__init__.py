# SPDX-License-Identifier: Apache-2.0
"""The budget ledger: what was spent on which data, so that no answer leaves that was not paid for.

`cost` adds prices in privacy without rounding, and says what an answer costs where another promise holds;
`book` has the rules; `entries` reads and adds entries, which are never changed or deleted; `database` has the
tables and transactions of both databases, `sqlite` and `postgres`.
"""

import os
import re
from pathlib import Path

from rainbowdp.errors import LedgerError, UsageError
from rainbowdp.ledger.book import Ledger
from rainbowdp.ledger.cost import Amount, Cost, Kind, Protection
from rainbowdp.ledger.database import Database
from rainbowdp.ledger.entries import BudgetState, Charge, Entry

__all__ = ["Amount", "BudgetState", "Charge", "Cost", "Entry", "Kind", "Ledger", "Protection", "open_ledger"]

SECONDS = 30.0
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.]*)://")
_SQLITE = "sqlite:///"
_POSTGRESQL = re.compile(r"(postgresql|postgres)(\+psycopg)?://")


def open_ledger(
    path_or_url: str | os.PathLike[str], *, create: bool = False, timeout: float = SECONDS
) -> Ledger:
    """Open a ledger.

    Parameters
    ----------
    path_or_url : str or path
        A file, ``sqlite:///file``, or ``postgresql://user@host/database`` (needs the extra ``postgres``).
    create : bool
        Make the ledger if there is none; a file that is something else is never touched.
    timeout : float
        How many seconds to wait for other processes before giving up.

    Returns
    -------
    Ledger
        A context manager; leaving it closes the ledger.

    Raises
    ------
    LedgerError
        If there is no ledger, or it cannot be opened, is damaged, or was tampered with.
    MissingExtraError
        If SQLAlchemy or psycopg is not installed.
    UsageError
        If the text is not a place.

    Examples
    --------
    >>> with open_ledger("yearly.ledger", create=True) as ledger:
    ...     ledger.names()
    ()
    """
    return Ledger(open_database(path_or_url, create=create, timeout=timeout))


def open_database(path_or_url: str | os.PathLike[str], *, create: bool, timeout: float = SECONDS) -> Database:
    """Open what keeps a ledger's entries; see `open_ledger`."""
    place = os.fspath(path_or_url)
    if not place.strip() or "\0" in place:
        raise UsageError(f"{place!r} is not a path of a file", help="name a file, or a PostgreSQL URL")
    if _POSTGRESQL.match(place):
        from rainbowdp.ledger.postgres import PostgresDatabase

        return PostgresDatabase(place, create=create, timeout=timeout)
    scheme = None if place.startswith(_SQLITE) else _SCHEME.match(place)
    if scheme:
        raise LedgerError(
            f"a ledger cannot be kept in {scheme[1]!r}",
            help="name a file, or a URL that begins with postgresql://",
        )
    from rainbowdp.ledger.sqlite import SqliteDatabase

    return SqliteDatabase(Path(place.removeprefix(_SQLITE)), create=create, timeout=timeout)
