# SPDX-License-Identifier: Apache-2.0
"""Display colors for the colors of a rainbow: the one of their name where there is one, else a safe palette.

The paper's colors are answers, and so may be called "blue" or "no". A name that CSS knows is drawn in that
color; the basic names get tones of equal weight, because pure red, green and blue are hard on the eye and
equally dark in print. Other names get the palette of Okabe and Ito, which people with any color vision can
tell apart, and after its end evenly spread hues.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.colors import CSS4_COLORS, hsv_to_rgb, to_hex, to_rgb

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
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


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


def is_light(tone: str) -> bool:
    """Tell whether a color is so light that it needs a dark rim on white paper."""
    red, green, blue = to_rgb(tone)
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.72)


def _own_tone(name: str) -> str | None:
    word = name.strip().lower()
    return _TONES.get(word) or (to_hex(word) if word in CSS4_COLORS else None)


def _tone(hue: float, brightness: float) -> str:
    red, green, blue = hsv_to_rgb((hue, 0.65, brightness)).tolist()
    return to_hex((red, green, blue))


def _apart(tone: str, taken: str) -> bool:
    return float(np.linalg.norm(np.subtract(to_rgb(tone), to_rgb(taken)))) > _TOO_CLOSE
