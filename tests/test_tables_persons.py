# SPDX-License-Identifier: Apache-2.0
"""A person counts for at most M rows, chosen from that person's rows alone.

The oracle for the choice is the definition, in a few lines of Python; stability is tested on what is kept,
with one key.
"""

import contextlib
import hashlib
import io
import itertools
import random
import struct
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_tally import NOTHING, cells, cells_by
from rainbowdp.errors import TableUnreadableError, UsageError
from rainbowdp.formats.tables import connect
from rainbowdp.tables import count_keys, open_table, persons, summarizing
from siphash_reference import siphash
from table_backends import Backend, Row, csv_file, pandas_objects, sqlite

WARDS = ("N", "S", "N", "S")
KEY = b"a key of sufficient length"
STABLE: tuple[Backend, ...] = (csv_file, pandas_objects, sqlite)


def rows_of_people(seed: int, people: int = 6) -> list[Row]:
    """Return rows in which the answer names its person and its row, so that kept rows can be told apart."""
    generator = random.Random(seed)
    whose = [person for person in range(people) for _ in range(generator.randint(1, 5))]
    generator.shuffle(whose)
    seen: Counter[int] = Counter()
    rows: list[Row] = []
    for person in whose:
        seen[person] += 1
        rows.append((person, f"{person}/{seen[person]}", True, 1.0, generator.choice(["N", "S"])))
    return rows


def kept(backend: Backend, rows: Sequence[Row], directory: Path, most: int) -> set[str]:
    directory.mkdir(parents=True)
    with backend(rows, directory) as (source, options), open_table(source, **options) as table:
        found = cells(table, "vote", unit="person", max_rows=most, key=KEY)
    assert set(found.values()) <= {1}
    return set(found)


def of_others(texts: set[str], person: int) -> set[str]:
    return {text for text in texts if not text.startswith(f"{person}/")}


@pytest.mark.parametrize("backend", STABLE, ids=lambda backend: backend.__name__)
def test_nobody_else_decides_which_rows_of_a_person_count(tmp_path: Path, backend: Backend) -> None:
    most = 2
    rows = rows_of_people(most, people=3)
    everybody = kept(backend, rows, tmp_path / "all", most)
    for person in range(3):
        without = [row for row in rows if row[0] != person]
        assert kept(backend, without, tmp_path / f"without {person}", most) == of_others(everybody, person)
        changed = [
            (row[0], f"{person}/changed {at}", *row[2:]) if row[0] == person else row
            for at, row in enumerate(rows)
        ]
        after = kept(backend, changed, tmp_path / f"changed {person}", most)
        assert of_others(after, person) == of_others(everybody, person)
        more = [*rows[:5], (person, f"{person}/new", True, 1.0, "N"), *rows[5:]]
        after = kept(backend, more, tmp_path / f"more {person}", most)
        assert of_others(after, person) == of_others(everybody, person)


def definition(rows: Sequence[Row], most: int) -> list[str]:
    """Return the answers that count, from the definition in the module's documentation."""
    key = hashlib.sha256(KEY).digest()
    person_key, rank_key = (
        hashlib.blake2b(purpose, digest_size=16, key=key).digest() for purpose in (b"person", b"rank")
    )
    mine = defaultdict(list)
    for row in rows:
        mine[str(row[0])].append(str(row[1]))
    chosen: list[str] = []
    for name, votes in mine.items():
        first, second = siphash(name.encode(), person_key, long=True)
        ranks = [
            siphash(struct.pack("<QQQ", first, second, number)[:-1], rank_key, long=False)
            for number in range(len(votes))
        ]
        order = sorted(range(len(votes)), key=ranks.__getitem__)
        chosen.extend(votes[at] for at in order[:most])
    return chosen


def test_the_rows_that_count_are_those_of_the_definition(tmp_path: Path) -> None:
    rows = rows_of_people(11, people=40)
    assert kept(csv_file, rows, tmp_path / "a", 2) == set(definition(rows, 2))


def test_the_answer_decides_nothing(tmp_path: Path) -> None:
    rows = rows_of_people(5)
    before = kept(csv_file, rows, tmp_path / "a", 1)
    # Rows keep their names but for a prefix that turns their order around.
    turned: list[Row] = [(row[0], f"{9 - int(str(row[1])[-1])}|{row[1]}", *row[2:]) for row in rows]
    after = kept(csv_file, turned, tmp_path / "b", 1)
    assert {text.partition("|")[2] for text in after} == before


