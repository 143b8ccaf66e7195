# SPDX-License-Identifier: Apache-2.0
"""The explorer: one self-contained page on which a level of privacy is tried out, or that holds a report.

The page makes no request, and works where there is no network. Its script and its style are plain files of
this package, joined here; the browser runs nothing else, since the page names the hash of both. `reports`
makes the reports that the page can hold.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files

_SCRIPTS = (
    "mathematics.js",
    "page.js",
    "chart.js",
    "line.js",
    "plan.js",
    "graphs.js",
    "drawing.js",
    "graph.js",
    "check.js",
    "report.js",
    "start.js",
)
"""The scripts of the page, in an order in which each one uses only those before it."""


def script() -> str:
    """Return the program of the page; its names are its own.

    Examples
    --------
    >>> script().splitlines()[:2]
    ['(() => {', '"use strict";']
    """
    return '(() => {\n"use strict";\n' + "".join(map(part, _SCRIPTS)) + "})();\n"


def part(name: str) -> str:
    """Return the text of a file of the page.

    Parameters
    ----------
    name : str
        The name of the file in this package.

    Examples
    --------
    >>> part("mathematics.js").splitlines()[0]
    '// SPDX-License-Identifier: Apache-2.0'
    """
    return (files("rainbowdp.explorer") / name).read_text(encoding="utf-8")


def page(report: Mapping[str, object] | None = None) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    report : mapping, optional
        From `rainbowdp.explorer.reports`: what the page shows first.

    Returns
    -------
    str
        Everything that it needs is in it.

    Examples
    --------
    >>> "default-src 'none'" in page()
    True
    """
    program, style = script(), part("page.css")
    texts = {
        "SCRIPT_HASH": _hash(program),
        "STYLE_HASH": _hash(style),
        "STYLE": style,
        "SCRIPT": program,
        # In a script element only a "<" can end the text, or begin a comment that hides its end.
        "REPORT": json.dumps(report, allow_nan=False).replace("<", "\\u003c"),
    }
    # In one pass: a name in a report can look like a place.
    return re.sub("@([A-Z_]+)@", lambda found: texts[found[1]], part("page.html"))


def _hash(text: str) -> str:
    """Return what a content security policy calls a text by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
