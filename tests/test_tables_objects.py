# SPDX-License-Identifier: Apache-2.0
"""Objects of Python in frames of pandas: each is one cell, and no class of theirs is asked.

The oracle is additivity: wherever the object stands, all other rows say what they say without it.
"""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cell_tally import NOTHING, UNREADABLE, cells, cells_by
from rainbowdp.tables import open_table
from rainbowdp.tables.batches import _pandas_cells
from rainbowdp.tables.source import UNREADABLE_CELL


class Told(BaseException):
    """What a cell raises that is asked for anything; nothing that reads tables catches it."""


def _tell(*_: object, **__: object) -> NoReturn:
    raise Told("secret")


class Own:
    """A cell of a class of somebody's own."""

    __str__ = __repr__ = __eq__ = __bool__ = __len__ = __array__ = __format__ = _tell

    def __hash__(self) -> int:
        return hash("red")


class HashlessKind(type):
    """The type of a class that cannot be put into a set."""

    def __hash__(cls) -> NoReturn:
        raise Told("secret")

    __eq__ = _tell


class Hashless(metaclass=HashlessKind):
    """A cell of such a class."""


class Masked:
    """A cell that tells of itself when it is asked of which class it is."""

    __class__ = property(_tell)


class OwnText(str):
    """A text that says something else than what it holds."""

    __slots__ = ()
    __str__ = __eq__ = __len__ = _tell
    __hash__ = str.__hash__


def _objects(values: list[object]) -> "pd.Series[Any]":
    held = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        held[at] = value
    return pd.Series(held, dtype=object)


CELLS: dict[str, tuple[Callable[[], object], dict[str, int]]] = {
    "own": (Own, {UNREADABLE: 1}),
    "hashless": (Hashless, {UNREADABLE: 1}),
    "masked": (Masked, {UNREADABLE: 1}),
    "derived": (lambda: OwnText("green"), {"green": 1}),
    "array": (lambda: np.array("red"), {UNREADABLE: 1}),
    "nothing": (lambda: pd.NA, {NOTHING: 1}),
    "moment": (lambda: pd.Timestamp(np.datetime64("20000-01-01", "s")), {UNREADABLE: 1}),
}


@pytest.mark.parametrize("stored", ["object", "Sparse[object]"])
@pytest.mark.parametrize("kind", CELLS)
def test_an_object_is_one_cell_wherever_it_stands(kind: str, stored: Any) -> None:  # noqa: ANN401 - a type
    make, said = CELLS[kind]
    odd = _objects(["red", "red", make(), "blue"])
    frame = pd.DataFrame(
        {"vote": ["a", "a", "b", "a"], "odd": odd if stored == "object" else odd.astype(stored)}
    )
    text = next(iter(said)) if said.keys() & {"green"} else None
    with open_table(frame) as table:
        assert cells(table, "odd") == {"red": 2, "blue": 1, **said}
        assert cells(table, "vote") == {"a": 3, "b": 1}
        assert cells(table, "vote", where={"odd": "red"}) == {"a": 2}
        assert cells(table, "vote", unit="odd", max_rows=9) == {"a": 3, **({"b": 1} if text else {})}
        assert cells_by(table, "vote", "odd", ["red", "blue"]) == {"red": {"a": 2}, "blue": {"a": 1}}


@pytest.mark.parametrize("order", [[True, 1, 1.0, "1", None], [1.0, None, "1", 1, True]])
@pytest.mark.parametrize("stored", ["object", "Sparse[object]"])
def test_truth_values_and_numbers_stay_apart(stored: Any, order: list[object]) -> None:  # noqa: ANN401 - a type
    with open_table(pd.DataFrame({"x": _objects(order).astype(stored)})) as table:
        assert cells(table, "x") == {"true": 1, "1": 3, NOTHING: 1}


@pytest.mark.parametrize("kind", ["float32", "Float32", "float[pyarrow]", "Sparse[float32]"])
def test_short_floats_are_short_as_categories_too(kind: Any) -> None:  # noqa: ANN401 - a type
    column = pd.Series([0.1, 3.4, 0.1], dtype="float64").astype(kind)
    for given in (column, column.astype("category")):
        with open_table(pd.DataFrame({"x": given})) as table:
            assert cells(table, "x") == {"0.1": 2, "3.4": 1}


def test_moments_beyond_all_calendars_are_unreadable_in_every_column() -> None:
    held = np.array(["2020-01-01", "10000-01-01", "-0044-03-15", "NaT"], dtype="datetime64[s]")
    plain: Any = pd.Series(held)
    for column in (
        plain,
        plain.astype(object),
        plain.astype("category"),
        plain.astype("Sparse[datetime64[s]]"),
    ):
        with open_table(pd.DataFrame({"x": column})) as table:
            assert cells(table, "x") == {"2020-01-01T00:00:00": 1, UNREADABLE: 2, NOTHING: 1}


def test_spans_are_unreadable_as_objects_and_categories() -> None:
    spans = pd.Series(pd.interval_range(0, 2))
    for column in (spans, spans.astype(object), spans.astype("category")):
        with open_table(pd.DataFrame({"x": column})) as table:
            assert cells(table, "x") == {UNREADABLE: 2}


def test_no_first_cell_is_asked_for_a_type() -> None:
    for column in (_objects([Masked(), "red"]), _objects([Own(), "red"]), _objects([Hashless(), "red"])):
        with open_table(pd.DataFrame({"x": column})) as table:
            assert cells(table, "x") == {UNREADABLE: 1, "red": 1}


def test_many_categories_over_many_rows_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rainbowdp.tables.batches.BATCH", 2)
    column = pd.Series(["b", None, "a", "c", "a", None, "b"]).astype("category")
    with open_table(pd.DataFrame({"x": column})) as table:
        assert cells(table, "x") == {"a": 2, "b": 2, "c": 1, NOTHING: 2}


def test_a_uuid_has_sixteen_bytes() -> None:
    kind = pl.Extension("arrow.uuid", pl.Binary)
    held = pl.Series("x", [b"\x01" * 16, b"red", b"", b"\x02" * 17, None], dtype=pl.Binary)
    column = held.ext.to(kind)
    for frame in (pl.DataFrame(column), pl.DataFrame(column).lazy()):
        with open_table(frame) as table:
            said = {"01010101-0101-0101-0101-010101010101": 1, UNREADABLE: 3, NOTHING: 1}
            assert cells(table, "x") == said
    real = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\x01" * 16, None], pa.binary(16)))
    with open_table(pa.table({"x": real})) as table:
        assert cells(table, "x") == {"01010101-0101-0101-0101-010101010101": 1, NOTHING: 1}


def test_categories_of_durations_and_floats_in_another_order_of_bytes() -> None:
    kind: Any = pd.ArrowDtype(pa.duration("us"))
    durations = pd.Series(pd.array([1, 2, None], dtype=kind)).astype("category")
    assert _pandas_cells(durations) == [UNREADABLE_CELL, UNREADABLE_CELL, None]
    for kind in (">f2", "<f2", ">f4", "<f4", ">f8"):
        assert _pandas_cells(pd.Series(np.array([0.1, 3.5], dtype=kind))) == [0.1, 3.5]
