# SPDX-License-Identifier: Apache-2.0
"""Declare the options of ``plan``: their names, help and readers."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

from rainbowdp.cli.framework import option
from rainbowdp.cli.values import distances, probability, whole
from rainbowdp.errors import UsageError

_EXPECTED = "What is expected"
_PRIVACY = "Privacy (--epsilon, perhaps with --delta; or --mu; or --want and --lead)"


def _between_0_and_1(option: str, text: str) -> Fraction:
    number = probability(option, text)
    if not 0 < number < 1:
        raise UsageError(
            f"{option} {text!r} is no number between 0 and 1",
            help=f"give for example {option} 0.99",
            option=option,
        )
    return number


def _lead(option: str, text: str) -> int | str:
    """Read a number of people, or a share of them, which stays a text that ends in a percent sign."""
    return text if text.strip().endswith("%") else whole("40")(option, text)


def _leads(option: str, text: str) -> Sequence[int]:
    found = list(distances(option, text))
    if min(found) < 1:
        raise UsageError(f"{option} {text!r} has a lead below 1", help="begin with 1, as in 1:21")
    return found


Epsilons = Annotated[
    str | None,
    option(
        "--epsilon LIST",
        "One or more, separated by commas: 0.1,0.5,'ln 3'. One person's data make no answer more than "
        "e^epsilon times as likely; smaller is more private.",
        panel=_PRIVACY,
    ),
]
DeltaOfAll = Annotated[
    str | None,
    option(
        "--delta NUMBER",
        "Additional probability by which each epsilon may be exceeded, such as 1e-6.",
        panel=_PRIVACY,
    ),
]
Mus = Annotated[
    str | None,
    option("--mu LIST", "Gaussian differential privacy, in place of --epsilon; one or more.", panel=_PRIVACY),
]
Want = Annotated[
    Fraction | None,
    option(
        "--want NUMBER",
        "How often the answer is to be right, such as 0.99; with --lead: find the least epsilon.",
        _between_0_and_1,
        panel=_EXPECTED,
    ),
]
Lead = Annotated[
    # A whole number, or a share as text.
    Any,
    option(
        "--lead PEOPLE|SHARE%",
        "By how many people the right answer is expected to be ahead of the next one; with --people "
        "also as a share of them: 3%.",
        _lead,
        panel=_EXPECTED,
    ),
]
Leads = Annotated[
    Sequence[int] | None,
    option(
        "--leads LIST",
        "The leads to show: a list such as 1,5,20, or a range such as 1:21, which leaves 21 out.",
        _leads,
        panel=_EXPECTED,
    ),
]
People = Annotated[
    int | None,
    option(
        "--people N",
        "How many people there are, about: leads are also told as shares of them. It must be public.",
        whole("1000"),
        panel=_EXPECTED,
    ),
]
Groups = Annotated[
    int | None,
    option(
        "--groups G",
        "How many groups will be answered for (ask --by): also tell how often all of them are right.",
        whole("12"),
        panel=_EXPECTED,
    ),
]
Compare = Annotated[
    bool,
    option("--compare", "Also show the exponential mechanism and permute-and-flip, in a table of their own."),
]
