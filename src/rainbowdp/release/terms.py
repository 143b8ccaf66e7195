# SPDX-License-Identifier: Apache-2.0
"""The terms of an answer: everything that is decided before any data is opened, and may be published.

The question, the neighbor relation, what one person can change, the privacy and the goal together fix the
whole mechanism, see `rainbowdp.goals`. The terms also say how a table is read for them, and how a ledger
keeps their answers.
"""

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from types import MappingProxyType
from typing import Any

from rainbowdp.errors import LedgerError, PrivacyParameterError, UsageError
from rainbowdp.exact.arguments import require
from rainbowdp.goals import Asked, Goal, Located, QuestionMechanism, mechanism_of
from rainbowdp.goals.concentrated import rho_of
from rainbowdp.goals.mechanism import require_goal
from rainbowdp.ledger import Cost, Protection
from rainbowdp.ledger.database import now
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Neighbors, Question, Scores, Summary, YesNo
from rainbowdp.questions.kinds import description_of, is_known, possible_answers, shown_answer, text_reading
from rainbowdp.questions.question import require_column, require_question, require_relation, require_rows
from rainbowdp.rainbow import quote_color
from rainbowdp.release.notes import cost_note, large_epsilon, protection_note, reading_notes
from rainbowdp.release.receipt import Json, Released, make_receipt, public_part, unit_json
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, summarize, summarize_groups
from rainbowdp.tables.rows import Groups, filters_json, groups_of, read_filters
from rainbowdp.tables.source import Progress

# What reading a text that should be JSON of some form may raise.
_UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)

ALL_ROWS = ""
"""The name of the only group where the rows are not divided."""