def test_a_row_whose_answer_cannot_be_read_uses_up_its_place(tmp_path: Path) -> None:
    votes = (None, "red")
    rows: list[Row] = [(person, vote, True, 1.0, "N") for person in range(200) for vote in votes]
    (tmp_path / "a").mkdir()
    with csv_file(rows, tmp_path / "a") as (source, options), open_table(source, **options) as table:
        found = cells(table, "vote", unit="person")
    assert set(found) == {"red", NOTHING}
    assert sum(found.values()) == 200


def test_every_row_of_a_person_is_kept_equally_often() -> None:
    import polars as pl

    frame = pl.DataFrame({"person": [at // 4 for at in range(8000)], "vote": ["a", "b", "b", "c"] * 2000})
    with open_table(frame) as table:
        found = cells(table, "vote", unit="person", max_rows=2)
    # Each row is kept with probability 1/2; six standard deviations of 2000 such rows are 134.
    assert sum(found.values()) == 4000
    assert abs(found["a"] - 1000) < 134
    assert abs(found["c"] - 1000) < 134


def test_one_person_may_be_written_in_several_ways() -> None:
    import pandas as pd

    units = [1, 1.0, "1", " 1 ", True, None, float("nan"), "", [1]]
    frame = pd.DataFrame({"person": pd.Series(units, dtype=object), "vote": list("abcdefghi")})
    with open_table(frame) as table:
        assert sum(cells(table, "vote", unit="person").values()) == 2
        assert set(cells(table, "vote", unit="person", max_rows=9)) == set("abcde")


def test_rows_are_limited_after_filters_and_groups(tmp_path: Path) -> None:
    rows: list[Row] = [
        *[(1, "red", True, 1.0, "N")] * 5,
        (1, "blue", False, 1.0, "S"),
        (2, "blue", True, 1.0, "S"),
    ]
    with csv_file(rows, tmp_path) as (source, options), open_table(source, **options) as table:
        assert cells(table, "vote", where={"flag": "false"}, unit="person") == {"blue": 1}
        overall = cells_by(table, "vote", "ward", ["S"], unit="person")
        assert overall == {"S": {"blue": 2}}


def test_rows_are_limited_over_all_groups_together(tmp_path: Path) -> None:
    rows: list[Row] = [(person, "red", True, 1.0, ward) for person in range(50) for ward in WARDS]
    with csv_file(rows, tmp_path) as (source, options), open_table(source, **options) as table:
        overall = cells_by(table, "person", "ward", ["N", "S"], unit="person", max_rows=3)
        together = Counter(overall["N"]) + Counter(overall["S"])
        assert set(together.values()) == {3}


def in_all_ways(rows: Sequence[Row]) -> list[object]:
    """Return what counts of rows with and without an order, by group, and as keys."""
    import polars as pl

    found: list[object] = []
    frame = pl.DataFrame(list(rows), schema=["person", "vote", "flag", "score", "ward"], orient="row")
    with open_table(frame) as table:
        for source, most in itertools.product((table.source, replace(table.source, ordered=False)), (1, 3)):
            read = replace(table, source=source)
            some = cells(read, "vote", where={"flag": "true"}, unit="person", max_rows=most, key=KEY)
            by = cells_by(read, "vote", "ward", ["N", "S"], unit="person", max_rows=most, key=KEY)
            names = dict(count_keys(read, "vote", unit="person", max_keys=most, key=KEY))
            found.append((some, by, names))
    return found


def test_neither_shares_nor_caches_decide_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(12)
    rows: list[Row] = [
        (generator.randrange(60), generator.choice("abcdefgh"), True, 1.0, generator.choice("NS"))
        for _ in range(400)
    ]
    # One person has more rows than are handled at once.
    rows += [(7, generator.choice("abcdefgh"), True, 1.0, generator.choice("NS")) for _ in range(100)]
    before = in_all_ways(rows)
    monkeypatch.setattr(persons, "_HELD", 37)
    monkeypatch.setattr(persons, "_SHARES", 8)
    monkeypatch.setattr(persons, "_PIECE", 11)
    monkeypatch.setattr(summarizing, "_REMEMBERED", 3)
    assert in_all_ways(rows) == before


class Full(io.BytesIO):
    """A file on a disk without room."""

    def write(self, _: object) -> int:
        raise OSError(28, "No space left on device", "canary")

    def close(self) -> None:
        super().close()
        raise OSError(28, "No space left on device", "canary")


def test_a_full_disk_is_one_message_without_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    monkeypatch.setattr(persons, "_HELD", 10)
    monkeypatch.setattr(persons, "_unnamed_file", Full)
    frame = pl.DataFrame({"person": [f"canary{at}" for at in range(30)], "vote": ["canary"] * 30})
    with open_table(frame) as table, pytest.raises(TableUnreadableError, match="no room") as caught:
        cells(table, "vote", unit="person")
    assert "canary" not in caught.value.report()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_rows_of_persons_leave_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(persons, "_HELD", 4)
    with persons.PersonRows() as rows:
        words = np.arange(40, dtype=np.uint64).reshape(20, 2)
        rows.add(words, words)
        assert not list(tmp_path.iterdir())
        found = np.concatenate([piece for pieces in rows.shares() for piece in pieces])
    assert sorted(found[:, 0].tolist()) == list(range(0, 40, 2))
    assert not list(tmp_path.iterdir())


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.integers(0, 2**63 - 1)
    )
)
def test_long_texts_come_in_their_order(counted: dict[str, int]) -> None:
    assert list(persons._in_order(counted.items())) == sorted(counted.items())


def test_keys_of_a_person_depend_on_no_order_and_on_nobody_else() -> None:
    import polars as pl

    rows = [(person, word) for person in range(8) for word in "abcdefg"[person % 3 :]] * 2
    frame = pl.DataFrame(rows, schema=["person", "word"], orient="row")
    with open_table(frame) as table:
        whole = dict(count_keys(table, "word", unit="person", max_keys=2, key=KEY))
    assert sum(whole.values()) == 16
    with open_table(frame.reverse()) as table:
        assert dict(count_keys(table, "word", unit="person", max_keys=2, key=KEY)) == whole
    for person in range(8):
        with open_table(frame.filter(pl.col("person") != person)) as table:
            others = Counter(dict(count_keys(table, "word", unit="person", max_keys=2, key=KEY)))
        with open_table(frame.filter(pl.col("person") == person)) as table:
            own = Counter(dict(count_keys(table, "word", unit="person", max_keys=2, key=KEY)))
        assert others + own == whole


def test_many_rows_go_through_in_batches(tmp_path: Path) -> None:
    count = 150_000
    lines = "".join(f"{at % 5000},k{at % 70_000}\n" for at in range(count))
    (tmp_path / "a.csv").write_text(f"person,key\n{lines}", encoding="utf-8")
    done: list[float] = []
    with open_table(tmp_path / "a.csv") as table:
        assert sum(cells(table, "key", unit="person", max_rows=2, progress=done.append).values()) == 10_000
        keys = list(count_keys(table, "key"))
    assert len(keys) == 70_000
    assert sum(people for _, people in keys) == count
    assert done[-1] == 1.0
    assert all(0 <= share <= 1 for share in done)


def test_options_that_make_no_sense_are_refused() -> None:
    import polars as pl

    with open_table(pl.DataFrame({"person": [1], "vote": ["a"]})) as table:
        with pytest.raises(UsageError, match="0 rows per person"):
            cells(table, "vote", unit="person", max_rows=0)
        with pytest.raises(UsageError, match="-1 keys per person"):
            count_keys(table, "vote", unit="person", max_keys=-1)
        with pytest.raises(UsageError, match="a key of 3 bytes"):
            cells(table, "vote", unit="person", key=b"abc")
        with pytest.raises(UsageError, match="the filter for column 'vote' is empty"):
            cells(table, "vote", where={"vote": " "})
        with pytest.raises(UsageError, match="'a' is named twice"):
            cells_by(table, "vote", "vote", ["a", " a"])
        with pytest.raises(UsageError, match="`by` is given without `groups`"):
            cells_by(table, "vote", "vote", [])


def test_no_room_for_texts_is_the_same_message(monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    @contextlib.contextmanager
    def cramped() -> Iterator[duckdb.DuckDBPyConnection]:
        with connect() as database:
            database.execute("set temp_directory = ''")
            yield database

    monkeypatch.setattr(persons, "connect", cramped)
    monkeypatch.setattr(persons, "_MEMORY", "10MB")
    votes = [f"canary{at}" + "x" * 2000 for at in range(15_000)]
    frame = pl.DataFrame({"id": range(len(votes)), "vote": votes})
    with open_table(frame) as table, pytest.raises(TableUnreadableError, match="no room") as caught:
        cells(table, "vote", unit="id")
    assert "canary" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), duckdb.Error("a\nKeyboardInterrupt: \n")]
)
def test_an_interrupt_while_rows_are_put_aside_is_one(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    import polars as pl

    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr(persons.PersonRows, "add", stop)
    frame = pl.DataFrame({"vote": ["A", "B"], "id": [1, 2]})
    with open_table(frame) as table, pytest.raises(KeyboardInterrupt):
        cells(table, "vote", unit="id")
