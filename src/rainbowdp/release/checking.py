# SPDX-License-Identifier: Apache-2.0
"""Checking a receipt by itself: it is made again from its terms and compared, and its mechanism is judged.

A receipt is not signed: it cannot tell whether its terms and answer are those of the draw.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rainbowdp.goals.judging import Judged, judge_line, judge_mechanism
from rainbowdp.line import Line
from rainbowdp.release.keys_asking import KeyTerms, key_faults, public_keys
from rainbowdp.release.receipt import public_part
from rainbowdp.release.receipt_reading import Receipt, read_receipt
from rainbowdp.release.terms import Terms


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
        return _judged(self.receipt.terms)

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
    right = public_part(terms) if isinstance(terms, Terms) else public_keys(terms)
    faults = [
        f"the {part} is not what these terms give"
        for part, value in right.items()
        if part != "rainbowdp" and not _is_same(read.content[part], value)
    ]
    faults += _answer_faults(terms, read.content["answer"])
    return ReceiptCheck(read, tuple(faults))


def _is_same(stated: object, value: object) -> bool:
    """Tell whether JSON says the same, numbers and truth values apart."""
    if isinstance(stated, dict) and isinstance(value, dict):
        return stated.keys() == value.keys() and all(_is_same(stated[key], value[key]) for key in value)
    if isinstance(stated, list) and isinstance(value, list):
        return len(stated) == len(value) and all(map(_is_same, stated, value))
    return isinstance(stated, bool) == isinstance(value, bool) and stated == value


def _answer_faults(terms: Terms | KeyTerms, answer: object) -> list[str]:
    if isinstance(terms, KeyTerms):
        if not isinstance(answer, list) or not all(isinstance(key, str) for key in answer):
            return ["the answer is no list of categories"]
        return key_faults(answer)
    if not terms.groups:
        return [] if _is_accepted(terms, answer) else ["the answer is none to the question"]
    if not isinstance(answer, dict) or set(answer) != set(terms.groups):
        return ["the answers are not about the groups"]
    wrong = [group for group, each in answer.items() if not _is_accepted(terms, each)]
    return [f"the answer for {wrong[0]!r} is none to the question"] if wrong else []


def _is_accepted(terms: Terms, answer: object) -> bool:
    if isinstance(answer, list):
        answer = tuple(each if isinstance(each, str) else None for each in answer)
    return isinstance(answer, str | tuple) and terms.mechanism.accepts(answer)


def _judged(terms: Terms | KeyTerms) -> Judged:
    if isinstance(terms, Terms):
        return judge_mechanism(terms.mechanism)
    return judge_line(Line("keep>drop", {"keep": 0, "drop": 1}, terms.mechanism.privacy))
