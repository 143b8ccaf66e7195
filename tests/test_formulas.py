# SPDX-License-Identifier: Apache-2.0
"""Formulas of the documentation become MathML: none is left as text, and none is half converted."""

import functools
import re
import runpy
from pathlib import Path

import pytest
from markdown import Markdown
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).resolve().parents[1]
HOOK = runpy.run_path(str(ROOT / "docs_hooks" / "mathematics.py"))
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "$" in path.read_text(encoding="utf-8")]


@functools.cache
def configuration() -> MkDocsConfig:
    return load_config(str(ROOT / "mkdocs.yml"))


def rendered(text: str) -> str:
    """Return the HTML of a page as mkdocs.yml has it made."""
    config = configuration()
    markdown = Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs)
    page: str = HOOK["on_page_content"](markdown.convert(text), page=None, config=config, files=None)
    return page


def test_a_formula_becomes_mathml() -> None:
    page = rendered("Mass $e^{-ε g} \\lt 1$, and\n\n$$\nT^i(F_j) \\le \\frac{1}{M}\n$$\n\n`$HOME` costs $5.")
    inline, block = re.findall(r"<math.*?</math>", page)
    assert "<msup><mi>e</mi>" in inline
    assert "<mo>&#x0003C;</mo>" in inline
    assert 'display="block"' in block
    assert "<mfrac>" in block
    assert "<code>$HOME</code> costs $5." in page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_formula_of_a_page_is_left_as_text(path: Path) -> None:
    page = rendered(path.read_text(encoding="utf-8"))
    without_code = re.sub(r"<(code|pre)\b.*?</\1>", "", page, flags=re.DOTALL)
    # Only amounts of money keep their dollar.
    assert re.findall(r"\$(?!\d)", without_code) == []
    assert "arithmatex" not in without_code
    formulas = "".join(re.findall(r"<math.*?</math>", without_code))
    # The name of an unknown command would stay as text.
    assert "\\" not in formulas
    # An operator in Unicode would be set as a variable, without space around it.
    names = re.findall(r"<mi>(.*?)</mi>", formulas)
    assert [name for name in names if not re.fullmatch(r"\w+|&#x[0-9A-F]+;", name)] == []
