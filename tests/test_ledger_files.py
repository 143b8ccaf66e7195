# SPDX-License-Identifier: Apache-2.0
"""A ledger in a SQLite file: whatever is wrong with the file is an error, and nothing is granted."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger_places import ask, pure, run_sqlite
from rainbowdp.errors import LedgerError, RainbowError, UsageError
from rainbowdp.ledger import Ledger, open_database, open_ledger
from rainbowdp.ledger.sqlite import SqliteDatabase


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "budgets.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.create("survey", pure(3))
        ledger.store(ask(ledger, "q1"), "Ann")
    return path


def test_paths_with_odd_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["100%.ledger", "x?mode=ro&y#z", "ä🌈.ledger", "file:x", ":memory:", "a'b\"c", "bytes-\udcff"]
    for name in names:
        with open_ledger(tmp_path / name, create=True) as ledger:
            ledger.create("survey", pure(3))
        for place in (name, f"sqlite:///{name}", f"sqlite:///{tmp_path}/{name}"):
            with open_ledger(place) as ledger:
                assert ledger.names() == ("survey",)
    assert sorted(os.listdir(tmp_path)) == sorted(names)  # noqa: PTH208 - the bare names, as the system has them


def test_places_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    not_usable: dict[str | Path, tuple[type[RainbowError], str]] = {
        **dict.fromkeys(("", " ", "a\0b"), (UsageError, "is not a path")),
        **dict.fromkeys(
            ("https://example.org/x.ledger", "mysql://x/y", "sqlite://x"), (LedgerError, "cannot be kept in")
        ),
        tmp_path: (LedgerError, "is a directory"),
        tmp_path / "no" / "x": (LedgerError, "in a directory that does not exist"),
        tmp_path / "pipe": (LedgerError, "is not a regular file"),
        tmp_path / "loop": (LedgerError, "cannot be used"),
    }
    for mark in ("journal", "wal", "shm"):
        # SQLite would remove it as soon as the other one is used.
        not_usable[tmp_path / f"x.ledger-{mark}"] = (LedgerError, "a name that SQLite gives to files")
    for place, (kind, reason) in not_usable.items():
        with pytest.raises(kind, match=reason):
            open_ledger(place, create=True)
    with pytest.raises(LedgerError, match="does not exist"):
        open_ledger(tmp_path / "x.ledger")
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "loop"}


def test_symbolic_links_lead_to_the_same_ledger(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.ledger"
    link.symlink_to(file)
    with open_ledger(link) as ledger:
        ask(ledger)
        assert list(folder.iterdir()) == [link]
    with open_ledger(file) as ledger:
        assert ledger.state("survey").requests == 2
    broken = folder / "broken"
    broken.symlink_to(tmp_path / "nothing")
    with pytest.raises(LedgerError, match="does not exist"):
        open_ledger(broken)


def other_database(path: Path) -> None:
    run_sqlite(path, "CREATE TABLE people (name TEXT)")


def other_application(path: Path) -> None:
    with open_ledger(path, create=True):
        pass
    run_sqlite(path, "PRAGMA application_id = 7")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.write_text("a text\n" * 1000), "file is not a database"),
        (lambda path: path.write_bytes(os.urandom(5000)), "file is not a database"),
        (lambda path: path.write_text("x"), "is not a database"),
        (other_database, "is a SQLite file, but not a ledger"),
        (other_application, "is a SQLite file, but not a ledger"),
    ],
)
def test_a_file_that_is_something_else_is_never_touched(
    tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / "x"
    make(path)
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(LedgerError, match=reason) as caught:
            open_ledger(path, create=create)
        assert caught.value.exit_code == 4
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_ledger_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    with pytest.raises(LedgerError, match="is an empty file"):
        open_ledger(path)
    assert path.stat().st_size == 0
    open_ledger(path, create=True).close()
    open_ledger(path).close()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER swallow BEFORE INSERT ON rainbowdp_entries BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TABLE notes (text TEXT)",
        "CREATE INDEX more ON rainbowdp_entries (event)",
        "DROP INDEX rainbowdp_one_charge",
        "DROP TRIGGER rainbowdp_entries_append",
        "ALTER TABLE rainbowdp_entries ADD COLUMN extra TEXT",
        "DROP TABLE rainbowdp_entries",
        "DROP TABLE rainbowdp_ledger",
    ],
)
def test_another_form_is_refused(file: Path, statement: str) -> None:
    run_sqlite(file, statement)
    with pytest.raises(LedgerError, match="has not the form of a ledger"):
        open_ledger(file)


def test_damage_on_any_page_is_an_error_or_changes_nothing(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    with open_ledger(file) as ledger:
        expected = ledger.history("survey")
    refused = 0
    for start in range(0, len(whole), 512):
        damaged = tmp_path / "damaged.ledger"
        damaged.write_bytes(
            whole[:start] + bytes(255 - byte for byte in whole[start : start + 512]) + whole[start + 512 :]
        )
        try:
            with open_ledger(damaged) as ledger:
                assert ledger.history("survey") == expected
        except LedgerError:
            refused += 1
    # Every page holds something; what is free on it may be anything.
    assert refused >= len(whole) // 4096


def test_a_full_disk_grants_nothing(file: Path) -> None:
    database = open_database(file, create=False)
    assert isinstance(database, SqliteDatabase)
    granted = 0

    def fill() -> None:
        nonlocal granted
        while True:
            ask(ledger)
            granted += 1

    with Ledger(database) as ledger:
        pages = database.connection.execute("PRAGMA page_count").fetchone()[0]
        database.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerError, match="database or disk is full") as caught:
            fill()
        assert "free some space" in caught.value.help
        assert ledger.state("survey").requests == granted + 1
    with open_ledger(file) as ledger:
        assert ledger.state("survey").requests == granted + 1
        ask(ledger)


def test_a_read_only_ledger_can_be_read_and_grants_nothing(file: Path) -> None:
    file.chmod(0o444)
    file.parent.chmod(0o555)
    try:
        database = open_database(file, create=False)
        assert isinstance(database, SqliteDatabase)
        with Ledger(database) as ledger:
            # The administrator of the system may write into any file.
            database.connection.execute("PRAGMA query_only = ON")
            with pytest.raises(LedgerError, match="cannot be used: attempt to write a readonly") as caught:
                ask(ledger)
            assert caught.value.help == "make the file and its directory writable"
            assert ledger.state("survey").requests == 1
    finally:
        file.parent.chmod(0o755)


@pytest.mark.parametrize("held", ["BEGIN EXCLUSIVE", "BEGIN; SELECT * FROM rainbowdp_entries"])
def test_a_file_that_another_process_writes_or_reads_grants_nothing(file: Path, held: str) -> None:
    with (
        contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other,
        open_ledger(file, timeout=0.05) as ledger,
    ):
        for statement in held.split("; "):
            other.execute(statement).fetchone()
        with pytest.raises(LedgerError, match="database is locked") as caught:
            ask(ledger)
        assert "try again" in caught.value.help
        if held == "BEGIN EXCLUSIVE":
            with pytest.raises(LedgerError, match="database is locked"):
                open_ledger(file, timeout=0.05)
        other.execute("ROLLBACK")
        assert ledger.state("survey").requests == 1
        assert ask(ledger).granted == "new"


def test_commits_are_synchronous(file: Path) -> None:
    database = open_database(file, create=False)
    assert isinstance(database, SqliteDatabase)
    with contextlib.closing(database):
        values = [
            database.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "foreign_keys")
        ]
    assert values == [3, 1]
