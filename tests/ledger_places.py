# SPDX-License-Identifier: Apache-2.0
"""Where the ledger tests keep their ledgers: a SQLite file or a database of a private PostgreSQL server.

A place also runs statements behind the ledger's back, as an administrator or a vandal would.
"""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postgres_server import fresh_database
from rainbowdp.errors import LedgerError
from rainbowdp.ledger import Amount, Charge, Cost, Ledger, open_ledger
from rainbowdp.ledger.database import APPLICATION, POSTGRESQL, SQLITE

KINDS = ("sqlite", "postgresql")
ASKED: dict[str, Any] = {"question": "winner of vote", "source": "/data/poll.csv", "privacy": "epsilon=1/10"}


@dataclass(frozen=True)
class Place:
    """One place for a ledger, by its kind and the address that `open_ledger` takes."""

    kind: str
    address: str

    def open(self, **options: Any) -> Ledger:  # noqa: ANN401 - handed on to open_ledger as they are
        """Open the ledger; ``create=True`` makes it."""
        return open_ledger(self.address, **options)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run one statement past the ledger, and commit it; a refusal of the database is a `LedgerError`."""
        if self.kind == "sqlite":
            return run_sqlite(self.address, statement)
        import psycopg

        try:
            with psycopg.connect(self.address) as connection:
                cursor = connection.execute(statement.encode())
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            raise LedgerError(str(error)) from error


def run_sqlite(path: str | Path, statement: str) -> list[tuple[Any, ...]]:
    """Run one statement in a file, with the settings that a plain connection has."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        try:
            with connection:
                return connection.execute(statement).fetchall()
        except sqlite3.Error as error:
            raise LedgerError(str(error)) from error


OLD_ENTRIES = """
INSERT INTO rainbowdp_entries (budget, number, previous, event, recorded_at,
    kind, epsilon_rational, epsilon_logarithm, delta, request, question, source, privacy, charge, answer)
VALUES
('old', 1, NULL, 'create', 't', 'pure', '3', '1', '0', NULL, NULL, NULL, NULL, NULL, NULL),
('old', 2, 1, 'charge', 't', 'pure', '1/10', '1', '0', 'q1', '"q"', '"s"', '"p"', NULL, NULL),
('old', 3, 2, 'answer', 't', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, '"Ann"')
"""


def make_old_ledger(place: Place) -> None:
    """Make a ledger of version 2, which knows no promises, with one budget, one charge and its answer."""
    version = "INSERT INTO rainbowdp_ledger VALUES (2, 'then')"
    settings = (f"PRAGMA application_id={APPLICATION}", "PRAGMA user_version=2")
    made = (*settings, *SQLITE) if place.kind == "sqlite" else POSTGRESQL
    for statement in (*made, version, OLD_ENTRIES):
        place.run(statement)


def make_place(kind: str, folder: Path) -> Place:
    """Return a place in which there is nothing yet."""
    return Place(kind, str(folder / "budgets.ledger") if kind == "sqlite" else fresh_database())


def pure(epsilon: str | int) -> Cost:
    """Return a pure cost."""
    return Cost(Amount.of(epsilon))


ONE_STEP = pure("1/10")


def ask(ledger: Ledger, request_id: str | None = None, cost: Cost = ONE_STEP, name: str = "survey") -> Charge:
    """Charge the answer to one question."""
    return ledger.charge(name, cost, request_id=request_id, **ASKED)
