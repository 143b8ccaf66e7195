# SPDX-License-Identifier: Apache-2.0
"""Reports: what a page states is computed again by its own script, and names cannot act there."""

import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from command_line import Runner
from rainbowdp import ApproxDP, GaussianDP, Line, PureDP, RainbowGraph, optimal_mechanism
from rainbowdp.errors import BoundaryNotPrivateError
from rainbowdp.explorer.reports import graph_report, plan_report, receipt_report
from rainbowdp.planning import plan
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Question, bracket, level, ranking, winner, yes_no
from rainbowdp.rainbow import quote_color
from rainbowdp.release import ask, ask_keys, verify_receipt
from test_explorer import boundary_of, computed, needs_node, random_graph, run_node
from test_explorer_browser import CHROMIUM
from test_explorer_browser import pytestmark as needs_browser

OPTIONS = ["A", "B", "C"]
ATTACK = "</script><script>alert(1)</script>"
HOSTILE = [ATTACK, "<!--<script>", "@SCRIPT@", 'a>b="c"', "__proto__", "\u2028\u202e"]
AGES = [str(20 + at) for at in range(59)]
PEOPLE = pd.DataFrame({"vote": ["A"] * 30 + ["B"] * 20 + ["C"] * 9, "age": AGES})
RISK = "in at most about 73 of 100 cases, instead of 50 of 100"
BLOCK = re.compile('<script type="application/json" id="report">(.*?)</script>', re.DOTALL)


def stated(html: str) -> Any:  # noqa: ANN401 - JSON can be anything
    """Return the report that a page holds; its other script element is the program."""
    assert html.count("</script") == 2
    (text,) = BLOCK.findall(html)
    assert "<" not in text
    return json.loads(text)


def found(reports: list[Any], folder: Path) -> list[tuple[set[bool], str]]:
    """Return for each report whether the findings hold, and what they say."""
    each = computed("checkedReport(setting)", reports, folder)
    return [({one["holds"] for one in some}, " ".join(one["text"] for one in some)) for some in each]


@needs_node
def test_graphs_are_computed_again(tmp_path: Path) -> None:
    source, reports = random.Random(24), list[Any]()
    for setting in (random_graph(source) for _ in range(40)):
        graph = RainbowGraph.from_edges(setting["pairs"], dict(setting["nodes"]))
        given = boundary_of(setting)
        notions: list[Privacy] = [PureDP("0.5"), ApproxDP("0.4", "1/50"), GaussianDP("0.7")]
        conditions: list[Any] = ["max-min", given] if isinstance(given, str) else [given]
        try:
            privacy, condition = source.choice(notions), source.choice(conditions)
            made = optimal_mechanism(graph, privacy, condition)
        except BoundaryNotPrivateError:
            continue
        reports.append(stated(graph_report(graph, made, privacy)))
    assert len(reports) > 20
    assert [text for holds, text in found(reports, tmp_path) if holds != {True}] == []
    changed = [report for report in reports if report["lines"]["touching"]]
    for report in changed:
        region = report["lines"]["regions"][report["lines"]["touching"][0][0]]
        row = region["classes"][0]["row"]
        row[0], report["distances"][0] = row[0] + 1e-8, 77
        report["risks"][0]["guess"] -= 1e-8
        region["boundary"] = ["1", *["0" for _ in row[1:]]]
    said = [text for _, text in found(changed, tmp_path)]
    assert {text.count("not as stated") for text in said} == {3}
    # Where a region that touches rules out the same colors, the promise may hold.
    assert sum("breaks the promise" in text for text in said) > len(said) / 2


PATHS: list[tuple[int, Privacy]] = [
    (16, PureDP(50)),
    (80, PureDP("9/10")),
    (700, PureDP(1)),
    (80, GaussianDP(1)),
    (18, GaussianDP(5)),
    (16, ApproxDP(50, "1e-30")),
]


