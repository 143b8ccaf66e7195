# SPDX-License-Identifier: Apache-2.0
"""The structure of the package: imports between modules, their length and first lines, what an import loads.

The rules are read from the syntax trees, so lazy imports and imports for annotations count like all others.
The reader and the rules are themselves tested on small sources that break them.
"""

import ast
import functools
import io
import json
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PACKAGE = "rainbowdp"

# A module imports lower floors, and what stands before it on its own floor. A package stands for all its
# modules, which import each other without a cycle. The root, with the public names, stands above those.
FLOORS = (
    ("errors", "exact"),
    ("rainbow", "distribution", "privacy"),
    ("line",),
    ("graph", "families", "leximin", "boundary"),
    ("mechanism", "optimal", "verification", "optimality", "sampling", "baselines"),
    ("spark", "formats", "questions", "tables", "ledger"),
    ("goals",),
    ("planning", "keys", "release"),
    ("",),
    ("interop", "plots", "cli", "__main__"),
)
ORDER = [f"{PACKAGE}.{name}".rstrip(".") for floor in FLOORS for name in floor]
LONGEST = 250  # code lines: docstrings, comments and blank lines are not counted
SPDX = "# SPDX-License-Identifier: Apache-2.0"
EAGER = {PACKAGE}

Sources = Mapping[str, str]


