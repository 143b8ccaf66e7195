# SPDX-License-Identifier: Apache-2.0
"""The reports that the page of the explorer can hold: on a graph, a plan or a receipt, without Python.

A report says in words what is promised, and holds the numbers of the package with what the page needs to
compute them again. Nothing private is in it: a graph and its probabilities are what its author gave, a plan
reads no table, and a receipt may be published.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from rainbowdp.exact import show
from rainbowdp.explorer import page
from rainbowdp.explorer.recomputed import (
    MOST_DATASETS,
    Json,
    graph_lines,
    line_region,
    page_question,
    question_lines,
)
from rainbowdp.goals import Asked, Goal
from rainbowdp.graph import RainbowGraph
from rainbowdp.ledger.cost import parameters_of
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism
from rainbowdp.planning import LeadRow, Plan, PrivacyPlan, plan
from rainbowdp.planning.sentences import answer_cost, best_guess, graph_words, guess_after
from rainbowdp.planning.values import needed_lead, plan_head
from rainbowdp.planning.words import case_head, sentence, wrong_float
from rainbowdp.privacy import Privacy
from rainbowdp.release import KeyTerms, ReceiptCheck, Terms
from rainbowdp.release.notes import protection_note
from rainbowdp.release.words import NOT_SIGNED, receipt_rows

_ASKED = {"question", "rows", "groups", "answer", "answered"}
_RIGHT = "How often such an answer is right"
_DRAWS = "the view Graph of this page draws the datasets"
_GOALS: dict[Goal, str] = {
    "typical": "typical: right as often as possible on tables as they occur",
    "guarantee": "guarantee: a chance of a right answer that rests on the lead alone",
}
_NOTIONS = {"delta": "approximate", "mu": "gaussian"}


@dataclass(frozen=True)
class _Report:
    """What the page shows and computes again; see `Stated` in check.js."""

    title: str
    asked: Sequence[tuple[str, str]]
    risks: Sequence[Json]
    said: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    faults: Sequence[str] = ()
    lines: Json | None = None
    plans: Sequence[Json] = ()
    graph: str | None = None
    distances: Sequence[int | None] = ()
    notes: Sequence[str] = ()
    source: str = ""
    state: Mapping[str, str] = field(default_factory=dict)

    def page(self) -> str:
        """Return the page that holds it."""
        return page({**vars(self), "notes": [*map(sentence, self.notes)]})


def graph_report(
    graph: RainbowGraph, mechanism: Mechanism, privacy: Privacy, notes: Iterable[str] = ()
) -> str:
    """Return a page about a graph and a mechanism of it.

    Parameters
    ----------
    graph : RainbowGraph
        The graph. Of more than 500 datasets the page holds the regions alone.
    mechanism : Mechanism
        Its mechanism, from `rainbowdp.optimal.optimal_mechanism`.
    privacy : PureDP, ApproxDP or GaussianDP
        What it promises.
    notes : iterable of str
        What else is to be said.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from rainbowdp.optimal import optimal_mechanism
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "b>r", "r>b"])
    >>> html = graph_report(graph, optimal_mechanism(graph, PureDP("ln 2"), "uniform"), PureDP("ln 2"))
    >>> "no answer becomes more than 2 times as likely" in html
    True
    """
    # Pairs in a file or on a cluster are not listed.
    is_drawn = graph.size <= MOST_DATASETS and hasattr(graph.structure, "listed")
    typed = parameters_of(privacy)
    facts = {
        "datasets": graph.size,
        "pairs of neighbors": graph.pair_count,
        "regions": len(graph.rainbows),
        "largest distance": "no boundary" if graph.largest_distance is None else graph.largest_distance,
        "datasets without a boundary": int(graph.unconstrained.sum()),
        "privacy": _typed(typed),
    }
    notion = next((notion for name, notion in _NOTIONS.items() if name in typed), "pure")
    return _Report(
        f"A mechanism for {graph.size} datasets",
        asked=[(name, str(value)) for name, value in facts.items()],
        said=graph_words(privacy),
        risks=[_risk(privacy)],
        lines=graph_lines(graph, mechanism, privacy),
        graph=graph.to_json() if is_drawn else None,
        distances=graph.distance.tolist() if is_drawn else [],
        notes=(*notes, *mechanism.notes, *([_DRAWS] if is_drawn else [])),
        state={"graph": "report", "rule": "given", "notion": notion, **typed} if is_drawn else {},
    ).page()


def plan_report(made: Plan) -> str:
    """Return a page about a plan.

    Parameters
    ----------
    made : Plan
        From `rainbowdp.planning.plan`.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> html = plan_report(plan(winner("party", ["A", "B"]), PureDP(1)))
    >>> "in at most about 73 of 100 cases, instead of 50 of 100" in html
    True
    """
    return _Report(
        "Plan of an answer",
        asked=[*_plan_facts(made)],
        risks=[_risk_in(part) for part in made.privacies],
        plans=[
            _plan_part(made, part, f"With {_typed(part.parameters)}", part.cost.words)
            for part in made.privacies
        ],
        notes=made.notes,
        state=_plan_state(made),
    ).page()


def receipt_report(found: ReceiptCheck) -> str:
    """Return a page about a receipt that was checked.

    Parameters
    ----------
    found : ReceiptCheck
        From `rainbowdp.release.verify_receipt`.

    Returns
    -------
    str
        HTML; what does not follow from the terms of the receipt is said first.

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> from rainbowdp.release import ask, verify_receipt
    >>> people = pandas.DataFrame({"party": ["red"] * 90 + ["blue"] * 10})
    >>> receipt = ask(people, winner("party", ["red", "blue"]), epsilon=1).receipt
    >>> "Privacy hides that one person joins or leaves" in receipt_report(verify_receipt(receipt))
    True
    """
    terms, rows = found.receipt.terms, [*receipt_rows(found)]
    broken = [] if found.judged.broken is None else [f"the promise is broken at {found.judged.broken}"]
    made = _of_keys(terms) if isinstance(terms, KeyTerms) else _of_answer(terms)
    return replace(
        made,
        asked=[*(row for row in rows if row[0] in _ASKED), *made.asked],
        facts=[row for row in rows if row[0] not in _ASKED],
        faults=[*found.faults, *broken],
        notes=[NOT_SIGNED, *made.notes],
        source=json.dumps(found.receipt.content, indent=1, ensure_ascii=False),
    ).page()


def _of_keys(terms: KeyTerms) -> _Report:
    mechanism = terms.mechanism
    line = line_region(Line("keep>drop", {"keep": 0, "drop": 1}, mechanism.privacy))
    always = f"a category that {mechanism.certain_from} people have is always named"
    return _Report(
        "Receipt of named categories",
        asked=(),
        said=[
            sentence(protection_note(terms.protection, "of one person's categories")),
            *answer_cost(terms.privacy, "add-remove", None).words,
            sentence(always),
        ],
        risks=[_risk(terms.privacy)],
        lines={"privacy": parameters_of(mechanism.privacy), "regions": [line], "touching": [], "left": 0},
        notes=["the distance of a category is the number of people who have it"],
    )


def _of_answer(terms: Terms) -> _Report:
    made = plan(
        terms.question,
        terms.privacy,
        neighbors=terms.neighbors,
        max_rows=terms.max_rows,
        goal=terms.goal,
        boundary=terms.boundary,
        groups=len(terms.group_names) or None,
    )
    (part,) = made.privacies
    return _Report(
        "Receipt of an answer",
        asked=[("goal", _GOALS[terms.goal])],
        said=[sentence(protection_note(terms.protection, "of one person")), *part.cost.words],
        risks=[_risk_in(part)],
        lines=question_lines(terms.mechanism),
        plans=[_plan_part(made, part, _RIGHT)],
        notes=terms.mechanism.notes,
        state=_plan_state(made),
    )


def _typed(parameters: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def _risk(privacy: Privacy) -> Json:
    return {"privacy": parameters_of(privacy), "guess": best_guess(privacy)}


def _risk_in(part: PrivacyPlan) -> Json:
    """Return the risk after the answers for all groups."""
    if part.groups is None or part.groups.count == 1:
        return _risk(part.charged)
    cost = part.groups.charged
    if cost.mu_squared is not None:
        return {"privacy": {"mu": repr(sqrt(cost.mu_squared))}, "guess": guess_after(cost)}
    delta = {"delta": str(cost.delta)} if cost.delta else {}
    return {"privacy": {"epsilon": str(cost.epsilon)} | delta, "guess": guess_after(cost)}


def _plan_facts(made: Plan) -> Iterator[tuple[str, str]]:
    for line in plan_head(made):
        name, colon, text = line.partition(": ")
        if colon:
            yield name, _GOALS[made.goal] if name == "goal" else text


def _plan_part(made: Plan, part: PrivacyPlan, title: str, cost: tuple[str, ...] = ()) -> Json:
    return {
        "title": title,
        "said": [*part.sentences, *cost],
        "lead": sentence(f"the lead is {made.lead_means}"),
        "chances": _chances(made, part.rows),
        "compared": None if part.compared is None else _chances(made, part.compared),
        "needed": [[show(100 * need.right), *(map(needed_lead, need.leads))] for need in part.needs],
        "remarks": part.remarks,
        "asked": page_question(_asked(made, part)),
    }


def _asked(made: Plan, part: PrivacyPlan) -> Asked:
    relation = "add-remove" if (made.groups or 1) > 1 else made.neighbors
    return Asked(made.question, part.privacy, relation, made.max_rows)


def _chances(made: Plan, rows: tuple[LeadRow, ...]) -> Json:
    heads = [(chance.mechanism, case_head(made.question, chance.case)) for chance in rows[0].chances]
    wrong = [
        [None if chance.wrong is None else wrong_float(chance.wrong) for chance in row.chances]
        for row in rows
    ]
    return {"ways": heads, "leads": [row.lead for row in rows], "wrong": wrong}


def _plan_state(made: Plan) -> dict[str, str]:
    """Return what the view Plan of the page shows first: the question of the plan, where it knows it."""
    stated = page_question(_asked(made, made.privacies[0]))
    if stated is None:
        return {}
    changed = {"neighbors": "change-one" if stated.pop("changed") else "add-remove"}
    people = {} if made.people is None else {"people": str(made.people)}
    return {**{name: str(value) for name, value in stated.items()}, **changed, **people}
