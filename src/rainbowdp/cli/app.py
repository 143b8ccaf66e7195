# SPDX-License-Identifier: Apache-2.0
"""Make the application of its commands, run it, and report every error in one place.

Typer's usage errors are restated in our form: what was wrong, with the value, and what to do.
"""

import contextlib
import functools
import io
import os
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from rainbowdp import __version__
from rainbowdp.cli import Signals
from rainbowdp.cli.output import emit, say
from rainbowdp.cli.params import option
from rainbowdp.errors import FileWriteError, InternalError, RainbowError, UsageError, did_you_mean, printable

if TYPE_CHECKING:
    Context = Any

HEADINGS = {
    **dict.fromkeys(("inspect", "ask", "plan", "keys", "budget", "receipt"), "Tables of people"),
    **dict.fromkeys(("solve", "line", "verify", "sample"), "Graphs of datasets"),
    **dict.fromkeys(("explore", "doctor"), "Tools"),
}
"""The commands in the order of the help, each with the heading above it. The module of a command has its
name; its own ``COMMANDS`` has, by word, the help, and the function or the commands under the word."""

_PROGRAM = "rainbowdp"
_ARGUMENT = re.compile(r"`(\w+)`")
_COMPLETING = "_RAINBOWDP_COMPLETE"
_TYPER_INTERRUPTED = 130
_QUESTIONS = {
    "winner": "mode most-common most-frequent plurality argmax max top histogram",
    "ranking": "rank order top-k sort",
    "yes-no": "majority threshold quorum above-threshold yesno",
    "level": "count sum total",
    "bracket": "median quantile quantiles percentile quartile mean average avg",
}
_REMARKS = {
    **dict.fromkeys(("count", "sum", "total"), "the number itself is never published; "),
    **dict.fromkeys(("mean", "average", "avg"), "a mean cannot be asked for, a median can; "),
    "histogram": "counts are never published; ",
}


class _Help:
    """Print help through `emit`, without the blanks that fill lines up.

    A blank after a backslash would end the command of an example that is copied into a shell.
    """

    def format_help(self, ctx: "Context", formatter: Any) -> None:  # noqa: ANN401 - typer's own
        """Print the help."""
        from typer import rich_utils

        # Otherwise some environments, such as a service for tests, have colors written into a file.
        rich_utils.FORCE_TERMINAL = False
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            super().format_help(ctx, formatter)  # type: ignore[misc]  # of the command that this is mixed into
        emit(line.rstrip() for line in printed.getvalue().rstrip().split("\n"))

    def get_params(self, ctx: "Context") -> list[Any]:
        """Return the options and arguments; flags, also typer's own, are shown without a type."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # as above
        for flag in (parameter for parameter in parameters if getattr(parameter, "is_flag", False)):
            flag.metavar = ""
        return parameters


class Command(_Help, TyperCommand):
    """A command that refuses to guess which of several values of one option is meant."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Read the options; raise a `UsageError` if an option that has one value is given twice."""
        if not ctx.resilient_parsing:
            _require_once(self.make_parser(ctx).parse_args([*args])[-1])
        return super().parse_args(ctx, args)

    def invoke(self, ctx: "Context") -> Any:  # noqa: ANN401 - typer's own
        """Run the command; an error about an argument of a function below names the option instead."""
        options = {one.name: one.opts[-1] for one in self.params if one.param_type_name == "option"}
        try:
            return super().invoke(ctx)
        except RainbowError as error:
            for part in ("what", "help"):
                text = _ARGUMENT.sub(lambda found: options.get(found[1], found[0]), getattr(error, part))
                setattr(error, part, text)
            raise


class Group(_Help, TyperGroup):
    """Commands under one word; without a command their help is printed."""

    def list_commands(self, ctx: "Context") -> list[str]:
        """Return the names of the commands in the order of the help."""
        order = [*HEADINGS, *super().list_commands(ctx)]
        return sorted(super().list_commands(ctx), key=order.index)


def _require_once(order: list[Any]) -> None:
    if any(parameter.name == "help" for parameter in order):
        return
    for parameter, count in Counter(order).items():
        single = parameter.param_type_name == "option" and not parameter.is_flag and not parameter.multiple
        if single and count > 1:
            name = max(parameter.opts, key=len)
            times = "twice" if count == 2 else f"{count} times"
            raise UsageError(f"{name} is given {times}", help=f"give {name} once", option=name)


_VERSION = option("--version", "Print the version.")
_CITE = option("--cite", "Print how to cite, as text and as BibTeX.")
_DEBUG = option("--debug", "With an error, also show where in the program it arose.")


def _root(context: typer.Context, version: bool = _VERSION, cite: bool = _CITE, debug: bool = _DEBUG) -> None:
    context.obj["debug"] = debug
    if version:
        emit([f"{_PROGRAM} {__version__}"])
        raise typer.Exit
    if cite:
        text = Path(__file__).with_name("citation.txt").read_text(encoding="utf-8")
        emit(text.replace("@VERSION@", __version__).splitlines())
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.get_help()


@functools.cache
def application(*names: str) -> typer.Typer:
    """Return the application with some of its commands, or all of them if none is named."""
    made = typer.Typer(
        name=_PROGRAM,
        help="Answer a question with finitely many answers about private data as well as privacy allows: the "
        "optimal differentially private mechanism, exact and verified.\n\n"
        "Start with rainbowdp ask --help (a table of people) or rainbowdp line --help (the mathematics).",
        cls=Group,
        context_settings={"help_option_names": ["--help", "-h"]},
        pretty_exceptions_enable=False,
    )
    made.callback(invoke_without_command=True)(_root)
    for name in names or HEADINGS:
        help, command = import_module(f"rainbowdp.cli.{name}").COMMANDS[name]
        _add(made, name, help, command, HEADINGS[name])
    return made


