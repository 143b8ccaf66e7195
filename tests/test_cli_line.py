# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp line``: its three forms, every option, and the paper's two examples by command."""

import csv
import io
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from command_line import Runner

EXAMPLE_1 = ("--rainbow", "blue>red>green", "--boundary", "blue=3/55,red=9/55,green=43/55")
ODDS = ("--epsilon", "ln(6/5)")


def line(run: Runner, *words: object) -> Any:  # noqa: ANN401 - what JSON holds
    """Return what a command says in JSON."""
    return run("line", *words, "--format", "json").json


def test_the_first_example_of_the_paper(run: Runner) -> None:
    found = line(run, *EXAMPLE_1, *ODDS, "--distances", "0:13")
    assert list(found) == ["rainbow", "privacy", "thresholds", "rows"]
    assert (found["rainbow"], found["privacy"]) == ("blue>red>green", {"epsilon": "ln(6/5)"})
    assert found["thresholds"] == [12, 5]
    ranked = [sorted(row["probabilities"], key=row["probabilities"].__getitem__) for row in found["rows"]]
    orders = ["".join(color[0] for color in colors) for colors in ranked]
    assert orders == ["brg"] * 6 + ["bgr"] * 3 + ["gbr"] * 3 + ["grb"]
    assert [row["distance"] for row in found["rows"]] == list(range(13))
    assert list(found["rows"][0]["probabilities"]) == ["blue", "red", "green"]


def test_the_second_example_of_the_paper_also_rounded(run: Runner) -> None:
    rainbow = ("--rainbow", "red>blue>green", *ODDS, "--distances", "3", "--boundary")
    assert line(run, *rainbow, "blue=3/55,red=9/55,green=43/55")["thresholds"] == [6, 5]
    rounded = ("line", *rainbow, "blue=.0545,red=.1636,green=.7818", "--format", "json")
    what, hint = run(*rounded).error
    assert ("0.9999" in what, "--normalize" in hint) == (True, True)
    outcome = run(*rounded, "--normalize")
    assert outcome.json["thresholds"] == [6, 5]
    assert outcome.err == "note: the boundary sums to 0.9999; every probability was divided by that\n"


def test_floats_are_numbers_that_agree_with_the_fractions(run: Runner) -> None:
    words = ("line", *EXAMPLE_1, *ODDS, "--distances", "0:2000:111", "--format", "csv")
    floats, fractions = (
        list(csv.reader(io.StringIO(run(*each).out))) for each in (words, (*words, "--exact"))
    )
    assert floats[0] == fractions[0] == ["distance", "blue", "red", "green"]
    assert len(floats) == 20
    for numbers, exact in zip(floats[1:], fractions[1:], strict=True):
        assert numbers[0] == exact[0]
        for number, fraction in zip(numbers[1:], exact[1:], strict=True):
            assert abs(Fraction(number) - Fraction(fraction)) <= Fraction(fraction) / 10**12


def test_ties_are_sorted_and_quoted_colors_stay_themselves(run: Runner) -> None:
    rainbow, boundary = 'z > "a,b"= "say ""x""%s"', 'z=1/2,"a,b"=1/4,"say ""x""%s"=1/4'
    words = ("--rainbow", rainbow, "--boundary", boundary, "--epsilon", "ln 2", "--distances", "1,2")
    found = line(run, *words, "--exact")
    assert found["rainbow"] == 'z>"a,b"="say ""x""%s"'
    expected = [("z", "7/8"), ("a,b", "1/16"), ('say "x"%s', "1/16")]
    assert list(found["rows"][1]["probabilities"].items()) == expected
    rows = list(csv.reader(io.StringIO(run("line", *words, "--format", "csv").out)))
    assert rows[::2] == [["distance", "z", "a,b", 'say "x"%s'], ["2", "0.875", "0.0625", "0.0625"]]


def test_privacy_of_other_kinds(run: Runner) -> None:
    found = line(run, *EXAMPLE_1, "--mu", "1/2", "--distances", "0,4")
    assert list(found) == ["rainbow", "privacy", "rows"]
    assert found["privacy"] == {"mu": "1/2"}
    assert found["rows"][1]["probabilities"]["blue"] == pytest.approx(0.6549, abs=1e-3)
    words = ("--rainbow", "yes>no", "--boundary", "yes=0,no=1", "--epsilon", "ln 2", "--delta", "0.1")
    found = line(run, *words, "--distances", "0:9", "--exact")
    assert found["privacy"] == {"epsilon": "ln 2", "delta": "0.1"}
    assert [row["probabilities"]["yes"] for row in found["rows"]][:4] == ["0", "1/10", "3/10", "7/10"]
    assert found["rows"][-1]["probabilities"] == {"yes": "1", "no": "0"}
    assert run("line", *EXAMPLE_1, "--epsilon", "0", "--distances", "0:3", "--exact").code == 0


