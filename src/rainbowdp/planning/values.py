# SPDX-License-Identifier: Apache-2.0
"""Keep the result of `plan`: frozen values with exact probabilities, rounded when written as JSON or text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Context, Decimal
from fractions import Fraction
from html import escape
from itertools import groupby
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, cast

import rainbowdp
from rainbowdp.exact import format_fraction, show
from rainbowdp.exact.enclosure import EnclosedNumber, Value
from rainbowdp.goals import Goal
from rainbowdp.ledger import Cost
from rainbowdp.ledger.cost import parameters_of
from rainbowdp.planning.words import PlanCase, case_head, cell, percent, right_float, wrong_float
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Neighbors, Question
from rainbowdp.questions.kinds import description_of, possible_answers


class _Told:
    """A value that JSON holds: a dataclass whose fields are told by their names, or by those in `_names`."""

    _names: ClassVar[Mapping[str, str]] = {}

    def to_json(self) -> dict[str, object]:
        """Return it for JSON: exact numbers as text, probabilities as the closest floats."""
        told: dict[str, object] = {}
        for name in (field.name for field in fields(cast("Any", self))):
            value = getattr(self, name)
            if name in {"wrong", "not_all"}:
                told["right"] = None if value is None else right_float(value)
                told["wrong"] = None if value is None else wrong_float(value)
            else:
                told[self._names.get(name, name)] = _json(value)
        return told


def _json(value: object) -> object:
    told = value
    match value:
        case _Told():
            told = value.to_json()
        case tuple():
            told = [_json(each) for each in value]
        case Mapping():
            told = dict(value)
        case Fraction():
            told = format_fraction(value)
        case PureDP() | ApproxDP() | GaussianDP():
            told = parameters_of(value)
        case Cost():
            told = {part.name: part.exact for part in value.parts()}
        case float() if value == inf:
            # JSON has no infinity.
            told = "inf"
    return told


@dataclass(frozen=True)
class Chance(_Told):
    """How often an answer is wrong at a lead, in one case.

    Attributes
    ----------
    mechanism : str
        ``typical``, ``guarantee``, ``noisy counts``, ``ignoring the data``, ``exponential mechanism`` or
        ``permute-and-flip``.
    case : PlanCase
        What else is true of the table.
    wrong : Exact, EnclosedNumber or None
        The probability of a wrong answer; None where it is not computed.
    """

    mechanism: str
    case: PlanCase
    wrong: Value | None

    @property
    def right(self) -> Value | None:
        """The probability of a right answer."""
        return None if self.wrong is None else 1 - self.wrong


@dataclass(frozen=True)
class LeadRow(_Told):
    """All chances at one lead.

    Attributes
    ----------
    lead : int
        The lead, in people.
    share : Fraction or None
        The same as a share of all people, where their number was given.
    chances : tuple of Chance
        One for each mechanism and case.
    """

    lead: int
    share: Fraction | None
    chances: tuple[Chance, ...]

    def wrong(self, mechanism: str, case: PlanCase = "all-close") -> Value | None:
        """Return the probability of a wrong answer of one mechanism in one case.

        Raises
        ------
        KeyError
            If the row has no such chance.
        """
        return {(found.mechanism, found.case): found.wrong for found in self.chances}[mechanism, case]


@dataclass(frozen=True)
class NeededLead(_Told):
    """The least lead at which a mechanism is right as often as wanted, in one case.

    Attributes
    ----------
    mechanism, case
        As in `Chance`.
    lead : int or None
        None where no lead is enough, and where chances are not computed.
    is_computed : bool
        Which of the two it is.
    """

    _names: ClassVar[Mapping[str, str]] = {"is_computed": "computed"}

    mechanism: str
    case: PlanCase
    lead: int | None
    is_computed: bool


@dataclass(frozen=True)
class Need(_Told):
    """The leads that a wanted probability of a right answer needs.

    Attributes
    ----------
    right : Fraction
        The wanted probability.
    leads : tuple of NeededLead
        One for each mechanism and case.
    """

    right: Fraction
    leads: tuple[NeededLead, ...]

    def lead(self, mechanism: str, case: PlanCase = "all-close") -> int | None:
        """Return the lead that one mechanism needs in one case.

        Raises
        ------
        KeyError
            If there is none of that name.
        """
        return {(found.mechanism, found.case): found.lead for found in self.leads}[mechanism, case]


@dataclass(frozen=True)
class GroupsPlan(_Told):
    """What to expect where several groups are answered for.

    Attributes
    ----------
    count : int
        How many groups there are.
    lead : int
        The lead that each of them has.
    not_all : EnclosedNumber or None
        The probability that not all of them are right, with all other answers close; None if not computed.
    charged : Cost
        What all answers cost together.
    """

    count: int
    lead: int
    not_all: EnclosedNumber | None
    charged: Cost


@dataclass(frozen=True)
class PrivacyCost(_Told):
    """The cost of an answer, or of the answers for several groups together; rho is that of each answer.

    Attributes
    ----------
    odds_factor : float or None
        e^epsilon, rounded up, infinite beyond 10^308 and ``"inf"`` in JSON; None under Gaussian privacy.
    delta : str or None
        The probability with which the odds factor may be exceeded, where there is one.
    rho : float or None
        The zero-concentrated cost, rounded up; None with delta above 0, which no rho bounds.
    rho_is_bound : bool
        Whether the least rho may be smaller than that.
    guess : float
        How often a person who knows all other people guesses right which of two neighboring tables it was, at
        most, if both were equally likely before.
    words : tuple of str
        The same in sentences.
    """

    odds_factor: float | None
    delta: str | None
    rho: float | None
    rho_is_bound: bool
    guess: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class PrivacyPlan(_Told):
    """All figures under one notion of privacy.

    Attributes
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion.
    charged : PureDP, ApproxDP or GaussianDP
        What one answer costs by the mechanism of the chosen goal.
    mechanisms : mapping of str to str
        The name of the mechanism of each goal.
    sentences : tuple of str
        What to expect, to be quoted.
    cost : PrivacyCost
        What one answer costs, in words.
    rows : tuple of LeadRow
        The chances by lead.
    needs : tuple of Need
        The leads by wanted probability.
    compared : tuple of LeadRow or None
        The chances of other mechanisms by lead, where they were asked for.
    groups : GroupsPlan or None
        What to expect of several groups, where they were asked for.
    remarks : tuple of str
        Where another mechanism is ahead, and where it is not.
    """

    _names: ClassVar[Mapping[str, str]] = {"needs": "needed"}

    privacy: Privacy
    charged: Privacy
    mechanisms: Mapping[str, str]
    sentences: tuple[str, ...]
    cost: PrivacyCost
    rows: tuple[LeadRow, ...]
    needs: tuple[Need, ...]
    compared: tuple[LeadRow, ...] | None
    groups: GroupsPlan | None
    remarks: tuple[str, ...]

    @property
    def parameters(self) -> dict[str, str]:
        """Each parameter by name, as a decimal where it has a short one."""
        return parameters_of(self.privacy)


@dataclass(frozen=True)
class Least(_Told):
    """The least parameter with which an answer is right as often as wanted.

    Attributes
    ----------
    parameter : {"epsilon", "mu"}
        Which one.
    value : Fraction
        A decimal, rounded up, that suffices.
    privacy : Privacy
        The notion of privacy with that parameter.
    want : Fraction
        The wanted probability of a right answer.
    lead : int
        The lead at which it is reached.
    wrong : Exact or EnclosedNumber
        The probability of a wrong answer that is left.
    """

    parameter: str
    value: Fraction
    privacy: Privacy
    want: Fraction
    lead: int
    wrong: Value

    @property
    def text(self) -> str:
        """The value as a decimal."""
        digits = Context(prec=1000).divide(Decimal(self.value.numerator), Decimal(self.value.denominator))
        return f"{digits:f}"

    def to_json(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            self.parameter: self.text,
            "want": format_fraction(self.want),
            "lead": self.lead,
            "right": right_float(self.wrong),
        }


@dataclass(frozen=True)
class Plan(_Told):
    """What to expect of a question, by privacy and lead.

    Attributes
    ----------
    question : Question
        The question.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person has at most.
    goal : {"typical", "guarantee"}
        The chosen goal.
    lead_means : str
        What a lead counts.
    people, groups : int or None
        How many there are, where it was said.
    privacies : tuple of PrivacyPlan
        The figures, one notion of privacy after the other.
    least : Least or None
        The least parameter, where it was asked for.
    notes : tuple of str
        Further remarks.
    """

    _names: ClassVar[Mapping[str, str]] = {"lead_means": "lead", "privacies": "plans"}

    question: Question
    neighbors: Neighbors
    max_rows: int
    goal: Goal
    lead_means: str
    people: int | None
    groups: int | None
    privacies: tuple[PrivacyPlan, ...]
    least: Least | None
    notes: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        """Tell whether two plans say the same: exact parameters, and chances as they are rounded for JSON."""
        return self.to_json() == other.to_json() if isinstance(other, Plan) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # irrational chances have no hash

    def lines(self) -> Iterator[str]:
        """Yield the plan as lines of text, as the command line shows it."""
        yield from plan_head(self)
        for part in self.privacies:
            yield from _part(part, self)
        if self.notes:
            yield from ("", *(f"note: {text}" for text in self.notes))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def plot(self, path: Path | str | None = None, *, ax: Any = None, title: str | None = None) -> Any:  # noqa: ANN401 - matplotlib is not imported
        """Draw the plan; see `rainbowdp.plots.plot_plan`.

        Parameters
        ----------
        path, ax, title
            As there.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return rainbowdp.plots.plot_plan(self, path, ax=ax, title=title)

    @property
    def rows(self) -> tuple[tuple[Privacy, LeadRow], ...]:
        """Every row of every notion of privacy."""
        return tuple((part.privacy, row) for part in self.privacies for row in part.rows)

    def to_json(self) -> dict[str, object]:
        """Return the plan for JSON: exact parameters as text, probabilities as the closest floats."""
        return super().to_json() | {"question": description_of(self.question)}


