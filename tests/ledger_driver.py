# SPDX-License-Identifier: Apache-2.0
"""A process that forks askers and kills them, for `test_ledger_kills`; run as a program of its own.

An asker opens a ledger, is charged, draws (here: makes up an answer that names the process), stores, and lets
the answer leave through a pipe. It dies by SIGKILL just before a statement, or at an instant that the driver
chooses. Afterwards the driver looks at the ledger past the code under test, then asks again under the same
request id. One JSON object on stdout says what it saw in each mode::

    python ledger_driver.py ADDRESS MODE ...
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
from typing import Any, cast

import psycopg
import sqlalchemy

from ledger_places import Place, ask, make_old_ledger
from rainbowdp.errors import BudgetRefusedError, UnknownBudgetError
from rainbowdp.ledger import Amount, Cost, Ledger, open_ledger

NAME = "survey"
COST = Cost(Amount.of("ln(6/5)"))
RACERS = 8
SHARES = 40
INSTANTS = 200
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
    charged_without_answer: int = 0
    problems: list[str] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)


class Driver:
    """Forks askers of one ledger."""

    def __init__(self, address: str) -> None:
        self.is_file = not address.startswith("postgresql://")
        self.place = Place("sqlite" if self.is_file else "postgresql", address)
        self.seen = Seen()
        # Children inherit this one and never use it. SQLite connections must not be inherited at all.
        self.connection = None if self.is_file else psycopg.connect(address, autocommit=True)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement past the ledger."""
        if self.connection is None:
            return self.place.run(statement)
        cursor = self.connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

    def ask(
        self, request: str, out: int, leaving: Callable[[], None] = lambda: None, *, create: bool = False
    ) -> None:
        """Ask, as a process that may be killed, also when its answer is about to leave."""
        with self.opened(create=create) as ledger:
            os.write(out, b"begun\n")
            answer = self.answer(ledger, request, f"drawn by {os.getpid()}")
            leaving()
            os.write(out, f"answer {answer}\n".encode())

    @contextlib.contextmanager
    def opened(self, *, create: bool = True) -> Iterator[Ledger]:
        """Open the ledger, and make the budget where it may be missing."""
        with self.place.open(create=create) as ledger:
            if create:
                with contextlib.suppress(UnknownBudgetError):
                    ledger.create(NAME, COST)
            yield ledger

    @staticmethod
    def answer(ledger: Ledger, request: str, drawn: str, name: str = NAME) -> str:
        """Pay for an answer, and return the one that stands."""
        charge = ask(ledger, request, COST, name)
        return ledger.store(charge, drawn) if charge.answer is None else charge.answer

    def reset(self) -> None:
        """Make everything as if there had never been a ledger."""
        if self.is_file:
            for ending in ("", "-journal"):
                Path(self.place.address + ending).unlink(missing_ok=True)
        else:
            self.run("DROP SCHEMA public CASCADE")
            self.run("CREATE SCHEMA public")

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

    def collect(self, child: int, inward: int, said: str = "") -> tuple[bool, dict[str, str]]:
        """Wait for a child; return whether it was killed, and what it said, by first words of lines."""
        with os.fdopen(inward, encoding="utf-8") as pipe:
            said += pipe.read()
        _, status = os.waitpid(child, 0)
        words = dict(line.partition(" ")[::2] for line in said.splitlines())
        if "problem" in words:
            self.seen.problems.append(words["problem"])
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, words

    def examine(self, request: str, killed: bool, answer: str | None) -> None:
        """Look at the ledger after an asker, and ask again under the same request id."""
        self.seen.attempts += 1
        self.seen.killed += killed
        exists = self.run(
            "SELECT 1 FROM sqlite_schema WHERE name = 'rainbowdp_entries'"
            if self.is_file
            else "SELECT 1 FROM pg_class WHERE relname = 'rainbowdp_entries'"
        )
        charges = self.run(_COUNT.format(request))[0][0] if exists else 0
        answers = [json.loads(row[0]) for row in self.run(_ANSWERS.format(request))] if exists else []
        self.seen.charged_without_answer += charges == 1 and not answers
        self.expect(charges <= 1 and len(answers) <= charges, f"{request}: {charges} charges, {answers}")
        self.expect(answer is None or answers == [answer], f"{request}: {answer!r} left, {answers} stored")
        self.expect(killed or answer is not None, f"{request}: no answer from an asker that lived")
        if self.is_file and exists:
            sound = self.run("PRAGMA integrity_check"), self.run("PRAGMA foreign_key_check")
            self.expect(sound == ([("ok",)], []), f"{request}: {sound}")
        with self.opened() as ledger:
            lived = self.answer(ledger, request, "drawn again")
        self.expect(answers in ([], [lived]), f"{request}: {answers} stored, then {lived!r}")
        self.expect(self.run(_COUNT.format(request)) == [(1,)], f"{request}: charged twice")

    def expect(self, is_so: bool, problem: str) -> None:
        """Note a problem unless something is so."""
        if not is_so:
            self.seen.problems.append(problem)

    def at_statements(self, *, create: bool, old: bool = False) -> None:
        """Kill an asker just before its first statement, its second, and so on, until one lives.

        With `create` each of them has to make the ledger and the budget, until one has done so; with `old`,
        out of a ledger of version 2.
        """
        killed, words = True, dict[str, str]()
        while killed and not (create and "begun" in words):
            number = self.seen.attempts
            if create:
                self.reset()
            if old:
                make_old_ledger(self.place)

            def work(out: int, number: int = number) -> None:
                self.ask(f"statement {number}", out, _dying_at(number), create=create)

            killed, words = self.collect(*self.fork(work))
            self.examine(f"statement {number}", killed, words.get("answer"))
            if create:
                self.finish(1)

    def at_instants(self) -> None:
        """Kill askers at random instants between the check and the answer; the first ones show its length."""
        choose, length = random.Random(20260101), 0.0
        for index in range(-5, INSTANTS):
            child, inward = self.fork(lambda out, index=index: self.ask(f"instant {index}", out))  # type: ignore[misc]  # no type can be written here
            begun = os.read(inward, len("begun\n")).decode()
            if index < 0:
                start = time.monotonic()
                select.select([inward], [], [])
                length = max(length, time.monotonic() - start)
            else:
                time.sleep(choose.random() * length)
                os.kill(child, signal.SIGKILL)
            killed, words = self.collect(child, inward, begun)
            self.examine(f"instant {index}", killed, words.get("answer"))

    def race(self) -> None:
        """Let 8 processes spend until nothing is left, then let 8 ask under one request id."""
        with self.place.open() as ledger:
            ledger.create("race", COST.times(SHARES))
            ledger.create("one", COST)
        self.seen.results["granted"] = self.together(self._spend)
        self.seen.results["answers"] = self.together(self._same)
        with self.place.open() as ledger:
            state = ledger.state("race")
            self.seen.results |= {"left": str(state.left), "requests": state.requests}
            self.seen.results["one"] = ledger.state("one").requests

    def together(self, work: Callable[[], object]) -> list[str]:
        """Let all racers do some work at once, and return what each of them says."""
        gate, opened = os.pipe()

        def run(out: int) -> None:
            os.close(opened)
            os.read(gate, 1)
            os.write(out, f"said {work()}\n".encode())

        racers = [self.fork(run) for _ in range(RACERS)]
        os.close(opened)
        said = [self.collect(*racer)[1].get("said", "") for racer in racers]
        os.close(gate)
        return said

    def _spend(self) -> int:
        granted = 0
        with self.place.open() as ledger, contextlib.suppress(BudgetRefusedError):
            while True:
                granted += ask(ledger, cost=COST, name="race").granted == "new"
        return granted

    def _same(self) -> str:
        with self.place.open(create=True) as ledger:
            return self.answer(ledger, "the same", f"drawn by {os.getpid()}", "one")

    def finish(self, requests: int) -> None:
        """Compare what all this cost with what so many requests should have cost."""
        with self.place.open() as ledger:
            state, history = ledger.state(NAME), ledger.history(NAME)
        spent = state.requests == requests and state.spent == COST.times(requests)
        self.expect(spent, f"{state.requests} charges for {requests} requests")
        self.expect(state.spent.within(state.total), "more was spent than there was")
        answered = sum(entry.event == "answer" for entry in history)
        self.expect(answered == requests, "a request has no answer")


