# SPDX-License-Identifier: Apache-2.0
"""Receipts: what an answer was, and everything public that says how private and how sure it is.

A receipt holds the terms, the boundary, the probabilities of every answer by true answer and distance, and
the answer itself. It holds nothing that the data decided, except the answer that was drawn: the same terms
and the same answer give the same receipt, whatever the table.
"""

from functools import cache

from rainbowdp.release.public_table import order_json, shared_tables
from rainbowdp.release.terms import Terms

SCHEMA = "rainbowdp.receipt/1"
Json = object


def make_receipt(terms: Terms, answer: Json) -> dict[str, Json]:
    """Return the receipt of an answer.

    Parameters
    ----------
    terms : Terms
        The terms it was given under.
    answer : text, list of text, or mapping of group to such
        The answer, as `rainbowdp.release.Answer` has it.

    Returns
    -------
    dict
        What ``json.dumps`` writes; `SCHEMA` names its form.
    """
    groups = {"by": terms.by, "names": list(terms.groups)} if terms.groups else None
    unit = None if terms.unit is None else {"column": terms.unit, "max_rows": terms.max_rows}
    tables = shared_tables(terms)
    return {
        "schema": SCHEMA,
        "rainbowdp": _installed(),
        "question": terms.description,
        "neighbors": terms.neighbors,
        "unit": unit,
        "where": dict(sorted(terms.where.items())),
        "privacy": privacy_json(terms),
        "groups": groups,
        "charges": terms.charges,
        "total": total_json(terms),
        "boundary": {
            "rule": terms.rule,
            "regions": [
                {"answers": list(shared.answers), "probabilities": shared.boundary} for shared in tables
            ],
        },
        "table": {
            "order": order_json(terms),
            "regions": [{"answers": list(shared.answers), "probabilities": shared.rows} for shared in tables],
        },
        "answer": answer,
    }


@cache
def _installed() -> str:
    from importlib.metadata import version

    return version("rainbowdp")


def privacy_json(terms: Terms) -> dict[str, str]:
    """Return the parameters of the privacy as exact text."""
    return dict(_parameter(part) for part in str(terms.privacy).split(", "))


def total_json(terms: Terms) -> dict[str, str]:
    """Return what all answers together cost, as exact text.

    Raises
    ------
    PrivacyParameterError
        If several charges of a logarithmic mu add up: their root has no exact form.
    """
    if terms.charges == 1:
        return privacy_json(terms)
    return {part.name: part.exact for part in terms.cost.parts()}


def _parameter(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name, value
