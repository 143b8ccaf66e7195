# SPDX-License-Identifier: Apache-2.0
"""Any sequence of calls, against a model of a ledger that keeps dictionaries and its own arithmetic.

The model writes an amount as a fraction plus whole multiples of ln 2, ln 3 and ln 5, and compares such sums
as decimals of 80 digits: sums of the sizes drawn here are equal, or differ far above the last of them.
"""

import tempfile
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ledger_places import make_place
from rainbowdp.errors import (
    BudgetRefusedError,
    RainbowError,
    RequestMismatchError,
    UnknownBudgetError,
    UsageError,
)
from rainbowdp.ledger import Amount, Cost


class Vector(NamedTuple):
    """A rational part, multiples of ln 2, ln 3 and ln 5, a delta, and a mu squared."""

    rational: Fraction = Fraction(0)
    twos: int = 0
    threes: int = 0
    fives: int = 0
    delta: Fraction = Fraction(0)
    squared: Fraction = Fraction(0)


ZERO = Vector()
LOGS = {"ln 2": (1, 0, 0), "ln(6/5)": (1, 1, -1), "ln(10/9)": (1, -2, 1), "ln 5": (0, 0, 1)}
NAMES = st.sampled_from(["a", "b", "c"])
REQUESTS = st.sampled_from(["q1", "q2", "q3", "q4", None])
QUESTIONS = st.sampled_from(["winner", "level"])


@st.composite
def costs(draw: st.DrawFn) -> tuple[Cost, Vector]:
    """Draw a cost of any kind, and the same in the form of the model."""
    kind = draw(st.sampled_from(["rational", "rational", "logarithm", "logarithm", "delta", "gaussian"]))
    tenths = Fraction(draw(st.integers(0, 12)), 10)
    if kind == "gaussian":
        return Cost.gaussian(tenths), Vector(squared=tenths**2)
    delta = Fraction(draw(st.integers(1, 4)), 10**6) if kind == "delta" else Fraction(0)
    if kind == "logarithm":
        text = draw(st.sampled_from(sorted(LOGS)))
        return Cost(Amount.of(text)), Vector(Fraction(0), *LOGS[text])
    return Cost(Amount.of(tenths), delta), Vector(tenths, delta=delta)


def plus(a: Vector, b: Vector) -> Vector:
    return Vector(*map(add, a, b))


def at_most(a: Vector, b: Vector) -> bool:
    """Compare the epsilon, delta and mu of two sums."""
    with localcontext() as context:
        context.prec = 80
        rational = a.rational - b.rational
        counts = zip((2, 3, 5), a[1:4], b[1:4], strict=True)
        logs = [(ours - theirs) * Decimal(base).ln() for base, ours, theirs in counts]
        epsilon = Decimal(rational.numerator) / Decimal(rational.denominator) + sum(logs)
        return bool(epsilon < Decimal("1e-60")) and a.delta <= b.delta and a.squared <= b.squared


@dataclass
class Budget:
    kind: str
    total: Vector
    spent: Vector = ZERO
    closed: bool = False
    events: list[str] = field(default_factory=lambda: ["create"])


@dataclass
class Request:
    asked: tuple[str, str, Vector, str]
    answer: str | None = None