Answers = Mapping[str, str | tuple[str, ...]]
Source = Table | Summary


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
    where : mapping
        Column to what its cells must say for a row to count: a text, a `Range`, or a list of these.
    goal : str
        ``typical`` or ``guarantee``, see `rainbowdp.goals`.
    boundary : str
        For a question of your own the boundary: ``default``, ``max-min``, ``randomized-response`` or
        ``uniform``.
    by : str or sequence of str, optional
        The column, or several, whose cells divide the rows into groups, each of which is answered for.
    groups : sequence of str, or of sequences of str
        Those cells, of several columns those of each; empty if all rows are one group.
    other_group : str, optional
        As what all other cells of these columns count.

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
    where: Mapping[str, Any] = field(default_factory=dict)
    goal: Goal = "typical"
    boundary: str = "default"
    by: str | Sequence[str] | None = None
    groups: Sequence[object] = ()
    other_group: str | None = None

    def __post_init__(self) -> None:
        require_question(self.question)
        require(self.privacy, "privacy", PureDP, ApproxDP, GaussianDP)
        if isinstance(self.privacy, ApproxDP) and self.privacy.delta == 1:
            raise PrivacyParameterError(
                "delta is 1, which hides nothing", help="give a delta far below 1 over the number of people"
            )
        require_relation(self.neighbors)
        require_goal(self.goal)
        object.__setattr__(self, "max_rows", require_rows(self.max_rows))
        require_person(self.unit, self.max_rows)
        if self.unit is not None:
            require_column(self.unit)
        if (divided := self.divided) is not None:
            several = len(divided.columns) > 1
            object.__setattr__(self, "by", divided.columns if several else divided.columns[0])
            object.__setattr__(self, "groups", divided.declared if several else divided.declared[0])
            object.__setattr__(self, "other_group", divided.other)
        object.__setattr__(self, "where", MappingProxyType(read_filters(self.where)))
        # What does not fit is refused before a table is opened.
        self.mechanism  # noqa: B018 - a cached property
        if len(self.group_names) > 1:
            # Several charges must have an exact sum.
            self.cost  # noqa: B018 - a cached property

    def __reduce__(self) -> tuple[type["Terms"], tuple[object, ...]]:
        fields = (self.question, self.privacy, self.neighbors, self.unit, self.max_rows)
        rest = (self.goal, self.boundary, self.by, self.groups, self.other_group)
        return Terms, (*fields, dict(self.where), *rest)

    @cached_property
    def divided(self) -> Groups | None:
        """The groups, None if all rows are one."""
        return groups_of(self.by, self.groups, self.other_group)

    @property
    def group_names(self) -> tuple[str, ...]:
        """What the groups are called, in order; empty if all rows are one.

        Examples
        --------
        >>> from rainbowdp.questions import winner
        >>> groups = {"by": ("region", "sex"), "groups": (("North", "South"), ("f", "m"))}
        >>> Terms(winner("party", ["red", "blue"]), PureDP(1), **groups).group_names
        ('North, f', 'North, m', 'South, f', 'South, m')
        """
        return () if self.divided is None else self.divided.names

    @property
    def relation(self) -> Neighbors:
        """The neighbor relation between two tables of one group, which its distances count.

        Where one person changes, rows leave a group or join another: inside a group, people join and leave.
        """
        return "add-remove" if len(self.group_names) > 1 else self.neighbors

    @cached_property
    def mechanism(self) -> QuestionMechanism:
        """The mechanism that answers for one group."""
        asked = Asked(self.question, self.privacy, self.relation, self.max_rows)
        return mechanism_of(asked, self.goal, self.boundary)

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
        return self.mechanism.cost(max(len(self.group_names), 1), self.neighbors)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        by = () if self.divided is None else self.divided.columns
        unit = [] if self.unit is None else [self.unit]
        question = self.question
        column = question.column if isinstance(question, Scores) else question.reading.column
        return [column, *self.where, *unit, *by]

    @property
    def request(self) -> dict[str, Json]:
        """Everything that is asked but the privacy, as a ledger keeps it."""
        return {
            "question": description_of(self.question),
            "neighbors": self.neighbors,
            "unit": self.unit,
            "max_rows": self.max_rows,
            "where": filters_json(self.where),
            "goal": self.goal,
            "boundary": self.boundary,
            "by": self.by,
            "groups": self.groups,
            **self._others,
        }

    @property
    def _others(self) -> dict[str, Json]:
        """The group of all other cells, if there is one."""
        return {} if self.other_group is None else {"other_group": self.other_group}

    @cached_property
    def public(self) -> dict[str, Json]:
        """All of a receipt that is known before anything is drawn, as ``json.dumps`` writes it."""
        mechanism, rho = self.mechanism, rho_of(self.mechanism)
        several = len(self.group_names) > 1
        summed = {part.name: part.exact for part in self.cost.parts()} if several else None
        groups = {"by": self.by, "names": self.groups, **self._others}
        return public_part(
            question=description_of(self.question),
            neighbors=self.neighbors,
            unit=unit_json(self.unit, self.max_rows),
            where=filters_json(self.where),
            privacy=self.privacy.texts(),
            groups=json.loads(json.dumps(groups)) if self.groups else None,
            goal=self.goal,
            boundary=None if is_known(self.question) else self.boundary,
            mechanism=mechanism.name,
            theorem=mechanism.theorem,
            cost=summed or mechanism.charged.texts(),
            rho=None if rho is None else {"value": rho.value, "bound": rho.is_bound},
        )

    @property
    def help_if_refused(self) -> str:
        """What to add to the help of a refused charge; may be empty."""
        return "; that is for the answers of all groups together" if len(self.group_names) > 1 else ""

    @property
    def protection(self) -> Protection:
        """What stays hidden about one person."""
        return Protection(self.neighbors, self.unit, self.max_rows)

    def notes(self, source: Source) -> tuple[str, ...]:
        """Return the public remarks about an answer, which depend on no row."""
        said = [protection_note(self.protection, "of one person"), *large_epsilon(self.privacy)]
        if not isinstance(self.question, YesNo):
            said.append(f"the possible answers are public: {possible_answers(self.question)}")
        said.append(f"the mechanism is {self.mechanism.name!r}, for the goal {self.goal}")
        if isinstance(source, Table):
            said += source.notes + reading_notes(source, self.where, self.divided, self.question.reading)
        cost = cost_note(self.mechanism, len(self.group_names), self.neighbors)
        return (*said, *self.mechanism.notes, cost)

    def located(
        self, source: Source, secret: bytes | None = None, progress: Progress | None = None
    ) -> Mapping[str, Located]:
        """Read rows, and return for each group the mechanism with the place of the group's table.

        After this only the draw can fail.
        """
        if not isinstance(source, Table):
            return {ALL_ROWS: self.mechanism.at(source)}
        reading = text_reading(self.question.reading)
        how: dict[str, Any] = {"where": self.where, "unit": self.unit, "max_rows": self.max_rows}
        how |= {"secret": secret, "progress": progress}
        if self.by is None:
            return {ALL_ROWS: self.mechanism.at(summarize(source, reading, **how))}
        how["other_group"] = self.other_group
        summaries = summarize_groups(source, reading, self.by, self.groups, **how)
        return {group: self.mechanism.at(summary) for group, summary in summaries.items()}

    def prepare_draw(
        self, source: Source, secret: bytes | None, progress: Progress | None, *, read_all_first: bool
    ) -> Callable[[BitSource | None], str]:
        """Read all rows, and return a function that draws the answers; they are always read first."""
        del read_all_first
        located = self.located(source, secret, progress)

        def draw(bits: BitSource | None) -> str:
            answers = {group: at.draw(bits) for group, at in located.items()}
            return json.dumps(answers, ensure_ascii=False, separators=(",", ":"))

        return draw

    def fault(self, answers: Json) -> str:
        """Return why answers by group, as JSON has them, cannot come out; an empty text if they can."""
        if not isinstance(answers, dict) or answers.keys() != {*(self.group_names or (ALL_ROWS,))}:
            return "the answers are not about the groups"
        wrong = [group for group, answer in answers.items() if not self._accepts(answer)]
        about = f" for {wrong[0]!r}" if wrong and self.groups else ""
        return f"the answer{about} is not one to the question" if wrong else ""

    def _accepts(self, answer: Json) -> bool:
        if isinstance(answer, list):
            answer = tuple(each if isinstance(each, str) else None for each in answer)
        return isinstance(answer, str | tuple) and self.mechanism.accepts(answer)

    def found(self, released: Released) -> "Answer":
        """Return the answer to publish; raise a `LedgerError` if the text does not answer the question."""
        kept = kept_answer(released.answer, self.fault)
        forms = {group: tuple(said) if isinstance(said, list) else said for group, said in kept.items()}
        answers = {group: forms[group] for group in self.group_names or (ALL_ROWS,)}
        return Answer(self, answers, *released[1:])