def _dying_at(number: int) -> Callable[[], None]:
    """Die just before the statement with this number, whichever connection runs it; return what counts."""
    left = number

    def count(*_: object, **__: object) -> None:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    connect = sqlite3.connect

    def traced(*words: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 - handed on as they are
        connection = cast("sqlite3.Connection", connect(*words, **options))
        connection.set_trace_callback(count)
        return connection

    sqlite3.connect = cast("Any", traced)
    for event in ("before_cursor_execute", "commit", "begin"):
        sqlalchemy.event.listen(sqlalchemy.Engine, event, count)
    return count


def main(address: str, *modes: str) -> None:
    """Do what the tests ask for, and print what was seen in each mode."""
    driver, seen = Driver(address), {}
    # What is there before the forks stays shared.
    gc.freeze()
    for mode in modes:
        driver.seen = Seen()
        driver.reset()
        if mode in {"creation", "update"}:
            driver.at_statements(create=True, old=mode == "update")
        else:
            with open_ledger(address, create=True) as ledger:
                ledger.create(NAME, COST.times(1000))
            if mode == "race":
                driver.race()
            elif mode == "statements":
                driver.at_statements(create=False)
            else:
                driver.at_instants()
            driver.finish(driver.seen.attempts)
        seen[mode] = vars(driver.seen)
    print(json.dumps(seen))  # noqa: T201 - the report is the output


if __name__ == "__main__":
    main(*sys.argv[1:])
