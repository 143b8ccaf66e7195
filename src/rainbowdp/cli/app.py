# SPDX-License-Identifier: Apache-2.0
"""Make the application of its commands, run it, and report every error in one place.

Typer's usage errors are restated in our form: what was wrong, with the value, and what to do.
"""

import os
import re
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from rainbowdp.cli.framework import Group, add, option
from rainbowdp.cli.output import emit, say
from rainbowdp.cli.progress import Signals
from rainbowdp.errors import FileWriteError, InternalError, RainbowError, UsageError, did_you_mean, printable

COMMANDS = {
    "ask": lambda: import_module("rainbowdp.cli.ask"),
    "plan": lambda: import_module("rainbowdp.cli.plan"),
    "budget": lambda: import_module("rainbowdp.cli.budget"),
    "keys": lambda: import_module("rainbowdp.cli.keys"),
    "line": lambda: import_module("rainbowdp.cli.line"),
    "solve": lambda: import_module("rainbowdp.cli.solve"),
    "verify": lambda: import_module("rainbowdp.cli.verify"),
    "sample": lambda: import_module("rainbowdp.cli.sample"),
}
"""What loads the module of each command. In it stands a function ``NAME_command`` with its ``HELP``, or an
``APP`` of several commands."""

_PROGRAM = "rainbowdp"
_COMPLETING = "_RAINBOWDP_COMPLETE"
_FRAMEWORK_INTERRUPTED = 130
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


def _root(
    context: typer.Context,
    version: Annotated[bool, option("--version", "Print the version.")] = False,
    debug: Annotated[
        bool, option("--debug", "With an error, also show where in the program it arose.")
    ] = False,
) -> None:
    context.obj["debug"] = debug
    if version:
        from rainbowdp import __version__

        emit([f"{_PROGRAM} {__version__}"])
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.get_help()


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
    for name in names or COMMANDS:
        module = COMMANDS[name]()
        if hasattr(module, "APP"):
            made.add_typer(module.APP, name=name, cls=Group)
        else:
            add(made, name, getattr(module, f"{name}_command"), module.HELP)
    return made


def needed(words: Sequence[str]) -> typer.Typer:
    """Return the application with the command that these words name first, or with all of them.

    The list in the help, the search for a misspelled command and completions need all of them.
    """
    named = words[:1] if words and words[0] in COMMANDS and _COMPLETING not in os.environ else ()
    return application(*named)


def run(arguments: Sequence[str] | None, signals: Signals) -> int:
    """Run the application and return its exit code; see `rainbowdp.cli.main`.

    Raises
    ------
    KeyboardInterrupt
        After a signal, also where a library turned its exception into another one.
    """
    if sys.stdout is None:
        # Python has none where it was closed from the start; an answer would be charged and lost.
        return _report(FileWriteError("stdout is closed", help="leave it open, or send it to a file"))
    settings = {"debug": False}
    words = sys.argv[1:] if arguments is None else list(arguments)
    command = typer.main.get_command(needed(words))
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
        return _report(_as_ours(error))
    if result == _FRAMEWORK_INTERRUPTED:
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


def _report(error: RainbowError) -> int:
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
