# SPDX-License-Identifier: Apache-2.0
"""A day of a real shop: a customer who leaves changes no row of others, and a ledger pays once.

What is expected is counted by pandas, which knows nothing of the package. `test_real_data_places` asks every
question of every real table.
"""

from pathlib import Path

import pytest

from rainbowdp.ledger import Cost, open_ledger
from rainbowdp.privacy import PureDP
from rainbowdp.questions import OptionCounts, OptionReading, winner
from rainbowdp.release import ask, verify_receipt
from rainbowdp.tables import open_table, summarize
from real_data import PLACES, Place, days_of_the_shop, three_places

EPSILON = 8
NUMBERED = 4_000
KEY = bytes(range(32))
BANDS = ("<25", "25-29", "30-34", "35-39", "40-44", "45-49", "50-54", "55-59", "60-64", ">65")
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


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return days_of_the_shop(tmp_path_factory.mktemp("day"), ["11/5/2000"])


@pytest.fixture(scope="module")
def numbered_places(day: Path) -> Places:
    """Write the first bills of the day to each place, with a column more that says which row it is."""
    path = day.with_name("numbered.csv")
    with day.open("rb") as file:
        lines = [next(file).rstrip() + b',"ROW"\r\n']
        lines += [next(file).rstrip() + b',"%d"\r\n' % at for at in range(NUMBERED)]
    path.write_bytes(b"".join(lines))
    return three_places(path, BILL | {"ROW": "integer"})


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


def test_a_ledger_pays_once_for_an_answer_about_customers(day: Path, tmp_path: Path) -> None:
    import pandas as pd

    book = str(tmp_path / "shop.ledger")
    cost = Cost.of(PureDP(EPSILON))
    with open_ledger(book, create=True) as ledger:
        ledger.create("shop", cost.times(2))
    bills = pd.read_csv(day, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    people = bills.drop_duplicates("CUSTOMER_ID")["AGE_GROUP"]

    def asked() -> object:
        found = ask(
            str(day),
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
