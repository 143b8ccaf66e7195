# SPDX-License-Identifier: Apache-2.0
"""Receipts of named categories: how they were chosen, with which probabilities, and which they are."""

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import cast

from rainbowdp.errors import RainbowError, ReceiptError
from rainbowdp.exact import NumberLike, format_fraction, to_float
from rainbowdp.keys import KeyMechanism, key_mechanism

KEYS_SCHEMA = "rainbowdp.keys-receipt/1"
LARGEST_TABLE = 10_000

Json = object
_WAY_ON = "give a receipt as rainbowdp wrote it, unchanged"
_CLOSE = 1e-12
_KEYS = frozenset({"schema", "rainbowdp", "column", "unit", "where", "privacy", "neighbors", "table", "keys"})


def make_keys_receipt(
    column: str, mechanism: KeyMechanism, unit: str | None, where: Mapping[str, str], keys: Sequence[str]
) -> dict[str, Json]:
    """Return the receipt of named categories, as ``json.dumps`` writes it.

    Parameters
    ----------
    column : str
        The column with the categories.
    mechanism : KeyMechanism
        How often a category is named.
    unit : str or None
        The column that says whose row it is.
    where : mapping of str to str
        The filters.
    keys : sequence of str
        The categories that were named.

    Returns
    -------
    dict
        `KEYS_SCHEMA` names its form.
    """
    return {
        "schema": KEYS_SCHEMA,
        "rainbowdp": version("rainbowdp"),
        "column": column,
        "neighbors": "add-remove",
        "unit": None if unit is None else {"column": unit, "max_keys": mechanism.max_keys},
        "where": dict(sorted(where.items())),
        "privacy": {"epsilon": _text(mechanism.epsilon), "delta": format_fraction(mechanism.delta)},
        "table": keep_table(mechanism),
        "keys": list(keys),
    }


def keep_table(mechanism: KeyMechanism) -> list[float]:
    """Return how likely a category is named that 0, 1, 2, ... people have, until it is certain.

    At most `LARGEST_TABLE` numbers, each the float nearest to the exact probability.
    """
    rows = min(mechanism.certain_from + 1, LARGEST_TABLE)
    return [to_float(mechanism.keep_probability(people), "nearest") for people in range(rows)]


def keys_receipt_faults(receipt: Mapping[str, object]) -> list[str]:
    """Return what in a receipt of named categories does not follow from its terms.

    Parameters
    ----------
    receipt : mapping
        As ``json.loads`` reads it.

    Returns
    -------
    list of str
        Empty if the table is that of the optimal mechanism for its privacy, and the rest is well formed.

    Raises
    ------
    ReceiptError
        If it does not have the form of such a receipt.
    """
    if set(receipt) != _KEYS:
        wrong = min(_KEYS ^ set(receipt))
        raise ReceiptError(f"{wrong!r} is missing from the receipt, or unknown", help=_WAY_ON)
    mechanism = _mechanism(receipt)
    table, keys = receipt["table"], receipt["keys"]
    if not isinstance(table, list) or not all(type(value) in {int, float} for value in table):
        raise ReceiptError("the table is no list of numbers", help=_WAY_ON)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ReceiptError("the keys are no list of texts", help=_WAY_ON)
    faults = []
    right = keep_table(mechanism)
    if len(table) != len(right):
        faults.append(f"the table has {len(table)} rows, and should have {len(right)}")
    else:
        wrong_rows = (
            people
            for people, (stated, value) in enumerate(zip(table, right, strict=True))
            if not math.isclose(stated, value, rel_tol=_CLOSE)
        )
        faults += [f"the table is wrong at {people} people" for people in [*wrong_rows][:1]]
    if receipt["neighbors"] != "add-remove":
        faults.append("categories can only be named where people join or leave")
    if len(set(keys)) < len(keys):
        faults.append("a category is named twice")
    return faults


def _mechanism(receipt: Mapping[str, object]) -> KeyMechanism:
    privacy, unit = receipt["privacy"], receipt["unit"]
    if not isinstance(privacy, dict) or set(privacy) != {"epsilon", "delta"}:
        raise ReceiptError("the privacy is not an epsilon and a delta", help=_WAY_ON)
    if not all(isinstance(value, str) for value in privacy.values()):
        raise ReceiptError("the privacy is not exact text", help=_WAY_ON)
    if unit is not None and (not isinstance(unit, dict) or set(unit) != {"column", "max_keys"}):
        raise ReceiptError("the unit is not a column and a number of categories", help=_WAY_ON)
    most = 1 if unit is None else unit["max_keys"]
    try:
        return key_mechanism(
            cast("NumberLike", privacy["epsilon"]), cast("NumberLike", privacy["delta"]), cast("int", most)
        )
    except RainbowError as error:
        raise ReceiptError(f"the terms of the receipt cannot be read: {error}", help=_WAY_ON) from error


def _text(epsilon: object) -> str:
    from fractions import Fraction

    return format_fraction(epsilon) if isinstance(epsilon, Fraction) else str(epsilon)
