# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask``: one question, one table, one answer that may be published."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli import publishing as data
from rainbowdp.cli.framework import add, described, group, option
from rainbowdp.cli.output import emit, emit_json, note, possible_answers, shown_answer, visible, written
from rainbowdp.cli.questions import QUESTIONS, SUMMARIES, with_question
from rainbowdp.cli.values import names, read_where, require_both

if TYPE_CHECKING:
    from rainbowdp.questions import Question
    from rainbowdp.release import Answer, Terms

HELP = (
    "Ask a table of people a question, and get one answer that may be published.\n\n"
    "The answer is drawn at random, with probabilities that hardly change when one person's data change. "
    "Only the answer goes to stdout; the true answer, counts and distances are never shown, logged or "
    "stored. "
    "`rainbowdp plan` says beforehand how often it will be right, and --goal says what it is to be good at."
)
_EXAMPLES = {
    "winner": "--column vote --options A,B,C",
    "ranking": "--column vote --options A,B,C",
    "yes-no": "--column vote --equals A --share 1/2",
    "level": "--column vote --equals A --edges 10,20 --labels low,medium,high",
    "bracket": "--column age --edges 18,65",
}


def ask_command(
    question: "Question",
    *,
    source: data.Source,
    epsilon: common.Epsilon = None,
    delta: common.Delta = None,
    mu: common.Mu = None,
    neighbors: common.Relation = "add-remove",
    unit: common.Unit = None,
    max_rows: common.MaxRows = None,
    where: data.Where = None,
    by: Annotated[
        str | None,
        option(
            "--by COLUMN",
            "Answer once for each of --groups; this column says to which one a row belongs.",
            panel="Data",
        ),
    ] = None,
    groups: Annotated[
        Sequence[str] | None,
        option(
            "--groups LIST",
            "The groups, as the column --by says them, separated by commas. They are public, never read "
            "from the data.",
            names("Bonn,Ulm"),
            panel="Data",
        ),
    ] = None,
    table: data.TableName = None,
    sql: data.Query = None,
    encoding: data.Encoding = None,
    goal: common.Goal = "typical",
    ledger: data.LedgerPlace = None,
    name: data.BudgetName = None,
    request_id: data.RequestId = None,
    receipt: data.ReceiptFile = None,
    output_format: Annotated[Literal["text", "json"], common.format_option("text", "json")] = "text",
) -> int:
    """Answer one question about a table; see `HELP`."""
    from rainbowdp.release import Terms, ask_under
    from rainbowdp.release.receipt import public_part

    asked = common.read_privacy(epsilon, delta, mu)
    require_both("--unit", unit, "--max-rows", max_rows, "give both: --unit COLUMN --max-rows M")
    terms = Terms(
        question=question,
        privacy=asked.notion,
        neighbors=neighbors,
        unit=unit,
        max_rows=max_rows or 1,
        where=read_where(where),
        goal=goal,
        by=by,
        groups=tuple(groups or ()),
    )
    # What cannot be made must be known before anything is charged.
    public = {} if receipt is None else public_part(terms)
    place: dict[str, Any] = {"table": table, "sql": sql, "encoding": encoding}
    budget: dict[str, Any] = {"ledger": ledger, "name": name, "request_id": request_id}
    return data.publish(
        "answer",
        partial(ask_under, terms, source, **place, **budget),
        partial(_announce, terms, asked.typed),
        request_id=request_id,
        target=receipt,
        receipt=lambda answer: answer.receipt_on(public),
        show=_show_json if output_format == "json" else _show_text,
    )


def _announce(terms: "Terms", typed: str, remarks: data.Remarks) -> None:
    """Write what is assumed and what it costs, once the table and the ledger are open, before the draw."""
    from rainbowdp.questions import YesNo

    person = (
        "every row is a person"
        if terms.unit is None
        else f"{terms.unit!r} says whose row it is, and at most {terms.max_rows} of one person count"
    )
    hidden = "joins or leaves" if terms.neighbors == "add-remove" else "changes"
    note(f"privacy hides that one person {hidden}; {person}")
    if not isinstance(terms.question, YesNo):
        note(f"the possible answers are public: {possible_answers(terms.question)}")
    note(f"the mechanism is {terms.mechanism.name!r}, for the goal {terms.goal}")
    for text in (*remarks, *terms.mechanism.notes):
        note(text)
    if len(terms.groups) > 1:
        note(f"the {len(terms.groups)} answers cost {terms.cost.shown()} together; each has {typed}")
    elif terms.mechanism.charged != terms.privacy:
        note(f"the answer costs {str(terms.cost).replace(' ', '=')}: its mechanism makes no use of delta")
    else:
        note(f"the answer costs {typed}")


def _show_json(answer: "Answer") -> None:
    emit_json(answer.json)


def _show_text(answer: "Answer") -> None:
    shown = {group: shown_answer(answer.terms.question, value) for group, value in answer.answers.items()}
    groups = bool(answer.terms.groups)
    emit(visible(f"{written(group)}: {value}" if groups else value) for group, value in shown.items())


APP = group(HELP)
for _kind, _question in QUESTIONS.items():
    _lines = (f"rainbowdp ask {_kind} people.csv", _EXAMPLES[_kind], "--epsilon 1")
    _command = with_question(_question, ask_command)
    add(APP, _kind, _command, described(SUMMARIES[_kind], lines=_lines))
