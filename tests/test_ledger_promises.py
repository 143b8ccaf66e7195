# SPDX-License-Identifier: Apache-2.0
"""What an answer costs in a budget with a promise: the conversions, and small tables that show why."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb
from pathlib import Path
from typing import Any

import pytest

from ledger_places import ASKED, make_place, pure
from rainbowdp import winner
from rainbowdp.errors import BudgetRefusedError, UsageError
from rainbowdp.exact import to_float
from rainbowdp.ledger import Amount, Cost, Protection
from rainbowdp.privacy import PureDP, privacy_of
from rainbowdp.questions import Neighbors, OptionCounts
from rainbowdp.release import Terms

ROWS, CHANGED = Protection(), Protection("change-one")
PEOPLE, PEOPLE_CHANGED = Protection(unit="p"), Protection("change-one", "p")
ONE, TWO = Protection(unit="p", max_rows=1), Protection(unit="p", max_rows=2)
ONE_CHANGED, TWO_CHANGED = Protection("change-one", "p", 1), Protection("change-one", "p", 2)
OTHERS = Protection(unit="q", max_rows=2)
FACTORS = {
    ROWS: {ROWS: 1, ONE: 2, TWO: 1, OTHERS: 1, CHANGED: 0, TWO_CHANGED: 0},
    CHANGED: {ROWS: 2, CHANGED: 1, ONE: 4, TWO: 2, ONE_CHANGED: 2, TWO_CHANGED: 1},
    PEOPLE: {ROWS: 0, CHANGED: 0, ONE: 1, TWO: 1, OTHERS: 0, TWO_CHANGED: 0},
    PEOPLE_CHANGED: {ROWS: 0, CHANGED: 0, ONE: 2, TWO: 2, OTHERS: 0, ONE_CHANGED: 1, TWO_CHANGED: 1},
}
"""How many times an epsilon is charged, by the promises of budget and answer; 0 where it is refused."""
CASES = [(promise, asked, factor) for promise, row in FACTORS.items() for asked, factor in row.items()]


@pytest.mark.parametrize(("promise", "asked", "factor"), CASES)
def test_an_answer_is_charged_what_it_costs_under_the_promise(
    promise: Protection, asked: Protection, factor: int, tmp_path: Path
) -> None:
    with make_place("sqlite", tmp_path).open(create=True) as ledger:
        state = ledger.create("b", pure(4), promise)
        assert state == ledger.state("b")
        assert state.protection == promise
        assert ledger.history("b")[0].protection == promise
        for pay in (ledger.foresee, ledger.charge):
            if factor:
                pay("b", pure(1), request_id="q", protection=asked, **ASKED)
                continue
            with pytest.raises(
                BudgetRefusedError, match=r"hides that .* the answer hides only that"
            ) as caught:
                pay("b", pure(1), request_id="q", protection=asked, **ASKED)
            assert caught.value.help.startswith("ask with --")
        assert ledger.state("b").spent == pure(factor)
        if factor:
            again = ledger.charge("b", pure(1), request_id="q", protection=asked, **ASKED)
            assert again.granted == "pending"
            with pytest.raises(BudgetRefusedError, match="cannot pay") as caught:
                ledger.charge("b", pure("4.1"), request_id=None, protection=asked, **ASKED)
            if factor < 4:
                assert caught.value.help.startswith(
                    f"ask with epsilon at most {Decimal(4 - factor) / factor}, or"
                )


def test_what_a_refusal_suggests_fits_where_costs_are_doubled(tmp_path: Path) -> None:
    for total in (Cost(Amount.of("ln 3"), Fraction(1, 10**6)), Cost.gaussian("0.7")):
        with make_place("sqlite", tmp_path).open(create=True) as ledger:
            ledger.create(str(total), total, CHANGED)
            with pytest.raises(BudgetRefusedError) as caught:
                ledger.charge(str(total), total, request_id=None, **ASKED)
            suggested = dict(re.findall(r"(epsilon|delta|mu) at most ([-\d.e]+)", caught.value.help))
            ledger.charge(str(total), Cost.of(privacy_of(**suggested)), request_id=None, **ASKED)
            assert ledger.state(str(total)).left.times(10**4).within(total)


def test_a_group_of_two_is_charged_exactly_or_more() -> None:
    delta = Fraction(1, 10**6)
    assert Cost(Amount.of("ln(3/2)"), delta).doubled() == Cost(Amount.of("ln(9/4)"), delta * Fraction(5, 2))
    assert Cost(Amount.of(0), delta).doubled() == Cost(Amount.of(0), 2 * delta)
    assert Cost.gaussian("1/3").doubled() == Cost.gaussian("2/3")
    rounded = Cost(Amount.of(1), delta).doubled()
    # The first 31 digits of e: the cost follows from the number alone, for costs are compared by their text.
    e = Fraction("2.718281828459045235360287471353")
    assert rounded.delta == (1 + Fraction(int(e * 2**64) + 1, 2**64)) * delta
    question = winner("a", ["b", "c"])
    grouped = Terms(question, privacy_of(1, delta), "change-one", by="g", groups=("x", "y")).cost
    assert grouped == rounded
    # Where nothing is hidden any more, the number stays small.
    assert Cost(Amount.of(10**12), delta).doubled() == Cost(Amount.of(2 * 10**12), Fraction(1))


def test_a_promise_that_is_none_is_refused() -> None:
    wrongs: tuple[dict[str, Any], ...] = ({"neighbors": "both"}, {"unit": ""}, {"unit": 3})
    for wrong in wrongs:
        with pytest.raises(UsageError):
            Protection(**wrong)
    assert Protection(unit="Mu\u0308ller") == Protection(unit="M\u00fcller")


OTHERS_FOR_B = 9
"""So many other persons make A unlikely, where each row that is moved counts in full."""
Rows = Mapping[str, tuple[str, ...]]


def chance_of_a(terms: Terms, rows: Rows) -> float:
    """Return how often A is said, over all choices of so many rows of each person."""
    kept = [list(combinations(own, min(terms.max_rows, len(own)))) for own in rows.values()]
    total = 0.0
    for chosen in product(*kept):
        counts = Counter(cell for one in chosen for cell in one)
        located = terms.mechanism.at(OptionCounts((counts["A"], counts["B"] + OTHERS_FOR_B)))
        total += to_float(located.chances()["A"], "nearest")
    ways = 1
    for own in rows.values():
        ways *= comb(len(own), min(terms.max_rows, len(own)))
    return total / ways


def pairs_of_rows(neighbors: Neighbors) -> Iterator[tuple[Rows, Rows]]:
    """Yield tables of two persons that differ in one row, which goes or says another thing of any person."""
    owned = [own for size in range(4) for own in combinations_with_replacement("AB", size)]
    for mine, yours in product(owned, owned):
        for at in range(len(mine)):
            rest = mine[:at] + mine[at + 1 :]
            before = {"p": mine, "q": yours}
            if neighbors == "add-remove":
                yield before, {"p": rest, "q": yours}
                continue
            for cell in "AB":
                yield before, {"p": (*rest, cell), "q": yours}
                yield before, {"p": rest, "q": (*yours, cell)}


@pytest.mark.parametrize("goal", ["typical", "guarantee"])
@pytest.mark.parametrize("max_rows", [1, 2])
@pytest.mark.parametrize(
    ("promised", "asked"),
    [("add-remove", "add-remove"), ("change-one", "add-remove"), ("change-one", "change-one")],
)
def test_what_persons_cost_where_rows_are_promised(
    promised: Neighbors, asked: Neighbors, max_rows: int, goal: str
) -> None:
    terms = Terms(
        winner("vote", ["A", "B"]),
        PureDP("ln 4"),
        asked,
        "person",
        max_rows,
        goal=goal,  # type: ignore[arg-type]  # one of two
    )
    factor = 2 ** Protection(promised).doublings(Protection(asked, "person", max_rows))
    chances: dict[str, float] = {}

    def chance(rows: Rows) -> float:
        key = str(rows)
        if key not in chances:
            chances[key] = chance_of_a(terms, rows)
        return chances[key]

    pairs = [(chance(before), chance(after)) for before, after in pairs_of_rows(promised)]
    worst = max(max(one / other, other / one) for one, other in pairs)
    assert worst <= 4**factor * (1 + 1e-9)
    # One doubling less would promise too much.
    assert factor == 1 or worst > 4 ** (factor / 2) * (1 + 1e-9)
