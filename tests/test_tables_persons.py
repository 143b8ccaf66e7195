# SPDX-License-Identifier: Apache-2.0
"""A person counts for at most M rows, a uniformly random set of that person's rows.

The oracle for the choice is the definition, in a few lines of Python; the law of what is kept is counted.
"""

import contextlib
import io
import itertools
import random
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_tally import NOTHING, cells, cells_by
from rainbowdp.errors import TableUnreadableError, UsageError
from rainbowdp.formats.text_tables import connect
from rainbowdp.tables import count_keys, open_table, persons, summarizing
from rainbowdp.tables.persons import Words, chosen, distinct
from rainbowdp.tables.summarizing import Wanted, rows_per_person
from table_backends import Row, csv_file

KEY = b"a sufficient key"
# Persons and sayings share their first or their second word.
WORD = st.sampled_from([0, 1, 1 << 63])


def words(rows: Sequence[Sequence[int]]) -> Words:
    return np.array(rows, dtype=np.uint64).reshape(len(rows), 4)


@given(
    st.lists(st.tuples(WORD, WORD, WORD, WORD)),
    st.lists(st.integers(0, 20), max_size=3),
    st.integers(1, 4),
    st.booleans(),
)
def test_each_person_keeps_the_rows_with_the_smallest_numbers(
    rows: list[tuple[int, ...]], cuts: list[int], most: int, once: bool
) -> None:
    ends = sorted(min(cut, len(rows)) for cut in [0, *cuts, len(rows)])
    pieces = [words(rows[start:end]) for start, end in itertools.pairwise(ends)]
    mine: dict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
    for row in rows:
        mine[row[:2]].append(row[2:])
    expected: Counter[tuple[int, ...]] = Counter()
    for person, own in mine.items():
        said = sorted(set(own), key=lambda row: row[::-1]) if once else own
        columns = [np.full(len(said), word, np.uint64) for word in person]
        numbers = persons.siphash([*columns, np.arange(len(said), dtype=np.uint64)], KEY).tolist()
        expected.update(row for _, row in sorted(zip(numbers, said, strict=True))[:most])
    found = chosen(pieces, most, KEY, once=once)
    assert Counter(map(tuple, found.tolist())) == expected
    keys, counts = distinct(found)
    assert dict(zip(map(tuple, keys.tolist()), counts.tolist(), strict=True)) == expected


def test_the_numbers_are_those_of_siphash() -> None:
    key, message = bytes(range(16)), np.frombuffer(bytes(range(15)) + b"\0", dtype="<u8")
    # Appendix A of the paper.
    assert persons.siphash([*message.reshape(2, 1)], key).tolist() == [0xA129CA6149BE45E5]


def as_csv(rows: pl.DataFrame, place: Path) -> object:
    rows.write_csv(place / "a.csv")
    return place / "a.csv"


def as_parquet(rows: pl.DataFrame, place: Path) -> object:
    rows.write_parquet(place / "a.parquet")
    return place / "a.parquet"


