# SPDX-License-Identifier: Apache-2.0
"""The form of a ledger: one list of entries that only ever grows, in the words of both databases.

Everything a ledger knows is a sum over its entries. Entry 1 of a budget creates it, each later one points to
the one before, so that none can go missing unseen; partial indexes let a request be charged once, be answered
once, and a budget be closed once. Triggers refuse to change, delete or replace an entry.

Free text is kept as a JSON string in ASCII, so that every text passes both databases unchanged.
"""

from typing import Final

VERSION: Final = 2
APPLICATION: Final = 0x52424450
"""The letters RBDP: the application id of a SQLite file, and the key of PostgreSQL's advisory lock."""

LEDGER: Final = "rainbowdp_ledger"
ENTRIES: Final = "rainbowdp_entries"
GUARD: Final = "rainbowdp_guard"

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


_REFUSE: Final = "BEGIN SELECT RAISE(ABORT, 'a ledger only grows: nothing in it is changed or deleted'); END"
# INSERT OR REPLACE deletes without a trigger of deletion, and foreign keys are off unless a client turns them
# on: hence the twin of a new entry and the entry before it are looked for.
_SQLITE_GUARDS: Final = (
    *(
        f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} {_REFUSE}"
        for table in (LEDGER, ENTRIES)
        for action in ("UPDATE", "DELETE")
    ),
    """CREATE TRIGGER rainbowdp_ledger_append BEFORE INSERT ON rainbowdp_ledger
WHEN EXISTS (SELECT 1 FROM rainbowdp_ledger)
BEGIN SELECT RAISE(ABORT, 'a ledger only grows: nothing in it is changed or deleted'); END""",
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

SQLITE: Final = (
    *(f"{table} STRICT, WITHOUT ROWID" for table in _TABLES),
    *_INDEXES,
    *_SQLITE_GUARDS,
)
"""What makes a SQLite ledger. WITHOUT ROWID, so that no hidden key can be used to replace an entry."""

GUARDED: Final = """ BEGIN
RAISE EXCEPTION 'a ledger only grows: nothing in it is changed or deleted'; END """
"""What the triggers of a PostgreSQL ledger do."""

POSTGRESQL: Final = (
    *_TABLES,
    *_INDEXES,
    f"CREATE FUNCTION {GUARD}() RETURNS trigger LANGUAGE plpgsql AS $${GUARDED}$$",
    *(
        f"CREATE TRIGGER {table}_guard BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {GUARD}()"
        for table in (LEDGER, ENTRIES)
    ),
)
"""What makes a PostgreSQL ledger."""
