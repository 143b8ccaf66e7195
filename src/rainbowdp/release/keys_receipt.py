# SPDX-License-Identifier: Apache-2.0
"""Receipts of named categories: how they were chosen, with which probabilities, and which they are."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import cast

from rainbowdp.errors import RainbowError, ReceiptError
from rainbowdp.exact import format_fraction
from rainbowdp.keys import KeyMechanism, key_mechanism
from rainbowdp.line import Line
from rainbowdp.questions.cells import cell_text
from rainbowdp.release.terms import read_filters, require_name

KEYS_SCHEMA = "rainbowdp.keys-receipt/1"
LARGEST_TABLE = 10_000

Json = object
_WAY_ON = "give a receipt as rainbowdp wrote it, unchanged"
# Stated numbers are right to a few units in their last place.
_CLOSE = 1e-14
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

    At most `LARGEST_TABLE` numbers, each right to a few units in its last place.
    """
    rows = min(mechanism.certain_from + 1, LARGEST_TABLE)
    line = Line("keep>drop", {"keep": 0, "drop": 1}, mechanism.privacy)
    keep: list[float] = line.probabilities(range(rows))[:, line.rainbow.colors.index("keep")].tolist()
    return keep


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
    table, keys = receipt["table"], receipt["keys"]
    # What is not a number fails the comparison, too, and so does what no float can hold.
    if not isinstance(table, list) or not all(type(x) in {int, float} and 0 <= x <= 1 for x in table):
        raise ReceiptError("the table is no list of probabilities", help=_WAY_ON)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise ReceiptError("the keys are no list of texts", help=_WAY_ON)
    right = _made_anew(receipt, keys)
    for part in ("column", "unit", "where", "privacy"):
        if receipt[part] != right[part]:
            raise ReceiptError(f"the {part} of the receipt is not written as rainbowdp does", help=_WAY_ON)
    if not isinstance(receipt["rainbowdp"], str):
        raise ReceiptError("the version of the receipt is no text", help=_WAY_ON)
    faults = _table_faults(table, cast("list[float]", right["table"]))
    if receipt["neighbors"] != right["neighbors"]:
        faults.append("categories can only be named where people join or leave")
    return faults + key_faults(keys)


def key_faults(keys: list[str]) -> list[str]:
    """Return what tells a list of texts from one of named categories: an empty list if nothing does."""
    if len(set(keys)) < len(keys):
        return ["a category is named twice"]
    strange = [key for key in keys if cell_text(key) != key]
    if strange:
        return [f"{strange[0]!r} is no category: no cell says that"]
    return [] if keys == sorted(keys) else ["the categories do not stand in the order of their text"]


def _table_faults(table: list[float], right: list[float]) -> list[str]:
    if len(table) != len(right):
        return [f"the table has {len(table)} rows, and should have {len(right)}"]
    for people, (stated, value) in enumerate(zip(table, right, strict=True)):
        if not math.isclose(stated, value, rel_tol=_CLOSE):
            return [f"the table is wrong at {people} people"]
    return []


def _made_anew(receipt: Mapping[str, object], keys: list[str]) -> dict[str, Json]:
    """Return the receipt as rainbowdp would write it for the terms that are stated."""
    privacy, unit = receipt["privacy"], receipt["unit"]
    if not isinstance(privacy, dict) or set(privacy) != {"epsilon", "delta"}:
        raise ReceiptError("the privacy is not an epsilon and a delta", help=_WAY_ON)
    if not all(isinstance(value, str) for value in privacy.values()):
        raise ReceiptError("the privacy is not exact text", help=_WAY_ON)
    if unit is not None and (not isinstance(unit, dict) or set(unit) != {"column", "max_keys"}):
        raise ReceiptError("the unit is not a column and a number of categories", help=_WAY_ON)
    column, person = receipt["column"], None if unit is None else unit["column"]
    try:
        mechanism = key_mechanism(
            privacy["epsilon"], privacy["delta"], 1 if unit is None else cast("int", unit["max_keys"])
        )
        named = None if unit is None else require_name(person)
        return make_keys_receipt(require_name(column), mechanism, named, read_filters(receipt["where"]), keys)
    except RainbowError as error:
        raise ReceiptError(f"the terms of the receipt cannot be read: {error.what}", help=_WAY_ON) from error


def _text(epsilon: object) -> str:
    return format_fraction(epsilon) if isinstance(epsilon, Fraction) else str(epsilon)
