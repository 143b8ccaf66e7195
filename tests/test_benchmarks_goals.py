# SPDX-License-Identifier: Apache-2.0
"""Goals are met where their worst measurement is, and a page shows those of all its members."""

import pytest

from benchmarks.goals import MET, MISSED, UNMEASURED, Goal, goal_lines
from benchmarks.report import Report, placed, with_goals

pytestmark = pytest.mark.release


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


def test_a_page_gathers_the_goals_of_its_members_however_often_it_is_written() -> None:
    page = "<!-- goals --><!-- /goals -->\n\n<!-- one --><!-- /one -->\n\n<!-- two --><!-- /two -->"
    fast, slow = Goal("fast", 2, {"x": 3.0}, at_least=True), Goal("slow", 2, {"x": 3.0})
    for name, goal in (("one", fast), ("two", slow), ("one", fast)):
        report = Report("Text.", ["what", "number"], [["a", "1"]], goals=[goal])
        page = with_goals(placed(page, name, report.markdown()))
    gathered, _, rest = page.partition("<!-- /goals -->")
    rows = [f"| {' | '.join(goal.cells())} |" for goal in (fast, slow)]
    assert gathered.splitlines()[4:] == [*rows, ""]
    assert goal_lines(rest) == rows
    assert with_goals("a page without goals") == "a page without goals"
