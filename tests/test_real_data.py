# SPDX-License-Identifier: Apache-2.0
"""Every real table is asked every question that fits it, as a CSV file, as Parquet, and in PostgreSQL.

The expected summaries and answers come from `raw_counts`: Python's `csv` and a few lines that know nothing
of the package. The questions take turns among the places; the survey is asked all of them as a CSV file.
Before a release the larger tables are read at the other places, too, and the whole log of the shop, for which
a day stands otherwise. `test_tables_contract` reads a small table at every place where a table can be.
"""

import contextlib
import csv
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from _pytest.mark import ParameterSet

from bit_sources import FixedBits
from rainbowdp.privacy import PureDP
from rainbowdp.questions import OptionCounts, Summary
from rainbowdp.release import Terms
from rainbowdp.release.asking import answer as asked
from rainbowdp.tables import Table, count_keys, open_table, summarize, summarize_groups
from raw_counts import Case, answer, chosen, limited, summary
from real_data import PLACES, days_of_the_shop, minneapolis, panel, shop

KEY = bytes(range(32))
MOST = (1, 2, 3)
MANY = 10_000
LEADERS = ["Nekima Levy-Pounds", "Raymond Dehn", "Betsy Hodges", "Tom Hoch", "Jacob Frey"]
MARKS = [*LEADERS, "Aswar Rahman", "David Rosenfeld", "L.A. Nik", "undervote", "overvote", "UWI"]
PRECINCTS = ["MINNEAPOLIS W-1 P-01", "MINNEAPOLIS W-10 P-02", "MINNEAPOLIS W-13 P-13", "none"]
BANDS = ["<25", "25-29", "30-34", "35-39", "40-44", "45-49", "50-54", "55-59", "60-64", ">65"]
WHO = "CUSTOMER_ID"
DAY = "11/5/2000"
ANES = Path(__file__).resolve().parents[1] / "examples" / "anes96.csv"
Known = TypeVar("Known")


