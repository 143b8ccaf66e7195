# SPDX-License-Identifier: Apache-2.0
"""Filters, groups and brackets of dates and of ordered texts, against a count of the rows one by one.

The rows are Python values. They are written to every kind of source that has types of its own for dates, and
the oracle looks at the values with Python's own comparisons.
"""

import datetime as dt
import itertools
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pyarrow as pa
import pytest

import rainbowdp as rdp
from arrow_places import PLACES
from command_line import Runner
from rainbowdp.cli.params import filters
from rainbowdp.errors import NumberError, QuestionError, UsageError
from rainbowdp.ledger import Cost
from rainbowdp.questions.readings import OptionReading
from rainbowdp.release import verify_receipt
from rainbowdp.release.notes import held_by
from rainbowdp.tables import Table, open_table, summarize, summarize_groups
from rainbowdp.tables.rows import Range, filters_json, groups_of, passing, read_filters

Row = dict[str, Any]
One = Any  # one column or several, in either form; a cell, a summary or a question of any kind
CHANCE = random.Random(7)
DAYS = [dt.date(2026, 1, 30), dt.date(2026, 1, 31), dt.date(2026, 2, 1), dt.date(1999, 12, 31), None]
CLOCKS = [dt.time(0), dt.time(12), dt.time(23, 59, 59)]


def _row(at: int) -> Row:
    day = CHANCE.choice(DAYS)
    return {
        "person": at % 40,
        "vote": CHANCE.choice(["red", "blue", None]),
        "region": CHANCE.choice(["North", "South", "East, far", "a..b", None]),
        "sex": CHANCE.choice(["f", "m", "d", None]),
        "age": CHANCE.choice([17, 18, 40, 65, 66, None]),
        "score": CHANCE.choice([Decimal("0.10"), Decimal("0.30"), Decimal("2.50"), None]),
        "born": CHANCE.choice(DAYS),
        "seen": None if day is None else dt.datetime.combine(day, CHANCE.choice(CLOCKS)),
        "bin": CHANCE.choice(["under 30", "30-44", "45 and over", "unknown"]),
    }


ROWS = [_row(at) for at in range(240)]
TYPES = {
    "person": pa.int64(), "vote": pa.string(), "region": pa.string(), "sex": pa.string(), "age": pa.int32(),
    "score": pa.decimal128(6, 2), "born": pa.date32(), "seen": pa.timestamp("us"), "bin": pa.string(),
}  # fmt: skip
ARROW = pa.table({name: pa.array([row[name] for row in ROWS], kind) for name, kind in TYPES.items()})


def _pandas(table: One, _: object) -> object:
    frame = table.to_pandas()
    return frame.assign(born=frame["born"].astype("datetime64[s]"), sex=frame["sex"].astype("category"))


NAMES = ("csv", "parquet", "arrow", "polars", "sqlite", "duckdb", "postgres", "excel")
SOURCES = {"pandas": _pandas, **{name: PLACES[name] for name in NAMES}}


@pytest.fixture(scope="module", params=SOURCES)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_table(SOURCES[request.param](ARROW, tmp_path_factory.mktemp("source"))) as opened:
        yield opened


def day_of(row: Row) -> One:
    return row["seen"] and row["seen"].date()


def within(low: One, value: One, high: One) -> bool:
    return value is not None and (low is None or low <= value) and (high is None or value <= high)


