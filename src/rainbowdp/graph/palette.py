# SPDX-License-Identifier: Apache-2.0
"""From one rainbow per dataset, as callers give them, to distinct rainbows and a code per dataset."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import ColorSetError, MissingRainbowError, RainbowError
from rainbowdp.exact.arguments import described, is_whole, items_of, kind_of
from rainbowdp.graph.arrays import first_places, frozen
from rainbowdp.graph.labels import NameOf
from rainbowdp.rainbow import Rainbow, quote_color

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Palette:
    """Distinct rainbows sorted by text, and the one that each dataset prefers.

    Parameters
    ----------
    rainbows : tuple of Rainbow
        Only those that occur.
    regions : int32 array [n]
        Index into `rainbows` per dataset.
    """

    rainbows: tuple[Rainbow, ...]
    regions: NDArray[np.int32]


def palette_of(known: Sequence[Rainbow | str], codes: NDArray[Any], name: NameOf) -> Palette:
    """Parse, merge and sort rainbows, drop those that do not occur, and check their colors.

    Parameters
    ----------
    known : sequence of Rainbow or str
        Rainbows in any order; two spellings of one rainbow become one region.
    codes : integer array [n]
        Index into `known` per dataset, all within range.
    name : callable
        Label of a dataset.

    Raises
    ------
    ColorSetError
        If two datasets rank different sets of colors.
    RainbowSyntaxError, ColorError
        If a text is not a rainbow.
    """
    place = first_places(codes, len(known))
    first = {code: int(place[code]) for code in np.flatnonzero(place >= 0).tolist()}
    parsed = {code: _parsed(known[code], at, name) for code, at in first.items()}
    reference = parsed[int(codes[0])]
    for code, rainbow in parsed.items():
        at = first[code]
        if rainbow.colors != reference.colors:
            raise ColorSetError(
                f"the dataset {name(at)!r} ranks the colors {_listed(rainbow)}, and the dataset {name(0)!r} "
                f"ranks {_listed(reference)}",
                help="rank the same colors in every dataset; colors can be tied, as in blue>red=green",
                dataset=name(at),
                other=name(0),
                colors=rainbow.colors,
                other_colors=reference.colors,
            )
    texts = {code: str(rainbow) for code, rainbow in parsed.items()}
    order = sorted(set(texts.values()))
    rank = {text: index for index, text in enumerate(order)}
    by_text = {texts[code]: rainbow for code, rainbow in parsed.items()}
    region_of = np.zeros(len(known), dtype=np.int32)
    for code, text in texts.items():
        region_of[code] = rank[text]
    return Palette(tuple(by_text[text] for text in order), frozen(region_of[codes]))


def rainbow_list(rainbows: Iterable[Item], name: str) -> list[Item]:
    """Return rainbows as a list; one text, or what cannot be gone through, is refused."""
    items = items_of(rainbows)
    if items is None:
        raise MissingRainbowError(
            f"`{name}` is {kind_of(rainbows)}, and no list of rainbows",
            help='give a list, as in ["blue>red", "red>blue"]',
        )
    return items


def _parsed(rainbow: Rainbow | str, dataset: int, name: NameOf) -> Rainbow:
    if isinstance(rainbow, Rainbow):
        return rainbow
    try:
        return Rainbow.parse(rainbow)
    except RainbowError as error:
        raise type(error)(
            f"the dataset {name(dataset)!r}: {error.what}", help=error.help, **error.values
        ) from error


def _listed(rainbow: Rainbow) -> str:
    return ", ".join(map(quote_color, rainbow.colors))


def number_rainbows(
    rainbows: Iterable[object], name: NameOf, where: str = "its entry of `rainbows`"
) -> tuple[list[Rainbow | str], NDArray[np.int32]]:
    """Return the distinct values among one rainbow per dataset, and a code per dataset.

    Parameters
    ----------
    rainbows : iterable of Rainbow or str
        One per dataset.
    name : callable
        Label of a dataset.
    where : str
        Where a missing rainbow belongs, for the message.

    Raises
    ------
    MissingRainbowError
        If a value is None, blank or no rainbow at all, naming the dataset.
    """
    items = rainbow_list(rainbows.tolist() if isinstance(rainbows, np.ndarray) else rainbows, "rainbows")
    try:
        distinct = dict.fromkeys(items)
    except TypeError:
        # A list or dict cannot be a key; it is not a rainbow either, and is named below.
        distinct = dict.fromkeys(item if isinstance(item, Hashable) else None for item in items)
    missing = [value for value in distinct if not _is_rainbow(value)]
    if missing:
        at = next(index for index, item in enumerate(items) if not _is_rainbow(item))
        what = "has no rainbow" if _is_blank(items[at]) else f"has {_shown(items[at])} in place of a rainbow"
        raise MissingRainbowError(
            f"the dataset {name(at)!r} {what}",
            help=f"give it one in {where}, as in blue>red>green",
            dataset=name(at),
        )
    number = {value: index for index, value in enumerate(distinct)}
    codes = np.fromiter(map(number.__getitem__, items), dtype=np.int32, count=len(items))
    return list(distinct), codes


def _is_rainbow(value: object) -> bool:
    return isinstance(value, Rainbow) or (isinstance(value, str) and not _is_blank(value))


def _shown(value: object) -> str:
    return described(value) if is_whole(value) else repr(value)


def _is_blank(value: object) -> bool:
    """Whether the value is how tables write that there is none: None, NaN or a blank text."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())
