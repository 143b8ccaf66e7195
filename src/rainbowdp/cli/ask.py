# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask`` and ``rainbowdp keys``: from a table to one answer, or a list, that may be published."""

import contextlib
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from rainbowdp.cli import options as common
from rainbowdp.cli import output
from rainbowdp.cli.options import Goal, Relation
from rainbowdp.cli.output import emit, emit_json, note, written
from rainbowdp.cli.params import described, filters, names, whole
from rainbowdp.cli.progress import Signals, steps
from rainbowdp.cli.questions import COLUMN, QUESTIONS, SUMMARIES, with_question
from rainbowdp.errors import RainbowError, ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Question
    from rainbowdp.release import Answer, Keys, KeyTerms, Terms

Found = TypeVar("Found", "Answer", "Keys")
Remarks = tuple[str, ...]

HELP = (
    "Ask a table of people a question, and get one answer that may be published.\n\n"
    "The answer is drawn at random, with probabilities that hardly change when one person's data change. "
    "Only the answer goes to stdout; the true answer, counts and distances are never shown, logged or "
    "stored. "
    "`rainbowdp plan` says beforehand how often it will be right, and --goal says what it is to be good at."
)
KEYS_HELP = described(
    "Name the categories of a column that may be named: those that enough people have.",
    "You need not know the categories beforehand; so their names are private, too. A category without "
    "people is never named, one that a single person has with probability delta at most, and one that many "
    "people have always; in between, as often as privacy allows. Each line of the result is one category, in "
    "the order of their text; --format json has the exact texts also where characters act on a terminal.",
    lines=(
        "rainbowdp keys visits.csv --column diagnosis",
        "--unit patient --max-keys 3 --epsilon 1 --delta 1e-6",
    ),
)
_EXAMPLES = {
    "winner": "--column vote --options A,B,C",
    "ranking": "--column vote --options A,B,C",
    "yes-no": "--column vote --equals A --share 1/2",
    "level": "--column vote --equals A --edges 10,20 --labels low,medium,high",
    "bracket": "--column age --edges 18,65",
}
BY = common.data(
    "--by COLUMN", "Answer once for each of --groups; this column says to which one a row belongs."
)
GROUPS = common.data(
    "--groups LIST",
    "The groups, as the column --by says them, separated by commas. They are public, never read from the "
    "data.",
    names,
)
KEY_DELTA = common.private(
    "--delta NUMBER",
    "How likely at most a category is named that one person alone has, such as 1e-6.",
    default=...,
)
KEY_EPSILON = common.private("--epsilon NUMBER", common.EPSILON.help, default=...)
MAX_KEYS = common.people(
    "--max-keys K",
    "With --unit: one person counts for at most so many categories, chosen at random; epsilon and delta are "
    "divided by it.",
    whole,
)