class AnyCalls(RuleBasedStateMachine):
    """Calls a ledger and the model side by side."""

    kind = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="rainbowdp-model-")
        self.place = make_place(self.kind, Path(self.folder.name))
        self.ledger = self.place.open(create=True)
        self.budgets: dict[str, Budget] = {}
        self.requests: dict[str, Request] = {}
        self.charges: dict[str, Any] = {}
        self.fresh = 0

    def teardown(self) -> None:
        self.ledger.close()
        self.folder.cleanup()

    def outcome(self, call: Any) -> Any:  # noqa: ANN401 - whatever a method returns
        try:
            return call()
        except RainbowError as error:
            return type(error)

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = self.place.open()

    @rule(name=NAMES, cost=costs())
    def create(self, name: str, cost: tuple[Cost, Vector]) -> None:
        got = self.outcome(lambda: self.ledger.create(name, cost[0]))
        if name in self.budgets:
            assert got is UnknownBudgetError
        else:
            self.budgets[name] = Budget(kind_of(cost), cost[1])
            assert got.name == name

    @rule(name=NAMES, cost=costs())
    def raise_budget(self, name: str, cost: tuple[Cost, Vector]) -> None:
        got = self.outcome(lambda: self.ledger.raise_budget(name, cost[0], "more"))
        budget = self.budgets.get(name)
        if budget is None:
            assert got is UnknownBudgetError
        elif budget.closed:
            assert got is BudgetRefusedError
        elif cost[1] == ZERO or not implied(kind_of(cost), budget.kind):
            assert got is UsageError
        else:
            budget.total = plus(budget.total, cost[1])
            budget.events.append("raise")
            assert got.name == name

    @precondition(lambda self: len(self.budgets) == 3)
    @rule(name=st.sampled_from(["a", "b"]))
    def close(self, name: str) -> None:
        got = self.outcome(lambda: self.ledger.close_budget(name))
        budget = self.budgets[name]
        if budget.closed:
            assert got is BudgetRefusedError
        else:
            budget.closed = True
            budget.events.append("close")

    @rule(name=NAMES, cost=costs(), request=REQUESTS, question=QUESTIONS)
    def charge(self, name: str, cost: tuple[Cost, Vector], request: str | None, question: str) -> None:
        asking: dict[str, Any] = {"request_id": request, "question": question, "source": "s", "privacy": "p"}
        # If it wrote anything, the charge would not be new.
        foreseen = self.outcome(lambda: self.ledger.foresee(name, cost[0], **asking))
        got = self.outcome(lambda: self.ledger.charge(name, cost[0], **asking))
        assert foreseen == (None if getattr(got, "granted", "") == "new" else got)
        budget, asked = self.budgets.get(name), (name, question, cost[1], kind_of(cost))
        before = self.requests.get(request or "")
        if budget is None:
            assert got is UnknownBudgetError
        elif before is not None:
            if before.asked != asked:
                assert got is RequestMismatchError
            else:
                assert got.granted == ("pending" if before.answer is None else "answered")
                assert got.answer == before.answer
        elif (
            budget.closed
            or not implied(kind_of(cost), budget.kind)
            or not at_most(plus(budget.spent, cost[1]), budget.total)
        ):
            assert got is BudgetRefusedError
        else:
            assert (got.granted, got.answer) == ("new", None)
            budget.spent = plus(budget.spent, cost[1])
            budget.events.append("charge")
            self.requests[got.request_id] = Request(asked)
            self.charges[got.request_id] = got

    @precondition(lambda self: self.charges)
    @rule(data=st.data())
    def store(self, data: st.DataObject) -> None:
        request = data.draw(st.sampled_from(sorted(self.charges)))
        self.fresh += 1
        got = self.ledger.store(self.charges[request], f"answer {self.fresh}")
        kept = self.requests[request]
        if kept.answer is None:
            kept.answer = f"answer {self.fresh}"
            self.budgets[kept.asked[0]].events.append("answer")
        assert got == kept.answer

    @invariant()
    def the_ledger_says_what_the_model_says(self) -> None:
        assert self.ledger.names() == tuple(sorted(self.budgets))
        for name, budget in self.budgets.items():
            state = self.ledger.state(name)
            assert (state.kind, state.closed) == (budget.kind, budget.closed)
            assert state.requests == budget.events.count("charge")
            for amount, vector in ((state.total, budget.total), (state.spent, budget.spent)):
                assert amount.epsilon.rational == vector.rational
                assert amount.epsilon.argument == (
                    Fraction(2) ** vector.twos * Fraction(3) ** vector.threes * Fraction(5) ** vector.fives
                )
                assert (amount.delta, amount.mu_squared or 0) == (vector.delta, vector.squared)
            assert [entry.event for entry in self.ledger.history(name)] == budget.events


class AnyCallsOnPostgres(AnyCalls):
    """The same on the other database."""

    kind = "postgresql"


def kind_of(cost: tuple[Cost, Vector]) -> str:
    """Return the kind of a cost as the model sees it; a mu of 0 is told by the cost, which has no epsilon."""
    if cost[0].mu_squared is not None:
        return "gaussian"
    return "approximate" if cost[1].delta else "pure"


def implied(asked: str, budget: str) -> bool:
    return asked == budget or (asked == "pure" and budget == "approximate")


AnyCalls.TestCase.settings = settings(max_examples=10, stateful_step_count=25)
AnyCallsOnPostgres.TestCase.settings = settings(max_examples=2, stateful_step_count=20)
TestAnyCalls = AnyCalls.TestCase
TestAnyCallsOnPostgres = AnyCallsOnPostgres.TestCase
