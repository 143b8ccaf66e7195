# SPDX-License-Identifier: Apache-2.0
"""Write the commands with their options, and the table of errors, when the documentation is built."""

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import typer

from rainbowdp import errors
from rainbowdp.cli.app import application

_COMMANDS, _ERRORS = "<!-- every command -->", "<!-- every error -->"
_EXAMPLE = re.compile(r"^ *(Example\b[^:]*):\n", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put the commands, or the errors, in place of their mark."""
    if _COMMANDS in markdown:
        program = typer.main.get_command(application())
        return markdown.replace(_COMMANDS, "\n\n".join(_sections(program, "rainbowdp")))
    return markdown.replace(_ERRORS, "\n".join(_errors()))


def _errors() -> Iterator[str]:
    """Yield the lines of a table of all errors: a docstring says what one means, then what to do."""
    yield from ("| code | exception | exit | what it means | what to do |", "| --- | --- | --- | --- | --- |")
    for error in errors.RainbowError.__subclasses__():
        meaning, help = inspect.cleandoc(error.__doc__ or "").split("\n\n")
        cells = (error.code, f"`{error.__name__}`", error.exit_code, meaning, " ".join(help.split()))
        yield f"| {' | '.join(map(str, cells))} |"


def _sections(command: Any, words: str) -> Iterator[str]:  # noqa: ANN401 - typer's own
    """Yield a section for a command, or for each command under it."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from _sections(inner, f"{words} {name}")
    if not hasattr(command, "commands"):
        yield f"## {words}\n\n{_prose(command.help)}\n\n{_table(command.params)}"


def _prose(text: str) -> str:
    """Return the help as Markdown, its example as a block."""
    about, *example = re.split(
        r"^ *(Example\b[^:]*):\n", text.replace("\b", ""), maxsplit=1, flags=re.MULTILINE
    )
    shown = [f"{example[0]}:\n\n```sh\n{textwrap.dedent(example[1]).strip()}\n```"] if example else []
    return "\n\n".join([about.strip(), *shown])


def _table(parameters: list[Any]) -> str:
    rows = (f"| {_names(each)} | {_meaning(each)} |" for each in parameters if each.name != "help")
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows])


def _names(parameter: Any) -> str:  # noqa: ANN401 - typer's own
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    value = (
        ""
        if parameter.is_flag
        else f" {parameter.metavar or '|'.join(getattr(parameter.type, 'choices', ()))}"
    )
    return ", ".join(f"`{name}{value}`".replace("|", "\\|") for name in parameter.opts)


def _meaning(parameter: Any) -> str:  # noqa: ANN401 - typer's own
    needed = " Required." if parameter.required else ""
    default = parameter.show_default if isinstance(parameter.show_default, str) else parameter.default
    shown = f" Default: `{default}`." if parameter.show_default and isinstance(default, str) else ""
    text = " ".join((parameter.help or "").split())
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*") + needed + shown