@pytest.mark.parametrize(
    ("boundary", "privacy", "said"),
    [
        ("a=0,b=1/3,c=2/3", ("--epsilon", "0"), ["a: stays at 0 at every", "a + b: stays at 1/3 at every"]),
        ("a=3/5,b=2/5,c=0", ("--epsilon", "0"), ["a: stays at 0.6 at every", "a + b: stays at 1 at every"]),
        ("a=0,b=1,c=0", ("--epsilon", "1/3"), ["a: stays at 0 at every", "a + b: stays at 1 at every"]),
        ("a=0,b=1/2,c=1/2", ("--epsilon", "ln 2", "--delta", "1/10"), ["a: grows up", "a + b: closes in"]),
        ("a=0,b=1/2,c=1/2", ("--epsilon", "0", "--delta", "1/10"), ["a: grows up", "a + b: closes in"]),
    ],
)
def test_the_words_say_what_the_probabilities_do(
    run: Runner, boundary: str, privacy: tuple[str, ...], said: list[str]
) -> None:
    words = ("--rainbow", "a>b>c", "--boundary", boundary, *privacy, "--distances", "0:400:100")
    lines = run("line", *words).out.splitlines()
    best = [row["probabilities"]["a"] for row in line(run, *words)["rows"]]
    assert [text.startswith(start) for text, start in zip(lines[1:3], said, strict=True)] == [True, True]
    assert (len(set(best)) == 1) == said[0].startswith("a: stays")


@pytest.mark.parametrize(
    ("privacy", "distance", "noted"),
    [("ln(6/5)", "1000", False), ("ln(6/5)", "100000", True), ("ln 2", "20000", True), ("0", "9999", False)],
)
def test_long_fractions_are_announced_with_their_digits(
    run: Runner, privacy: str, distance: str, noted: bool
) -> None:
    words = ("--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", privacy, "--distances", distance)
    outcome = run("line", *words, "--exact", "--format", "csv")
    digits = max(map(len, outcome.out.splitlines()[1].split(",")))
    assert ("note: at distance" in outcome.err) is noted
    if noted:
        said = int(outcome.err.split("some ")[1].split()[0].replace(",", ""))
        assert said * 0.5 < digits <= said + 2
    assert run("line", *words, "--format", "csv").err == ""


def test_the_table_is_for_people(run: Runner) -> None:
    outcome = run("line", *EXAMPLE_1, *ODDS, "--distances", "0:3")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[:3] == [
        "blue>red>green, epsilon=ln(6/5)",
        "blue: grows up to distance 12, then closes in on 1",
        "blue + red: grows up to distance 5, then closes in on 1",
    ]
    assert lines[4].split() == ["distance", "blue", "red", "green"]
    assert lines[-1].split() == ["2", "0.0785455", "0.235636", "0.685818"]
    # No number is cut, and nothing is read as markup.
    words = ("--rainbow", "[b]x[/b]>y:smile:", "--boundary", "[b]x[/b]=1/3,y:smile:=2/3", *ODDS)
    *_, head, _, row = run("line", *words, "--distances", "300", "--exact").out.splitlines()
    assert head.split() == ["distance", "[b]x[/b]", "y:smile:"]
    assert sum(map(Fraction, row.split()[1:])) == 1
    assert len(row) > 400


def test_a_huge_threshold_is_told_in_a_few_digits(run: Runner) -> None:
    words = ("--rainbow", "a>b>c", "--boundary", "a=1/10,b=3/10,c=6/10", "--epsilon", "1e-300")
    # ln 5 and ln 1.25, the growth from 1/10 and 4/10 to 1/2, in steps of epsilon.
    expected = [f"about {math.log(5):.5f}E+300", f"about {10 * math.log(1.25):.5f}E+299"]
    assert line(run, *words, "--distances", "0")["thresholds"] == expected


def test_a_long_range_streams(run: Runner) -> None:
    words = (*EXAMPLE_1, *ODDS, "--distances", "0:40000")
    lines = run("line", *words, "--format", "csv").out.splitlines()
    assert len(lines) == 40_001
    assert lines[-1].startswith("39999,0.9999999999999999,")
    assert [row["distance"] for row in line(run, *words)["rows"]] == list(range(40_000))


def test_a_figure_is_drawn_and_nothing_else_is_left(run: Runner) -> None:
    line(run, *EXAMPLE_1, *ODDS, "--distances", "0:31", "--plot", "line.svg")
    assert [file.name for file in Path().iterdir()] == ["line.svg"]
    assert Path("line.svg").read_bytes().startswith(b"<?xml")
