# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp inspect``: how a table is read, with counts, for its custodian alone."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rainbowdp.cli import options as common
from rainbowdp.cli import questions as asked
from rainbowdp.cli.output import emit, note, steps
from rainbowdp.cli.params import described, filters, new_file, option
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Question
    from rainbowdp.release import Opening
    from rainbowdp.tables import Table

HELP = described(
    "Look at a table before you pay: how its rows and cells are read, for the custodian of the data alone.",
    "It costs nothing, and what it shows is private: it counts rows that cannot be read, with the reasons, "
    "cells by option, the most frequent other texts, and with --unit persons by their number of rows. Mend "
    "spellings and forms by it. Choose no option, edge or threshold from what you see.",
    lines=("rainbowdp inspect people.csv --column vote --options A,B,C",),
)


COLUMN = option("--column COLUMN", asked.COLUMN.help, panel="Question")
PRIVATE = option(
    "--private", "Write also where stdout is not a terminal, such as a file that you keep private."
)
WRITE = option(
    "--write-description FILE",
    "Write a first description of the table, for --describe: separator, header and missing values as they "
    "are read now, and all columns as texts. No row is read for it.",
    new_file,
)


def inspected_question(
    *,
    column: str | None = COLUMN,
    options: Sequence[str] | None = asked.OPTIONS,
    options_file: str | None = asked.OPTIONS_FILE,
    other: str | None = asked.OTHER,
    nulls: str | None = asked.NULLS,
    approval: str | None = asked.APPROVAL,
    equals: str | None = asked.EQUALS,
    edges: Sequence[str] | None = asked.BRACKET_EDGES,
    ordered: Sequence[str] | None = asked.ORDERED,
    total: bool = asked.SUM,
    clamp: Sequence[str] | None = asked.CLAMP,
) -> "Question | str | None":
    """Return a question that reads the cells as the one that will be asked; the column if there is none."""
    from rainbowdp.questions import bracket, yes_no

    declared: Any = {"options": options, "options_file": options_file, "other": other, "approval": approval}
    is_declared = any(value is not None for value in declared.values())
    if column is None:
        others = (equals, nulls, edges, ordered, clamp)
        if total or is_declared or any(value is not None for value in others):
            raise UsageError("a question is given without --column", help="name the column that it is about")
        return None
    if is_declared:
        return asked.winner_question(column=column, nulls=nulls, **declared)
    if equals is not None:
        return yes_no(column, equals=equals, at_least=1, nulls=nulls)
    if total or clamp is not None:
        # Which numbers are read does not depend on the range.
        return yes_no(column, clamp=(0, 1), at_least=1, nulls=nulls)
    if edges is None and ordered is None:
        return column
    return bracket(column, edges=edges or (), ordered=ordered)


def inspect_command(
    *,
    source: str = common.SOURCE,
    question: "Question | str | None",
    unit: str | None = common.UNIT,
    where: list[str] | None = common.WHERE,
    opening: "Opening",
    decimal: str | None = common.DECIMAL,
    private: bool = PRIVATE,
    write_description: Path | None = WRITE,
) -> int:
    """Look at a table; see `HELP`."""
    from rainbowdp.release.inspecting import inspect_table
    from rainbowdp.tables import open_table

    only_describes = write_description is not None and question is None and unit is None
    if not (private or only_describes or sys.stdout.isatty()):
        raise UsageError(
            "what inspect shows is private, and stdout is not a terminal",
            help="leave out what it is sent to, or say --private and keep what is written to yourself",
        )
    column = question if question is None or isinstance(question, str) else question.reading.column
    opening = common.with_decimal(opening, decimal, column)
    with steps("the table") as progress, open_table(source, **opening._asdict()) as opened:
        if write_description is not None:
            _write(write_description, opened)
        if only_describes:
            return 0
        found = inspect_table(opened, question, unit=unit, where=filters(where), progress=progress.share)
    emit(found.lines, for_people=True)
    return 0


def _write(target: Path, table: "Table") -> None:
    """Write a description of a table, and say so."""
    from rainbowdp.formats.files import write_whole
    from rainbowdp.formats.table_descriptions import table_descriptor

    if table.columns is None:
        raise UsageError("JSON lines have no header to describe", help="write the description by hand")
    described = table_descriptor(
        table.columns, table.description, delimiter=table.separator, encoding=table.encoding
    )
    write_whole(target, json.dumps(described, ensure_ascii=False, indent=2) + "\n")
    note(f"the description is in {str(target)!r}: change what is not so, and give it with --describe")


COMMANDS = {
    "inspect": (HELP, asked.with_parts(inspect_command, question=inspected_question, opening=common.opening))
}
"""The command of this module by word: the help, and the function."""
