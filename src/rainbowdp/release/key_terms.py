# SPDX-License-Identifier: Apache-2.0
"""The terms on which the categories of a column are named, where they were not declared beforehand.

They do for categories what `rainbowdp.release.terms` does for questions: people are counted, every category
is drawn, and the list is kept in a ledger.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from rainbowdp.errors import UsageError
from rainbowdp.keys import KeyMechanism
from rainbowdp.ledger import Cost, Protection
from rainbowdp.ledger.database import now
from rainbowdp.privacy import ApproxDP
from rainbowdp.questions.cells import cell_text
from rainbowdp.questions.question import require_column
from rainbowdp.release.notes import large_epsilon, privacy_text, protection_note, reading_notes
from rainbowdp.release.receipt import KEYS, Json, Released, make_receipt, public_part, unit_json
from rainbowdp.release.terms import Source, kept_answer, require_person
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, count_keys
from rainbowdp.tables.rows import filters_json, read_filters
from rainbowdp.tables.source import Progress

_THEOREM = "Desfontaines, Voss and Gipson 2020, theorem 1: the line from never to always, by people"


@dataclass(frozen=True)
class KeyTerms:
    """What is fixed before any data is opened.

    Parameters
    ----------
    column : str
        The column with the categories.
    mechanism : KeyMechanism
        How often a category is named, by its number of people.
    unit : str, optional
        The column that says whose row it is; without it every row is a person.
    where : mapping
        Column to what its cells must say for a row to count: a text, a `Range`, or a list of these.

    Raises
    ------
    UsageError
        If a person has several categories, and no column names the person.
    """

    column: str
    mechanism: KeyMechanism
    unit: str | None = None
    where: Mapping[str, Any] = field(default_factory=dict)

    help_if_refused: ClassVar[str] = ""

    def __post_init__(self) -> None:
        require_person(self.unit, self.mechanism.max_keys)
        for column in (self.column, *(() if self.unit is None else (self.unit,))):
            require_column(column)
        object.__setattr__(self, "where", MappingProxyType(read_filters(self.where)))

    def __reduce__(self) -> tuple[type["KeyTerms"], tuple[object, ...]]:
        return KeyTerms, (self.column, self.mechanism, self.unit, dict(self.where))

    @property
    def privacy(self) -> ApproxDP:
        """What naming all categories costs together."""
        return ApproxDP(self.mechanism.epsilon, self.mechanism.delta)

    @property
    def cost(self) -> Cost:
        """The same, as a ledger charges it."""
        return Cost.of(self.privacy)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        return [self.column, *self.where, *([] if self.unit is None else [self.unit])]

    @property
    def request(self) -> dict[str, Json]:
        """Everything that is asked but the privacy, as a ledger keeps it."""
        most = self.mechanism.max_keys
        return {"keys": self.column, "unit": self.unit, "max_keys": most, "where": filters_json(self.where)}

    @property
    def public(self) -> dict[str, Json]:
        """All of a receipt that is known before anything is drawn, as ``json.dumps`` writes it."""
        return public_part(
            question={"kind": KEYS, "column": self.column},
            neighbors="add-remove",
            unit=unit_json(self.unit, self.mechanism.max_keys),
            where=filters_json(self.where),
            privacy=self.privacy.texts(),
            groups=None,
            goal=None,
            boundary=None,
            mechanism="line",
            theorem=_THEOREM,
            cost=self.privacy.texts(),
            rho=None,
        )

    @property
    def protection(self) -> Protection:
        """What stays hidden about one person."""
        return Protection("add-remove", self.unit, self.mechanism.max_keys)

    def notes(self, source: Source) -> tuple[str, ...]:
        """Return the public remarks about a list, which depend on no row."""
        read = source.notes + reading_notes(source, self.where) if isinstance(source, Table) else ()
        return (
            protection_note(self.protection, "of one person's categories"),
            *large_epsilon(self.privacy),
            f"a category that {self.mechanism.certain_from} people have is always named",
            *read,
            f"the list costs {privacy_text(self.privacy)}",
        )

    def prepare_draw(
        self, source: Source, secret: bytes | None, progress: Progress | None, *, read_all_first: bool
    ) -> Callable[[BitSource | None], str]:
        """Return a function that draws the list; with ``read_all_first``, all rows are read before.

        Raises
        ------
        UsageError
            If the source is not a table.
        """
        if not isinstance(source, Table):
            raise UsageError("categories are counted in a table", help="give the table, not a summary of it")
        mechanism = self.mechanism
        counts: Iterable[tuple[str, int]] = count_keys(
            source,
            self.column,
            where=self.where,
            unit=self.unit,
            max_keys=mechanism.max_keys,
            secret=secret,
            progress=progress,
        )
        counts = list(counts) if read_all_first else counts
        return lambda bits: json.dumps([*mechanism.select(counts, bits)], ensure_ascii=False)

    def fault(self, keys: Json) -> str:
        """Return why a list of categories, as JSON has it, cannot come out; an empty text if it can."""
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            return "the answer is not a list of categories"
        if len(set(keys)) < len(keys):
            return "a category is named twice"
        if strange := [key for key in keys if cell_text(key) != key]:
            return f"{strange[0]!r} is not a category: no cell says that"
        return "" if keys == sorted(keys) else "the categories do not stand in the order of their text"

    def found(self, released: Released) -> "Keys":
        """Return the list to publish; raise a `LedgerError` if the text is not a list of categories."""
        return Keys(self, tuple(kept_answer(released.answer, self.fault)), *released[1:])


@dataclass(frozen=True)
class Keys:
    """The categories that may be named, and what may be published with them.

    Attributes
    ----------
    terms : KeyTerms
        How they were chosen.
    keys : tuple of str
        The categories, in the order of their text.
    request_id : str or None
        The name of the request in the ledger.
    budget : str or None
        The budget that paid.
    answered_at : str
        When it was charged, or drawn where nothing is charged, in UTC, as ISO 8601.
    notes : tuple of str
        Public remarks: whom the list protects, what it cost, how it came about.
    """

    terms: KeyTerms
    keys: tuple[str, ...]
    request_id: str | None = None
    budget: str | None = None
    answered_at: str = field(default_factory=now, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def receipt(self) -> dict[str, Json]:
        """The receipt, as ``json.dumps`` writes it: nothing private is in it."""
        return make_receipt(
            self.terms.public, list(self.keys), self.answered_at, self.budget, self.request_id
        )
