# SPDX-License-Identifier: Apache-2.0
"""The explorer in a browser: no request, nothing on the console, every control by keyboard, accessible.

Playwright, axe and TypeScript come with ``npm ci`` in tests/browser; the browser is the system's Chromium.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from rainbowdp import read_graph
from rainbowdp.explorer import page
from test_explorer import BROWSER_TESTS, NODE, run_node

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = shutil.which("chromium")
missing = NODE is None or CHROMIUM is None or not (BROWSER_TESTS / "node_modules").is_dir()
pytestmark = pytest.mark.skipif(
    missing and "CI" not in os.environ, reason="Node, Chromium or tests/browser/node_modules are missing"
)


def test_the_types_of_the_scripts_fit() -> None:
    assert run_node("node_modules/typescript/bin/tsc", "--project", ".") == ""


def test_every_view_works_in_a_browser(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.write_text(page(), encoding="utf-8")
    tables = [ROOT / f"examples/figure1-{name}.csv" for name in ("nodes", "edges")]
    whole = tmp_path / "graph.json"
    whole.write_text(read_graph(*tables).to_json(), encoding="utf-8")
    assert json.loads(run_node("check_page.js", CHROMIUM or "chromium", out, whole, *tables)) == []
