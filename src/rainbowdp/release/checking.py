# SPDX-License-Identifier: Apache-2.0
"""Checking a receipt by itself: what it says must be private, and the mechanism of its question.

Nothing of the receipt is believed. The terms are read from it and the mechanism is made anew: its boundary
is compared exactly, its table number by number. Then the table as stated is given to
`rainbowdp.verification`, over every pair of neighboring rows, as anybody's mechanism would be.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import ReceiptError
from rainbowdp.graph import DatasetGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import Privacy
from rainbowdp.questions import own_answer_first
from rainbowdp.questions.regions import Places, touching_pairs
from rainbowdp.rainbow import Rainbow
from rainbowdp.release.public_table import SharedTable, order_json, shared_tables
from rainbowdp.release.receipt import total_json
from rainbowdp.release.receipt_reading import Receipt, Region, read_receipt
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
    pairs : int
        How many pairs these are; where answers are alike up to names, one pair stands for many.
    faults : tuple of str
        What does not follow from its terms; empty if everything does.
    """

    receipt: Receipt
    verification: Verification
    pairs: int
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
    right = shared_tables(terms)
    if [region.answers for region in stated.regions] != [table.answers for table in right]:
        raise ReceiptError(
            "the receipt does not put the answers together that share a table",
            help="give a receipt as rainbowdp wrote it, unchanged",
        )
    faults = [
        fault
        for region, table in zip(stated.regions, right, strict=True)
        for fault in _region_faults(region, table, terms)
    ]
    if stated.order != order_json(terms):
        faults.append("the order of the cells is not that of the question")
    verification, pairs = _verified(terms, stated.regions)
    return ReceiptCheck(stated, verification, pairs, (*faults, *_answer_faults(terms, stated)))


def _region_faults(region: Region, right: SharedTable, terms: Terms) -> Iterator[str]:
    others = " and of others like it" if len(right.answers) > 1 else ""
    name = f"{right.answers[0]!r}{others}"
    if region.boundary != right.boundary:
        yield f"the boundary of {name} is not what the rule {terms.rule!r} gives"
    length, wanted = len(region.columns[0]), len(right.rows)
    if length != wanted:
        yield f"the table of {name} has {length} distances, and should have {wanted}"
        return
    for stated, cells in zip(region.columns, zip(*right.rows, strict=True), strict=True):
        column = np.array(cells).reshape(length, -1)
        if stated.shape != column.shape:
            yield f"the table of {name} does not have a number where it should"
            return
        wrong = ~np.isclose(stated, column, rtol=_CLOSE, atol=math.ulp(0.0)).all(axis=1)
        if wrong.any():
            yield f"the table of {name} is wrong at distance {int(np.argmax(wrong))}"
            return


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


def json_key(answer: object) -> object:
    """Return an answer in a form that can be looked up: a text, or a list of texts as a tuple."""
    return tuple(answer) if isinstance(answer, list | tuple) else answer


def _verified(terms: Terms, regions: Sequence[Region]) -> tuple[Verification, int]:
    """Verify the stated tables; return how many pairs of neighboring rows that judges, too.

    Rows of one true answer are a path, and paths touch where answers do. Where all answers are alike, every
    pair of neighboring rows is one of two true answers up to names, and all further answers are as likely as
    each other in both rows: they may count as one.
    """
    answers = terms.question.answers
    if not terms.lines.all_alike:
        touching = touching_pairs(terms.asked, terms.relation, terms.max_rows)
        tables = {answer: _expanded(region, answer, terms) for region in regions for answer in region.answers}
        rainbows = [terms.asked.rainbow(answer) for answer in answers]
        found = _judged([tables[answer] for answer in answers], rainbows, answers, touching, terms.privacy)
        return found, found.pairs
    own, other = (column[:, 0] for column in regions[0].columns)
    shown = answers[:3]
    table = np.column_stack((own, other, other * (len(answers) - 2))[: len(shown)])
    rainbows = [own_answer_first(answer, shown) for answer in shown[:2]]
    swapped = table[:, [1, 0, *range(2, len(shown))]]
    found = _judged([table, swapped], rainbows, shown, (np.array([0]), np.array([1])), terms.privacy)
    return found, len(answers) * (len(own) - 1) + len(answers) * (len(answers) - 1) // 2


def _expanded(region: Region, answer: str, terms: Terms) -> Floats:
    """Return the table of one true answer, with a column for each answer."""
    places = {color: at for at, color in enumerate(terms.question.answers)}
    table: Floats = np.empty((len(region.columns[0]), len(places)))
    for tied, column in zip(terms.question.rainbow(answer).classes, region.columns, strict=True):
        table[:, [places[color] for color in tied]] = column
    return table


def _judged(
    tables: Sequence[Floats],
    rainbows: Sequence[Rainbow],
    colors: Sequence[str],
    touching: tuple[Places, Places],
    privacy: Privacy,
) -> Verification:
    """Verify tables of true answers, whose columns stand for some colors and of which some pairs touch."""
    sizes = [len(table) for table in tables]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    inside = np.concatenate(
        [np.arange(start, start + size - 1) for start, size in zip(starts, sizes, strict=False)]
    )
    source = np.concatenate((inside, starts[touching[0]]))
    target = np.concatenate((inside + 1, starts[touching[1]]))
    labels = [f"{colors[at]} @ {distance}" for at, size in enumerate(sizes) for distance in range(size)]
    try:
        mechanism = Mechanism.from_table(
            rainbows=[rainbow for rainbow, size in zip(rainbows, sizes, strict=True) for _ in range(size)],
            table=np.concatenate(tables),
            colors=colors,
            labels=labels,
        )
    except ValueError as error:
        raise ReceiptError(
            f"the table of probabilities is none: {error}", help="ask for the receipt anew"
        ) from error
    structure = DatasetGraph.from_pairs(int(starts[-1]), source, target)
    return verify(mechanism, structure, privacy)
