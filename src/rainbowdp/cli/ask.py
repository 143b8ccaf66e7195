# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask``: one question, one table, one answer that may be published."""

from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli.answers import possible_answers, possible_texts, shown_answer
from rainbowdp.cli.command import add
from rainbowdp.cli.data_options import (
    BudgetName,
    By,
    Encoding,
    Groups,
    LedgerPlace,
    Query,
    ReceiptFile,
    RequestId,
    Source,
    TableName,
    Where,
    ask_and_publish,
    receipt_path,
    require_payer,
    require_source,
)
from rainbowdp.cli.lists import read_list, read_said, read_where, written
from rainbowdp.cli.options import (
    Debug,
    Delta,
    Epsilon,
    Mu,
    described,
    format_option,
    read_choice,
    read_privacy,
    require_text,
)
from rainbowdp.cli.output import emit, emit_json, note, require_signs, visible
from rainbowdp.cli.question_declarations import GoalOption
from rainbowdp.cli.question_options import (
    QUESTIONS,
    SUMMARIES,
    MaxRows,
    Relation,
    Unit,
    read_goal,
    read_relation,
    read_rows,
    with_question,
)
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Question
    from rainbowdp.release import Answer, Terms
    from rainbowdp.tables.source import Progress

FORMATS = ("text", "json")

HELP = (
    "Ask a table of people a question, and get one answer that may be published.\n\n"
    "The answer is drawn at random, with probabilities that hardly change when one person's data change. "
    "Only the answer goes to stdout; the true answer, counts and distances are never shown, logged or "
    "stored. "
    "`rainbowdp plan` says beforehand how often it will be right, and --goal says what it is to be good at."
)


def ask_command(
    question: "Question",
    *,
    source: Source,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    neighbors: Relation = "add-remove",
    unit: Unit = None,
    max_rows: MaxRows = None,
    where: Where = None,
    by: By = None,
    groups: Groups = None,
    table: TableName = None,
    sql: Query = None,
    encoding: Encoding = None,
    goal: GoalOption = "typical",
    ledger: LedgerPlace = None,
    name: BudgetName = None,
    request_id: RequestId = None,
    receipt: ReceiptFile = None,
    output_format: Annotated[str, format_option(*FORMATS)] = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Answer one question about a table; see `HELP`."""
    from rainbowdp.release import Terms, ask_under
    from rainbowdp.release.receipt import public_part

    chosen = read_choice("--format", output_format, FORMATS)
    asked = read_privacy(epsilon, delta, mu)
    terms = Terms(
        question=question,
        privacy=asked.notion,
        neighbors=read_relation(neighbors),
        unit=unit,
        max_rows=read_rows(unit, max_rows),
        where=read_where(where),
        goal=read_goal(goal),
        by=by,
        groups=_read_groups(by, groups),
    )
    require_source(source)
    require_payer(ledger, name, request_id)
    query = None if sql is None else require_text("--sql", sql)
    target = receipt_path(receipt, source, ledger)
    if chosen != "json":
        # A refusal after the draw would say which answer was drawn.
        require_signs([*possible_texts(question), *terms.groups])

    # What cannot be made must be known before anything is charged.
    public = {} if target is None else public_part(terms)
    said: list[str] = []

    def opened(remarks: tuple[str, ...]) -> None:
        said.extend(remarks)
        announce(terms, asked.typed, remarks)

    def asking(progress: "Progress") -> "Answer":
        return ask_under(
            terms,
            source,
            table=table,
            sql=query,
            encoding=encoding,
            ledger=ledger,
            name=name,
            request_id=request_id,
            progress=progress,
            opened=opened,
        )

    def show(answer: "Answer") -> None:
        if chosen == "json":
            emit_json(answer.json)
        else:
            emit(map(visible, _lines(answer)))

    def receipt_of(answer: "Answer") -> dict[str, object]:
        return answer.receipt_on(public)

    return ask_and_publish(
        "answer", asking, asked_id=request_id, target=target, receipt=receipt_of, show=show, said=said
    )


def announce(terms: "Terms", typed: str, remarks: tuple[str, ...]) -> None:
    """Say what is taken for granted, and what it costs, before anything is drawn.

    Whatever can be opened has been opened by then: what is refused before has cost nothing.
    """
    from rainbowdp.questions import YesNo

    person = (
        "every row is a person"
        if terms.unit is None
        else (f"{terms.unit!r} says whose row it is, and at most {terms.max_rows} of one person count")
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


def _read_groups(by: str | None, groups: str | None) -> tuple[str, ...]:
    if (by is None) != (groups is None):
        missing, present = ("--groups", "--by") if groups is None else ("--by", "--groups")
        raise UsageError(
            f"{present} is given without {missing}",
            help="give both, for example --by city --groups Bonn,Ulm; groups are declared, never read from "
            "the table",
        )
    if by is None or groups is None:
        return ()
    read_said("--by", by, "name the column that says to which group a row belongs")
    return read_list("--groups", groups, "Bonn,Ulm")


def _lines(answer: "Answer") -> list[str]:
    shown = {group: shown_answer(answer.terms.question, value) for group, value in answer.answers.items()}
    if not answer.terms.groups:
        return list(shown.values())
    return [f"{written(group)}: {value}" for group, value in shown.items()]


ask_app = typer.Typer(help=HELP)
for _kind, _question in QUESTIONS.items():
    _example = {
        "winner": ("--column vote --options A,B,C",),
        "ranking": ("--column vote --options A,B,C",),
        "yes-no": ("--column vote --equals A --share 1/2",),
        "level": ("--column vote --equals A --edges 10,20 --labels low,medium,high",),
        "bracket": ("--column age --edges 18,65",),
    }[_kind]
    add(
        ask_app,
        _kind,
        with_question(_question, ask_command),
        described(SUMMARIES[_kind], lines=(f"rainbowdp ask {_kind} people.csv", *_example, "--epsilon 1")),
    )
