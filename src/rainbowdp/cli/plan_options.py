# SPDX-License-Identifier: Apache-2.0
"""How the options of ``plan`` are declared: their names, words and help."""

from typing import Annotated

import typer

_EXPECTED = "What is expected"
_PRIVACY = "Privacy (--epsilon, perhaps with --delta; or --mu; or --want and --lead)"

Epsilons = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="LIST",
        help="One or more, separated by commas: 0.1,0.5,'ln 3'. One person's data make no answer more than "
        "e^epsilon times as likely; smaller is more private.",
        rich_help_panel=_PRIVACY,
    ),
]
DeltaOfAll = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="NUMBER",
        help="Additional probability by which each epsilon may be exceeded, such as 1e-6.",
        rich_help_panel=_PRIVACY,
    ),
]
Mus = Annotated[
    str | None,
    typer.Option(
        "--mu",
        metavar="LIST",
        help="Gaussian differential privacy, in place of --epsilon; one or more.",
        rich_help_panel=_PRIVACY,
    ),
]
Want = Annotated[
    str | None,
    typer.Option(
        "--want",
        metavar="NUMBER",
        help="How often the answer is to be right, such as 0.99; with --lead: find the least epsilon.",
        rich_help_panel=_EXPECTED,
    ),
]
Lead = Annotated[
    str | None,
    typer.Option(
        "--lead",
        metavar="PEOPLE|SHARE%",
        help="By how many people the right answer is expected to be ahead of the next one; with --people "
        "also as a share of them: 3%.",
        rich_help_panel=_EXPECTED,
    ),
]
Leads = Annotated[
    str | None,
    typer.Option(
        "--leads",
        metavar="LIST",
        help="The leads to show: a list such as 1,5,20, or a range such as 1:21, which leaves 21 out.",
        rich_help_panel=_EXPECTED,
    ),
]
People = Annotated[
    str | None,
    typer.Option(
        "--people",
        metavar="N",
        help="How many people there are, about: leads are also told as shares of them. It must be public.",
        rich_help_panel=_EXPECTED,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="G",
        help="How many groups will be answered for (ask --by): also tell how often all of them are right.",
        rich_help_panel=_EXPECTED,
    ),
]
Compare = Annotated[
    bool,
    typer.Option(
        "--compare",
        help="Also show the exponential mechanism and permute-and-flip, in a table of their own.",
    ),
]
