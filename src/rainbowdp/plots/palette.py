# SPDX-License-Identifier: Apache-2.0
"""What the colors of rainbows are drawn in, and patterns where two of them look alike.

A color of a rainbow is drawn in the color of its name where CSS knows it; the basic names get tones of equal
weight, because pure red, green and blue are hard on the eye and equally dark in print. Other names get the
palette of Okabe and Ito, which people with any color vision can tell apart, and after its end evenly spread
hues. Names choose their tones freely, so two tones can look alike, to all people or to those who see red and
green alike: these get different patterns.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np
from matplotlib.colors import CSS4_COLORS, hsv_to_rgb, to_hex, to_rgb
from numpy.typing import NDArray

_TONES = {
    "black": "#222222",
    "blue": "#2456c8",
    "green": "#2b9a4a",
    "orange": "#ee8a1c",
    "purple": "#7b3fa0",
    "red": "#d62f3a",
    "violet": "#a55ec4",
    "yellow": "#f2cf2f",
}
_OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
_TOO_CLOSE = 0.12
HATCHES = ("", "////", "....", "xxxx", "||||", "\\\\\\\\", "----", "++++", "oooo")

# What people without red or green cones see of linear light: Machado, Oliveira and Fernandes 2009.
_VISIONS = (
    np.eye(3),
    np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
)
# CIE 1976: the white of the screen has x = y = z = 1, and a difference of some 16 is seen beside each other.
_TO_XYZ = np.array([[0.4338, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]])
_ALIKE = 16.0


def paint(colors: Iterable[str]) -> Mapping[str, str]:
    """Return a hex color for every color.

    Parameters
    ----------
    colors : iterable of str
        The colors of one rainbow graph or line.

    Returns
    -------
    mapping of str to str
        Color to ``#rrggbb``; the same for the same set of colors.
    """
    names = sorted(set(colors))
    tones = {name: tone for name in names if (tone := _own_tone(name)) is not None}
    others = [name for name in names if name not in tones]
    free = [tone for tone in _OKABE_ITO if all(_apart(tone, taken) for taken in tones.values())]
    hues = np.linspace(0, 1, max(len(others) - len(free), 0), endpoint=False).tolist()
    free += [_tone(hue, 0.75 if index % 2 else 0.5) for index, hue in enumerate(hues)]
    return tones | dict(zip(others, free, strict=False))


def patterns(tones: Mapping[str, str]) -> Mapping[str, str]:
    """Return matplotlib's hatch for every color; two colors that look alike have different ones.

    Parameters
    ----------
    tones : mapping of str to str
        Color to ``#rrggbb``, as of `paint`.

    Returns
    -------
    mapping of str to str
        Empty for a color that is drawn plain.

    Examples
    --------
    >>> patterns(paint(["blue", "green", "red"]))
    {'blue': '', 'green': '', 'red': '////'}
    """
    seen = {name: [_lab(vision, tone) for vision in _VISIONS] for name, tone in tones.items()}
    alike: dict[str, set[str]] = {name: set() for name in tones}
    for one, other in combinations(tones, 2):
        if min(np.linalg.norm(np.subtract(seen[one], seen[other]), axis=1)) < _ALIKE:
            alike[other].add(one)
    chosen: dict[str, str] = {}
    for name in tones:
        taken = {chosen[other] for other in alike[name]}
        chosen[name] = next((hatch for hatch in HATCHES if hatch not in taken), HATCHES[-1])
    return chosen


def is_light(tone: str) -> bool:
    """Tell whether a color is so light that it needs a dark rim on white paper."""
    red, green, blue = to_rgb(tone)
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.72)


def _lab(vision: NDArray[np.float64], tone: str) -> NDArray[np.float64]:
    """Return the place of a tone in the space CIELAB, as people with this vision see it."""
    light = np.array(to_rgb(tone))
    linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(_TO_XYZ @ np.clip(vision @ linear, 0, 1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _own_tone(name: str) -> str | None:
    word = name.strip().lower()
    return _TONES.get(word) or (to_hex(word) if word in CSS4_COLORS else None)


def _tone(hue: float, brightness: float) -> str:
    red, green, blue = hsv_to_rgb((hue, 0.65, brightness)).tolist()
    return to_hex((red, green, blue))


def _apart(tone: str, taken: str) -> bool:
    return float(np.linalg.norm(np.subtract(to_rgb(tone), to_rgb(taken)))) > _TOO_CLOSE
