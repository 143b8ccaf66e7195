# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify RECEIPT``, typed: what receipts say, and what is none."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import rainbowdp
from asked_people import SURE, TABLE, winner
from command_line import Outcome, Runner


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


@pytest.fixture
def receipt(run: Runner) -> dict[str, Any]:
    assert winner(run, "--epsilon", 1, "--receipt", "r.json").code == 0
    read: dict[str, Any] = json.loads(Path("r.json").read_text(encoding="utf-8"))
    return read


def test_a_receipt_is_verified_from_itself(run: Runner, receipt: dict[str, Any]) -> None:
    schema = Path(rainbowdp.__file__).parent / "release" / "receipt.schema.json"
    jsonschema.validate(receipt, json.loads(schema.read_text(encoding="utf-8")))
    outcome: Outcome = run("verify", "r.json")
    assert outcome.code == 0
    assert outcome.out.startswith("holds")
    Path("r.json").write_text(json.dumps({**receipt, "mechanism": "flip"}), encoding="utf-8")
    outcome = run("verify", "r.json")
    assert outcome.code == 1
    assert "the mechanism is not what these terms give" in outcome.out
    assert run("verify", "r.json", "--epsilon", 1).code == 2


def test_a_receipt_of_groups_says_what_they_cost_together(run: Runner) -> None:
    groups = ("--by", "town", "--groups", "Ulm,Bonn,Rom", "--unit", "person", "--max-rows", 2)
    assert winner(run, *SURE, *groups, "--neighbors", "change-one", "--receipt", "r.json").code == 0
    outcome = run("verify", "r.json")
    assert outcome.code == 0
    assert "cost                 epsilon=180\n" in re.sub("cost +", "cost" + " " * 17, outcome.out)
    found = json.loads(run("verify", "r.json", "--format", "json").out)
    assert found["cost"] == {"epsilon": "180"}


def test_a_receipt_is_known_by_what_it_says_and_not_by_its_name(run: Runner, receipt: dict[str, Any]) -> None:
    text = json.dumps(receipt)
    for name in ("receipt", "receipt.txt", "r.csv"):
        for written in (text, "\ufeff" + text, f"\n {text}"):
            Path(name).write_text(written, encoding="utf-8")
            assert run("verify", name).code == 0
    twice = text[:-1] + ', "answer": "B"}'
    for damaged in (text[:-1], text[: len(text) // 2], twice, text.replace("null", "nul", 1)):
        Path("receipt.txt").write_text(damaged, encoding="utf-8")
        outcome = run("verify", "receipt.txt")
        assert outcome.code == 4
        assert "'receipt.txt' is a damaged receipt" in outcome.error[0]


def broken(receipt: dict[str, Any]) -> Iterator[str]:
    """Yield texts of files that are no receipts any more."""
    yield json.dumps({**receipt, "schema": "rainbowdp.receipt/9"})
    yield json.dumps({**receipt, "extra": 1})
    yield json.dumps({**receipt, "answer": [["A"]]})
    yield json.dumps({**receipt, "privacy": {"epsilon": "inf"}})
    yield json.dumps({**receipt, "question": {**receipt["question"], "options": ["A"] * 3}})
    yield json.dumps({**receipt, "privacy": {"epsilon": "1.0"}})
    yield json.dumps({**receipt, "where": {"town": " Ulm"}})
    yield json.dumps({**receipt, "unit": {"column": "x", "at_most": 10**30}})[:-1]
    yield '{"schema": "rainbowdp.receipt/1", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    yield '{"schema": "rainbowdp.receipt/1"}'
    yield ""


def test_a_receipt_of_a_later_form_is_sent_to_a_later_version(run: Runner, receipt: dict[str, Any]) -> None:
    for schema in ("rainbowdp.receipt/3", "rainbowdp.keys-receipt/2"):
        Path("r.json").write_text(json.dumps({**receipt, "schema": schema}), encoding="utf-8")
        what, way_on = run("verify", "r.json").error
        assert repr(schema) in what
        assert way_on == "help: use the version of rainbowdp that wrote it, or a newer one"


def test_what_is_no_receipt_is_one_line_and_no_traceback(run: Runner, receipt: dict[str, Any]) -> None:
    for text in broken(receipt):
        Path("r.json").write_text(text, encoding="utf-8")
        outcome = run("verify", "r.json")
        assert outcome.code in {1, 2, 4}, text[:200]
        assert outcome.error if outcome.code > 1 else outcome.out.startswith("BROKEN")


def test_a_receipt_tells_which_rows_it_is_about(run: Runner) -> None:
    wanted = ("--where", "town=Bonn", "--where", "age=70", "--receipt", "r.json")
    assert winner(run, *SURE, *wanted).code == 0
    assert "only where 'age' is '70', 'town' is 'Bonn'" in run("verify", "r.json").out
    assert json.loads(run("verify", "r.json", "--format", "json").out)["where"] == {
        "age": "70",
        "town": "Bonn",
    }
    named = ("keys", "people.csv", "--column", "vote", "--epsilon", "1", "--delta", "0.1", *wanted)
    assert run(*named, "--unit", "person", "--max-keys", "2").code == 0
    told = run("verify", "r.json").out
    assert "only where 'age' is '70', 'town' is 'Bonn'" in told
    assert "add-remove; 'person' says whose row it is, at most 2 categories of one person" in told
    assert winner(run, *SURE, "--receipt", "r.json").code == 0
    assert "only where" not in run("verify", "r.json").out


def test_a_receipt_is_read_as_utf_8_and_in_no_encoding_that_is_guessed(run: Runner) -> None:
    assert winner(run, *SURE, "--receipt", "r.json").code == 0
    text = Path("r.json").read_text(encoding="utf-8")
    for encoding, code in (("utf-8", 0), ("utf-8-sig", 0), ("utf-16-le", 2), ("utf-16", 2), ("utf-32-be", 2)):
        Path("r.json").write_bytes(text.encode(encoding))
        found = run("verify", "r.json")
        assert (found.code != 0) == (code != 0), (encoding, found)


@pytest.mark.usefixtures("run")
def test_an_answer_is_not_lost_where_the_receipt_goes_to_stdout() -> None:
    words = ["ask", "winner", "people.csv", "--column", "vote", "--options", "red,blue", "--epsilon", "1"]
    for path in ("both", "/dev/stdout"):
        with Path("both").open("w") as goes:
            done = subprocess.run(
                [sys.executable, "-m", "rainbowdp", *words, "--receipt", path],
                stdout=goes,
                stderr=subprocess.PIPE,
                check=False,
                encoding="utf-8",
            )
        assert (done.returncode, Path("both").read_text()) == (4, "")
        assert f"cannot write '{path}': standard output goes there" in done.stderr
