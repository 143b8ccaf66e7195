# SPDX-License-Identifier: Apache-2.0
"""Real files of an election, a panel and a shop: the same true answer from every place, through to a receipt.

Every oracle counts the original file by itself, with `csv` or pandas, and knows nothing of the package.
"""

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rainbowdp.ledger import Cost, open_ledger
from rainbowdp.privacy import PureDP
from rainbowdp.questions import (
    ClampedSum,
    MatchCount,
    OptionCounts,
    OptionReading,
    Question,
    Summary,
    bracket,
    level,
    ranking,
    winner,
    yes_no,
)
from rainbowdp.release import ask, verify_receipt
from rainbowdp.tables import count_keys, open_table, summarize
from real_data import PLACES, Place, days_of_the_shop, minneapolis, panel, shop, three_places

if TYPE_CHECKING:
    import pandas as pd

EPSILON = 8
NUMBERED = 4_000
KEY = bytes(range(32))
# The five that led, with the numbers of first choices that are known of this file.
LEADERS = {
    "Jacob Frey": 26_042,
    "Tom Hoch": 20_097,
    "Betsy Hodges": 18_860,
    "Raymond Dehn": 18_089,
    "Nekima Levy-Pounds": 15_703,
}
CANDIDATES = (
    "Al Flowers",
    "Aswar Rahman",
    "Betsy Hodges",
    "Captain Jack Sparrow",
    "Charlie Gers",
    "Christopher Zimmerman",
    "David John Wilson",
    "David Rosenfeld",
    "Gregg A. Iverson",
    "Ian Simpson",
    "Jacob Frey",
    "L.A. Nik",
    "Nekima Levy-Pounds",
    "Raymond Dehn",
    "Ronald Lischeid",
    "Theron Preston Washington",
    "Tom Hoch",
    "Troy Benjegerdes",
)
BANDS = ("<25", "25-29", "30-34", "35-39", "40-44", "45-49", "50-54", "55-59", "60-64", ">65")
WEEK = tuple(f"11/{day}/2000" for day in range(1, 8))
BILL = {
    "TRANSACTION_DT": "text",
    "CUSTOMER_ID": "text",
    "AGE_GROUP": "text",
    "PIN_CODE": "text",
    "PRODUCT_SUBCLASS": "integer",
    "PRODUCT_ID": "text",
    "AMOUNT": "integer",
    "ASSET": "integer",
    "SALES_PRICE": "integer",
}
Places = dict[str, Place]
at_each_place = pytest.mark.parametrize("at", PLACES)


def read(place: Place, question: Question, unit: str | None = None, max_rows: int = 1) -> Summary:
    with open_table(place.source, **place.options) as table:
        return summarize(table, question.reading, unit=unit, max_rows=max_rows, key=KEY)


def released(
    place: Place, question: Question, unit: str | None = None, max_rows: int | None = None
) -> str | tuple[str, ...] | dict[str, str | tuple[str, ...]]:
    """Ask with a large epsilon, check the receipt as a reader gets it, and return the answer."""
    found = ask(place.source, question, epsilon=EPSILON, unit=unit, max_rows=max_rows, **place.options)
    assert verify_receipt(json.loads(json.dumps(found.receipt))).holds
    return found.answer


# The election: 105,928 ballots.


@pytest.fixture(scope="module")
def first_choices() -> Counter[str]:
    with minneapolis().open(encoding="ascii", newline="") as file:
        return Counter(ballot["rank1"] for ballot in csv.DictReader(file))


def test_the_first_choices_are_those_that_are_known(first_choices: Counter[str]) -> None:
    assert first_choices.total() == 105_928
    assert first_choices.most_common(5) == [*LEADERS.items()]
    assert {*first_choices} - {*CANDIDATES} == {"UWI", "undervote", "overvote"}
    # A declared candidate without a first choice counts as well.
    assert {*CANDIDATES} - {*first_choices} == {"Theron Preston Washington"}


