# SPDX-License-Identifier: Apache-2.0
"""The same table gives the same summaries wherever it is kept, and they are those that Python counts.

The oracle reads the rows with a few lines of Python that share nothing with the package.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from cell_tally import NOTHING, cells, cells_by
from rainbowdp.tables import Table, count_keys, open_table
from table_backends import COLUMNS, EACH_BACKEND, HEADLESS, PEOPLE, Backend, Row, typed


@pytest.fixture(scope="module", params=EACH_BACKEND)
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = request.param
    return found


@pytest.fixture(scope="module")
def table(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    directory = tmp_path_factory.mktemp("people")
    with backend(PEOPLE, directory) as (source, options), open_table(source, **options) as opened:
        yield opened


def said(row: Row, column: str) -> str:
    return typed(row[COLUMNS.index(column)]).strip()


def expected(rows: Sequence[Row], column: str) -> Counter[str]:
    return Counter(said(row, column) or NOTHING for row in rows)


def test_every_source_counts_the_same(table: Table, backend: Backend) -> None:
    assert table.columns == (None if backend in HEADLESS else COLUMNS)
    for column in COLUMNS:
        assert cells(table, column) == expected(PEOPLE, column)


def test_filters_hold_for_the_text_of_cells(table: Table) -> None:
    rows = [row for row in PEOPLE if said(row, "flag") == "true" and said(row, "ward") == "01"]
    assert cells(table, "vote", where={"flag": " true ", "ward": "01"}) == expected(rows, "vote")
    assert cells(table, "vote", where={"ward": "nowhere"}) == {}


def test_groups_are_summarized_in_one_pass(table: Table) -> None:
    found = cells_by(table, "vote", "ward", ["N", "01", "nobody"])
    assert list(found) == ["N", "01", "nobody"]
    for ward, texts in found.items():
        assert texts == expected([row for row in PEOPLE if said(row, "ward") == ward], "vote")


def test_a_person_counts_for_a_few_rows_at_most(table: Table) -> None:
    rows_of = Counter(row[0] for row in PEOPLE if row[0] is not None)
    found = cells(table, "vote", unit="person", max_rows=3)
    assert sum(found.values()) == sum(min(3, count) for count in rows_of.values())
    everything = cells(table, "vote", unit="person", max_rows=1000)
    assert everything == expected([row for row in PEOPLE if row[0] is not None], "vote")


def test_keys_are_counted_once_per_person(table: Table) -> None:
    whose = {(said(row, "person"), said(row, "vote")) for row in PEOPLE}
    people = Counter(vote for person, vote in whose if person and vote)
    assert dict(count_keys(table, "vote", unit="person", max_keys=1000)) == people
    assert dict(count_keys(table, "vote")) == Counter(
        said(row, "vote") for row in PEOPLE if said(row, "vote")
    )
    found = list(count_keys(table, "vote", unit="person", max_keys=2))
    mine = Counter(person for person, vote in whose if person and vote)
    assert sum(count for _, count in found) == sum(min(2, count) for count in mine.values())
    assert [key for key, _ in found] == sorted(key for key, _ in found)
