# SPDX-License-Identifier: Apache-2.0
"""How the options of a question and of who is protected are declared: their names, words and help."""

from typing import Annotated

import typer

from rainbowdp.cli.completion import choices, files

RELATIONS = ("add-remove", "change-one")
GOALS = ("typical", "guarantee")
_QUESTION = "Question"
_PEOPLE = "Who is protected"

Column = Annotated[
    str,
    typer.Option(
        "--column",
        metavar="COLUMN",
        help="The column that is asked about, by its name in the table.",
        rich_help_panel=_QUESTION,
    ),
]
OptionalColumn = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="COLUMN",
        help="The column that is asked about; a plan does not need it.",
        rich_help_panel=_QUESTION,
    ),
]
Options = Annotated[
    str | None,
    typer.Option(
        "--options",
        metavar="LIST",
        help="All answers that there can be, separated by commas; of several most frequent ones, any may be "
        "named, with equal chances. They are public, never read from the data. A name with a comma stands in "
        "double quotes: 'A,\"B, C\"'.",
        rich_help_panel=_QUESTION,
    ),
]
OptionsFile = Annotated[
    str | None,
    typer.Option(
        "--options-file",
        metavar="FILE",
        help="A file with one option per line, in place of --options.",
        autocompletion=files(".txt", ".csv"),
        rich_help_panel=_QUESTION,
    ),
]
Other = Annotated[
    str | None,
    typer.Option(
        "--other",
        metavar="NAME",
        help="A further option, as which cells count that say anything else; without it they count for "
        "nothing.",
        rich_help_panel=_QUESTION,
    ),
]
Nulls = Annotated[
    str | None,
    typer.Option(
        "--nulls",
        metavar="ignore|OPTION",
        help="The option as which empty cells count; with ignore, as without it, they count for nothing.",
        rich_help_panel=_QUESTION,
    ),
]
NullsAs = Annotated[
    str | None,
    typer.Option(
        "--nulls",
        metavar="ignore|VALUE",
        help="What empty cells are taken to say; with ignore, as without it, they count for nothing.",
        rich_help_panel=_QUESTION,
    ),
]
NoNulls = Annotated[
    str | None,
    typer.Option(
        "--nulls",
        metavar="ignore",
        help="Can only be ignore, as without it: empty cells count for nothing.",
        autocompletion=choices("ignore"),
        rich_help_panel=_QUESTION,
    ),
]
Top = Annotated[
    str | None,
    typer.Option(
        "--top",
        metavar="M",
        help="Name only the first M options, in their order.",
        rich_help_panel=_QUESTION,
    ),
]
TopSet = Annotated[
    str | None,
    typer.Option(
        "--top-set",
        metavar="M",
        help="Name the first M options without their order, as they are declared.",
        rich_help_panel=_QUESTION,
    ),
]
FalseYes = Annotated[
    str | None,
    typer.Option(
        "--false-yes",
        metavar="P",
        help="How often the answer may be yes where one person more would make it true, such as 0.01; less "
        "often further away. A lower chance of a false yes means a higher one of a false no. Without it both "
        "are alike.",
        rich_help_panel=_QUESTION,
    ),
]
Equals = Annotated[
    str | None,
    typer.Option(
        "--equals",
        metavar="VALUE",
        help="Count the rows in which the column says exactly this.",
        rich_help_panel=_QUESTION,
    ),
]
AtLeast = Annotated[
    str | None,
    typer.Option(
        "--at-least",
        metavar="NUMBER",
        help="For a yes: at least so many matching rows, or with --sum a sum of at least this.",
        rich_help_panel=_QUESTION,
    ),
]
Share = Annotated[
    str | None,
    typer.Option(
        "--share",
        metavar="P/Q",
        help="For a yes: at least this share of the rows match. 1/2 asks for a half, 2/3 for two thirds.",
        rich_help_panel=_QUESTION,
    ),
]
OfShare = Annotated[
    bool,
    typer.Option(
        "--share",
        help="--edges are shares of all rows, such as 1/4,1/2, not numbers of rows.",
        rich_help_panel=_QUESTION,
    ),
]
Sum = Annotated[
    bool,
    typer.Option(
        "--sum",
        help="Ask about the sum of the column, not how many rows match; needs --clamp.",
        rich_help_panel=_QUESTION,
    ),
]
Clamp = Annotated[
    str | None,
    typer.Option(
        "--clamp",
        metavar="LOW,HIGH",
        help="For --sum: a value outside of this range counts as its nearer end, so that no row counts for "
        "too much. Plain numbers, decimals with a point, here and in the cells: 0,99.5. The range is public.",
        rich_help_panel=_QUESTION,
    ),
]
Edges = Annotated[
    str,
    typer.Option(
        "--edges",
        metavar="LIST",
        help="The numbers between which the answer lies, rising: 10,20 makes the answers <10, 10..<20 and "
        ">=20. Plain numbers, decimals with a point, here and where cells are numbers: 18,34.5,65. They are "
        "public, never read from the data.",
        rich_help_panel=_QUESTION,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="LIST",
        help="Names of the answers, lowest first, one more than edges: low,medium,high.",
        rich_help_panel=_QUESTION,
    ),
]
Quantile = Annotated[
    str,
    typer.Option(
        "--quantile",
        metavar="P/Q",
        help="Which quantile: 1/2 is the median, 1/4 the lower quartile, 0.9 what nine in ten do not exceed.",
        rich_help_panel=_QUESTION,
    ),
]
GoalOption = Annotated[
    str,
    typer.Option(
        "--goal",
        metavar="|".join(GOALS),
        help="typical: right as often as possible on tables as they occur. guarantee: a chance at "
        "every lead, whatever the other options do. Choose before you look at the "
        "data; rainbowdp plan shows both.",
        autocompletion=choices(*GOALS),
        rich_help_panel=_QUESTION,
    ),
]
Relation = Annotated[
    str,
    typer.Option(
        "--neighbors",
        metavar="|".join(RELATIONS),
        help="What stays hidden: whether a person is in the table at all (add-remove), or what the table "
        "says about a person, while the number of people may be known (change-one).",
        autocompletion=choices(*RELATIONS),
        rich_help_panel=_PEOPLE,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="The column that says whose row it is, such as a patient number, where a person can have "
        "several rows. Without it every row is a person.",
        rich_help_panel=_PEOPLE,
    ),
]
MaxRows = Annotated[
    str | None,
    typer.Option(
        "--max-rows",
        metavar="M",
        help="With --unit: how many rows of one person count at most.",
        rich_help_panel=_PEOPLE,
    ),
]
