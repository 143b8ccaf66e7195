# SPDX-License-Identifier: Apache-2.0
"""Make a question of its options, for the commands that plan and ask.

What a question refuses about its parameters is told with the name of the option.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rainbowdp.cli import question_declarations as declared
from rainbowdp.cli.data_options import require_declared, require_other_files
from rainbowdp.cli.lists import repeated
from rainbowdp.cli.values import at_most_one, exactly_one, naming, require_both
from rainbowdp.errors import FileUnreadableError, QuestionError, UsageError

if TYPE_CHECKING:
    from rainbowdp.questions import Bracket, Level, Question, Ranking, Winner, YesNo

AnyQuestion = TypeVar("AnyQuestion", "Winner", "Ranking", "YesNo", "Level", "Bracket")

ANY_COLUMN = "any column"
"""The column of a question that is planned without one."""

# Files of tables end their lines in these ways; other line breaks stand inside of names.
_LINE_END = re.compile(r"\r\n|\n|\r")
_LARGEST_LIST = 1 << 26
_QUOTED = re.compile('"((?:[^"]|"")*)"')


def winner_question(
    *,
    column: declared.Column,
    options: declared.Options = None,
    options_file: declared.OptionsFile = None,
    other: declared.Other = None,
    nulls: declared.Nulls = None,
) -> "Winner":
    """Return the question that the options of ``winner`` describe.

    Raises
    ------
    UsageError, QuestionError, FileUnreadableError
        If there is no list of options, or it cannot be read.
    """
    from rainbowdp.questions import winner

    declared = _declared(options, options_file)
    with _naming_list(options):
        asked = winner(column, declared, other=other)
    return _with(asked, "--nulls", nulls=nulls)


def ranking_question(
    *,
    column: declared.Column,
    options: declared.Options = None,
    options_file: declared.OptionsFile = None,
    other: declared.Other = None,
    nulls: declared.Nulls = None,
    top: declared.Top = None,
    top_set: declared.TopSet = None,
) -> "Ranking":
    """Return the question that the options of ``ranking`` describe.

    Raises
    ------
    UsageError, QuestionError, FileUnreadableError
        If there is no list of options, or it cannot be read, or `top` does not fit it.
    """
    from rainbowdp.questions import ranking

    at_most_one("--top", top, "--top-set", top_set, "give one of them")
    declared = _declared(options, options_file)
    with _naming_list(options):
        asked = ranking(column, declared, other=other)
    asked = _with(asked, "--nulls", nulls=nulls)
    asked = _with(asked, "--top", top=top)
    return _with(asked, "--top-set", top=top_set, as_set=None if top_set is None else True)


def yes_no_question(
    *,
    column: declared.Column,
    equals: declared.Equals = None,
    at_least: declared.AtLeast = None,
    share: declared.Share = None,
    total: declared.Sum = False,
    clamp: declared.Clamp = None,
    nulls: declared.NullsAs = None,
    false_yes: declared.FalseYes = None,
) -> "YesNo":
    """Return the question that the options of ``yes-no`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If the options are not those of a count, a share or a sum.
    """
    from rainbowdp.questions import yes_no

    _require_measure(equals, clamp, total=total)
    exactly_one("--at-least", at_least, "--share", share, "give --at-least NUMBER or --share P/Q")
    at_most_one("--share", share, "--sum", total, "give --at-least NUMBER for a sum")
    with naming("--at-least" if share is None else "--share"):
        asked = yes_no(column, equals=equals, at_least=at_least, share=share, clamp=_range(clamp))
    return _with(_with(asked, "--nulls", nulls=nulls), "--false-yes", false_yes=false_yes)


def level_question(
    *,
    column: declared.Column,
    edges: declared.Edges,
    labels: declared.Labels = None,
    equals: declared.Equals = None,
    share: declared.OfShare = False,
    total: declared.Sum = False,
    clamp: declared.Clamp = None,
    nulls: declared.NullsAs = None,
) -> "Level":
    """Return the question that the options of ``level`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If the options are not those of a count, a share or a sum.
    """
    from rainbowdp.questions import level

    _require_measure(equals, clamp, total=total)
    at_most_one("--share", share, "--sum", total, "give one of them")
    with naming("--edges"):
        asked = level(column, edges=edges, equals=equals, share=share, clamp=_range(clamp))
    return _with(_with(asked, "--labels", labels=labels), "--nulls", nulls=nulls)


def bracket_question(
    *,
    column: declared.Column,
    edges: declared.Edges,
    labels: declared.Labels = None,
    quantile: declared.Quantile = "1/2",
    nulls: declared.NoNulls = None,  # noqa: ARG001 - its reader takes nothing but ignore, the default
) -> "Bracket":
    """Return the question that the options of ``bracket`` describe.

    Raises
    ------
    UsageError, QuestionError, NumberError
        If edges, labels and quantile do not make one.
    """
    from rainbowdp.questions import bracket

    with naming("--quantile"):
        asked = bracket(column, edges=edges, quantile=quantile)
    return _with(asked, "--labels", labels=labels)


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
        Its signature declares all these options.
    """
    asked = dict(inspect.signature(question).parameters)
    own = [one for name, one in inspect.signature(command).parameters.items() if name != "question"]
    if not needs_column:
        asked["column"] = asked["column"].replace(annotation=declared.OptionalColumn, default=None)

    def combined(**values: Any) -> int:  # noqa: ANN401 - what the readers have returned
        given = {name: values.pop(name) for name in asked}
        given["column"] = given["column"] or ANY_COLUMN
        # The list of options is not read before it is known to be no input: messages quote it.
        require_other_files(values.get("receipt"), given.get("options_file"))
        require_declared(given.get("options_file"), values.get("source"))
        return command(question(**given), **values)

    signature = inspect.Signature([*asked.values(), *own], return_annotation=int)
    combined.__signature__ = signature  # type: ignore[attr-defined]  # functions have it
    combined.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    combined.__doc__ = command.__doc__
    return combined


