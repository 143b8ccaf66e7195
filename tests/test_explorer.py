# SPDX-License-Identifier: Apache-2.0
"""The explorer: its mathematics against the package, and that the page needs nothing from outside."""

import base64
import csv
import hashlib
import io
import itertools
import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from rainbowdp import Line, PureDP, Rainbow, RainbowGraph, optimal_mechanism
from rainbowdp.cli import main
from rainbowdp.errors import BoundaryNotPrivateError
from rainbowdp.exact import ball, round_ball
from rainbowdp.explorer import page, part
from rainbowdp.goals import GOALS, Asked, mechanism_of
from rainbowdp.graph import boundary_morphism
from rainbowdp.planning import PlanCase, plan
from rainbowdp.planning.columns import Column, ignoring_column, mechanism_column, noisy_column
from rainbowdp.privacy import privacy_of
from rainbowdp.questions import Neighbors, Question, level, winner, yes_no

BROWSER_TESTS = Path(__file__).resolve().parent / "browser"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None and "CI" not in os.environ, reason="Node is not installed")

COLORS = ["blue", "red", "green", "orange", "purple", "teal"]


def run_node(*words: str | Path, given: str | None = None) -> str:
    """Return what a program of Node prints, also where it fails."""
    command = [NODE or "node", *map(str, words)]
    done = subprocess.run(
        command, cwd=BROWSER_TESTS, input=given, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def computed(program: str, settings: list[Any], folder: Path) -> list[Any]:
    """Return what the mathematics of the page says about each setting; one process for all of them."""
    script = folder / "settings.js"
    program = f"JSON.parse(require('fs').readFileSync(0)).map((setting) => {program})"
    known = part("mathematics.js") + part("check.js")
    script.write_text(f"{known}\nconsole.log(JSON.stringify({program}));", encoding="utf-8")
    found: list[Any] = json.loads(run_node(script, given=json.dumps(settings)))
    return found


def differ(found: float, expected: float) -> bool:
    """Tell whether a value of the page is wrong, by the accuracy that it has to have."""
    return abs(found - expected) > (1e-9 * expected if expected >= 1e-12 else 1e-21)


def random_privacy(source: random.Random) -> dict[str, str]:
    epsilon = source.choice(["0", "0.01", "0.1", "ln(6/5)", "ln 2", "1", "3.7", "20"])
    return source.choice(
        [
            {"epsilon": epsilon},
            {"epsilon": epsilon, "delta": source.choice(["0", "1e-9", "0.001", "0.2", "1"])},
            {"mu": source.choice(["0", "0.03", "0.5", "1", "4"])},
        ]
    )


def random_setting(source: random.Random) -> dict[str, Any]:
    count = source.randint(2, 6)
    # Some are 0, and some far smaller than others.
    sizes = [source.choice([0, 1, source.randint(1, 999)]) for _ in range(count)]
    numbers = [size * 10 ** source.choice([0, 0, 3, 12]) for size in sizes]
    numbers[source.randrange(count)] += 1
    return {
        "weights": [f"{number}/{sum(numbers)}" for number in numbers],
        "tied": [at > 0 and source.random() < 0.25 for at in range(count)],
        "privacy": random_privacy(source),
        "distances": [0, 1, 2, 3, *(source.randint(4, 60) for _ in range(6)), source.randint(60, 4000)],
    }


@needs_node
def test_lines_are_those_of_the_package(tmp_path: Path) -> None:
    source = random.Random(21)
    settings = [random_setting(source) for _ in range(200)]
    found = computed(
        "(({at, thresholds}) => ({rows: setting.distances.map(at), thresholds}))"
        "(lineOf(setting.weights, setting.tied, setting.privacy))",
        settings,
        tmp_path,
    )
    for setting, got in zip(settings, found, strict=True):
        colors = COLORS[: len(setting["weights"])]
        joined = zip(setting["tied"], colors, strict=True)
        rainbow = "".join(f"{'=' if tied else '>'}{color}" for tied, color in joined)[1:]
        boundary = dict(zip(colors, setting["weights"], strict=True))
        line = Line(rainbow, boundary, privacy_of(**setting["privacy"]))
        places = [line.rainbow.colors.index(color) for color in colors]
        table = line.probabilities(setting["distances"])[:, places]
        wrong = [
            (distance, color, value, float(expected))
            for distance, row, right in zip(setting["distances"], got["rows"], table, strict=True)
            for color, value, expected in zip(colors, row, right, strict=True)
            if differ(value, expected)
        ]
        assert (wrong, got["thresholds"]) == ([], list(line.thresholds)), setting


def test_the_page_is_whole_and_asks_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, opened = tmp_path / "page.html", list[str]()
    monkeypatch.setattr("webbrowser.open", opened.append)  # as where there is no browser: it returns None
    assert main(["explore", "--out", str(out), "--open"]) == 0
    assert opened == [out.as_uri()]
    assert capsys.readouterr() == (f"{out}\n", "note: no browser was found: open the file in one\n")
    html = out.read_text(encoding="utf-8")
    assert html == page()
    for tag in ("script", "style"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in html
    # What could load something, or run something else. The name of SVG in programs is no address.
    pattern = r"""https?://(?!www\.w3\.org/2000/svg)|\ssrc=|@import|url\(|\sstyle=|innerHTML|eval\(|fetch\("""
    # What could move by itself, which some people do not bear.
    pattern += r"|animat|transition"
    assert re.findall(pattern, html) == []


@needs_node
def test_plans_are_those_of_the_package(tmp_path: Path) -> None:
    source = random.Random(22)
    settings: list[dict[str, Any]] = []
    for _ in range(150):
        question, rows = source.choice(["winner", "winner", "yes-no", "level"]), source.choice([1, 1, 2, 3])
        settings.append(
            {
                "question": question,
                "options": source.randint(2, 20) if question == "winner" else source.randint(3, 6),
                "changed": source.random() < 0.5,
                "rows": rows,
                "width": source.choice([2 * rows, 7 * rows, 50]),
                "epsilon": source.choice(["0", "0.02", "0.1", "0.5", "ln 2", "1", "3"]),
                "leads": [1, 2, 3, source.randint(4, 20), source.randint(20, 300)],
            }
        )
    program = "waysOf(setting).map((way) => ({...way, wrong: setting.leads.map(way.wrong)}))"
    for setting, ways in zip(settings, computed(program, settings, tmp_path), strict=True):
        columns = columns_of(setting)
        names = {way["way"] for way in ways}
        # Where both goals give the same mechanism, the page shows it once.
        assert names | {"guarantee"} == columns.keys() | {"guarantee"}, setting
        for way in ways:
            case = way["case"].replace(" ", "-") or "all-close"
            case = {"end-levels": "one-close", "narrowest-level": "all-close"}.get(case, case)
            for lead, wrong in zip(setting["leads"], way["wrong"], strict=True):
                right = columns[way["way"]](lead, "yes" if setting["question"] == "yes-no" else case)
                assert not differ(wrong, right), (setting, way["way"], case, lead, wrong, right)


def asked_of(setting: dict[str, Any], epsilon: str) -> Asked:
    """Return what the package is asked for a setting of the page."""
    options = [str(at) for at in range(setting["options"])]
    widths = itertools.accumulate([setting["width"]] * (len(options) - 2), initial=1000)
    question: Question
    if setting["question"] == "winner":
        question = winner("column", options)
    elif setting["question"] == "yes-no":
        question = yes_no("column", equals="x", at_least=1000)
    else:
        question = level("column", equals="x", edges=list(widths))
    neighbors: Neighbors = "change-one" if setting["changed"] else "add-remove"
    return Asked(question, PureDP(epsilon), neighbors, setting["rows"])


def columns_of(setting: dict[str, Any]) -> dict[str, Callable[[int, Any], float]]:
    """Return the probability of a wrong answer by lead and case, for each way that the package has."""
    asked = asked_of(setting, setting["epsilon"])
    made = {goal: mechanism_of(asked, goal) for goal in GOALS}
    found = [*(mechanism_column(*each) for each in made.items()), ignoring_column(asked)]
    noisy = noisy_column(asked, made["typical"])
    return {column.name: partial(as_float, column) for column in (*found, noisy) if column is not None}


def as_float(column: Column, lead: int, case: PlanCase) -> float:
    """Return a probability of a wrong answer as a float."""
    wrong = column.wrong(lead, case if case in column.cases else column.cases[0])
    assert wrong is not None
    return round_ball(lambda: ball(wrong), "nearest")


def random_graph(source: random.Random) -> dict[str, Any]:
    colors = COLORS[: source.randint(2, 4)]
    rainbows = []
    for _ in range(source.randint(1, 4)):
        signs = [source.choice([">", ">", "="]) for _ in colors[1:]]
        shuffled = source.sample(colors, len(colors))
        rainbows.append("".join(itertools.chain(*itertools.zip_longest(shuffled, signs, fillvalue=""))))
    names = [f'n,"{at}' if at == 0 else str(at) for at in range(source.randint(2, 30))]
    nodes = [(name, rainbows[at * len(rainbows) // len(names)]) for at, name in enumerate(names)]
    pairs = [(one, other) for one, other in itertools.pairwise(names) if source.random() < 0.9]
    pairs += [(source.choice(names), source.choice(names)) for _ in range(source.randint(0, 6))]
    return {
        "nodes": nodes,
        "pairs": pairs,
        "rule": source.choice(["uniform", "response", ",".join(str(source.randint(3, 9)) for _ in colors)]),
        "privacy": random_privacy(source),
    }


def as_csv(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([head, *rows])
    return text.getvalue()


def boundary_of(setting: dict[str, Any]) -> Any:  # noqa: ANN401 - a name, or the numbers of each region
    """Return the boundary condition as the package takes it."""
    if "," not in setting["rule"]:
        return {"response": "randomized-response"}.get(setting["rule"], "uniform")
    weights = [Fraction(text) for text in setting["rule"].split(",")]
    found: dict[str, dict[str, Fraction]] = {}
    for rainbow in {Rainbow.parse(text) for _, text in setting["nodes"]}:
        ranks = iter(weights)
        masses: dict[str, Fraction] = {}
        for tied in rainbow.classes:
            total = sum(itertools.islice(ranks, len(tied)), Fraction(0))
            masses |= dict.fromkeys(tied, total / len(tied) / sum(weights))
        found[str(rainbow)] = masses
    return found


@needs_node
def test_graphs_are_those_of_the_package(tmp_path: Path) -> None:
    source = random.Random(23)
    settings = [random_graph(source) for _ in range(120)]
    for setting in settings:
        graph = RainbowGraph.from_edges(setting["pairs"], dict(setting["nodes"]))
        tables = [
            as_csv(("dataset", "rainbow"), setting["nodes"]),
            as_csv(("source", "target"), setting["pairs"]),
        ]
        setting["files"] = source.choice([tables, [graph.to_json()]])
    program = (
        "[parseGraph(setting.files)].map((graph) => [graph, structureOf(graph)]).map(([graph, structure]) => "
        "({...structure, ...solveGraph(graph, structure, setting.rule, setting.privacy),"
        " reduced: boundaryGraph(graph, structure)}))[0]"
    )
    unnamed: list[set[str]] = []  # of each boundary that is refused
    for setting, got in zip(settings, computed(program, settings, tmp_path), strict=True):
        graph = RainbowGraph.from_edges(setting["pairs"], dict(setting["nodes"]))
        reduced = boundary_morphism(graph).boundary_graph.structure
        assert (len(got["reduced"]["datasets"]), len(got["reduced"]["pairs"])) == (
            reduced.size,
            reduced.pair_count,
        )
        ends = {setting["nodes"][fail[end]][0] for fail in got["failures"] for end in ("from", "to")}
        try:
            mechanism = optimal_mechanism(graph, privacy_of(**setting["privacy"]), boundary_of(setting))
        except BoundaryNotPrivateError as error:
            unnamed.append({*cast("tuple[str, str]", error.values["datasets"])} - ends)
            continue
        assert got["failures"] == [], setting
        distances = mechanism.distance.tolist()
        for (name, _), row, distance in zip(setting["nodes"], got["rows"], got["distance"], strict=True):
            exact = mechanism.distribution(name)
            expected = [round_ball(partial(ball, exact[color]), "nearest") for color in got["colors"]]
            assert not any(map(differ, row, expected)), (setting, name, row, expected)
            assert distance == distances[graph.index(name)], (setting, name)
    assert 5 < len(unnamed) < 90
    assert not any(unnamed)


DATASETS, PAIRS = "dataset,rainbow\na,x>y\nb,y>x", "source,target\na,b"
NODES = '"nodes": [{"id": "a", "rainbow": "x>y"}, {"id": 1, "rainbow": "y>x"}]'
READ: list[tuple[list[str], object]] = [
    ([DATASETS, PAIRS], ["a", "b"]),
    ([PAIRS, DATASETS.replace("\n", "\r")], ["a", "b"]),
    ([DATASETS.replace("\n", "\r\n") + "\r\n", PAIRS.replace(",", "\t")], ["a", "b"]),
    ([DATASETS.replace(",", ";"), PAIRS], ["a", "b"]),
    (["dataset,rainbow\na;1,x>y\nb\t1,y>x", "source,target\na;1,b\t1"], ["a;1", "b\t1"]),
    (["dataset;rainbow\na,1;x>y\nb;y>x", 'source,target\n"a,1",b'], ["a,1", "b"]),
    (['\ufeff"dataset","rainbow"\na"1,x>y\n"b""",y>x', 'source,target\na"1,"b"""'], ['a"1', 'b"']),
    ([f'\ufeff{{{NODES}, "links": [{{"source": "a", "target": 1}}]}}'], ["a", "1"]),
    ([f'{{{NODES}, "links": [["a", 1]]}}'], 'A link needs source and target: ["a",1]'),
    ([f'{{{NODES}, "links": [{{"source": "a"}}, null]}}'], 'A link needs source and target: {"source":"a"}'),
    ([f'{{{NODES}, "links": [null]}}'], "A link needs source and target: null"),
    ([PAIRS], "There are no datasets: add the file with the columns dataset and rainbow."),
    (["a,b\nc,d"], "A CSV file needs the columns dataset and rainbow, or source and target."),
]


@needs_node
def test_files_of_graphs_are_read_by_their_first_line(tmp_path: Path) -> None:
    program = (
        "{try {const {datasets, pairs} = parseGraph(setting);"
        " return pairs.length === 1 && datasets.map(({name}) => name)} catch (error) {return error.message}}"
    )
    found = computed(program, [texts for texts, _ in READ], tmp_path)
    assert found == [expected for _, expected in READ]


@needs_node
def test_the_epsilon_that_is_enough_is_that_of_plan(tmp_path: Path) -> None:
    source = random.Random(24)
    settings: list[dict[str, Any]] = [
        {
            "question": source.choice(["winner", "yes-no"]),
            "options": source.randint(2, 12),
            "changed": source.random() < 0.5,
            "rows": source.choice([1, 1, 3]),
            "width": 50,
            "lead": source.randint(1, 60),
            "want": source.randint(55, 99),
        }
        for _ in range(20)
    ]
    enough = computed("epsilonFor(setting, setting.lead, setting.want / 100)", settings, tmp_path)
    for setting, found in zip(settings, enough, strict=True):
        asked = asked_of(setting, "1")
        least = plan(
            asked.question,
            neighbors=asked.neighbors,
            max_rows=asked.max_rows,
            want=Fraction(setting["want"], 100),
            lead=setting["lead"],
        ).least
        # The page tries epsilons that are 1.2 % apart, with three digits.
        assert least is not None
        assert 0.995 < float(found) / float(least.text) < 1.02, (setting, least)
