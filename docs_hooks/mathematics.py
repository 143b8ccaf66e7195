# SPDX-License-Identifier: Apache-2.0
"""Formulas of the documentation become MathML when the site is built: pages load no script and no font.

MkDocs calls `on_page_content` for each page (``hooks`` in mkdocs.yml). The extension `pymdownx.arithmatex`
has found the formulas, ``$...$`` within a line and ``$$`` around a block, and marked them.
"""

import html
import re

from latex2mathml.converter import convert

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)


def on_page_content(content: str, **_: object) -> str:
    """Return the HTML of a page with its formulas as MathML."""
    return _FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    block = found["tag"] == "div"
    formula = convert(html.unescape(found["latex"]).strip(), display="block" if block else "inline")
    # Browsers set a slash like a plus, with space around it.
    formula = formula.replace("<mo>&#x0002F;</mo>", '<mo lspace="0" rspace="0">&#x0002F;</mo>')
    return f'<div class="formula">{formula}</div>' if block else formula
