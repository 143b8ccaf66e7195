# SPDX-License-Identifier: Apache-2.0
"""What a ledger keeps as an answer is one to the question, or none: it may have been changed."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rainbowdp as rdp
from rainbowdp.errors import LedgerError
from rainbowdp.ledger import Cost, Ledger, open_ledger
from rainbowdp.questions import OptionCounts
from rainbowdp.release import Terms, answer, ask_keys, asking
from rainbowdp.release.asking import fingerprint
from rainbowdp.release.notes import IN_MEMORY

QUESTION = rdp.ranking("vote", ["A", "B"])
COUNTS = OptionCounts((900, 0))
TERMS = Terms(QUESTION, rdp.PureDP(1))
KEPT = {
    "no JSON": "foo",
    "a list": "[1]",
    "no option": json.dumps({"": ["A", "green"]}),
    "a text for a list": json.dumps({"": "A"}),
    "one group more": json.dumps({"": ["A", "B"], "x": ["A", "B"]}),
    "too deep": "[" * 100_000,
    "a sign for the screen": json.dumps({"": ["\x1b[2J", "B"]}),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.ApproxDP(5, "1/100")))
        yield opened


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_a_stored_answer_that_the_question_cannot_have_is_refused(kept: str, ledger: Ledger) -> None:
    asked: dict[str, Any] = {"question": fingerprint(TERMS), "source": IN_MEMORY, "privacy": "epsilon=1"}
    charge = ledger.charge("b", Cost.of(rdp.PureDP(1)), request_id="r", **asked)
    ledger.store(charge, kept)
    with pytest.raises(LedgerError, match="not one to this question"):
        answer(TERMS, COUNTS, ledger, "b", "r")


@pytest.mark.parametrize("kept", ["[1]", '["A", "A"]', '["B", "A"]', '[" A"]', "[" * 100_000])
def test_stored_keys_that_no_table_can_have_are_refused(kept: str, ledger: Ledger, tmp_path: Path) -> None:
    frame = pd.DataFrame({"vote": ["A"] * 100})
    asked = {"epsilon": 1, "delta": "1/1000", "ledger": tmp_path / "budgets", "name": "b", "request_id": "r"}
    assert ask_keys(frame, "vote", **asked).keys == ("A",)  # type: ignore[arg-type]  # options of one kind each
    entry = next(entry for entry in ledger.history("b") if entry.request_id == "r")
    again: dict[str, Any] = {what: str(getattr(entry, what)) for what in ("question", "source", "privacy")}
    charge = ledger.charge("b", Cost.of(rdp.ApproxDP(1, "1/1000")), request_id="s", **again)
    ledger.store(charge, kept)
    with pytest.raises(LedgerError, match="not one to this question"):
        ask_keys(frame, "vote", **{**asked, "request_id": "s"})  # type: ignore[arg-type]  # see above


def test_a_ledger_that_another_program_takes_says_what_is_so_before_and_after_the_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "budgets"
    with open_ledger(place, create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(5)))
    pay = asking.pay_and_draw
    other = sqlite3.connect(place, isolation_level=None)

    def taken(*given: Any, read: Any, **asked: Any) -> Any:  # noqa: ANN401 - as what it stands for
        def read_and_take() -> Any:  # noqa: ANN401 - see above
            draw = read()
            return lambda bits: (other.execute("begin immediate"), draw(bits))[1]

        return pay(*given, read=read_and_take, **asked)

    said = []
    with open_ledger(place, timeout=0.1) as ledger:
        with monkeypatch.context() as patched:
            patched.setattr("rainbowdp.release.asking.pay_and_draw", taken)
            for _ in range(2):
                # The first time it is taken between the charge and the storing, and then it stays so.
                with pytest.raises(LedgerError) as caught:
                    answer(TERMS, COUNTS, ledger, "b", "r")
                said.append(caught.value.help)
        other.execute("rollback")
        other.close()
        assert ledger.state("b").requests == 1
        again = "request id 'r' asks for the same again and is charged once at most"
        assert said == [f"another process holds it: try again; {again}"] * 2
        assert answer(TERMS, COUNTS, ledger, "b", "r").answer == ("A", "B")
        assert ledger.state("b").requests == 1
