# SPDX-License-Identifier: Apache-2.0
"""Completion: the shell gets commands, options and fixed words; files it offers itself."""

import os

import pytest

from command_line import process
from rainbowdp.cli import main
from rainbowdp.cli.app import HEADINGS


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("rainbowdp ", {*HEADINGS}),
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
    monkeypatch.setenv("_RAINBOWDP_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - (not typed.endswith(" "))))
    with pytest.raises(SystemExit):
        main([])
    assert set(capsys.readouterr().out.split()) == expected


def test_another_shell_is_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_RAINBOWDP_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "rainbowdp line --format c")
    with pytest.raises(SystemExit):
        main([])
    answered = capsys.readouterr()
    assert ("csv" in answered.out, answered.err) == (True, "")


def test_the_completion_of_a_shell_is_shown() -> None:
    # Without detection the shell is named, and the one that runs the tests does not matter.
    named = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = process("--show-completion", "zsh", env=named)
    assert (shown.stderr, shown.returncode, "_RAINBOWDP_COMPLETE" in shown.stdout) == ("", 0, True)
