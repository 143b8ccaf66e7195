# SPDX-License-Identifier: Apache-2.0
"""A process that forks askers and kills them, for `test_ledger_kills`; run as a program of its own.

An asker opens a ledger, is charged, draws (here: makes up an answer that names the process), stores, and lets
the answer leave through a pipe. It dies by SIGKILL at a chosen statement or moment, or at an instant that the
driver chooses. Afterwards the driver looks at the ledger past the code under test, then asks again under the
same request id. One JSON object on stdout says what it saw::

    python ledger_driver.py ADDRESS MODE NUMBER
"""

import contextlib
import gc
import json
import os
import random
import select
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import psycopg
import sqlalchemy

from ledger_places import Place, make_old_ledger
from rainbowdp.errors import BudgetRefusedError, UnknownBudgetError
from rainbowdp.ledger import Amount, Cost, Ledger, open_database
from rainbowdp.ledger.book import Point

if TYPE_CHECKING:
    from psycopg import Connection

NAME = "survey"
COST = Cost(Amount.of("ln(6/5)"))
ASKED: dict[str, Any] = {"question": "winner of vote", "source": "poll.csv", "privacy": "epsilon=ln(6/5)"}
RACERS = 8
_COUNT = "SELECT count(*) FROM rainbowdp_entries WHERE event = 'charge' AND request = '{}'"
_ANSWERS = """
SELECT a.answer FROM rainbowdp_entries a
JOIN rainbowdp_entries c ON c.budget = a.budget AND c.number = a.charge
WHERE a.event = 'answer' AND c.event = 'charge' AND c.request = '{}'
"""


@dataclass
class Seen:
    """What came out; `problems` has to stay empty."""

    attempts: int = 0
    killed: int = 0
    left_before_death: int = 0
    charged_without_answer: int = 0
    problems: list[str] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)


