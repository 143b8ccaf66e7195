# SPDX-License-Identifier: Apache-2.0
"""Askers that are killed or ask at once: every answer that leaves was charged, nothing is overspent."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from ledger_places import KINDS, Place, make_place
from rainbowdp.ledger.book import Point

DRIVER = Path(__file__).with_name("ledger_driver.py")


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return make_place(request.param, tmp_path)


def drive(place: Place, mode: str, number: int = 0) -> dict[str, Any]:
    words = [sys.executable, str(DRIVER), place.address, mode, str(number)]
    done = subprocess.run(words, check=False, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert seen["problems"] == []
    return seen


def test_eight_processes_get_exactly_what_there_is(place: Place) -> None:
    results = drive(place, "race", 40)["results"]
    granted = list(map(int, results["granted"]))
    assert len(granted) == 8
    assert sum(granted) == 40
    assert (results["requests"], results["left"]) == (40, "epsilon 0")
    assert len(results["answers"]) == 8
    assert len(set(results["answers"])) == 1
    assert results["one"] == 1


def test_killed_at_every_statement(place: Place) -> None:
    seen = drive(place, "statements")
    # Opening alone takes several statements, a charge and an answer at least five each.
    assert seen["killed"] == seen["results"]["statements"] > 12
    assert seen["charged_without_answer"] > 0


@pytest.mark.parametrize("mode", ["creation", pytest.param("update", marks=pytest.mark.release)])
def test_killed_at_every_statement_of_creation(place: Place, mode: str) -> None:
    seen = drive(place, mode)
    assert seen["killed"] > seen["results"]["statements"] > 20


def test_killed_at_every_named_moment(place: Place) -> None:
    seen = drive(place, "points")
    assert seen["killed"] == seen["attempts"] == len(get_args(Point))
    # After the charge was committed, and until the answer was.
    assert seen["charged_without_answer"] == 3


@pytest.mark.release
def test_killed_at_200_random_instants(place: Place) -> None:
    seen = drive(place, "instants", 200)
    assert seen["attempts"] == 205
    assert seen["killed"] > 0
