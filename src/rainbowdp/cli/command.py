# SPDX-License-Identifier: Apache-2.0
"""How commands and groups of them are made, and what all share: options given once, help that can be copied.

The framework takes the last of several values without a word, which turns a slip such as
``--epsilon 1 ... --epsilon 2`` into another promise of privacy. Here it is a usage error. Every command is
added with `add`, also to an application inside the application::

    add(app, "line", line_command, LINE_HELP)
"""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rainbowdp.cli.doors import tidied_help
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    Context = Any


class Command(TyperCommand):
    """A command that refuses to guess which of several values of one option is meant."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Read the words of the command line.

        Raises
        ------
        UsageError
            If an option that has one value is given twice.
        """
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            _require_once(order)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: "Context", formatter: Any) -> None:  # noqa: ANN401 - the framework's own
        """Print the help."""
        with tidied_help():
            super().format_help(ctx, formatter)


class Group(TyperGroup):
    """Commands under one word."""

    def format_help(self, ctx: "Context", formatter: Any) -> None:  # noqa: ANN401 - the framework's own
        """Print the help."""
        with tidied_help():
            super().format_help(ctx, formatter)


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
        See `rainbowdp.cli.options.described`.
    """
    to.command(name, cls=Command, help=help)(function)


def _require_once(order: list[Any]) -> None:
    if any(parameter.name == "help" for parameter in order):
        return
    counts = Counter(order)
    for parameter, count in counts.items():
        single = parameter.param_type_name == "option" and not parameter.is_flag and not parameter.multiple
        if single and count > 1:
            name = max(parameter.opts, key=len)
            times = "twice" if count == 2 else f"{count} times"
            raise UsageError(f"{name} is given {times}", help=f"give {name} once", option=name)
