# SPDX-License-Identifier: Apache-2.0
"""The application: its commands, and the one place where everything that goes wrong is reported."""

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from rainbowdp.cli.ask import ask_app
from rainbowdp.cli.budget import budget_app
from rainbowdp.cli.command import Group, add
from rainbowdp.cli.keys import HELP as KEYS_HELP
from rainbowdp.cli.keys import keys_command
from rainbowdp.cli.line import HELP as LINE_HELP
from rainbowdp.cli.line import line_command
from rainbowdp.cli.options import Debug
from rainbowdp.cli.output import emit, say
from rainbowdp.cli.plan import plan_app
from rainbowdp.cli.sample import HELP as SAMPLE_HELP
from rainbowdp.cli.sample import sample_command
from rainbowdp.cli.signals import Signals
from rainbowdp.cli.solve import HELP as SOLVE_HELP
from rainbowdp.cli.solve import solve_command
from rainbowdp.cli.usage import FrameworkError, restated
from rainbowdp.cli.verify import HELP as VERIFY_HELP
from rainbowdp.cli.verify import verify_command
from rainbowdp.errors import InternalError, RainbowError, printable

_PROGRAM = "rainbowdp"
_HELP_NAMES = {"help_option_names": ["--help", "-h"]}
_FRAMEWORK_INTERRUPTED = 130

app = typer.Typer(
    name=_PROGRAM,
    help="Answer a question with finitely many answers about private data as well as privacy allows: the "
    "optimal differentially private mechanism, exact and verified.\n\n"
    "Start with rainbowdp ask --help (a table of people) or rainbowdp line --help (the mathematics).",
    cls=Group,
    context_settings=_HELP_NAMES,
    pretty_exceptions_enable=False,
)


def _print_version(value: bool) -> None:
    if value:
        from rainbowdp import __version__

        emit([f"{_PROGRAM} {__version__}"])
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback has done the work
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.add_typer(ask_app, name="ask", cls=Group)
app.add_typer(plan_app, name="plan", cls=Group)
app.add_typer(budget_app, name="budget", cls=Group)
add(app, "keys", keys_command, KEYS_HELP)
add(app, "line", line_command, LINE_HELP)
add(app, "solve", solve_command, SOLVE_HELP)
add(app, "verify", verify_command, VERIFY_HELP)
add(app, "sample", sample_command, SAMPLE_HELP)


def run(arguments: Sequence[str] | None, signals: Signals) -> int:
    """Run the application and return its exit code; see `rainbowdp.cli.main`.

    Raises
    ------
    KeyboardInterrupt
        After a signal, whatever became of it on its way here.
    """
    settings: dict[str, bool] = {}
    command = typer.main.get_command(app)
    try:
        result = command.main(
            args=None if arguments is None else list(arguments),
            prog_name=_PROGRAM,
            standalone_mode=False,
            obj=settings,
        )
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # The last resort hides nothing: --debug shows it all.
        if signals.received is not None:
            raise KeyboardInterrupt from error
        return _report(_as_ours(error), error, settings)
    if result == _FRAMEWORK_INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _as_ours(error: Exception) -> RainbowError:
    """Return the error in the form of ours; what nobody foresaw is a defect."""
    if isinstance(error, RainbowError):
        return error
    if isinstance(error, FrameworkError):
        return restated(error)
    if isinstance(error, MemoryError):
        return InternalError("the memory is used up", help="try a smaller input or a larger machine")
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return InternalError(
        f"internal error, {what}",
        help="this is a defect of rainbowdp: please report it with what --debug shows",
    )


def _report(error: RainbowError, caught: Exception, settings: dict[str, bool]) -> int:
    if settings.get("debug", False):
        lines = "".join(traceback.format_exception(caught)).split("\n")
        sys.stderr.write("\n".join(map(printable, lines)))
    error.help = error.help or f"see {_PROGRAM} --help"
    for line in error.report().split("\n"):
        say(line)
    return error.exit_code