def test_the_winner_among_all_candidates(first_choices: Counter[str]) -> None:
    place = Place(str(minneapolis()), {})
    question = winner("rank1", CANDIDATES, other="somebody or nobody else")
    summary = read(place, question)
    counts = [first_choices[name] for name in CANDIDATES]
    assert summary == OptionCounts((*counts, first_choices.total() - sum(counts)))
    lead = LEADERS["Jacob Frey"] - LEADERS["Tom Hoch"]
    for neighbors, rows in (("add-remove", lead), ("change-one", lead // 2)):
        found = question.locate(summary, neighbors)  # type: ignore[arg-type]  # a loop over both
        assert (found.answer, found.distance) == ("Jacob Frey", rows)
    assert released(place, question) == "Jacob Frey"
    assert released(place, ranking("rank1", sorted(LEADERS))) == (*LEADERS,)


# The panel: 1,525 voters.


def test_the_median_age_and_a_share_of_a_panel(tmp_path: Path) -> None:
    voters = panel()
    place = Place(str(tmp_path / "beps.csv"), {})
    voters.to_csv(place.source, index=False)
    ages = bracket("age", edges=[35, 50, 65], labels=["young", "middle", "late", "old"])
    assert 50 <= voters["age"].median() < 65
    assert released(place, ages) == "late"
    matching = int((voters["economic.cond.national"] == 3).sum())
    for share, answer in (("1/3", "yes"), ("1/2", "no")):
        question = yes_no("economic.cond.national", equals="3", share=share)
        assert read(place, question) == MatchCount(matching, 1_525)
        assert (Fraction(matching, 1_525) >= Fraction(share)) == (answer == "yes")
        assert released(place, question) == answer


# The shop: 817,741 rows of 32,266 customers, up to 1,246 of one.


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def logs(log: Path) -> Places:
    return three_places(log, BILL)


def read_bills(path: Path | str) -> "pd.DataFrame":
    import pandas as pd

    columns = ["TRANSACTION_DT", "CUSTOMER_ID", "AGE_GROUP", "PRODUCT_SUBCLASS", "SALES_PRICE"]
    return pd.read_csv(path, usecols=columns, dtype=str, keep_default_na=False, encoding="utf-8-sig")


@pytest.fixture(scope="module")
def bills(log: Path) -> "pd.DataFrame":
    return read_bills(log)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return three_places(days_of_the_shop(tmp_path_factory.mktemp("week"), WEEK), BILL)


@pytest.fixture(scope="module")
def week_bills(week: Places) -> "pd.DataFrame":
    return read_bills(week["csv"].source)


a_part_at_each_place = pytest.mark.parametrize(
    ("part", "at"),
    [
        ("week", "csv"),
        ("week", "parquet"),
        ("week", "postgresql"),
        pytest.param("whole", "parquet", marks=pytest.mark.release),
    ],
)


@pytest.fixture
def bought(part: str, request: pytest.FixtureRequest) -> "tuple[Places, pd.DataFrame]":
    """Give the places and the rows of a part; the whole log is unpacked only where it is asked for."""
    names = {"week": ("week", "week_bills"), "whole": ("logs", "bills")}[part]
    places, rows = map(request.getfixturevalue, names)
    return places, rows


def counted(cells: "pd.Series[str]", options: tuple[str, ...]) -> OptionCounts:
    found = cells.value_counts()
    return OptionCounts(tuple(int(found.get(option, 0)) for option in options))


@pytest.mark.release
def test_the_log_is_the_one_that_is_known(log: Path, bills: "pd.DataFrame") -> None:
    assert log.read_bytes().startswith(b'\xef\xbb\xbf"TRANSACTION_DT","CUSTOMER_ID",')
    customers = bills.groupby("CUSTOMER_ID")
    assert (len(bills), len(customers), customers.size().max()) == (817_741, 32_266, 1_246)
    assert bills["PRODUCT_SUBCLASS"].nunique() == 2_012
    # Nobody ages, so it does not matter which of a customer's rows are kept.
    assert customers["AGE_GROUP"].nunique().max() == 1


@pytest.mark.release
@at_each_place
def test_the_age_band_of_most_customers(logs: Places, bills: "pd.DataFrame", at: str) -> None:
    options = (*BANDS, "not said")
    question = winner("AGE_GROUP", options, nulls="not said")
    people = bills.drop_duplicates("CUSTOMER_ID")["AGE_GROUP"].replace("", "not said")
    expected = counted(people, options)
    assert sum(expected.counts) == 32_266
    assert expected.counts[-1] > 0
    summary = read(logs[at], question, "CUSTOMER_ID")
    assert summary == expected
    assert question.locate(summary).answer == people.value_counts().idxmax() == "35-39"


@a_part_at_each_place
def test_nobody_has_more_than_five_kept_rows(bought: "tuple[Places, pd.DataFrame]", at: str) -> None:
    places, bills = bought
    rows = bills["CUSTOMER_ID"].value_counts()
    reading = OptionReading("CUSTOMER_ID", tuple(rows.index))
    with open_table(places[at].source, **places[at].options) as table:
        summary = summarize(table, reading, unit="CUSTOMER_ID", max_rows=5, key=KEY)
    assert summary == OptionCounts(tuple(rows.clip(upper=5).tolist()))


@a_part_at_each_place
def test_every_subclass_has_its_customers(bought: "tuple[Places, pd.DataFrame]", at: str) -> None:
    places, bills = bought
    pairs = bills.drop_duplicates(["CUSTOMER_ID", "PRODUCT_SUBCLASS"])
    most = int(pairs.groupby("CUSTOMER_ID").size().max())
    expected = pairs.groupby("PRODUCT_SUBCLASS").size().to_dict()
    with open_table(places[at].source, **places[at].options) as table:
        found = dict(count_keys(table, "PRODUCT_SUBCLASS", unit="CUSTOMER_ID", max_keys=most))
    assert found == expected


@pytest.mark.release
@at_each_place
def test_the_level_of_the_takings(logs: Places, bills: "pd.DataFrame", at: str) -> None:
    million = 10**6
    question = level("SALES_PRICE", clamp=(0, 1000), edges=[60 * million, 80 * million, 120 * million])
    takings = int(bills["SALES_PRICE"].astype("int64").clip(0, 1000).sum())
    summary = read(logs[at], question)
    assert summary == ClampedSum(Fraction(takings))
    assert 80 * million <= takings < 120 * million
    assert question.locate(summary).answer == "80000000..<120000000"
    assert released(logs[at], question) == "80000000..<120000000"


@at_each_place
def test_the_level_of_customers_of_one_age(week: Places, week_bills: "pd.DataFrame", at: str) -> None:
    question = level("AGE_GROUP", equals="35-39", edges=[1_000, 2_000, 4_000])
    people = week_bills.drop_duplicates("CUSTOMER_ID")["AGE_GROUP"]
    number = int((people == "35-39").sum())
    expected = question.answers[sum(number >= edge for edge in (1_000, 2_000, 4_000))]
    summary = read(week[at], question, "CUSTOMER_ID")
    assert summary == MatchCount(number, int((people != "").sum()))
    assert released(week[at], question, "CUSTOMER_ID", 1) == expected


# How a few bills lie in each place without one of their customers.


@pytest.fixture(scope="module")
def numbered(week: Places) -> Place:
    """Write the first bills of the week, with a column more that says which row it is."""
    whole = Path(week["csv"].source)
    path = whole.with_name("numbered.csv")
    with whole.open("rb") as file:
        lines = [next(file).rstrip() + b',"ROW"\r\n']
        lines += [next(file).rstrip() + b',"%d"\r\n' % at for at in range(NUMBERED)]
    path.write_bytes(b"".join(lines))
    return Place(str(path), {})


@pytest.fixture(scope="module")
def numbered_places(numbered: Place) -> Places:
    return three_places(Path(numbered.source), BILL | {"ROW": "integer"})


def kept(place: Place, max_rows: int) -> set[int]:
    reading = OptionReading("ROW", tuple(map(str, range(NUMBERED))))
    with open_table(place.source, **place.options) as table:
        summary = summarize(table, reading, unit="CUSTOMER_ID", max_rows=max_rows, key=KEY)
    assert isinstance(summary, OptionCounts)
    assert {*summary.counts} == {0, 1}
    return {row for row, times in enumerate(summary.counts) if times}


def without(customer: str, at: str, place: Place, directory: Path) -> Place:
    """Return a place whose table lacks a customer's rows, and is otherwise as it was."""
    if at == "postgresql":
        return Place(place.source, {"sql": f"select * from people where \"CUSTOMER_ID\" <> '{customer}'"})  # noqa: S608 - a number of the file
    if at == "parquet":
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        table = pq.read_table(place.source)
        path = directory / "fewer.parquet"
        pq.write_table(table.filter(pc.not_equal(table["CUSTOMER_ID"], customer)), path)
        return Place(str(path), {})
    path = directory / "fewer.csv"
    with Path(place.source).open("rb") as file:
        path.write_bytes(b"".join(line for line in file if f',"{customer}",'.encode() not in line))
    return Place(str(path), {})


@at_each_place
@pytest.mark.parametrize("max_rows", [1, 5])
def test_a_customer_who_leaves_changes_no_kept_row_of_anyone_else(
    numbered_places: Places, tmp_path: Path, at: str, max_rows: int
) -> None:
    import pandas as pd

    owners = pd.read_csv(numbered_places["csv"].source, dtype=str, encoding="utf-8-sig")["CUSTOMER_ID"]
    rows = owners.value_counts()
    whole = kept(numbered_places[at], max_rows)
    assert len(whole) == rows.clip(upper=max_rows).sum()
    for customer in (owners.iloc[0], str(rows.index[0]), str(rows.index[-1])):
        own = {*owners.index[owners == customer]}
        assert len(whole & own) == min(max_rows, len(own))
        fewer = without(customer, at, numbered_places[at], tmp_path)
        assert kept(fewer, max_rows) == whole - own


# A ledger pays, once.


def test_a_ledger_pays_for_an_answer_about_customers(
    week: Places, week_bills: "pd.DataFrame", tmp_path: Path
) -> None:
    book = str(tmp_path / "shop.ledger")
    cost = Cost.of(PureDP(EPSILON))
    with open_ledger(book, create=True) as ledger:
        ledger.create("shop", cost.times(2))
    people = week_bills.drop_duplicates("CUSTOMER_ID")["AGE_GROUP"]

    def asked() -> object:
        found = ask(
            week["csv"].source,
            winner("AGE_GROUP", BANDS),
            epsilon=EPSILON,
            unit="CUSTOMER_ID",
            max_rows=5,
            ledger=book,
            name="shop",
            request_id="the age band of most",
        )
        assert verify_receipt(found.receipt).holds
        return found.answer

    assert [asked(), asked()] == [people.value_counts().idxmax()] * 2
    with open_ledger(book) as ledger:
        state = ledger.state("shop")
    assert (state.spent, state.left, state.requests) == (cost, cost, 1)
