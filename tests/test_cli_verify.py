# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify``: the verdict, the tight figure and the witness, from files of any origin."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from command_line import Outcome, Runner

HEAD = "dataset,rainbow,distance,b,r\n"
EXACT = HEAD + "x,b>r,0,1/3,2/3\ny,r>b,0,1/4,3/4\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "m.csv").write_text(EXACT)
    (tmp_path / "pairs.csv").write_text("source,target\nx,y\n")
    return tmp_path


def verify(run: Runner, files: Path, *words: str) -> Outcome:
    return run("verify", files / "m.csv", "--neighbors", files / "pairs.csv", *words)


def json_of(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def test_a_promise_that_holds(run: Runner, files: Path) -> None:
    outcome = verify(run, files, "--epsilon", "ln(4/3)", "--format", "json")
    assert outcome.code == 0
    assert outcome.err == ""
    found = json_of(outcome)
    assert list(found) == ["holds", "asked", "tight", "neighbor_pairs", "judged_within", "witness"]
    assert found["holds"] is True
    assert found["asked"] == {"epsilon": "ln(4/3)"}
    assert found["witness"] is None
    tight = found["tight"]["epsilon"]
    # The logarithm itself, to 25 digits, from elsewhere.
    assert Decimal(tight["lower"]) <= Decimal("0.2876820724517809274392190") <= Decimal(tight["upper"])
    assert tight["upper"] - tight["lower"] < 1e-12


def test_the_verdict_says_how_many_pairs_were_judged_and_how(run: Runner, files: Path) -> None:
    found = json_of(verify(run, files, "--epsilon", "1", "--format", "json"))
    assert (found["neighbor_pairs"], found["judged_within"]) == (1, None)
    rows = [line.split(maxsplit=1) for line in verify(run, files, "--epsilon", "1").out.splitlines()]
    assert ["judged", "1 pair of neighbors"] in rows
    assert ["numbers", "as written"] in rows
    (files / "m.csv").write_text(EXACT.replace("1/3,2/3", "0.25,0.75"))
    found = json_of(verify(run, files, "--epsilon", "1", "--format", "json"))
    assert "1e-12" in found["judged_within"]
    text = verify(run, files, "--epsilon", "1").out
    assert "within the stated precision (a relative 1e-12)" in text
    assert (
        json_of(verify(run, files, "--epsilon", "1", "--strict", "--format", "json"))["judged_within"] is None
    )
    assert "as written" in verify(run, files, "--epsilon", "1", "--strict").out


def test_an_infinite_bound_is_explained(run: Runner, files: Path) -> None:
    (files / "m.csv").write_text(HEAD + "x,b>r,0,1.0,0.0\ny,b>r,0,0.5,0.5\n")
    outcome = verify(run, files, "--epsilon", "1", "--format", "json")
    assert json_of(outcome)["tight"]["epsilon"]["upper"] == "inf"
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.startswith("note: ")
    assert "no finite epsilon" in outcome.err


def test_a_promise_that_is_broken_has_a_witness(run: Runner, files: Path) -> None:
    outcome = verify(run, files, "--epsilon", "ln(5/4)", "--format", "json")
    assert outcome.code == 1
    found = json_of(outcome)
    assert found["holds"] is False
    assert found["witness"] == {
        "source": "x",
        "target": "y",
        "event": ["b"],
        "probability": 1 / 3,
        "limit": 0.3125,
        "excess": 1 / 48,
    }


def test_delta_is_tight_at_the_asked_epsilon(run: Runner, files: Path) -> None:
    outcome = verify(run, files, "--epsilon", "0", "--delta", "0.1", "--format", "json")
    assert outcome.code == 0
    tight = json_of(outcome)["tight"]["delta"]
    assert tight["lower"] <= 1 / 12 <= tight["upper"] < 0.08334
    assert json_of(outcome)["asked"] == {"epsilon": "0", "delta": "0.1"}
    assert verify(run, files, "--epsilon", "0", "--delta", "0.08").code == 1


def test_the_table_shows_the_worst_pair(run: Runner, files: Path) -> None:
    outcome = verify(run, files, "--epsilon", "ln(5/4)")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[0] == "BROKEN"
    assert any(line.split() == ["worst", "pair", "'x'", "against", "'y'"] for line in lines)
    assert any(line.split() == ["excess", "0.0208333", "(1/48)"] for line in lines)
    assert verify(run, files, "--epsilon", "1").out.startswith("holds\n")


@pytest.mark.parametrize(
    ("given", "exit_code", "what"),
    [
        ((EXACT, "source,target\nx,q\n", ("--epsilon", "1")), 4, "error[RDP301]: row 1 of"),
        ((EXACT.replace("2/3", "hello"), "source,target\n", ("--epsilon", "1")), 4, "error[RDP101]"),
        ((EXACT.replace("2/3", ""), "source,target\n", ("--epsilon", "1")), 4, "error[RDP502]: row 1 of"),
        ((EXACT, "source,target\n", ()), 2, "error[RDP901]: no privacy is given"),
    ],
)
def test_what_is_wrong_is_said_in_two_lines(
    run: Runner, tmp_path: Path, given: tuple[str, str, tuple[str, ...]], exit_code: int, what: str
) -> None:
    (tmp_path / "m.csv").write_text(given[0])
    (tmp_path / "pairs.csv").write_text(given[1])
    outcome = verify(run, tmp_path, *given[2])
    assert outcome.code == exit_code
    assert outcome.error[0].startswith(what)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("m.csv", None, "there is no file"),
        ("m.json", '{"colors": ', "is not JSON"),
        ("m.txt", EXACT, "does not say in which form a mechanism or a receipt is written"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_to_be_so_before_an_option_is_missed(
    run: Runner, tmp_path: Path, name: str, content: str | None, what: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    outcome = run("verify", tmp_path / name)
    assert outcome.code == 4
    assert name in outcome.error[0]
    assert what in outcome.error[0]
    assert "--neighbors" not in outcome.err