NOON = dt.datetime(2026, 1, 31, 12)  # noqa: DTZ001 - as a clock on a wall shows it
NEW_YEAR, OLD = dt.date(2026, 1, 1), dt.date(1999, 12, 31)
FILTERS: list[tuple[str, Mapping[str, object], Callable[[Row], bool]]] = [
    ("sex=m,f", {"sex": ["f", "m"]}, lambda r: r["sex"] in ("f", "m")),
    ("sex=m,f,age=18", {"age": 18.0, "sex": {"m", "f"}}, lambda r: r["sex"] in ("f", "m") and r["age"] == 18),
    (
        'region="East, far",North',
        {"region": ("North", "East, far")},
        lambda r: r["region"] in ("East, far", "North"),
    ),
    ('region="a..b"', {"region": "a..b"}, lambda r: r["region"] == "a..b"),
    ("age=18..65", {"age": Range(18, 65)}, lambda r: within(18, r["age"], 65)),
    ("age=65..", {"age": Range("65.0")}, lambda r: within(65, r["age"], None)),
    ("age = .. 18.5", {"age": Range(None, Fraction(37, 2))}, lambda r: within(None, r["age"], 18.5)),
    ("age=..17,40,66..", {"age": [Range(66), 40, Range(high=17)]}, lambda r: r["age"] in (17, 40, 66)),
    (
        "score=0.1..0.3",
        {"score": Range(0.1, Decimal("0.30"))},
        lambda r: within(Decimal("0.1"), r["score"], Decimal("0.3")),
    ),
    ("born=1999-12-31", {"born": OLD}, lambda r: r["born"] == OLD),
    (
        "born=2026-01-31..2026-02-01",
        {"born": Range("2026-01-31", dt.date(2026, 2, 1))},
        lambda r: within(DAYS[1], r["born"], DAYS[2]),
    ),
    (
        "born=..1999-12-31,2026-02-01",
        {"born": [DAYS[2], Range(None, OLD)]},
        lambda r: r["born"] in (OLD, DAYS[2]),
    ),
    ("seen=2026-01-31", {"seen": "2026-01-31"}, lambda r: day_of(r) == DAYS[1]),
    ("seen=2026-01-31T12:00:00", {"seen": NOON}, lambda r: r["seen"] == NOON),
    (
        "seen=2026-01-01..2026-01-31",
        {"seen": Range(NEW_YEAR, "2026-01-31")},
        lambda r: within(NEW_YEAR, day_of(r), DAYS[1]),
    ),
    ("age=2026-01-01..", {"age": Range("2026-01-01")}, lambda _: False),
    ("born=18..", {"born": Range(18)}, lambda _: False),
]
VOTES = ("red", "blue")


def counts_in(summary: One) -> tuple[int, ...]:
    return tuple(summary.counts)


def counted(rows: list[Row]) -> tuple[int, ...]:
    return tuple(sum(row["vote"] == vote for row in rows) for vote in VOTES)


