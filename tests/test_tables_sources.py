# SPDX-License-Identifier: Apache-2.0
"""What a source is called, what is refused about it, and that no message ever holds a cell or a password."""

import contextlib
import io
import os
import resource
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cell_tally import cells
from postgres_server import fresh_database
from rainbowdp.errors import RainbowError, TableUnreadableError, UnknownColumnError, UsageError
from rainbowdp.questions.readings import OptionReading
from rainbowdp.tables import open_table, summarize
from table_backends import BACKENDS, HEADLESS, Row, csv_file, pyspark, sqlite

CANARY = "canary-7351"
INSERT_CANARY = "insert into a values ('canary-7351')"


Refusal = tuple[type[RainbowError], str]


def test_the_public_name_of_a_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[Row] = [(1, "red", True, 1.0, "N")]
    monkeypatch.chdir(tmp_path)
    with csv_file(rows, tmp_path):
        with open_table("people.csv") as table:
            assert table.identity == str(tmp_path.resolve() / "people.csv")
        with open_table("./peop*.csv") as table:
            assert table.identity == str(tmp_path.resolve() / "peop*.csv")
    with sqlite(rows, tmp_path):
        for options in ({}, {"table": "people"}):
            with open_table("sqlite:///a.db", **options) as table:
                assert table.identity == f"sqlite:///{tmp_path}/a.db table people"
    url = fresh_database()
    with open_table(url, sql="select 1 as a;") as table:
        assert table.identity.startswith("postgresql://127.0.0.1:")
        assert "query sha256:" in table.identity
        assert url.split(":")[2].split("@")[0] not in table.identity + repr(table)


def test_standard_input_is_spooled_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"vote\r\nred\r\nblue\r\n")))
    with open_table("-") as table:
        assert table.identity == "standard input"
        assert cells(table, "vote") == {"red": 1, "blue": 1}
        assert cells(table, "vote", where={"vote": "red"}) == {"red": 1}
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(TableUnreadableError, match="so it has no header"):
        open_table("-")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "options", "refusal"),
    [
        ("absent.csv", {}, (TableUnreadableError, "does not exist")),
        (".", {}, (TableUnreadableError, "is a directory")),
        ("absent-*.csv", {}, (TableUnreadableError, "no file has a name like")),
        ("sqlite:///absent.db", {}, (TableUnreadableError, "there is no file")),
        ("duckdb:///absent.db", {}, (TableUnreadableError, "there is no file")),
        ("mysql://ann:secret@host/db", {}, (UsageError, "mysql:// is not a database that can be read")),
        ("postgresql://ann:secret@host:port/db", {}, (UsageError, "is not well formed")),
        ("postgresql://ann:secret@127.0.0.1:1/db", {}, (TableUnreadableError, "cannot connect to")),
        ("absent.csv", {"table": "t"}, (UsageError, "are for SQL URLs")),
        ("sqlite:///absent.db", {"table": "t", "sql": "q"}, (UsageError, "both a table and a query")),
        ("sqlite:///absent.db", {"encoding": "latin-1"}, (UsageError, "an encoding is for text files")),
        (7, {}, (UsageError, "a int is not a table")),
    ],
)
def test_what_is_no_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: object, options: dict[str, str], refusal: Refusal
) -> None:
    monkeypatch.chdir(tmp_path)
    error, says = refusal
    with pytest.raises(error, match=says) as caught:
        open_table(source, **options)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "postgresql"])
def test_tables_and_queries_of_databases_are_judged(tmp_path: Path, kind: str) -> None:
    url = _database(kind, tmp_path, "create table votes (vote text)", "create table wards (ward text)")
    with pytest.raises(UsageError, match="holds 2 tables") as several:
        open_table(url)
    assert "'votes', 'wards'" in several.value.help
    with pytest.raises(TableUnreadableError, match="has no table 'vote'") as misspelt:
        open_table(url, table="vote")
    assert misspelt.value.help == "did you mean 'votes'?"
    for query in ("select nothing from votes", "delete from votes", "select 1; drop table votes", "oops"):
        with pytest.raises(TableUnreadableError, match="does not accept the query"):
            open_table(url, sql=query)
    with open_table(url, sql=" select vote, vote || '!' as loud from votes -- all ") as table:
        assert table.columns == ("vote", "loud")
        assert cells(table, "loud") == {}
        with pytest.raises(UnknownColumnError):
            cells(table, "proud")


def _database(kind: str, directory: Path, *statements: str) -> str:
    if kind == "sqlite":
        with contextlib.closing(sqlite3.connect(directory / "a.db")) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return f"sqlite:///{directory}/a.db"
    if kind == "duckdb":
        import duckdb

        with contextlib.closing(duckdb.connect(str(directory / "a.duckdb"))) as database:
            for statement in statements:
                database.execute(statement)
        return f"duckdb:///{directory}/a.duckdb"
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as server:
        for statement in statements:
            server.execute(statement.encode())
    return url


