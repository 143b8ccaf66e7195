# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: every question by command, both forms, and the figure."""

import json
import math
import re
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from command_line import Runner
from rainbowdp.planning import PlanCase, plan
from rainbowdp.planning.sentences import answer_cost
from rainbowdp.planning.words import right_float
from rainbowdp.plots import plot_plan
from rainbowdp.privacy import GaussianDP, PureDP
from rainbowdp.questions import ranking, winner

WINNER = ("plan", "winner", "--options", "A,B,C")
CASES: tuple[PlanCase, PlanCase] = ("one-close", "all-close")
EVERY = {
    "winner": WINNER[2:],
    "ranking": ("--options", "A,B,C"),
    "yes-no": ("--equals", "yes", "--share", "1/2"),
    "level": ("--equals", "yes", "--edges", "10,20", "--labels", "low,medium,high"),
    "bracket": ("--edges", "18,65", "--quantile", "1/2"),
}


def planned(run: Runner, *words: object) -> Any:  # noqa: ANN401 - what JSON holds
    """Return what a command says in JSON, and no more than that."""
    outcome = run(*words, "--format", "json")
    assert outcome.err == ""
    return outcome.json


@pytest.mark.parametrize("kind", EVERY)
def test_every_question_is_planned_without_data_or_column(run: Runner, kind: str) -> None:
    words = ("plan", kind, *EVERY[kind], "--epsilon", "1,ln 2", "--leads", "1,5", "--compare")
    found = planned(run, *words, "--column", "vote")
    assert (found["question"]["kind"], found["question"]["column"]) == (kind, "vote")
    assert [part["privacy"] for part in found["plans"]] == [{"epsilon": "1"}, {"epsilon": "ln(2)"}]
    assert [row["lead"] for row in found["plans"][0]["rows"]] == [1, 5]
    table = run(*words)
    assert (table.code, table.err) == (0, "")
    assert "right answers in 100 cases, by lead" in table.out
    assert "lead needed for right answers in so many of 100 cases" in table.out
    assert "Rho of zero-concentrated privacy (zCDP): " in table.out
    assert not re.search("best|better", table.out.lower())
    # Whole sentences, one a line.
    sentences = [line for line in table.out.splitlines() if line.startswith("  W")]
    assert all(line[2].isupper() and line.endswith(".") for line in sentences)


def test_json_is_the_plan_itself(run: Runner) -> None:
    more = "--neighbors change-one --goal guarantee --people 500 --groups 4 --compare --lead"
    found = planned(run, *WINNER, "--epsilon", "0.1,0.5,1", *more.split(), "3 %")
    expected = plan(
        winner("any column", ["A", "B", "C"]),
        [PureDP("0.1"), PureDP("0.5"), PureDP(1)],
        neighbors="change-one",
        goal="guarantee",
        people=500,
        lead=15,
        groups=4,
        compare=True,
    )
    assert found == json.loads(json.dumps(expected.to_json()))


def test_the_tables_have_a_column_for_each_case_that_differs(run: Runner) -> None:
    lines = run(*WINNER, "--epsilon", "ln 2", "--leads", "2", "--people", "100").out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("right answers"))
    assert lines[at].endswith("(* the chosen goal, by the mechanism flip)")
    assert lines[at + 1].split("  ")[0] == "lead"
    assert lines[at + 2].split() == ["one", "close", "all", "close"] * 2
    # 1/8 and 11/48 wrong by flip, 1/6 by the line, 1/6 and more by noisy counts, 2/3 by guessing.
    assert lines[at + 4].split()[:6] == ["2", "2", "%", "87.5", "77.1", "83.3"]
    assert lines[at + 4].split()[-1] == "33.3"
    words = ("plan", "yes-no", *EVERY["yes-no"], "--epsilon", "ln 2", "--leads", "1,40")
    lines = run(*words).out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("right answers"))
    assert lines[at + 1].split() == ["lead", "typical", "*", "ignoring", "the", "data"]
    expected = [["1", "66.7", "50.0"], ["40", ">99.9999999", "50.0"]]
    assert [line.split() for line in lines[at + 3 : at + 5]] == expected


def test_what_is_not_computed_is_a_dash(run: Runner) -> None:
    names = ",".join(f"option {at}" for at in range(9))
    words = ("plan", "ranking", "--options", names, "--epsilon", "1", "--leads", "5")
    out = run(*words).out
    row = next(line for line in out.splitlines() if line.lstrip().startswith("5 "))
    assert row.split()[2::2] == ["-", "-"]
    assert "note: guarantee is not shown: the 9 options have too many orders" in out
    assert "a chance shown as - is not computed" in out
    assert "by the mechanism flip" in run(*words, "--top", "1").out


