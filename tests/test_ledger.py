# SPDX-License-Identifier: Apache-2.0
"""The contract of a ledger over SQLite and PostgreSQL; any sequence of calls is in `test_ledger_model`."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ledger_places import ASKED, KINDS, ONE_STEP, Place, ask, make_old_ledger, make_place, pure
from rainbowdp.errors import (
    BudgetRefusedError,
    LedgerError,
    RequestMismatchError,
    UnknownBudgetError,
    UsageError,
)
from rainbowdp.ledger import Amount, Charge, Cost, Ledger, Protection, open_database
from rainbowdp.ledger.database import VERSION, Database, Row, Run

MILLIONTH = Fraction(1, 10**6)


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return make_place(request.param, tmp_path)


@pytest.fixture
def ledger(place: Place) -> Iterator[Ledger]:
    with place.open(create=True) as opened:
        yield opened


def test_names_that_cannot_be_typed_again_are_refused(ledger: Ledger) -> None:
    ledger.create("survey", pure(3))
    hidden = ("a\nb", "a\0b", "a\x1b[31m", "tab\t", "\u202e", "\ud800", "a\u2028b", "\u200b")
    for name in ("", " ", " a", "a ", "x" * 201, *hidden):
        with pytest.raises(UsageError):
            ledger.create(name, pure(3))
        with pytest.raises(UsageError):
            ask(ledger, request_id=name)
    assert ledger.names() == ("survey",)
    assert ledger.state("survey").requests == 0


def test_a_name_is_the_same_however_its_signs_are_composed(ledger: Ledger) -> None:
    composed, decomposed = "M\u00fcller", "Mu\u0308ller"
    assert ledger.create(decomposed, pure(3)).name == composed
    with pytest.raises(UnknownBudgetError, match="already"):
        ledger.create(composed, pure(3))
    charges = [ask(ledger, request_id=name, name=name) for name in (composed, decomposed)]
    assert [charge.granted for charge in charges] == ["new", "pending"]
    asked: dict[str, Any] = {"request_id": decomposed, **ASKED}
    assert ledger.foresee(decomposed, ONE_STEP, **asked) == charges[1]
    assert ledger.store(charges[0], "yes") == "yes"
    ledger.raise_budget(decomposed, pure(1), "more")
    assert ledger.close_budget(decomposed) == ledger.state(composed) == ledger.state(decomposed)
    assert ledger.history(composed) == ledger.history(decomposed)
    assert ledger.names() == (composed,)


def test_an_unknown_name_is_an_error_with_a_hint(ledger: Ledger) -> None:
    with pytest.raises(UnknownBudgetError) as caught:
        ledger.state("survey")
    assert "budget create" in caught.value.help
    ledger.create("survey", pure(3))
    for call in (
        lambda: ledger.state("sruvey"),
        lambda: ledger.history("sruvey"),
        lambda: ledger.close_budget("sruvey"),
        lambda: ledger.raise_budget("sruvey", pure(1), "more"),
        lambda: ask(ledger, name="sruvey"),
    ):
        with pytest.raises(UnknownBudgetError) as caught:
            call()
        assert caught.value.help == "did you mean 'survey'?"
        assert caught.value.exit_code == 2


REFUSALS: list[tuple[Cost, list[Cost], Cost, str, str, Cost | None]] = [
    (
        pure(1),
        [ONE_STEP] * 10,
        ONE_STEP,
        "spent epsilon 1; asked epsilon 0.1; left epsilon 0",
        "nothing is left",
        None,
    ),
    (
        pure("ln 8"),
        [pure("ln 2")],
        pure("1.386295"),
        "spent epsilon ln(2) (0.693148); asked epsilon 1.386295; left epsilon ln(4) (1.38629)",
        "ask with epsilon at most 1.38629, or raise",
        pure("ln 4"),
    ),
    (
        Cost(Amount.of("ln 3"), MILLIONTH),
        [Cost(Amount.of("1/7"), MILLIONTH / 3)],
        Cost(Amount.of("1/7"), MILLIONTH),
        "asked epsilon 1/7 (0.142858), delta 0.000001; left",
        "ask with epsilon at most 0.955755 and delta at most 0.000000666666, or",
        Cost(Amount.of("0.955755"), Fraction("0.000000666666")),
    ),
]


def test_a_refusal_says_what_is_left_exactly_and_what_still_fits(ledger: Ledger) -> None:
    for budget, paid, asked, said, way_on, fits in REFUSALS:
        name = str(budget)
        ledger.create(name, budget)
        assert {ask(ledger, cost=cost, name=name).granted for cost in paid} == {"new"}
        with pytest.raises(BudgetRefusedError) as caught:
            ask(ledger, cost=asked, name=name)
        assert caught.value.exit_code == 3
        assert said in caught.value.what
        assert caught.value.help.startswith(way_on)
        assert caught.value.values["left"] == str(ledger.state(name).left)
        assert ledger.state(name).requests == len(paid)
        if fits is not None:
            ask(ledger, cost=fits, name=name)


def test_a_repeated_request_says_the_same_again_and_nothing_else(ledger: Ledger) -> None:
    ledger.create("survey", pure(3))
    ledger.create("other", pure(3))
    same: dict[str, Any] = {"name": "survey", "cost": ONE_STEP, "request_id": "q1", **ASKED}
    assert ledger.foresee(**same) is None
    assert ledger.state("survey").requests == 0
    charge = ledger.charge(**same)
    pending = replace(charge, granted="pending")
    assert ledger.foresee(**same) == ledger.charge(**same) == pending
    assert ledger.store(charge, "Ann") == ledger.store(charge, "Bob") == "Ann"
    answered = replace(charge, granted="answered", answer="Ann")
    before = ledger.history("survey")
    different = {"name": "other", "cost": pure("1/5"), **dict.fromkeys(ASKED, "something else")}
    for call in (ledger.foresee, ledger.charge):
        assert call(**same) == answered
        for part, value in different.items():
            said = "budget" if part == "name" else part
            with pytest.raises(RequestMismatchError, match=f"another {said}") as caught:
                call(**same | {part: value})
            assert caught.value.exit_code == 2
            assert "Ann" not in caught.value.report()
    assert ledger.history("survey") == before
    ledger.close_budget("survey")
    assert ledger.foresee(**same) == answered
    with pytest.raises(BudgetRefusedError, match="closed"):
        ledger.foresee(**same | {"request_id": "q2"})


def test_a_charge_of_another_ledger_stores_nothing(ledger: Ledger) -> None:
    ledger.create("survey", pure(3))
    real = ask(ledger, request_id="q1")
    for made_up in (Charge("q2", "new", None, "survey", 3, ""), Charge("q1", "new", None, "survey", 1, "")):
        with pytest.raises(LedgerError, match="knows no charge"):
            ledger.store(made_up, "Ann")
    assert ledger.store(real, "Bob") == "Bob"


def test_any_text_is_kept_as_it_is(ledger: Ledger) -> None:
    for text in ("", "a\0b", "\ud800", 'x"\\\n\u2028', "é", "\U0001f308" * 5000):
        name = f"survey {len(ledger.names())}"
        ledger.create(name, pure(3))
        asked: dict[str, Any] = {"request_id": name, "question": text, "source": text, "privacy": text}
        charge = ledger.charge(name, ONE_STEP, **asked)
        assert ledger.store(charge, text) == text
        ledger.raise_budget(name, pure(1), f"because {text}")
        assert ledger.charge(name, ONE_STEP, **asked).answer == text
        charged, answered, raised = ledger.history(name)[1:]
        assert (charged.question, charged.source, charged.privacy) == (text, text, text)
        assert (answered.answer, raised.reason) == (text, f"because {text}")
        assert ledger.names_for(text) == (name,)


def test_history_shows_every_entry(ledger: Ledger) -> None:
    begun = datetime.now(UTC)
    ledger.create("survey", pure(1))
    ledger.create("other", pure(1))
    first = ask(ledger, "q1", pure("ln 2"))
    with pytest.raises(UsageError, match="without a reason"):
        ledger.raise_budget("survey", pure(1), " \n")
    with pytest.raises(UsageError, match="cannot be raised by epsilon 0"):
        ledger.raise_budget("survey", Cost(), "nothing")
    assert str(ledger.raise_budget("survey", pure("ln 2"), "second wave").total) == "epsilon 1 + ln(2)"
    ask(ledger, request_id="q2")
    ledger.store(first, "Ann")
    ledger.close_budget("survey")
    entries = ledger.history("survey")
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert [entry.event for entry in entries] == ["create", "charge", "raise", "charge", "answer", "close"]
    assert [entry.cost for entry in entries] == [pure(1), pure("ln 2"), pure("ln 2"), ONE_STEP, None, None]
    assert [entry.request_id for entry in entries] == [None, "q1", None, "q2", "q1", None]
    assert [entry.answer for entry in entries] == [None, None, None, None, "Ann", None]
    times = [datetime.fromisoformat(entry.recorded_at) for entry in entries]
    assert [begun, *times] == sorted([begun, *times])
    assert all(time.tzinfo == UTC for time in times)


ALL_ENTRIES = "SELECT * FROM rainbowdp_entries ORDER BY number"
COPY = """
INSERT {how} INTO rainbowdp_entries
SELECT budget, {number}, {number} - 1, event, recorded_at, kind, epsilon_rational, epsilon_logarithm,
    delta, mu_squared, {request}, question, source, privacy, charge, answer, reason, neighbors, unit
