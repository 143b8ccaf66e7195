# SPDX-License-Identifier: Apache-2.0
"""Every public name and method says what it takes, gives and refuses, with examples that run elsewhere."""

import inspect
import re
from collections.abc import Callable, Iterator
from types import UnionType
from typing import Any

import pytest

import rainbowdp
from test_public_names import BELOW

# What is handed back by functions and made by nobody else says what it holds instead.
HOLDERS = {"Verification"}
# The three methods of an error take at most a place, and their sentences say what comes back.
BRIEF = {"RainbowError.at", "RainbowError.in_a_file", "RainbowError.report"}


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public callable by name: functions, classes, and the methods of classes."""
    below = [(name, getattr(getattr(rainbowdp, module), name)) for module in BELOW for name in BELOW[module]]
    for name, value in [*((name, getattr(rainbowdp, name)) for name in rainbowdp.__all__), *below]:
        if isinstance(value, UnionType):
            continue
        yield name, value
        if inspect.isclass(value):
            for method in dir(value):
                found = getattr(value, method)
                is_method = inspect.isfunction(found) or inspect.ismethod(found)
                if not method.startswith("_") and is_method and is_ours(value, method):
                    yield f"{name}.{method}", found


def is_ours(owner: type, method: str) -> bool:
    """Whether a method is defined in the package and not inherited from Python."""
    home = next(kind for kind in owner.__mro__ if method in vars(kind))
    return home.__module__.split(".")[0] == "rainbowdp"


def sections(docstring: str) -> dict[str, str]:
    """Return the text of each numpy section of a docstring by its title, the summary under an empty title."""
    parts = re.split(r"^([A-Z][A-Za-z ]*)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(section: str) -> list[str]:
    """Return the names that a section of parameters explains, in order."""
    heads = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .+)?$", section, flags=re.MULTILINE)
    return [name.lstrip("*") for head in heads for name in head.split(", ")]


PUBLIC = {name: value for name, value in public() if name not in BRIEF}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_explains_its_parameters_and_result_and_shows_an_example(name: str) -> None:
    value = PUBLIC[name]
    found = sections(value.__doc__ or "")
    assert found[""].strip()
    signature = inspect.signature(value)
    wanted = [parameter for parameter in signature.parameters if parameter != "self"]
    assert documented(found.get("Attributes" if name in HOLDERS else "Parameters", "")) == wanted
    returns = None if inspect.isclass(value) else signature.return_annotation
    assert ("Returns" in found) is (returns is not None)
    assert ">>> " in found.get("Examples", "")


def test_titles_and_parameters_are_read_as_they_are_meant() -> None:
    text = """Do it.

    Parameters
    ----------
    a, b : int
        Two: of them.
    *rest
        More.

    Returns
    -------
    int
    """
    found = sections(text)
    assert set(found) == {"", "Parameters", "Returns"}
    assert documented(found["Parameters"]) == ["a", "b", "rest"]
