# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp line``: its three forms, every option, and the paper's two examples by command."""

import csv
import io
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from command_line import Outcome, Runner

EXAMPLE_1 = ("--rainbow", "blue>red>green", "--boundary", "blue=3/55,red=9/55,green=43/55")
ODDS = ("--epsilon", "ln(6/5)")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def json_of(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def test_the_first_example_of_the_paper(run: Runner) -> None:
    found = json_of(run("line", *EXAMPLE_1, *ODDS, "--distances", "0:13", "--format", "json"))
    assert found["rainbow"] == "blue>red>green"
    assert found["privacy"] == {"epsilon": "ln(6/5)"}
    assert found["thresholds"] == [12, 5]
    ranked = [sorted(row["probabilities"], key=row["probabilities"].__getitem__) for row in found["rows"]]
    orders = ["".join(color[0] for color in colors) for colors in ranked]
    assert orders == ["brg"] * 6 + ["bgr"] * 3 + ["gbr"] * 3 + ["grb"]
    assert [row["distance"] for row in found["rows"]] == list(range(13))
    assert list(found["rows"][0]["probabilities"]) == ["blue", "red", "green"]
    assert list(found) == ["rainbow", "privacy", "thresholds", "rows"]


def test_the_second_example_of_the_paper(run: Runner) -> None:
    boundary = ("--rainbow", "red>blue>green", "--boundary", "blue=3/55,red=9/55,green=43/55")
    rounded = ("--rainbow", "red>blue>green", "--boundary", "blue=.0545,red=.1636,green=.7818", "--normalize")
    for words in (boundary, rounded):
        found = json_of(run("line", *words, *ODDS, "--distances", "3", "--format", "json"))
        assert found["thresholds"] == [6, 5]


def test_floats_are_numbers_that_agree_with_the_fractions(run: Runner) -> None:
    words = ("line", *EXAMPLE_1, *ODDS, "--distances", "0:2000:111", "--format", "csv")
    floats = list(csv.reader(io.StringIO(run(*words).out)))
    fractions = list(csv.reader(io.StringIO(run(*words, "--exact").out)))
    assert floats[0] == fractions[0] == ["distance", "blue", "red", "green"]
    assert len(floats) == 20
    for numbers, exact in zip(floats[1:], fractions[1:], strict=True):
        assert numbers[0] == exact[0]
        for number, fraction in zip(numbers[1:], exact[1:], strict=True):
            assert abs(Fraction(number) - Fraction(fraction)) <= Fraction(fraction) / 10**12


def test_ties_are_sorted_and_quoted_colors_stay_themselves(run: Runner) -> None:
    rainbow, boundary = 'z > "a,b"= "say ""x""%s"', 'z=1/2,"a,b"=1/4,"say ""x""%s"=1/4'
    words = ("line", "--rainbow", rainbow, "--boundary", boundary, "--epsilon", "ln 2", "--distances", "1,2")
    found = json_of(run(*words, "--format", "json", "--exact"))
    assert found["rainbow"] == 'z>"a,b"="say ""x""%s"'
    assert list(found["rows"][1]["probabilities"].items()) == [
        ("z", "7/8"),
        ("a,b", "1/16"),
        ('say "x"%s', "1/16"),
    ]
    rows = list(csv.reader(io.StringIO(run(*words, "--format", "csv").out)))
    assert rows[0] == ["distance", "z", "a,b", 'say "x"%s']
    assert rows[2] == ["2", "0.875", "0.0625", "0.0625"]


def test_gaussian_privacy_has_no_thresholds(run: Runner) -> None:
    found = json_of(run("line", *EXAMPLE_1, "--mu", "1/2", "--distances", "0,4", "--format", "json"))
    assert list(found) == ["rainbow", "privacy", "rows"]
    assert found["privacy"] == {"mu": "1/2"}
    assert found["rows"][1]["probabilities"]["blue"] == pytest.approx(0.6549, abs=1e-3)


def test_approximate_privacy_reaches_certainty(run: Runner) -> None:
    words = ("--rainbow", "yes>no", "--boundary", "yes=0,no=1", "--epsilon", "ln 2", "--delta", "0.1")
    found = json_of(run("line", *words, "--distances", "0:9", "--exact", "--format", "json"))
    assert found["privacy"] == {"epsilon": "ln 2", "delta": "0.1"}
    assert [row["probabilities"]["yes"] for row in found["rows"]][:4] == ["0", "1/10", "3/10", "7/10"]
    assert found["rows"][-1]["probabilities"] == {"yes": "1", "no": "0"}


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
    words = ("line", "--rainbow", "a>b>c", "--boundary", boundary, *privacy, "--distances", "0:400:100")
    lines = run(*words).out.splitlines()
    rows = json_of(run(*words, "--format", "json"))["rows"]
    best = [row["probabilities"]["a"] for row in rows]
    for sentence, line in zip(said, lines[1:3], strict=True):
        assert line.startswith(sentence)
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


def test_the_table_says_the_thresholds_in_words(run: Runner) -> None:
    outcome = run("line", *EXAMPLE_1, *ODDS, "--distances", "0:3")
    assert outcome.code == 0
    assert outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[0] == "blue>red>green, epsilon=ln(6/5)"
    assert lines[1] == "blue: grows up to distance 12, then closes in on 1"
    assert lines[2] == "blue + red: grows up to distance 5, then closes in on 1"
    assert lines[4].split() == ["distance", "blue", "red", "green"]
    assert lines[-1].split() == ["2", "0.0785455", "0.235636", "0.685818"]


def test_a_huge_threshold_is_told_in_a_few_digits(run: Runner) -> None:
    words = ("line", "--rainbow", "a>b>c", "--boundary", "a=1/10,b=3/10,c=6/10", "--epsilon", "1e-300")
    found = json_of(run(*words, "--distances", "0", "--format", "json"))["thresholds"]
    # ln 5 and ln 1.25, the growth from 1/10 and 4/10 to 1/2, in steps of epsilon.
    assert found == [f"about {math.log(5):.5f}E+300", f"about {10 * math.log(1.25):.5f}E+299"]


def test_the_table_never_cuts_a_number_or_reads_markup(run: Runner) -> None:
    words = ("--rainbow", "[b]x[/b]>y:smile:", "--boundary", "[b]x[/b]=1/3,y:smile:=2/3", *ODDS)
    outcome = run("line", *words, "--distances", "300", "--exact")
    assert outcome.code == 0
    *_, head, _, row = outcome.out.splitlines()
    assert head.split() == ["distance", "[b]x[/b]", "y:smile:"]
    values = [Fraction(text) for text in row.split()[1:]]
    assert sum(values) == 1
    assert len(row) > 400


def test_rounded_values_are_refused_with_their_sum_and_a_way_on(run: Runner) -> None:
    words = ("line", "--rainbow", "blue>red>green", "--boundary", "blue=0.0545,red=0.1636,green=0.7818")
    outcome = run(*words, *ODDS, "--distances", "0:3")
    assert outcome.code == 2
    what, hint = outcome.error
    assert "0.9999" in what
    assert "--normalize" in hint
    outcome = run(*words, *ODDS, "--distances", "0:3", "--normalize", "--format", "json")
    assert json.loads(outcome.out)["thresholds"] == [12, 5]
    assert outcome.err == "note: the boundary sums to 0.9999; every probability was divided by that\n"


def test_exact_is_refused_for_irrational_odds(run: Runner) -> None:
    for privacy in (("--epsilon", "0.1"), ("--mu", "1"), ("--epsilon", "1", "--delta", "0.1")):
        outcome = run("line", *EXAMPLE_1, *privacy, "--distances", "0:3", "--exact")
        assert outcome.code == 2
        what, hint = outcome.error
        assert what.startswith("error[RDP102]: ")
        assert "--exact" in hint
    assert run("line", *EXAMPLE_1, "--epsilon", "0", "--distances", "0:3", "--exact").code == 0


@pytest.mark.parametrize(
    ("words", "code", "what", "hint"),
    [
        (("--epsilon", "-1"), "RDP103", "epsilon is negative (-1)", "at least 0"),
        ((), "RDP901", "no privacy is given", "--epsilon such as 1"),
        (("--epsilon", "1", "--rainbow", "blue>>red"), "RDP201", "has an empty color", "blue>red=green"),
        (("--epsilon", "1", "--rainbow", "blue>gren>red"), "RDP202", "does not fit", "did you mean 'gren'"),
        (("--epsilon", "1", "--boundary", "blue"), "RDP201", "'blue'", "blue=3/55"),
        (("--epsilon", "1", "--boundary", "blue=1,red=x,green=0"), "RDP101", "'x' is not an exact", "1/3"),
        (("--epsilon", "1", "--boundary", "blue=2,red=-1,green=0"), "RDP203", "negative", "at least 0"),
        (("--epsilon", "1", "--distances", "0:200000"), "RDP901", "a table of 200000", "--format csv"),
        (("--epsilon", "1", "--plot", "/absent/x.svg"), "RDP503", "there is no directory", "create"),
    ],
)
def test_what_is_wrong_is_said_in_two_lines(
    run: Runner, words: tuple[str, ...], code: str, what: str, hint: str
) -> None:
    given = dict(zip(EXAMPLE_1[::2], EXAMPLE_1[1::2], strict=True)) | {"--distances": "0:3"}
    given |= dict(zip(words[::2], words[1::2], strict=True))
    outcome = run("line", *(word for pair in given.items() for word in pair))
    assert outcome.code == (4 if code == "RDP503" else 2)
    first, second = outcome.error
    assert first.startswith(f"error[{code}]: ")
    assert what in first
    assert hint in second


@pytest.mark.parametrize(("ending", "magic"), [("svg", b"<?xml")])
def test_a_figure_is_written(run: Runner, tmp_path: Path, ending: str, magic: bytes) -> None:
    path = tmp_path / f"line.{ending}"
    outcome = run("line", *EXAMPLE_1, *ODDS, "--distances", "0:31", "--format", "csv", "--plot", path)
    assert outcome.code == 0, outcome.err
    assert len(outcome.out.splitlines()) == 32
    assert path.read_bytes().startswith(magic)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_long_range_streams(run: Runner) -> None:
    outcome = run("line", *EXAMPLE_1, *ODDS, "--distances", "0:50000", "--format", "csv")
    lines = outcome.out.splitlines()
    assert len(lines) == 50_001
    assert lines[-1].startswith("49999,0.9999999999999999,")
    rows = json_of(run("line", *EXAMPLE_1, *ODDS, "--distances", "0:50000", "--format", "json"))["rows"]
    assert [row["distance"] for row in rows] == list(range(50_000))