def ask_command(
    question: "Question",
    *,
    source: str = common.SOURCE,
    epsilon: str | None = common.EPSILON,
    delta: str | None = common.DELTA,
    mu: str | None = common.MU,
    neighbors: Relation = common.RELATION,
    unit: str | None = common.UNIT,
    max_rows: int | None = common.MAX_ROWS,
    where: list[str] | None = common.WHERE,
    by: str | None = BY,
    groups: Sequence[str] | None = GROUPS,
    table: str | None = common.TABLE,
    sql: str | None = common.SQL,
    encoding: str | None = common.ENCODING,
    describe: Path | None = common.DESCRIBE,
    separator: str | None = common.SEPARATOR,
    decimal: str | None = common.DECIMAL,
    missing: Sequence[str] | None = common.MISSING,
    skip_rows: int | None = common.SKIP_ROWS,
    goal: Goal = common.GOAL,
    ledger: str | None = common.LEDGER,
    name: str | None = common.NAME,
    request_id: str | None = common.REQUEST_ID,
    receipt: Path | None = common.RECEIPT,
    output_format: Literal["text", "json"] = common.TEXT_OR_JSON,
) -> int:
    """Answer one question about a table; see `HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.questions.readings import BracketReading, SumReading
    from rainbowdp.release import Opening, Payment, Terms, ask_under

    asked = common.read_privacy(epsilon, delta, mu)
    require_together("give both: --unit COLUMN --max-rows M", unit=unit, max_rows=max_rows)
    terms = Terms(
        question=question,
        privacy=asked.notion,
        neighbors=neighbors,
        unit=unit,
        max_rows=max_rows or 1,
        where=filters(where),
        goal=goal,
        by=by,
        groups=tuple(groups or ()),
    )
    if receipt is not None:
        # What cannot be made must be known before anything is charged.
        terms.public  # noqa: B018 - a cached property
    payment = Payment(ledger, name, request_id)
    reads_numbers = isinstance(question.reading, SumReading | BracketReading)
    number = question.reading.column if reads_numbers else None
    said = common.read_description(describe, separator, missing, skip_rows, decimal, number=number)
    asking = partial(ask_under, terms, source, Opening(table, sql, encoding, said), payment)
    announce, show = partial(_announce, terms, asked.typed), partial(_show_answer, output_format)
    return _publish("answer", asking, announce, show, request_id=request_id, target=receipt)


def keys_command(
    *,
    source: str = common.SOURCE,
    column: str = COLUMN,
    epsilon: str = KEY_EPSILON,
    delta: str = KEY_DELTA,
    unit: str | None = common.UNIT,
    max_keys: int | None = MAX_KEYS,
    where: list[str] | None = common.WHERE,
    table: str | None = common.TABLE,
    sql: str | None = common.SQL,
    encoding: str | None = common.ENCODING,
    describe: Path | None = common.DESCRIBE,
    separator: str | None = common.SEPARATOR,
    missing: Sequence[str] | None = common.MISSING,
    skip_rows: int | None = common.SKIP_ROWS,
    ledger: str | None = common.LEDGER,
    name: str | None = common.NAME,
    request_id: str | None = common.REQUEST_ID,
    receipt: Path | None = common.RECEIPT,
    output_format: Literal["text", "json"] = common.TEXT_OR_JSON,
) -> int:
    """Name categories; see `KEYS_HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.keys import key_mechanism
    from rainbowdp.release import KeyTerms, Opening, Payment, ask_under

    asked = common.read_privacy(epsilon, delta, None)
    require_together("give both: --unit COLUMN --max-keys K", unit=unit, max_keys=max_keys)
    terms = KeyTerms(column, key_mechanism(epsilon, delta, max_keys or 1), unit, filters(where))
    payment = Payment(ledger, name, request_id)
    said = common.read_description(describe, separator, missing, skip_rows)
    asking = partial(ask_under, terms, source, Opening(table, sql, encoding, said), payment)
    announce, show = partial(_announce_keys, terms, asked.typed), partial(_show_keys, output_format)
    return _publish("list", asking, announce, show, request_id=request_id, target=receipt)


COMMANDS = {
    "ask": (
        HELP,
        {
            kind: (
                described(
                    SUMMARIES[kind], lines=(f"rainbowdp ask {kind} people.csv", example, "--epsilon 1")
                ),
                with_question(QUESTIONS[kind], ask_command),
            )
            for kind, example in _EXAMPLES.items()
        },
    ),
    "keys": (KEYS_HELP, keys_command),
}
"""The commands of this module by word: the help, and the function or the commands under the word."""


def _announce(terms: "Terms", typed: str, remarks: Remarks) -> None:
    """Write what is assumed and what it costs, once the table and the ledger are open, before the draw."""
    from rainbowdp.questions import YesNo

    hidden = "joins or leaves" if terms.neighbors == "add-remove" else "changes"
    note(f"privacy hides that one person {hidden}; {_person(terms.unit, f'{terms.max_rows} of one person')}")
    if not isinstance(terms.question, YesNo):
        note(f"the possible answers are public: {output.possible_answers(terms.question)}")
    note(f"the mechanism is {terms.mechanism.name!r}, for the goal {terms.goal}")
    for text in (*remarks, *terms.mechanism.notes):
        note(text)
    if len(terms.groups) > 1:
        note(f"the {len(terms.groups)} answers cost {terms.cost.shown()} together; each has {typed}")
    elif terms.mechanism.charged != terms.privacy:
        note(f"the answer costs {str(terms.cost).replace(' ', '=')}: its mechanism makes no use of delta")
    else:
        note(f"the answer costs {typed}")


def _announce_keys(terms: "KeyTerms", typed: str, remarks: Remarks) -> None:
    """Write the same about categories."""
    most = f"{terms.mechanism.max_keys} of one person's categories"
    note(f"privacy hides that one person joins or leaves; {_person(terms.unit, most)}")
    note(f"a category that {terms.mechanism.certain_from} people have is always named")
    for text in remarks:
        note(text)
    note(f"the list costs {typed}")


def _person(unit: str | None, most: str) -> str:
    return (
        "every row is a person"
        if unit is None
        else f"{unit!r} says whose row it is, and at most {most} count"
    )


def _show_answer(output_format: str, answer: "Answer") -> None:
    if output_format == "json":
        emit_json(answer.json)
        return
    shown = {
        group: output.shown_answer(answer.terms.question, value) for group, value in answer.answers.items()
    }
    lines = [f"{written(group)}: {value}" if answer.terms.groups else value for group, value in shown.items()]
    emit(map(output.visible, lines))


def _show_keys(output_format: str, found: "Keys") -> None:
    if output_format == "json":
        emit_json(list(found.keys))
    else:
        emit(output.visible(written(key)) for key in found.keys)


def _publish(
    what: str,
    asking: Callable[..., Found],
    announce: Callable[[Remarks], None],
    show: Callable[[Found], None],
    *,
    request_id: str | None,
    target: Path | None,
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
    show : callable
        Writes what was found to stdout.
    request_id : str or None
        As typed.
    target : Path or None
        Where the receipt goes.

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

    with steps() as progress, _noting():
        progress.step("reading the table")
        Signals.load_duckdb()
        found = asking(progress=lambda share: progress.advance(round(1000 * share), 1000), opened=opened)
    for text in found.notes:
        if text not in said:
            note(text)
    if request_id is None and found.request_id is not None:
        note(f"request id {found.request_id}: with it the same {what} can be had again at no cost")
    try:
        if target is not None:
            from rainbowdp.formats.files import replacing

            with replacing(target) as beside:
                beside.write_text(output.json_text(found.receipt) + "\n", encoding="utf-8")
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


@contextlib.contextmanager
def _noting() -> Iterator[None]:
    """Write what is attached to an interrupt, such as a request that was charged, as notes."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        for text in getattr(stopped, "__notes__", ()):
            note(text)
        raise


def _is_receipt(path: Path) -> bool:
    from rainbowdp.cli.verify import read_if_receipt

    with contextlib.suppress(ReceiptError):
        return "receipt" in str((read_if_receipt(path) or {}).get("schema"))
    return False
