# SPDX-License-Identifier: Apache-2.0
"""Checking a receipt by itself: what it says must be private, and the mechanism of its question.

Nothing of the receipt is believed. The terms are read from it and the mechanism is made anew: its boundary
is compared exactly, its table number by number. Then the table as stated is given to
`rainbowdp.verification`, over every pair of neighboring rows, as anybody's mechanism would be.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import NumberError, ReceiptError
from rainbowdp.exact import parse_fraction
from rainbowdp.graph import DatasetGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.questions import region_graph
from rainbowdp.release.receipt import boundary_json, table_lengths, total_json
from rainbowdp.release.receipt_reading import Receipt, read_receipt
from rainbowdp.release.terms import Terms
from rainbowdp.verification import Verification, verify

# Stated numbers are right to a few units in their last place.
_CLOSE = 1e-14
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ReceiptCheck:
    """What a receipt was found to be.

    Attributes
    ----------
    receipt : Receipt
        What it says.
    verification : Verification
        The check of its table over all pairs of neighboring rows, by true answer and distance.
    faults : tuple of str
        What does not follow from its terms; empty if everything does.
    """

    receipt: Receipt
    verification: Verification
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the receipt is right and its promise of privacy is kept."""
        return self.verification.holds and not self.faults

    def __bool__(self) -> bool:
        return self.holds


def verify_receipt(receipt: Mapping[str, object]) -> ReceiptCheck:
    """Check a receipt from the receipt alone.

    Parameters
    ----------
    receipt : mapping
        A receipt as `Answer.receipt` has it, or ``json.loads`` reads it.

    Returns
    -------
    ReceiptCheck

    Raises
    ------
    ReceiptError
        If it does not have the form of a receipt.

    References
    ----------
    Zhou et al. 2022, Theorem 3: the mechanism is private if and only if its lines and its boundary are.

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> from rainbowdp.release import ask
    >>> people = pandas.DataFrame({"party": ["red"] * 90 + ["blue"] * 10})
    >>> receipt = ask(people, winner("party", ["red", "blue"]), epsilon=1).receipt
    >>> verify_receipt(receipt).holds
    True
    """
    stated = read_receipt(receipt)
    terms = stated.terms
    faults = [*_boundary_faults(terms, stated), *_table_faults(terms, stated), *_answer_faults(terms, stated)]
    return ReceiptCheck(stated, _verified(terms, stated), tuple(faults))


def _boundary_faults(terms: Terms, stated: Receipt) -> list[str]:
    computed = boundary_json(terms)["distributions"]
    if not isinstance(computed, dict):
        raise TypeError("a boundary is a dictionary")
    return [
        f"the boundary of {answer!r} is not what the rule {terms.rule!r} gives"
        for answer in terms.question.answers
        if _fractions(computed[answer]) != _fractions(stated.boundary[answer])
    ]


def _fractions(distribution: Mapping[str, str] | None) -> dict[str, Fraction] | None:
    if distribution is None:
        return None
    try:
        return {color: parse_fraction(value) for color, value in distribution.items()}
    except NumberError as error:
        raise ReceiptError(
            f"the boundary cannot be read: {error}", help="ask for the receipt anew"
        ) from error


def _table_faults(terms: Terms, stated: Receipt) -> list[str]:
    faults = []
    for answer, length in table_lengths(terms).items():
        rows = stated.table[answer]
        if len(rows) != length:
            faults.append(f"the table of {answer!r} has {len(rows)} distances, and should have {length}")
            continue
        line = terms.line(answer)
        columns = [line.rainbow.colors.index(color) for color in terms.question.answers]
        right = line.probabilities(np.arange(length))[:, columns]
        wrong = ~np.isclose(rows, right, rtol=_CLOSE, atol=math.ulp(0.0))
        if wrong.any():
            distance = int(np.flatnonzero(wrong.any(axis=1))[0])
            faults.append(f"the table of {answer!r} is wrong at distance {distance}")
    return faults


def _answer_faults(terms: Terms, stated: Receipt) -> list[str]:
    possible = {json_key(terms.question.answer_json(answer)) for answer in terms.question.answers}
    given = stated.answers
    faults = [
        f"{answer!r} is no answer to the question"
        for answer in given.values()
        if json_key(answer) not in possible
    ]
    if terms.groups and set(given) != set(terms.groups):
        faults.append("the answers are not about the groups")
    if stated.charges != terms.charges:
        faults.append(f"{stated.charges} charges are stated, and there are {terms.charges}")
    if stated.total != total_json(terms):
        faults.append("the total is not what these terms cost")
    return faults


def json_key(answer: object) -> tuple[object, ...]:
    """Return an answer in a form that can be compared: a text or a list of texts."""
    return tuple(answer) if isinstance(answer, list | tuple) else (answer,)


def _verified(terms: Terms, stated: Receipt) -> Verification:
    """Verify the stated table: rows of one true answer are a path, and paths touch where answers do."""
    answers = terms.question.answers
    sizes = [len(stated.table[answer]) for answer in answers]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    columns = [sorted(answers).index(color) for color in answers]
    table: Floats = np.empty((int(starts[-1]), len(answers)))
    for at, answer in enumerate(answers):
        table[starts[at] : starts[at + 1]][:, columns] = stated.table[answer]
    inside = np.concatenate([np.arange(starts[at], starts[at + 1] - 1) for at in range(len(answers))])
    touching = region_graph(terms.asked, terms.relation, terms.max_rows)
    first, second = touching.structure.pairs()
    place = np.array([answers.index(touching.label(node)) for node in range(touching.size)])
    source = np.concatenate((inside, starts[place[first]]))
    target = np.concatenate((inside + 1, starts[place[second]]))
    rainbows = [
        terms.asked.rainbow(answer) for answer, size in zip(answers, sizes, strict=True) for _ in range(size)
    ]
    labels = [
        f"{answer} @ {distance}"
        for answer, size in zip(answers, sizes, strict=True)
        for distance in range(size)
    ]
    try:
        mechanism = Mechanism.from_table(rainbows=rainbows, table=table, labels=labels)
    except ValueError as error:
        raise ReceiptError(
            f"the table of probabilities is none: {error}", help="ask for the receipt anew"
        ) from error
    structure = DatasetGraph.from_pairs(int(starts[-1]), source, target)
    return verify(mechanism, structure, terms.privacy)