@needs_node
def test_a_promise_holds_where_probabilities_are_tiny(tmp_path: Path) -> None:
    reports = []
    for size, privacy in PATHS:
        rainbows = {f"d{at}": "a>b>c" if at < size // 2 else "b>a>c" for at in range(size)}
        graph = RainbowGraph.from_edges(pairwise(rainbows), rainbows)
        reports.append(stated(graph_report(graph, optimal_mechanism(graph, privacy, "uniform"), privacy)))
    told = found(reports, tmp_path)
    assert [text for holds, text in told if holds != {True}] == []
    assert ["1e-50 are not judged" in text for _, text in told] == [True, False, True, True, True, False]
    for report in reports:
        report["lines"]["regions"][1]["boundary"] = ["1", "0", "0"]
    assert [text for _, text in found(reports, tmp_path) if "breaks the promise" not in text] == []


@needs_node
def test_of_many_datasets_the_regions_alone_are_told(tmp_path: Path) -> None:
    names = [f"name{at}" for at in range(1200)]
    rainbows = ["b>r" if at < 700 else "r>b" for at in range(1200)]
    graph = RainbowGraph.from_edges(pairwise(names), dict(zip(names, rainbows, strict=True)))
    html = graph_report(graph, optimal_mechanism(graph, PureDP("ln 2"), "uniform"), PureDP("ln 2"))
    report = stated(html)
    assert (report["graph"], report["distances"], report["state"]) == (None, [], {})
    assert "name1" not in html
    region, _ = report["lines"]["regions"]
    line = Line("b>r", {"b": "1/2", "r": "1/2"}, PureDP("ln 2"))
    distances = [each["distance"] for each in region["classes"]]
    assert distances == [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 698, 699]
    rows = np.array([each["row"] for each in region["classes"]])
    assert np.array_equal(rows, line.probabilities(distances))
    assert found([report], tmp_path)[0][0] == {True}


QUESTIONS: list[tuple[Question, list[Privacy], dict[str, Any], int]] = [
    (winner("vote", OPTIONS), [PureDP("0.5"), PureDP("ln 2")], {"compare": True, "people": 99}, 2),
    (winner("vote", OPTIONS[:2]), [PureDP(1)], {"neighbors": "change-one", "goal": "guarantee"}, 1),
    (winner("vote", OPTIONS), [PureDP(1)], {"neighbors": "change-one", "groups": 3}, 1),
    (winner("vote", OPTIONS, approval=";"), [PureDP(1)], {}, 0),
    (winner("vote", OPTIONS), [ApproxDP(1, "1e-6"), GaussianDP(1)], {}, 0),
    (yes_no("vote", equals="A", at_least=3), [PureDP("0.3")], {"max_rows": 3}, 1),
    (yes_no("vote", equals="A", at_least=3, false_yes="0.01"), [PureDP("0.3")], {}, 0),
    (yes_no("vote", equals="A", share="1/2"), [PureDP("0.3")], {}, 0),
    (level("vote", equals="A", edges=[1, 5, 9]), [PureDP("0.1"), PureDP(2)], {}, 2),
    (level("vote", equals="A", edges=[1, 5, 9]), [PureDP(26), PureDP(40)], {}, 2),
    (level("vote", equals="A", edges=[1, 5, 30]), [PureDP("0.1")], {}, 0),
    (level("vote", equals="A", edges=[10, 13]), [PureDP("0.4")], {"max_rows": 2}, 0),
    (ranking("vote", OPTIONS), [PureDP(1)], {}, 0),
    (bracket("age", edges=[30, 50]), [PureDP(1)], {}, 0),
]


@needs_node
def test_plans_and_receipts_are_computed_again(tmp_path: Path) -> None:
    plans = [
        stated(plan_report(plan(question, privacies, **how))) for question, privacies, how, _ in QUESTIONS
    ]
    for (_, _, _, known), report, (holds, text) in zip(QUESTIONS, plans, found(plans, tmp_path), strict=True):
        assert holds == {True}, text
        assert text.count("chances by lead: as stated") == known, (text, report["plans"][0]["title"])
        assert bool(report["state"]) == bool(known)
    made = [
        ask(PEOPLE, question, epsilon=1, delta=delta).receipt
        for question, *_ in QUESTIONS[4::2]
        for delta in (None, "1e-6")
    ]
    made += [
        ask(PEOPLE, winner("vote", OPTIONS[:2]), epsilon=1, by="age", groups=["20", "21"]).receipt,
        ask_keys(PEOPLE, "vote", epsilon=1, delta="1e-3").receipt,
    ]
    receipts = [stated(receipt_report(verify_receipt(receipt))) for receipt in made]
    assert [text for holds, text in found(receipts, tmp_path) if holds != {True}] == []
    for receipt, report in zip(made, receipts, strict=True):
        assert json.loads(report["source"]) == receipt
        assert any(RISK in text for text in report["said"])
        assert report["faults"] == []


@needs_node
def test_names_cannot_act(tmp_path: Path) -> None:
    report = stated(hostile_graph())
    nodes = json.loads(report["graph"])["nodes"]
    assert [node["id"] for node in nodes] == HOSTILE
    assert found([report], tmp_path)[0][0] == {True}
    plans = stated(plan_report(plan(winner("vote", HOSTILE), PureDP(1))))
    ((_, options), *_) = plans["asked"]
    assert HOSTILE[0] in options


def hostile_graph() -> str:
    """Return a report of a graph whose datasets and colors have names that a page could stumble over."""
    orders = [">".join(map(quote_color, names)) for names in (HOSTILE, HOSTILE[::-1])]
    rainbows = {name: orders[at > 3] for at, name in enumerate(HOSTILE)}
    graph = RainbowGraph.from_edges(pairwise(HOSTILE), rainbows)
    return graph_report(graph, optimal_mechanism(graph, PureDP(1), "uniform"), PureDP(1))


def test_commands_write_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = Runner(capsys)
    PEOPLE.to_csv("people.csv", index=False)
    Path("g.csv").write_text("dataset,rainbow\na,x>y\nb,y>x\n", encoding="utf-8")
    Path("n.csv").write_text("source,target\na,b\n", encoding="utf-8")
    Path("dangling.html").symlink_to("nowhere.html")
    asked = ("ask", "winner", "people.csv", "--column", "vote", "--options", "A,B", "--epsilon", 1)
    assert run(*asked, "--receipt", "r.json").code == 0
    receipt = json.loads(Path("r.json").read_text(encoding="utf-8"))
    Path("broken.json").write_text(
        json.dumps({**receipt, "answer": "C", "goal": "guarantee"}), encoding="utf-8"
    )
    solved = ("solve", "--datasets", "g.csv", "--neighbors", "n.csv", "--boundary", "uniform", "--epsilon", 1)
    planned = ("plan", "winner", "--options", "A,B", "--epsilon", 1)
    cases: list[tuple[tuple[object, ...], int, str]] = [
        ((*solved, "--report", "out.html"), 0, "A mechanism for 2 datasets"),
        ((*planned, "--report", "out.html"), 0, "Plan of an answer"),
        (("receipt", "r.json", "--html", "out.html"), 0, "Receipt of an answer"),
        (("receipt", "broken.json", "--html", "out.html"), 1, "Receipt of an answer"),
        (("receipt", "r.json", "--html", "r.json"), 2, "would be replaced, and is not a page"),
        (("receipt", "r.json"), 2, "neither --html nor --registry"),
        (("receipt", "g.csv", "--html", "out.html"), 4, "is not a receipt"),
        ((*solved, "--report", "g.csv"), 2, "would be replaced, and is not a page"),
        ((*planned, "--report", "x.svg", "--plot", "x.svg"), 2, "--plot and --report name the same file"),
        ((*planned, "--report", "dangling.html"), 4, "a link to a file that does not exist"),
    ]
    for words, code, said in cases:
        Path("out.html").unlink(missing_ok=True)
        outcome = run(*words)
        assert outcome.code == code, (words, outcome)
        if not Path("out.html").exists():
            assert said in outcome.error[0], words
            continue
        report = stated(Path("out.html").read_text(encoding="utf-8"))
        assert (report["title"], outcome.code) == (said, code)
        assert ("the answer is not one to the question" in report["faults"]) == bool(code)
    assert not Path("nowhere.html").exists()


@needs_browser
def test_reports_are_read_on_a_screen_a_phone_and_paper(tmp_path: Path) -> None:
    question = winner("vote", OPTIONS)
    receipt = ask(PEOPLE, question, epsilon=1).receipt
    reports = {
        "graph": hostile_graph(),
        "plan": plan_report(plan(question, [PureDP("0.5"), PureDP(1)], compare=True)),
        "broken": receipt_report(verify_receipt({**receipt, "answer": ATTACK})),
    }
    pages = [tmp_path / f"{name}.html" for name in reports]
    for path, html in zip(pages, reports.values(), strict=True):
        path.write_text(html, encoding="utf-8")
    assert json.loads(run_node("check_reports.js", CHROMIUM or "chromium", *pages)) == []
