# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp sample``: draws from a file, one per line or as a list."""

import json
from pathlib import Path

import pytest

from command_line import Outcome, Runner

HEAD = 'dataset,rainbow,distance,"a,b",r\n'
ROWS = '"sure, yes","""a,b"">r",3,1,0\nnever,"""a,b"">r",3,0,1\neven,"""a,b"">r",0,1/2,1/2\n'


def sample(run: Runner, dataset: str, *words: object) -> Outcome:
    Path("m.csv").write_text(HEAD + ROWS)
    return run("sample", "m.csv", "--dataset", dataset, *words)


def test_a_certain_answer_is_drawn(run: Runner) -> None:
    assert sample(run, "never") == Outcome(0, "r\n", "")
    assert sample(run, "sure, yes").out == '"a,b"\n'
    assert sample(run, "sure, yes", "--format", "json").json == ["a,b"]


def test_many_draws_come_one_per_line_and_say_what_they_cost(run: Runner) -> None:
    outcome = sample(run, "even", "--count", 200)
    lines = outcome.out.splitlines()
    # All alike would happen once in 10^60 runs.
    assert (outcome.code, len(lines), set(lines)) == (0, 200, {'"a,b"', "r"})
    assert outcome.err.startswith("note: each draw is a release of its own: ")
    assert "200 answers" in outcome.err


@pytest.mark.parametrize("count", [1, 1000, 1001, 70_000])
def test_a_list_of_any_length_is_one_json_list(run: Runner, count: int) -> None:
    outcome = sample(run, "even", "--count", count, "--format", "json")
    drawn = json.loads(outcome.out)
    assert len(drawn) == count
    assert set(drawn) <= {"a,b", "r"}
    assert len(outcome.out.splitlines()) == -(-count // 1000)


def test_a_misspelt_dataset_is_refused_with_the_closest_name(run: Runner) -> None:
    outcome = sample(run, "nevr")
    assert outcome.code == 2
    assert outcome.error == ("error[RDP301]: there is no dataset 'nevr'", "help: did you mean 'never'?")
    assert sample(run, "even", "--format", "csv").code == 2
