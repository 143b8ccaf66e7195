# SPDX-License-Identifier: Apache-2.0
"""A hunt for leaks: canaries in every column, and pairs of tables that may not be told apart.

With the same bits and the same answer, nothing that is printed, written, stored or raised may differ between
two tables. The canaries are texts and counts that occur nowhere else.
"""

import copy
import json
import pickle
import re
import sqlite3
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import rainbowdp as rdp
from bit_sources import FixedBits, NoBits
from command_line import Outcome, Runner
from rainbowdp.errors import RainbowError
from rainbowdp.ledger import Cost, open_ledger
from rainbowdp.questions import OptionCounts, ScoreValues, readings
from rainbowdp.release import Terms, answer, asking
from rainbowdp.tables import open_table, summarize

CANARY = "Qx7canary"
# 4,127 votes for A and 1,009 for B are a lead of 3,118.
A, B = 4127, 1009
COUNTS = re.compile(r"(?<![0-9.e-])(4,?127|1,?009|5,?136|3,?118|3117|1559|1558)(?![0-9])")


def columns() -> dict[str, list[str]]:
    """Return a table by columns, with a canary of its own in each of them."""
    size = A + B + 1
    table = {
        "vote": ["A"] * A + ["B"] * B,
        "person": [f"p{at}" for at in range(size - 1)],
        "town": ["Ulm"] * (size - 1),
        "ward": ["x"] * (size - 1),
    }
    for name, cells in table.items():
        cells.append(f"{CANARY}-{name}")
    return table


def make_csv(folder: Path) -> str:
    path = folder / "people.csv"
    pd.DataFrame(columns()).to_csv(path, index=False)
    return str(path)


def make_parquet(folder: Path) -> str:
    path = folder / "people.parquet"
    pq.write_table(pa.table(columns()), path)
    return str(path)


def make_sqlite(folder: Path) -> str:
    path = folder / "people.db"
    with sqlite3.connect(path) as connection:
        pd.DataFrame(columns()).to_sql("people", connection, index=False)
    connection.close()
    return f"sqlite:///{path}"


SOURCES: dict[str, Callable[[Path], str]] = {"csv": make_csv, "parquet": make_parquet, "sqlite": make_sqlite}


def assert_silent(where: str, text: str) -> None:
    assert CANARY not in text, where
    # The numbers by themselves: digits inside of a probability are none.
    assert not COUNTS.search(text), (where, text)


def asks(source: str, folder: Path) -> Iterator[list[object]]:
    """Yield command lines that answer, and some that fail in every way there is."""
    table = ["--table", "people"] if source.startswith("sqlite") else []
    base: list[object] = ["ask", "winner", source, *table, "--column", "vote", "--options", "A,B"]
    privacy: list[object] = ["--epsilon", "2"]
    other: list[object] = [source, *table, "--column", "vote", *privacy]
    receipt: list[object] = ["--receipt", folder / "r.json"]
    yield [*base, *privacy, "--receipt", folder / "paid.json", "--ledger", folder / "l", "--name", "b"]
    for start, words in (
        ([*base, *privacy, *receipt], "--by ward --groups x,y --format json"),
        ([*base, *privacy], "--unit person --max-rows 2 --where town=Ulm --neighbors change-one"),
        (["ask", "ranking", *base[2:], *privacy], "--other C"),
        (["ask", "yes-no", *other], "--equals A --share 1/2"),
        (["ask", "yes-no", *other], "--sum --clamp 1,2 --at-least 9"),
        (["ask", "level", *other], "--equals A --edges 9,99999"),
        (["ask", "bracket", *other], "--edges 3"),
    ):
        yield [*start, *words.split()]
    # Errors: a column, an encoding, a budget, a disk, a boundary, a request that was another one.
    yield [*base, *privacy, "--where", "twn=Ulm"]
    yield [*base, *privacy, "--encoding", "utf-16"]
    yield [*base, "--epsilon", 99, "--ledger", folder / "l", "--name", "b"]
    yield [*base, *privacy, "--ledger", folder / "l", "--name", "c"]
    yield [*base, *privacy, "--ledger", folder, "--name", "b"]
    yield [*base, *privacy, "--ledger", source, "--name", "b"]
    yield [*base, *privacy, "--receipt", folder / "no" / "r.json"]
    yield ["ask", "winner", source, "--column", "vote", "--options", "A,B", *privacy, "--sql", "select vote,"]
    yield ["ask", "ranking", *base[2:-1], "A,B,C,D,E", *privacy, "--boundary", "max-min"]