def test_a_frame_may_have_numbers_as_names_and_not_twice_the_same() -> None:
    import pandas as pd
    import pyarrow as pa

    with open_table(pd.DataFrame([["red", 1]])) as table:
        assert cells(table, "0") == {"red": 1}
    with pytest.raises(UnknownColumnError, match="columns 1 and 2 the same name"):
        open_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(UnknownColumnError, match="columns 1 and 2 the same name"):
        open_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ("vote,ward\nred,N\n", "do not have the same columns"),
        ("vote,ward,id\nred,N,2\n", "do not have the same columns"),
        ("vote\nred\n", "do not have the same columns"),
        ("", "has no header"),
    ],
)
def test_files_of_one_pattern_must_be_alike(tmp_path: Path, second: str, says: str) -> None:
    (tmp_path / "1.csv").write_text("id,vote\n1,red\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text(second, encoding="utf-8")
    with pytest.raises(TableUnreadableError, match=says):
        open_table(f"{tmp_path}/*.csv")
    (tmp_path / "2.csv").write_text("vote;id\nblue;2\n", encoding="utf-8")
    with open_table(f"{tmp_path}/*.csv") as table:
        assert cells(table, "vote") == {"red": 1, "blue": 1}


@pytest.mark.parametrize(
    "backend", [b for b in BACKENDS if b is not pyspark], ids=lambda backend: backend.__name__
)
def test_no_message_holds_a_cell(
    tmp_path: Path,
    backend: Callable[..., contextlib.AbstractContextManager[tuple[object, dict[str, str]]]],
    capfd: pytest.CaptureFixture[str],
) -> None:
    rows: list[Row] = [(1, CANARY, True, 1.0, CANARY), (None, f"{CANARY}'\";--", None, 2.5, None)]
    said = []
    with backend(rows, tmp_path) as (source, options), open_table(source, **options) as table:
        reading = OptionReading("vote", ("red", "blue"))
        found = summarize(table, reading, where={"ward": "N"}, unit="person")
        said += [
            repr(found),
            str(found),
            repr(table),
            *table.notes,
            table.identity.replace(str(tmp_path), ""),
        ]
        for wrong in () if backend in HEADLESS else ("canary", "Vote"):
            with pytest.raises(UnknownColumnError) as caught:
                summarize(table, reading, where={wrong: "N"})
            said += traceback.format_exception(caught.value)
            said.append(caught.value.report())
    assert not [text for text in said if CANARY in text]
    printed = capfd.readouterr()
    assert CANARY not in printed.out + printed.err


def test_what_a_library_says_is_never_repeated(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # The pages of the file are destroyed, its description is not.
    pq.write_table(
        pa.table({"vote": [CANARY] * 5000 + [str(at) for at in range(5000)]}), tmp_path / "a.parquet"
    )
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[100:4000] = bytes(reversed(content[100:4000]))
    (tmp_path / "a.parquet").write_bytes(content)
    url = _database("sqlite", tmp_path, "create table a (vote text)", INSERT_CANARY)
    failing = [(tmp_path / "a.parquet", {}), (url, {"sql": "select json_extract(vote, '$') as vote from a"})]
    for source, options in failing:
        with open_table(source, **options) as table, pytest.raises(TableUnreadableError) as caught:
            cells(table, "vote")
        error = caught.value
        assert error.__cause__ is None
        assert error.__suppress_context__ or error.__context__ is None
        assert "could not be read to its end" in error.what
        assert CANARY not in error.report()


ROWS = b"vote\n" + b"red\n" * 3


@contextlib.contextmanager
def piped(monkeypatch: pytest.MonkeyPatch, *, waits: bool) -> Iterator[int]:
    """Make standard input a pipe, and give its other end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, waits)
    with open(reader, "rb") as stream:  # noqa: PTH123 - a number, not a name
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        yield writer


@pytest.mark.parametrize("waits", [True, False])
def test_rows_that_come_late_are_read(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with piped(monkeypatch, waits=waits) as writer:

        def write() -> None:
            for part in (ROWS, b"blue\n" * 50_000, b"red\n"):
                with os.fdopen(os.dup(writer), "wb") as file:
                    file.write(part)
                time.sleep(0.2)
            os.close(writer)

        thread = threading.Thread(target=write)
        thread.start()
        with open_table("-") as table:
            thread.join()
            assert cells(table, "vote") == {"red": 4, "blue": 50_000}


def test_a_copy_that_does_not_fit_is_no_fault_of_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROWS * 100)))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(TableUnreadableError, match="no room for a temporary copy"):
            open_table("-")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())
