# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: every question by command, both forms, the figure, and errors that say what to do."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from command_line import Outcome, Runner
from rainbowdp.planning import plan
from rainbowdp.plots.planning import plot_plan
from rainbowdp.privacy import GaussianDP, PureDP
from rainbowdp.questions import winner

WINNER = ("plan", "winner", "--options", "A,B,C")
EVERY = {
    "winner": WINNER[2:],
    "ranking": ("--options", "A,B,C"),
    "yes-no": ("--equals", "yes", "--share", "1/2"),
    "level": ("--equals", "yes", "--edges", "10,20", "--labels", "low,medium,high"),
    "bracket": ("--edges", "18,65", "--quantile", "1/2"),
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def json_of(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    assert outcome.err == ""
    found: dict[str, Any] = json.loads(outcome.out)
    return found


@pytest.mark.parametrize("kind", EVERY)
def test_every_question_is_planned_without_data_or_column(run: Runner, kind: str) -> None:
    words = ("plan", kind, *EVERY[kind], "--epsilon", "0.1,ln 2", "--leads", "1,5")
    found = json_of(run(*words, "--format", "json"))
    assert found["question"]["kind"] == kind
    assert [part["privacy"] for part in found["plans"]] == [{"epsilon": "0.1"}, {"epsilon": "ln(2)"}]
    assert [row["lead"] for row in found["plans"][0]["rows"]] == [1, 5]
    table = run(*words)
    assert table.code == 0
    assert table.err == ""
    assert "right at a lead of" in table.out
    assert "lead for a right answer" in table.out
    assert "zCDP: rho" in table.out
    named = json_of(run(*words, "--column", "vote", "--format", "json"))
    assert named["question"]["column"] == "vote"


def test_json_is_the_plan_itself(run: Runner) -> None:
    found = json_of(run(*WINNER, "--epsilon", "0.1,0.5,1", "--neighbors", "change-one", "--format", "json"))
    expected = plan(
        winner("any column", ["A", "B", "C"]),
        [PureDP("0.1"), PureDP("0.5"), PureDP(1)],
        neighbors="change-one",
    )
    assert found == json.loads(json.dumps(expected.to_json()))


def test_the_least_epsilon_by_command(run: Runner) -> None:
    words = ("plan", "winner", "--options", "A,B", "--want", "0.99", "--lead", "40")
    assert json_of(run(*words, "--format", "json"))["least"]["epsilon"] == "0.09901"
    assert (
        "least epsilon for a right answer with probability 0.99 at a lead of 40: 0.09901" in run(*words).out
    )
    beside = json_of(run(*words, "--delta", "1e-3", "--format", "json"))
    assert float(beside["least"]["epsilon"]) < 0.09901
    assert beside["plans"][0]["privacy"]["delta"] == "0.001"
    assert "mu" in json_of(run(*words, "--mu", "1", "--format", "json"))["least"]


def test_privacy_of_each_kind(run: Runner) -> None:
    approximate = run(*WINNER, "--epsilon", "1,2", "--delta", "1e-6").out
    assert approximate.count("up to an additional probability of 1e-06") == 2
    gaussian = run(*WINNER, "--mu", "1")
    assert "mu=1" in gaussian.out
    assert "No rival is compared under mu" in gaussian.out


def test_an_odds_factor_beyond_every_float_is_told_all_the_same(run: Runner) -> None:
    for epsilon in ("1000", "ln(1e400)"):
        cost = json_of(run(*WINNER, "--epsilon", epsilon, "--format", "json"))["plans"][0]["cost"]
        assert (cost["odds_factor"], cost["guess"]) == ("inf", 1)
        assert "more than e^epsilon (above 10^308) times as likely" in run(*WINNER, "--epsilon", epsilon).out
    assert json_of(run(*WINNER, "--mu", "1000", "--format", "json"))["plans"][0]["cost"]["guess"] == 1


def test_leads_in_people_of_several_rows(run: Runner) -> None:
    words = (*WINNER, "--epsilon", "1", "--unit", "person", "--max-rows", "4")
    found = json_of(run(*words, "--format", "json"))
    assert found["max_rows"] == 4
    assert "people of 4 rows each" in found["lead"]
    assert "up to 4 rows per person" in run(*words).out


def test_options_come_from_a_file(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "options.txt"
    file.write_bytes('\ufeffA, B\n"""C"""\n\n Ü \n'.encode())
    found = json_of(run("plan", "winner", "--options-file", file, "--epsilon", "1", "--format", "json"))
    assert found["question"]["options"] == ["A, B", '"C"', "Ü"]
    file.write_text("\n\n")
    assert "there is no option" in run("plan", "winner", "--options-file", file, "--epsilon", "1").error[0]
    file.write_bytes(b"\xff\xfe\xfa")
    assert run("plan", "winner", "--options-file", file, "--epsilon", "1").code == 4
    missing = run("plan", "winner", "--options-file", tmp_path / "none.txt", "--epsilon", "1")
    assert missing.code == 4
    assert "none.txt" in missing.error[0]


def test_other_and_nulls_are_part_of_the_question(run: Runner) -> None:
    words = (*WINNER, "--epsilon", "1", "--other", "rest", "--format", "json")
    question = json_of(run(*words, "--nulls", "A"))["question"]
    assert question["options"] == ["A", "B", "C", "rest"]
    assert question["nulls"] == "A"
    assert json_of(run(*words, "--nulls", "ignore"))["question"]["nulls"] is None


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        (("winner", "--epsilon", "1"), "no options are given", "--options-file"),
        (("winner", "--options", "A,B", "--options-file", "f", "--epsilon", "1"), "both", "--options A,B,C"),
        (("winner", "--options", "A,A", "--epsilon", "1"), "--options names 'A' twice", "once"),
        (("winner", "--options", "A,B"), "no privacy is given", "--want 0.99 --lead 40"),
        (("winner", "--options", "A,B", "--want", "0.9"), "--want is given without --lead", "--lead"),
        (("winner", "--options", "A,B", "--epsilon", "x"), "'x' is not an exact number", "0.1"),
        (("winner", "--options", "A,B", "--epsilon", "1", "--mu", "1"), "--mu and --epsilon", "one notion"),
        (("winner", "--options", "A,B", "--mu", "1", "--delta", "1"), "--mu and --delta", "one notion"),
        (
            ("winner", "--options", "A,B", "--epsilon", "1", "--unit", "u"),
            "without --max-rows",
            "--max-rows M",
        ),
        (("winner", "--options", "A,B", "--epsilon", "1", "--max-rows", "2"), "without --unit", "--unit"),
        (
            ("winner", "--options", "A,B", "--epsilon", "1", "--unit", "u", "--max-rows", "0"),
            "--max-rows '0'",
            "--max-rows 5",
        ),
        (("winner", "--options", "A,B", "--epsilon", "1", "--lead", "0"), "--lead '0'", "--lead 40"),
        (
            ("winner", "--options", "A,B", "--want", "0.9", "--lead", "9007199254740993"),
            "--lead '9007199254740993' is not a whole number from 1 to 2^53",
            "--lead 40",
        ),
        (
            ("winner", "--options", "A,B", "--epsilon", "1", "--unit", "u", "--max-rows", "9" * 30),
            "is not a whole number from 1 to 2^53",
            "--max-rows 5",
        ),
        (("winner", "--options", "A,B", "--epsilon", "1", "--leads", "0:3"), "a lead below 1", "1:21"),
        (("winner", "--options", "A,B", "--epsilon", "1", "--leads", "a"), "--leads 'a'", "range"),
        (
            ("winner", "--options", "A,B", "--epsilon", "1", "--neighbors", "add"),
            "cannot be 'add'",
            "add-remove",
        ),
        (("winner", "--options", "A,B", "--epsilon", "1", "--format", "csv"), "cannot be 'csv'", "table"),
        (("yes-no", "--epsilon", "1", "--share", "1/2"), "nothing is counted", "--equals"),
        (("yes-no", "--epsilon", "1", "--equals", "y"), "no line is given", "--at-least"),
        (
            ("yes-no", "--epsilon", "1", "--equals", "y", "--at-least", "3", "--share", "1/2"),
            "both --at-least and --share",
            "--share P/Q",
        ),
        (("yes-no", "--epsilon", "1", "--equals", "y", "--at-least", "0"), "cannot cross 0", "at least 1"),
        (("yes-no", "--epsilon", "1", "--sum", "--at-least", "3"), "without --clamp", "0,100"),
        (("yes-no", "--epsilon", "1", "--clamp", "0,1", "--at-least", "3"), "without --sum", "both"),
        (
            ("yes-no", "--epsilon", "1", "--sum", "--equals", "y", "--clamp", "0,1", "--at-least", "3"),
            "--equals does not go with --sum",
            "--clamp",
        ),
        (
            ("yes-no", "--epsilon", "1", "--sum", "--clamp", "0,1", "--share", "1/2"),
            "--share does not go with --sum",
            "--at-least",
        ),
        (("yes-no", "--epsilon", "1", "--sum", "--clamp", "5", "--at-least", "3"), "is no range", "0,100"),
        (("level", "--epsilon", "1", "--equals", "y", "--edges", "3,2"), "does not lie above", "lowest up"),
        (
            ("level", "--epsilon", "1", "--sum", "--clamp", "0,1", "--share", "--edges", "3"),
            "--share does not go with --sum",
            "one of them",
        ),
        (
            ("bracket", "--epsilon", "1", "--edges", "3", "--labels", "a,b,c"),
            "--labels names 3 answers, and there are 2",
            "2 labels",
        ),
        (("bracket", "--epsilon", "1", "--edges", "3", "--quantile", "0"), "no quantile", "median"),
    ],
)
def test_errors_say_what_was_wrong_and_what_to_do(
    run: Runner, words: tuple[str, ...], what: str, hint: str
) -> None:
    outcome = run("plan", *words)
    assert outcome.code == 2
    assert what in outcome.error[0]
    assert hint in outcome.error[1]


def test_help_is_for_strangers_and_has_their_words(run: Runner) -> None:
    text = " ".join(run("plan", "--help").out.split())
    for word in ("median", "majority", "most common", "mode", "No data are opened"):
        assert word in text
    for kind in EVERY:
        assert f"rainbowdp plan {kind}" in " ".join(run("plan", kind, "--help").out.split())
    assert "winner" in run("plan").out


def test_the_figure_has_ours_solid_and_rivals_dashed(run: Runner, tmp_path: Path) -> None:
    path = tmp_path / "plan.png"
    outcome = run(*WINNER, "--epsilon", "0.1,1", "--plot", path)
    assert outcome.code == 0
    assert imread(path).shape[1] > 1000
    found = plan(winner("vote", ["A", "B", "C"]), [PureDP("0.1"), PureDP(1)])
    axes = plot_plan(found).axes
    assert [one.get_title() for one in axes] == ["all others equally close", "one other close"]
    for one in axes:
        solid = [line for line in one.lines if line.get_linestyle() == "-"]
        assert len(solid) == 2
        assert len(one.lines) == 6
        assert np.asarray(solid[0].get_xdata()).tolist() == [row.lead for row in found.privacies[0].rows]
    alone = plot_plan(plan(winner("vote", ["A", "B", "C"]), GaussianDP(1)), tmp_path / "alone.svg")
    assert len(alone.axes) == 1
    assert (tmp_path / "alone.svg").exists()
    wrong = run(*WINNER, "--epsilon", "1", "--plot", tmp_path / "plan.txt")
    assert wrong.code == 2
