# SPDX-License-Identifier: Apache-2.0
"""One style for all figures: captions that any font takes, and files without a time stamp.

The style is applied around drawing and writing and taken back, so neither the caller's matplotlib settings
reach our figures nor ours the caller's. Ids in SVG come from a fixed seed, and no half-written file is left.

Any color or dataset name becomes a short caption. It is printable (characters that act on a terminal, line
breaks and halves of surrogate pairs are written as escapes), never read as a formula, and so short that a
figure keeps its size for names of any length.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib.style as mpl_style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from rainbowdp.errors import printable
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
_DOTS_PER_INCH = 160
# None removes an entry that matplotlib would write by itself.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def styled(draw: Callable[[], Figure], path: Path | None) -> Figure:
    """Draw a figure in the style of our figures, and write it where a path is given.

    Raises
    ------
    FileWriteError
        If the place cannot be written to.
    """
    with mpl_style.context(["default", _STYLE]):
        figure = draw()
        if path is not None:
            _write(figure, path)
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


def probability_axes(axes: Axes, across: str, along: str = "") -> None:
    """Name the axes of a picture of probabilities, and draw thin lines behind the curves."""
    axes.set_xlabel(across)
    axes.set_ylabel(along)
    axes.set_ylim(-0.02, 1.02)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)


def _write(figure: Figure, path: Path) -> None:
    """Write a figure beside its place and rename it."""
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


MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

LONGEST_NAME = 28
"""Characters of a color or dataset name."""

LONGEST_TITLE = 96
"""Characters of a line above a figure of full width."""

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


def told_apart(names: Sequence[str], most: int = LONGEST_NAME) -> list[str]:
    """Return captions; of names that would look the same the part in which they differ, or with numbers.

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
