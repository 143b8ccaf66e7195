# SPDX-License-Identifier: Apache-2.0
"""The values of the options that describe a question: read, and refused by the name of their option."""

import re
from pathlib import Path

from rainbowdp.cli.graphs import counted
from rainbowdp.cli.lists import read_list, read_numbers, read_said, repeated
from rainbowdp.cli.options import naming
from rainbowdp.errors import FileUnreadableError, QuestionError, UsageError

# The ends of lines that files of tables have; other signs stand inside of names.
_LINE_END = re.compile(r"\r\n|\n|\r")
_LARGEST_LIST = 1 << 26
_QUOTED = re.compile('"((?:[^"]|"")*)"')


def read_options(options: str | None, options_file: str | None) -> tuple[str, ...]:
    """Return the declared options, from a list or from a file with one per line.

    Raises
    ------
    UsageError
        Unless exactly one of them is given, or if an option stands in it twice.
    FileUnreadableError
        If the file cannot be read.
    """
    if (options is None) == (options_file is None):
        what = "no options are given" if options is None else "both --options and --options-file are given"
        raise UsageError(what, help="give --options A,B,C or --options-file FILE")
    if options is not None:
        return read_list("--options", options, "A,B,C")
    if options_file == "":
        raise UsageError("--options-file '' is empty", help="name a text file with one option per line")
    try:
        with Path(str(options_file)).open("rb") as file:
            content = file.read(_LARGEST_LIST + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            why = error.strerror
        else:
            is_text = not isinstance(error, UnicodeDecodeError)
            why = "there can be no file of this name" if is_text else "it is not UTF-8 text"
        raise FileUnreadableError(
            f"cannot read {str(options_file)!r}: {why}",
            help="give a text file with one option per line, saved as UTF-8",
        ) from None
    if len(content) > _LARGEST_LIST:
        raise FileUnreadableError(
            f"{str(options_file)!r} has more than {_LARGEST_LIST >> 20} MiB",
            help="give a text file with one option per line",
        )
    lines = tuple(_unquoted(line.strip()) for line in _LINE_END.split(text) if line.strip())
    if not lines:
        raise QuestionError(f"there is no option in {str(options_file)!r}", help="write one option per line")
    if "" in lines:
        raise UsageError(f"{str(options_file)!r} names an empty option", help="write one option per line")
    twice = repeated(lines)
    if twice is not None:
        raise UsageError(f"{str(options_file)!r} names {twice!r} twice", help="name each option once")
    return lines


def _unquoted(line: str) -> str:
    """Return a name without the double quotes that it stands in, as in lists; it needs none in a line."""
    inside = _QUOTED.fullmatch(line)
    return line if inside is None else inside[1].replace('""', '"').strip()


def read_column(column: str) -> str:
    """Return the name of the column that is asked about.

    Raises
    ------
    UsageError
        If it is empty, or no text.
    """
    return read_said("--column", column, "give the name of the column, as it stands in the table")


def read_nulls(nulls: str | None) -> str | None:
    """Return as what empty cells count, None for nothing.

    Examples
    --------
    >>> read_nulls("ignore"), read_nulls("no answer")
    (None, 'no answer')
    """
    return None if nulls == "ignore" else nulls


def require_measure(equals: str | None, clamp: str | None, *, total: bool) -> None:
    """Refuse what is neither a count or share of matching rows nor a sum of clamped values.

    Raises
    ------
    UsageError
        With the option that is missing, or one too many.
    """
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
    if equals is not None:
        _require_cell("--equals", equals, "say what a cell must say to count; empty cells say nothing")


def read_choices(
    options: str | None, options_file: str | None, other: str | None, nulls: str | None
) -> tuple[str, ...]:
    """Return the declared options, if there are enough of them with the one that may be named beside them.

    Raises
    ------
    UsageError, FileUnreadableError
        As `read_options`; if there is one answer only, or empty cells are to count as what is none.
    """
    read = read_options(options, options_file)
    all_named = read
    if other is not None:
        more = read_said("--other", other, "name the option as which all other cells count").strip()
        all_named = read if more in read else (*read, more)
    if len(all_named) < 2:
        place = "--options" if options_file is None else repr(options_file)
        raise UsageError(
            f"{place} names one option, and a question needs at least two",
            help="declare all that may be answered; they are never read from the table",
        )
    null = read_nulls(nulls)
    if null is not None and null.strip() not in all_named:
        raise UsageError(
            f"--nulls is to count empty cells as {null!r}, which is no option",
            help="give one of the options, or --nulls ignore: empty cells count for nothing",
            option="--nulls",
        )
    return read


def read_null(nulls: str | None, *, total: bool) -> str | None:
    """Return what an empty cell is taken to say where no options are declared; for a sum it is a number.

    Raises
    ------
    UsageError, NumberError
        If it is empty, or no number.
    """
    from rainbowdp.exact import parse_fraction

    null = read_nulls(nulls)
    if null is not None:
        _require_cell("--nulls", null, "say what empty cells count as, or ignore")
    if null is not None and total:
        with naming("--nulls"):
            parse_fraction(null)
    return null


def _require_cell(option: str, text: str, help: str) -> None:
    """Refuse what no cell can say."""
    from rainbowdp.questions.measures import CountOf

    read_said(option, text, help)
    with naming(option):
        CountOf(text)


def read_clamp(clamp: str | None) -> tuple[str, str] | None:
    """Return the two ends of the range into which values are moved.

    Raises
    ------
    UsageError, NumberError, QuestionError
        If they are no two numbers, the least first.
    """
    from rainbowdp.exact import parse_fraction
    from rainbowdp.questions.measures import SumOf

    if clamp is None:
        return None
    parts = read_numbers("--clamp", clamp, "0,99.5", parse_fraction)
    if len(parts) != 2:
        raise UsageError(
            f"--clamp {clamp!r} is no range",
            help="give the least and the greatest value, decimals with a point: --clamp 0,100",
            option="--clamp",
        )
    low, high = map(parse_fraction, parts)
    with naming("--clamp"):
        SumOf(low, high)
    return parts[0], parts[1]


def read_edges(edges: str, example: str) -> tuple[str, ...]:
    """Return the texts of the edges.

    Raises
    ------
    UsageError, NumberError, QuestionError
        If they are no numbers, each above the one before.
    """
    from rainbowdp.exact import parse_fraction
    from rainbowdp.questions.thresholds import ascending

    read = read_numbers("--edges", edges, example, parse_fraction)
    try:
        ascending(map(parse_fraction, read))
    except QuestionError as error:
        raise QuestionError(
            f"--edges: {error.what}", help=f"{error.help}; decimals have a point: 34.5, not 34,5"
        ) from None
    return read


def read_labels(labels: str | None, edges: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names of what lies between the edges, None if they are not named.

    Raises
    ------
    UsageError
        If they are no list of different names, one more than edges.
    """
    if labels is None:
        return None
    names = read_list("--labels", labels, "low,high")
    if len(names) != len(edges) + 1:
        raise UsageError(
            f"--labels names {counted(len(names), 'answer')}, and there are {len(edges) + 1}: one more than "
            "edges",
            help=f"give {len(edges) + 1} labels, lowest first, or leave --labels out",
            option="--labels",
        )
    return names
