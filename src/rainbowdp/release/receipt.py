# SPDX-License-Identifier: Apache-2.0
"""Write a receipt: what was asked, how privately, by which mechanism, and the answer that was drawn.

A receipt follows from its terms. A reader who has the terms can make the mechanism and all its probabilities
again, so none of them stand in it. It holds nothing that the data decided, except the answer that was drawn.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from rainbowdp.ledger.entries import one_spelling

SCHEMA = "rainbowdp.receipt/2"
KEYS = "keys"
"""The kind of question that named categories answer."""

Json = object
"""A value as ``json.loads`` gives it."""


class Released(NamedTuple):
    """What was drawn, as a ledger keeps it, and how it was paid for; see `rainbowdp.release.Answer`."""

    answer: str
    request_id: str | None
    budget: str | None
    answered_at: str
    notes: tuple[str, ...]


def public_part(**parts: Json) -> dict[str, Json]:
    """Return all of a receipt that is known before anything is drawn, with its form and the version."""
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


def is_receipt_of(
    receipt: Mapping[str, Json], public: Mapping[str, Json], budget: str | None, request_id: str | None
) -> bool:
    """Tell whether a receipt is one of the same terms and, where a budget pays, of the same request.

    A request without an id of its own is a new one each time. The version of rainbowdp does not matter.
    """
    paid = budget and {"name": one_spelling(budget), "request_id": request_id and one_spelling(request_id)}
    own = json.loads(json.dumps({**public, "budget": paid, "rainbowdp": receipt.get("rainbowdp")}))
    return all(receipt.get(part) == value for part, value in own.items())


@cache
def _installed() -> str:
    from importlib.metadata import version

    return version("rainbowdp")
