# SPDX-License-Identifier: Apache-2.0
"""An answer that may leave, or one per group, and its receipt: what was asked, how privately, by what.

A receipt follows from its terms. A reader who has the terms can make the mechanism and all its probabilities
again, so none of them are listed. It holds nothing that the data decided, except the answer that was drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import MappingProxyType

from rainbowdp.goals.concentrated import rho_of
from rainbowdp.ledger import Cost
from rainbowdp.ledger.database import now
from rainbowdp.privacy import Privacy
from rainbowdp.questions.kinds import is_known
from rainbowdp.release.terms import Terms

SCHEMA = "rainbowdp.receipt/2"
KEYS = "keys"
"""The kind of question that named categories answer."""

Json = object
Answers = Mapping[str, str | tuple[str, ...]]
EVERYBODY = ""


def public_part(terms: Terms) -> dict[str, Json]:
    """Return all of a receipt that is known before anything is drawn.

    Parameters
    ----------
    terms : Terms
        The terms of an answer.

    Returns
    -------
    dict
        What ``json.dumps`` writes; `SCHEMA` names its form.

    Raises
    ------
    PrivacyParameterError
        If several charges of a logarithmic mu add up: their root has no exact form.
    """
    mechanism, rho = terms.mechanism, rho_of(terms.mechanism)
    return with_schema(
        {
            "question": terms.description,
            "neighbors": terms.neighbors,
            "unit": unit_json(terms.unit, terms.max_rows),
            "where": dict(sorted(terms.where.items())),
            "privacy": privacy_json(terms.privacy),
            "groups": {"by": terms.by, "names": list(terms.groups)} if terms.groups else None,
            "goal": terms.goal,
            "boundary": None if is_known(terms.question) else terms.rule,
            "mechanism": mechanism.name,
            "theorem": mechanism.theorem,
            "cost": privacy_json(mechanism.charged) if len(terms.groups) < 2 else cost_json(terms.cost),
            "rho": None if rho is None else {"value": rho.value, "bound": rho.is_bound},
        }
    )


def with_schema(parts: Mapping[str, Json]) -> dict[str, Json]:
    """Return parts of a receipt with the form that they have, and the version that wrote them."""
    return {"schema": SCHEMA, "rainbowdp": _installed(), **parts}


def unit_json(unit: str | None, most: int) -> Json:
    """Return whose row a row is, and how many rows or categories of one person count."""
    return None if unit is None else {"column": unit, "at_most": most}


def make_receipt(
    public: Mapping[str, Json], answer: Json, answered_at: str, budget: str | None, request_id: str | None
) -> dict[str, Json]:
    """Return the receipt of an answer.

    Parameters
    ----------
    public : mapping
        From `public_part`.
    answer : text, list of text, or mapping of group to such
        The answer.
    answered_at : str
        When it was charged or drawn, in UTC, as ISO 8601.
    budget, request_id : str or None
        The budget that paid, and under which name.
    """
    paid = None if budget is None else {"name": budget, "request_id": request_id}
    return {**public, "answer": answer, "answered_at": answered_at, "budget": paid}


@cache
def _installed() -> str:
    from importlib.metadata import version

    return version("rainbowdp")


def privacy_json(privacy: Privacy) -> dict[str, str]:
    """Return the parameters of a privacy as exact text.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> privacy_json(ApproxDP("ln 2", "1e-6"))
    {'epsilon': 'ln(2)', 'delta': '1/1000000'}
    """
    parts = (part.partition("=") for part in str(privacy).split(", "))
    return {name: value for name, _, value in parts}


def cost_json(cost: Cost) -> dict[str, str]:
    """Return a cost as exact text."""
    return {part.name: part.exact for part in cost.parts()}


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
