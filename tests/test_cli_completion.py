# SPDX-License-Identifier: Apache-2.0
"""Completion: the shell gets commands, options, fixed words, and files of the forms that an option reads."""

import os
import subprocess
from pathlib import Path

import pytest

from command_line import PROGRAM
from rainbowdp.cli import main
from rainbowdp.cli.framework import choices, files

FILES = ("b.toml", "m.json", "nodes.csv", "notes.txt", "pairs.parquet", "whole.graphml", ".hidden.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with files of every form, a deep one and an empty one."""
    for name in FILES:
        (tmp_path / name).touch()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x.csv").touch()
    (tmp_path / "deep" / "er" / "y.csv").touch()
    (tmp_path / "empty").mkdir()
    return tmp_path


def environment(typed: str, shell: str) -> dict[str, str]:
    """Return how a shell asks for completions."""
    return {
        "_RAINBOWDP_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - (not typed.endswith(" "))),
        "_TYPER_COMPLETE_ARGS": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("rainbowdp ", {"ask", "plan", "budget", "keys", "line", "solve", "verify", "sample"}),
        ("rainbowdp ver", {"verify"}),
        ("rainbowdp line --format c", {"csv"}),
        ("rainbowdp line --format ", {"table", "csv", "json"}),
        ("rainbowdp sample --format ", {"text", "json"}),
        ("rainbowdp line --dist", {"--distances"}),
        ("rainbowdp line --epsilon ", set()),
        ("rainbowdp solve --boundary u", {"uniform"}),
        (
            "rainbowdp solve --boundary ",
            {"uniform", "randomized-response", "max-min", "b.toml", "m.json", "deep/", "empty/"},
        ),
        (
            "rainbowdp solve --datasets ",
            {"m.json", "nodes.csv", "pairs.parquet", "whole.graphml", "deep/", "empty/"},
        ),
        ("rainbowdp solve --neighbors n", {"nodes.csv"}),
        ("rainbowdp solve --out ", {"m.json", "nodes.csv", "pairs.parquet", "deep/", "empty/"}),
        ("rainbowdp solve --boundary-graph w", {"whole.graphml"}),
        ("rainbowdp verify ", {"m.json", "nodes.csv", "pairs.parquet", "deep/", "empty/"}),
        ("rainbowdp verify m.json --neighbors p", {"pairs.parquet"}),
        ("rainbowdp sample no", {"nodes.csv"}),
        ("rainbowdp sample .h", {".hidden.csv"}),
        ("rainbowdp sample de", {"deep/er/x.csv", "deep/er/y.csv"}),
        ("rainbowdp sample deep/er/y", {"deep/er/y.csv"}),
        ("rainbowdp sample absent/", set()),
        ("rainbowdp sample em", set()),
    ],
)
def test_words_and_files_are_completed(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    expected: set[str],
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment(typed, "bash").items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        main([])
    assert set(capsys.readouterr().out.split()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_answered(folder: Path, shell: str) -> None:
    asked = os.environ | environment("rainbowdp sample no", shell)
    done = subprocess.run(PROGRAM, cwd=folder, env=asked, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    assert "nodes.csv" in done.stdout
    # Without detection the shell is named, and the one that runs the tests does not matter.
    named = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    words = [*PROGRAM, "--show-completion", shell]
    shown = subprocess.run(words, env=named, capture_output=True, encoding="utf-8", check=False)
    assert (shown.stderr, shown.returncode, "_RAINBOWDP_COMPLETE" in shown.stdout) == ("", 0, True)


def test_a_name_that_a_shell_would_take_apart_is_left_to_the_shell(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "two words.csv").touch()
    monkeypatch.chdir(folder)
    assert files(".csv")("t") == []
    assert files(".csv")("n") == ["nodes.csv"]
    assert choices("near", endings=(".csv",))("n") == ["near", "nodes.csv"]
    assert choices("near")("n") == ["near"]
    (folder / "NEW.CSV").touch()
    assert files(".csv")("N") == ["NEW.CSV"]
