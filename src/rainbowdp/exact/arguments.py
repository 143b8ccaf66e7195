# SPDX-License-Identifier: Apache-2.0
"""Refuse arguments of the wrong kind.

Public functions read numbers, rainbows and distributions in any accepted form, and refuse others with the
error of their subject. An argument that must be a finished value of the package, a graph or a notion of
privacy say, is refused by a `UsageError` that names the argument, says what it was and how to make a right
one. Its content is never shown, since it may be private data.
"""

from collections.abc import Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

from rainbowdp.errors import RainbowError, UsageError, did_you_mean
from rainbowdp.exact.enclosure import show

_Word = TypeVar("_Word", bound=str)
_LONGEST_TEXT = 60
_HOW = {
    "BoundaryCondition": "make one with given, uniform, randomized_response or max_min",
    "BoundaryMorphism": "make one with boundary_morphism(graph)",
    "DatasetGraph": "make one with DatasetGraph.from_pairs, or take the `structure` of a graph or family",
    "Distribution": 'write for example Distribution({"blue": "2/3", "red": "1/3"})',
    "Mechanism": "make one with optimal_mechanism or Mechanism.from_table",
    "NeighborBlocks": "give an object with a `size` and a method neighbors_of(start, stop)",
    "NeighborRelation": "make one with DatasetGraph.from_pairs, or take the `structure` of a graph or family",
    "PureDP": 'write for example PureDP("ln 2"), ApproxDP(1, "1e-6") or GaussianDP(1)',
    "Rainbow": 'write for example Rainbow.parse("blue>red=green")',
    "RainbowGraph": "make one with RainbowGraph.from_edges or read_graph",
}


def require(value: object, name: str, *kinds: type[Any]) -> None:
    """Refuse an argument that is of none of some kinds.

    Parameters
    ----------
    value : object
        The argument.
    name : str
        Its name.
    *kinds : type
        What it may be.

    Raises
    ------
    UsageError
        If it is of another kind; the message names the argument and both kinds.

    Examples
    --------
    >>> require(1, "count", int)
    >>> try:
    ...     require("a>b", "graph", int)
    ... except UsageError as error:
    ...     print(error.what)
    `graph` must be an int, and is a str
    """
    if not isinstance(value, kinds):
        names = [kind.__name__ for kind in kinds]
        wanted = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        raise UsageError(
            f"`{name}` must be {_article(wanted)} {wanted}, and is {kind_of(value)}",
            help=_HOW.get(names[0], f"give {_article(wanted)} {wanted}"),
            argument=name,
        )


def one_of(what: str, value: object, words: Sequence[_Word], error: type[RainbowError] = UsageError) -> _Word:
    """Return the one of some words that a value is.

    Raises
    ------
    RainbowError
        Of the given class, if it is none of them.

    Examples
    --------
    >>> one_of("a goal", "typical", ("typical", "guarantee"))
    'typical'
    >>> one_of("a goal", "typicl", ("typical", "guarantee"))
    Traceback (most recent call last):
        ...
    rainbowdp.errors.UsageError: 'typicl' is not a goal
    """
    for word in words:
        if isinstance(value, str) and value == word:
            return word
    near = did_you_mean(value, words) if isinstance(value, str) else ""
    raise error(f"{described(value)} is not {what}", help=near or f"use {' or '.join(words)}")


def items_of(value: object) -> list[Any] | None:
    """Return what a value holds, in order; None for a text, and for what cannot be gone through.

    Examples
    --------
    >>> items_of((1, 2)), items_of("ab"), items_of(3)
    ([1, 2], None, None)
    """
    if isinstance(value, str | bytes):
        return None
    try:
        return list(value)  # type: ignore[call-overload,no-any-return]  # a TypeError says that it cannot be iterated
    except TypeError:
        return None


def is_whole(value: object) -> TypeGuard[int | np.integer]:
    """Tell whether a value is an integer; truth values and floats are not.

    Examples
    --------
    >>> is_whole(3), is_whole(np.int64(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(
    what: str, value: object, least: int, most: int | None = None, error: type[RainbowError] = UsageError
) -> int:
    """Return a whole number within limits, as an int of Python itself: numpy's wrap around.

    Raises
    ------
    RainbowError
        Of the given class, if it is not such a number.

    Examples
    --------
    >>> whole("a number of rows", np.int32(3), least=1)
    3
    >>> whole("a number of rows", 0, least=1)
    Traceback (most recent call last):
        ...
    rainbowdp.errors.UsageError: 0 is not a number of rows
    """
    if is_whole(value) and value >= least and (most is None or value <= most):
        return int(value)
    span = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise error(f"{described(value)} is not {what}", help=f"give a whole number {span}")


def described(value: object) -> str:
    """Return a number or a short text as it is, and of anything else only the kind.

    Examples
    --------
    >>> described(2.5), described("a"), described([1, 2]), described(10**5000)
    ('2.5', "'a'", 'a list', 'about 1.00000E+5000')
    """
    if is_whole(value):
        return show(int(value))
    if isinstance(value, bool | float | np.floating) or (
        isinstance(value, str) and len(value) <= _LONGEST_TEXT
    ):
        return repr(value) if not isinstance(value, np.floating) else str(value)
    return kind_of(value)


def kind_of(value: object) -> str:
    """Return what a value is, in words that do not show it.

    Examples
    --------
    >>> kind_of(None), kind_of(int), kind_of("text"), kind_of([1])
    ('None', 'the class int', 'a str', 'a list')
    """
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    return f"{_article(name)} {name}"


def _article(word: str) -> str:
    return "an" if word[0].lower() in "aeiou" else "a"


def require_together(help: str, **values: object) -> None:
    """Refuse some arguments without the others that belong to them.

    Parameters
    ----------
    help : str
        What to do about it.
    **values
        The arguments by name; None, and False for a flag, are not given.

    Raises
    ------
    UsageError
        If some are given and some are not.

    Examples
    --------
    >>> require_together("give both", unit="patient", max_rows=None)
    Traceback (most recent call last):
    rainbowdp.errors.UsageError: `unit` is given without `max_rows`
    """
    missing = [name for name, value in values.items() if value is None or value is False]
    given = [name for name in values if name not in missing]
    if given and missing:
        raise UsageError(f"`{given[0]}` is given without `{missing[0]}`", help=help)
