# SPDX-License-Identifier: Apache-2.0
"""Completion: the shell gets commands, options and fixed words; files it offers itself."""

import os
import subprocess

import pytest

from command_line import PROGRAM
from rainbowdp.cli import main


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
        (
            "rainbowdp ",
            {
                "inspect",
                "ask",
                "plan",
                "budget",
                "keys",
                "receipt",
                "line",
                "solve",
                "verify",
                "sample",
                "explore",
                "doctor",
            },
        ),
        ("rainbowdp ver", {"verify"}),
        ("rainbowdp line --format c", {"csv"}),
        ("rainbowdp line --format ", {"table", "csv", "json"}),
        ("rainbowdp sample --format ", {"text", "json"}),
        ("rainbowdp line --dist", {"--distances"}),
        ("rainbowdp line --epsilon ", set()),
        ("rainbowdp solve --boundary u", {"uniform"}),
        ("rainbowdp solve --boundary ", {"uniform", "randomized-response", "max-min"}),
        ("rainbowdp solve --datasets ", set()),
        ("rainbowdp verify ", set()),
    ],
)
def test_words_are_completed_and_files_left_to_the_shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: str, expected: set[str]
) -> None:
    for name, value in environment(typed, "bash").items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        main([])
    assert set(capsys.readouterr().out.split()) == expected


def test_a_shell_is_answered() -> None:
    shell = "zsh"
    asked = os.environ | environment("rainbowdp line --format c", shell)
    done = subprocess.run(PROGRAM, env=asked, capture_output=True, encoding="utf-8", check=False)
    assert done.stderr == ""
    assert "csv" in done.stdout
    # Without detection the shell is named, and the one that runs the tests does not matter.
    named = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    words = [*PROGRAM, "--show-completion", shell]
    shown = subprocess.run(words, env=named, capture_output=True, encoding="utf-8", check=False)
    assert (shown.stderr, shown.returncode, "_RAINBOWDP_COMPLETE" in shown.stdout) == ("", 0, True)
