# SPDX-License-Identifier: Apache-2.0
"""The options that describe a question, shared by the commands that plan and ask, and what they mean.

Options arrive as text; one function per kind of question turns them into a value of
`rainbowdp.questions`, with messages that name the options of the command line.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rainbowdp.cli.options import read_choice
from rainbowdp.cli.question_declarations import (
    RELATIONS,
    AtLeast,
    Clamp,
    Column,
    Edges,
    Equals,
    Labels,
    MaxRows,
    Nulls,
    OfShare,
    OptionalColumn,
    Options,
    OptionsFile,
    Other,
    Quantile,
    Relation,
    Share,
    Sum,
    Unit,
)
from rainbowdp.errors import FileUnreadableError, QuestionError, UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Bracket, Level, Neighbors, Question, Ranking, Winner, YesNo

__all__ = [
    "ANY_COLUMN",
    "QUESTIONS",
    "RELATIONS",
    "SUMMARIES",
    "MaxRows",
    "Relation",
    "Unit",
    "bracket_question",
    "level_question",
    "ranking_question",
    "read_nulls",
    "read_options",
    "read_relation",
    "read_rows",
    "winner_question",
    "with_question",
    "yes_no_question",
]

ANY_COLUMN = "any column"
"""The column of a question that is planned without one."""


def winner_question(
    *,
    column: Column,
    options: Options = None,
    options_file: OptionsFile = None,
    other: Other = None,
    nulls: Nulls = None,
) -> "Winner":
    """Return the question that the options of ``winner`` describe.

    Raises
    ------
    UsageError, QuestionError, FileUnreadableError
        If there is no list of options, or it cannot be read.
    """
    from rainbowdp.questions import winner

    return winner(column, read_options(options, options_file), other=other, nulls=read_nulls(nulls))


def ranking_question(
    *,
    column: Column,
    options: Options = None,
    options_file: OptionsFile = None,
    other: Other = None,
    nulls: Nulls = None,
) -> "Ranking":
    """Return the question that the options of ``ranking`` describe.

    Raises
    ------
    UsageError, QuestionError, FileUnreadableError
        If there is no list of options, or it cannot be read.
    """
    from rainbowdp.questions import ranking

    return ranking(column, read_options(options, options_file), other=other, nulls=read_nulls(nulls))


def yes_no_question(
    *,
    column: Column,
    equals: Equals = None,
    at_least: AtLeast = None,
    share: Share = None,
    total: Sum = False,
    clamp: Clamp = None,
    nulls: Nulls = None,
) -> "YesNo":
    """Return the question that the options of ``yes-no`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If the options are not those of a count, a share or a sum.
    """
    from rainbowdp.questions import yes_no

    _require_measure(equals, clamp, total=total)
    if (at_least is None) == (share is None):
        both = "both --at-least and --share are given" if share is not None else "no line is given"
        raise UsageError(both, help="give --at-least NUMBER or --share P/Q")
    if total and share is not None:
        raise UsageError("--share does not go with --sum", help="give --at-least NUMBER for a sum")
    return yes_no(
        column,
        equals=equals,
        at_least=at_least,
        share=share,
        clamp=_read_clamp(clamp),
        nulls=read_nulls(nulls),
    )


def level_question(
    *,
    column: Column,
    edges: Edges,
    labels: Labels = None,
    equals: Equals = None,
    share: OfShare = False,
    total: Sum = False,
    clamp: Clamp = None,
    nulls: Nulls = None,
) -> "Level":
    """Return the question that the options of ``level`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If the options are not those of a count, a share or a sum.
    """
    from rainbowdp.questions import level

    _require_measure(equals, clamp, total=total)
    if total and share:
        raise UsageError("--share does not go with --sum", help="give one of them")
    return level(
        column,
        edges=_split(edges),
        labels=_split_labels(labels),
        equals=equals,
        share=share,
        clamp=_read_clamp(clamp),
        nulls=read_nulls(nulls),
    )


def bracket_question(
    *, column: Column, edges: Edges, labels: Labels = None, quantile: Quantile = "1/2"
) -> "Bracket":
    """Return the question that the options of ``bracket`` describe.

    Raises
    ------
    QuestionError, NumberError
        If edges, labels and quantile do not make one.
    """
    from rainbowdp.questions import bracket

    return bracket(column, edges=_split(edges), labels=_split_labels(labels), quantile=quantile)


QUESTIONS: Mapping[str, Callable[..., "Question"]] = {
    "winner": winner_question,
    "ranking": ranking_question,
    "yes-no": yes_no_question,
    "level": level_question,
    "bracket": bracket_question,
}
"""What makes a question of its options, by kind."""

SUMMARIES: Mapping[str, str] = {
    "winner": "Which option do most people have: the winner, the most common value (the mode)?",
    "ranking": "In which order do the options stand, most common first?",
    "yes-no": "Is there a majority, are there enough people, is a sum large enough: yes or no?",
    "level": "Which of the declared levels does a count, share or sum have?",
    "bracket": "In which declared bracket does the median, or another quantile, lie?",
}
"""Each kind of question in one sentence."""


def with_question(
    question: Callable[..., "Question"], command: Callable[..., int], *, needs_column: bool = True
) -> Callable[..., int]:
    """Return a command that has the options of a question beside its own.

    Parameters
    ----------
    question : callable
        One of `QUESTIONS`.
    command : callable
        Takes the question as ``question``, and its own options by name.
    needs_column : bool
        Whether ``--column`` must be given; a question is planned without one.

    Returns
    -------
    callable
        Declares all these options to the framework.
    """
    asked = inspect.signature(question).parameters
    own = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(command).parameters.items()
        if name != "question"
    ]
    described = [
        parameter.replace(annotation=OptionalColumn, default=None)
        if name == "column" and not needs_column
        else parameter
        for name, parameter in asked.items()
    ]

    def combined(**values: object) -> int:
        given = {name: values.pop(name) for name in asked}
        if given["column"] is None:
            given["column"] = ANY_COLUMN
        return command(question(**given), **values)

    parameters = [*described, *own]
    combined.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]  # functions have it
    combined.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    combined.__doc__ = command.__doc__
    return combined


def read_options(options: str | None, options_file: str | None) -> tuple[str, ...]:
    """Return the declared options, from a list or from a file with one per line.

    Raises
    ------
    UsageError
        Unless exactly one of them is given.
    FileUnreadableError
        If the file cannot be read.
    """
    from rainbowdp.rainbow import split_list

    if (options is None) == (options_file is None):
        what = "no options are given" if options is None else "both --options and --options-file are given"
        raise UsageError(what, help="give --options A,B,C or --options-file FILE")
    if options is not None:
        return split_list(options)
    try:
        text = Path(str(options_file)).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise FileUnreadableError(
            f"cannot read {str(options_file)!r}: {why}", help="give a text file with one option per line"
        ) from None
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not lines:
        raise QuestionError(f"there is no option in {str(options_file)!r}", help="write one option per line")
    return lines


def read_nulls(nulls: str | None) -> str | None:
    """Return as what empty cells count, None for nothing.

    Examples
    --------
    >>> read_nulls("ignore"), read_nulls("no answer")
    (None, 'no answer')
    """
    return None if nulls == "ignore" else nulls


def read_relation(neighbors: str) -> "Neighbors":
    """Return the neighbor relation.

    Raises
    ------
    UsageError
        If there is no such relation.
    """
    read_choice("--neighbors", neighbors, RELATIONS)
    return "change-one" if neighbors == "change-one" else "add-remove"


def read_rows(unit: str | None, max_rows: str | None) -> int:
    """Return how many rows of one person count at most: 1 where every row is a person.

    Raises
    ------
    UsageError
        If one of the two options is missing, or the number is no whole number from 1 to 2^53.
    """
    from rainbowdp.cli.options import LARGEST_WHOLE, whole_number

    if (unit is None) != (max_rows is None):
        missing = "--max-rows" if max_rows is None else "--unit"
        given = "--unit" if max_rows is None else "--max-rows"
        raise UsageError(
            f"{given} is given without {missing}", help="give --unit COLUMN --max-rows M together"
        )
    if max_rows is None:
        return 1
    number = whole_number(max_rows)
    if number is None or not 1 <= number <= LARGEST_WHOLE:
        raise UsageError(
            f"--max-rows {max_rows!r} is not a whole number from 1 to 2^53",
            help="give for example --max-rows 5",
        )
    return number


def _require_measure(equals: str | None, clamp: str | None, *, total: bool) -> None:
    if total and equals is not None:
        raise UsageError(
            "--equals does not go with --sum", help="give --sum --clamp LOW,HIGH, or --equals VALUE"
        )
    if total and clamp is None:
        raise UsageError(
            "--sum is given without --clamp",
            help="give the least and greatest value that one row may add, such as --clamp 0,100",
        )
    if not total and clamp is not None:
        raise UsageError("--clamp is given without --sum", help="give both for the sum of a column")
    if not total and equals is None:
        raise UsageError(
            "nothing is counted", help="give --equals VALUE for matching rows, or --sum --clamp LOW,HIGH"
        )


def _read_clamp(clamp: str | None) -> tuple[str, str] | None:
    if clamp is None:
        return None
    parts = _split(clamp)
    if len(parts) != 2:
        raise UsageError(
            f"--clamp {clamp!r} is no range", help="give the least and the greatest value: 0,100"
        )
    return parts[0], parts[1]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _split_labels(labels: str | None) -> tuple[str, ...] | None:
    from rainbowdp.rainbow import split_list

    return None if labels is None else split_list(labels)