def _with(question: AnyQuestion, option: str, **given: object) -> AnyQuestion:
    """Return a question with what an option says, if it is given."""
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    with naming(option):
        return replace(question, **changes)


def _naming_list(options: Sequence[str] | None) -> AbstractContextManager[None]:
    return naming("--options-file" if options is None else "--options")


def _range(clamp: Sequence[str] | None) -> tuple[str, str] | None:
    return None if clamp is None else (clamp[0], clamp[1])


def _require_measure(equals: str | None, clamp: Sequence[str] | None, *, total: bool) -> None:
    """Refuse what is neither a count or share of matching rows nor a sum of clamped values."""
    help = "give the range of one row's value for the sum of a column: --sum --clamp 0,100"
    require_both("--sum", total, "--clamp", clamp, help)
    help = "give --equals VALUE for matching rows, or --sum --clamp LOW,HIGH"
    exactly_one("--equals", equals, "--sum", total, help)


def _declared(options: Sequence[str] | None, options_file: str | None) -> Sequence[str]:
    """Return the declared options, from a list or from a file with one per line."""
    help = "give --options A,B,C or --options-file FILE"
    exactly_one("--options", options, "--options-file", options_file, help)
    return _lines_of(str(options_file)) if options is None else options


def _lines_of(options_file: str) -> tuple[str, ...]:
    content = _content_of(options_file)
    lines = tuple(_unquoted(line.strip()) for line in _LINE_END.split(content) if line.strip())
    if not lines:
        raise QuestionError(f"there is no option in {options_file!r}", help="write one option per line")
    if "" in lines:
        raise UsageError(f"{options_file!r} names an empty option", help="write one option per line")
    twice = repeated(lines)
    if twice is not None:
        raise UsageError(f"{options_file!r} names {twice!r} twice", help="name each option once")
    return lines


def _content_of(options_file: str) -> str:
    def refused(why: str) -> FileUnreadableError:
        help = "give a text file with one option per line, saved as UTF-8"
        return FileUnreadableError(f"cannot read {options_file!r}: {why}", help=help)

    try:
        with Path(options_file).open("rb") as file:
            content = file.read(_LARGEST_LIST + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise refused(str(error.strerror)) from None
    except UnicodeDecodeError:
        raise refused("it is not UTF-8 text") from None
    except ValueError:
        raise refused("there can be no file of this name") from None
    if len(content) > _LARGEST_LIST:
        raise refused(f"it has more than {_LARGEST_LIST >> 20} MiB")
    return text


def _unquoted(line: str) -> str:
    """Return a name without the double quotes that it stands in, as in lists; it needs none in a line."""
    inside = _QUOTED.fullmatch(line)
    return line if inside is None else inside[1].replace('""', '"').strip()
