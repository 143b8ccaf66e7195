# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask``: one question, one table, one answer that may be published."""

import contextlib
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from rainbowdp.cli import options as common
from rainbowdp.cli.framework import add, described, group, option
from rainbowdp.cli.output import (
    emit,
    emit_json,
    json_text,
    note,
    possible_answers,
    shown_answer,
    visible,
    written,
)
from rainbowdp.cli.progress import Signals, steps
from rainbowdp.cli.questions import QUESTIONS, SUMMARIES, with_question
from rainbowdp.cli.receipts import read_if_receipt
from rainbowdp.cli.values import names, read_where, require_both
from rainbowdp.errors import RainbowError, ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Question
    from rainbowdp.release import Answer, Keys, Terms

Found = TypeVar("Found", "Answer", "Keys")
Remarks = tuple[str, ...]

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
    source: common.Source,
    epsilon: common.Epsilon = None,
    delta: common.Delta = None,
    mu: common.Mu = None,
    neighbors: common.Relation = "add-remove",
    unit: common.Unit = None,
    max_rows: common.MaxRows = None,
    where: common.Where = None,
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
    table: common.TableName = None,
    sql: common.Query = None,
    encoding: common.Encoding = None,
    goal: common.Goal = "typical",
    ledger: common.LedgerPlace = None,
    name: common.BudgetName = None,
    request_id: common.RequestId = None,
    receipt: common.ReceiptFile = None,
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
    return publish(
        "answer",
        partial(ask_under, terms, source, **place, **budget),
        partial(_announce, terms, asked.typed),
        request_id=request_id,
        target=receipt,
        receipt=lambda answer: answer.receipt_on(public),
        show=_show_json if output_format == "json" else _show_text,
    )


def _announce(terms: "Terms", typed: str, remarks: Remarks) -> None:
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


def publish(
    what: str,
    asking: Callable[..., Found],
    announce: Callable[[Remarks], None],
    *,
    request_id: str | None,
    target: Path | None,
    receipt: Callable[[Found], object],
    show: Callable[[Found], None],
) -> int:
    """Ask a table, write the notes and the receipt, show what was found; return the exit code 0.

    Parameters
    ----------
    what : str
        What is asked for, in a word.
    asking : callable
        Takes ``progress``, which is called with the part of the table that has been read, and ``opened``,
        which is called with remarks about the table before it is read; returns what may be published.
    announce : callable
        Writes the notes before the table is read, among them those remarks.
    request_id : str or None
        As typed.
    target : Path or None
        Where the receipt goes.
    receipt : callable
        Makes the receipt of what was found; it must not fail.
    show : callable
        Writes what was found to stdout.

    Raises
    ------
    UsageError
        If the receipt would replace anything but a receipt.
    RainbowError
        As `asking` does; and if the receipt or the result cannot be written, with a help that says how it
        can be had again.
    """
    if target is not None and target.is_file() and target.stat().st_size and not _is_receipt(target):
        raise UsageError(
            f"--receipt would replace {str(target)!r}, which is not a receipt",
            help="write the receipt to a new file",
        )
    said: list[str] = []

    def opened(remarks: Remarks) -> None:
        said.extend(remarks)
        announce(remarks)

    with steps() as progress:
        progress.step("reading the table")
        Signals.load_duckdb()
        try:
            found = asking(progress=lambda share: progress.advance(round(1000 * share), 1000), opened=opened)
        except KeyboardInterrupt as stopped:
            for text in getattr(stopped, "__notes__", ()):
                note(text)
            raise
    for text in found.notes:
        if text not in said:
            note(text)
    if request_id is None and found.request_id is not None:
        note(f"request id {found.request_id}: with it the same {what} can be had again at no cost")
    try:
        if target is not None:
            from rainbowdp.formats.files import replacing

            with replacing(target) as beside:
                beside.write_text(json_text(receipt(found)) + "\n", encoding="utf-8")
        show(found)
    except RainbowError as error:
        again = (
            f"the {what} was drawn and is lost: asking again costs its privacy again"
            if found.request_id is None
            else f"--request-id {shlex.quote(found.request_id)} repeats the {what} at no cost"
        )
        error.help = f"{error.help}; {again}" if error.help else again
        raise
    return 0


def _is_receipt(path: Path) -> bool:
    with contextlib.suppress(ReceiptError):
        return "receipt" in str((read_if_receipt(path) or {}).get("schema"))
    return False


APP = group(HELP)
for _kind, _question in QUESTIONS.items():
    _lines = (f"rainbowdp ask {_kind} people.csv", _EXAMPLES[_kind], "--epsilon 1")
    _command = with_question(_question, ask_command)
    add(APP, _kind, _command, described(SUMMARIES[_kind], lines=_lines))