FROM rainbowdp_entries WHERE event = '{event}'
"""
VANDALS = {
    "sqlite": (
        "INSERT OR REPLACE INTO rainbowdp_entries SELECT * FROM rainbowdp_entries WHERE number = 2",
        "INSERT OR REPLACE INTO rainbowdp_ledger VALUES (1, 'x')",
        "INSERT INTO rainbowdp_ledger VALUES (2, 'x')",
    ),
    "postgresql": (
        "TRUNCATE rainbowdp_entries CASCADE",
        "TRUNCATE rainbowdp_ledger CASCADE",
        """INSERT INTO rainbowdp_entries SELECT * FROM rainbowdp_entries WHERE number = 2
        ON CONFLICT (budget, number) DO UPDATE SET answer = 'x'""",
    ),
}


def test_nothing_is_changed_deleted_or_replaced_while_the_guards_stand(place: Place, ledger: Ledger) -> None:
    ledger.create("survey", pure(1))
    ledger.store(ask(ledger, request_id="q1"), "Ann")
    ledger.close_budget("survey")
    before = place.run(ALL_ENTRIES)
    assert len(before) == 4
    how = "OR REPLACE" if place.kind == "sqlite" else ""
    update = "UPDATE rainbowdp_entries SET epsilon_rational = '7' WHERE number = 1"
    delete = "DELETE FROM rainbowdp_entries"
    for statement in (
        *(update, delete, "DELETE FROM rainbowdp_ledger", "UPDATE rainbowdp_ledger SET version = 7"),
        *VANDALS[place.kind],
        COPY.format(how=how, number=5, event="charge", request="request"),
        COPY.format(how=how, number=5, event="answer", request="request"),
        COPY.format(how=how, number=5, event="close", request="request"),
        COPY.format(how=how, number=9, event="charge", request="'another'"),
    ):
        with pytest.raises(LedgerError):
            place.run(statement)
        assert place.run(ALL_ENTRIES) == before, statement
        assert place.run("SELECT version FROM rainbowdp_ledger") == [(VERSION,)], statement
    lose_guards(place)
    place.run(update)
    assert ledger.state("survey").total == pure(7)
    place.run(delete)
    assert place.run(ALL_ENTRIES) == []


def lose_guards(place: Place) -> None:
    """Let entries be changed and deleted."""
    if place.kind == "sqlite":
        for trigger in ("no_update", "no_delete"):
            place.run(f"DROP TRIGGER rainbowdp_entries_{trigger}")
    else:
        place.run("ALTER TABLE rainbowdp_entries DISABLE TRIGGER ALL")


SWALLOW = {
    "sqlite": "CREATE TRIGGER swallow BEFORE INSERT ON rainbowdp_entries BEGIN SELECT RAISE(IGNORE); END",
    "postgresql": """CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER swallow BEFORE INSERT ON rainbowdp_entries FOR EACH ROW EXECUTE FUNCTION swallow()""",
}


def test_an_entry_that_the_database_swallows_is_no_charge(place: Place, ledger: Ledger) -> None:
    ledger.create("survey", pure(1))
    place.run(SWALLOW[place.kind])
    with pytest.raises(LedgerError, match="did not take an entry"):
        ask(ledger)
    assert ledger.state("survey").requests == 0
    with pytest.raises(LedgerError, match="has not the form of a ledger"):
        place.open()


MADE_UP = """
INSERT INTO rainbowdp_entries
    (budget, number, event, recorded_at, kind, epsilon_rational, epsilon_logarithm, delta)