@pytest.mark.parametrize("kind", SOURCES)
def test_no_canary_leaves_through_any_door(kind: str, tmp_path: Path, run: Runner) -> None:
    source = SOURCES[kind](tmp_path)
    with open_ledger(tmp_path / "l", create=True) as ledger:
        ledger.create("b", Cost.of(rdp.PureDP(5)))
    codes = []
    for words in asks(source, tmp_path):
        outcome: Outcome = run("--debug", *words)
        codes.append(outcome.code)
        assert outcome.code in {0, 2, 3, 4}, outcome.err
        assert_silent(f"stdout of {words}", outcome.out)
        assert_silent(f"stderr of {words}", outcome.err)
    assert {0, 2, 3, 4} == set(codes)
    assert codes[:8] == [0] * 8
    for name in ("r.json", "paid.json"):
        assert_silent("receipt", (tmp_path / name).read_text(encoding="utf-8"))
    stored = (tmp_path / "l").read_bytes()
    assert b"people." in stored
    assert_silent("ledger", stored.decode("latin-1"))
    written = {path.name for path in tmp_path.iterdir()}
    assert written <= {Path(source).name, "people.db", "r.json", "paid.json", "l"}


def frame() -> pd.DataFrame:
    return pd.DataFrame(columns())


def everything_of(error: BaseException) -> Iterator[str]:
    """Yield all texts of an error and of those behind it."""
    known: list[BaseException] = [error]
    for one in known:
        yield str(one)
        yield repr(one)
        yield repr(vars(one))
        yield repr(getattr(one, "__notes__", ()))
        yield repr(getattr(one, "values", ()))
        known += [other for other in (one.__cause__, one.__context__) if other is not None]
    yield "".join(traceback.format_exception(error))


def test_no_error_between_charge_and_answer_says_where_the_table_lies(tmp_path: Path) -> None:
    terms = Terms(rdp.winner("vote", ["A", "B"]), rdp.PureDP(1))
    with open_ledger(tmp_path / "l", create=True) as ledger, open_table(frame()) as table:
        ledger.create("b", Cost.of(rdp.PureDP(5)))
        with pytest.raises(OSError, match="not there") as caught:
            answer(terms, table, ledger, "b", None, bits=NoBits())
        for text in everything_of(caught.value):
            assert_silent("error", text)


def test_no_object_shows_or_keeps_what_it_must_not() -> None:
    question = rdp.winner("vote", ["A", "B"])
    with open_table(frame()) as table:
        terms = Terms(question, rdp.PureDP(1), unit="person", max_rows=3, where={"town": "Ulm"})
        found = answer(terms, table)
        summary = summarize(table, question.reading)
        located = terms.mechanism.at(summary)
        values = [found, terms, terms.mechanism, located, question.locate(summary), table, summary]
        for value in values:
            for text in (repr(value), str(value), f"{value}", f"{[value]}"):
                assert_silent(type(value).__name__, text)
    assert_silent("receipt", json.dumps(found.receipt))
    for value in (found, terms):
        stored = pickle.dumps(value)
        assert_silent("pickle", stored.decode("latin-1"))
        assert pickle.loads(stored) == value  # noqa: S301 - the test's own bytes
        assert copy.deepcopy(value) == value


def test_every_kind_of_summary_hides_its_values() -> None:
    kinds = [
        kind
        for kind in vars(readings).values()
        if isinstance(kind, type) and kind.__module__ == readings.__name__
    ]
    shown = [kind for kind in kinds if issubclass(kind, readings.Private) and kind is not readings.Private]
    assert len(shown) == 6
    for kind in shown:
        fields = kind.__match_args__  # type: ignore[attr-defined]  # dataclasses have it
        value = kind(*(4127 for _ in fields))
        assert repr(value) == str(value) == f"<{kind.__name__}: private>"


