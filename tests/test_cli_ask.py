# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask``, ``keys`` and ``verify RECEIPT``, as people type them."""

import json
from pathlib import Path

import pytest

from command_line import Runner, process

ROWS = (
    "id,party,age,town\n"
    + "".join(f"{at},red,{20 + at % 60},A\n" for at in range(300))
    + "".join(f"{300 + at},blue,70,B\n" for at in range(90))
    + '1,"x,y",old,A\n2,,,\nragged\n3,red,4,A,too,long\n'
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("winner", "--column", "party", "--options", "red,blue"), "red"),
        (("winner", "--column", "party", "--options", 'red,"x,y"', "--format", "json"), '"red"'),
        (("winner", "--column", "party", "--options", "blue,red", "--where", "town=B"), "blue"),
        (("winner", "--column", "party", "--options", "blue", "--other", "rest"), "rest"),
        (("ranking", "--column", "party", "--options", "blue,red", "--format", "json"), '["red", "blue"]'),
        (("yes-no", "--column", "party", "--equals", "red", "--at-least", "100"), "yes"),
        (("yes-no", "--column", "party", "--equals", "blue", "--share", "1/2"), "no"),
        (("yes-no", "--column", "age", "--sum", "--clamp", "0,100", "--at-least", "100000"), "no"),
        (("level", "--column", "party", "--equals", "red", "--edges", "100,200", "--labels", "a,b,c"), "c"),
        (("bracket", "--column", "age", "--edges", "30,100"), "30..<100"),
        (
            ("winner", "--column", "party", "--options", "red,blue", "--by", "town", "--groups", "A,B"),
            "A: red\nB: blue",
        ),
        (("winner", "--column", "party", "--options", "red,blue", "--unit", "id", "--max-rows", "1"), "red"),
    ],
)
def test_an_answer_goes_to_stdout_and_nothing_else_does(
    run: Runner, table: Path, words: tuple[str, ...], printed: str
) -> None:
    kind, *options = words
    done = run("ask", kind, table, *options, "--epsilon", "20")
    assert (done.code, done.out) == (0, f"{printed}\n"), done.err
    assert all(line.startswith("note: ") for line in done.err.splitlines())


@pytest.mark.parametrize(
    ("options", "said", "help"),
    [
        (("--column", "pary", "--options", "a,b", "--epsilon", "1"), "no column 'pary'", "'party'"),
        (
            ("--column", "party", "--options", "a", "--epsilon", "1"),
            "--options: there are 1 options",
            "declare",
        ),
        (
            ("--column", "party", "--epsilon", "1"),
            "neither --options nor --options-file is given",
            "--options",
        ),
        (("--column", "party", "--options", "a,b"), "no privacy is given", "--epsilon"),
        (("--column", "party", "--options", "a,b", "--epsilon", "inf"), "inf", ""),
        (
            ("--column", "party", "--options", "a,b", "--epsilon", "1", "--unit", "id"),
            "--unit is given",
            "",
        ),
        (
            ("--column", "party", "--options", "a,b", "--epsilon", "1", "--by", "town"),
            "--by is given without --groups",
            "",
        ),
        (
            ("--column", "party", "--options", "a,b", "--epsilon", "1", "--name", "x"),
            "--name is given without --ledger",
            "",
        ),
        (
            ("--column", "party", "--options", "a,b", "--epsilon", "1", "--neighbors", "x"),
            "'x'",
            "add-remove",
        ),
        (("--column", "party", "--options", "a,b", "--epsilon", "1", "--where", "town"), "town", ""),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_a_way_on(
    run: Runner, table: Path, options: tuple[str, ...], said: str, help: str
) -> None:
    done = run("ask", "winner", table, *options)
    error, hint = done.error
    assert done.code == 2
    assert said in error
    assert help in hint


def test_a_table_that_is_not_there_exits_4(run: Runner, tmp_path: Path) -> None:
    done = run("ask", "winner", tmp_path / "no.csv", "--column", "a", "--options", "a,b", "--epsilon", "1")
    assert done.code == 4


def test_rows_change_nothing_but_the_answer(run: Runner, tmp_path: Path) -> None:
    said = set()
    for rows in ("party\nred\n", "party\n" + "blue,1\n" * 50 + 'x"y\n', "party\n", "party\n\xff\n\0\n"):
        path = tmp_path / "people.csv"
        path.write_bytes(rows.encode("latin-1"))
        done = run("ask", "winner", path, "--column", "party", "--options", "red,blue", "--epsilon", "1")
        assert done.out in {"red\n", "blue\n"}
        said.add((done.code, done.err))
    assert len(said) == 1


def test_a_ledger_is_charged_and_refuses(run: Runner, table: Path, tmp_path: Path) -> None:
    ledger = ("--ledger", tmp_path / "l", "--name", "b")
    assert run("budget", "create", "b", "--ledger", tmp_path / "l", "--epsilon", "20").code == 0
    asked = ("ask", "winner", table, "--column", "party", "--options", "red,blue", "--epsilon", "20")
    first = run(*asked, *ledger, "--request-id", "q")
    again = run(*asked, *ledger, "--request-id", "q")
    assert (first.code, first.out, again.out) == (0, "red\n", "red\n")
    refused = run(*asked, *ledger)
    assert (refused.code, refused.out) == (3, "")
    assert "spent epsilon 20; asked epsilon 20; left epsilon 0" in refused.err


def test_a_receipt_is_written_and_verified_by_itself(run: Runner, table: Path, tmp_path: Path) -> None:
    receipt = tmp_path / "r.json"
    asked = ("ask", "winner", table, "--column", "party", "--options", "red,blue", "--epsilon", "20")
    assert run(*asked, "--receipt", receipt).code == 0
    found = run("verify", receipt)
    assert (found.code, found.out.splitlines()[0]) == (0, "holds")
    content = json.loads(receipt.read_text(encoding="utf-8"))
    content["cost"] = {"epsilon": "1"}
    receipt.write_text(json.dumps(content), encoding="utf-8")
    broken = run("verify", receipt, "--format", "json")
    assert broken.code == 1
    assert json.loads(broken.out)["faults"] == ["the cost is not what these terms give"]
    assert run("verify", receipt, "--epsilon", "1").code == 2
    receipt.write_text('{"schema": "rainbowdp.receipt/1"}', encoding="utf-8")
    assert run("verify", receipt).code == 4


def test_keys_are_named_and_receipted(run: Runner, table: Path, tmp_path: Path) -> None:
    receipt = tmp_path / "k.json"
    named = run("keys", table, "--column", "party", "--epsilon", "1", "--delta", "1e-9", "--receipt", receipt)
    assert (named.code, named.out) == (0, "blue\nred\n")
    assert run("verify", receipt).code == 0
    person = ("--unit", "id", "--max-keys", "2", "--format", "json")
    some = run("keys", table, "--column", "party", "--epsilon", "9", "--delta", "1e-9", *person)
    assert json.loads(some.out) == ["blue", "red"]
    assert run("keys", table, "--column", "party", "--epsilon", "1").code == 2


def test_the_table_may_come_from_standard_input() -> None:
    import subprocess
    import sys

    words = ["ask", "winner", "-", "--column", "party", "--options", "red,blue", "--epsilon", "20"]
    done = subprocess.run(
        [sys.executable, "-m", "rainbowdp", *words],
        input=ROWS,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "red\n"), done.stderr


def test_help_names_what_can_be_asked() -> None:
    done = process("ask", "--help")
    assert done.returncode == 0
    for kind in ("winner", "ranking", "yes-no", "level", "bracket"):
        assert kind in done.stdout
