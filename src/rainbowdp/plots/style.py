# SPDX-License-Identifier: Apache-2.0
"""The look of all figures: colors and patterns, captions that any font takes, files without a time stamp.

The style holds while a figure is drawn and written, so the caller's matplotlib settings do not change our
figures, and ours do not change the caller's. Ids in SVG come from a fixed seed. Files are written whole.

A color of a rainbow is drawn in the color of its name where CSS knows it; the basic names get tones of equal
weight, because pure red, green and blue are hard on the eye and equally dark in print. Other names get the
palette of Okabe and Ito, which people with any color vision can tell apart, and after its end evenly spread
hues. Two tones can look alike, to all people or to people who see red and green alike; such colors get
different patterns.

Any color or dataset name becomes a short caption. It is printable (characters that act on a terminal, line
breaks and halves of surrogate pairs are written as escapes), never read as a formula, and so short that a
figure keeps its size for names of any length.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib.style as mpl_style
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import CSS4_COLORS, hsv_to_rgb, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from numpy.typing import NDArray

from rainbowdp.errors import UsageError, printable
from rainbowdp.exact.arguments import items_of
from rainbowdp.formats.files import replacing

INK = "#222222"
SHADE = "#8a8a8a"
PAPER = "white"

_STYLE: dict[str, Any] = {
    "axes.edgecolor": SHADE,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "rainbowdp",
    "text.color": INK,
    # A color called "$x$" is a name, not a formula.
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}
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
_KNOWN = {name: to_hex(tone) for name, tone in (CSS4_COLORS | _TONES).items()}
_OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
_TOO_CLOSE = 0.12
HATCHES = ("", "////", "....", "xxxx", "||||", "\\\\\\\\", "----", "++++", "oooo")

# What people without red or green cones see of linear light: Machado, Oliveira and Fernandes 2009.
_NO_RED = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
_NO_GREEN = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]
_VISIONS = np.array([np.eye(3), _NO_RED, _NO_GREEN])
# CIE 1976, with x = y = z = 1 for the white of the screen; people see a difference of 16 side by side.
_TO_XYZ = np.array([[0.4338, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]])
_ALIKE = 16.0

_DOTS_PER_INCH = 160
# None removes an entry that matplotlib would write by itself.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def own_style() -> AbstractContextManager[None]:
    """Return a block in which figures are drawn and written in the style of ours."""
    return mpl_style.context(["default", _STYLE])


def written(figure: Figure, path: Path | None) -> Figure:
    """Write a figure where a path is given, and return it."""
    if path is not None:
        suffix = path.suffix.lower()
        with replacing(path) as beside:
            figure.savefig(
                beside,
                format=suffix.removeprefix("."),
                dpi=_DOTS_PER_INCH,
                bbox_inches="tight",
                pad_inches=0.15,
                metadata=_METADATA[suffix],
            )
    return figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure with a canvas of its own, sizes in inches."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def root_figure(axes: Axes) -> Figure:
    """Return the whole figure that axes belong to, also those of a part of it."""
    figure = axes.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def axes_of(ax: object, most: int, *, exactly: bool = False) -> tuple[Axes, ...]:
    """Return the axes that are given, up to so many or exactly so many; none where there are none."""
    if ax is None:
        return ()
    given = (ax,) if isinstance(ax, Axes) else tuple(items_of(ax) or ())
    least = most if exactly else 1
    if not least <= len(given) <= most or not all(isinstance(one, Axes) for one in given):
        count = "axes" if most == 1 else f"{most} axes" if exactly else f"one to {most} axes"
        raise UsageError(
            f"`ax` must be {count} of matplotlib",
            help="give for example the second value of pyplot.subplots()",
            argument="ax",
        )
    return given


def probability_axes(axes: Axes, across: str, along: str = "") -> None:
    """Name the axes of a picture of probabilities, and draw thin lines behind the curves."""
    axes.set_xlabel(across)
    axes.set_ylabel(along)
    axes.set_ylim(-0.02, 1.02)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)


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
    tones = {name: known for name in names if (known := _KNOWN.get(name.strip().lower())) is not None}
    others = [name for name in names if name not in tones]
    free = [tone for tone in _OKABE_ITO if all(_apart(tone, taken) for taken in tones.values())]
    hues = np.linspace(0, 1, max(len(others) - len(free), 0), endpoint=False).tolist()
    free += [
        to_hex(tuple(hsv_to_rgb((hue, 0.65, 0.75 if index % 2 else 0.5)))) for index, hue in enumerate(hues)
    ]
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
    seen = _seen(tones.values())
    alike = (np.linalg.norm(seen[..., None] - seen[..., None, :], axis=0) < _ALIKE).any(axis=0)
    chosen: list[str] = []
    for before in alike.tolist():
        taken = {hatch for hatch, same in zip(chosen, before, strict=False) if same}
        chosen.append(next((hatch for hatch in HATCHES if hatch not in taken), HATCHES[-1]))
    return dict(zip(tones, chosen, strict=True))


def is_light(tone: str) -> bool:
    """Tell whether a color is so light that it needs a dark rim on white paper."""
    red, green, blue = to_rgb(tone)
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.72)


def _seen(tones: Iterable[str]) -> NDArray[np.float64]:
    """Return the places of tones in the space CIELAB, as people of each vision see them, [3, visions, n]."""
    light = np.array([to_rgb(tone) for tone in tones]).reshape(-1, 3).T
    linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(_TO_XYZ @ np.clip(_VISIONS @ linear, 0, 1)).transpose(1, 0, 2)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _apart(tone: str, taken: str) -> bool:
    return float(np.linalg.norm(np.subtract(to_rgb(tone), to_rgb(taken)))) > _TOO_CLOSE


LONGEST_NAME = 28
"""Characters of a color or dataset name."""

_LONGEST_HEADING = 96

MOST_NAMES = 40
"""Entries of a legend."""


def caption(name: str, most: int = LONGEST_NAME) -> str:
    r"""Return a name as it stands in a figure.

    Parameters
    ----------
    name : str
        Any text.
    most : int
        The longest caption, in characters; a longer name loses its middle.

    Returns
    -------
    str

    Examples
    --------
    >>> caption("blue"), caption("a\tb"), caption("x" * 50, most=9), caption(" ")
    ('blue', 'a\\tb', 'xxxxx…xxx', '" "')
    """
    text = printable(name) if name == name.strip() != "" else f'"{printable(name)}"'
    if len(text) <= most:
        return text
    last = (most - 1) * 2 // 5
    return f"{text[: most - 1 - last]}…{text[-last:]}"


def heading(text: str) -> str:
    """Return a text as it stands above a figure of full width."""
    return caption(text, _LONGEST_HEADING)


def told_apart(names: Sequence[str], most: int = LONGEST_NAME) -> list[str]:
    """Return captions; names with equal captions are shown by the part that differs, or with numbers.

    Examples
    --------
    >>> told_apart(["the hospital of Aland in the north", "the hospital of Bland in the north"], most=12)
    ['…l of Aland…', '…l of Bland…']
    """
    short = [caption(name, most) for name in names]
    seen = Counter(short)
    alike = [name for name, text in zip(names, short, strict=True) if seen[text] > 1]
    if not alike:
        return short
    start = _shared(alike)
    end = min(_shared([name[::-1] for name in alike]), min(map(len, alike)) - start)
    # As many characters before and behind the part as there is room for.
    room = max(most - max(len(name) - end - start for name in alike), 0) // 2
    shown = [
        text
        if seen[text] == 1
        else caption(f"…{name[max(start - room, 0) : len(name) - end + room].strip()}…", most + 2)
        for name, text in zip(names, short, strict=True)
    ]
    if len(set(shown)) == len(set(names)):
        return shown
    return [f"{number} {text}" for number, text in enumerate(short, 1)]


def _shared(names: Sequence[str]) -> int:
    """Return how many characters all names begin with alike."""
    first, last = min(names), max(names)
    unlike = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return next(unlike, len(first))


def captions(names: Sequence[str]) -> list[str]:
    """Return the captions of the colors of a legend: the first ones, and how many follow."""
    short = told_apart(names)
    if len(names) <= MOST_NAMES:
        return short
    shown = MOST_NAMES - 1
    return [*short[:shown], f"and {len(names) - shown} more"]


def legend(owner: Axes | Figure, handles: Iterable[Artist], names: Sequence[str], **options: Any) -> Legend:  # noqa: ANN401 - matplotlib takes options of many kinds
    """Draw a legend that shows these names, of any spelling.

    Parameters
    ----------
    owner : Axes or Figure
        What the legend belongs to.
    handles : iterable of Artist
        One per name; those without room are left out.
    names : sequence of str
        Colors.
    **options
        As for matplotlib's legend.
    """
    shown = captions(names)
    kept = list(handles)[: len(shown)]
    # Matplotlib leaves out labels that begin with an underscore, so the texts are set afterwards.
    made: Legend = owner.legend(kept, [str(at) for at in range(len(shown))], **options)
    for text, name in zip(made.get_texts(), shown, strict=True):
        text.set_text(name)
    return made


def counted(number: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {what}{'s' * (number != 1)}"