class Driver:
    """Forks askers of one ledger."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_file = not address.startswith("postgresql://")
        self.seen = Seen()
        # Children inherit this one and never use it. SQLite connections must not be inherited at all.
        self.connection = None if self.is_file else psycopg.connect(address, autocommit=True)
        self.own: Ledger | None = None
        self.has_begun = False

    def ask(self, request: str, out: int, reached: Callable[[Point], None], *, create: bool = False) -> None:
        """Ask, as a process that may be killed."""
        with Ledger(open_database(self.address, create=create), reached) as ledger:
            if create:
                with contextlib.suppress(UnknownBudgetError):
                    ledger.create(NAME, COST)
            os.write(out, b"begun\n")
            charge = ledger.charge(NAME, COST, request_id=request, **ASKED)
            standing = charge.answer
            if standing is None:
                standing = ledger.store(charge, f"drawn by {os.getpid()}")
            os.write(out, f"answer {standing}\n".encode())

    def ask_again(self, request: str) -> str:
        """Ask, without being killed."""
        if self.own is None:
            self.own = Ledger(open_database(self.address, create=True))
            with contextlib.suppress(UnknownBudgetError):
                self.own.create(NAME, COST)
        charge = self.own.charge(NAME, COST, request_id=request, **ASKED)
        answer = self.own.store(charge, "drawn again") if charge.answer is None else charge.answer
        if self.is_file:
            self.own.close()
            self.own = None
        return answer

    def reset(self) -> None:
        """Make everything as if there had never been a ledger."""
        if self.own is not None:
            self.own.close()
            self.own = None
        if self.is_file:
            for ending in ("", "-journal"):
                Path(self.address + ending).unlink(missing_ok=True)
        else:
            self.rows("DROP SCHEMA public CASCADE")
            self.rows("CREATE SCHEMA public")

    def fork(self, work: Callable[[int], None]) -> tuple[int, int]:
        """Do some work in a child, which writes to a pipe; return its id and our end of the pipe."""
        inward, outward = os.pipe()
        child = os.fork()
        if child:
            os.close(outward)
            return child, inward
        status = 1
        try:
            os.close(inward)
            work(outward)
            status = 0
        except BaseException as error:  # noqa: BLE001 - a child says what went wrong and must not go on
            os.write(outward, f"problem {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)

    def collect(self, child: int, inward: int, said: str = "") -> tuple[bool, str | None]:
        """Wait for a child; return whether it was killed, and the answer that left it."""
        with os.fdopen(inward, encoding="utf-8") as pipe:
            said += pipe.read()
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        answer, self.has_begun = None, "begun" in said.splitlines()
        for line in said.splitlines():
            word, _, rest = line.partition(" ")
            if word == "problem":
                self.seen.problems.append(rest)
            if word == "answer":
                answer = rest
        return killed, answer

    def examine(self, request: str, killed: bool, answer: str | None) -> None:
        """Look at the ledger after an asker, and ask again under the same request id."""
        self.seen.attempts += 1
        self.seen.killed += killed
        self.seen.left_before_death += killed and answer is not None
        problems = self.seen.problems
        exists = bool(self.rows(self._tables()))
        charges = self.rows(_COUNT.format(request))[0][0] if exists else 0
        answers = [json.loads(row[0]) for row in self.rows(_ANSWERS.format(request))] if exists else []
        self.seen.charged_without_answer += charges == 1 and not answers
        if charges > 1 or len(answers) > charges:
            problems.append(f"{request}: {charges} charges, {len(answers)} answers")
        if answer is not None and answers != [answer]:
            problems.append(f"{request}: {answer!r} left, {answers} stored")
        if not killed and answer is None:
            problems.append(f"{request}: no answer from an asker that lived")
        if self.is_file and exists:
            sound = self.rows("PRAGMA integrity_check"), self.rows("PRAGMA foreign_key_check")
            if sound != ([("ok",)], []):
                problems.append(f"{request}: {sound}")
        lived = self.ask_again(request)
        if answers and answers != [lived]:
            problems.append(f"{request}: {answers} stored, then {lived!r}")
        if self.rows(_COUNT.format(request)) != [(1,)]:
            problems.append(f"{request}: charged twice")

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement past the ledger."""
        if self.is_file:
            with contextlib.closing(sqlite3.connect(self.address)) as connection:
                return connection.execute(statement).fetchall()
        cursor = cast("Connection", self.connection).execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

    def _tables(self) -> str:
        if self.is_file:
            return "SELECT 1 FROM sqlite_schema WHERE name = 'rainbowdp_entries'"
        return "SELECT 1 FROM pg_class WHERE relname = 'rainbowdp_entries'"

    def at_statements(self, *, create: bool, old: bool = False) -> int:
        """Kill an asker just before its first statement, its second, and so on; return how many there are.

        With `create` each of them has to make the ledger and the budget, until one has done so; with `old`,
        out of a ledger of version 2.
        """
        number = 0
        while True:
            request = f"statement {number}"
            if create:
                self.reset()
            if old:
                make_old_ledger(Place("sqlite" if self.is_file else "postgresql", self.address))

            def work(out: int, number: int = number, request: str = request) -> None:
                with _killed_at(number):
                    self.ask(request, out, _pass, create=create)

            killed, answer = self.collect(*self.fork(work))
            self.examine(request, killed, answer)
            if create:
                self.finish(1)
            if not killed or (create and self.has_begun):
                return number
            number += 1

    def at_points(self) -> None:
        """Kill an asker at every named moment."""
        for point in get_args(Point):

            def work(out: int, point: Point = point) -> None:
                self.ask(f"at {point}", out, lambda now: _die() if now == point else None)

            killed, answer = self.collect(*self.fork(work))
            if not killed:
                self.seen.problems.append(f"{point} was not reached")
            self.examine(f"at {point}", killed, answer)

    def at_instants(self, number: int) -> None:
        """Kill askers at random instants between the check and the answer."""
        choose = random.Random(20260101)
        length = max(self._length(f"measured {index}") for index in range(5))
        for index in range(number):
            request = f"instant {index}"

            def work(out: int, request: str = request) -> None:
                self.ask(request, out, _pass)

            child, inward = self.fork(work)
            begun = os.read(inward, len("begun\n")).decode()
            time.sleep(choose.random() * length)
            os.kill(child, signal.SIGKILL)
            killed, answer = self.collect(child, inward, begun)
            self.examine(request, killed, answer)

    def _length(self, request: str) -> float:
        child, inward = self.fork(lambda out: self.ask(request, out, _pass))
        begun = os.read(inward, len("begun\n")).decode()
        start = time.monotonic()
        select.select([inward], [], [])
        length = time.monotonic() - start
        killed, answer = self.collect(child, inward, begun)
        self.examine(request, killed, answer)
        return length

    def race(self, limit: int) -> None:
        """Let 8 processes spend until nothing is left, then let 8 ask under one request id."""
        with Ledger(open_database(self.address, create=True)) as ledger:
            ledger.create("race", COST.times(limit))
        gate, opened = os.pipe()
        racers = [self.fork(lambda out: self._spend(gate, opened, out)) for _ in range(RACERS)]
        os.close(opened)
        self.seen.results["granted"] = [self._said(*racer) for racer in racers]
        os.close(gate)
        gate, opened = os.pipe()
        racers = [self.fork(lambda out: self._same(gate, opened, out)) for _ in range(RACERS)]
        os.close(opened)
        self.seen.results["answers"] = [self._said(*racer) for racer in racers]
        with Ledger(open_database(self.address, create=False)) as ledger:
            self.seen.results["left"] = str(ledger.state("race").left)
            self.seen.results["requests"] = ledger.state("race").requests
            self.seen.results["one"] = ledger.state("one").requests

    def _spend(self, gate: int, opened: int, out: int) -> None:
        os.close(opened)
        os.read(gate, 1)
        granted = 0
        with (
            Ledger(open_database(self.address, create=False)) as ledger,
            contextlib.suppress(BudgetRefusedError),
        ):
            while True:
                granted += ledger.charge("race", COST, request_id=None, **ASKED).granted == "new"
        os.write(out, f"said {granted}\n".encode())

    def _same(self, gate: int, opened: int, out: int) -> None:
        os.close(opened)
        os.read(gate, 1)
        with Ledger(open_database(self.address, create=True)) as ledger:
            with contextlib.suppress(UnknownBudgetError):
                ledger.create("one", COST)
            charge = ledger.charge("one", COST, request_id="the same", **ASKED)
            answer = charge.answer or ledger.store(charge, f"drawn by {os.getpid()}")
        os.write(out, f"said {answer}\n".encode())

    def _said(self, child: int, inward: int) -> str:
        with os.fdopen(inward, encoding="utf-8") as pipe:
            said = pipe.read().strip()
        os.waitpid(child, 0)
        if not said.startswith("said "):
            self.seen.problems.append(said or "a racer said nothing")
        return said.removeprefix("said ")

    def finish(self, requests: int) -> None:
        """Compare what all this cost with what so many requests should have cost."""
        with Ledger(open_database(self.address, create=False)) as ledger:
            state = ledger.state(NAME)
            history = ledger.history(NAME)
        if state.requests != requests or state.spent != COST.times(requests):
            self.seen.problems.append(f"{state.requests} charges for {requests} requests")
        if not state.spent.within(state.total):
            self.seen.problems.append("more was spent than there was")
        if sum(entry.event == "answer" for entry in history) != requests:
            self.seen.problems.append("a request has no answer")


