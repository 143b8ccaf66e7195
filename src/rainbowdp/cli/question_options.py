# SPDX-License-Identifier: Apache-2.0
"""The options that describe a question, shared by the commands that plan and ask, and what they mean.

Options arrive as text; one function per kind of question turns them into a value of
`rainbowdp.questions`, with messages that name the options of the command line.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rainbowdp.cli.data_options import require_declared, require_other_files
from rainbowdp.cli.lists import read_said
from rainbowdp.cli.options import naming, read_choice
from rainbowdp.cli.question_declarations import (
    GOALS,
    RELATIONS,
    AtLeast,
    Clamp,
    Column,
    Edges,
    Equals,
    FalseYes,
    Labels,
    MaxRows,
    NoNulls,
    Nulls,
    NullsAs,
    OfShare,
    OptionalColumn,
    Options,
    OptionsFile,
    Other,
    Quantile,
    Relation,
    Share,
    Sum,
    Top,
    TopSet,
    Unit,
)
from rainbowdp.cli.question_values import (
    read_choices,
    read_clamp,
    read_column,
    read_edges,
    read_labels,
    read_null,
    read_nulls,
    require_measure,
)
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.goals import Goal
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

    read = read_choices(options, options_file, other, nulls)
    with naming("--options" if options_file is None else "--options-file"):
        return winner(read_column(column), read, other=other, nulls=read_nulls(nulls))


def ranking_question(
    *,
    column: Column,
    options: Options = None,
    options_file: OptionsFile = None,
    other: Other = None,
    nulls: Nulls = None,
    top: Top = None,
    top_set: TopSet = None,
) -> "Ranking":
    """Return the question that the options of ``ranking`` describe.

    Raises
    ------
    UsageError, QuestionError, FileUnreadableError
        If there is no list of options, or it cannot be read, or `top` does not fit it.
    """
    from rainbowdp.questions import ranking

    if top is not None and top_set is not None:
        raise UsageError("both --top and --top-set are given", help="give one of them")
    named = "--top" if top_set is None else "--top-set"
    read = read_choices(options, options_file, other, nulls)
    with naming("--options" if options_file is None else "--options-file"):
        asked = ranking(read_column(column), read, other=other, nulls=read_nulls(nulls))
    first = read_count(named, top if top_set is None else top_set)
    if first is None:
        return asked
    with naming(named):
        return replace(asked, top=first, as_set=top_set is not None)


def yes_no_question(
    *,
    column: Column,
    equals: Equals = None,
    at_least: AtLeast = None,
    share: Share = None,
    total: Sum = False,
    clamp: Clamp = None,
    nulls: NullsAs = None,
    false_yes: FalseYes = None,
) -> "YesNo":
    """Return the question that the options of ``yes-no`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If the options are not those of a count, a share or a sum.
    """
    from rainbowdp.exact import parse_fraction
    from rainbowdp.questions import yes_no

    require_measure(equals, clamp, total=total)
    if (at_least is None) == (share is None):
        both = "both --at-least and --share are given" if share is not None else "no line is given"
        raise UsageError(both, help="give --at-least NUMBER or --share P/Q")
    if total and share is not None:
        raise UsageError("--share does not go with --sum", help="give --at-least NUMBER for a sum")
    column, span, null = read_column(column), read_clamp(clamp), read_null(nulls, total=total)
    with naming("--at-least" if share is None else "--share"):
        asked = yes_no(column, equals=equals, at_least=at_least, share=share, clamp=span, nulls=null)
    with naming("--false-yes"):
        return asked if false_yes is None else replace(asked, false_yes=parse_fraction(false_yes))


def level_question(
    *,
    column: Column,
    edges: Edges,
    labels: Labels = None,
    equals: Equals = None,
    share: OfShare = False,
    total: Sum = False,
    clamp: Clamp = None,
    nulls: NullsAs = None,
) -> "Level":
    """Return the question that the options of ``level`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If the options are not those of a count, a share or a sum.
    """
    from rainbowdp.questions import level

    require_measure(equals, clamp, total=total)
    if total and share:
        raise UsageError("--share does not go with --sum", help="give one of them")
    column, span, null = read_column(column), read_clamp(clamp), read_null(nulls, total=total)
    read = read_edges(edges, "1/4,1/2" if share else "10,20.5")
    names = read_labels(labels, read)
    with naming("--edges"):
        return level(column, edges=read, labels=names, equals=equals, share=share, clamp=span, nulls=null)


def bracket_question(
    *,
    column: Column,
    edges: Edges,
    labels: Labels = None,
    quantile: Quantile = "1/2",
    nulls: NoNulls = None,
) -> "Bracket":
    """Return the question that the options of ``bracket`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If edges, labels and quantile do not make one, or empty cells are to lie in a bracket.
    """
    from rainbowdp.questions import bracket

    if read_nulls(nulls) is not None:
        raise UsageError(
            f"--nulls cannot be {nulls!r} here: an empty cell lies in no bracket",
            help="leave it out, or give --nulls ignore: empty cells count for nothing",
            option="--nulls",
        )
    column, read = read_column(column), read_edges(edges, "18,34.5,65")
    names = read_labels(labels, read)
    with naming("--quantile"):
        return bracket(column, edges=read, labels=names, quantile=quantile)


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
    "ranking": "In which order do the options stand, most common first, or which are the first few?",
    "yes-no": "Is there a majority, are there enough people, is a sum large enough: yes or no?",
    "level": "Between which of the numbers that you name does a count, share or sum lie?",
    "bracket": "Between which of the numbers that you name does the median, or another quantile, lie?",
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

    def combined(**values: Any) -> int:  # noqa: ANN401 - what the framework has read
        given = {name: values.pop(name) for name in asked}
        if given["column"] is None:
            given["column"] = ANY_COLUMN
        # Asked before the list is read: what is said of it then is said of the list as it stays.
        require_other_files(values.get("receipt"), given.get("options_file"))
        require_declared(given.get("options_file"), values.get("source"))
        return command(question(**given), **values)

    parameters = [*described, *own]
    combined.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]  # functions have it
    combined.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    combined.__doc__ = command.__doc__
    return combined


def read_count(option: str, number: str | None) -> int | None:
    """Return a whole number of at least 1.

    Raises
    ------
    UsageError
        If it is none.
    """
    from rainbowdp.cli.options import whole_number

    if number is None:
        return None
    read = whole_number(number)
    if read is None or read < 1:
        raise UsageError(
            f"{option} {number!r} is not a whole number of at least 1", help=f"give for example {option} 3"
        )
    return read


def read_goal(goal: str) -> "Goal":
    """Return the goal.

    Raises
    ------
    UsageError
        If there is no such goal.
    """
    read_choice("--goal", goal, GOALS)
    return "guarantee" if goal == "guarantee" else "typical"


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
    if unit is None or max_rows is None:
        return 1
    read_said("--unit", unit, "name the column that says whose row it is")
    number = whole_number(max_rows)
    if number is None or not 1 <= number <= LARGEST_WHOLE:
        raise UsageError(
            f"--max-rows {max_rows!r} is not a whole number from 1 to 2^53",
            help="give for example --max-rows 5",
        )
    return number