@dataclass(frozen=True)
class Answer:
    """One answer, or one per group, and what may be published with it.

    Attributes
    ----------
    terms : Terms
        What was asked, how privately.
    answers : mapping of str to str or tuple of str
        The answer by group; a ranking is a tuple, best first. Without groups the only key is the empty text.
    request_id : str or None
        The name of the request in the ledger.
    budget : str or None
        The budget that paid.
    answered_at : str
        When it was charged, or drawn where nothing is charged, in UTC, as ISO 8601.
    notes : tuple of str
        Public remarks: whom it protects, what could come out, what it cost, how it came about.
    """

    terms: Terms
    answers: Answers
    request_id: str | None = None
    budget: str | None = None
    answered_at: str = field(default_factory=now, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", MappingProxyType(dict(self.answers)))

    def __reduce__(self) -> tuple[type["Answer"], tuple[object, ...]]:
        paid = (self.request_id, self.budget, self.answered_at)
        return Answer, (self.terms, dict(self.answers), *paid, self.notes)

    @property
    def answer(self) -> str | tuple[str, ...] | dict[str, str | tuple[str, ...]]:
        """The answer; with groups, a dictionary of them."""
        return dict(self.answers) if self.terms.groups else self.answers[ALL_ROWS]

    @property
    def lines(self) -> list[str]:
        """The answer in words, one line per group."""
        shown = {group: shown_answer(self.terms.question, value) for group, value in self.answers.items()}
        # Names of several columns have their quotes already.
        name = quote_color if isinstance(self.terms.by, str) else str
        return [f"{name(group)}: {value}" if self.terms.groups else value for group, value in shown.items()]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        """Return the answer and its notes, for notebooks."""
        return f"<pre>{escape(str(self))}</pre>" + "".join(f"<p>{escape(text)}</p>" for text in self.notes)

    @property
    def json(self) -> Json:
        """The answer as ``json.dumps`` writes it: a ranking is a list."""
        return json.loads(json.dumps(self.answer))

    @cached_property
    def receipt(self) -> dict[str, Json]:
        """The receipt, as ``json.dumps`` writes it: nothing private is in it."""
        return make_receipt(self.terms.public, self.json, self.answered_at, self.budget, self.request_id)


def require_person(unit: str | None, most: int) -> None:
    """Refuse several rows or categories per person without a column that names the person.

    Raises
    ------
    UsageError
        If there are several.
    """
    if unit is None and most > 1:
        raise UsageError(
            f"one person has up to {most} rows or categories, and no column names the person",
            help="give the unit: the column that says whose row it is",
        )


def kept_answer(text: str, fault: Callable[[Json], str]) -> Any:  # noqa: ANN401 - whatever the JSON holds
    """Return the answer in a drawn text, which a ledger may have stored.

    Raises
    ------
    LedgerError
        If there is a fault in it: the question cannot have such an answer.
    """
    with contextlib.suppress(*_UNREADABLE):
        kept = json.loads(text)
        if not fault(kept):
            return kept
    raise LedgerError(
        "the answer that the ledger keeps is not one to this question",
        help="restore the ledger from a copy, and ask who changed it",
    )
