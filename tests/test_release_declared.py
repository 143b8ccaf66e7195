# SPDX-License-Identifier: Apache-2.0
"""What is declared, and who is one person, where programs write numbers and truth values in other forms."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rainbowdp as rdp
from rainbowdp.errors import PrivacyParameterError
from rainbowdp.questions import MatchCount, OptionCounts, OptionReading, winner, yes_no
from rainbowdp.tables import open_table, summarize

FRAME = pd.DataFrame({"member": [True] * 60 + [False] * 40, "wave": [1.0] * 60 + [2.0] * 40})


def notes(source: object, question: Any, **how: Any) -> list[str]:  # noqa: ANN401 - any question and options
    found = rdp.ask(source, question, epsilon=1, **how)
    return [note for note in found.notes if "stands for text alone" in note]


def test_a_note_tells_of_a_declared_text_that_no_typed_cell_says(tmp_path: Path) -> None:
    asked: list[tuple[Any, dict[str, Any]]] = [
        (yes_no("member", equals="True", share="1/2"), {}),
        (winner("wave", ["2.0", "1.0"]), {}),
        (winner("wave", ["2", "1"]), {"where": {"member": "TRUE"}}),
        (winner("wave", ["2", "1"]), {"by": "member", "groups": ["False", "true"]}),
    ]
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    FRAME.to_parquet(tmp_path / "a.parquet")
    for question, how in asked:
        for source in (FRAME, tmp_path / "a.parquet"):
            (note,) = notes(source, question, **how)
            assert "these say true, false, 1 or 2.5" in note
        assert notes(tmp_path / "a.csv", question, **how) == []
    typed: dict[str, Any] = {"where": {"member": "true"}, "by": "wave", "groups": ["1", "2"]}
    assert notes(FRAME, winner("wave", ["2", "1"]), **typed) == []
    assert notes(MatchCount(60, 100), yes_no("member", equals="True", share="1/2")) == []


def test_a_person_is_one_in_whatever_form_a_file_writes_the_number(tmp_path: Path) -> None:
    # pandas writes whole numbers as 7.0 where one cell of the column is missing.
    (tmp_path / "w1.csv").write_text("id,vote\n" + "".join(f"{i},A\n" for i in range(100)), encoding="utf-8")
    (tmp_path / "w2.csv").write_text(
        "id,vote\n" + "".join(f"{i}.0,A\n" for i in range(100)), encoding="utf-8"
    )
    reading = OptionReading("vote", ("A", "B"))
    for most, counted in ((1, 100), (2, 200)):
        with open_table(str(tmp_path / "w*.csv")) as table:
            assert summarize(table, reading, unit="id", max_rows=most) == OptionCounts((counted, 0))
    (tmp_path / "t.csv").write_text("id,vote\nTrue,A\nTRUE,A\ntrue,A\n01.0,A\n1,A\n1.5,A\n", encoding="utf-8")
    with open_table(str(tmp_path / "t.csv")) as table:
        assert summarize(table, reading, unit="id") == OptionCounts((4, 0))


def test_a_delta_of_one_is_refused() -> None:
    with pytest.raises(PrivacyParameterError, match="protects nobody"):
        rdp.ask(OptionCounts((3, 4)), winner("vote", ["A", "B"]), epsilon=0, delta=1)
