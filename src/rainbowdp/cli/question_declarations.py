# SPDX-License-Identifier: Apache-2.0
"""How the options of a question and of who is protected are declared: their names, words and help."""

from typing import Annotated

import typer

from rainbowdp.cli.completion import choices, files

RELATIONS = ("add-remove", "change-one")
_QUESTION = "Question"
_PEOPLE = "Who is protected"

Column = Annotated[
    str,
    typer.Option(
        "--column", metavar="COLUMN", help="The column with the answers.", rich_help_panel=_QUESTION
    ),
]
OptionalColumn = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="COLUMN",
        help="The column with the answers; a plan does not need it.",
        rich_help_panel=_QUESTION,
    ),
]
Options = Annotated[
    str | None,
    typer.Option(
        "--options",
        metavar="LIST",
        help="All that can be answered, separated by commas; of equals the one named first wins. They are "
        "public, never read from the data. A name with a comma stands in double quotes.",
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
        help="A further option as which all other cells count; otherwise they count for nothing.",
        rich_help_panel=_QUESTION,
    ),
]
Nulls = Annotated[
    str | None,
    typer.Option(
        "--nulls",
        metavar="ignore|OPTION",
        help="As what empty cells count; otherwise for nothing.",
        rich_help_panel=_QUESTION,
    ),
]
Equals = Annotated[
    str | None,
    typer.Option(
        "--equals", metavar="VALUE", help="What a matching cell says, exactly.", rich_help_panel=_QUESTION
    ),
]
AtLeast = Annotated[
    str | None,
    typer.Option(
        "--at-least",
        metavar="NUMBER",
        help="The least count, or with --sum the least sum, for a yes.",
        rich_help_panel=_QUESTION,
    ),
]
Share = Annotated[
    str | None,
    typer.Option(
        "--share",
        metavar="P/Q",
        help="The least share of matching rows for a yes: 1/2 asks for a majority, 2/3 for two thirds.",
        rich_help_panel=_QUESTION,
    ),
]
OfShare = Annotated[
    bool,
    typer.Option("--share", help="The edges are shares of all rows, not counts.", rich_help_panel=_QUESTION),
]
Sum = Annotated[
    bool, typer.Option("--sum", help="Ask about the sum of the column.", rich_help_panel=_QUESTION)
]
Clamp = Annotated[
    str | None,
    typer.Option(
        "--clamp",
        metavar="LOW,HIGH",
        help="For --sum: every value is moved into this range first. It decides how much one row can count.",
        rich_help_panel=_QUESTION,
    ),
]
Edges = Annotated[
    str,
    typer.Option(
        "--edges",
        metavar="LIST",
        help="Where the answers meet, rising: 10,20 gives <10, 10..<20 and >=20. They are public, never "
        "read from the data.",
        rich_help_panel=_QUESTION,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels", metavar="LIST", help="Names of the answers, lowest first.", rich_help_panel=_QUESTION
    ),
]
Quantile = Annotated[
    str,
    typer.Option(
        "--quantile",
        metavar="P/Q",
        help="Which quantile: 1/2 is the median, 1/4 the lower quartile.",
        rich_help_panel=_QUESTION,
    ),
]
Relation = Annotated[
    str,
    typer.Option(
        "--neighbors",
        metavar="|".join(RELATIONS),
        help="What is to stay hidden: that one person's row is there at all, or what one row says.",
        autocompletion=choices(*RELATIONS),
        rich_help_panel=_PEOPLE,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="The column that says whose row it is, where a person has several.",
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
