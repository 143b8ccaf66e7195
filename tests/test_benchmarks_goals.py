# SPDX-License-Identifier: Apache-2.0
"""Goals are met where their worst measurement is, and a page shows those of all its members."""

from pathlib import Path

import pytest

from benchmarks.goals import MET, MISSED, UNMEASURED, Goal, goal_lines
from benchmarks.report import Report, placed, with_goals

pytestmark = pytest.mark.release
ROOT = Path(__file__).resolve().parents[1]
RESULTS = "benchmarks/results.md"


@pytest.mark.parametrize(
    ("values", "at_least", "verdict", "shown"),
    [
        ({"a": 10.0, "b": 30.0}, True, MET, "10× (a) to 30× (b)"),
        ({"a": 9.99, "b": 30.0}, True, MISSED, "10× (a) to 30× (b)"),
        ({"a": 10.0, "b": 3.0}, False, MET, "10× (a) to 3× (b)"),
        ({"a": 10.5, "b": 3.0}, False, MISSED, "10× (a) to 3× (b)"),
        ({}, False, UNMEASURED, "nothing"),
    ],
)
def test_a_goal_is_met_where_its_worst_measurement_is(
    values: dict[str, float], *, at_least: bool, verdict: str, shown: str
) -> None:
    bound = "at least 10×" if at_least else "at most 10×"
    assert Goal("fast", 10, values, at_least=at_least).cells() == ["fast", bound, shown, verdict]


def test_a_page_gathers_the_goals_of_all_members() -> None:
    results = "<!-- one --><!-- /one -->\n\n<!-- two --><!-- /two -->"
    page = "before <!-- goals -->old<!-- /goals --> after"
    fast, slow = Goal("fast", 2, {"x": 3.0}, at_least=True), Goal("slow", 2, {"x": 3.0})
    for name, goal in (("one", fast), ("two", slow), ("one", fast)):
        report = Report("Text.", ["what", "number"], [["a", "1"]], goals=[goal])
        results = placed(results, name, report.markdown())
    rows = [f"| {' | '.join(goal.cells())} |" for goal in (fast, slow)]
    assert goal_lines(results) == rows
    gathered = with_goals(page, results)
    assert gathered.splitlines()[4:-2] == rows
    assert (gathered.startswith("before "), gathered.endswith(" after")) == (True, True)


def test_the_page_shows_the_goals_of_the_results() -> None:
    page, results = ((ROOT / name).read_text(encoding="utf-8") for name in ("docs/benchmarks.md", RESULTS))
    assert with_goals(page, results) == page
