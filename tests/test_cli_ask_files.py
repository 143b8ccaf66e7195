# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask`` and the files it is given: nothing is replaced, and no list of options is the table."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from asked_people import SURE, TABLE, WINNER, duckdb_file, make_budget, winner
from command_line import PROGRAM, Runner


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


def test_a_receipt_is_no_link_to_the_ledger_and_never_replaces_it(run: Runner) -> None:
    make_budget(run)
    Path("link").symlink_to("l")
    before = Path("l").read_bytes()
    paid = ("--ledger", "l", "--name", "b")
    for receipt in ("l", "link"):
        outcome = winner(run, *SURE, *paid, "--receipt", receipt)
        assert "would replace 'l'" in outcome.error[0]
    for mark in ("journal", "wal", "shm"):
        assert "would replace 'l'" in winner(run, *SURE, *paid, "--receipt", f"./l-{mark}").error[0]
    Path("o.txt").write_text("A\nB\n", encoding="utf-8")
    from_file = ("people.csv", "--column", "vote", "--options-file", "o.txt", *SURE)
    assert "would replace 'o.txt'" in run("ask", "winner", *from_file, "--receipt", "./o.txt").error[0]
    assert Path("o.txt").read_text(encoding="utf-8") == "A\nB\n"
    shutil.copy("people.csv", "part-1.csv")
    outcome = run("ask", "winner", "part-*.csv", *WINNER, *SURE, "--receipt", "part-1.csv")
    assert "would replace" in outcome.error[0]
    assert Path("l").read_bytes() == before


def test_a_receipt_replaces_nothing_but_a_receipt(run: Runner) -> None:
    Path("other.csv").write_text(TABLE, encoding="utf-8")
    query = ("people.csv", *WINNER, *SURE)
    for name in ("other.csv", "./other.csv"):
        outcome = run("ask", "winner", *query, "--receipt", name)
        assert f"--receipt would replace {name!r}, which is not a receipt" in outcome.error[0]
    assert Path("other.csv").read_text(encoding="utf-8") == TABLE
    keys = ("keys", "people.csv", "--column", "vote", *SURE, "--delta", "1e-6", "--receipt")
    assert "which is not a receipt" in run(*keys, "other.csv").error[0]
    Path("r.json").touch()
    for _ in range(2):
        assert winner(run, *SURE, "--receipt", "r.json").code == 0
        assert run("verify", "r.json").code == 0
        assert run(*keys, "r.json").code == 0
    written = Path("r.json").read_text(encoding="utf-8")
    # Receipts are written whole: several in one file, or one with something else, are somebody's collection.
    for text in (
        written + written,
        written[:-9],
        written.replace("rainbowdp.receipt/", "rainbowdp.own/"),
    ):
        assert text != written
        Path("r.json").write_text(text, encoding="utf-8")
        assert "which is not a receipt" in winner(run, *SURE, "--receipt", "r.json").error[0]
        assert Path("r.json").read_text(encoding="utf-8") == text


def test_a_receipt_never_replaces_a_database_however_it_is_called(run: Runner) -> None:
    with contextlib.closing(sqlite3.connect("d.db")) as database:
        database.execute("create table people (vote)")
    duckdb_file()
    before = Path("d.db").read_bytes(), Path("e.duckdb").read_bytes()
    sources = {
        "d.db": ("sqlite:///d.db", "sqlite:///d.db?mode=ro", "SQLite:///./d.db", "sqlite:///d%2Edb"),
        "e.duckdb": (
            "duckdb:///e.duckdb",
            "duckdb:///e.duckdb?access_mode=read_only",
            "DUCKDB:///e%2Educkdb",
        ),
    }
    for file, urls in sources.items():
        for url in (*urls, urls[0].replace("///", f"///{Path.cwd()}/")):
            for receipt in (file, f"./{file}-journal", f"{file}.wal"):
                outcome = run("ask", "winner", url, *WINNER, *SURE, "--receipt", receipt)
                assert f"--receipt would replace '{url}'" in outcome.error[0]
    assert (Path("d.db").read_bytes(), Path("e.duckdb").read_bytes()) == before
    make_budget(run)
    Path("other").mkdir()
    Path("other/link").symlink_to(Path("l").absolute())
    paid = ("--ledger", "other/link", "--name", "b")
    assert "would replace" in winner(run, *SURE, *paid, "--receipt", "l-journal").error[0]


@pytest.mark.parametrize("source", ["people.csv", "peop*.csv", "./people.csv"])
def test_the_table_is_no_list_of_its_options(run: Runner, source: str) -> None:
    Path("hard.txt").hardlink_to("people.csv")
    for options in ("people.csv", str(Path("people.csv").absolute()), "hard.txt"):
        outcome = run("ask", "winner", source, "--column", "vote", "--options-file", options, *SURE)
        assert "--options-file names the table itself" in outcome.error[0]
        assert "Ulm" not in outcome.err


@pytest.mark.parametrize("options", ["people.csv", "/dev/stdin"])
def test_standard_input_is_no_list_of_its_options_either(run: Runner, options: str) -> None:
    command = [
        *PROGRAM,
        "ask",
        "winner",
        "-",
        "--column",
        "vote",
        "--options-file",
        options,
        "--epsilon",
        "1",
    ]
    with Path("people.csv").open("rb") as table:
        done = subprocess.run(command, stdin=table, check=False, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--options-file names the table itself" in done.stderr
    assert "Ulm" not in done.stderr
    del run


def test_a_file_of_options_may_be_long_and_has_ordinary_lines(run: Runner) -> None:
    names = [f"option {at}" for at in range(100_000)]
    Path("many.txt").write_text("\r\n".join(names), encoding="utf-8")
    many = ("people.csv", "--column", "vote", *SURE, "--options-file", "many.txt")
    assert run("ask", "winner", *many, "--other", "A").out == "A\n"
    Path("many.txt").write_text("\n".join([*names, names[-1]]), encoding="utf-8")
    assert "names 'option 99999' twice" in run("ask", "winner", *many).error[0]
    # Only what ends the lines of a table ends a name.
    Path("signs.txt").write_text("A\rB\u2028B\x0b\x0c\x85", encoding="utf-8")
    signs = ("people.csv", "--column", "vote", *SURE, "--options-file", "signs.txt", "--receipt", "r.json")
    assert run("ask", "winner", *signs).out == "A\n"
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["question"]["options"] == ["A", "B\u2028B"]