VALUES ('{name}', 1, 'create', 'now', 'pure', '{rational}', '{logarithm}', '{delta}')
"""


def test_what_no_ledger_wrote_is_an_error(place: Place, ledger: Ledger) -> None:
    def charged(name: str) -> object:
        return ask(ledger, cost=Cost(), name=name)

    for rational, logarithm, delta in (
        *(("2/4", "1", "0"), ("abc", "1", "0"), ("-1", "1", "0")),
        *(("0", "1/2", "0"), ("0", "0", "0"), ("1", "1", "1/2")),
    ):
        name = f"{rational}, {logarithm}, {delta}"
        place.run(MADE_UP.format(name=name, rational=rational, logarithm=logarithm, delta=delta))
        for call in (ledger.state, ledger.history, charged):
            with pytest.raises(LedgerError, match="no ledger wrote"):
                call(name)
    ledger.create("survey", pure(1))
    ask(ledger, request_id="q1")
    place.run(
        "INSERT INTO rainbowdp_entries (budget, number, previous, event, recorded_at, charge, answer) "
        "VALUES ('survey', 3, 2, 'answer', 'now', 2, 'Ann')"
    )
    with pytest.raises(LedgerError, match="no ledger wrote"):
        ask(ledger, request_id="q1")


def test_missing_entries_are_noticed(place: Place, ledger: Ledger) -> None:
    ledger.create("survey", pure(1))
    for _ in range(3):
        ask(ledger)
    lose_guards(place)
    place.run("DELETE FROM rainbowdp_entries WHERE number = 3")
    with pytest.raises(LedgerError, match="lacks entries of budget 'survey'"):
        ask(ledger)


def test_more_spent_than_there_was_is_an_error(place: Place, ledger: Ledger) -> None:
    ledger.create("survey", pure("1/10"))
    ask(ledger)
    place.run(COPY.format(how="", number=3, event="charge", request="'another'"))
    for call in (lambda: ledger.state("survey"), lambda: ask(ledger, cost=Cost())):
        with pytest.raises(LedgerError, match="has spent more of 'survey' than there was"):
            call()


def test_a_ledger_of_version_2_is_brought_up_and_keeps_its_entries(place: Place) -> None:
    make_old_ledger(place)
    before = place.run(ALL_ENTRIES)
    for _ in range(2):
        with place.open() as ledger:
            assert ledger.state("old").protection is None
            assert str(ledger.state("old").left) == "epsilon 2.9"
    assert place.run(ALL_ENTRIES) == [(*row, None, None) for row in before]
    assert place.run("SELECT version FROM rainbowdp_ledger ORDER BY 1") == [(2,), (VERSION,)]
    with place.open() as ledger:
        again = ledger.charge("old", ONE_STEP, request_id="q1", question="q", source="s", privacy="p")
        assert again.answer == "Ann"
        # Without a promise it adds up whatever is asked, as before.
        for protection in (Protection("change-one"), Protection(unit="patient")):
            ledger.charge("old", ONE_STEP, request_id=None, protection=protection, **ASKED)
        assert str(ledger.state("old").spent) == "epsilon 0.3"
        assert ledger.create("new", ONE_STEP, Protection("change-one")).protection == Protection("change-one")
    with pytest.raises(LedgerError):
        place.run("DELETE FROM rainbowdp_ledger")


def test_a_ledger_that_several_bring_up_at_once_is_brought_up_once_and_never_overspent(place: Place) -> None:
    make_old_ledger(place)

    def is_granted(_: int) -> bool:
        with place.open() as ledger, contextlib.suppress(BudgetRefusedError):
            return ledger.charge("old", pure(1), request_id=None, **ASKED).granted == "new"
        return False

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(is_granted, range(6))) == 2
    assert place.run("SELECT version FROM rainbowdp_ledger ORDER BY 1") == [(2,), (VERSION,)]


def test_a_changed_ledger_of_version_2_is_refused_as_it_is(place: Place) -> None:
    make_old_ledger(place)
    place.run("DROP INDEX rainbowdp_one_charge")
    for create in (False, True):
        with pytest.raises(LedgerError, match="has not the form of a ledger"):
            place.open(create=create)
    assert place.run("SELECT version FROM rainbowdp_ledger") == [(2,)]
    assert len(place.run(ALL_ENTRIES)[0]) == 17


@pytest.mark.parametrize("version", [1, VERSION + 1])
def test_a_ledger_of_another_version_is_refused(place: Place, version: int) -> None:
    place.open(create=True).close()
    if place.kind == "sqlite":
        place.run(f"PRAGMA user_version = {version}")
    else:
        place.run("ALTER TABLE rainbowdp_ledger DISABLE TRIGGER ALL")
        place.run(f"UPDATE rainbowdp_ledger SET version = {version}")  # noqa: S608 - a number of ours
        place.run("ALTER TABLE rainbowdp_ledger ENABLE TRIGGER ALL")
    for create in (False, True):
        with pytest.raises(
            LedgerError, match=f"has version {version}.*this rainbowdp knows version {VERSION}"
        ):
            place.open(create=create)


class BrokenError(Exception):
    """What ends a call at a statement."""


def broken_at(address: str, left: int) -> Database:
    """Open a database in which so many more statements succeed, commits among them, and then one fails."""
    database = open_database(address, create=False)
    whole = database.transaction

    def count() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise BrokenError

    @contextlib.contextmanager
    def transaction(*, write: bool) -> Iterator[Run]:
        with whole(write=write) as run:

            def counted(statement: str, values: Mapping[str, object]) -> list[Row]:
                count()
                return run(statement, values)

            yield counted
            count()

    database.transaction = transaction  # type: ignore[method-assign]  # counts statements on the way
    return database


def test_an_error_at_any_statement_leaves_a_whole_ledger(place: Place) -> None:
    with place.open(create=True) as ledger:
        ledger.create("survey", pure(100))
    granted: list[str] = []
    while granted[-1:] != ["answered"]:
        request, broken = f"q{len(granted)}", Ledger(broken_at(place.address, len(granted)))
        with broken as ledger, contextlib.suppress(BrokenError):
            ledger.store(ask(ledger, request_id=request), "Ann")
        with place.open() as ledger:
            charge = ask(ledger, request_id=request)
            granted.append(charge.granted)
            assert ledger.store(charge, "Bob") == ("Ann" if charge.granted == "answered" else "Bob")
            assert ledger.state("survey").requests == len(granted)
    kinds = list(dict.fromkeys(granted))
    assert kinds == ["new", "pending", "answered"]
    assert min(granted.count(kind) for kind in ("new", "pending")) > 2


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    ledger.create("survey", pure(2))

    def spend(_: int) -> int:
        granted = 0
        with contextlib.suppress(BudgetRefusedError):
            while True:
                granted += ask(ledger).granted == "new"
        return granted

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(spend, range(4))) == 20
    assert ledger.state("survey").left == Cost()


def test_a_ledger_is_not_used_across_a_fork(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.create("survey", pure(1))
    with monkeypatch.context() as patched:
        # What a forked child would see.
        patched.setattr(os, "getpid", lambda: -1)
        with pytest.raises(LedgerError, match="was opened in another process"):
            ask(ledger)
    assert ledger.state("survey").requests == 0


def test_waiting_for_another_writer_ends(place: Place) -> None:
    with place.open(create=True) as ledger:
        ledger.create("survey", pure(1))
    with (
        place.open(timeout=0.05) as waiting,
        contextlib.closing(open_database(place.address, create=False)) as other,
        other.transaction(write=True),
        pytest.raises(LedgerError) as caught,
    ):
        ask(waiting)
    assert caught.value.exit_code == 4
    with place.open() as ledger:
        assert ledger.state("survey").requests == 0
