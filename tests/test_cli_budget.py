# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp budget``: create, show, raise and close budgets, and read their history."""

import json
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from command_line import Outcome, Runner
from ledger_places import ASKED, pure
from rainbowdp.ledger import open_ledger
from rainbowdp.release.words import asked_words

LEDGER = "budgets.ledger"


def budget(run: Runner, *words: str) -> Outcome:
    """Run a command with the ledger of this test."""
    return run("budget", *words, "--ledger", LEDGER)


def shown(run: Runner, *words: str) -> Any:  # noqa: ANN401 - what JSON holds
    return budget(run, *words, "--format", "json").json


def test_create_makes_the_ledger_and_shows_the_budget(run: Runner) -> None:
    created = budget(run, "create", "survey", "--epsilon", "3")
    assert [line.split() for line in created.out.splitlines()][::2] == [
        ["budget", "total", "spent", "left", "requests", "state"],
        ["survey", "epsilon", "3", "epsilon", "0", "epsilon", "3", "0", "open"],
    ]
    assert Path(LEDGER).is_file()
    again = budget(run, "create", "survey", "--epsilon", "3")
    assert again.code == 2
    assert again.error[0] == "error[RDP602]: ledger 'budgets.ledger' has a budget 'survey' already"


def test_the_three_kinds(run: Runner) -> None:
    privacy = {"a": "--epsilon ln(3) --delta 1e-6", "g": "--mu 1/3", "p": "--epsilon 1/2"}
    for name, words in privacy.items():
        assert budget(run, "create", name, *words.split()).code == 0
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
    assert len(budget(run, "show").out.splitlines()) == 8


def test_what_was_spent_is_rounded_up_and_what_is_left_is_rounded_down(run: Runner) -> None:
    budget(run, "create", "survey", "--epsilon", "3")
    with open_ledger(LEDGER) as ledger:
        ledger.charge("survey", pure("ln(6/5)"), request_id="q1", **ASKED)
    state = shown(run, "show", "survey")
    assert state["spent"]["epsilon"] == {"exact": "ln(6/5)", "decimal": "0.182322"}
    assert state["left"]["epsilon"] == {"exact": "3 - ln(6/5)", "decimal": "2.81767"}
    assert state["requests"] == 1
    assert "epsilon 3 - ln(6/5) (2.81767)" in budget(run, "show", "survey").out


def test_history_shows_every_entry(run: Runner) -> None:
    budget(run, "create", "survey", "--epsilon", "3")
    with open_ledger(LEDGER) as ledger:
        charge = ledger.charge("survey", pure("1/10"), request_id="q1", **ASKED)
        ledger.store(charge, "Ann\x1b[31m")
    budget(run, "raise", "survey", "--epsilon", "ln 2", "--reason", "second\nwave")
    budget(run, "close", "survey")
    entries = shown(run, "history", "survey")
    assert [entry["event"] for entry in entries] == ["create", "charge", "answer", "raise", "close"]
    assert [entry["number"] for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[1]["amount"] == {"epsilon": {"exact": "0.1", "decimal": "0.1"}}
    assert (entries[1]["question"], entries[1]["source"]) == (ASKED["question"], ASKED["source"])
    assert entries[2]["answer"] == "Ann\x1b[31m"
    assert entries[3]["reason"] == "second\nwave"
    assert set(entries[4]) == {"number", "time", "event"}
    # A line break and a character that acts on a terminal are escapes.
    assert [line[19:] for line in budget(run, "history", "survey").out.splitlines()[2:]] == [
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


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ({"by": 7}, " (by 7)"),
        ({"by": ["a", 1]}, " (by a, 1)"),
        ({"where": 7}, ""),
        ({"encoding": 5}, " (read as 5)"),
    ],
)
def test_what_another_program_asked_is_told_as_far_as_it_goes(kept: dict[str, object], said: str) -> None:
    assert asked_words(json.dumps({"question": {"kind": "winner"}, **kept})) == f"winner{said}"


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
def test_history_says_questions_and_answers_in_words_and_fits_a_terminal(run: Runner, words: str) -> None:
    budget(run, "create", "b", "--epsilon", "999")
    rows = "".join(f"A,Ulm,a{at}\nB,Ulm,b{at}\nA,Ulm,c{at}\n" for at in range(9))
    Path("people.csv").write_text(f"vote,town,who\n{rows}", encoding="utf-8")
    kind, *rest = words.split()
    asked = ("ask", kind, "people.csv", "--column", "vote", *rest, "--epsilon", "60")
    assert run(*asked, "--ledger", LEDGER, "--name", "b").code == 0
    # Wide characters take two columns.
    budget(run, "raise", "b", "--epsilon", "1", "--reason", "調査" * 40)
    lines = budget(run, "history", "b").out.splitlines()
    assert max(map(cell_len, lines)) <= 80
    text = " ".join(line[28:] for line in lines[2:])
    assert all(said in text for said in ASKED_IN_WORDS[words])
    assert "{" not in text


def test_raise_adds_and_close_ends(run: Runner) -> None:
    budget(run, "create", "survey", "--mu", "3")
    raising = ("raise", "survey", "--mu", "4", "--reason", "more")
    assert budget(run, *raising).code == 0
    assert shown(run, "show", "survey")["total"]["mu"]["exact"] == "5"
    assert budget(run, *raising[:4]).error[0] == "error[RDP901]: the option --reason is missing"
    assert budget(run, *raising[:5], " ").code == 2
    assert budget(run, "raise", "survey", "--epsilon", "4", "--reason", "more").code == 2
    assert budget(run, "close", "survey").code == 0
    for words in (raising, ("close", "survey")):
        closed = budget(run, *words)
        assert (closed.code, closed.error[0]) == (3, "error[RDP601]: budget 'survey' is closed")


@pytest.mark.parametrize("command", ["show", "history", "close"])
def test_names_and_ledgers_that_are_not_there(run: Runner, command: str) -> None:
    missing = budget(run, command, "survey")
    assert (missing.code, missing.error) == (
        4,
        (
            "error[RDP603]: ledger 'budgets.ledger' does not exist",
            "help: make it with `rainbowdp budget create`, or check the path",
        ),
    )
    assert not Path(LEDGER).exists()
    budget(run, "create", "survey", "--epsilon", "3")
    unknown = budget(run, command, "sruvey")
    assert unknown.code == 2
    assert unknown.error == (
        "error[RDP602]: ledger 'budgets.ledger' has no budget 'sruvey'",
        "help: did you mean 'survey'?",
    )
