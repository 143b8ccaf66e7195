# SPDX-License-Identifier: Apache-2.0
"""The structure of the package: the length and first lines of modules, what an import loads.

Which module may import which is checked by import-linter, with the contracts in pyproject.toml.
"""

import ast
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "rainbowdp"

LONGEST = 250  # code lines: docstrings, comments and blank lines are not counted
SPDX = "# SPDX-License-Identifier: Apache-2.0"
EAGER = {PACKAGE}


@functools.cache
def python_files() -> dict[str, str]:
    """Return the text of every Python file of the repository by its name."""
    files = [ROOT / "conftest.py"]
    for folder in ("src", "tests", "examples", "benchmarks", "docs_hooks"):
        files.extend(sorted((ROOT / folder).rglob("*.py")))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def loaded_by(statement: str) -> set[str]:
    """Return what a statement loads from outside the standard library."""
    program = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        f"{statement}\n"
        "names = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(json.dumps(sorted(names - sys.stdlib_module_names)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    names = json.loads(done.stdout)
    # Compiled modules register helpers of theirs, such as cython_runtime, that nobody imports by name.
    return {name for name in names if not name.startswith(("_", "cython"))}


def unexplained(source: str) -> list[int]:
    """Return the lines with a comment that silences a checker without naming the rule and saying why."""
    rules = r"noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*|type: ignore\[[a-z, -]+\]"
    silencing = re.compile(r"#\s*(noqa|type:\s*ignore|ruff:|mypy:|pragma)")
    said = re.compile(rf"#\s*({rules})\s+(#|-)\s*\w.{{5,}}")
    found = [(number, line, silencing.search(line)) for number, line in enumerate(source.splitlines(), 1)]
    return [number for number, line, at in found if at and not said.fullmatch(line, at.start())]


def code_lines(source: str) -> int:
    """Return how many lines hold code: no docstrings, comments or blank lines."""
    lines = {at for at, line in enumerate(source.splitlines(), 1) if line.strip() and line.strip()[0] != "#"}
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.Module(body=[ast.Expr(ast.Constant(str())) as text, *_])
                | ast.ClassDef(body=[ast.Expr(ast.Constant(str())) as text, *_])
                | ast.FunctionDef(body=[ast.Expr(ast.Constant(str())) as text, *_])
            ):
                lines -= {*range(text.lineno, (text.end_lineno or text.lineno) + 1)}
    return len(lines)


def test_modules_are_short_and_named_for_one_idea() -> None:
    sources = {name: text for name, text in python_files().items() if name.startswith(f"src/{PACKAGE}/")}
    # A module has no more lines of code than lines.
    candidates = {name: text for name, text in sources.items() if text.count("\n") > LONGEST}
    assert candidates
    assert {name: lines for name, text in candidates.items() if (lines := code_lines(text)) > LONGEST} == {}
    vague = {"base", "common", "core", "helpers", "misc", "tools", "utils", "util"}
    assert [name for name in sources if vague & {*Path(name).with_suffix("").parts}] == []


def test_only_lines_of_code_are_counted() -> None:
    statement = "x = (\n    1,\n)  # why\n# a comment\n\n"
    function = 'def f() -> str:\n    """Say."""\n    return """a\nb"""\n'
    assert code_lines(f'"""What it is.\n\nMore.\n"""\n\n{statement}{function}') == 3 + 1 + 2


def test_every_file_says_its_license_and_its_idea_first() -> None:
    texts = python_files()
    assert len(texts) > 100
    begins = re.compile(re.escape(SPDX) + r'\nr?"""\S')
    assert [name for name, text in texts.items() if not begins.match(text)] == []


def test_every_ignore_names_its_rule_and_its_reason() -> None:
    found = {name: lines for name, text in python_files().items() if (lines := unexplained(text))}
    assert found == {}


def test_a_checker_silenced_without_a_reason_is_found() -> None:
    for comment in ("noqa", "noqa: S101", "type: ignore[arg-type]", "ruff: noqa"):
        assert unexplained(f"x = 1\ny = 2  # {comment}\n") == [2]
    assert unexplained(f"x = 1  # {'noqa'}: S101 - the claim of this test\n") == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by(f"import {PACKAGE}") == EAGER


def test_a_heavy_import_would_be_seen() -> None:
    assert "networkx" in loaded_by("import networkx")
