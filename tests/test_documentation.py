# SPDX-License-Identifier: Apache-2.0
"""The documentation names what exists: every error, public name and page, and every theorem it claims."""

import functools
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

import rainbowdp
from rainbowdp import errors
from rainbowdp.cli.app import HEADINGS
from test_public_names import BELOW

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def error_classes() -> list[type[errors.RainbowError]]:
    return [
        value
        for value in vars(errors).values()
        if isinstance(value, type)
        and issubclass(value, errors.RainbowError)
        and value is not errors.RainbowError
    ]


def built(page: str) -> str:
    """Return a page with what is made from the program."""
    hook = runpy.run_path(str(ROOT / "docs_hooks" / "commands.py"))
    return str(hook["on_page_markdown"]((DOCS / page).read_text(encoding="utf-8")))


@functools.cache
def rows(page: str) -> list[list[str]]:
    """Return the cells of all table rows of a page."""
    lines = built(page).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@pytest.mark.parametrize("error", error_classes(), ids=lambda error: error.code)
def test_every_error_is_documented_with_what_to_do(error: type[errors.RainbowError]) -> None:
    (row,) = [row for row in rows("reference/commands/errors.md") if row[0] == error.code]
    assert row[1:3] == [f"`{error.__name__}`", str(error.exit_code)]
    assert all(len(sentence) > 15 and sentence.endswith(".") for sentence in row[3:5])
    assert len(row) == 5


def test_no_error_is_documented_that_does_not_exist() -> None:
    known = {error.code for error in error_classes()}
    assert {row[0] for row in rows("reference/commands/errors.md") if row[0].startswith("RDP")} == known


def test_every_exit_code_of_an_error_is_documented() -> None:
    documented = {row[0] for row in rows("reference/commands/errors.md") if row[0].isdigit()}
    assert {str(error.exit_code) for error in error_classes()} | {"0", "70", "130"} == documented


def test_every_public_name_is_in_the_reference() -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference" / "api").glob("*.md"))
    listed = re.findall(r"^(?:::: |      heading: )(\S+)$", pages, flags=re.MULTILINE)
    assert len(listed) == len(set(listed))
    wanted = [f"rainbowdp.{name}" for name in rainbowdp.__all__ if name != "RainbowError"]
    wanted += [f"rainbowdp.{module}.{name}" for module, names in BELOW.items() for name in names]
    assert [name for name in wanted if name not in listed] == []


def test_the_page_of_options_is_made_of_every_command() -> None:
    page = built("reference/commands/options.md")
    headings = re.findall(r"^## rainbowdp (\S+)", page, flags=re.MULTILINE)
    assert set(headings) == set(HEADINGS)
    assert "| `--approval SEPARATOR` |" in page


def navigation(entries: list[Any]) -> list[str]:
    pages: list[str] = []
    for entry in entries:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        pages.extend(navigation(value) if isinstance(value, list) else [value])
    return pages


def test_every_page_for_users_is_in_the_navigation_once() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    contributors = [page for page in PAGES if page == "architecture.md" or page.startswith("decisions/")]
    assert sorted([*navigation(yaml.safe_load(text)["nav"]), *contributors]) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_page_loads_nothing_from_elsewhere(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert re.findall(r"<(?:script|link|img|iframe)\b|!\[[^\]]*\]\(https?:", text) == []
    assert text.startswith("# ")


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{page}" for page in PAGES)])
def test_links_between_files_lead_somewhere(name: str) -> None:
    path = ROOT / name
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    broken = [target for target in targets if ":" not in target and not (path.parent / target).exists()]
    assert broken == []


def test_theorems_of_the_theory_pages_are_tested_under_their_numbers() -> None:
    definition = re.compile(r"^ *def (test_\w+)", re.MULTILINE)
    names = " ".join(
        name
        for path in (ROOT / "tests").glob("test_*.py")
        for name in definition.findall(path.read_text(encoding="utf-8"))
    )
    claimed = {
        (kind.lower(), number)
        for path in (DOCS / "theory").glob("*.md")
        for kind, number in re.findall(r"\b(Theorem|Corollary) (\d)", path.read_text(encoding="utf-8"))
    }
    assert claimed >= {("theorem", str(number)) for number in range(1, 6)}
    untested = [
        f"{kind} {number}"
        for kind, number in sorted(claimed)
        if not re.search(rf"{kind}_{number}(?!\d)", names)
    ]
    assert untested == []


def test_the_readme_shows_the_two_commands_first() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first_block = text.split("```", 2)[1]
    assert re.findall(r"^make \w+", first_block, flags=re.MULTILINE) == ["make demo", "make test"]
    assert text.index("```") < 200