_GAP = "   "
_Column = tuple[str, str, tuple[str, ...]]
"""The head over a column, which columns next to it can share, its own head, and its cells."""


def plan_head(plan: Plan) -> Iterator[str]:
    """Yield the lines that say what is planned; each names a thing, then a colon, then the thing itself."""
    hidden = (
        "one person joins or leaves" if plan.neighbors == "add-remove" else "one person's data are replaced"
    )
    yield f"{plan.question.kind}: {possible_answers(plan.question)}"
    each = f"up to {plan.max_rows} row{'s' * (plan.max_rows > 1)} per person"
    yield f"protected: that {hidden} ({plan.neighbors}), {each}"
    if (plan.groups or 1) > 1 and plan.neighbors == "change-one":
        yield "in one group: that one person joins or leaves; all groups together hide that data are replaced"
    yield f"lead: {plan.lead_means}"
    yield f"goal: {plan.goal}"
    if plan.least is not None:
        yield ""
        yield _least(plan, plan.least)


def _least(plan: Plan, least: Least) -> str:
    cases = {chance.case for _, row in plan.rows for chance in row.chances}
    held = ", whether it is yes or no" if "yes" in cases else ""
    if "one-close" in cases:
        held = f", whatever the {'level' if plan.question.kind == 'level' else 'other answers do'}"
    wanted = f"a right answer in {show(100 * least.want)} of 100 cases at a lead of {least.lead}{held}"
    return f"least {least.parameter} for {wanted}: {least.text}"


