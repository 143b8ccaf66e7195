# SPDX-License-Identifier: Apache-2.0
"""Adapt typer: an option is given once, values are read by functions, help can be copied.

Typer takes the last of several values without a warning, which turns a slip such as
``--epsilon 1 ... --epsilon 2`` into another promise of privacy. Here it is a usage error.
"""

import contextlib
import io
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rainbowdp.cli.output import emit
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    Context = Any


class _Help:
    """Print help through `emit`, without the blanks that fill lines up.

    A blank after a backslash would end the command of an example that is copied into a shell.
    """

    def format_help(self, ctx: "Context", formatter: Any) -> None:  # noqa: ANN401 - typer's own
        """Print the help."""
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

    def make_parser(self, ctx: "Context") -> Any:  # noqa: ANN401 - typer's own
        """Return a parser that raises a `UsageError` if an option that has one value is given twice."""
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> tuple[Any, ...]:
            parsed = parse(args)
            if not ctx.resilient_parsing:
                _require_once(parsed[-1])
            return parsed

        parser.parse_args = parse_once  # type: ignore[method-assign]  # takes the same
        return parser


class Group(_Help, TyperGroup):
    """Commands under one word; without a command their help is printed."""


def _require_once(order: list[Any]) -> None:
    if any(parameter.name == "help" for parameter in order):
        return
    for parameter, count in Counter(order).items():
        single = parameter.param_type_name == "option" and not parameter.is_flag and not parameter.multiple
        if single and count > 1:
            name = max(parameter.opts, key=len)
            times = "twice" if count == 2 else f"{count} times"
            raise UsageError(f"{name} is given {times}", help=f"give {name} once", option=name)


def group(help: str) -> typer.Typer:
    """Return an application of commands, which prints its help if none of them is named."""
    made = typer.Typer(help=help, cls=Group)

    @made.callback(invoke_without_command=True)
    def root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            context.get_help()

    return made


def add(to: typer.Typer, name: str, function: Callable[..., int], help: str) -> None:
    """Add a command to an application.

    Parameters
    ----------
    to : typer.Typer
        The application, or one inside it.
    name : str
        The word by which the command is called.
    function : callable
        Declares the options and does the work; returns the exit code.
    help : str
        See `described`.
    """
    to.command(name, cls=Command, help=help)(function)


def described(*paragraphs: str, lines: tuple[str, ...], example: str = "") -> str:
    """Return the help of a command: paragraphs, then an example that can be copied into a shell."""
    title = f"Example, {example}:" if example else "Example:"
    return "\n\n".join((*paragraphs, title, " \\\n".join(lines)))


def option(
    declared: str,
    help: str,
    read: Callable[[str, str], object] | None = None,
    *,
    panel: str | None = None,
    complete: Callable[[str], list[str]] | None = None,
) -> Any:  # noqa: ANN401 - what typer makes of an option has no public type
    """Return the declaration of an option.

    Parameters
    ----------
    declared : str
        Its name and what stands for its value, such as ``--epsilon NUMBER``; a name alone is a flag.
    help : str
        What it does.
    read : callable, optional
        Takes the name of the option and the text that was typed, and returns the value or refuses the text.
    panel : str, optional
        The heading under which the help shows it.
    complete : callable, optional
        What the shell offers, see `rainbowdp.cli.completion`.
    """
    name, _, metavar = declared.partition(" ")
    return typer.Option(
        name,
        metavar=metavar,
        help=help,
        # Typer passes the text on; the command declares the type that `read` returns.
        parser=str if metavar else None,
        callback=_callback(name, read),
        rich_help_panel=panel,
        autocompletion=complete,
    )


def argument(
    metavar: str,
    help: str,
    read: Callable[[str, str], object] | None = None,
    complete: Callable[[str], list[str]] | None = None,
) -> Any:  # noqa: ANN401 - what typer makes of an argument has no public type
    """Return the declaration of an argument; see `option`."""
    return typer.Argument(
        metavar=metavar, help=help, callback=_callback(metavar, read), autocompletion=complete
    )


def _callback(name: str, read: Callable[[str, str], object] | None) -> Callable[[Any], Any] | None:
    return None if read is None else lambda value: None if value is None else read(name, value)