def test_the_least_epsilon_by_command(run: Runner) -> None:
    words = ("plan", "winner", "--options", "A,B", "--want", "0.99", "--lead", "40")
    assert planned(run, *words)["least"]["epsilon"] == "0.09781"
    said = "least epsilon for a right answer in 99 of 100 cases at a lead of 40: 0.09781"
    assert said in run(*words).out
    beside = planned(run, *words, "--delta", "1e-3")
    assert float(beside["least"]["epsilon"]) < 0.09781
    assert beside["plans"][0]["privacy"]["delta"] == "0.001"
    assert "mu" in planned(run, *words, "--mu", "1")["least"]
    assert planned(run, *words[:-1], "4%", "--people", "1000")["least"]["lead"] == 40


def test_privacy_of_each_kind(run: Runner) -> None:
    words = (*WINNER, "--epsilon", "1,2", "--delta", "1e-6")
    assert run(*words).out.count("delta is not used") == 2
    assert run(*words, "--goal", "guarantee").out.count("up to an additional probability of 1e-06") == 2
    gaussian = run(*WINNER, "--mu", "1", "--compare").out
    assert "mu=1" in gaussian
    assert "no other mechanism is compared under mu" in gaussian


def test_an_odds_factor_beyond_every_float_is_told_all_the_same(run: Runner) -> None:
    words = (*WINNER, "--epsilon", "ln(1e400)", "--leads", "1")
    cost = planned(run, *words)["plans"][0]["cost"]
    assert (cost["odds_factor"], cost["guess"]) == ("inf", 1)
    said = run(*words).out
    assert "more than e^epsilon (above 10^308) times as likely" in said
    assert "guesses right in perhaps nearly 100 of 100 cases" in said
    assert answer_cost(GaussianDP(1000), "add-remove", None).guess == 1


@pytest.mark.parametrize(
    ("options", "words", "epsilon", "times"),
    [
        ("a,b", "", 1, "2.719"),
        ("a,b", "--unit who --max-rows 3", 3, "20.09"),
        ("a,b", "--neighbors change-one", 2, "7.39"),
        ("a,b,c", "--neighbors change-one --delta 1e-6", 2, "7.39"),
        ("a,b,c,d", "--neighbors change-one --mu 0.5", None, "mu is sqrt(2/3)"),
    ],
)
def test_the_risk_is_that_of_all_groups_together(
    run: Runner, options: str, words: str, epsilon: int | None, times: str
) -> None:
    privacy = () if epsilon is None else ("--epsilon", "1")
    asked = ("plan", *f"winner --options {options} --leads 1 --groups 3 {words}".split(), *privacy)
    cost = planned(run, *asked)["plans"][0]["cost"]
    under_mu = NormalDist().cdf(math.sqrt(2 / 3) / 2)
    assert cost["guess"] == pytest.approx(under_mu if epsilon is None else 1 / (1 + math.exp(-epsilon)))
    said = next(line for line in run(*asked).out.splitlines() if "3 answers together" in line)
    assert times in said


def test_the_figure_has_a_panel_for_each_case(run: Runner) -> None:
    planned(run, *WINNER, "--epsilon", "0.1,1", "--plot", "plan.png")
    assert Path("plan.png").read_bytes().startswith(b"\x89PNG")
    found = plan(winner("vote", ["A", "B", "C"]), [PureDP("0.1"), PureDP(1)], compare=True)
    axes = plot_plan(found).axes
    assert [one.get_title() for one in axes] == ["one other answer close", "all other answers close"]
    for one, case in zip(axes, CASES, strict=True):
        # Two epsilons with both goals, noisy counts, guessing and two rivals each.
        assert len(one.lines) == 12
        solid = [line for line in one.lines if line.get_linestyle() == "-"]
        assert len(solid) == 2
        rows = found.privacies[0].rows
        assert np.asarray(solid[0].get_xdata()).tolist() == [row.lead for row in rows]
        wrong = [row.wrong("typical", case) for row in rows]
        drawn = [None if one is None else right_float(one) for one in wrong]
        assert np.asarray(solid[0].get_ydata()).tolist() == drawn
    assert len(plot_plan(plan(winner("vote", ["A", "B"]), GaussianDP(1))).axes) == 1
    # What is not computed is left out.
    many = plot_plan(plan(ranking("vote", map(str, range(9))), PureDP(1), leads=[1, 5])).axes
    assert [len(one.lines) for one in many] == [3, 1]


def test_a_page_replaces_a_page_and_no_other_file(run: Runner) -> None:
    options = Path("options.txt")
    options.write_text("A\nB\n", encoding="utf-8")
    asked = ("plan", "winner", "--options-file", options, "--epsilon", "1", "--leads", "1", "--report")
    for words in ((*asked, options), ("explore", "--out", options)):
        assert "would be replaced, and is not a page" in run(*words).error[0]
    assert options.read_text(encoding="utf-8") == "A\nB\n"
    assert [run(*asked, "page.html").code for _ in range(2)] == [0, 0]