@pytest.mark.parametrize(
    ("typed", "where", "holds"), FILTERS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_filter_keeps_the_rows_that_python_keeps(
    table: Table, typed: str, where: Mapping[str, object], holds: Callable[[Row], bool]
) -> None:
    kept = [row for row in ROWS if holds(row)]
    # A day of a text column does not stand for the moments that a CSV file or SQLite writes with a blank.
    if "T12" in typed and table.source.separator:
        typed, where = "seen=2026-01-31 12:00:00", {"seen": "2026-01-31 12:00:00"}
    assert read_filters(filters([typed])) == read_filters(where)
    assert read_filters(json.loads(json.dumps(filters_json(read_filters(where))))) == read_filters(where)
    assert counts_in(summarize(table, OptionReading("vote", VOTES), where=where)) == counted(kept)


def test_a_declared_day_stands_for_its_moments_unless_they_are_declared(table: Table) -> None:
    noon = "2026-01-31 12:00:00" if table.source.separator else "2026-01-31T12:00:00"
    options = ("2026-01-31", noon, "1999-12-31", "other")
    of_day = [row["seen"] for row in ROWS if row["seen"] is not None]
    told = ["2026-01-31" if day.date() == DAYS[1] else str(day.date()) for day in of_day]
    told = [noon if moment == NOON else day for moment, day in zip(of_day, told, strict=True)]
    told = [text if text in options else "other" for text in told]
    found = counts_in(summarize(table, OptionReading("seen", options, other="other")))
    assert found == tuple(map(told.count, options))
    question = rdp.yes_no("seen", equals=dt.date(2026, 1, 31), at_least=1)
    matching: Any = summarize(table, question.reading)
    assert matching.matching == found[0] + found[1]


def test_a_moment_with_a_time_zone_is_of_its_day_in_utc(tmp_path: Path) -> None:
    zone = dt.timezone(dt.timedelta(hours=-5))
    moments = [dt.datetime(2026, 1, 31, hour, 30, tzinfo=zone) for hour in (18, 19, 23)]
    zoned = pa.table({"seen": pa.array(moments, pa.timestamp("us", "America/New_York"))})
    text = "seen\n" + "".join(
        f"{moment.isoformat(sep=sep)}\n" for moment, sep in zip(moments, "T T", strict=True)
    )
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    days = ("2026-01-31", "2026-02-01")
    for source in (zoned, zoned.to_pandas(), tmp_path / "a.csv"):
        with open_table(source) as table:
            reading = OptionReading("seen", days)
            question = rdp.bracket("seen", edges=days)
            assert counts_in(summarize(table, reading)) == (1, 2)
            assert counts_in(summarize(table, reading, where={"seen": Range(*days[1:])})) == (0, 2)
            assert counts_in(summarize(table, question.reading)) == (0, 1, 2)


GROUPINGS: list[tuple[Any, Any, str | None, int | None]] = [
    ("region", ["North", "East, far"], None, None),
    ("region", ["North", "East, far"], "rest", 2),
    (["region", "sex"], [["North", "East, far"], ["f", "m"]], None, 2),
    (["sex", "age", "seen"], [["f"], [17], ["2026-01-31", "2026-02-01"]], "rest", None),
]


def test_groups_may_come_one_by_one() -> None:
    towns = ["Ulm", "Bonn"]
    assert (
        groups_of("town", iter(towns)) == groups_of(["town"], iter([iter(towns)])) == groups_of("town", towns)
    )


def group_of(row: Row, columns: list[str], declared: list[list[Any]], other: str | None) -> str | None:
    """Return the name of the group of a row, as the documents describe it."""
    names = []
    for column, texts in zip(columns, declared, strict=True):
        cell = day_of(row) if column == "seen" else row[column]
        if str(cell) in map(str, texts):
            names.append(str(cell))
        elif other is None:
            return None
        else:
            names.append(other)
    return names[0] if len(names) == 1 else ", ".join(f'"{name}"' if "," in name else name for name in names)


@pytest.mark.parametrize(("by", "groups", "other", "most"), GROUPINGS)
def test_every_row_is_in_the_group_of_its_cells(
    table: Table, by: One, groups: One, other: str | None, most: int | None
) -> None:
    columns, declared = ([by], [groups]) if isinstance(by, str) else (by, groups)
    person: dict[str, Any] = {} if most is None else {"unit": "person", "max_rows": most}
    found = summarize_groups(
        table, OptionReading("vote", (*VOTES, "none"), nulls="none"), by, groups, other_group=other, **person
    )
    rows = {name: [row for row in ROWS if group_of(row, columns, declared, other) == name] for name in found}
    sizes = [len(texts) + (other is not None) for texts in declared]
    assert len(found) == len(groups_of(by, groups, other) or ()) == math.prod(sizes)
    if other is not None:
        assert sum(map(len, rows.values())) == len(ROWS)
    if most is None:
        assert {name: counts_in(summary)[:2] for name, summary in found.items()} == {
            name: counted(each) for name, each in rows.items()
        }
    else:
        persons = [row["person"] for each in rows.values() for row in each]
        kept = sum(min(most, persons.count(person)) for person in set(persons))
        assert sum(sum(counts_in(summary)) for summary in found.values()) == kept


BINS = ["under 30", "30-44", "45 and over"]
BRACKETS: list[tuple[dict[str, Any], Callable[[Row], Any]]] = [
    ({"column": "born", "edges": ["2026-01-31", "2026-02-01"]}, lambda r: r["born"]),
    ({"column": "seen", "edges": [dt.date(2000, 1, 1), "2026-01-31", "2026-02-01"]}, day_of),
    ({"column": "seen", "edges": ["1999-12-31", "2026-02-01"]}, day_of),
    ({"column": "bin", "ordered": BINS}, lambda r: BINS.index(r["bin"]) if r["bin"] in BINS else None),
    ({"column": "age", "ordered": [66, 18, 17]}, lambda r: {66: 0, 18: 1, 17: 2}.get(r["age"])),
]


@pytest.mark.parametrize(("asked", "value"), BRACKETS)
@pytest.mark.parametrize("quantile", ["1/4", "1"])
def test_the_bracket_is_that_of_the_rows_in_order(
    table: Table, asked: dict[str, Any], value: Callable[[Row], Any], quantile: str
) -> None:
    question = rdp.bracket(**asked, quantile=quantile)
    values = sorted(found for found in map(value, ROWS) if found is not None)
    at = values[math.ceil(Fraction(quantile) * len(values)) - 1]
    edges = [dt.date.fromisoformat(str(edge)) for edge in asked.get("edges", ())]
    place = sum(edge <= at for edge in edges) if edges else at
    assert question.locate(summarize(table, question.reading)).answer == question.answers[place]


@pytest.mark.parametrize(
    ("question", "how"),
    [
        (rdp.winner("vote", VOTES), {"where": {"sex": ["m", "f"], "age": [Range(18), "x"]}}),
        (rdp.winner("vote", VOTES), {"by": ["region", "sex"], "groups": [["North", "a, b"], ["f", "m"]]}),
        (rdp.ranking("vote", [*VOTES, "x"]), {"by": "sex", "groups": ["f"], "other_group": "rest"}),
        *(
            (rdp.bracket(**asked), {"goal": goal, "neighbors": neighbors, "where": {"born": Range(OLD)}})
            for asked, _ in BRACKETS[2:4]
            for goal, neighbors in (("typical", "add-remove"), ("guarantee", "change-one"))
        ),
        (
            rdp.bracket(**BRACKETS[3][0]),
            {"by": ("sex",), "groups": [("f", "m")], "unit": "person", "max_rows": 2},
        ),
    ],
)  # fmt: skip
def test_a_receipt_can_be_made_again(question: One, how: dict[str, Any]) -> None:
    found = rdp.ask(ARROW, question, epsilon=1, **how)
    receipt = json.loads(json.dumps(found.receipt))
    assert verify_receipt(receipt).holds
    schema = json.loads(
        Path(rdp.release.__file__).with_name("receipt.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.validate(receipt, schema)
    for part, change in (
        ("where", {"vote": ["blue", "red"]}),
        ("groups", {"by": "age", "names": ["17"], "other_group": "x"}),
    ):
        assert not verify_receipt({**receipt, part: change, "answer": None}).holds
    assert rdp.plan(question, [rdp.PureDP(1)]).privacies


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--column", "born", "--edges", "2000-01-01,2026-02-01"), 0, "2000-01-01..<2026-02-01\n"),
        (("--column", "seen", "--edges", "2000-01-01,2026-02-01", "--labels", "a,b,c"), 0, "b\n"),
        (("--column", "bin", "--ordered", "45 and over,30-44,under 30"), 0, "30-44\n"),
        (("--column", "born", "--edges", "2026-01-01", "--decimal", ","), 2, "--decimal is for sums"),
    ],
)
def test_brackets_of_dates_and_texts_are_asked_on_the_command_line(
    people: Runner, words: tuple[str, ...], code: int, said: str
) -> None:
    outcome = people("ask", "bracket", PLACES["csv"](ARROW, Path()), *words, "--epsilon", 600)
    assert outcome.code == code
    assert said in (outcome.err if code else outcome.out)
    assert people("plan", "bracket", *words[2:], "--epsilon", 1).code == code or "--decimal" in words


def test_the_same_filters_and_groups_are_one_request(tmp_path: Path) -> None:
    ledger = str(tmp_path / "l")
    with rdp.open_ledger(ledger, create=True) as book:
        book.create("b", Cost.of(rdp.PureDP(1)))
    question = rdp.winner("vote", VOTES)
    paid: dict[str, Any] = {"epsilon": 1, "ledger": ledger, "name": "b", "request_id": "r"}
    same: list[dict[str, Any]] = [
        {"where": {"sex": ["m", "f"], "age": Range(18, "65.0")}, "by": "region", "groups": ["North"]},
        {
            "where": {"age": [Range("18", 65)], "sex": {"f", "m", "f "}},
            "by": ["region"],
            "groups": [["North"]],
        },
    ]
    answers = {json.dumps(rdp.ask(ARROW, question, **paid, **how).receipt) for how in same}
    assert len(answers) == 1
    for changed in (
        {**same[0], "other_group": "x"},
        {**same[0], "where": {"sex": ["m"], "age": Range(18, 65)}},
    ):
        with pytest.raises(rdp.errors.RequestMismatchError):
            rdp.ask(ARROW, question, **paid, **changed)


WRONG: list[tuple[Callable[[], object], str]] = [
    (Range, "a range has no ends"),
    (lambda: Range(2, 1), "no value lies in 2..1"),
    (lambda: Range("2026-02-01", "2026-01-31"), "no value lies in 2026-02-01..2026-01-31"),
    (lambda: Range(1, "2026-01-31"), "1..2026-01-31 goes from a number to a date"),
    (lambda: Range("x"), "'x' is not an exact number"),
    (lambda: Range("2026-02-30"), "no calendar has the day '2026-02-30'"),
    (lambda: read_filters({"a": []}), "the filter for column 'a' is an empty list"),
    (lambda: read_filters({"a": [None]}), "the filter for column 'a' is empty or no text"),
    (lambda: read_filters({"a": {"from": "1"}}), "the filter for column 'a' is empty or no text"),
    (lambda: read_filters(["a"]), "a list is not a filter"),
    (lambda: read_filters({"": "a"}), "'' is not a column"),
    (lambda: groups_of("a", None), "`by` is given without `groups`"),
    (lambda: groups_of(None, ["a"]), "`groups` is given without `by`"),
    (lambda: groups_of(None, (), "x"), "`other_group` is given without `by`"),
    (lambda: groups_of("a", ["x", " x"]), "the groups are not distinct"),
    (lambda: groups_of("a", ["x"], "x"), "the groups are not distinct"),
    (lambda: groups_of("a", "xy"), "the groups are 'xy', which is not a list"),
    (lambda: groups_of("a", {"a": ["x"]}), "the groups are a dict, which is not a list"),
    (lambda: groups_of(["a", "b"], [["x"], []]), "a column has no groups"),
    (lambda: groups_of(["a", "b"], [["x"]]), "the number of lists of groups is 1, and that of columns 2"),
    (lambda: groups_of(["a", "a"], [["x"], ["y"]]), "a column is named twice"),
    (lambda: groups_of(["a\u0308", "\u00e4"], [["x"], ["y"]]), "a column is named twice"),
    (lambda: groups_of(["a", "b"], ["x", "y"]), "the groups are 'x', which is not a list"),
    (lambda: groups_of(["a", "b"], [["x"], [None]]), "is not a group"),
]


@pytest.mark.parametrize(("make", "what"), WRONG)
def test_what_is_no_filter_and_no_group_is_refused(make: Callable[[], object], what: str) -> None:
    with pytest.raises((UsageError, QuestionError, NumberError)) as caught:
        make()
    assert what in caught.value.what
    assert caught.value.help


def test_a_range_compares_decimals_exactly() -> None:
    near = ["0.30000000000000004", "0.3000000000000000000000001"]
    texts = ["0.3", "0.30", "3e-1", *near, "0,3", "", "inf", None]
    assert passing(Range("0.3", "0.3"), texts) == [True] * 3 + [False] * 6
    assert passing(Range("0.3", 0.3), texts) == passing(Range(Fraction(3, 10), Decimal("0.3")), texts)


ASK = ("ask", "winner", "people.csv", "--column", "vote", "--options", "A,B", "--epsilon", 60)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("--where", "age=70..71"), ["B"]),
        (("--where", "town=Bonn,Ulm", "--where", "age=36.."), ["B"]),
        (("--where", 'town=Bonn,"x, ""y"""', "--where", "age=..69"), ["A"]),
        (("--by", "town,grün", "--groups", "Ulm,Bonn", "--groups", "x"), ["Ulm, x: A", "Bonn, x: ."]),
        (
            ("--by", "town,grün", "--groups", 'Bonn,"x, ""y"""', "--groups", "ü", "--other-group", "*"),
            ["Bonn, ü: B", "Bonn, *: .", '"x, ""y""", ü: .', '"x, ""y""", *: A', "*, ü: .", "*, *: A"],
        ),
        (("--by", "town", "--groups", "Bonn", "--other-group", "other towns"), ["Bonn: B", "other towns: A"]),
    ],
)  # fmt: skip
def test_lists_ranges_and_combinations_are_asked_on_the_command_line(
    people: Runner, words: tuple[str, ...], shown: list[str]
) -> None:
    for line, wanted in itertools.zip_longest(people(*ASK, *words).out.splitlines(), shown):
        # A point stands for the answer of a group without votes, which may be any.
        assert line == wanted or (wanted[-1] == "." and line[:-1] == wanted[:-1])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--where", "age=old.."), "'old..' is not a range of numbers or dates, the lower end first"),
        (("--where", "age=3..1"), "'3..1' is not a range"),
        (("--where", "age=1..2..3"), "'1..2..3' is not a range"),
        (("--where", "age=.."), "'..' is not a range"),
        (("--where", "A,town=Ulm"), "'A' is not COLUMN=VALUE"),
        (("--where", "town=Bonn, Germany"), "'Germany' is not COLUMN=VALUE"),
        (("--other-group", "Ulm"), "--other-group is given without --by"),
    ],
)
def test_what_cannot_be_asked_is_said_with_the_forms(
    people: Runner, words: tuple[str, ...], said: str
) -> None:
    outcome = people(*ASK, *words)
    assert outcome.code == 2
    assert said in outcome.err
    if words[0] == "--where":
        assert all(
            form in outcome.err for form in ("city=Bonn,Ulm", "age=18..65", "age=18..", "double quotes")
        )


