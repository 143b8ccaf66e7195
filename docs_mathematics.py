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


def on_page_content(page: str, **_: object) -> str:
    """Return the HTML of a page with its formulas as MathML."""
    return _FORMULA.sub(_mathml, page)


def _mathml(found: re.Match[str]) -> str:
    latex = html.unescape(found["latex"]).strip()
    if found["tag"] == "span":
        return convert(latex)
    return f'<div class="formula">{convert(latex, display="block")}</div>'
