# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask``: read a table, and draw one answer that may be published."""

import contextlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rainbowdp.cli import options as common
from rainbowdp.cli import output
from rainbowdp.cli.options import Goal, Relation
from rainbowdp.cli.output import emit, emit_json, note, steps
from rainbowdp.cli.params import described, filters, names, naming
from rainbowdp.cli.questions import QUESTIONS, SUMMARIES, with_parts
from rainbowdp.errors import RainbowError, ReceiptError, UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Question
    from rainbowdp.release import Answer, Keys, Opening, Payment
    from rainbowdp.release.asking import AnyTerms

Found = TypeVar("Found", "Answer", "Keys")

HELP = described(
    "Ask a table of people a question, and get one answer that may be published.",
    "The answer is drawn at random, with probabilities that hardly change when one person's data change. "
    "Only the answer goes to stdout; the true answer, counts and distances are never shown, logged or "
    "stored. "
    "`rainbowdp plan` says beforehand how often it will be right, and --goal says what it is to be good at.",
    lines=("rainbowdp ask winner people.csv --column vote --options A,B,C --epsilon 1",),
)
_EXAMPLES = {
    "winner": "--column vote --options A,B,C",
    "ranking": "--column vote --options A,B,C",
    "yes-no": "--column vote --equals A --share 1/2",
    "level": "--column vote --equals A --edges 10,20 --labels low,medium,high",
    "bracket": "--column age --edges 18,65",
}
BY = common.data(
    "--by COLUMNS",
    "Answer once for each of --groups; this column says to which one a row belongs. Of several columns, "
    "region,sex, once for every combination of their groups.",
)
GROUPS = common.data(
    "--groups LIST",
    "The groups, as the column --by says them, separated by commas; given once for each column of --by, in "
    "their order. They are public, never read from the data.",
)
OTHER_GROUP = common.data(
    "--other-group NAME",
    "A further group of each column of --by, for all other cells, also empty ones; without it their rows "
    "count for nothing.",
)


def ask_command(
    *,
    question: "Question",
    source: str = common.SOURCE,
    epsilon: str | None = common.EPSILON,
    delta: str | None = common.DELTA,
    mu: str | None = common.MU,
    neighbors: Relation = common.RELATION,
    unit: str | None = common.UNIT,
    max_rows: int | None = common.MAX_ROWS,
    where: list[str] | None = common.WHERE,
    by: list[str] | None = BY,
    groups: list[str] | None = GROUPS,
    other_group: str | None = OTHER_GROUP,
    opening: "Opening",
    decimal: str | None = common.DECIMAL,
    goal: Goal = common.GOAL,
    payment: "Payment",
    receipt: Path | None = common.RECEIPT,
    output_format: Literal["text", "json"] = common.TEXT_OR_JSON,
) -> int:
    """Answer one question about a table; see `HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.privacy import privacy_of
    from rainbowdp.questions.readings import reads_numbers
    from rainbowdp.release import Terms

    privacy = privacy_of(epsilon, delta, mu)
    require_together("give both: --unit COLUMN --max-rows M", unit=unit, max_rows=max_rows)
    terms = Terms(
        question=question,
        privacy=privacy,
        neighbors=neighbors,
        unit=unit,
        max_rows=max_rows or 1,
        where=filters(where),
        goal=goal,
        **_groups(by, groups),
        other_group=other_group,
    )
    number = question.reading.column if reads_numbers(question.reading) else None
    opening = common.with_decimal(opening, decimal, number)
    with publishing("answer", terms, source, opening, payment=payment, receipt=receipt) as answer:
        if output_format == "json":
            emit_json(answer.json)
        else:
            emit(map(output.visible, answer.lines))
    return 0


def _groups(by: Sequence[str] | None, groups: Sequence[str] | None) -> dict[str, Any]:
    """Return the columns of groups, and the groups of each, as they were typed."""
    with naming("--by"):
        columns = [column for text in by or () for column in names(text)]
    with naming("--groups"):
        each = tuple(map(names, groups or ()))
    if len(columns) == len(each) == 1:
        return {"by": columns[0], "groups": each[0]}
    return {"by": tuple(columns) or None, "groups": each}


COMMANDS = {
    "ask": (
        HELP,
        {
            kind: (
                described(
                    SUMMARIES[kind], lines=(f"rainbowdp ask {kind} people.csv", example, "--epsilon 1")
                ),
                with_parts(
                    ask_command, question=QUESTIONS[kind], opening=common.opening, payment=common.payment
                ),
            )
            for kind, example in _EXAMPLES.items()
        },
    )
}
"""The command of this module by word: the help, and the commands under the word."""


@contextlib.contextmanager
def publishing(
    what: str,
    terms: "AnyTerms[Found]",
    source: str,
    opening: "Opening",
    *,
    payment: "Payment",
    receipt: Path | None,
) -> "Iterator[Found]":
    """Ask a table, write the notes and the receipt, and yield what was found, to be shown in the block.

    Parameters
    ----------
    what : str
        What is asked for, in a word.
    terms : Terms or KeyTerms
        What is asked, and how privately.
    source, opening, payment
        As of `rainbowdp.release.ask_under`.
    receipt : Path or None
        Where the receipt goes.

    Raises
    ------
    UsageError
        If the receipt would replace anything but the receipt of the same request.
    RainbowError
        As of `ask_under`; and if the receipt or the result cannot be written, with a help that says how it
        can be had again.
    """
    from rainbowdp.release import ask_under

    if receipt is not None and receipt.is_file() and receipt.stat().st_size:
        _check_replaced(receipt, terms.public, payment)
    said: list[str] = []

    def tell(remarks: Iterable[str]) -> None:
        for text in remarks:
            # Those from before the table was read are among those of the answer.
            if text not in said:
                said.append(text)
                note(text)

    with steps("the table") as progress, _noting():
        found = ask_under(terms, source, opening, payment, progress=progress.share, opened=tell)
    tell(found.notes)
    if payment.request_id is None and found.request_id is not None:
        note(f"request id {found.request_id}: with it the same {what} can be had again at no cost")
    try:
        if receipt is not None:
            from rainbowdp.formats.files import write_whole

            write_whole(receipt, output.json_text(found.receipt) + "\n")
        yield found
    except RainbowError as error:
        again = (
            f"the {what} was drawn and is lost: asking again costs its privacy again"
            if found.request_id is None
            else f"--request-id {shlex.quote(found.request_id)} repeats the {what} at no cost"
        )
        error.help = f"{error.help}; {again}" if error.help else again
        raise


@contextlib.contextmanager
def _noting() -> Iterator[None]:
    """Write what is attached to an interrupt, such as a request that was charged, as notes."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        for text in getattr(stopped, "__notes__", ()):
            note(text)
        raise


def _check_replaced(target: Path, asked: Mapping[str, object], payment: "Payment") -> None:
    """Refuse to replace anything but the receipt of the same request."""
    from rainbowdp.cli.receipt import read_if_receipt
    from rainbowdp.release.receipt import is_receipt_of

    content: Mapping[str, object] = {}
    with contextlib.suppress(ReceiptError):
        content = read_if_receipt(target) or {}
    if "receipt" not in str(content.get("schema")):
        what = "which is not a receipt"
    elif not is_receipt_of(content, asked, payment.name, payment.request_id):
        what = "the receipt of another request"
    else:
        return
    raise UsageError(
        f"--receipt would replace {str(target)!r}, {what}", help="write the receipt to a new file"
    )