@pytest.mark.parametrize("written", [lambda rows, _: rows, as_csv, as_parquet])
@pytest.mark.parametrize("once", [False, True])
def test_nobody_else_decides_what_is_kept_of_a_person(
    once: bool,
    written: Callable[[pl.DataFrame, Path], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whose = [at * at % 7 for at in range(150)]
    frame = pl.DataFrame({"person": whose, "said": [f"{person}/{at}" for at, person in enumerate(whose)]})

    def kept(rows: pl.DataFrame) -> set[str]:
        with open_table(written(rows, tmp_path)) as table:
            if once:
                return set(dict(count_keys(table, "said", unit="person", max_keys=2, secret=KEY)))
            return set(cells(table, "said", unit="person", max_rows=2, secret=KEY))

    everybody = kept(frame)
    # Nor do pieces and blocks.
    for bound, size in (("_HELD", 37), ("_PIECE", 11), ("_AT_ONCE", 5)):
        monkeypatch.setattr(persons, bound, size)
    assert kept(frame) == everybody
    for person in set(whose):
        others = {text for text in everybody if not text.startswith(f"{person}/")}
        assert kept(frame.filter(pl.col("person") != person)) == others
        assert kept(frame.filter(pl.col("person") == person)) == everybody - others
    assert (kept(frame.reverse()) == everybody) == once


@pytest.mark.parametrize("once", [False, True])
def test_every_choice_of_rows_is_kept_equally_often(once: bool) -> None:
    persons_count = 12_000
    said = [1, 1, 2, 3] if once else [0, 1, 2, 3]
    rows = np.zeros((persons_count * len(said), 4), dtype=np.uint64)
    rows[:, 0] = rows[:, 3] = np.repeat(np.arange(persons_count, dtype=np.uint64), len(said))
    # What a row says also says whose it is, so that kept rows can be told apart.
    rows[:, 2] = np.tile(np.array(said, dtype=np.uint64), persons_count)
    for most in range(1, len(set(said)) + 1):
        mine = defaultdict(list)
        for saying, person in chosen([rows], most, KEY, once=once).tolist():
            mine[person].append(saying)
        counts = Counter(tuple(sorted(sayings)) for sayings in mine.values())
        law = list(itertools.combinations(sorted(set(said)), most))
        assert set(counts) == set(law)
        for kept in law:
            share = 1 / len(law)
            assert (
                abs(counts[kept] - persons_count * share) <= 6 * (persons_count * share * (1 - share)) ** 0.5
            )


def test_a_fresh_key_chooses_afresh() -> None:
    frame = pl.DataFrame({"person": [0] * 64, "vote": list(map(str, range(64)))})
    with open_table(frame) as table:
        assert len({next(iter(cells(table, "vote", unit="person"))) for _ in range(4)}) > 1
        kept = [cells(table, "vote", unit="person", max_rows=9, secret=KEY) for _ in range(2)]
        assert kept[0] == kept[1]


def test_the_answer_decides_nothing() -> None:
    people = [at % 50 for at in range(200)]
    found = []
    for votes in (range(200), range(200, 0, -1)):
        with open_table(pl.DataFrame({"person": people, "vote": list(map(str, votes))})) as table:
            found.append(cells(table, "vote", unit="person", secret=KEY))
    assert {200 - int(vote) for vote in found[0]} == {*map(int, found[1])}


def test_a_row_whose_answer_cannot_be_read_uses_up_its_place() -> None:
    with open_table(
        pl.DataFrame({"person": [*range(200)] * 2, "vote": [None] * 200 + ["red"] * 200})
    ) as table:
        found = cells(table, "vote", unit="person")
    assert set(found) == {"red", NOTHING}
    assert sum(found.values()) == 200


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
    rows: list[Row] = [(person, "red", True, 1.0, ward) for person in range(50) for ward in "NSNS"]
    with csv_file(rows, tmp_path) as (source, options), open_table(source, **options) as table:
        overall = cells_by(table, "person", "ward", ["N", "S"], unit="person", max_rows=3)
        together = Counter(overall["N"]) + Counter(overall["S"])
        assert set(together.values()) == {3}


def test_neither_shares_nor_caches_decide_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(12)
    # One person has more rows than are handled at once.
    whose = [generator.randrange(60) for _ in range(400)] + [7] * 100
    said = [f"{person}/{generator.randrange(8)}" for person in whose]
    monkeypatch.setattr(persons, "_HELD", 37)
    monkeypatch.setattr(persons, "_SHARES", 8)
    monkeypatch.setattr(persons, "_PIECE", 11)
    monkeypatch.setattr(summarizing, "_REMEMBERED", 3)
    rows, keys = Counter(whose), Counter(key.partition("/")[0] for key in set(said))
    with open_table(pl.DataFrame({"person": whose, "vote": said})) as table:
        assert cells(table, "vote", unit="person", max_rows=999) == Counter(said)
        assert dict(count_keys(table, "vote", unit="person", max_keys=8)) == dict.fromkeys(said, 1)
        assert rows_per_person(table, Wanted("vote", unit="person")) == Counter(rows.values())
        for most in (1, 3):
            kept = cells(table, "vote", unit="person", max_rows=most)
            assert not Counter(kept) - Counter(said)
            own = Counter(dict.fromkeys(rows, 0))
            for vote, number in kept.items():
                own[int(vote.partition("/")[0])] += number
            assert own == {person: min(most, number) for person, number in rows.items()}
            chosen_keys = Counter(
                key.partition("/")[0] for key, _ in count_keys(table, "vote", unit="person", max_keys=most)
            )
            assert chosen_keys == {person: min(most, number) for person, number in keys.items()}


class Full(io.BytesIO):
    """A file on a disk without room."""

    def write(self, _: object) -> int:
        raise OSError(28, "No space left on device", "canary")

    def close(self) -> None:
        super().close()
        raise OSError(28, "No space left on device", "canary")


def test_a_full_disk_is_one_message_without_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
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
        rows.add(np.hstack([words, words]))
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


def test_many_rows_go_through_in_batches(tmp_path: Path) -> None:
    count = 80_000
    lines = "".join(f"{at % 5000},k{at % 40_000}\n" for at in range(count))
    (tmp_path / "a.csv").write_text(f"person,key\n{lines}", encoding="utf-8")
    done: list[float] = []
    with open_table(tmp_path / "a.csv") as table:
        assert sum(cells(table, "key", unit="person", max_rows=2, progress=done.append).values()) == 10_000
        keys = list(count_keys(table, "key"))
    assert len(keys) == 40_000
    assert sum(people for _, people in keys) == count
    assert done[-1] == 1.0
    assert all(0 <= share <= 1 for share in done)


def test_options_that_make_no_sense_are_refused() -> None:
    with open_table(pl.DataFrame({"person": [1], "vote": ["a"]})) as table:
        with pytest.raises(UsageError, match="0 rows per person"):
            cells(table, "vote", unit="person", max_rows=0)
        with pytest.raises(UsageError, match="-1 keys per person"):
            count_keys(table, "vote", unit="person", max_keys=-1)
        with pytest.raises(UsageError, match="a key of 3 bytes"):
            cells(table, "vote", unit="person", secret=b"abc")
        with pytest.raises(UsageError, match="the filter for column 'vote' is empty"):
            cells(table, "vote", where={"vote": " "})
        with pytest.raises(UsageError, match="'a' is named twice"):
            cells_by(table, "vote", "vote", ["a", " a"])
        with pytest.raises(UsageError, match="`by` is given without `groups`"):
            cells_by(table, "vote", "vote", [])


def test_no_room_for_texts_is_the_same_message(monkeypatch: pytest.MonkeyPatch) -> None:
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
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr(persons.PersonRows, "add", stop)
    frame = pl.DataFrame({"vote": ["A", "B"], "id": [1, 2]})
    with open_table(frame) as table, pytest.raises(KeyboardInterrupt):
        cells(table, "vote", unit="id")
