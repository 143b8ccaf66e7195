# SPDX-License-Identifier: Apache-2.0
"""What a ledger keeps as an answer is one to the question, or none: somebody may have changed it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import rainbowdp as rdp
from rainbowdp.errors import LedgerError
from rainbowdp.ledger import Charge, Cost, Ledger, open_ledger
from rainbowdp.questions import OptionCounts
from rainbowdp.release import Terms
from rainbowdp.release.asking import IN_MEMORY, answer_from_ledger, fingerprint
from rainbowdp.release.keys_asking import ask_keys

QUESTION = rdp.ranking("vote", ["A", "B"])
COUNTS = OptionCounts((900, 0))
TERMS = Terms(QUESTION, rdp.PureDP(1))
KEPT = {
    "no JSON": "foo",
    "a text": json.dumps("A"),
    "a list": "[1]",
    "nothing": "{}",
    "no option": json.dumps({"": ["A", "green"]}),
    "a text for a list": json.dumps({"": "A"}),
    "a number": json.dumps({"": 1}),
    "lists in a list": json.dumps({"": [["A"], "B"]}),
    "another group": json.dumps({"x": ["A", "B"]}),
    "one group more": json.dumps({"": ["A", "B"], "x": ["A", "B"]}),
    "too deep": "[" * 100_000,
    "too long": "1" * 10_000,
    "a sign for the screen": json.dumps({"": ["\x1b[2J", "B"]}),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.ApproxDP(5, "1/100")))
        yield opened


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_a_stored_answer_that_the_question_cannot_have_is_refused(kept: str, ledger: Ledger) -> None:
    asked = {"question": fingerprint(TERMS), "source": IN_MEMORY, "privacy": "epsilon=1"}
    charge = ledger.charge("b", Cost.of(rdp.PureDP(1)), request_id="r", **asked)
    ledger.store(charge, kept, "")
    with pytest.raises(LedgerError, match="none to this question"):
        answer_from_ledger(TERMS, COUNTS, ledger, "b", "r")


@pytest.mark.parametrize("kept", ['"A"', "[1]", '["A", "A"]', '["B", "A"]', '[" A"]', "{}", "[" * 100_000])
def test_stored_keys_that_no_table_can_have_are_refused(kept: str, ledger: Ledger, tmp_path: Path) -> None:
    frame = pd.DataFrame({"vote": ["A"] * 100})
    asked = {"epsilon": 1, "delta": "1/1000", "ledger": tmp_path / "budgets", "name": "b", "request_id": "r"}
    assert ask_keys(frame, "vote", **asked).keys == ("A",)  # type: ignore[arg-type]  # options of one kind each
    entry = next(entry for entry in ledger.history("b") if entry.request_id == "r")
    again = {what: str(getattr(entry, what)) for what in ("question", "source", "privacy")}
    charge = ledger.charge("b", Cost.of(rdp.ApproxDP(1, "1/1000")), request_id="s", **again)
    ledger.store(charge, kept, "")
    with pytest.raises(LedgerError, match="none to this question"):
        ask_keys(frame, "vote", **{**asked, "request_id": "s"})  # type: ignore[arg-type]  # see above


def test_a_ledger_that_fails_after_the_charge_does_not_say_that_nothing_was_charged(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise LedgerError("cannot write", help="try again, nothing was charged here")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "store", refuse)
        with pytest.raises(LedgerError) as caught:
            answer_from_ledger(TERMS, COUNTS, ledger, "b", "r")
    assert caught.value.help == (
        "try again, the budget is charged, and nothing was answered; request id 'r' asks for the same again "
        "and is charged once at most"
    )
    assert ledger.state("b").requests == 1

    def held(*_: object, **__: object) -> Charge:
        raise LedgerError("cannot write", help="nothing was charged here")

    monkeypatch.setattr(Ledger, "charge", held)
    with pytest.raises(LedgerError, match="cannot write") as before:
        answer_from_ledger(TERMS, COUNTS, ledger, "b", "s")
    assert before.value.help.startswith("nothing was charged here; request id 's'")
