# SPDX-License-Identifier: Apache-2.0
"""What is installed is what the repository says: one version, requirements that fit, a complete wheel."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import rainbowdp
from rainbowdp.cli import main

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
PYTHONS = ("3.11.9", "3.12.9", "3.13.9", "3.14.1")
# Upper bounds are the exception; pyproject.toml says beside each why it is needed.
CAPPED = {"mkdocs-material": "<10,>=9.7.5", "scikit-learn": "<1.9,>=1.5", "sqlglot": "<30.18"}
# What the demo needs is installed for it, and all the rest for the checks.
FILES = {"requirements.txt": ("plot",), "requirements-dev.txt": ("all", "docs", "dev")}


def entries(name: str) -> list[str]:
    """Return the pinned requirements of a file, each with its hashes on one line."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def pins(name: str, python: str) -> dict[str, str]:
    """Return the versions that a file pins under one version of Python."""
    environment = {"python_full_version": python, "python_version": ".".join(python.split(".")[:2])}
    requirements = [Requirement(entry.split("--hash")[0]) for entry in entries(name)]
    here = [each for each in requirements if each.marker is None or each.marker.evaluate(environment)]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in here}


def wanted(extras: tuple[str, ...]) -> list[Requirement]:
    """Return what pyproject.toml asks for, with the extras that name other extras opened."""
    found: list[Requirement] = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
    for extra in extras:
        for requirement in map(Requirement, EXTRAS[extra]):
            own = requirement.name == "rainbowdp"
            found.extend(wanted(tuple(sorted(requirement.extras))) if own else [requirement])
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("name", "extras"), FILES.items())
def test_pins_fit_the_project(name: str, extras: tuple[str, ...], python: str) -> None:
    pinned = pins(name, python)
    for requirement in wanted(extras):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement} is not pinned: run make lock"
        assert requirement.specifier.contains(version), f"{requirement} is pinned at {version}"


@pytest.mark.parametrize("python", PYTHONS)
def test_all_requirement_files_pin_the_same_versions(python: str) -> None:
    small, large, peers = (pins(name, python) for name in [*FILES, "requirements-bench.txt"])
    assert small.items() <= large.items()
    assert all(large.get(name, version) == version for name, version in peers.items())
    assert {canonicalize_name(Requirement(text).name) for text in PROJECT["dependency-groups"]["bench"]} <= {
        *peers
    }


@pytest.mark.parametrize("name", [*FILES, "requirements-bench.txt"])
def test_every_pin_has_a_hash_and_no_line_names_a_place_to_fetch_from(name: str) -> None:
    for entry in entries(name):
        assert re.fullmatch(r"[\w.-]+==\S+( ; [^#]+?)?( +--hash=sha256:[0-9a-f]{64})+", entry), entry
    assert "://" not in (ROOT / name).read_text(encoding="utf-8")


def test_dependencies_have_lower_bounds_only() -> None:
    for requirement in wanted(("all", "docs", "dev")):
        bounds = str(requirement.specifier)
        assert re.fullmatch(r">=[\d.]+", bounds) or bounds == CAPPED.get(requirement.name), requirement


def test_the_extra_all_holds_every_extra_for_users() -> None:
    users = set(EXTRAS) - {"all", "docs", "dev"}
    assert EXTRAS["all"] == [f"rainbowdp[{','.join(sorted(users))}]"]


@pytest.mark.release
def test_the_wheel_is_complete_and_holds_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    source = ROOT / "src"
    package = {
        path.relative_to(source).as_posix()
        for path in (source / "rainbowdp").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    info = f"rainbowdp-{rainbowdp.__version__}.dist-info"
    about = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    assert names == package | {f"{info}/{name}" for name in about}
    assert "rainbowdp/py.typed" in names


@pytest.mark.release
def test_the_source_archive_can_run_its_own_checks(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as members:
        names = {name.split("/", 1)[1] for name in members.getnames()}
    assert {"Makefile", "conftest.py", "pyproject.toml", "examples/anes96.csv", *FILES} <= names
    assert {name.split("/")[0] for name in names}.isdisjoint({".venv", "demo", "dist", "site"})


def test_citation_and_changelog_name_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == rainbowdp.__version__
    assert citation["license"] == PROJECT["project"]["license"]
    assert [reference["title"] for reference in citation["references"]] == [
        "Rainbow Differential Privacy",
        "Generalized Rainbow Differential Privacy",
    ]
    assert main(["--cite"]) == 0
    printed = capsys.readouterr().out
    for work in (citation, *citation["references"]):
        authors = [" ".join(author.values()) for author in work["authors"]]
        facts = [
            str(work[part]) for part in ("title", "year", "volume", "issue", "doi", "notes") if part in work
        ]
        assert all(fact in printed for fact in (*facts, ", ".join(authors), " and ".join(authors)))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[?{re.escape(rainbowdp.__version__)}\]?", changelog, flags=re.MULTILINE)


def test_python_versions_are_named_once_and_agree() -> None:
    classifiers = "\n".join(PROJECT["project"]["classifiers"])
    named = re.findall(r"Programming Language :: Python :: (3\.\d+)", classifiers)
    assert tuple(named) == tuple(python.rsplit(".", 1)[0] for python in PYTHONS)
    supported = SpecifierSet(PROJECT["project"]["requires-python"])
    assert all(supported.contains(python) for python in PYTHONS)
    assert not supported.contains("3.10.14")