@functools.cache
def read_package() -> dict[str, str]:
    """Return the source text of every module of the package by its dotted name."""
    sources = {}
    for path in sorted((SOURCE / PACKAGE).rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        sources[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return sources


@functools.cache
def python_files() -> dict[str, str]:
    """Return the text of every Python file of the repository by its name."""
    files = [ROOT / "conftest.py"]
    for folder in ("src", "tests", "examples", "benchmarks"):
        files.extend(sorted((ROOT / folder).rglob("*.py")))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def imported(source: str, modules: frozenset[str], *, computed: bool = False) -> Iterator[str]:
    """Yield every own module that a source imports anywhere: the deepest module that each import names.

    Imports of computed names are an error unless they are allowed.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name.split(".")[0] == PACKAGE)
            case ast.ImportFrom(level=level) if level:
                raise ValueError(f"line {node.lineno}: a relative import")
            case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == PACKAGE:
                for alias in names:
                    deeper = f"{module}.{alias.name}"
                    yield deeper if deeper in modules else module
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"), args=[name, *_]
            ):
                match name:
                    case ast.Constant(value=str(module)):
                        if module.split(".")[0] == PACKAGE:
                            yield module
                    case _ if not computed:
                        raise ValueError(f"line {node.lineno}: an import of a computed name")


def place(module: str) -> int:
    """Return where a module stands in `ORDER`: its own entry or that of the nearest package around it."""
    name = module
    while name and name not in ORDER:
        name = name.rpartition(".")[0]
    if not name or (name == PACKAGE and module != PACKAGE):
        raise ValueError(f"{module} stands on no floor: give it a place in FLOORS and in pyproject.toml")
    return ORDER.index(name)


def violations(sources: Sources) -> list[str]:
    """Return every import that goes up or sideways, and the cycle inside a package if there is one."""
    modules = frozenset(sources)
    found: list[str] = []
    graph: dict[str, set[str]] = {}
    for module, source in sources.items():
        # The root loads its names when they are asked for; it names the same modules for type checkers.
        graph[module] = set(imported(source, modules, computed=module == PACKAGE)) - {module}
        too_high = (target for target in sorted(graph[module]) if place(target) > place(module))
        found.extend(f"{module} imports {target}" for target in too_high)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append("cycle: " + " -> ".join(error.args[1]))
    return found


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
    lines = []
    if not silencing.search(source):
        return []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        silences = silencing.match(token.string)
        if token.type == tokenize.COMMENT and silences and not said.fullmatch(token.string):
            lines.append(token.start[0])
    return lines


def test_modules_import_only_what_stands_below_them() -> None:
    assert violations(read_package()) == []


def test_every_floor_is_inhabited() -> None:
    assert set(ORDER) - set(read_package()) <= {f"{PACKAGE}.__main__"}


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("import rainbowdp.rainbow", True),
        ("import rainbowdp.rainbow as colors", True),
        ("from rainbowdp import rainbow", True),
        ("from rainbowdp.rainbow import Rainbow", True),
        ("from rainbowdp import __version__", True),
        ("def late():\n    from rainbowdp.rainbow import Rainbow", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import rainbowdp.rainbow", True),
        ("import importlib\nimportlib.import_module('rainbowdp.rainbow')", True),
        ("import rainbow, flint, rainbowdpx", False),
        ("from rainbowdp.errors import RainbowError", False),
        ("text = 'import rainbowdp.rainbow'", False),
    ],
)
def test_an_import_that_goes_up_is_found_wherever_it_stands(source: str, wrong: bool) -> None:
    sources = {PACKAGE: "", "rainbowdp.errors": "", "rainbowdp.rainbow": "", "rainbowdp.exact": source}
    assert bool(violations(sources)) is wrong


@pytest.mark.parametrize(
    ("module", "target", "wrong"),
    [
        ("exact", "errors", False),
        ("errors", "exact", True),
        ("graph.morphism", "graph.rainbow_graph", False),
        ("families", "graph", False),
        ("boundary", "leximin", False),
        ("leximin", "boundary", True),
        ("sampling", "optimality", False),
        ("mechanism", "formats.csv", True),
        ("cli.solve", "formats.csv", False),
        ("cli", "plots", False),
        ("plots", "cli", True),
        ("formats.csv", "formats.parquet", False),
    ],
)
def test_an_import_sideways_follows_the_order(module: str, target: str, wrong: bool) -> None:
    sources = {f"{PACKAGE}.{target}": "", f"{PACKAGE}.{module}": f"import {PACKAGE}.{target}"}
    assert bool(violations(sources)) is wrong


def test_a_cycle_inside_a_package_is_found() -> None:
    sources = {
        "rainbowdp.formats.csv": "import rainbowdp.formats.parquet",
        "rainbowdp.formats.parquet": "def late():\n    import rainbowdp.formats.csv",
    }
    (found,) = violations(sources)
    assert found.startswith("cycle: ")


@pytest.mark.parametrize(
    "source", ["from . import errors", "import importlib\nimportlib.import_module(name)"]
)
def test_an_import_that_cannot_be_read_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="import"):
        violations({"rainbowdp.exact": source})


def test_a_module_without_a_floor_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rainbowdp\.attic stands on no floor"):
        violations({"rainbowdp.exact": "import rainbowdp.attic"})


def code_lines(source: str) -> int:
    """Return how many lines hold code: no docstrings, comments or blank lines."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.Module(body=[ast.Expr(ast.Constant(str())) as text, *_])
                | ast.ClassDef(body=[ast.Expr(ast.Constant(str())) as text, *_])
                | ast.FunctionDef(body=[ast.Expr(ast.Constant(str())) as text, *_])
                | ast.AsyncFunctionDef(body=[ast.Expr(ast.Constant(str())) as text, *_])
            ):
                docstrings.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    layout = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in layout:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def test_modules_are_short_and_named_for_one_idea() -> None:
    sources = read_package()
    # A module has no more lines of code than lines.
    candidates = {module: source for module, source in sources.items() if source.count("\n") > LONGEST}
    assert candidates
    long = {module: count for module, source in candidates.items() if (count := code_lines(source)) > LONGEST}
    assert long == {}
    vague = {"base", "common", "core", "helpers", "misc", "tools", "utils", "util"}
    assert [module for module in sources if vague & set(module.split("."))] == []


def test_only_lines_of_code_are_counted() -> None:
    statement = "x = (\n    1,\n)  # why\n# a comment\n\n"
    function = 'def f() -> str:\n    """Say."""\n    return """a\n\nb"""\n'
    assert code_lines(f'"""What it is.\n\nMore.\n"""\n\n{statement}{function}') == 3 + 1 + 3


def test_every_file_says_its_license_and_its_idea_first() -> None:
    texts = python_files()
    assert len(texts) > 100
    begins = re.compile(re.escape(SPDX) + r'\nr?"""\S')
    assert [name for name, text in texts.items() if not begins.match(text)] == []


def test_every_ignore_names_its_rule_and_its_reason() -> None:
    found = {name: lines for name, text in python_files().items() if (lines := unexplained(text))}
    assert found == {}


@pytest.mark.parametrize(
    ("comment", "wrong"),
    [
        ("# noqa", True),
        ("# noqa: S101", True),
        ("# type: ignore", True),
        ("# type: ignore[arg-type]", True),
        ("# type: ignore  # because", True),
        ("# ruff: noqa", True),
        ("# pragma: no cover", True),
        ("# noqa: S101 - the claim of this test", False),
        ("# type: ignore[arg-type]  # a wrong argument is the point", False),
        ("# an ordinary comment about noqa", False),
    ],
)
def test_a_checker_silenced_without_a_reason_is_found(comment: str, wrong: bool) -> None:
    assert unexplained(f"x = 1\ny = 2  {comment}\n") == ([2] if wrong else [])


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by(f"import {PACKAGE}") == EAGER


def test_a_heavy_import_would_be_seen() -> None:
    names = loaded_by("import networkx, duckdb")
    assert {"duckdb", "networkx"} <= names