def _part(part: PrivacyPlan, plan: Plan) -> Iterator[str]:
    wanted = tuple(show(100 * need.right) for need in part.needs)
    yield ""
    yield ", ".join(f"{name}={value}" for name, value in part.parameters.items())
    yield from (f"  {words}" for words in (*part.sentences, *part.cost.words))
    yield ""
    mechanism = part.mechanisms[plan.goal]
    yield f"right answers in 100 cases, by lead (* the chosen goal, by the mechanism {mechanism})"
    yield from _chances(part.rows, plan)
    yield ""
    yield "lead needed for right answers in so many of 100 cases"
    leads = zip(*(need.leads for need in part.needs), strict=True)
    needed = ((*_heads(each[0], plan), tuple(map(needed_lead, each))) for each in leads)
    yield from _table([("right", "", wanted), *needed])
    if part.compared is not None:
        yield ""
        yield "right answers in 100 cases of other mechanisms, by lead"
        yield from _chances(part.compared, plan)
    if part.remarks:
        yield ""
        yield from part.remarks


def needed_lead(needed: NeededLead) -> str:
    """Return a needed lead for a table: none is enough, or a dash where that is not computed."""
    return str(needed.lead or "none") if needed.is_computed else "-"


def _heads(shown: Chance | NeededLead, plan: Plan) -> tuple[str, str]:
    """Return the mechanism and the case of a column; the chosen goal has a star."""
    chosen = " *" if shown.mechanism == plan.goal else ""
    return f"{shown.mechanism}{chosen}", case_head(plan.question, shown.case)


def _chances(rows: Sequence[LeadRow], plan: Plan) -> Iterator[str]:
    columns: list[_Column] = [("lead", "", tuple(str(row.lead) for row in rows))]
    if plan.people is not None:
        shares = tuple("" if row.share is None else percent(row.share) for row in rows)
        columns.append(("share", "", shares))
    for each in zip(*(row.chances for row in rows), strict=True):
        cells = tuple("-" if one.wrong is None else cell(one.wrong) for one in each)
        columns.append((*_heads(each[0], plan), cells))
    return _table(columns)


def _table(columns: Iterable[_Column]) -> Iterator[str]:
    """Yield a table with a head of two lines, or of one where no column has a head of its own."""
    blocks = [
        _block(over, [(head, *cells) for _, head, cells in group])
        for over, group in groupby(columns, key=itemgetter(0))
    ]
    over, heads, *rows = map(_GAP.join, zip(*blocks, strict=True))
    yield over.rstrip()
    if heads.strip():
        yield heads.rstrip()
    yield "─" * len(over)
    yield from (row.rstrip() for row in rows)


def _block(over: str, columns: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of columns under one head, which stands over their middle, or at the end of one."""
    if all(column[1:] == columns[0][1:] for column in columns):
        # Columns that are the same become one.
        columns = [("", *columns[0][1:])]
    widths = [max(map(len, column)) for column in columns]
    widths[0] += max(0, len(over) - sum(widths) - len(_GAP) * (len(widths) - 1))
    lines = [_GAP.join(map(str.rjust, line, widths)) for line in zip(*columns, strict=True)]
    return [over.rjust(widths[0]) if len(widths) == 1 else over.center(len(lines[0])), *lines]
