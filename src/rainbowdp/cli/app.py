# SPDX-License-Identifier: Apache-2.0
"""The application: its commands, and the one place where everything that goes wrong is reported."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from rainbowdp.cli.command import Group, add
from rainbowdp.cli.options import Debug
from rainbowdp.cli.output import emit, say
from rainbowdp.cli.signals import Signals
from rainbowdp.cli.usage import FrameworkError, restated
from rainbowdp.errors import InternalError, RainbowError, printable

_PROGRAM = "rainbowdp"
_HELP_NAMES = {"help_option_names": ["--help", "-h"]}
_COMPLETING = "_RAINBOWDP_COMPLETE"
_FRAMEWORK_INTERRUPTED = 130


def _print_version(value: bool) -> None:
    if value:
        from rainbowdp import __version__

        emit([f"{_PROGRAM} {__version__}"])
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback has done the work
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _add_ask(to: typer.Typer) -> None:
    from rainbowdp.cli.ask import ask_app

    to.add_typer(ask_app, name="ask", cls=Group)


def _add_plan(to: typer.Typer) -> None:
    from rainbowdp.cli.plan import plan_app

    to.add_typer(plan_app, name="plan", cls=Group)


def _add_budget(to: typer.Typer) -> None:
    from rainbowdp.cli.budget import budget_app

    to.add_typer(budget_app, name="budget", cls=Group)


def _add_keys(to: typer.Typer) -> None:
    from rainbowdp.cli.keys import HELP, keys_command

    add(to, "keys", keys_command, HELP)


def _add_line(to: typer.Typer) -> None:
    from rainbowdp.cli.line import HELP, line_command

    add(to, "line", line_command, HELP)


def _add_solve(to: typer.Typer) -> None:
    from rainbowdp.cli.solve import HELP, solve_command

    add(to, "solve", solve_command, HELP)


def _add_verify(to: typer.Typer) -> None:
    from rainbowdp.cli.verify import HELP, verify_command

    add(to, "verify", verify_command, HELP)


def _add_sample(to: typer.Typer) -> None:
    from rainbowdp.cli.sample import HELP, sample_command

    add(to, "sample", sample_command, HELP)


COMMANDS = {
    "ask": _add_ask,
    "plan": _add_plan,
    "budget": _add_budget,
    "keys": _add_keys,
    "line": _add_line,
    "solve": _add_solve,
    "verify": _add_verify,
    "sample": _add_sample,
}
"""The commands, each by what loads and adds it."""


# The commands that read no table of people.
_WITHOUT_PEOPLE = frozenset(COMMANDS) - {"ask", "keys"}


def application(*names: str) -> typer.Typer:
    """Return the application with some of its commands, or all of them if none is named."""
    made = typer.Typer(
        name=_PROGRAM,
        help="Answer a question with finitely many answers about private data as well as privacy allows: the "
        "optimal differentially private mechanism, exact and verified.\n\n"
        "Start with rainbowdp ask --help (a table of people) or rainbowdp line --help (the mathematics).",
        cls=Group,
        context_settings=_HELP_NAMES,
        pretty_exceptions_enable=False,
    )
    made.callback(invoke_without_command=True)(_root)
    for name in names or COMMANDS:
        COMMANDS[name](made)
    return made


def needed(words: Sequence[str]) -> typer.Typer:
    """Return the application with what these words can ask for.

    A word in front that is a command says that no other one is meant. Everything else may need all of them:
    the list in the help, what was meant by a word that is no command, completions.
    """
    named = words[:1] if words and words[0] in COMMANDS and _COMPLETING not in os.environ else ()
    return application(*named)


def run(arguments: Sequence[str] | None, signals: Signals) -> int:
    """Run the application and return its exit code; see `rainbowdp.cli.main`.

    Raises
    ------
    KeyboardInterrupt
        After a signal, whatever became of it on its way here.
    """
    settings: dict[str, bool] = {}
    words = sys.argv[1:] if arguments is None else list(arguments)
    command = typer.main.get_command(needed(words))
    try:
        result = command.main(
            args=None if arguments is None else words,
            prog_name=_PROGRAM,
            standalone_mode=False,
            obj=settings,
        )
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # The last resort: whatever nobody foresaw is told as a defect, and ends with an exit code of its own.
        if signals.received is not None:
            raise KeyboardInterrupt from error
        sees_people = next((word for word in words if word in COMMANDS), "") not in _WITHOUT_PEOPLE
        told = _as_ours(error, sees_people=sees_people)
        if settings.get("debug", False):
            lines = _traceback_without_values(error) if sees_people else traceback.format_exception(error)
            sys.stderr.write("\n".join(map(printable, "".join(lines).split("\n"))))
        return _report(told)
    if result == _FRAMEWORK_INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _as_ours(error: Exception, *, sees_people: bool) -> RainbowError:
    """Return the error in the form of ours; what nobody foresaw is a defect.

    What a library says may quote a cell, so nothing of it is repeated where a table of people was read.
    """
    if isinstance(error, RainbowError):
        return error
    if isinstance(error, FrameworkError):
        return restated(error)
    if isinstance(error, MemoryError):
        return InternalError("the memory is used up", help="try a smaller input or a larger machine")
    what = type(error).__name__ if sees_people else f"{type(error).__name__}: {error}".splitlines()[0]
    return InternalError(
        f"internal error, {what}",
        help="this is a defect of rainbowdp: please report it with what --debug shows",
    )


def _traceback_without_values(error: Exception) -> list[str]:
    """Return where an error and those before it arose, and what they say as far as it is ours."""
    chain: list[BaseException] = []
    found: BaseException | None = error
    while found is not None and all(found is not one for one in chain):
        chain.append(found)
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    lines = []
    for one in reversed(chain):
        said = f": {one}" if isinstance(one, RainbowError) else ""
        lines += ["Traceback (most recent call last):\n", *traceback.format_tb(one.__traceback__)]
        lines.append(f"{type(one).__name__}{said}\n")
    return lines


def _report(error: RainbowError) -> int:
    error.help = error.help or f"see {_PROGRAM} --help"
    for line in error.report().split("\n"):
        say(line)
    return error.exit_code