DECLARED: list[tuple[str, Any, str | None]] = [
    ("age", "abc", "says 'abc': its type holds whole numbers, such as 12"),
    ("age", "01", "says '01': its type holds whole numbers, such as 12"),
    ("age", "18.0", "says '18.0': its type holds whole numbers, such as 12"),
    ("age", Range(18), None), ("age", "18", None), ("age", ["18", "x"], "says 'x': its type holds whole"),
    ("age", Range("2026-01-31"), "is a date: its type holds whole numbers, such as 12"),
    ("score", "0.1", None), ("score", "0.10", "says '0.10': its type holds numbers, such as 2.5"),
    ("born", "2026-01-31", None), ("born", Range("2026-01-31"), None), ("seen", Range("2026-01-31"), None),
    ("born", Range(3), "is a number: its type holds"), ("born", "31.01.2026", "says '31.01.2026': its type"),
    ("seen", "2026-01-31", None), ("seen", "2026-01-31T12:00:00", None),
    ("seen", "2026-01-31 12:00", "says '2026-01-31 12:00': its type holds moments"),
    ("vote", "abc", None), ("vote", Range(3), None),
]  # fmt: skip


@pytest.mark.parametrize(("column", "declared", "said"), DECLARED)
def test_a_note_says_what_no_cell_of_a_declared_type_says(
    table: Table, column: str, declared: object, said: str | None
) -> None:
    terms = rdp.release.Terms(rdp.winner("vote", VOTES), rdp.PureDP(1), where={column: declared})
    notes = [note for note in terms.notes(table) if note.startswith("no cell of column")]
    if said is None or held_by(table.source.types.get(column, "")) is None:
        assert notes == []
    else:
        (note,) = notes
        assert note.startswith(f"no cell of column {column!r} {said}")


