# SPDX-License-Identifier: Apache-2.0
"""The benchmarks run, small, to their end: what they measure is right, and their page has a place for each.

How long anything takes is not tested.
"""

import ast
import csv
import doctest
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.__main__ import MEMBERS
from benchmarks.person_table import ANSWERS, COLUMNS, UNREADABLE, WINNER, write
from benchmarks.plain_counts import ENGINES, TASKS, counts

pytestmark = pytest.mark.release
ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results.md"
# A size at which a member takes seconds.
TINY = {
    "distances": 400,
    "growth": 2_000,
    "families": 5_000,
    "draws": 200_000,
    "optimum": 400,
    "startup": 20_000,
    "ask_csv": 40_000,
    "explorer": 60,
}
MIB = 2**20


def run(*arguments: str, temporary: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )


def members() -> set[str]:
    """Return the modules that have a size and a main function of a size and a folder."""
    found = set()
    for path in (ROOT / "benchmarks").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        mains = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
        if any([argument.arg for argument in main.args.args] == ["size", "folder"] for main in mains):
            found.add(path.stem)
    return found


def tables(text: str) -> list[list[list[str]]]:
    """Return the cells of every table of a page, row by row; the head and its rule are rows, too."""
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in block] for block in blocks]


def test_every_member_is_run_and_has_a_tiny_size() -> None:
    assert members() == {*MEMBERS} == {*TINY}
    assert all(TINY[name] < importlib.import_module(f"benchmarks.{name}").SIZE for name in MEMBERS)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_runs_and_fills_its_place(name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n<!-- {name} -->\nold\n<!-- /{name} -->\n\nthe end\n", encoding="utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = run(f"{name}={TINY[name]}", "--page", str(page), temporary=temporary)
    assert done.returncode == 0, done.stderr
    written = page.read_text(encoding="utf-8")
    assert written.startswith(f"# Page\n\n<!-- {name} -->\n\n{TINY[name]:,} ")
    assert written.endswith(f"\n\n<!-- /{name} -->\n\nthe end\n")
    assert "old" not in written
    assert tables(written) == tables(done.stdout) != []
    for head, rule, *rows in tables(written):
        assert rows
        assert {*map(len, rows)} == {len(rule)} == {len(head)}
    assert re.search(
        r"\nMachine: \d+ processors .*; rainbowdp .* Load before [\d.]+, after [\d.]+\.\n", written
    )
    assert [*temporary.iterdir()] == []


@pytest.mark.parametrize("name", MEMBERS)
def test_the_page_shows_what_a_run_at_full_size_found(name: str) -> None:
    _, opened, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->")
    content, closed, _ = rest.partition(f"<!-- /{name} -->")
    assert opened
    assert closed
    size = importlib.import_module(f"benchmarks.{name}").SIZE
    assert content.strip().startswith(f"{size:,} ")
    assert len(tables(content)[0]) > 3


def test_the_tables_are_the_same_but_for_lines_that_nobody_can_read(tmp_path: Path) -> None:
    tidy, messy, again = (tmp_path / name for name in ("tidy.csv", "messy.csv", "again.csv"))
    write(tidy, messy, 45_000)
    with tidy.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [*COLUMNS]
    assert len(rows) == 45_000
    assert {len(row) for row in rows} == {4}
    answers = Counter(row[1] for row in rows)
    assert {*answers} == {*ANSWERS}
    assert answers.most_common(1)[0][0] == WINNER
    assert Counter(len({row[3] for row in rows if row[0] == str(person)}) for person in range(50)) == {1: 50}
    extra = Counter(messy.read_bytes().splitlines()) - Counter(tidy.read_bytes().splitlines())
    assert extra == Counter(line.rstrip() for line in (*UNREADABLE, UNREADABLE[0]))
    write(again, messy, 45_000)
    assert again.read_bytes() == tidy.read_bytes()


@pytest.mark.parametrize("task", TASKS)
def test_the_floors_count_what_python_counts(task: str, tmp_path: Path) -> None:
    tidy = tmp_path / "tidy.csv"
    write(tidy, tmp_path / "messy.csv", 3_000)
    with tidy.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for engine in ENGINES:
        found = counts(engine, task, tidy)
        if task == "keys":
            assert found == Counter(group for _, group in {(row["person"], row["group"]) for row in rows})
        elif task == "winner":
            assert found == Counter(row["answer"] or "None" for row in rows)
        else:
            assert sum(found.values()) == len({row["person"] for row in rows})


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py")))
def test_the_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"benchmarks.{name}")).failed == 0


def test_a_command_is_seen_from_outside(tmp_path: Path) -> None:
    held = (
        "import os, sys, tempfile, time\n"
        "held = bytearray(os.urandom(1 << 20)) * 200\n"
        "with tempfile.NamedTemporaryFile() as file:\n"
        f"    file.write(bytes(3 * {MIB})); file.flush(); time.sleep(1)\n"
        "print('done', sys.stdout.isatty(), sys.stderr.isatty()); print('said', file=sys.stderr)\n"
    )
    # Whoever measures must be small, and this process is not.
    script = (
        "import dataclasses, json, sys\n"
        "from pathlib import Path\n"
        "from benchmarks.measuring import measured\n"
        f"what, folder = {held!r}, Path({str(tmp_path)!r})\n"
        "runs = [measured([sys.executable, '-c', code], folder) for code in (what, 'pass')]\n"
        "print(json.dumps([dataclasses.asdict(run) for run in runs]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    large, small = json.loads(done.stdout)
    assert large["output"] == "done False True\n"
    assert large["messages"].split() == ["said"]
    assert large["seconds"] >= 1
    assert large["processor_seconds"] > 0
    assert 200 * MIB < large["memory_bytes"] < 300 * MIB
    assert large["temporary_bytes"] == 3 * MIB
    assert small["memory_bytes"] < 100 * MIB
    assert (small["output"], small["messages"], small["temporary_bytes"]) == ("", "", 0)
