# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp budget``, through an application that holds nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from command_line import Runner
from ledger_places import ASKED, pure
from rainbowdp.ledger import open_ledger

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command with the ledger of this test; return its exit code, what it printed, and its error."""
    monkeypatch.chdir(tmp_path)
    runner = Runner(capsys)

    def call(*words: str, ledger: str | None = "budgets.ledger") -> tuple[int, str, str]:
        done = runner("budget", *words, *([] if ledger is None else ["--ledger", ledger]))
        return done.code, done.out, done.err.strip()

    return call


def shown(run: Run, *words: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    code, out, _ = run(*words, "--format", "json")
    assert code == 0
    return json.loads(out)


def test_create_makes_the_ledger_and_shows_the_budget(run: Run) -> None:
    code, out, _ = run("create", "survey", "--epsilon", "3")
    assert code == 0
    assert [line.split() for line in out.splitlines()][::2] == [
        ["budget", "total", "spent", "left", "requests", "state"],
        ["survey", "epsilon", "3", "epsilon", "0", "epsilon", "3", "0", "open"],
    ]
    assert Path("budgets.ledger").is_file()
    code, _, error = run("create", "survey", "--epsilon", "3")
    assert code == 2
    assert error.startswith("error[RDP602]: ledger 'budgets.ledger' has a budget 'survey' already")


def test_the_three_kinds(run: Run) -> None:
    for name, words in {
        "a": ("--epsilon", "ln 3", "--delta", "1e-6"),
        "g": ("--mu", "1/3"),
        "p": ("--epsilon", "1/2"),
    }.items():
        assert run("create", name, *words)[0] == 0
    a, g, p = shown(run, "show")
    assert (a["kind"], g["kind"], p["kind"]) == ("approximate", "gaussian", "pure")
    assert a["total"] == {
        "epsilon": {"exact": "ln(3)", "decimal": "1.09861"},
        "delta": {"exact": "0.000001", "decimal": "0.000001"},
    }
    assert a["spent"]["delta"] == {"exact": "0", "decimal": "0"}
    assert g["left"] == {"mu": {"exact": "1/3", "decimal": "0.333333"}}
    assert p == {
        "name": "p",
        "kind": "pure",
        "total": {"epsilon": {"exact": "0.5", "decimal": "0.5"}},
        "spent": {"epsilon": {"exact": "0", "decimal": "0"}},
        "left": {"epsilon": {"exact": "0.5", "decimal": "0.5"}},
        "requests": 0,
        "closed": False,
        "protects": {"neighbors": "add-remove", "unit": None},
    }
    assert len(run("show")[1].splitlines()) == 8


def test_show_after_charges(run: Run) -> None:
    run("create", "survey", "--epsilon", "3")
    with open_ledger("budgets.ledger") as ledger:
        ledger.charge("survey", pure("ln(6/5)"), request_id="q1", **ASKED)
    state = shown(run, "show", "survey")
    # What was spent is rounded up, what is left is rounded down.
    assert state["spent"]["epsilon"] == {"exact": "ln(6/5)", "decimal": "0.182322"}
    assert state["left"]["epsilon"] == {"exact": "3 - ln(6/5)", "decimal": "2.81767"}
    assert state["requests"] == 1
    assert "epsilon 3 - ln(6/5) (2.81767)" in run("show", "survey")[1]


def test_history_shows_every_entry(run: Run) -> None:
    run("create", "survey", "--epsilon", "3")
    with open_ledger("budgets.ledger") as ledger:
        charge = ledger.charge("survey", pure("1/10"), request_id="q1", **ASKED)
        ledger.store(charge, "Ann\x1b[31m")
    run("raise", "survey", "--epsilon", "ln 2", "--reason", "second\nwave")
    run("close", "survey")
    entries = shown(run, "history", "survey")
    assert [entry["event"] for entry in entries] == ["create", "charge", "answer", "raise", "close"]
    assert [entry["number"] for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[1]["amount"] == {"epsilon": {"exact": "0.1", "decimal": "0.1"}}
    assert (entries[1]["question"], entries[1]["source"]) == (ASKED["question"], ASKED["source"])
    assert entries[2]["answer"] == "Ann\x1b[31m"
    assert entries[3]["reason"] == "second\nwave"
    assert set(entries[4]) == {"number", "time", "event"}
    # A line break and a character that acts on a terminal are escapes.
    assert [line[19:] for line in run("history", "survey")[1].splitlines()[2:]] == [
        "create   epsilon 3",
        "         hides that one person joins or leaves; every row is",
        "         a person",
        "charge   epsilon 0.1",
        "         winner of vote",
        "         /data/poll.csv, request q1",
        "answer   Ann\\x1b[31m",
        "raise    epsilon ln(2) (0.693148)",
        "         second\\nwave",
        "close",
    ]


ASKED_IN_WORDS = {
    "winner --options A,B --nulls B": ("winner of 'vote'; nulls B: A, B", "A"),
    "winner --options A,B --by town --groups Ulm,Rom": ("winner of 'vote': A, B (by town)", "Ulm: A, Rom: "),
    "ranking --options A,B,C": ("ranking of 'vote': every order of A, B, C", "A>B>C"),
    "level --equals A --edges 1 --where town=Ulm --goal guarantee": (
        "level of 'vote'; edges 1; equals A; of count: <1, \">=1\" (where 'town' is 'Ulm', guarantee)",
        '">=1"',
    ),
    "winner --options A,B --unit who --max-rows 2": ("winner of 'vote': A, B (at most 2 of each who)", "A"),
}


@pytest.mark.parametrize("words", ASKED_IN_WORDS)
def test_history_says_questions_and_answers_in_words_and_fits_a_terminal(
    run: Run, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    run("create", "b", "--epsilon", "999")
    rows = "".join(f"A,Ulm,a{at}\nB,Ulm,b{at}\nA,Ulm,c{at}\n" for at in range(9))
    Path("people.csv").write_text(f"vote,town,who\n{rows}", encoding="utf-8")
    kind, *rest = words.split()
    asked = ("ask", kind, "people.csv", "--column", "vote", *rest, "--epsilon", "60")
    assert Runner(capsys)(*asked, "--ledger", "budgets.ledger", "--name", "b").code == 0
    lines = run("history", "b")[1].splitlines()
    assert max(map(cell_len, lines)) <= 80
    text = " ".join(line[28:] for line in lines[2:])
    assert all(said in text for said in ASKED_IN_WORDS[words])
    assert "{" not in text


def test_names_are_wrapped_by_their_width_on_a_terminal(run: Run) -> None:
    run("create", "b", "--epsilon", "3")
    run("raise", "b", "--epsilon", "1", "--reason", "調査" * 40)
    assert max(map(cell_len, run("history", "b")[1].splitlines())) <= 80


def test_raise_adds_and_close_ends(run: Run) -> None:
    run("create", "survey", "--mu", "3")
    assert run("raise", "survey", "--mu", "4", "--reason", "more")[0] == 0
    assert shown(run, "show", "survey")["total"]["mu"]["exact"] == "5"
    assert run("raise", "survey", "--mu", "4")[2].startswith("error[RDP901]: the option --reason is missing")
    assert run("raise", "survey", "--mu", "4", "--reason", " ")[0] == 2
    assert run("raise", "survey", "--epsilon", "4", "--reason", "more")[0] == 2
    assert run("close", "survey")[0] == 0
    for words in (("raise", "survey", "--mu", "4", "--reason", "more"), ("close", "survey")):
        code, _, error = run(*words)
        assert code == 3
        assert error.startswith("error[RDP601]: budget 'survey' is closed\nhelp: ")


@pytest.mark.parametrize("command", ["show", "history", "close"])
def test_names_and_ledgers_that_are_not_there(run: Run, command: str) -> None:
    code, _, error = run(command, "survey")
    assert code == 4
    assert error == (
        "error[RDP603]: ledger 'budgets.ledger' does not exist\n"
        "help: make it with `rainbowdp budget create`, or check the path"
    )
    assert not Path("budgets.ledger").exists()
    run("create", "survey", "--epsilon", "3")
    code, _, error = run(command, "sruvey")
    assert code == 2
    assert error == (
        "error[RDP602]: ledger 'budgets.ledger' has no budget 'sruvey'\nhelp: did you mean 'survey'?"
    )


@pytest.mark.parametrize("words", ["survey", "survey --epsilon -1", "survey --mu ln(3)", "\x1b --epsilon 1"])
def test_misuse_makes_no_ledger(run: Run, words: str) -> None:
    assert run("create", *words.split(" "))[0] == 2
    assert not Path("budgets.ledger").exists()