def test_no_note_depends_on_a_type_that_a_library_makes_of_the_rows() -> None:
    ages: list[list[object]] = [[18, 40], [18, None], [18, "unknown"], ["18", "40"]]
    question = rdp.winner("age", ["18", "040"])
    assert len({rdp.ask(pd.DataFrame({"age": cells}), question, epsilon=1).notes for cells in ages}) == 1


def test_a_note_says_that_a_range_in_a_text_is_a_text(tmp_path: Path) -> None:
    where = {"age": ["18..65", "etc...", "a..b"], "bin": Range(3)}
    for ending, more in ((";", 1), (",", 0)):
        (tmp_path / "a.csv").write_text(f"vote{ending}age{ending}bin\n", encoding="utf-8")
        notes = rdp.ask(tmp_path / "a.csv", rdp.winner("vote", VOTES), epsilon=1, where=where).notes
        (said,) = (note for note in notes if "is compared as a text" in note)
        assert said.startswith(
            "'18..65' is compared as a text: without double quotes, or in Python as a Range"
        )
        # Where semicolons separate, decimals may have commas, also those that a filter compares.
        assert sum("'2,5' counts for nothing" in note for note in notes) == more


def test_a_note_says_how_dates_are_read_where_no_type_says_it(table: Table) -> None:
    for question, where in (
        (rdp.bracket("born", edges=["2000-01-01"]), {}),
        (rdp.winner("vote", VOTES), {"born": Range("2000-01-01")}),
    ):
        notes = rdp.release.Terms(question, rdp.PureDP(1), where=where).notes(table)
        untyped = "born" not in table.source.types
        assert any("counts for nothing unless a description" in note for note in notes) == untyped
    described = {
        "schema": {"fieldsMatch": "subset", "fields": [{"name": "d", "type": "date", "format": "%d.%m.%Y"}]}
    }
    with open_table(pa.table({"d": ["31.01.2026", "1.2.2026"]}), describe=described) as dates:
        terms = rdp.release.Terms(rdp.bracket("d", edges=["2026-02-01"]), rdp.PureDP(1))
        assert not any("counts for nothing unless" in note for note in terms.notes(dates))
        assert counts_in(summarize(dates, terms.question.reading)) == (1, 1)


