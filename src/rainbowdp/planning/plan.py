# SPDX-License-Identifier: Apache-2.0
"""A plan: one question, some notions of privacy, and what to expect of each, without a look at any data."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rainbowdp.boundary import BoundaryCondition
from rainbowdp.errors import QuestionError, UsageError
from rainbowdp.exact import NumberLike, parse_fraction, show
from rainbowdp.exact.arguments import described, is_whole, items_of, require
from rainbowdp.planning.chances import Chances
from rainbowdp.planning.cost import privacy_cost
from rainbowdp.planning.leads import lead_rule
from rainbowdp.planning.least import least_parameter
from rainbowdp.planning.remarks import remarks
from rainbowdp.planning.rivals import Rival, rivals_of
from rainbowdp.planning.values import (
    LeadRow,
    Least,
    Need,
    PrivacyPlan,
    RivalChance,
    RivalNeed,
)
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Neighbors, Question, in_table
from rainbowdp.questions.descriptions import description_of
from rainbowdp.questions.question import require_question, require_rows

__all__ = ["WANTED", "LeadRow", "Least", "Need", "Plan", "PrivacyPlan", "RivalChance", "RivalNeed", "plan"]

WANTED = (Fraction(9, 10), Fraction(19, 20), Fraction(99, 100), Fraction(999, 1000))
"""The probabilities of a right answer for which every plan tells the lead."""

LARGEST_LEAD = 10**100
"""The largest lead of which a plan tells."""

_LONGEST_SERIES = 24
_WITHOUT_NEED = 100
_NO_GAUSSIAN = "No rival is compared under mu: they are made for epsilon."
_PURE_RIVALS = "The rivals are compared at the same epsilon; they make no use of delta."


@dataclass(frozen=True)
class Plan:
    """What to expect of a question, by privacy and lead.

    Attributes
    ----------
    question : Question
        The question.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person has at most.
    boundary : str
        The rule of the boundary, "given" for a condition.
    lead_means : str
        What a lead counts.
    privacies : tuple of PrivacyPlan
        The figures, one notion of privacy after the other.
    least : Least or None
        The least parameter, where it was asked for.
    notes : tuple of str
        What else is to be known.
    """

    question: Question
    neighbors: Neighbors
    max_rows: int
    boundary: str
    lead_means: str
    privacies: tuple[PrivacyPlan, ...]
    least: Least | None
    notes: tuple[str, ...]

    @property
    def rows(self) -> tuple[tuple[Privacy, LeadRow], ...]:
        """Every row of every notion of privacy."""
        return tuple((part.privacy, row) for part in self.privacies for row in part.rows)

    def to_json(self) -> dict[str, object]:
        """Return the plan for JSON: exact parameters as text, probabilities as the closest floats."""
        return {
            "question": description_of(self.question),
            "neighbors": self.neighbors,
            "max_rows": self.max_rows,
            "boundary": self.boundary,
            "lead": self.lead_means,
            "plans": [part.to_json() for part in self.privacies],
            "least": None if self.least is None else self.least.to_json(),
            "notes": list(self.notes),
        }


def plan(
    question: Question,
    privacies: Privacy | Iterable[Privacy] = (),
    *,
    neighbors: Neighbors = "add-remove",
    max_rows: int = 1,
    boundary: str | BoundaryCondition = "default",
    want: NumberLike | None = None,
    lead: int | None = None,
    leads: Sequence[int] | None = None,
    delta: NumberLike | None = None,
) -> Plan:
    """Tell how often a question would be answered rightly, before anything is spent. No data are opened.

    Parameters
    ----------
    question : Question
        From `rainbowdp.questions`, or one of your own.
    privacies : Privacy or iterable of Privacy
        One or more of PureDP, ApproxDP and GaussianDP; may be left out where `want` and `lead` are given.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person has at most; leads are counted in people.
    boundary : str or BoundaryCondition
        As for `rainbowdp.questions.question_boundary`.
    want : number or text, optional
        A probability of a right answer, above 0 and below 1. With `lead`: the least epsilon (or mu, if all
        `privacies` are Gaussian) is found. Its lead is also told beside those for 90, 95, 99 and 99.9 %.
    lead : int, optional
        The lead that is expected, at least 1; it also gets a row.
    leads : sequence of int, optional
        The leads that get a row; otherwise 1, 2, 5, 10, ... up to what 99.9 % need.
    delta : number or text, optional
        For the least epsilon: the delta beside it; otherwise that of the first notion, if it has one.

    Returns
    -------
    Plan

    Raises
    ------
    QuestionError
        If a lead or probability makes no sense, or no epsilon is enough.
    UsageError
        If there is no privacy, or `want` and `lead` do not come together.

    Examples
    --------
    >>> from rainbowdp.questions import winner
    >>> found = plan(winner("party", ["A", "B"]), PureDP("ln 4"), neighbors="change-one", leads=[3])
    >>> row = found.privacies[0].rows[0]
    >>> row.wrong, row.rival("permute-and-flip").wrong
    (Fraction(1, 20), Fraction(1, 16))
    >>> [need.lead for need in found.privacies[0].needs]
    [3, 3, 7, 9]
    >>> plan(winner("party", ["A", "B"]), want="0.99", lead=40).least.text
    '0.09901'
    """
    require_question(question)
    notions = _notions(privacies)
    wanted = _wanted(want, lead, needed=not notions)
    asked = in_table(question)
    rule = lead_rule(asked, neighbors, require_rows(max_rows))
    rivals, remarked = rivals_of(asked, neighbors, rule)
    shown = _leads(leads, lead)

    def chances(privacy: Privacy) -> Chances:
        return Chances(asked, privacy, neighbors, rule, boundary)

    least = None
    if wanted is not None and lead is not None:
        least = _least(chances, notions, wanted, lead, delta)
        if not notions:
            notions = [least.privacy]
    targets = sorted({*WANTED, *([] if wanted is None else [wanted])})
    known = {str(privacy): chances(privacy) for privacy in notions}
    parts = tuple(
        _part(privacy, known[str(privacy)], neighbors, _rivals(rivals, privacy), (targets, shown, lead))
        for privacy in notions
    )
    notes = [*remarked]
    notes += [_NO_GAUSSIAN] if rivals and any(isinstance(privacy, GaussianDP) for privacy in notions) else []
    notes += [_PURE_RIVALS] if rivals and any(isinstance(privacy, ApproxDP) for privacy in notions) else []
    notes += [note for found in known.values() for note in found.notes]
    return Plan(
        question=question,
        neighbors=neighbors,
        max_rows=max_rows,
        boundary=boundary if isinstance(boundary, str) else "given",
        lead_means=rule.meaning,
        privacies=parts,
        least=least,
        notes=tuple(dict.fromkeys(notes)),
    )


def _part(
    privacy: Privacy,
    chances: Chances,
    neighbors: Neighbors,
    rivals: Sequence[Rival],
    asked: tuple[Sequence[Fraction], Sequence[int] | None, int | None],
) -> PrivacyPlan:
    targets, shown, lead = asked
    epsilon = None if isinstance(privacy, GaussianDP) else privacy.epsilon
    needs = tuple(
        Need(
            target,
            chances.needed(target),
            tuple(
                RivalNeed(rival.mechanism, rival.case, rival.needed(epsilon, target))
                for rival in rivals
                if epsilon is not None
            ),
        )
        for target in targets
    )
    leads = shown if shown is not None else _series(needs[-1].lead, lead)
    rows = tuple(
        LeadRow(
            number,
            chances.wrong(number),
            chances.wrong_at_best(number),
            tuple(
                RivalChance(rival.mechanism, rival.case, rival.wrong(epsilon, number))
                for rival in rivals
                if epsilon is not None
            ),
        )
        for number in leads
    )
    return PrivacyPlan(privacy, privacy_cost(privacy, neighbors), rows, needs, remarks(rows))


def _rivals(rivals: Sequence[Rival], privacy: Privacy) -> Sequence[Rival]:
    return () if isinstance(privacy, GaussianDP) else rivals


def _least(
    chances: Callable[[Privacy], Chances],
    notions: Sequence[Privacy],
    want: Fraction,
    lead: int,
    delta: NumberLike | None,
) -> Least:
    gaussian = bool(notions) and all(isinstance(privacy, GaussianDP) for privacy in notions)
    beside = next((privacy.delta for privacy in notions if isinstance(privacy, ApproxDP)), None)
    beside = beside if delta is None else parse_fraction(delta)

    def privacy_of(parameter: Fraction) -> Privacy:
        if gaussian:
            return GaussianDP(parameter)
        return PureDP(parameter) if not beside else ApproxDP(parameter, beside)

    value = least_parameter(chances, privacy_of, want, lead)
    privacy = privacy_of(value)
    right = 1 - chances(privacy).wrong(lead)
    return Least("mu" if gaussian else "epsilon", value, privacy, want, lead, right)


def _notions(privacies: Privacy | Iterable[Privacy]) -> list[Privacy]:
    if isinstance(privacies, PureDP | ApproxDP | GaussianDP):
        return [privacies]
    found = items_of(privacies)
    if found is None:
        require(privacies, "privacies", PureDP, ApproxDP, GaussianDP)
    for privacy in found or []:
        require(privacy, "privacies", PureDP, ApproxDP, GaussianDP)
    return found or []


def _wanted(want: NumberLike | None, lead: int | None, *, needed: bool) -> Fraction | None:
    if lead is not None:
        _require_lead(lead)
    if want is None:
        if needed:
            raise UsageError(
                "a plan needs a privacy, or a wanted probability and a lead",
                help='give for example PureDP("0.5"), or want=0.99 and lead=40 for the least epsilon',
            )
        return None
    if lead is None and needed:
        raise UsageError(
            "a wanted probability is given without a lead", help="give both for the least epsilon"
        )
    read = parse_fraction(want)
    if not 0 < read < 1:
        raise QuestionError(
            f"a right answer cannot be wanted with probability {show(read)}",
            help="give a probability above 0 and below 1, such as 0.99",
        )
    return read


def _leads(leads: Sequence[int] | None, lead: int | None) -> list[int] | None:
    if leads is None:
        return None
    numbers = items_of(leads)
    if numbers is None:
        raise QuestionError(f"{described(leads)} is no list of leads", help="give a list of whole numbers")
    for number in numbers:
        _require_lead(number)
    return sorted({*map(int, numbers), *([] if lead is None else [int(lead)])})


def _require_lead(number: object) -> None:
    if not is_whole(number) or not 1 <= number <= LARGEST_LEAD:
        raise QuestionError(
            f"{described(number)} is no lead", help="give a whole number of people, from 1 to 10^100"
        )


def _series(last: int | None, lead: int | None) -> list[int]:
    """Return 1, 2, 5, 10, ... up to the first number that is at least the last one."""
    end, found, unit = _WITHOUT_NEED if last is None else last, [1], 1
    while found[-1] < end and len(found) < _LONGEST_SERIES:
        found.append(unit * {0: 1, 1: 2, 2: 5}[len(found) % 3])
        unit *= 10 if len(found) % 3 == 0 else 1
    return sorted({*found, *([] if lead is None else [lead])})
