# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask`` with a ledger, typed: what is charged, repeated and refused, and sudden deaths."""

import json
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest

import rainbowdp
from asked_people import PAID, SURE, WINNER, make_budget, spent, winner
from command_line import PROGRAM, Runner, process
from ledger_places import Place, make_old_ledger
from rainbowdp.ledger import Ledger, open_ledger


def test_a_repeated_request_costs_nothing_and_anything_else_is_refused(people: Runner) -> None:
    make_budget(people, 3)
    paid = (*PAID, "--request-id", "q 1", "--epsilon", "1/100")
    first = winner(people, *paid)
    assert first.code == 0
    for _ in range(5):
        assert winner(people, *paid).out == first.out
    assert spent() == "epsilon 0.01"
    shutil.copy("people.csv", "other.csv")
    for words in (
        ("winner", "other.csv", *WINNER, *paid),
        ("winner", "people.csv", "--column", "vote", "--options", "B,A", *paid),
        ("winner", "people.csv", *WINNER, *paid, "--where", "town=Ulm"),
        ("winner", "people.csv", *WINNER, *paid, "--neighbors", "change-one"),
        ("winner", "people.csv", *WINNER, *paid, "--unit", "person", "--max-rows", 1),
        ("winner", "people.csv", *WINNER, *paid, "--by", "town", "--groups", "Ulm,Bonn"),
        ("winner", "people.csv", *WINNER, *paid[:-1], "1/50"),
        ("winner", "people.csv", *WINNER, *paid, "--delta", "1e-9"),
        ("ranking", "people.csv", *WINNER, *paid),
    ):
        outcome = people("ask", *words)
        assert (outcome.code, outcome.error[0][:14]) == (2, "error[RDP604]:"), words
    assert spent() == "epsilon 0.01"


def test_an_interrupt_after_the_charge_names_the_request_which_is_then_free(
    people: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_budget(people, 3)
    paid = (*PAID, "--epsilon", 1)
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "store", Mock(side_effect=KeyboardInterrupt))
        stopped = winner(people, *paid)
    assert (stopped.code, stopped.out) == (130, "")
    told = re.search(r"^note: request id '(\w+)' asks for the same again", stopped.err, re.MULTILINE)
    assert told is not None, stopped.err
    again = winner(people, *paid, "--request-id", told[1])
    assert again.code == 0
    assert f"note: request '{told[1]}' was charged before: nothing is charged again\n" in again.err
    assert spent() == "epsilon 1"


def test_what_would_overspend_is_refused_with_spent_asked_and_left(people: Runner) -> None:
    make_budget(people, 1, "--neighbors", "change-one")
    paid = (*PAID, "--neighbors", "change-one")
    first = winner(people, *paid, "--epsilon", "ln 2")
    assert "request id" in first.err
    outcome = winner(people, *paid, "--epsilon", "0.31", "--receipt", "r.json")
    error, way_on = outcome.error
    assert outcome.code == 3
    assert "spent epsilon ln(2) (0.693148); asked epsilon 0.31; left epsilon 1 - ln(2) (0.306852)" in error
    assert "0.306852" in way_on
    assert not Path("r.json").exists()
    # Two groups of a changed person cost twice: 0.2 is too much, and 0.1 is not.
    towns = ("--by", "town", "--groups", "Ulm,Bonn")
    assert winner(people, *paid, *towns, "--epsilon", "0.2").code == 3
    assert winner(people, *paid, *towns, "--epsilon", "0.1").code == 0
    assert spent() == "epsilon 0.2 + ln(2)"


