# SPDX-License-Identifier: Apache-2.0
"""Texts in figures: any color or dataset name becomes a short caption that every font engine takes.

Names are data. A caption is printable (characters that act on a terminal, line breaks and halves of surrogate
pairs are written as escapes), never read as a formula (the style of our figures switches mathematics off),
and so short that a figure keeps its size for names of any length.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from rainbowdp.errors import printable

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


def captions(names: Sequence[str]) -> list[str]:
    """Return the captions of the colors of a legend: the first ones, and how many follow."""
    if len(names) <= MOST_NAMES:
        return list(map(caption, names))
    shown = MOST_NAMES - 1
    return [*map(caption, names[:shown]), f"and {len(names) - shown} more"]


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