def test_a_note_says_it_of_options_groups_and_edges_as_well(tmp_path: Path) -> None:
    source = tmp_path / "a.parquet"
    ARROW.to_pandas().assign(flag=True).to_parquet(source)
    questions: list[Any] = [
        rdp.winner("flag", ["yes", "rest"], other="rest"),
        rdp.yes_no("flag", equals="yes", share="1/2"),
        rdp.bracket("flag", edges=[1]),
        rdp.bracket("age", edges=["2026-01-31"]),
        rdp.winner("flag", ["true", "x"], approval=";"),
    ]
    for question in questions:
        (note,) = (note for note in rdp.ask(source, question, epsilon=1).notes if "no cell of" in note)
        assert repr(question.column) in note
    # The name of all other cells is no text that cells are to say.
    notes = rdp.ask(source, rdp.winner("flag", ["true"], other="rest"), epsilon=1).notes
    assert not any("no cell of column" in note for note in notes)
    found = rdp.ask_keys(source, "vote", epsilon=1, delta="1e-6", where={"flag": "yes"})
    assert "no cell of column 'flag' says 'yes': its type holds true or false" in found.notes


@pytest.mark.parametrize("closed", [True, False])
def test_intervals_of_pandas_are_options_as_pandas_writes_them(closed: bool) -> None:
    ages = pd.Series([5, 15, 15, 15, 25, None])
    cut = pd.cut(ages, [0, 10, 20, 30], right=closed)
    for column in (cut, cut.astype(object), pd.Series(pd.arrays.IntervalArray(cut))):
        with open_table(pd.DataFrame({"age": column})) as table:
            texts = tuple(sorted(set(map(str, column.dropna()))))
            assert counts_in(summarize(table, OptionReading("age", texts))) == (1, 3, 1)
            question = rdp.bracket("age", ordered=texts)
            assert question.locate(summarize(table, question.reading)).answer == texts[1]
