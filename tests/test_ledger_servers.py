# SPDX-License-Identifier: Apache-2.0
"""A ledger in PostgreSQL: anything wrong with the server is an error, and nothing is granted."""

import contextlib
import importlib.util
import traceback

import psycopg
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from command_line import Runner
from ledger_places import ASKED, Place, ask, pure
from postgres_server import fresh_database
from rainbowdp.errors import LedgerError, MissingExtraError
from rainbowdp.ledger import Ledger, open_database, open_ledger
from rainbowdp.ledger.database import VERSION, Database
from rainbowdp.ledger.postgres import DIGESTS, FORM, PostgresDatabase, digest


@pytest.fixture
def place() -> Place:
    place = Place("postgresql", fresh_database())
    with place.open(create=True) as ledger:
        ledger.create("survey", pure(3))
    return place


def end_sessions(place: Place) -> None:
    place.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def test_a_password_is_never_shown(place: Place) -> None:
    password = place.address.split(":")[2].split("@")[0]
    with place.open() as ledger:
        assert password not in ledger.label
        assert ledger.label.startswith("postgresql://rainbow@127.0.0.1:")
    wrong = place.address.replace(password, "secret-7")
    gone = place.address.replace("/fresh_", "/no_such_")
    for address in (wrong, gone, f"{place.address}?no_such_option={password}", "postgresql://x:secret-7@[::"):
        with pytest.raises(LedgerError) as caught:
            open_ledger(address)
        assert "secret-7" not in caught.value.report()
        assert password not in caught.value.report()
        assert caught.value.exit_code == 4


FORMS = {
    "": ("client_encoding = 'SQL_ASCII'", "client_encoding = 'LATIN1'", "quote_all_identifiers = on"),
    "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'": ("client_encoding = 'LATIN1'",),
}


@pytest.mark.parametrize("form", FORMS)
def test_what_a_database_sets_for_its_sessions_does_not_matter(form: str) -> None:
    place = Place("postgresql", fresh_database(form))
    with psycopg.connect(place.address, autocommit=True) as connection:
        for setting in FORMS[form]:
            connection.execute(f"ALTER DATABASE {connection.info.dbname} SET {setting}".encode())
            with place.open(create=True) as ledger:
                ledger.create(setting, pure(3))
                ledger.charge(setting, pure("1/10"), request_id=None, **{**ASKED, "source": "Łódź.csv"})
            with place.open() as ledger:
                assert ledger.history(setting)[-1].source == "Łódź.csv"


def be_interrupted(database: Database) -> None:
    with database.transaction(write=False):
        try:
            raise KeyboardInterrupt
        finally:
            raise OperationalError("", {}, psycopg.ProgrammingError("the connection is busy"))


def test_an_interrupt_is_one_also_where_giving_the_connection_back_fails(place: Place) -> None:
    database = open_database(place.address, create=False)
    with contextlib.closing(database), pytest.raises(KeyboardInterrupt) as caught:
        be_interrupted(database)
    assert caught.value.__suppress_context__


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(LedgerError, match="cannot be used"):
        open_ledger("postgresql://nobody@127.0.0.1:1/nothing", create=True)


@pytest.mark.parametrize("package", ["sqlalchemy", "psycopg"])
def test_the_extra_is_asked_for(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "rainbowdp.ledger.postgres.find_spec", lambda name: None if name == package else find(name)
    )
    with pytest.raises(MissingExtraError) as caught:
        open_ledger("postgresql://nobody@127.0.0.1:1/nothing")
    assert package in caught.value.what
    assert caught.value.help == "pip install 'rainbowdp[postgres]'"


def test_a_connection_lost_before_a_commit_grants_nothing_and_lets_no_answer_leave(place: Place) -> None:
    def opened(*, losing: bool) -> Ledger:
        database = open_database(place.address, create=False)
        assert isinstance(database, PostgresDatabase)
        if losing:
            event.listen(database.engine, "commit", lambda _: end_sessions(place))
        return Ledger(database)

    with opened(losing=True) as broken, opened(losing=False) as ledger:
        for _ in range(2):
            # The second transaction finds a new connection.
            with pytest.raises(LedgerError):
                ask(broken, "q1")
        # All sessions were ended, and idle ones are found out.
        assert ledger.state("survey").requests == 0
        charge = ask(ledger, "q1")
        assert charge.granted == "new"
        with pytest.raises(LedgerError):
            broken.store(charge, "Ann")
        again = ask(ledger, "q1")
        assert (again.granted, again.answer) == ("pending", None)
        assert ledger.store(again, "Bob") == "Bob"
        assert ledger.state("survey").requests == 1


def test_reading_and_inserting_are_the_only_rights_it_needs(place: Place) -> None:
    with psycopg.connect(place.address, autocommit=True) as connection:
        for statement in (
            "CREATE ROLE teller LOGIN PASSWORD 'word'",
            "GRANT SELECT, INSERT ON rainbowdp_entries TO teller",
            "GRANT SELECT ON rainbowdp_ledger TO teller",
        ):
            connection.execute(statement.encode())
    try:
        with open_ledger(f"postgresql://teller:word@{place.address.rpartition('@')[2]}") as ledger:
            assert ledger.store(ask(ledger), "Ann") == "Ann"
            ledger.close_budget("survey")
    finally:
        place.run("DROP OWNED BY teller")
        place.run("DROP ROLE teller")


