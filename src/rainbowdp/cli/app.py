# SPDX-License-Identifier: Apache-2.0
"""The application: its commands, and the one place where everything that goes wrong is reported."""

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from rainbowdp.cli.line import HELP as LINE_HELP
from rainbowdp.cli.line import line_command
from rainbowdp.cli.options import Debug
from rainbowdp.cli.output import emit, say
from rainbowdp.cli.sample import HELP as SAMPLE_HELP
from rainbowdp.cli.sample import sample_command
from rainbowdp.cli.solve import HELP as SOLVE_HELP
from rainbowdp.cli.solve import solve_command
from rainbowdp.cli.usage import FrameworkError, restated
from rainbowdp.cli.verify import HELP as VERIFY_HELP
from rainbowdp.cli.verify import verify_command
from rainbowdp.errors import InternalError, RainbowError

INTERRUPTED_EXIT = 130
_PROGRAM = "rainbowdp"
_HELP_NAMES = {"help_option_names": ["--help", "-h"]}

app = typer.Typer(
    name=_PROGRAM,
    help="Answer a question with finitely many answers about private data as well as privacy allows: the "
    "optimal differentially private mechanism, exact and verified.\n\nStart with: rainbowdp line --help",
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


app.command("line", help=LINE_HELP)(line_command)
app.command("solve", help=SOLVE_HELP)(solve_command)
app.command("verify", help=VERIFY_HELP)(verify_command)
app.command("sample", help=SAMPLE_HELP)(sample_command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the application and return its exit code; see `rainbowdp.cli.main`."""
    settings: dict[str, bool] = {}
    command = typer.main.get_command(app)
    try:
        result = command.main(
            args=None if arguments is None else list(arguments),
            prog_name=_PROGRAM,
            standalone_mode=False,
            obj=settings,
        )
    except FrameworkError as error:
        return _report(restated(error), error, settings)
    except RainbowError as error:
        return _report(error, error, settings)
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return INTERRUPTED_EXIT
    except MemoryError as error:
        full = InternalError("the memory is used up", help="try a smaller input or a larger machine")
        return _report(full, error, settings)
    except Exception as error:  # noqa: BLE001 - the last resort, which hides nothing: --debug shows it all
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        defect = InternalError(
            f"internal error, {what}",
            help="this is a defect of rainbowdp: please report it with what --debug shows",
        )
        return _report(defect, error, settings)
    if result == INTERRUPTED_EXIT:
        say("interrupted")
    return result if isinstance(result, int) else 0


def _report(error: RainbowError, caught: Exception, settings: dict[str, bool]) -> int:
    if settings.get("debug", False):
        traceback.print_exception(caught, file=sys.stderr)
    what = " ".join(error.what.splitlines())
    hint = " ".join((error.help or f"see {_PROGRAM} --help").splitlines())
    say(f"error[{error.code}]: {what}")
    say(f"help: {hint}")
    return error.exit_code
