# SPDX-License-Identifier: Apache-2.0
"""Public remarks about an answer: whom it protects, what it costs, how cells are read.

The question, the header of the table and the ledger make them; no row does. The command line writes them
before the table is read, and they are the notes of an answer.
"""

from collections.abc import Sequence

from rainbowdp.goals import QuestionMechanism
from rainbowdp.ledger import Amount, BudgetState, Cost, Ledger, Protection
from rainbowdp.ledger.cost import parameters_of, rounded
from rainbowdp.ledger.entries import one_spelling
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Neighbors
from rainbowdp.questions.cells import typed_text
from rainbowdp.questions.readings import (
    ApprovalReading,
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
)
from rainbowdp.tables import Table

IN_MEMORY = "a summary in memory"
NAMELESS = frozenset({IN_MEMORY, "frame", "standard input"})
"""What sources are called of which it is not known whether they are the same as another one."""


_LARGE, _BEYOND_WORDS = Amount.of(10), Amount.of(100)
_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is read as 1.2, not as 1200"
)
_ENCODED = "if an older program wrote the file, give its encoding, such as --encoding cp1252"
_TYPED = "where the table has truth values or numbers, these say true, false, 1 or 2.5"


def compared_texts(reading: Reading) -> tuple[str, ...]:
    """Return the texts with which a reading of the package compares cells."""
    if isinstance(reading, ApprovalReading):
        return reading.single.options
    if type(reading) is OptionReading:
        return reading.options
    return (reading.equals,) if type(reading) is MatchReading else ()


def reading_notes(table: Table, reading: Reading, declared: Sequence[str]) -> tuple[str, ...]:
    """Return what is to be known of a table, and what may be read in another way than was meant.

    Parameters
    ----------
    table : Table
        The open table.
    reading : Reading
        What the cells of the column mean.
    declared : sequence of str
        All texts with which cells are compared.
    """
    found = list(table.notes)
    numeric = isinstance(reading, SumReading | BracketReading)
    if numeric and table.separator == ";" and table.description.about(reading.column).rule is None:
        found.append(_POINTS)
    beyond = [text for text in declared if not text.isascii()]
    if beyond and table.separator is not None and table.encoding == "utf-8":
        found.append(f"{beyond[0]!r} is looked for in UTF-8: {_ENCODED}")
    odd = [] if table.separator else [text for text in declared if typed_text(text) != text]
    if odd:
        found.append(f"{odd[0]!r} stands for text alone: {_TYPED}")
    return tuple(found)


def protection_note(protection: Protection, counted: str) -> str:
    """Return who is protected, and how many rows or categories of one person count."""
    most = "" if protection.unit is None else f", and at most {protection.max_rows} {counted} count"
    return f"privacy hides that {protection}{most}"


def privacy_text(privacy: Privacy) -> str:
    """Return a notion of privacy in one line.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> privacy_text(ApproxDP("0.1", "1e-6"))
    'epsilon=0.1, delta=0.000001'
    """
    return ", ".join(f"{name}={value}" for name, value in parameters_of(privacy).items())


def cost_note(mechanism: QuestionMechanism, groups: int, neighbors: Neighbors) -> str:
    """Return what the answers for so many groups cost."""
    asked, charged = privacy_text(mechanism.asked.privacy), privacy_text(mechanism.charged)
    if groups > 1:
        total = mechanism.cost(groups, neighbors).shown()
        return f"the {groups} answers cost {total} together; each has {asked}"
    unused = "" if asked == charged else ": its mechanism makes no use of delta"
    return f"the answer costs {charged}{unused}"


def large_epsilon(privacy: Privacy) -> tuple[str, ...]:
    """Return a remark about an epsilon of 10 and more.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> large_epsilon(PureDP(10)), large_epsilon(PureDP("9.99"))
    (('epsilon 10 hides little: one person can make an answer about 22026.4 times as likely',), ())
    """
    if isinstance(privacy, GaussianDP) or not (epsilon := Amount.of(privacy.epsilon)) >= _LARGE:
        return ()
    near = epsilon <= _BEYOND_WORDS
    odds = f"about {rounded(lambda: epsilon.ball().exp(), upward=False)}" if near else "more than 10^43"
    return (f"epsilon {epsilon} hides little: one person can make an answer {odds} times as likely",)


def budget_notes(state: BudgetState, cost: Cost, protection: Protection) -> tuple[str, ...]:
    """Return what a budget charges in another way than was asked for."""
    promise, price = state.protection, state.price(cost, protection)
    if promise is None:
        return (f"budget {state.name!r} does not state what it protects: it adds up costs as they are",)
    if price == cost:
        return ()
    charged, steps = price.shown(state.kind), 2 ** promise.doublings(protection)
    why = f"budget {state.name!r} hides that {promise}"
    return (f"{why}: that takes {steps} steps of this answer, and the budget is charged {charged}",)


def answered_before(request: str, source: str) -> str:
    """Return the note about a stored answer; only the ledger may know what it is about."""
    note = f"request {request!r} was answered before: nothing was read, and nothing charged"
    if source not in NAMELESS:
        return note
    return f"{note}; the answer is about the data given then, which have no name to be told from others by"


def other_budgets(ledger: Ledger, name: str, source: str) -> tuple[str, ...]:
    """Return a note if the same source is charged to budgets of other names, too."""
    own = one_spelling(name)
    others = [] if source in NAMELESS else [other for other in ledger.names_for(source) if other != own]
    if not others:
        return ()
    shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
    return (f"this source is charged to other budgets, too ({shown}): what it reveals in all is their sum",)
