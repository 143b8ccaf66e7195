# SPDX-License-Identifier: Apache-2.0
"""Restate typer's usage errors in our form: what was wrong, with the value, and what to do."""

import re
from collections.abc import Sequence
from typing import Any, cast

import typer

from rainbowdp.errors import UsageError, did_you_mean

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

FrameworkError = cast(
    "type[Exception]", next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
)
"""The root of typer's usage errors, which has no public name."""


def restated(error: Exception) -> UsageError:
    """Return the usage error that says what typer's error says.

    Parameters
    ----------
    error : Exception
        A `FrameworkError`.

    Returns
    -------
    UsageError
        With a help line that names the closest option or command, or where to read on.
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
        hint = (
            _known_elsewhere(found[1], context, commands)
            or did_you_mean(found[1], commands)
            or f"the commands are {', '.join(commands)}"
        )
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
    from rainbowdp.cli.question_options import SUMMARIES

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
