# SPDX-License-Identifier: Apache-2.0
"""What the rules of a ledger ask of a database: transactions, one writer at a time, and nothing else.

Both databases run the same statements, with parameters named ``:name``. Whatever goes wrong in one becomes a
`LedgerError`, and the transaction is undone: a grant exists only after its commit.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import NoReturn, Protocol

from rainbowdp.errors import LedgerError
from rainbowdp.ledger.schema import VERSION

Row = tuple[object, ...]
Run = Callable[[str, Mapping[str, object]], list[Row]]
"""Run one statement with named parameters inside a transaction, and return its rows."""


class Database(Protocol):
    """A place that keeps the entries of a ledger."""

    @property
    def label(self) -> str:
        """Where it is, for messages; without a password."""

    def transaction(self, *, write: bool) -> AbstractContextManager[Run]:
        """Open a transaction that is committed at the end and undone by any error.

        Only one writing transaction is open at a time, and it sees everything committed before it began.

        Raises
        ------
        LedgerError
            If the database cannot be read, written or locked in time.
        """

    def close(self) -> None:
        """Give the connection back; transactions are impossible from then on."""


class Values:
    """Whether an answer was among the values of a transaction: what the database says may quote it then."""

    def __init__(self) -> None:
        self.private = False

    def watched(self, run: Run) -> Run:
        """Return what runs statements and looks at their values."""

        def watching(statement: str, values: Mapping[str, object]) -> list[Row]:
            self.private |= values.get("answer") is not None
            return run(statement, values)

        return watching


def raise_alone(error: LedgerError | KeyboardInterrupt) -> NoReturn:
    """Raise an error without what it came of, which may quote an answer that was drawn and not stored.

    Raises
    ------
    LedgerError, KeyboardInterrupt
        Always.
    """
    try:
        raise error
    except (LedgerError, KeyboardInterrupt):
        error.__context__ = None
        raise


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


def check_version(label: str, rows: list[Row]) -> None:
    """Refuse a ledger of another form than this version of rainbowdp knows.

    Raises
    ------
    LedgerError
        If it is of another form, or does not say.
    """
    if len(rows) != 1 or not isinstance(version := rows[0][0], int) or version < 1:
        refuse(label, "does not say which version it has", "restore it from a copy")
    if version < VERSION:
        refuse(
            label,
            f"has version {version}, which was never published, and this rainbowdp knows version {VERSION}",
            "create a new ledger; what the old one spent is to be left out of the new budgets",
        )
    if version > VERSION:
        refuse(
            label,
            f"has version {version}, and this rainbowdp knows version {VERSION}",
            "use the version of rainbowdp that wrote it, or a newer one",
        )
