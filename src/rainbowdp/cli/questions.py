# SPDX-License-Identifier: Apache-2.0
"""Make a question of the options of its command: ``winner``, ``ranking``, ``yes-no``, ``level``, ``bracket``.

The commands that ask, plan and inspect have these options beside their own, see `with_parts`.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rainbowdp.cli import params
from rainbowdp.errors import FileUnreadableError, UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Bracket, Level, Question, Ranking, Winner, YesNo

# Files of tables end their lines in these ways; other line breaks stand inside of names.
_LINE_END = re.compile(r"\r\n|\n|\r")
_Names = Sequence[str] | None
_Ends = Any  # the two ends, as `params.clamp_ends` returns them
_option = partial(params.option, panel="Question")

COLUMN = _option("--column COLUMN", "The column that is asked about, by its name.", default=...)
ANY_COLUMN = _option("--column COLUMN", "The column that is asked about.", default="any column")
OPTIONS = _option(
    "--options LIST",
    "All answers that there can be, separated by commas; of several most frequent ones, any may be named. "
    "They are public, never read from the data. A name with a comma stands in double quotes: 'A,\"B, C\"'.",
    params.names,
)
OPTIONS_FILE = _option("--options-file FILE", "A file with one option per line, in place of --options.")
OTHER = _option(
    "--other NAME",
    "A further option, as which cells count that say anything else; without it they count for nothing.",
)
NULLS = _option(
    "--nulls ignore|VALUE",
    "The option as which empty cells count, or what they are taken to say; with ignore, as without it, they "
    "count for nothing.",
    lambda text: None if text == "ignore" else text,
)
APPROVAL = _option(
    "--approval SEPARATOR",
    "A cell can hold several options with this between them, such as ';': a person counts for each of them.",
)
NO_NULLS = params.choice(
    "--nulls",
    ("ignore",),
    "Can only be ignore, as without it: an empty cell lies in no bracket.",
    default=None,
    panel="Question",
)
TOP = _option("--top M", "Name only the first M options, in their order.", params.whole)
TOP_SET = _option("--top-set M", "Name the first M options, in the order of --options.", params.whole)
EQUALS = _option("--equals VALUE", "Count the rows in which the column says exactly this.")
SUM = _option("--sum", "Ask about the sum of the column, not how many rows match; needs --clamp.")
CLAMP = _option(
    "--clamp LOW,HIGH",
    "For --sum: a value outside of this range counts as its nearer end, so that no row counts for too much. "
    "Plain numbers, decimals with a point, here and in the cells: 0,99.5. The range is public.",
    params.clamp_ends,
)
AT_LEAST = _option(
    "--at-least NUMBER",
    "For a yes: at least so many matching rows, or with --sum a sum of at least this.",
    params.rational,
)
SHARE = _option(
    "--share P/Q",
    "For a yes: at least this share of the rows match. 1/2 asks for a half, 2/3 for two thirds.",
    params.rational,
)
SHARES = _option("--share", "--edges are shares of all rows, such as 1/4,1/2, not numbers of rows.")
FALSE_YES = _option(
    "--false-yes P",
    "How often the answer may be yes where one person more would make it true, such as 0.01 or 1%; less "
    "often further away. A lower chance of a false yes means a higher one of a false no.",
    params.probability,
)
EDGES = _option(
    "--edges LIST",
    "The numbers between which the answer lies, rising: 10,20 makes the answers <10, 10..<20 and >=20. Plain "
    "numbers, decimals with a point, here and where cells are numbers: 18,34.5,65. They are public, never "
    "read from the data.",
    params.numbers,
    default=...,
)
BRACKET_EDGES = _option(
    "--edges LIST",
    "The numbers or dates between which the answer lies, rising: 10,20 makes the answers <10, 10..<20 and "
    ">=20. Plain numbers, decimals with a point, here and in the cells: 18,34.5,65; or days such as "
    "2020-01-01,2021-01-01. They are public, never read from the data.",
    params.points,
)
ORDERED = _option(
    "--ordered LIST",
    "In place of --edges, where cells say a bracket: all these texts, from the lowest up, such as "
    "'under 30,30-44,45 and over'. They are public, never read from the data.",
    params.names,
)
LABELS = _option(
    "--labels LIST", "Names of the answers, lowest first, one more than edges: low,medium,high.", params.names
)
QUANTILE = _option(
    "--quantile P/Q",
    "Which quantile: 1/2 is the median, 1/4 the lower quartile, 0.9 what nine in ten do not exceed.",
    params.rational,
    default=Fraction(1, 2),
)


def winner_question(
    *,
    column: str = COLUMN,
    options: _Names = OPTIONS,
    options_file: str | None = OPTIONS_FILE,
    other: str | None = OTHER,
    nulls: str | None = NULLS,
    approval: str | None = APPROVAL,
) -> "Winner":
    """Return the question that the options of ``winner`` describe."""
    from rainbowdp.questions import winner

    return winner(column, _declared(options, options_file), other=other, nulls=nulls, approval=approval)


def ranking_question(
    *,
    column: str = COLUMN,
    options: _Names = OPTIONS,
    options_file: str | None = OPTIONS_FILE,
    other: str | None = OTHER,
    nulls: str | None = NULLS,
    top: int | None = TOP,
    top_set: int | None = TOP_SET,
) -> "Ranking":
    """Return the question that the options of ``ranking`` describe."""
    from rainbowdp.questions import ranking

    if top is not None and top_set is not None:
        raise UsageError("both --top and --top-set are given", help="give one of them")
    declared = _declared(options, options_file)
    first = top if top_set is None else top_set
    return ranking(column, declared, other=other, nulls=nulls, top=first, as_set=top_set is not None)


def yes_no_question(
    *,
    column: str = COLUMN,
    equals: str | None = EQUALS,
    at_least: Fraction | None = AT_LEAST,
    share: Fraction | None = SHARE,
    total: bool = SUM,
    clamp: _Ends = CLAMP,
    nulls: str | None = NULLS,
    false_yes: Fraction | None = FALSE_YES,
) -> "YesNo":
    """Return the question that the options of ``yes-no`` describe."""
    from rainbowdp.questions import yes_no

    _require_sum(total=total, clamp=clamp, nulls=nulls)
    limits = {"at_least": at_least, "share": share}
    return yes_no(column, equals=equals, clamp=clamp, nulls=nulls, false_yes=false_yes, **limits)


def level_question(
    *,
    column: str = COLUMN,
    edges: Sequence[str] = EDGES,
    labels: _Names = LABELS,
    equals: str | None = EQUALS,
    share: bool = SHARES,
    total: bool = SUM,
    clamp: _Ends = CLAMP,
    nulls: str | None = NULLS,
) -> "Level":
    """Return the question that the options of ``level`` describe."""
    from rainbowdp.questions import level

    _require_sum(total=total, clamp=clamp, nulls=nulls)
    return level(column, edges=edges, labels=labels, equals=equals, share=share, clamp=clamp, nulls=nulls)


def bracket_question(
    *,
    column: str = COLUMN,
    edges: _Names = BRACKET_EDGES,
    ordered: _Names = ORDERED,
    labels: _Names = LABELS,
    quantile: Fraction = QUANTILE,
    nulls: str | None = NO_NULLS,  # noqa: ARG001 - its reader takes nothing but the default
) -> "Bracket":
    """Return the question that the options of ``bracket`` describe."""
    from rainbowdp.questions import bracket

    return bracket(column, edges=edges or (), ordered=ordered, labels=labels, quantile=quantile)


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
    "bracket": "Between which of the numbers or dates that you name lies the median, or another quantile?",
}
"""Each kind of question in one sentence."""


def with_parts(
    command: Callable[..., int], *, any_column: bool = False, **parts: Callable[..., object]
) -> Callable[..., int]:
    """Return a command that has the options of its parts in its signature, where typer reads them.

    When it is called, each part takes its own options and makes one argument of the inner command, such as
    the question.

    Parameters
    ----------
    command : callable
        Takes what the parts make, by their names, and its own options.
    any_column : bool
        Whether ``--column`` may be left out; a question is planned without one.
    parts : callables
        Each makes one argument of its options, such as a question.

    Returns
    -------
    callable
        Its signature declares all these options.
    """
    of_parts = {name: inspect.signature(part).parameters for name, part in parts.items()}
    options = [
        one.replace(default=ANY_COLUMN) if any_column and one.name == "column" else one
        for name, own in inspect.signature(command).parameters.items()
        for one in (of_parts[name].values() if name in parts else [own])
    ]

    def combined(**values: Any) -> int:  # noqa: ANN401 - what the readers have returned
        require_declared(values.get("options_file"), values.get("source"))
        made = {
            name: part(**{option: values.pop(option) for option in of_parts[name]})
            for name, part in parts.items()
        }
        return command(**made, **values)

    # Typer reads what a command takes from its signature (PEP 362) and its annotations.
    combined.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # functions have it
    combined.__annotations__ = {one.name: one.annotation for one in options}
    return combined


def require_declared(options_file: str | None, source: str | None) -> None:
    """Refuse the table itself as the list of options: messages would show its rows.

    Raises
    ------
    UsageError
        If it is.
    """
    if options_file is None or source is None or not Path(options_file).exists():
        return
    places = ["/dev/stdin"] if source == "-" else [source, *glob(source, recursive=True)]  # noqa: PTH207 - patterns may be absolute
    if any(Path(place).exists() and Path(place).samefile(options_file) for place in places):
        raise UsageError(
            f"--options-file names the table itself, {options_file!r}",
            help="declare all that may be answered in a file of its own; it is never read from the table",
        )


def _require_sum(*, total: bool, clamp: _Ends, nulls: str | None) -> None:
    """Refuse a sum without a range, and empty cells that count as something that cannot be added."""
    if total != (clamp is not None):
        given, missing = ("--sum", "--clamp") if total else ("--clamp", "--sum")
        raise UsageError(f"{given} is given without {missing}", help="give both: --sum --clamp 0,100")
    if clamp is not None and nulls is not None:
        with params.naming("--nulls"):
            params.rational(nulls)


def _declared(options: _Names, options_file: str | None) -> Sequence[str]:
    """Return the declared options, from a list or from a file with one per line."""
    if (options is None) == (options_file is None):
        how_many = "neither --options nor" if options is None else "both --options and"
        raise UsageError(
            f"{how_many} --options-file is given", help="give --options A,B,C or --options-file FILE"
        )
    return _lines_of(str(options_file)) if options is None else options


def _lines_of(options_file: str) -> tuple[str, ...]:
    try:
        content = Path(options_file).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, ValueError) else error.strerror
        raise FileUnreadableError(
            f"cannot read {options_file!r}: {why}",
            help="give a text file with one option per line, saved as UTF-8",
        ) from None
    # A name needs no double quotes here, and may stand in them as in a list.
    return tuple(params.unquoted(line.strip()).strip() for line in _LINE_END.split(content) if line.strip())
