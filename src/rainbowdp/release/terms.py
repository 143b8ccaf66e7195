# SPDX-License-Identifier: Apache-2.0
"""The terms of an answer: everything that is decided before any data is opened, and may be published.

The question, the neighbor relation, what one person can change, the privacy and the goal together fix the
whole mechanism, see `rainbowdp.goals`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import get_args

from rainbowdp.errors import PrivacyParameterError, UsageError, did_you_mean
from rainbowdp.exact import NumberLike
from rainbowdp.exact.arguments import described, items_of
from rainbowdp.goals import GOALS, Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.ledger import Cost
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP, require_privacy
from rainbowdp.questions import Neighbors, Question
from rainbowdp.questions.cells import cell_text
from rainbowdp.questions.kinds import description_of
from rainbowdp.questions.question import Json, require_column, require_question, require_rows
from rainbowdp.questions.readings import Reading


def privacy_of(
    epsilon: NumberLike | None = None, delta: NumberLike | None = None, mu: NumberLike | None = None
) -> Privacy:
    """Return the notion of privacy that its parameters name.

    Parameters
    ----------
    epsilon, delta : number or text, optional
        Pure privacy, or approximate privacy with both.
    mu : number or text, optional
        Gaussian privacy.

    Returns
    -------
    PureDP, ApproxDP or GaussianDP

    Raises
    ------
    UsageError
        If none is given, or some that do not belong together.

    Examples
    --------
    >>> privacy_of(epsilon=1), privacy_of("ln 2", "1e-6"), privacy_of(mu="0.5")
    (PureDP('1'), ApproxDP('ln(2)', '1/1000000'), GaussianDP('1/2'))
    """
    way_on = "for example epsilon=1, or epsilon=1 with delta='1e-6', or mu=1"
    if mu is not None:
        if epsilon is not None or delta is not None:
            raise UsageError("mu does not belong together with epsilon or delta", help=f"give one, {way_on}")
        return GaussianDP(mu)
    if epsilon is None:
        what = "delta is given without epsilon" if delta is not None else "no privacy is given"
        raise UsageError(what, help=f"give epsilon or mu, {way_on}")
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


@dataclass(frozen=True)
class Terms:
    """What fixes the mechanism of an answer.

    Parameters
    ----------
    question : Question
        The question.
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer may reveal about one person.
    neighbors : str
        ``add-remove`` or ``change-one``: what neighboring tables are.
    unit : str, optional
        The column that says whose row it is; without it every row is a person.
    max_rows : int
        How many rows of one person count; more than 1 only with `unit`.
    where : mapping of str to str
        Only rows with these cells count.
    goal : str
        ``typical`` or ``guarantee``, see `rainbowdp.goals`.
    rule : str
        For a question of your own the boundary: ``default``, ``max-min``, ``randomized-response`` or
        ``uniform``.
    by : str, optional
        The column whose cells divide the rows into groups, each of which is answered for.
    groups : tuple of str
        Those cells; empty if all rows are one group.

    Raises
    ------
    UsageError
        If they do not fit together.
    PrivacyParameterError
        If delta is 1.

    Examples
    --------
    >>> from rainbowdp.questions import winner
    >>> terms = Terms(winner("party", ["red", "blue"]), PureDP("ln 2"))
    >>> terms.mechanism.name, str(terms.cost)
    ('line', 'epsilon ln(2)')
    """

    question: Question
    privacy: Privacy
    neighbors: Neighbors = "add-remove"
    unit: str | None = None
    max_rows: int = 1
    where: Mapping[str, str] = field(default_factory=dict)
    goal: Goal = "typical"
    rule: str = "default"
    by: str | None = None
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_question(self.question)
        require_privacy(self.privacy)
        if isinstance(self.privacy, ApproxDP) and self.privacy.delta == 1:
            raise PrivacyParameterError(
                "delta is 1, which protects nobody", help="give a delta far below 1 over the number of people"
            )
        _require_one_of("neighbor relation", self.neighbors, get_args(Neighbors))
        _require_one_of("goal", self.goal, GOALS)
        object.__setattr__(self, "max_rows", require_rows(self.max_rows))
        if self.unit is None and self.max_rows > 1:
            raise UsageError(
                "a number of rows per person is given, and no column that names the person",
                help="give the unit: the column that says whose row it is",
            )
        if (self.by is None) != (not self.groups):
            raise UsageError(
                "a column to group by and its groups go together",
                help="give both; groups are declared, never read from the table",
            )
        for column in (self.unit, self.by):
            if column is not None:
                require_column(column)
        object.__setattr__(self, "groups", self._checked_groups())
        object.__setattr__(self, "where", MappingProxyType(read_filters(self.where)))
        # What does not fit is refused before a table is opened.
        self.mechanism  # noqa: B018 - a cached property
        if len(self.groups) > 1:
            # Several charges must have an exact sum.
            self.cost  # noqa: B018 - a cached property

    def _checked_groups(self) -> tuple[str, ...]:
        groups = items_of(self.groups)
        if groups is None:
            raise UsageError(f"{described(self.groups)} is not a list of groups", help="give a list of texts")
        names = tuple(map(_group_name, groups))
        if len(set(names)) < len(names):
            raise UsageError("the groups are not distinct", help="name each group once")
        return names

    def __reduce__(self) -> tuple[type["Terms"], tuple[object, ...]]:
        fields = (self.question, self.privacy, self.neighbors, self.unit, self.max_rows)
        return Terms, (*fields, dict(self.where), self.goal, self.rule, self.by, self.groups)

    @property
    def relation(self) -> Neighbors:
        """The neighbor relation between two tables of one group, which its distances count.

        Where one person changes, rows leave a group or join another: inside a group, people join and leave.
        """
        return "add-remove" if len(self.groups) > 1 else self.neighbors

    @cached_property
    def mechanism(self) -> QuestionMechanism:
        """The mechanism that answers for one group."""
        asked = Asked(self.question, self.privacy, self.relation, self.max_rows)
        return mechanism_of(asked, self.goal, self.rule)

    @cached_property
    def cost(self) -> Cost:
        """What all answers cost together.

        Raises
        ------
        PrivacyParameterError
            If mu is a logarithm: no ledger can keep its square.

        Examples
        --------
        >>> from rainbowdp.questions import winner
        >>> question = winner("party", ["red", "blue", "green"])
        >>> towns = {"by": "town", "groups": ("A", "B", "C")}
        >>> for neighbors in ("add-remove", "change-one"):
        ...     print(Terms(question, PureDP(1), neighbors, **towns).cost)
        epsilon 1
        epsilon 2
        """
        return self.mechanism.cost(max(len(self.groups), 1), self.neighbors)

    @property
    def reading(self) -> Reading:
        """What the cells of the column mean."""
        return self.question.reading

    @property
    def description(self) -> dict[str, Json]:
        """Everything that defines the question."""
        return description_of(self.question)


def _require_one_of(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(
            f"{value!r} is not a {what}",
            help=did_you_mean(str(value), choices) or f"choose one of {', '.join(choices)}",
        )


def require_both(unit: str | None, most: int | None, what: str, counted: str) -> None:
    """Refuse a column that names the person without a bound on what one person has, and the other way round.

    Raises
    ------
    UsageError
        If one of the two is missing.
    """
    if (unit is None) != (most is None):
        missing, present = (what, "unit") if most is None else ("unit", what)
        raise UsageError(
            f"{present} is given without {missing}",
            help=f"name the column that says whose row it is, and {counted}",
        )


def read_filters(where: object) -> dict[str, str]:
    """Return filters as cells say them, by column: ``{"year": 2020}`` and ``{"year": " 2020"}`` are one.

    Raises
    ------
    UsageError
        If they are no mapping of names of columns to texts of cells.

    Examples
    --------
    >>> read_filters({"year": 2020, "town": " Ulm "})
    {'year': '2020', 'town': 'Ulm'}
    """
    if not isinstance(where, Mapping):
        raise UsageError(
            f"{described(where)} is not a filter", help='give columns with cells: {"town": "Ulm"}'
        )
    return {require_column(column): _filter_text(column, cell) for column, cell in where.items()}


def _filter_text(column: str, cell: object) -> str:
    text = cell_text(cell)
    if not isinstance(text, str):
        raise UsageError(
            f"the filter for column {column!r} is empty or no text",
            help="give what a cell says; empty cells count as null, which no text matches",
        )
    return text


def _group_name(cell: object) -> str:
    text = cell_text(cell)
    if not isinstance(text, str):
        raise UsageError(f"{cell!r} is not a group", help="give the text of a cell")
    return text