class RealTable:
    """A CSV file at any of `PLACES`, opened once, and its rows as Python's own `csv` reads them."""

    def __init__(self, path: Path, stack: contextlib.ExitStack, **types: str) -> None:
        with path.open(encoding="utf-8-sig") as file:
            names = [name.strip('"') for name in next(file).strip().split(",")]
        assert {*types} <= {*names}
        self.path, self.stack = path, stack
        # A column is text where nothing else is said.
        self.types = {name: types.get(name, "text") for name in names}
        self._known: dict[Hashable, Any] = {}

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows as text."""
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    def once(self, what: Hashable, count: Callable[[], Known]) -> Known:
        """Return what a function counts, which is called for the first place and not for the others."""
        if what not in self._known:
            self._known[what] = count()
        known: Known = self._known[what]
        return known

    def at(self, place: str) -> Table:
        """Return the table at a place, open."""

        def opened() -> Table:
            source, options = PLACES[place](self.path, self.types)
            return self.stack.enter_context(open_table(source, **options))

        return self.once(("at", place), opened)


def case(
    kind: str, column: str, where: dict[str, str] | None = None, unit: str | None = None, **given: object
) -> Case:
    return Case(kind, column, given, where or {}, unit)


def between(kind: str, column: str, edges: list[int] | list[str], **given: object) -> Case:
    """Return a question about levels or brackets, whose names are letters."""
    unit = given.pop("unit", None)
    assert unit is None or isinstance(unit, str)
    return Case(kind, column, {"edges": edges, "labels": list("abcde")[: len(edges) + 1], **given}, {}, unit)


# What is asked, by table. A unit's rows agree in the column that is asked for.
CASES: dict[str, list[Case]] = {
    "ballots": [
        case("winner", "rank2", options=MARKS, where={"rank1": "Jacob Frey", "rank3": "Tom Hoch"}),
        case("ranking", "rank1", options=LEADERS),
        case("ranking", "rank3", options=["undervote", "overvote", "Tom Hoch"], other="all others"),
        case("yes-no", "rank1", equals="Jacob Frey", share="1/4"),
        case("yes-no", "weight", clamp=(0, 2), at_least=105_929),
        between("level", "rank3", [40_000, 41_000], equals="undervote"),
        between("bracket", "weight", [1, 2]),
        case("winner", "Precinct", options=PRECINCTS, unit="Precinct"),
    ],
    "panel": [
        case("winner", "vote", options=["Liberal Democrat", "Conservative", "Labour"]),
        case("ranking", "vote", options=["Conservative", "Labour"], where={"gender": "male", "Blair": "2"}),
        case("yes-no", "gender", equals="female", at_least=812),
        case("yes-no", "Europe", clamp=(2, 9), at_least=10_000),
        between("level", "vote", ["1/3", "1/2"], equals="Labour", share=True),
        between("level", "age", [80_000, 85_000], clamp=(18, 90)),
        between("bracket", "Blair", [2, 4, 5], quantile="3/4"),
        between("bracket", "age", [30, 60], unit="age"),
    ],
    "survey": [
        case("winner", "PID", options=list(map(str, range(7))), where={"vote": "Dole"}),
        case("ranking", "selfLR", options=["4", "5", "6"], where={"over45": "yes", "PID": "6"}),
        case("yes-no", "over45", equals="yes", share="1/2"),
        case("yes-no", "TVnews", clamp=(0, 7), at_least=3_600),
        between("level", "vote", [500, 551, 600], equals="Clinton"),
        between("level", "vote", ["1/2", "3/5"], equals="Clinton", share=True),
        between("bracket", "age", [30, 40, 50], quantile="1/4"),
        between("level", "income", [300, 500], clamp=(0, 20), unit="income"),
        case("yes-no", "popul", equals="0", share="1/4", unit="popul"),
    ],
    "shop": [
        case("winner", "AGE_GROUP", options=[*BANDS, "?"], nulls="?"),
        case("winner", "PIN_CODE", options=["110", "115", "221"], other="elsewhere", unit=WHO),
        case("winner", "AGE_GROUP", options=[*BANDS, "?"], nulls="?", where={"PIN_CODE": "115"}, unit=WHO),
        case("yes-no", "AGE_GROUP", equals="35-39", share="1/4", nulls="35-39", unit=WHO),
        case("yes-no", "PIN_CODE", clamp=(100, 120), at_least=200_000, unit=WHO),
        between("level", "PIN_CODE", ["1/40", "1/10"], equals="Unknown", share=True, unit=WHO),
        between("level", "AGE_GROUP", [100, 1_000], equals="<25", unit=WHO),
        between("bracket", "SALES_PRICE", [50, 100, 200], quantile="9/10"),
    ],
}
# One column by which each table is cut, some groups, and a question about each; for units, too.
GROUPS = {
    "ballots": ("Precinct", PRECINCTS, CASES["ballots"][1]),
    "panel": ("economic.cond.national", ["5", "1", "4", "6"], CASES["panel"][0]),
    "survey": ("PID", ["0", "6", "3"], CASES["survey"][6]),
    "shop": ("AGE_GROUP", ["35-39", ">65", "<25"], CASES["shop"][1]),
}
# A column whose keys nobody declared, and whose rows they are where a person has several.
KEYS = {
    "ballots": ("Precinct", "rank1"),
    "panel": ("age", "Europe"),
    "survey": ("popul", "income"),
    "shop": ("PRODUCT_SUBCLASS", "CUSTOMER_ID"),
}
# A question whose answer is drawn: yes or no, near the line.
DRAWN = {
    "ballots": case("yes-no", "rank1", equals="Aswar Rahman", where={"rank2": "Tom Hoch"}),
    "panel": case("yes-no", "vote", equals="Labour"),
    "survey": case("yes-no", "placement", equals="moderate"),
    "shop": case("yes-no", "PIN_CODE", equals="221", unit=WHO),
}
Tables = dict[str, RealTable]


def table_at(place: str, name: str, *more: int, turn: int = 0) -> ParameterSet:
    """Return the parameters of a test; most combinations are left to a release."""
    slow = place != "csv" and (name != "survey" or turn % 3 != 0)
    return pytest.param(place, name, *more, marks=[pytest.mark.release] if slow else [])


every_table_everywhere = pytest.mark.parametrize(
    ("place", "name"), [table_at(place, name) for place in PLACES for name in CASES]
)


@pytest.fixture(scope="module")
def stack() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as opened:
        yield opened


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, stack: contextlib.ExitStack) -> Tables:
    def path(name: str) -> Path:
        return tmp_path_factory.mktemp("real") / name

    ballots, voters, survey = path("2017 mayor.csv"), path("beps.csv"), path("anes96.csv")
    ballots.write_bytes(minneapolis().read_bytes())
    panel().to_csv(voters, index=False)
    survey.write_bytes(ANES.read_bytes())
    day = days_of_the_shop(tmp_path_factory.mktemp("day"), [DAY])
    numbers = dict.fromkeys(("age", "Blair", "Europe", "economic.cond.national"), "integer")
    answers = dict.fromkeys(("selfLR", "income", "TVnews", "popul"), "integer")
    floats = dict.fromkeys(("age", "PID"), "number")
    return {
        "ballots": RealTable(ballots, stack, weight="integer"),
        "panel": RealTable(voters, stack, **numbers),
        "survey": RealTable(survey, stack, **answers, **floats),
        "shop": RealTable(day, stack, PRODUCT_SUBCLASS="integer", SALES_PRICE="integer"),
    }


def numbers_of_rows(what: Case, table: RealTable, place: str, turn: int = 0) -> tuple[int, ...]:
    """Return how many rows of a person may count at most, one number after the other."""
    if what.unit is None:
        return (1,)
    return MOST if len(table.rows) < MANY else (MOST[([*PLACES].index(place) + turn) % len(MOST)],)


def counted(what: Case, table: RealTable, most: int) -> tuple[Summary, str]:
    found = summary(what, limited(chosen(table.rows, what.where), what.unit, most, what.column))
    return found, answer(what, found)


def counted_by(by: str, groups: list[str], what: Case, table: RealTable, most: int) -> dict[str, Summary]:
    rows = limited(table.rows, what.unit, most, what.column, by)
    return {group: summary(what, chosen(rows, {by: group})) for group in groups}


def test_the_rows_are_those_that_are_known(tables: Tables) -> None:
    assert {name: len(table.rows) for name, table in tables.items()} == {
        "ballots": 105_928,
        "panel": 1_525,
        "survey": 944,
        "shop": 14_637,
    }


@pytest.mark.parametrize(
    ("place", "name", "number"),
    [
        table_at(place, name, number, turn=turn + number)
        for turn, place in enumerate(PLACES)
        for name, cases in CASES.items()
        for number in range(len(cases))
        # The other tables' questions take turns.
        if name == "survey" or (turn + number) % 3 == 0
    ],
)
def test_every_question_finds_what_python_counts(tables: Tables, place: str, name: str, number: int) -> None:
    what, table = CASES[name][number], tables[name]
    question = what.question
    for most in numbers_of_rows(what, table, place, number):
        expected, true = table.once((number, most), partial(counted, what, table, most))
        found = summarize(
            table.at(place), question.reading, where=what.where, unit=what.unit, max_rows=most, secret=KEY
        )
        assert found == expected
        assert question.locate(found).answer == true


@every_table_everywhere
def test_every_group_has_its_own_summary(tables: Tables, place: str, name: str) -> None:
    (by, groups, what), table = GROUPS[name], tables[name]
    for most in numbers_of_rows(what, table, place):
        expected = table.once((by, most), partial(counted_by, by, groups, what, table, most))
        found = summarize_groups(
            table.at(place), what.question.reading, by, groups, unit=what.unit, max_rows=most, secret=KEY
        )
        assert found == expected


@every_table_everywhere
def test_keys_are_counted_by_rows_and_by_people(tables: Tables, place: str, name: str) -> None:
    (column, unit), table = KEYS[name], tables[name]
    opened = table.at(place)
    by_rows = table.once("rows", lambda: Counter(row[column] for row in table.rows))
    assert list(count_keys(opened, column)) == sorted(by_rows.items())
    pairs = table.once("pairs", lambda: {(row[unit], row[column]) for row in table.rows})
    own = Counter(person for person, _ in pairs)
    by_people = Counter(key for _, key in pairs)
    assert dict(count_keys(opened, column, unit=unit, max_keys=max(own.values()))) == by_people
    some = dict(count_keys(opened, column, unit=unit, max_keys=2, secret=KEY))
    assert sum(some.values()) == sum(min(2, count) for count in own.values())
    assert all(count <= by_people[key] for key, count in some.items())


@every_table_everywhere
def test_an_answer_is_drawn_as_its_closed_form_says(tables: Tables, place: str, name: str) -> None:
    """At epsilon = ln 3 the wrong one of two has the probability 1/4, divided by 3 for every person."""
    what, table = DRAWN[name], tables[name]
    most = 2 if what.unit else 1
    rows = table.once("drawn", lambda: limited(chosen(table.rows, what.where), what.unit, most, what.column))
    matching = sum(row[what.column] == what.asked["equals"] for row in rows)
    for at_least, right, distance in ((matching - 5, "yes", 5), (matching + 4, "no", 3)):
        question = Case(what.kind, what.column, {**what.asked, "at_least": at_least}).question
        terms = Terms(question, PureDP("ln 3"), unit=what.unit, max_rows=most, where=what.where)
        # The first answer in the order of text is drawn for all bits below its probability.
        wrong = Fraction(1, 4 * 3 ** (distance // most))
        no = wrong if right == "yes" else 1 - wrong
        words = [(int(2**64 * no) - 1, "no"), (int(2**64 * no) + 1, "yes")]
        if len(table.rows) >= MANY:
            # The wrong answer is the one that only the exact probability gives.
            words = [(word, drawn) for word, drawn in words if drawn != right]
        for word, drawn in words:
            assert asked(terms, table.at(place), bits=FixedBits([word, 0]), secret=KEY).answer == drawn


@pytest.mark.release
@pytest.mark.parametrize("place", PLACES)
def test_the_whole_log_is_counted(
    tmp_path_factory: pytest.TempPathFactory, stack: contextlib.ExitStack, place: str
) -> None:
    log = shop(tmp_path_factory.mktemp("shop"))
    table = RealTable(log, stack, PRODUCT_SUBCLASS="integer", SALES_PRICE="integer")
    with log.open(encoding="utf-8-sig", newline="") as file:
        ages = Counter(row["AGE_GROUP"] for row in csv.DictReader(file))
    assert ages.total() == 817_741
    question = CASES["shop"][0].question
    read = summarize(table.at(place), question.reading)
    assert read == OptionCounts((*(ages[band] for band in BANDS), ages[""]))
    assert question.locate(read).answer == ages.most_common(1)[0][0] == "35-39"
