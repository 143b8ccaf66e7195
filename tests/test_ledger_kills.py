# SPDX-License-Identifier: Apache-2.0
"""Askers that are killed or ask at once: every answer that leaves was charged, nothing is overspent."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ledger_places import KINDS, make_place

DRIVER = Path(__file__).with_name("ledger_driver.py")
Seen = dict[str, dict[str, Any]]


def drive(kind: str, folder: Path, *modes: str) -> Seen:
    words = [sys.executable, str(DRIVER), make_place(kind, folder).address, *modes]
    done = subprocess.run(words, check=False, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    seen: Seen = json.loads(done.stdout)
    assert [mode["problems"] for mode in seen.values()] == [[]] * len(modes)
    return seen


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_was_charged_whoever_dies_at_which_statement_or_asks_at_once(
    kind: str, tmp_path: Path
) -> None:
    seen = drive(kind, tmp_path, "race", "statements", "creation")
    results = seen["race"]["results"]
    assert sum(map(int, results["granted"])) == results["requests"] == 40
    assert results["left"] == "epsilon 0"
    assert len(results["answers"]) == 8
    assert len(set(results["answers"])) == 1
    assert results["one"] == 1
    # Opening alone takes several statements, a charge and an answer at least five each.
    assert seen["statements"]["killed"] == seen["statements"]["attempts"] - 1 > 12
    assert seen["statements"]["charged_without_answer"] > 0
    assert seen["creation"]["killed"] == seen["creation"]["attempts"] > 20


@pytest.mark.release
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_holds_at_200_random_instants_and_while_an_old_ledger_is_brought_up(
    kind: str, tmp_path: Path
) -> None:
    seen = drive(kind, tmp_path, "update", "instants")
    assert seen["update"]["killed"] == seen["update"]["attempts"] > 20
    assert seen["instants"]["attempts"] == 205
    assert seen["instants"]["killed"] > 0
