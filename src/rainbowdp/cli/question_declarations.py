# SPDX-License-Identifier: Apache-2.0
"""Declare the options of a question and of who is protected: their names, help and readers."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, Literal

from rainbowdp.cli.completion import choices, files
from rainbowdp.cli.framework import option
from rainbowdp.cli.lists import clamp, edges, names
from rainbowdp.cli.values import naming, one_of, probability, text_with, whole
from rainbowdp.errors import UsageError

_RELATIONS = ("add-remove", "change-one")
_GOALS = ("typical", "guarantee")
_QUESTION = "Question"
_PEOPLE = "Who is protected"
_SAY_NULLS = "say what empty cells count as, or ignore"

COLUMN = text_with("give the name of the column, as it stands in the table")
"""Reads the name of a column."""


def _nulls(option: str, text: str) -> str | None:
    """Read as what empty cells count: None for nothing."""
    return None if text == "ignore" else text_with(_SAY_NULLS)(option, text)


def _cell(help: str) -> Callable[[str, str], str]:
    """Return the reader of what a cell can say."""

    def read(option: str, text: str) -> str:
        from rainbowdp.questions.measures import CountOf

        text_with(help)(option, text)
        with naming(option):
            CountOf(text)
        return text

    return read


def _no_nulls(option: str, text: str) -> None:
    if text != "ignore":
        raise UsageError(
            f"{option} cannot be {text!r} here: an empty cell lies in no bracket",
            help=f"leave it out, or give {option} ignore: empty cells count for nothing",
            option=option,
        )


def _nulls_as(option: str, text: str) -> str | None:
    return None if text == "ignore" else _cell(_SAY_NULLS)(option, text)


Column = Annotated[
    str,
    option(
        "--column COLUMN",
        "The column that is asked about, by its name in the table.",
        COLUMN,
        panel=_QUESTION,
    ),
]
OptionalColumn = Annotated[
    str | None,
    option(
        "--column COLUMN", "The column that is asked about; a plan does not need it.", COLUMN, panel=_QUESTION
    ),
]
Options = Annotated[
    Sequence[str] | None,
    option(
        "--options LIST",
        "All answers that there can be, separated by commas; of several most frequent ones, any may be "
        "named, with equal chances. They are public, never read from the data. A name with a comma stands in "
        "double quotes: 'A,\"B, C\"'.",
        names("A,B,C"),
        panel=_QUESTION,
    ),
]
OptionsFile = Annotated[
    str | None,
    option(
        "--options-file FILE",
        "A file with one option per line, in place of --options.",
        text_with("name a text file with one option per line"),
        panel=_QUESTION,
        complete=files(".txt", ".csv"),
    ),
]
Other = Annotated[
    str | None,
    option(
        "--other NAME",
        "A further option, as which cells count that say anything else; without it they count for nothing.",
        text_with("name the option as which all other cells count"),
        panel=_QUESTION,
    ),
]
Nulls = Annotated[
    str | None,
    option(
        "--nulls ignore|OPTION",
        "The option as which empty cells count; with ignore, as without it, they count for nothing.",
        _nulls,
        panel=_QUESTION,
    ),
]
NullsAs = Annotated[
    str | None,
    option(
        "--nulls ignore|VALUE",
        "What empty cells are taken to say; with ignore, as without it, they count for nothing.",
        _nulls_as,
        panel=_QUESTION,
    ),
]
NoNulls = Annotated[
    str | None,
    option(
        "--nulls ignore",
        "Can only be ignore, as without it: empty cells count for nothing.",
        _no_nulls,
        panel=_QUESTION,
        complete=choices("ignore"),
    ),
]
Top = Annotated[
    int | None,
    option("--top M", "Name only the first M options, in their order.", whole("3"), panel=_QUESTION),
]
TopSet = Annotated[
    int | None,
    option(
        "--top-set M",
        "Name the first M options without their order, as they are declared.",
        whole("3"),
        panel=_QUESTION,
    ),
]
FalseYes = Annotated[
    Fraction | None,
    option(
        "--false-yes P",
        "How often the answer may be yes where one person more would make it true, such as 0.01 or 1%; less "
        "often further away. A lower chance of a false yes means a higher one of a false no. Without it both "
        "are alike.",
        probability,
        panel=_QUESTION,
    ),
]
Equals = Annotated[
    str | None,
    option(
        "--equals VALUE",
        "Count the rows in which the column says exactly this.",
        _cell("say what a cell must say to count; empty cells say nothing"),
        panel=_QUESTION,
    ),
]
AtLeast = Annotated[
    str | None,
    option(
        "--at-least NUMBER",
        "For a yes: at least so many matching rows, or with --sum a sum of at least this.",
        panel=_QUESTION,
    ),
]
Share = Annotated[
    str | None,
    option(
        "--share P/Q",
        "For a yes: at least this share of the rows match. 1/2 asks for a half, 2/3 for two thirds.",
        panel=_QUESTION,
    ),
]
OfShare = Annotated[
    bool,
    option(
        "--share", "--edges are shares of all rows, such as 1/4,1/2, not numbers of rows.", panel=_QUESTION
    ),
]
Sum = Annotated[
    bool,
    option(
        "--sum", "Ask about the sum of the column, not how many rows match; needs --clamp.", panel=_QUESTION
    ),
]
Clamp = Annotated[
    Sequence[str] | None,
    option(
        "--clamp LOW,HIGH",
        "For --sum: a value outside of this range counts as its nearer end, so that no row counts for "
        "too much. Plain numbers, decimals with a point, here and in the cells: 0,99.5. The range is public.",
        clamp,
        panel=_QUESTION,
    ),
]
Edges = Annotated[
    Sequence[str],
    option(
        "--edges LIST",
        "The numbers between which the answer lies, rising: 10,20 makes the answers <10, 10..<20 and "
        ">=20. Plain numbers, decimals with a point, here and where cells are numbers: 18,34.5,65. They are "
        "public, never read from the data.",
        edges,
        panel=_QUESTION,
    ),
]
Labels = Annotated[
    Sequence[str] | None,
    option(
        "--labels LIST",
        "Names of the answers, lowest first, one more than edges: low,medium,high.",
        names("low,high"),
        panel=_QUESTION,
    ),
]
Quantile = Annotated[
    str,
    option(
        "--quantile P/Q",
        "Which quantile: 1/2 is the median, 1/4 the lower quartile, 0.9 what nine in ten do not exceed.",
        panel=_QUESTION,
    ),
]
GoalOption = Annotated[
    Literal["typical", "guarantee"],
    option(
        f"--goal {'|'.join(_GOALS)}",
        "typical: right as often as possible on tables as they occur. guarantee: a chance at "
        "every lead, whatever the other options do. Choose before you look at the "
        "data; rainbowdp plan shows both.",
        one_of(*_GOALS),
        panel=_QUESTION,
        complete=choices(*_GOALS),
    ),
]
Relation = Annotated[
    Literal["add-remove", "change-one"],
    option(
        f"--neighbors {'|'.join(_RELATIONS)}",
        "What stays hidden: whether a person is in the table at all (add-remove), or what the table "
        "says about a person, while the number of people may be known (change-one).",
        one_of(*_RELATIONS),
        panel=_PEOPLE,
        complete=choices(*_RELATIONS),
    ),
]
Unit = Annotated[
    str | None,
    option(
        "--unit COLUMN",
        "The column that says whose row it is, such as a patient number, where a person can have "
        "several rows. Without it every row is a person.",
        text_with("name the column that says whose row it is"),
        panel=_PEOPLE,
    ),
]
MaxRows = Annotated[
    int | None,
    option(
        "--max-rows M", "With --unit: how many rows of one person count at most.", whole("5"), panel=_PEOPLE
    ),
]
