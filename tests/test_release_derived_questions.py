# SPDX-License-Identifier: Apache-2.0
"""Questions derived from the package's own: known to nobody, whatever they say of themselves."""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import rainbowdp as rdp
from rainbowdp.errors import QuestionError, RainbowError, ReceiptError
from rainbowdp.ledger import Cost, open_ledger
from rainbowdp.questions import Level, Location, MatchCount, Neighbors, OptionCounts, Winner
from rainbowdp.questions.measures import CountOf
from rainbowdp.questions.summaries import Summary

VOTES = ("A", "B")


@dataclass(frozen=True)
class Telling(CountOf):
    """A measure of a user's own."""

    def steps(self, summary: Summary, edge: Fraction, neighbors: Neighbors) -> int:
        assert isinstance(summary, MatchCount)
        return 100 * super().steps(summary, edge, neighbors)


TELLING = Level("vote", Telling("A"), (Fraction(3),), ("few", "many"))


class Far(Winner):
    """A winner that takes each table for far from another answer."""

    def locate(self, *_: object) -> Location:
        return Location("A", 700)


@pytest.mark.parametrize(
    ("question", "summary", "kind"),
    [
        (Far("vote", VOTES), OptionCounts((9, 8)), "own winner: Far"),
        (TELLING, MatchCount(8, 9), "own level: Telling"),
    ],
    ids=["derived", "measure"],
)
def test_nobody_takes_a_derived_question_for_one_that_the_package_knows(
    question: Any,  # noqa: ANN401 - either question
    summary: Any,  # noqa: ANN401 - of either
    kind: str,
    tmp_path: Path,
) -> None:
    # What its distances are worth nobody else can say.
    ledger = tmp_path / "budgets"
    with open_ledger(ledger, create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(5)))
    paid: Any = {"ledger": ledger, "name": "b", "request_id": "r"}
    found = rdp.ask(summary, question, epsilon=1, **paid)
    described: Any = found.receipt["question"]
    assert described["kind"] == kind
    planned: Any = rdp.plan(question, rdp.PureDP(1)).to_json()["question"]
    assert planned["kind"] == kind
    with pytest.raises(ReceiptError, match="is no kind of question that rainbowdp knows") as refused:
        rdp.verify_receipt(found.receipt)
    assert "check_question proves it" in refused.value.help
    base = Winner("vote", VOTES) if isinstance(question, Far) else replace(question, measure=CountOf("A"))
    with pytest.raises(RainbowError, match="another question"):
        rdp.ask(summary, base, epsilon=1, **paid)


@pytest.mark.parametrize("said", [None, ["winner"], "winner"], ids=repr)
def test_a_question_describes_itself_before_anything_is_charged(said: Any, tmp_path: Path) -> None:  # noqa: ANN401 - wrong on purpose
    class Says(Winner):
        def describe(self) -> Any:  # noqa: ANN401 - wrong on purpose
            return said

    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(5)))
        paid: Any = {"ledger": tmp_path / "budgets", "name": "b", "request_id": "r"}
        with pytest.raises(QuestionError, match="the question describes itself as"):
            rdp.ask(OptionCounts((9, 8)), Says("vote", VOTES), epsilon=1, **paid)
        assert opened.state("b").requests == 0
    with pytest.raises(QuestionError, match="the question describes itself as"):
        rdp.ask(OptionCounts((9, 8)), Says("vote", VOTES), epsilon=1)
