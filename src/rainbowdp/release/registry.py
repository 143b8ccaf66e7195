# SPDX-License-Identifier: Apache-2.0
"""Write a receipt as an entry of the public registry of deployments of differential privacy.

What follows from a receipt is filled in: the notion of privacy and its parameters, who is protected, the
mechanism, how costs add up. What a receipt cannot know is marked `FILL_IN`: who publishes, for what, about
which region.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rainbowdp.exact import round_ball, to_float
from rainbowdp.ledger import Cost
from rainbowdp.release.checking import read_receipt
from rainbowdp.release.key_terms import KeyTerms
from rainbowdp.release.terms import Terms
from rainbowdp.tables.rows import filters_in_words

FILL_IN = "FILL IN"
"""What stands where the publisher knows and the receipt does not."""

_VARIANTS = {"pure": "Pure DP", "approximate": "Approximate DP", "gaussian": "Custom"}
_PUBLIC = "The question is public, and declared without looking at the data"
_DRAWN = (
    "The answer is drawn once, by exact arithmetic on random bits of the operating system: no comparison of "
    "floating-point numbers decides it. A charge to the budget is recorded before the draw. "
    "The probabilities follow from these terms, and `rainbowdp verify` makes them again from the receipt."
)


def registry_entry(receipt: Mapping[str, object]) -> dict[str, Any]:
    """Return an entry for a receipt, as the registry's schema has it.

    Parameters
    ----------
    receipt : mapping
        What ``json.loads`` reads from a receipt.

    Returns
    -------
    dict
        Nested mappings, lists, texts and numbers; `as_yaml` writes them.

    Raises
    ------
    ReceiptError
        If it does not have the form of a receipt.

    References
    ----------
    OpenDP, Differential privacy deployments registry, ``schemas/deployments-schema.yaml`` (2026).

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> from rainbowdp.release import ask
    >>> people = pandas.DataFrame({"party": ["red"] * 90 + ["blue"] * 10})
    >>> receipt = ask(people, winner("party", ["red", "blue"]), epsilon="ln 3").receipt
    >>> entry = registry_entry(receipt)["deployment"]
    >>> entry["dp_variant"]["variant_name"], entry["privacy_loss"]["privacy_parameters"]
    ('Pure DP', {'epsilon': 1.0986122886681098})
    >>> entry["basic"]["data_curators"]
    ['FILL IN']
    """
    terms = read_receipt(receipt).terms
    asked, where = receipt["question"], filters_in_words(terms.where)
    return {
        "url_slug": FILL_IN,
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": _basic(receipt, terms),
            "dp_variant": {
                "variant_name": _VARIANTS[terms.cost.kind],
                "data_domain": f"Tables of people: {f'the rows where {where}' if where else 'all rows'}.",
                "unprotected_quantities": f"None. {_PUBLIC}: {json.dumps(asked, ensure_ascii=False)}",
            },
            "privacy_loss": _loss(receipt, terms),
            "deployment_model": {
                "model_name": "Central",
                "actors": FILL_IN,
                "release_type": FILL_IN,
                "data_source_type": FILL_IN,
                "access_type": "Non-interactive",
            },
            "accounting": {
                "post_processing": "None: the answer is published as it was drawn.",
                "composition": _composition(receipt, terms),
            },
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": FILL_IN,
                "mechanisms": f"{receipt['mechanism']}, by rainbowdp {receipt['rainbowdp']}; "
                f"{receipt['theorem']}. {_DRAWN}",
                "justification": FILL_IN,
            },
            "administrative": {"sources": FILL_IN, "registry_authors": [FILL_IN]},
        },
    }


def _basic(receipt: Mapping[str, Any], terms: Terms | KeyTerms) -> dict[str, Any]:
    asked = receipt["question"]
    return {
        "name": FILL_IN,
        "data_curators": [FILL_IN],
        "intended_use": FILL_IN,
        "data_product_type": "Summary statistics",
        "data_product_region": FILL_IN,
        "description": f"{FILL_IN}. The answer to a question of the kind {asked['kind']!r} about the column "
        f"{asked['column']!r}{_split(terms)}, with differential privacy.",
        "publication_date": receipt["answered_at"][:10],
    }


def _split(terms: Terms | KeyTerms) -> str:
    if isinstance(terms, KeyTerms) or terms.divided is None:
        return ""
    return f", one for each of {len(terms.divided)} groups by {terms.divided.by}"


def _loss(receipt: Mapping[str, Any], terms: Terms | KeyTerms) -> dict[str, Any]:
    unit = receipt["unit"]
    if unit is None:
        who, person = "Person; every row is one person", "one person's row"
    else:
        what = "rows" if isinstance(terms, Terms) else "categories"
        who = f"Person; the column {unit['column']!r} says whose row a row is"
        person = f"all rows of one person (at most {unit['at_most']} {what} count)"
    how = "which one of them lacks" if receipt["neighbors"] == "add-remove" else "which may say anything else"
    exact = ", ".join(f"{name} = {value}" for name, value in receipt["cost"].items())
    return {
        "privacy_unit": who,
        "privacy_unit_details": f"Adjacent tables differ in {person}, {how}.",
        "privacy_parameters": _parameters(terms.cost),
        "privacy_parameters_details": f"Exactly, for all of the publication: {exact}.",
    }


def _parameters(cost: Cost) -> dict[str, float]:
    """Return the parameters as the closest numbers; the exact ones stand beside them."""
    if cost.mu_squared is not None:
        # Gaussian privacy of mu is zero-concentrated with rho = mu^2 / 2.
        return {"rho": to_float(cost.mu_squared / 2, "nearest")}
    found = {"epsilon": round_ball(cost.epsilon.ball, "nearest")}
    return found if cost.kind == "pure" else {**found, "delta": to_float(cost.delta, "nearest")}


def _composition(receipt: Mapping[str, Any], terms: Terms | KeyTerms) -> str:
    paid = receipt["budget"]
    several = isinstance(terms, Terms) and len(terms.group_names) > 1
    groups = " The groups are paid together." if several else ""
    if paid is None:
        return f"One answer, charged to no budget: {FILL_IN} what else was published from these data.{groups}"
    return f"Charged to the budget {paid['name']!r}, whose charges add up and never exceed it.{groups}"


def as_yaml(entry: Mapping[str, Any]) -> str:
    r"""Return an entry as YAML.

    Examples
    --------
    >>> print(as_yaml({"tier": 3, "basic": {"name": "a: b", "data_curators": ["x"]}}))
    tier: 3
    basic:
      name: "a: b"
      data_curators:
        - "x"
    <BLANKLINE>
    """
    return "\n".join(_lines(entry, "")) + "\n"


def _lines(entry: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in entry.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{name}:"
            yield from (f"{indent}  - {_scalar(each)}" for each in value)
        else:
            yield f"{indent}{name}: {_scalar(value)}"


def _scalar(value: object) -> str:
    """Return a text or number in the form of JSON, which is one of YAML's as well."""
    text = json.dumps(value, ensure_ascii=False)
    # To many readers of YAML, 1e-06 is a text.
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text
