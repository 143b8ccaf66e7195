# SPDX-License-Identifier: Apache-2.0
"""No library says anything about a cell on its own, and no class of a cell decides what a table says."""

import logging
import threading
import warnings
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from cell_tally import UNREADABLE, cells
from rainbowdp.errors import TableUnreadableError
from rainbowdp.questions import OptionCounts, winner
from rainbowdp.questions.cells import cell_text
from rainbowdp.questions.readings import OptionReading, Tally
from rainbowdp.release import ask
from rainbowdp.tables import batches, count_keys, open_table, summarize, summarize_groups
from rainbowdp.tables.persons import Spool
from rainbowdp.tables.silence import Silence
from spark_session import spark


class Odd:
    """A cell that fails when it is asked."""

    def __hash__(self) -> int:
        raise TypeError("a canary")

    def __eq__(self, _: object) -> bool:
        raise TypeError("a canary")


@pytest.mark.parametrize(
    "objects", [["red", "blue"], ["red", ["blue"]], ["red", Odd()], [1, True, 1.0, "1"], []]
)
@pytest.mark.parametrize("lazy", [False, True])
def test_objects_of_python_in_polars_are_read_by_nobody(
    objects: list[object], lazy: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    frame = pl.DataFrame(
        {"vote": pl.Series(objects, dtype=pl.Object), "at": pl.Series(range(len(objects)), dtype=pl.Int64)}
    )
    with open_table(frame.lazy() if lazy else frame) as table:
        assert table.source.unreadable == ("vote",)
        unreadable = {UNREADABLE: len(objects)} if objects else {}
        assert {text: count for text, count in cells(table, "vote").items() if count} == unreadable
        assert cells(table, "vote", unit="at") == unreadable
        assert len(cells(table, "at")) == len(objects)
        assert cells(table, "at", where={"vote": "red"}) == {}
        assert not list(count_keys(table, "vote"))
    asked = ask(frame, winner("vote", ["red", "blue"]), epsilon=1)
    assert asked.answer in {"red", "blue"}
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("action", ["error", "always"])
@pytest.mark.parametrize("unit", [None, "person"])
def test_no_warning_gets_out_and_none_becomes_an_error(
    action: str, unit: str | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def warned(cell: object) -> object:
        warnings.warn("a canary", FutureWarning, stacklevel=1)
        logging.getLogger("library").critical("a canary")
        return cell_text(cell)

    # As a library may warn about a cell.
    monkeypatch.setattr(batches, "cell_text", warned)
    frame = pd.DataFrame({"person": [1, 2], "vote": pd.Series([b"red", "blue"], dtype=object)})
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter(action)  # type: ignore[arg-type]  # one of the words
        before = list(warnings.filters)
        with open_table(frame) as table:
            assert cells(table, "vote", unit=unit) == {"red": 1, "blue": 1}
            assert list(count_keys(table, "vote", unit=unit)) == [("blue", 1), ("red", 1)]
        assert list(warnings.filters) == before
    assert not seen
    assert not caplog.records
    logging.getLogger("library").critical("heard")
    assert [record.message for record in caplog.records] == ["heard"]


class Telling(OptionReading):
    """A reading that tells of what it reads."""

    def summary(self, tally: Tally) -> OptionCounts:
        warnings.warn("a canary", stacklevel=1)
        logging.getLogger("library").critical("a canary")
        return super().summary(tally)


def test_a_reading_is_not_heard_however_the_table_is_read(caplog: pytest.LogCaptureFixture) -> None:
    frame = pd.DataFrame({"person": [1, 2], "vote": ["red", "red"], "town": ["Ulm", "Ulm"]})
    reading = Telling("vote", ("red", "blue"))
    with warnings.catch_warnings(record=True) as seen, open_table(frame) as table:
        warnings.simplefilter("always")
        assert summarize(table, reading) == OptionCounts((2, 0))
        assert summarize(table, reading, unit="person") == OptionCounts((2, 0))
        assert summarize_groups(table, reading, "town", ["Ulm"]) == {"Ulm": OptionCounts((2, 0))}
    assert not seen
    assert not caplog.records


def test_spark_logs_no_cell_of_a_query_that_fails(capfd: pytest.CaptureFixture[str]) -> None:
    rows = spark().createDataFrame([(1, "1"), (2, "canary")], "person int, vote string")
    frame = rows.selectExpr("person", "cast(vote as int) as vote")
    capfd.readouterr()
    with open_table(frame) as table:
        for unit in (None, "person"):
            with pytest.raises(TableUnreadableError):
                cells(table, "vote", unit=unit)
    assert "canary" not in "".join(capfd.readouterr())


def test_warnings_are_back_when_the_last_thread_is_out() -> None:
    entered, leave = threading.Event(), threading.Event()

    def inside() -> None:
        with Silence():
            entered.set()
            leave.wait()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        other = threading.Thread(target=inside)
        with Silence():
            other.start()
            entered.wait()
        warnings.warn("still silent", UserWarning, stacklevel=1)
        leave.set()
        other.join()
        warnings.warn("heard", UserWarning, stacklevel=1)
    assert [str(warning.message) for warning in seen] == ["heard"]


@pytest.mark.parametrize("step", range(6))
def test_an_interrupt_at_any_step_leaves_nothing_silent(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    filters, shown, steps = list(warnings.filters), warnings.showwarning, iter(range(6))

    def interrupted(work: Callable[..., None]) -> Callable[..., None]:
        def first(*values: Any) -> None:  # noqa: ANN401 - handed on as they are
            if next(steps, -1) == step:
                raise KeyboardInterrupt
            work(*values)
            if next(steps, -1) == step:
                raise KeyboardInterrupt

        return first

    for place, name in ((logging, "disable"), (warnings, "simplefilter")):
        monkeypatch.setattr(place, name, interrupted(getattr(place, name)))
    with pytest.raises(KeyboardInterrupt), Silence():
        pass
    monkeypatch.undo()
    assert logging.root.manager.disable == logging.NOTSET
    assert (warnings.filters, warnings.showwarning) == (filters, shown)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with Silence():
            warnings.warn("silent", UserWarning, stacklevel=1)
        warnings.warn("heard", UserWarning, stacklevel=1)
    assert [str(warning.message) for warning in seen] == ["heard"]


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Query interrupted"),
        duckdb.InterruptException("x"),
        duckdb.Error("a\nKeyboardInterrupt: \n"),
    ],
    ids=["runtime", "duckdb", "inside"],
)
@pytest.mark.parametrize("step", ["register", "execute", "unregister"])
def test_an_interrupt_while_rows_are_put_aside_is_one(
    error: Exception, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stops:
        def __init__(self, database: Any) -> None:  # noqa: ANN401 - DuckDB's connection
            self.database = database

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever it has
            if name != step:
                return getattr(self.database, name)

            def stop(*_: object) -> None:
                raise error

            return stop

    insert = Spool._insert

    def stopped(self: Spool, table: str, **columns: object) -> None:
        self._database = Stops(self._database)  # type: ignore[assignment]  # stands for it
        insert(self, table, **columns)

    monkeypatch.setattr(Spool, "_insert", stopped)
    frame = pd.DataFrame({"vote": ["A", "B"], "id": [1, 2]})
    with open_table(frame) as table, pytest.raises(KeyboardInterrupt):
        cells(table, "vote", unit="id")


def test_floats_of_numpy_that_are_signals_are_read_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    signal = np.array([0x7FA00000, 0x7F800001, 0x3F800000], dtype=np.uint32).view(np.float32)
    for frame in (pl.DataFrame({"x": signal}), pd.DataFrame({"x": signal})):
        with warnings.catch_warnings(), open_table(frame) as table:
            warnings.simplefilter("error")
            assert cells(table, "x")["1"] == 1
    assert capfd.readouterr() == ("", "")