def _pass(_: Point) -> None:
    """Let every moment pass."""


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextlib.contextmanager
def _killed_at(number: int) -> Iterator[None]:
    """Die just before the statement with this number, whichever connection runs it."""
    left = number

    def count(*_: object, **__: object) -> None:
        nonlocal left
        if left == 0:
            _die()
        left -= 1

    connect = sqlite3.connect

    def traced(*words: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 - handed on as they are
        connection = cast("sqlite3.Connection", connect(*words, **options))
        connection.set_trace_callback(count)
        return connection

    sqlite3.connect = cast("Any", traced)
    for event in ("before_cursor_execute", "commit", "begin"):
        sqlalchemy.event.listen(sqlalchemy.Engine, event, count)
    yield


def main(address: str, mode: str, number: str) -> None:
    """Do what one test asks for."""
    driver = Driver(address)
    # What is there before the forks stays shared.
    gc.freeze()
    if mode == "race":
        driver.race(int(number))
    elif mode in {"creation", "update"}:
        driver.seen.results["statements"] = driver.at_statements(create=True, old=mode == "update")
    else:
        with Ledger(open_database(address, create=True)) as ledger:
            ledger.create(NAME, COST.times(1000))
        if mode == "statements":
            driver.seen.results["statements"] = driver.at_statements(create=False)
        elif mode == "points":
            driver.at_points()
        else:
            driver.at_instants(int(number))
        driver.finish(driver.seen.attempts)
    print(json.dumps(vars(driver.seen)))  # noqa: T201 - the report is the output


if __name__ == "__main__":
    main(*sys.argv[1:])
