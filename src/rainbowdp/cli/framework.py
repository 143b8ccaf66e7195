# SPDX-License-Identifier: Apache-2.0
"""Declare commands and options for typer: readers of values, completions, help that can be copied.

Typer takes the last of several values without a warning, which turns a slip such as
``--epsilon 1 ... --epsilon 2`` into another promise of privacy. Here it is a usage error.

A completion that offers nothing leaves the word to the shell, which then offers any file; so it is wherever
the shell knows better: for names that it would have to quote, for ``~``, and where no file has the form.
"""

import contextlib
import io
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rainbowdp.cli.output import emit
from rainbowdp.cli.values import one_of
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    Context = Any

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")
NETWORKS = (".graphml", ".json")
_PLAIN = re.compile(r"[\w./+@%,:-]+")


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
        What the shell offers, see `files`.
    """
    name, _, metavar = declared.partition(" ")
    return typer.Option(
        name,
        metavar=metavar,
        help=help,
        # Typer passes the text on; the command declares the type that `read` returns.
        parser=str if metavar else None,
        callback=read and (lambda value: None if value is None else read(name, value)),
        rich_help_panel=panel,
        autocompletion=complete,
    )


def argument(metavar: str, help: str, complete: Callable[[str], list[str]] | None = None) -> Any:  # noqa: ANN401 - as above
    """Return the declaration of an argument; see `option`."""
    return typer.Argument(metavar=metavar, help=help, autocompletion=complete)


def choice(name: str, words: tuple[str, ...], help: str, *, panel: str | None = None) -> Any:  # noqa: ANN401 - as above
    """Return the declaration of an option that takes one of some words; see `option`."""
    shown = f"{name} {'|'.join(words)}"
    return option(shown, help, one_of(*words), panel=panel, complete=choices(*words))


def choices(*words: str, endings: tuple[str, ...] = ()) -> Callable[[str], list[str]]:
    """Return a completion that offers these words, and files of these endings beside them."""

    def complete(incomplete: str) -> list[str]:
        return [*(word for word in words if word.startswith(incomplete)), *_files(incomplete, endings)]

    return complete


def files(*endings: str) -> Callable[[str], list[str]]:
    """Return a completion that offers files of these endings, and directories on the way to them."""
    return choices(endings=endings)


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    if not endings:
        return []
    folder, _, start = incomplete.rpartition("/")
    prefix = f"{folder}/" if "/" in incomplete else ""
    try:
        with os.scandir(Path(prefix or ".")) as entries:
            found = sorted(
                f"{prefix}{entry.name}{'/' * entry.is_dir()}"
                for entry in entries
                if entry.name.startswith(start)
                and (start.startswith(".") or not entry.name.startswith("."))
                and (entry.is_dir() or entry.name.lower().endswith(endings))
            )
    except OSError:
        return []
    if not all(map(_PLAIN.fullmatch, found)):
        return []
    # A shell puts a blank after the only word it is offered, which would end the path at a directory.
    return _files(found[0], endings) if len(found) == 1 and found[0].endswith("/") else found
