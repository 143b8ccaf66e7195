# SPDX-License-Identifier: Apache-2.0
"""Ask which categories of a column may be named, where they were not declared.

The flow that opens, reads, charges and draws is `rainbowdp.release.flow`; here is what categories add to it:
people are counted, every category is drawn, and the list is stored.
"""

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, Unpack

from rainbowdp.errors import UsageError
from rainbowdp.exact import Log, NumberLike
from rainbowdp.keys import KeyMechanism, key_mechanism, select_keys
from rainbowdp.ledger import Cost, Ledger
from rainbowdp.ledger.database import now
from rainbowdp.privacy import ApproxDP
from rainbowdp.questions.cells import cell_text
from rainbowdp.questions.question import require_column
from rainbowdp.release.flow import (
    UNREADABLE,
    Chances,
    Draw,
    Opening,
    Source,
    changed_answer,
    open_and_release,
    release,
)
from rainbowdp.release.receipt import KEYS, Json, make_receipt, privacy_json, unit_json, with_schema
from rainbowdp.release.terms import read_filters, require_both
from rainbowdp.tables import Table, count_keys
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
    where : mapping of str to str
        Only rows with these cells count.

    Raises
    ------
    UsageError
        If a person has several categories, and no column names the person.
    """

    column: str
    mechanism: KeyMechanism
    unit: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.unit is None and self.mechanism.max_keys > 1:
            raise UsageError(
                "a number of categories per person is given, and no column that names the person",
                help="give the unit: the column that says whose row it is",
            )
        require_column(self.column)
        if self.unit is not None:
            require_column(self.unit)
        object.__setattr__(self, "where", MappingProxyType(read_filters(self.where)))

    def __reduce__(self) -> tuple[type["KeyTerms"], tuple[object, ...]]:
        return KeyTerms, (self.column, self.mechanism, self.unit, dict(self.where))

    @property
    def privacy(self) -> ApproxDP:
        """What naming all categories costs together."""
        return ApproxDP(self.mechanism.epsilon, self.mechanism.delta)


def public_keys(terms: KeyTerms) -> dict[str, Json]:
    """Return all of a receipt of named categories that is known before anything is drawn."""
    privacy = privacy_json(terms.privacy)
    return with_schema(
        {
            "question": {"kind": KEYS, "column": terms.column},
            "neighbors": "add-remove",
            "unit": unit_json(terms.unit, terms.mechanism.max_keys),
            "where": dict(sorted(terms.where.items())),
            "privacy": privacy,
            "groups": None,
            "goal": None,
            "boundary": None,
            "mechanism": "line",
            "theorem": _THEOREM,
            "cost": privacy,
            "rho": None,
        }
    )


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
        Public remarks.
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
        paid = (self.answered_at, self.budget, self.request_id)
        return make_receipt(public_keys(self.terms), list(self.keys), *paid)


def ask_keys(
    source: object,
    column: str,
    *,
    epsilon: NumberLike | Log,
    delta: NumberLike,
    unit: str | None = None,
    max_keys: int | None = None,
    where: Mapping[str, str] | None = None,
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
    ledger: str | None = None,
    name: str | None = None,
    request_id: str | None = None,
    progress: Progress | None = None,
) -> Keys:
    """Ask which categories of a column may be named at all.

    A category that few people have is named rarely, one without people never, and one that many have
    always; how many that is, `rainbowdp.keys.key_table` says beforehand. It is the optimal choice for its
    privacy.

    Parameters
    ----------
    source : path, URL or data frame
        The table, as for `rainbowdp.ask`.
    column : str
        The column with the categories.
    epsilon, delta : number or text
        What the whole list costs; neighbors are tables with one person more or less.
    unit : str, optional
        The column that says whose row it is. Without it every row is a person.
    max_keys : int, optional
        With `unit`: for how many categories one person counts at most, chosen at random.
    where : mapping of str to str, optional
        Only rows with exactly these cells count.
    table, sql, encoding, ledger, name, request_id, progress
        As for `rainbowdp.ask`.

    Returns
    -------
    Keys
        Its ``keys`` and ``receipt`` may be published.

    Raises
    ------
    UsageError, PrivacyParameterError, UnknownColumnError
        If the request cannot be answered; no row was read.
    TableUnreadableError
        If the table cannot be read. Never because of what a row holds.
    BudgetRefusedError
        If the budget does not cover it; nothing was drawn.
    LedgerError
        If the ledger cannot be read or written; nothing was answered.

    References
    ----------
    Desfontaines, Voss and Gipson 2020, Theorem 1; Zhou et al. 2022, Corollary 2.

    Examples
    --------
    >>> import pandas
    >>> people = pandas.DataFrame({"town": ["Ulm"] * 200})
    >>> ask_keys(people, "town", epsilon=1, delta="1e-6").keys
    ('Ulm',)
    """
    require_both(unit, max_keys, "max_keys", "for how many categories one person counts")
    mechanism = key_mechanism(epsilon, delta, 1 if max_keys is None else max_keys)
    return ask_keys_under(
        KeyTerms(column, mechanism, unit, {} if where is None else where),
        source,
        table=table,
        sql=sql,
        encoding=encoding,
        ledger=ledger,
        name=name,
        request_id=request_id,
        progress=progress,
    )


def ask_keys_under(terms: KeyTerms, source: object, **options: Unpack[Opening]) -> Keys:
    """Name the categories of a table on terms that are ready; see `ask_keys` for everything else.

    Parameters
    ----------
    terms : KeyTerms
        How they are chosen.
    source, **options
        As for `ask_keys`; see `rainbowdp.release.flow.Opening`.

    Returns
    -------
    Keys

    Raises
    ------
    UsageError, UnknownColumnError, TableUnreadableError, BudgetRefusedError, LedgerError
        As `ask_keys`.
    """
    return Keys(terms, *open_and_release(_KeyRequest(terms), source, **options))


def name_keys(
    terms: KeyTerms,
    table: Table,
    ledger: Ledger | None = None,
    name: str | None = None,
    request_id: str | None = None,
    **chances: Unpack[Chances],
) -> Keys:
    """Name the categories of an open table; see `ask_keys`.

    Parameters
    ----------
    terms : KeyTerms
        How they are chosen.
    table, ledger, name, request_id, **chances
        As for `rainbowdp.release.flow.release`.
    """
    return Keys(terms, *release(_KeyRequest(terms), table, ledger, name, request_id, **chances))


@dataclass(frozen=True)
class _KeyRequest:
    """What named categories add to the flow; see `rainbowdp.release.flow.Request`."""

    terms: KeyTerms

    help_if_refused: ClassVar[str] = ""

    @property
    def columns(self) -> list[str]:
        terms = self.terms
        return [terms.column, *terms.where, *([] if terms.unit is None else [terms.unit])]

    @property
    def asked(self) -> Mapping[str, object]:
        terms = self.terms
        return {
            "keys": terms.column,
            "unit": terms.unit,
            "max_keys": terms.mechanism.max_keys,
            "where": dict(terms.where),
        }

    @property
    def privacy(self) -> ApproxDP:
        return self.terms.privacy

    @property
    def cost(self) -> Cost:
        return Cost.of(self.terms.privacy)

    def notes(self, source: Source) -> tuple[str, ...]:
        return source.notes if isinstance(source, Table) else ()

    def read(
        self, source: Source, key: bytes | None, progress: Progress | None, *, whole: bool
    ) -> Draw[tuple[str, ...]]:
        if not isinstance(source, Table):
            raise UsageError("categories are counted in a table", help="give the table, not a summary of it")
        terms, mechanism = self.terms, self.terms.mechanism
        counts: Iterable[tuple[str, int]] = count_keys(
            source,
            terms.column,
            where=terms.where,
            unit=terms.unit,
            max_keys=mechanism.max_keys,
            key=key,
            progress=progress,
        )
        counts = list(counts) if whole else counts
        parameters = (mechanism.epsilon, mechanism.delta, mechanism.max_keys)
        return lambda bits: tuple(select_keys(counts, *parameters, bits=bits))

    def written(self, answer: tuple[str, ...]) -> str:
        return json.dumps(answer, ensure_ascii=False)

    def stored(self, text: str) -> tuple[str, ...]:
        with contextlib.suppress(*UNREADABLE):
            kept: object = json.loads(text)
            if isinstance(kept, list) and all(isinstance(key, str) for key in kept) and not key_faults(kept):
                return tuple(kept)
        raise changed_answer()


def key_faults(keys: list[str]) -> list[str]:
    """Return what tells a list of texts from one of named categories: an empty list if nothing does."""
    if len(set(keys)) < len(keys):
        return ["a category is named twice"]
    strange = [key for key in keys if cell_text(key) != key]
    if strange:
        return [f"{strange[0]!r} is not a category: no cell says that"]
    return [] if keys == sorted(keys) else ["the categories do not stand in the order of their text"]