def _add(
    to: typer.Typer,
    name: str,
    help: str,
    command: Callable[..., int] | dict[str, Any],
    heading: str = "Commands",
) -> None:
    """Add a command, or the commands under one word, to an application."""
    if callable(command):
        to.command(name, cls=Command, help=help, rich_help_panel=heading)(command)
        return
    under = typer.Typer(help=help, cls=Group)

    @under.callback(invoke_without_command=True)
    def root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            context.get_help()

    for word, (about, function) in command.items():
        _add(under, word, about, function)
    to.add_typer(under, name=name, cls=Group, rich_help_panel=heading)


def application_for(words: Sequence[str]) -> typer.Typer:
    """Return the application with the command that these words name first, or with all of them.

    The list in the help, the search for a misspelled command and completions need all of them.
    """
    named = words[:1] if words and words[0] in HEADINGS and _COMPLETING not in os.environ else ()
    return application(*named)


# Making the commands of typer takes half of the time of a short command, so a process does it once for each.
_made = functools.cache(typer.main.get_command)


def run(arguments: Sequence[str] | None, signals: Signals) -> int:
    """Run the application and return its exit code; see `rainbowdp.cli.main`.

    Raises
    ------
    KeyboardInterrupt
        After a signal, also where a library turned its exception into another one.
    """
    if sys.stdout is None:
        # Python has none where it was closed from the start; an answer would be charged and lost.
        return _tell(FileWriteError("stdout is closed", help="leave it open, or send it to a file"))
    settings = {"debug": False}
    words = sys.argv[1:] if arguments is None else list(arguments)
    command = _made(application_for(words))
    try:
        result = command.main(args=words, prog_name=_PROGRAM, standalone_mode=False, obj=settings)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if signals.received is not None:
            raise KeyboardInterrupt from error
        if settings["debug"]:
            for line in "".join(traceback.format_exception(error)).splitlines():
                sys.stderr.write(f"{printable(line)}\n")
        return _tell(_as_ours(error))
    if result == _TYPER_INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _as_ours(error: Exception) -> RainbowError:
    """Return the error in the form of ours; an unforeseen one is a defect.

    The message of an unforeseen error may quote a cell, so only its type is repeated.
    """
    if isinstance(error, RainbowError):
        return error
    if isinstance(error, TyperException):
        return restated(error)
    if isinstance(error, MemoryError):
        return InternalError("the memory is used up", help="try a smaller input or a larger machine")
    return InternalError(
        f"internal error, {type(error).__name__}",
        help="this is a defect of rainbowdp: please report it with what rainbowdp --debug shows",
    )


def _tell(error: RainbowError) -> int:
    error.help = error.help or f"see {_PROGRAM} --help"
    for line in error.report().split("\n"):
        say(line)
    return error.exit_code


def restated(error: TyperException) -> UsageError:
    """Return the usage error that says what typer's error says.

    Its help line names the closest option or command, or where to read on.
    """
    facts: dict[str, Any] = vars(error)
    context = facts.get("ctx")
    read_on = f"see {context.command_path if context is not None else 'rainbowdp'} --help"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    parameter = facts.get("param")
    if "possibilities" in facts:
        name = str(facts["option_name"])
        first = f"it stands first: rainbowdp {name} ..." if name == "--debug" else ""
        close = first or did_you_mean(name, _option_names(context))
        return UsageError(f"there is no option {name}", help=close or read_on, option=name)
    if found := re.match(r"No such command '(.*?)'\.", message, re.DOTALL):
        commands = list(getattr(getattr(context, "command", None), "commands", {}))
        close = _known_elsewhere(found[1], context, commands) or did_you_mean(found[1], commands)
        hint = close or f"the commands are {', '.join(commands)}"
        return UsageError(f"there is no command {found[1]!r}", help=hint, command=found[1])
    if parameter is not None and type(error).__name__ == "MissingParameter":
        name = _shown_name(parameter)
        about = " ".join(str(getattr(parameter, "help", "") or "").split())
        return UsageError(
            f"{name} is missing", help=f"{about} ({read_on})" if about else read_on, option=name
        )
    return UsageError(_lowered(message), help=read_on)


def _known_elsewhere(word: str, context: Any, commands: Sequence[str]) -> str:  # noqa: ANN401 - a context of typer
    """Return the command for a name from statistics, or for a question without its ``ask`` or ``plan``."""
    typed = word.strip().casefold().replace("_", "-")
    path = str(getattr(context, "command_path", ""))
    if set(_QUESTIONS) <= set(commands):
        before = path
    elif "ask" in commands:
        before = f"{path} ask"
    else:
        return ""
    from rainbowdp.cli.questions import SUMMARIES

    for kind, words in _QUESTIONS.items():
        if typed == kind or typed in words.split():
            return f"{_REMARKS.get(typed, '')}try {before} {kind}: {_lowered(SUMMARIES[kind])}"
    return ""


def _option_names(context: Any) -> list[str]:  # noqa: ANN401 - a context of typer
    parameters = [] if context is None else context.command.get_params(context)
    return [name for parameter in parameters for name in parameter.opts if name.startswith("--")]


def _shown_name(parameter: Any) -> str:  # noqa: ANN401 - a parameter of typer
    options = [name for name in parameter.opts if name.startswith("--")]
    return f"the option {options[0]}" if options else f"the argument {parameter.metavar or parameter.name}"


def _lowered(message: str) -> str:
    words = " ".join(message.split()).removesuffix(".")
    return words[:1].lower() + words[1:]