OTHER_FORMS = (
    "ALTER TABLE rainbowdp_entries DISABLE TRIGGER rainbowdp_entries_guard",
    "DROP INDEX rainbowdp_one_charge",
    "ALTER TABLE rainbowdp_entries DROP CONSTRAINT rainbowdp_entries_check",
    "ALTER TABLE rainbowdp_entries DROP CONSTRAINT rainbowdp_entries_budget_previous_fkey",
    "ALTER TABLE rainbowdp_entries ENABLE ROW LEVEL SECURITY",
    """ALTER TABLE rainbowdp_entries DROP CONSTRAINT rainbowdp_entries_check;
    ALTER TABLE rainbowdp_entries ADD CHECK (true)""",
    """DROP TRIGGER rainbowdp_entries_guard ON rainbowdp_entries;
    CREATE TRIGGER again BEFORE UPDATE OR DELETE OR TRUNCATE ON rainbowdp_ledger
    FOR EACH STATEMENT EXECUTE FUNCTION rainbowdp_guard()""",
    "DROP INDEX rainbowdp_one_charge; CREATE UNIQUE INDEX i ON rainbowdp_entries (charge)",
    """DROP INDEX rainbowdp_one_answer;
    CREATE UNIQUE INDEX i ON rainbowdp_entries (budget, charge) WHERE event = 'close'""",
    """ALTER TABLE rainbowdp_entries DROP CONSTRAINT rainbowdp_entries_budget_charge_fkey;
    ALTER TABLE rainbowdp_entries ADD FOREIGN KEY (budget, number)
    REFERENCES rainbowdp_entries (budget, number)""",
    """DROP TRIGGER rainbowdp_entries_guard ON rainbowdp_entries;
    CREATE TRIGGER rainbowdp_entries_guard BEFORE TRUNCATE ON rainbowdp_entries
    FOR EACH STATEMENT EXECUTE FUNCTION rainbowdp_guard()""",
    """CREATE OR REPLACE FUNCTION rainbowdp_guard() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN IF false THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$""",
    "ALTER TABLE rainbowdp_entries ALTER COLUMN answer TYPE integer USING NULL",
    "ALTER TABLE rainbowdp_entries ADD COLUMN n integer GENERATED ALWAYS AS (answer::integer) STORED",
    "ALTER TABLE rainbowdp_entries ADD COLUMN n integer",
    "ALTER TABLE rainbowdp_entries ALTER COLUMN request SET DEFAULT 'q'",
    'ALTER TABLE rainbowdp_entries ALTER COLUMN question TYPE text COLLATE "C"',
    "ALTER TABLE rainbowdp_ledger ALTER COLUMN version TYPE bigint",
    "CREATE INDEX zz ON rainbowdp_entries ((answer::numeric))",
    "ALTER TABLE rainbowdp_entries SET UNLOGGED",
    "CREATE TABLE more () INHERITS (rainbowdp_entries)",
    "CREATE RULE no_insert AS ON INSERT TO rainbowdp_entries DO INSTEAD NOTHING",
    """CREATE OR REPLACE FUNCTION rainbowdp_guard() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RETURN NEW; END $$""",
)


def test_another_form_is_refused(place: Place) -> None:
    with psycopg.connect(place.address) as connection:
        for statement in OTHER_FORMS:
            connection.execute(statement.encode())
            assert digest(connection.execute(FORM.encode()).fetchall()) != DIGESTS[VERSION], statement
            connection.rollback()
        assert digest(connection.execute(FORM.encode()).fetchall()) == DIGESTS[VERSION]
    place.run(OTHER_FORMS[0])
    with pytest.raises(LedgerError, match="has not the form of a ledger"):
        place.open()


def test_what_a_server_says_of_an_answer_is_not_shown(place: Place) -> None:
    # Changed while the ledger is open: the answer cannot be stored, and the error must not tell it.
    drawn = "Ursula"
    with place.open() as ledger:
        charge = ask(ledger, "q1")
        place.run("CREATE INDEX zz ON rainbowdp_entries ((answer::numeric))")
        with pytest.raises(LedgerError, match="refuses an entry") as caught:
            ledger.store(charge, drawn)
    shown = "".join(traceback.format_exception(caught.value)) + caught.value.report()
    assert drawn not in shown


@pytest.mark.parametrize("table", ["rainbowdp_ledger", "rainbowdp_entries"])
def test_a_table_that_another_program_holds_is_an_error(place: Place, table: str) -> None:
    with psycopg.connect(place.address) as other, open_ledger(place.address, timeout=0.3) as ledger:
        other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        with (
            pytest.raises(LedgerError, match="lock timeout"),
            open_ledger(place.address, timeout=0.3) as waiting,
        ):
            waiting.names()
        other.rollback()
        assert ledger.names() == ("survey",)


def test_commits_are_waited_for(place: Place) -> None:
    name = place.address.rpartition("/")[2]
    for asked, kept in (("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")):
        place.run(f"ALTER DATABASE {name} SET synchronous_commit = {asked}")
        database = open_database(place.address, create=False)
        with contextlib.closing(database), database.transaction(write=True) as run:
            assert run("SELECT current_setting('synchronous_commit')", {}) == [(kept,)]


def test_a_charge_takes_the_lock_before_it_looks(place: Place) -> None:
    database = open_database(place.address, create=False)
    assert isinstance(database, PostgresDatabase)
    statements: list[str] = []
    event.listen(
        database.engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, *_: statements.append(statement),
    )
    with Ledger(database) as ledger:
        ask(ledger)
    locked = next(at for at, text in enumerate(statements) if "pg_advisory_xact_lock" in text)
    looked = next(at for at, text in enumerate(statements) if "rainbowdp_entries" in text)
    assert locked < looked


def test_budgets_on_a_server_by_command(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    run = Runner(capsys)
    assert run("budget", "create", "other", "--ledger", place.address, "--epsilon", 3).code == 0
    with place.open() as ledger:
        assert ledger.state("other").total == pure(3)
    outcome = run("budget", "show", "third", "--ledger", place.address)
    assert outcome.code == 2
    assert place.address.split(":")[2].split("@")[0] not in outcome.err
