# SPDX-License-Identifier: Apache-2.0
"""Check a receipt by itself: read its terms, make it again from them, compare, and judge its mechanism.

A receipt is not signed: it cannot tell whether its terms and answer are those of the draw.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from rainbowdp.errors import RainbowError, ReceiptError
from rainbowdp.goals.judging import Judged, judge_line, judge_mechanism
from rainbowdp.keys import key_mechanism
from rainbowdp.line import Line
from rainbowdp.privacy import privacy_of
from rainbowdp.questions import question_from
from rainbowdp.questions.kinds import KINDS
from rainbowdp.release.key_terms import KeyTerms
from rainbowdp.release.receipt import KEYS, SCHEMA, make_receipt
from rainbowdp.release.terms import ALL_ROWS, Terms

_UNCHANGED = "give a receipt as rainbowdp wrote it, unchanged"
_OWN = (
    "if the question was written by its user, check_question proves it, with its code; else give it unchanged"
)
_FAMILY = "rainbowdp."
# What a question, a number or a filter makes of content that was not foreseen.
_UNREADABLE = (ValueError, ArithmeticError, TypeError, AttributeError, LookupError, RecursionError)


@dataclass(frozen=True)
class Receipt:
    """What a receipt says.

    Attributes
    ----------
    terms : Terms or KeyTerms
        What was asked, and how privately.
    content : mapping
        All of it, as it stands there.
    """

    terms: Terms | KeyTerms
    content: Mapping[str, object]


def read_receipt(receipt: Mapping[str, object]) -> Receipt:
    """Read the terms of a receipt.

    Parameters
    ----------
    receipt : mapping
        What ``json.loads`` made of it.

    Returns
    -------
    Receipt

    Raises
    ------
    ReceiptError
        If a part is missing or unknown, or no terms can be made of the parts. `verify_receipt` compares the
        parts with what the terms give.
    """
    if not isinstance(receipt, Mapping):
        raise ReceiptError("this is not a receipt: it is not a JSON object", help=_UNCHANGED)
    _require_schema(receipt.get("schema"))
    try:
        _check_issue(receipt)
        terms = _terms(receipt)
        parts = make_receipt(terms.public, None, "", None, None)
    except ReceiptError:
        raise
    except _UNREADABLE as error:
        help = _OWN if _is_own(receipt.get("question")) else _UNCHANGED
        raise ReceiptError(f"the terms of the receipt cannot be read: {_why(error)}", help=help) from error
    if wrong := parts.keys() ^ set(receipt):
        shown = min(map(str, wrong))
        raise ReceiptError(f"{shown!r} is missing from the receipt, or unknown there", help=_UNCHANGED)
    return Receipt(terms, receipt)


def _why(error: Exception) -> str:
    if isinstance(error, RainbowError):
        return error.what
    return f"{error} is missing from the receipt" if isinstance(error, KeyError) else type(error).__name__


def _require_schema(schema: object) -> None:
    if schema == SCHEMA:
        return
    another = isinstance(schema, str) and schema.startswith(_FAMILY)
    raise ReceiptError(
        f"this is not a receipt that this version knows: its schema is {schema!r}, not {SCHEMA!r}",
        help="use the version of rainbowdp that wrote it, or a newer one" if another else _UNCHANGED,
    )


def _check_issue(receipt: Mapping[str, Any]) -> None:
    """Check which version wrote it, when the answer was given, and what paid for it."""
    moment = None
    with contextlib.suppress(ValueError):
        moment = datetime.fromisoformat(receipt["answered_at"])
    if moment is None or moment.tzinfo is None or moment.utcoffset() != UTC.utcoffset(None):
        raise ReceiptError("the receipt does not say when, in UTC, the answer was given", help=_UNCHANGED)
    paid = receipt["budget"]
    texts = [receipt["rainbowdp"], *(() if paid is None else (paid["name"], paid["request_id"]))]
    if not all(isinstance(text, str) for text in texts) or (paid is not None and len(paid) > 2):
        raise ReceiptError("the receipt does not say which version or budget it is of", help=_UNCHANGED)


def _is_own(question: object) -> bool:
    kind = question.get("kind") if isinstance(question, Mapping) else None
    return isinstance(kind, str) and kind not in {*KINDS, KEYS}


def _terms(receipt: Mapping[str, Any]) -> Terms | KeyTerms:
    """Return the terms that the parts of a receipt state; what does not fit together raises any error."""
    question, person, split = receipt["question"], receipt["unit"], receipt["groups"]
    unit, most = (None, 1) if person is None else (person["column"], person["at_most"])
    if question["kind"] == KEYS:
        mechanism = key_mechanism(receipt["privacy"]["epsilon"], receipt["privacy"]["delta"], most)
        return KeyTerms(question["column"], mechanism, unit, receipt["where"])
    grouped = {}
    if split is not None:
        grouped = {"by": split["by"], "groups": split["names"], "other_group": split.get("other_group")}
    return Terms(
        question=question_from(question),
        privacy=privacy_of(**receipt["privacy"]),
        neighbors=receipt["neighbors"],
        unit=unit,
        max_rows=most,
        where=receipt["where"],
        goal=receipt["goal"],
        boundary="default" if receipt["boundary"] is None else receipt["boundary"],
        **grouped,
    )


@dataclass(frozen=True)
class ReceiptCheck:
    """What a receipt was found to be.

    Attributes
    ----------
    receipt : Receipt
        What it says.
    faults : tuple of str
        What does not follow from its terms; empty if everything does.
    """

    receipt: Receipt
    faults: tuple[str, ...]

    @cached_property
    def judged(self) -> Judged:
        """What of the mechanism was judged, and whether it keeps its promise there."""
        terms = self.receipt.terms
        if isinstance(terms, Terms):
            return judge_mechanism(terms.mechanism)
        return judge_line(Line("keep>drop", {"keep": 0, "drop": 1}, terms.mechanism.privacy))

    @property
    def holds(self) -> bool:
        """Whether the receipt follows from its terms, and no judged pair of neighbors breaks its promise."""
        return not self.faults and bool(self.judged)

    def __bool__(self) -> bool:
        return self.holds


def verify_receipt(receipt: Mapping[str, object]) -> ReceiptCheck:
    """Check a receipt from the receipt alone.

    Parameters
    ----------
    receipt : mapping
        A receipt as `Answer.receipt` or `Keys.receipt` has it, or ``json.loads`` reads it.

    Returns
    -------
    ReceiptCheck

    Raises
    ------
    ReceiptError
        If it does not have the form of a receipt.

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> from rainbowdp.release import ask
    >>> people = pandas.DataFrame({"party": ["red"] * 90 + ["blue"] * 10})
    >>> receipt = ask(people, winner("party", ["red", "blue"]), epsilon=1).receipt
    >>> verify_receipt(receipt).holds
    True
    >>> verify_receipt({**receipt, "cost": {"epsilon": "1/2"}}).faults
    ('the cost is not what these terms give',)
    """
    read = read_receipt(receipt)
    terms = read.terms
    faults = [
        f"the {part} is not what these terms give"
        for part, value in terms.public.items()
        if part != "rainbowdp" and _as_text(read.content[part]) != _as_text(value)
    ]
    said = read.content["answer"]
    if isinstance(terms, Terms) and not terms.groups:
        said = {ALL_ROWS: said}
    faults += filter(None, [terms.fault(said)])
    return ReceiptCheck(read, tuple(faults))


def _as_text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
