# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp sample``: draws from a file, one per line or as a list."""

import json
from pathlib import Path

import pytest

from command_line import Runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


@pytest.fixture
def mechanism(tmp_path: Path) -> Path:
    head = 'dataset,rainbow,distance,"a,b",r\n'
    rows = '"sure, yes","""a,b"">r",3,1,0\nnever,"""a,b"">r",3,0,1\neven,"""a,b"">r",0,1/2,1/2\n'
    (tmp_path / "m.csv").write_text(head + rows)
    return tmp_path / "m.csv"


def test_a_certain_answer_is_drawn(run: Runner, mechanism: Path) -> None:
    outcome = run("sample", mechanism, "--dataset", "never")
    assert (outcome.code, outcome.out, outcome.err) == (0, "r\n", "")
    assert run("sample", mechanism, "--dataset", "sure, yes").out == '"a,b"\n'
    assert json.loads(run("sample", mechanism, "--dataset", "sure, yes", "--format", "json").out) == ["a,b"]


def test_many_draws_come_one_per_line_and_say_what_they_cost(run: Runner, mechanism: Path) -> None:
    outcome = run("sample", mechanism, "--dataset", "even", "--count", "200")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert len(lines) == 200
    # All alike would happen once in 10^60 runs.
    assert set(lines) == {'"a,b"', "r"}
    assert outcome.err.startswith("note: each draw is a release of its own: ")
    assert "200 answers" in outcome.err
    assert (
        len(json.loads(run("sample", mechanism, "--dataset", "even", "--count", "7", "--format", "json").out))
        == 7
    )


@pytest.mark.parametrize("count", ["1", "1000", "1001", "70000"])
def test_a_list_of_any_length_is_one_json_list(run: Runner, mechanism: Path, count: str) -> None:
    outcome = run("sample", mechanism, "--dataset", "even", "--count", count, "--format", "json")
    drawn = json.loads(outcome.out)
    assert len(drawn) == int(count)
    assert set(drawn) <= {"a,b", "r"}
    assert len(outcome.out.splitlines()) == -(-int(count) // 1000)


def test_a_misspelt_dataset_is_refused_with_the_closest_name(run: Runner, mechanism: Path) -> None:
    outcome = run("sample", mechanism, "--dataset", "nevr")
    assert outcome.code == 2
    assert outcome.error == (
        "error[RDP301]: there is no dataset 'nevr'",
        "help: did you mean 'never'?",
    )


def test_a_wrong_form_or_file_is_refused(run: Runner, mechanism: Path) -> None:
    assert run("sample", mechanism, "--dataset", "even", "--format", "csv").code == 2
    assert run("sample", mechanism.with_name("absent.csv"), "--dataset", "even").code == 4
    assert "the option --dataset is missing" in run("sample", mechanism).error[0]
    assert "the argument MECHANISM is missing" in run("sample", "--dataset", "even").error[0]