# Tables that a person's rows tell apart, and nothing else: all have one answer with the same bits.
HEADER = "vote,person,town,ward\n"
BODIES = {
    "ordinary": b"A,1,Ulm,x\nA,2,Ulm,x\nB,3,Ulm,y\n",
    "no row": b"",
    "short and long": b"A,1,Ulm,x\nA\nA,1,Ulm,x,5,6,7\nB,2,Ulm,x\n",
    "not utf-8": b"A,1,Ulm,x\n\xff\xfe,2,\xff,x\nA,\xff,Ulm,x\n",
    "zero bytes": b"A,1,Ulm,x\nA\x00B,2,Ulm,x\nB,\x00,\x00,\x00\n",
    "open quote": b'A,1,Ulm,x\n"A,2,Ulm,x\nB,3,Ulm,x\n',
    "all null": b",,,\n,,,\n,,,\n",
    "long cell": b"A,1,Ulm,x\n" + b"z" * 70_000 + b",2,Ulm,x\n",
    "odd numbers": b"1e999999999,1,Ulm,x\n0x1F,2,Ulm,x\nNaN,3,Ulm,x\n-inf,4,Ulm,x\n"
    + b"9" * 5000
    + b",5,Ulm,x\n",
    "old mac": b"A,1,Ulm,x\rB,2,Ulm,x\r",
}
QUESTIONS = [
    "winner --column vote --options A,B --by ward --groups x,y",
    "ranking --column vote --options A,B --unit person --max-rows 2",
    "yes-no --column vote --equals A --share 1/2 --nulls A --where town=Ulm",
    "yes-no --column vote --sum --clamp -1,5 --at-least 2 --neighbors change-one",
    "bracket --column vote --edges 0,5",
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda words: words.split()[0])
def test_whatever_the_rows_hold_nothing_else_is_said(
    question: str, tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Last(FixedBits):
        def bits(self, count: int) -> int:
            return (1 << count) - 1

        def words(self, count: int) -> NDArray[np.uint64]:
            return np.full(count, 2**64 - 1, dtype=np.uint64)

    monkeypatch.setattr(asking, "answer", partial(asking.answer, bits=Last([])))
    path = tmp_path / "people.csv"
    seen = set()
    for name, body in BODIES.items():
        path.write_bytes(HEADER.encode() + body)
        # Small enough that the last answer comes out wherever the table lies.
        kind, *words = question.split()
        outcome = run("ask", kind, path, *words, "--epsilon", "1/1000", "--receipt", tmp_path / "r.json")
        receipt = json.loads((tmp_path / "r.json").read_bytes())
        del receipt["answered_at"]
        seen.add((outcome.code, outcome.out, outcome.err, json.dumps(receipt)))
        assert len(seen) == 1, (name, outcome)
    assert next(iter(seen))[0] == 0


def test_whether_a_frame_is_refused_never_depends_on_its_cells() -> None:
    odd = [None, float("nan"), b"\xff", object(), [1], {"a": 1}, "A\0", 10**400, pd.NaT, complex(1, 2), "A"]
    frame = pd.DataFrame({"vote": odd, "person": odd[::-1], "ward": odd})
    for options in (
        {},
        {"unit": "person", "max_rows": 2},
        {"by": "ward", "groups": ["A", "B"]},
        {"where": {"ward": "A"}},
    ):
        found, usual = (
            rdp.ask(asked, rdp.winner("vote", ["A", "B"]), epsilon=1, **options)
            for asked in (frame, pd.DataFrame({name: ["A"] for name in frame}))
        )
        assert found.notes == usual.notes


def test_sizes_of_given_summaries_are_refused_without_their_numbers(tmp_path: Path) -> None:
    question = rdp.winner("vote", ["A", "B"])
    with open_ledger(tmp_path / "l", create=True) as ledger:
        ledger.create("b", Cost.of(rdp.PureDP(5)))
    paid: dict[str, Any] = {"epsilon": 1, "ledger": str(tmp_path / "l"), "name": "b"}
    wrong: list[Any] = [OptionCounts((A, B, 3)), OptionCounts((A + 0.5, B + 0.25)), ScoreValues((A, B))]  # type: ignore[arg-type]  # wrong on purpose
    for summary in wrong:
        with pytest.raises(RainbowError) as caught:
            rdp.ask(summary, question, **paid)
        for text in everything_of(caught.value):
            assert_silent("error", text)
    with open_ledger(tmp_path / "l") as ledger:
        assert ledger.state("b").requests == 0
