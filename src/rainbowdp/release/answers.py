# SPDX-License-Identifier: Apache-2.0
"""An answer that may leave, or one per group, with everything that may be published with it."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from rainbowdp.ledger.database import now
from rainbowdp.release.paying import UNREADABLE, changed_answer
from rainbowdp.release.receipt import Json, make_receipt, public_part
from rainbowdp.release.terms import Terms

Answers = Mapping[str, str | tuple[str, ...]]
EVERYBODY = ""


@dataclass(frozen=True)
class Answer:
    """One answer, or one per group, and what may be published with it.

    Attributes
    ----------
    terms : Terms
        What was asked, how privately.
    answers : mapping of str to str or tuple of str
        The answer by group; a ranking is a tuple, best first. Without groups the only key is the empty text.
    request_id : str or None
        The name of the request in the ledger.
    budget : str or None
        The budget that paid.
    answered_at : str
        When it was charged, or drawn where nothing is charged, in UTC, as ISO 8601.
    notes : tuple of str
        Public remarks about how the answer came about.
    """

    terms: Terms
    answers: Answers
    request_id: str | None = None
    budget: str | None = None
    answered_at: str = field(default_factory=now, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", MappingProxyType(dict(self.answers)))

    def __reduce__(self) -> tuple[type["Answer"], tuple[object, ...]]:
        paid = (self.request_id, self.budget, self.answered_at)
        return Answer, (self.terms, dict(self.answers), *paid, self.notes)

    @property
    def answer(self) -> str | tuple[str, ...] | dict[str, str | tuple[str, ...]]:
        """The answer; with groups, a dictionary of them."""
        return dict(self.answers) if self.terms.groups else self.answers[EVERYBODY]

    @property
    def json(self) -> Json:
        """The answer as ``json.dumps`` writes it: a ranking is a list."""
        return listed(self.answer)

    @cached_property
    def receipt(self) -> dict[str, Json]:
        """The receipt, as ``json.dumps`` writes it: nothing private is in it."""
        return self.receipt_on(public_part(self.terms))

    def receipt_on(self, public: Mapping[str, Json]) -> dict[str, Json]:
        """Return the receipt on a public part that was made of the same terms before."""
        return make_receipt(public, self.json, self.answered_at, self.budget, self.request_id)


def listed(answer: object) -> Json:
    """Return an answer as JSON knows it: a list for a tuple."""
    if isinstance(answer, dict):
        return {group: listed(value) for group, value in answer.items()}
    return list(answer) if isinstance(answer, tuple) else answer


def written(answers: Answers) -> str:
    """Return answers as a ledger keeps them."""
    return json.dumps(listed(dict(answers)), ensure_ascii=False, separators=(",", ":"))


def stored(text: str, terms: Terms) -> Answers:
    """Return answers that a ledger kept.

    Raises
    ------
    LedgerError
        If they are not answers to the question, for each of the groups.
    """
    groups = terms.groups or (EVERYBODY,)
    with contextlib.suppress(*UNREADABLE):
        kept: dict[str, str | list[str]] = json.loads(text)
        found = {group: tuple(said) if isinstance(said, list) else said for group, said in kept.items()}
        if found.keys() == set(groups) and all(map(terms.mechanism.accepts, found.values())):
            return {group: found[group] for group in groups}
    raise changed_answer()