def test_an_answer_that_cannot_be_shown_or_written_can_be_had_again(
    people: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_space = Mock(side_effect=OSError(28, "No space left on device"))
    make_budget(people, 200)
    # The ledger is a database and does not need the function that writes a receipt to the disk.
    for at, function in enumerate(("rainbowdp.cli.output.sys.stdout.write", "os.fsync"), 1):
        words = (*SURE, *PAID, "--receipt", f"r{at}.json")
        with monkeypatch.context() as patched:
            patched.setattr(function, no_space)
            lost, unpaid = winner(people, *words), winner(people, *SURE, "--receipt", f"s{at}.json")
        assert (lost.code, lost.out) == (4, "")
        assert "No space left" in lost.err
        assert "the answer was drawn and is lost: asking again costs its privacy again" in unpaid.error[1]
        request = lost.err.split("note: request id ")[1].split(":")[0]
        assert f"--request-id {request} repeats the answer at no cost" in lost.err
        assert list(Path().glob(".*")) == []
        assert winner(people, *words, "--request-id", request).out == "A\n"
        assert spent() == f"epsilon {60 * at}"
    monkeypatch.setattr("os.fsync", no_space)
    lost = winner(people, *SURE, *PAID, "--receipt", "r.json", "--request-id", "q 1")
    assert "--request-id 'q 1' repeats the answer at no cost" in lost.err


def test_a_ledger_that_cannot_be_written_gives_no_answer(people: Runner) -> None:
    make_budget(people)
    words = ["ask", "winner", "people.csv", *WINNER, *SURE, *PAID]
    before = Path("l").read_bytes()
    done = process(*words, program=("sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *PROGRAM))
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert Path("l").read_bytes() == before
    damaged = bytearray(before)
    damaged[100:200] = b"\0" * 100
    Path("l").write_bytes(bytes(damaged))
    outcome = people(*words)
    assert (outcome.code, outcome.out) == (4, "")


def test_a_repeated_request_is_answered_by_the_ledger_and_reads_no_row(people: Runner) -> None:
    make_budget(people, 200)
    words = (*PAID, "--request-id", "q")
    assert winner(people, *SURE, *words).out == "A\n"
    # This table has no column of the question, so a reading would fail.
    Path("people.csv").write_text("nothing\n1\n", encoding="utf-8")
    again = winner(people, *SURE, *words, "--receipt", "r.json")
    assert (again.code, again.out) == (0, "A\n")
    assert "request 'q' was answered before: nothing was read, and nothing charged" in again.err
    assert people("verify", "r.json").code == 0
    assert winner(people, "--epsilon", 1, *words).code == 2
    assert winner(people, *SURE, *words[:-1], "r").code == 2
    keys = ("keys", "people.csv", "--column", "nothing", "--epsilon", 1, "--delta", "1e-6")
    assert people(*keys, *words).code == 2
    assert spent() == "epsilon 60"


def test_an_answer_about_data_without_a_name_is_told_to_be_about_what_was_given_first(people: Runner) -> None:
    make_budget(people, 200)
    question = rainbowdp.winner("vote", ["A", "B"])
    paid: dict[str, Any] = {"epsilon": 60, "ledger": "l", "name": "b", "request_id": "q"}
    frames = [pd.DataFrame({"vote": [vote] * 9}) for vote in "AB"]
    first, again = (rainbowdp.ask(frame, question, **paid) for frame in frames)
    assert (first.answer, again.answer) == ("A", "A")
    assert again.notes[:-1] == first.notes
    assert "the answer is about the data given then, which have no name" in again.notes[-1]
    assert spent() == "epsilon 60"
    # A file has a name, and another one is refused.
    assert winner(people, *SURE, *PAID, "--request-id", "q").code == 2


PROMISES = {
    "--neighbors add-remove": {
        "": "epsilon 1",
        "--unit person --max-rows 2": "epsilon 1",
        "--unit person --max-rows 1": "epsilon 2",
        "--neighbors change-one": "ask with --neighbors add-remove, or",
    },
    "--neighbors change-one": {"": "epsilon 2", "--neighbors change-one": "epsilon 1"},
    "--unit person": {
        "--unit person --max-rows 1": "epsilon 1",
        "": "ask with --unit person and --max-rows, or",
        "--unit town --max-rows 2": "ask with --unit person and --max-rows, or",
    },
}
PROMISED = [(promise, asked, said) for promise, row in PROMISES.items() for asked, said in row.items()]


@pytest.mark.parametrize(("promise", "asked", "said"), PROMISED)
def test_a_budget_pays_for_what_it_promises(people: Runner, promise: str, asked: str, said: str) -> None:
    make_budget(people, 9, *promise.split())
    words = ("--epsilon", 1, *PAID, *asked.split())
    if said.startswith("epsilon"):
        outcome = winner(people, *words, "--request-id", "q")
        assert (outcome.code, spent()) == (0, said)
        charged = "is charged epsilon 2" if said == "epsilon 2" else ""
        assert charged in outcome.err.splitlines()[-1]
        assert ("is charged" in outcome.err) == bool(charged)
        return
    # This table has no column of the question, so a reading would fail.
    Path("people.csv").write_text("nothing\n1\n", encoding="utf-8")
    outcome = winner(people, *words)
    assert (outcome.code, outcome.out, spent()) == (3, "", "epsilon 0")
    assert said in outcome.error[1]


def test_keys_are_charged_by_the_promise_and_an_old_budget_says_that_it_has_none(people: Runner) -> None:
    keys = ("keys", "people.csv", "--column", "vote", "--epsilon", "ln 2", "--delta", "1/100", "--ledger")
    assert people("budget", "create", "b", "--ledger", "l", "--epsilon", 9, "--delta", "1/2").code == 0
    assert people(*keys, "l", "--name", "b", "--unit", "person", "--max-keys", 1).code == 0
    assert spent() == "epsilon ln(4), delta 0.03"
    dear = (*keys[:5], "9", *keys[6:], "l", "--name", "b")
    # This table has no column of the question, so a reading would fail.
    Path("bare.csv").write_text("nothing\n1\n", encoding="utf-8")
    refused = people("keys", "bare.csv", *dear[2:])
    assert (refused.code, refused.out) == (3, "")
    assert "spent epsilon ln(4) (1.3863), delta 0.03; asked epsilon 9" in refused.error[0]
    make_old_ledger(Place("sqlite", "o"))
    words = ("--epsilon", 1, "--ledger", "o", "--name", "old", "--neighbors", "change-one")
    assert "note: budget 'old' does not state what it protects" in winner(people, *words).err
    assert "old states no promise" in people("budget", "show", "--ledger", "o").out


def test_an_answer_in_python_has_the_notes_that_the_command_line_writes(people: Runner) -> None:
    make_budget(people, 99, "--neighbors", "change-one")
    paid: dict[str, Any] = {"ledger": "l", "name": "b", "request_id": "q"}
    words = (*PAID, "--request-id", "p", "--epsilon", "10")
    found = rainbowdp.ask("people.csv", rainbowdp.winner("vote", ["A", "B"]), epsilon=10, **paid)
    assert [f"note: {text}" for text in found.notes] == winner(people, *words).err.splitlines()
    assert any("epsilon 10 hides little" in text for text in found.notes)
    assert "charged epsilon 20" in found.notes[-1]


def test_two_at_once_under_one_request_id_are_charged_once_and_agree(people: Runner) -> None:
    make_budget(people)
    # Next to a boundary, at an epsilon that says little: two draws would often differ.
    words = ["ask", "winner", "people.csv", "--column", "vote", "--options", "A,B,C,D,E,F"]
    words += ["--epsilon", "1/100", *PAID, "--request-id", "q"]
    started = [
        subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(2)
    ]
    answers = {one.communicate()[0] for one in started}
    assert [one.returncode for one in started] == [0] * 2
    assert len(answers) == 1
    assert spent() == "epsilon 0.01"


@pytest.mark.release
def test_whenever_a_process_is_killed_no_answer_leaves_that_is_not_in_the_ledger(people: Runner) -> None:
    make_budget(people)
    words = ["ask", "winner", "people.csv", *WINNER, "--epsilon", "1", *PAID]
    begun = time.monotonic()
    assert process(*words, "--request-id", "calm").returncode == 0
    whole = time.monotonic() - begun
    moments = random.Random(5)
    killed = 0
    for at in range(10):
        request = f"q{at}"
        child = subprocess.Popen(
            [*PROGRAM, *words, "--request-id", request],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        # Most of the time goes into starting; the end is where it matters.
        time.sleep(whole * moments.triangular(0.1, 1.1, 0.9))
        child.send_signal(signal.SIGKILL)
        out = child.communicate()[0]
        killed += child.returncode == -signal.SIGKILL
        with open_ledger("l") as ledger:
            entries = [entry for entry in ledger.history("b") if entry.request_id == request]
        events = [entry.event for entry in entries]
        assert events in ([], ["charge"], ["charge", "answer"])
        if out:
            assert json.loads(entries[1].answer or "")[""] == out.strip()
        again = people(*words, "--request-id", request)
        assert again.code == 0
        if out:
            assert again.out == out
        with open_ledger("l") as ledger:
            assert ledger.state("b").requests == at + 2
    assert killed > 0
