# SPDX-License-Identifier: Apache-2.0
"""Drawing a figure for a command: what matplotlib warns of becomes one note.

A font that lacks the signs of a color draws boxes in their place. That is no reason to fail, and one line
says it, instead of a warning per sign with lines of source code.
"""

import contextlib
import re
import warnings
from collections.abc import Iterator

from rainbowdp.cli.output import note

_GLYPH = re.compile(r"Glyph (\d+) ")
_MOST_NAMED = 5


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Collect the warnings of the block, and say them as notes when it ends well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing: dict[str, None] = {}
    others: dict[str, None] = {}
    for warning in caught:
        text = str(warning.message)
        if found := _GLYPH.match(text):
            missing[f"U+{int(found[1]):04X}"] = None
        else:
            others[text] = None
    if missing:
        named = ", ".join([*missing][:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")
        signs = "1 sign" if len(missing) == 1 else f"{len(missing)} signs"
        note(f"the font of the figure lacks {signs} ({named}), drawn as boxes")
    for text in others:
        note(f"while drawing: {text}")
