# SPDX-License-Identifier: Apache-2.0
"""The demo: it ends well, says the paper's numbers, and leaves its figures."""

import contextlib
import io
import re
import runpy
import subprocess
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pytest

from rainbowdp.cli import main

ROOT = Path(__file__).resolve().parents[1]
FIGURES = (
    "figure1.png",
    "figure2-example1.png",
    "figure2-example2.png",
    "plan.png",
    "survey-line.png",
    "survey.png",
)
FILES = ("receipt.json", "survey.ledger")
SAID = (
    "read 18 datasets, 31 pairs, 6 regions; largest distance 2; boundary graph of 11 nodes and 16 edges",
    "dataset a, distance 2: blue 17/20, red 7/80, green 1/16",
    "checked all 31 pairs of neighbors: private at epsilon=ln(2), tight epsilon 0.693147181",
    "thresholds: blue 12, blue and red together 5",
    "distance  0 to  5: blue < red < green",
    "distance  6 to  8: blue < green < red",
    "distance  9 to 11: green < blue < red",
    "distance 12 to 30: green < red < blue",
    "thresholds: blue 6, blue and red together 5",
    "distance  0 to  5: red < blue < green",
    "distance  6 to 30: red < green < blue",
    "left 266, moderate 256, right 422",
    "built every table of 944 answers: 446,985 datasets, 1,338,120 pairs",
    "checked all 1,338,120 pairs of neighbors: private at epsilon=1, tight epsilon 1.000000000",
    "the survey lies 77 changed answers inside the region of 'right'",
    "57.6% at 0",
    "at least 99.9% from distance 7 on",
    "the answer is 'right'",
    "Public data: a real custodian would show",
    "lead needed for right answers in so many of 100 cases",
    "--request-id leader --receipt receipt.json\n    note: privacy hides that one person joins or leaves",
    "    note: the answer costs epsilon=1\n    right\n",
    "  $ rainbowdp verify receipt.json\n    holds\n",
    "same answer can be had again at no cost\n    no\n",
    "same answer can be had again at no cost\n    $30000 to $49999\n",
    "same answer can be had again at no cost\n    3 to 4 each\n",
    "a category that 23 people have is always named",
    "    0\n",
    "spent epsilon 4, delta 0.00001; asked epsilon 0.5, delta 0; left epsilon 0, delta 0",
    "help: nothing is left",
)


def inside(command: Sequence[str], *, cwd: Path, **_: object) -> "subprocess.CompletedProcess[str]":
    """Run a command of the demo in this process, in place of `subprocess.run`."""
    said = io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(command[3:])
    return subprocess.CompletedProcess(command, code, said.getvalue())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("demo") / "figures"
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.syspath_prepend(ROOT / "examples")
        patch.setattr(import_module("survey_questions").subprocess, "run", inside)
        runpy.run_path(str(ROOT / "examples" / "demo.py"))["main"]([str(folder)])
    return printed.getvalue(), folder


def test_the_demo_says_the_papers_numbers_and_ends_well(demo: tuple[str, Path]) -> None:
    assert [text for text in SAID if text not in demo[0]] == []
    assert len(re.findall(r"^Done in \d+ s\.", demo[0], flags=re.MULTILINE)) == 1


def test_the_demo_leaves_its_figures_and_nothing_else(demo: tuple[str, Path]) -> None:
    printed, folder = demo
    assert sorted(path.name for path in folder.iterdir()) == sorted([*FIGURES, *FILES])
    for name in FIGURES:
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
        assert name in printed


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        # A contest as close as can be: 576, 212 and 212 are expected.
        ("315/315/314", (450, 110, 110), (700, 320, 320)),
        # Tied options are drawn alike: by flip 410, 410 and 179 are expected, since the third option is
        # accepted with probability 2/(1 + e).
        ("alike", (300, 300, 94), (520, 520, 264)),
    ],
)
def test_close_contests_are_decided_by_chance(
    demo: tuple[str, Path], said: str, least: tuple[int, ...], most: tuple[int, ...]
) -> None:
    (texts,) = re.findall(rf"{said}: left (\d+), moderate (\d+), right (\d+)", demo[0])
    counts = list(map(int, texts))
    # The bounds are seven standard deviations away, or more.
    assert all(low < count < high for low, count, high in zip(least, counts, most, strict=True))
    assert sum(counts) == 1000
