# SPDX-License-Identifier: Apache-2.0
"""The terms of an answer: everything that is decided before any data is opened, and may be published.

The question, the neighbor relation, what one person can change, the privacy and the boundary together fix the
whole mechanism: which regions there are, where they touch, and the probabilities at every distance.
"""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import cast, get_args

from rainbowdp.distribution import Distribution
from rainbowdp.errors import PrivacyParameterError, UsageError, did_you_mean
from rainbowdp.exact import NumberLike, enclose
from rainbowdp.exact.arguments import described, is_whole, items_of
from rainbowdp.ledger import Cost
from rainbowdp.line import Line
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.privacy.notion import require_privacy
from rainbowdp.questions import Neighbors, Question, QuestionLines, in_table
from rainbowdp.questions.cells import cell_text
from rainbowdp.questions.descriptions import description_of
from rainbowdp.questions.known import is_known
from rainbowdp.questions.question import Json, require_question
from rainbowdp.questions.readings import Reading
from rainbowdp.rainbow import Rainbow
from rainbowdp.release.kept import FIRST, SOLVED, name_of
from rainbowdp.release.own_questions import Form, answer_forms, reading_of

RULES = ("default", "max-min", "randomized-response", "uniform")
_DELTA_BITS = 64


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
        The column that says whose row it is; without it every row is somebody else's.
    max_rows : int
        How many rows of one person count; more than 1 only with `unit`.
    where : mapping of str to str
        Only rows with these cells count.
    rule : str
        The boundary: ``default``, ``max-min``, ``randomized-response`` or ``uniform``.
    by : str, optional
        The column whose cells divide the rows into groups, each of which is answered for.
    groups : tuple of str
        Those cells; empty if everybody is one group.

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
    >>> terms.line("red").distribution(1)
    Distribution(blue=1/6, red=5/6)
    """

    question: Question
    privacy: Privacy
    neighbors: Neighbors = "add-remove"
    unit: str | None = None
    max_rows: int = 1
    where: Mapping[str, str] = field(default_factory=dict)
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
        relations = get_args(Neighbors)
        if self.neighbors not in relations:
            raise UsageError(
                f"{self.neighbors!r} is no neighbor relation",
                help=did_you_mean(str(self.neighbors), relations) or f"choose one of {', '.join(relations)}",
            )
        if self.rule not in RULES:
            raise UsageError(
                f"{self.rule!r} is no boundary rule",
                help=did_you_mean(str(self.rule), RULES) or f"choose one of {', '.join(RULES)}",
            )
        if not is_whole(self.max_rows) or self.max_rows < 1:
            raise UsageError(
                f"{self.max_rows!r} is no number of rows", help="give a whole number of at least 1"
            )
        # The whole numbers of numpy have an end, beyond which they begin anew.
        object.__setattr__(self, "max_rows", int(self.max_rows))
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
                require_name(column)
        object.__setattr__(self, "groups", self._checked_groups())
        object.__setattr__(self, "where", MappingProxyType(read_filters(self.where)))
        if self.charges > 1:
            # Several charges must have an exact sum.
            self.cost  # noqa: B018 - a cached property

    def _checked_groups(self) -> tuple[str, ...]:
        groups = items_of(self.groups)
        if groups is None:
            raise UsageError(f"{described(self.groups)} is no list of groups", help="give a list of texts")
        names = tuple(map(_group_name, groups))
        if len(set(names)) < len(names):
            raise UsageError("the groups are not distinct", help="name each group once")
        return names

    def __reduce__(self) -> tuple[type["Terms"], tuple[object, ...]]:
        fields = (self.question, self.privacy, self.neighbors, self.unit, self.max_rows)
        return Terms, (*fields, dict(self.where), self.rule, self.by, self.groups)

    @property
    def relation(self) -> Neighbors:
        """The neighbor relation between two tables of one group, which its distances count.

        Where one person changes, rows leave a group or join another: inside a group, people join and leave.
        """
        return "add-remove" if len(self.groups) > 1 else self.neighbors

    @property
    def charges(self) -> int:
        """By how many steps between neighbors one person moves all groups together, at most.

        A group moves by one step for every M rows that leave it or join it, M = max_rows, and a part of M
        counts in full. Where one person joins or leaves, up to M rows do so: one step in each of min(M,
        groups) groups. Where one person changes, up to M rows leave and up to M join. If no group sees more
        than M of these 2 M rows, that is one step in each of min(2 M, groups) groups. At most one group can
        see more than M of them: it moves by two steps, and at most M - 1 rows are left to move others by
        one, which makes min(M, groups) + 1 steps. `cost` says what the steps cost.

        Examples
        --------
        >>> from rainbowdp.questions import winner
        >>> question = winner("party", ["red", "blue"])
        >>> towns = {"by": "town", "groups": ("A", "B", "C")}
        >>> Terms(question, PureDP(1), **towns).charges
        1
        >>> Terms(question, PureDP(1), unit="id", max_rows=2, **towns).charges
        2
        >>> Terms(question, PureDP(1), "change-one", **towns).charges
        2
        >>> Terms(question, PureDP(1), "change-one", unit="id", max_rows=2, **towns).charges
        3
        """
        if len(self.groups) < 2:
            return 1
        touched = min(self.max_rows, len(self.groups))
        return touched if self.neighbors == "add-remove" else max(self._widely, touched + 1)

    @property
    def _widely(self) -> int:
        """How many groups a changed person can move at once."""
        return min(2 * self.max_rows, len(self.groups))

    @cached_property
    def cost(self) -> Cost:
        """What all answers cost together.

        Groups are drawn independently, and what each of them costs adds up. A changed person moves as many
        groups as possible by one step, or one of them by two and some others by one, see `charges`; the cost
        covers both. Two steps of pure privacy cost twice epsilon. Two of approximate privacy cost more than
        twice delta, (1 + e^epsilon) delta, which is rounded up by at most 2^-64 of itself where it is
        irrational. Two of Gaussian privacy cost twice mu, that is four times its square.

        Raises
        ------
        PrivacyParameterError
            If mu is a logarithm: no ledger can keep its square.

        References
        ----------
        Dwork and Roth 2014, theorem 3.16; Vadhan 2017, lemma 2.2 (groups of people); Dong, Roth and Su 2022,
        theorem 4 and corollary 2.

        Examples
        --------
        >>> from rainbowdp.questions import winner
        >>> towns = {"by": "town", "groups": ("A", "B", "C")}
        >>> for privacy in (PureDP(1), ApproxDP("ln 2", "1e-6"), GaussianDP(1)):
        ...     print(Terms(winner("party", ["red", "blue"]), privacy, "change-one", **towns).cost)
        epsilon 2
        epsilon ln(4), delta 0.000003
        mu 2
        """
        one = Cost.of(self.privacy)
        if len(self.groups) < 2 or self.neighbors == "add-remove":
            return one.times(self.charges)
        others = min(self.max_rows, len(self.groups)) - 1
        if isinstance(self.privacy, GaussianDP):
            return one.times(max(self._widely, 4 + others))
        twice = (1 + self.privacy.odds + others) * one.delta
        rounded = twice if isinstance(twice, Fraction) else enclose(twice, _DELTA_BITS)[1]
        return Cost(one.epsilon.times(self.charges), max(rounded, one.delta * self._widely))

    @cached_property
    def asked(self) -> Question:
        """The question as it is asked of rows that may also count for nothing."""
        return in_table(self.question)

    @cached_property
    def lines(self) -> QuestionLines:
        """The line of every true answer; the distributions where regions meet are checked exactly."""
        if self.kept_as is None:
            return self._lines_under(self.privacy)
        # A privacy remembers thresholds, so what is kept has one of its own. Lines of randomized response
        # are made answer by answer, as tables come by, and so are kept nowhere.
        return SOLVED.of(
            self.kept_as,
            lambda: self._lines_under(replace(self.privacy)),
            small=lambda lines: not lines.is_response,
        )

    def _lines_under(self, privacy: Privacy) -> QuestionLines:
        return QuestionLines(self.asked, privacy, self.relation, self.max_rows, self.rule)

    @cached_property
    def reading(self) -> Reading:
        """What the cells of the column mean; asked of the question once, before a row is read."""
        return reading_of(self.question)

    @property
    def description(self) -> dict[str, Json]:
        """Everything that defines the question; asked of it once, before a row is read."""
        return cast("dict[str, Json]", json.loads(self._description))

    @cached_property
    def _description(self) -> str:
        return json.dumps(description_of(self.question))

    @cached_property
    def forms(self) -> Mapping[str, Form]:
        """In which form each answer leaves; asked of the question before a row is read."""
        return answer_forms(self.question)

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers, as the question first named them."""
        return tuple(self.forms)

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order of one true answer, as the question first gave it."""
        known = is_known(self.question)
        return self.question.rainbow(answer) if known else self.lines.line(answer).rainbow

    @cached_property
    def kept_as(self) -> Hashable | None:
        """The name under which `rainbowdp.release.kept` holds what follows from these terms, if it does."""
        return name_of(self.question, self.privacy, self.relation, self.max_rows, self.rule)

    @cached_property
    def _own(self) -> dict[str, Line]:
        return {}

    def line(self, answer: str) -> Line:
        """Return the closed form for one true answer, by its distance to the nearest other one."""
        if answer not in self._own:
            # Solved lines may be shared: what this one works out as it is used must stay here.
            self._own[answer] = self._moved(answer, self.privacy)
        return self._own[answer]

    def _moved(self, answer: str, privacy: Privacy) -> Line:
        line = self.lines.line(answer)
        return Line(line.rainbow, line.boundary, privacy)

    def distribution(self, answer: str, distance: int) -> Distribution:
        """Return the exact probabilities of all answers, for a true answer at a distance."""
        if not self.lines.all_alike:
            return self.line(answer).distribution(distance, symbolic=True)
        # The chances of the first answer, with its name and that of the true one exchanged.
        first, second, *_ = self.question.answers
        name = self.kept_as
        line = (
            self.line(first)
            if name is None
            else FIRST.of(name, lambda: self._moved(first, replace(self.privacy)))
        )
        found = line.distribution(distance, symbolic=True)
        right, wrong = found[first], found[second]
        return Distribution.trusted(
            {each: right if each == answer else wrong for each in self.question.answers}
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
        raise UsageError(f"{described(where)} is no filter", help='give columns with cells: {"town": "Ulm"}')
    return {require_name(column): _filter_text(column, cell) for column, cell in where.items()}


def require_name(column: object) -> str:
    """Return the name of a column.

    Raises
    ------
    UsageError
        If it is empty or no text.
    """
    if not isinstance(column, str) or not column:
        raise UsageError(f"{column!r} is no name of a column", help="give a text from the header")
    return column


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
        raise UsageError(f"{cell!r} is no group", help="give the text of a cell")
    return text
