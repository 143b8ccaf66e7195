# SPDX-License-Identifier: Apache-2.0
"""The application loads the command that is asked for, and shows it as the whole application does."""

import contextlib
import io
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer

from command_line import Runner
from rainbowdp.cli.app import COMMANDS, application, needed

PROGRAM = "rainbowdp"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    """Run commands in this process."""
    return Runner(capsys)


def commands(app: typer.Typer) -> set[str]:
    """Return the words that an application knows."""
    command = typer.main.get_command(app)
    return set(command.commands)  # type: ignore[attr-defined]  # it is a group


def help_of(app: typer.Typer, words: Sequence[str]) -> str:
    """Return what an application prints as the help of some words."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        typer.main.get_command(app).main([*words, "--help"], prog_name=PROGRAM, standalone_mode=False, obj={})
    return printed.getvalue()


def loaded_by(statement: str) -> set[str]:
    """Return the modules of the package that a statement loads in a process of its own."""
    program = (
        f"import sys\n{statement}\nprint(*(name for name in sys.modules if name.startswith('rainbowdp')))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("words", [[], ["--help"], ["--debug", "ask"], ["asks"], ["", "ask"], ["--", "ask"]])
def test_whatever_may_mean_any_command_gets_all_of_them(words: list[str]) -> None:
    assert commands(needed(words)) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_in_front_gets_itself(name: str) -> None:
    assert commands(needed([name, "--help"])) == {name}


def test_completions_get_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_RAINBOWDP_COMPLETE", "complete_bash")
    assert commands(needed(["ask"])) == set(COMMANDS)


@pytest.mark.parametrize("words", [[name] for name in COMMANDS] + [["ask", "winner"], ["budget", "create"]])
def test_its_help_is_that_of_the_whole_application(words: list[str]) -> None:
    shown = help_of(needed(words), words)
    assert shown == help_of(application(), words)
    assert f"{PROGRAM} {words[0]}" in shown


def test_a_command_loads_no_other_one() -> None:
    loaded = loaded_by("from rainbowdp.cli import main\nmain(['line', '--help'])")
    assert "rainbowdp.cli.line" in loaded
    others = {f"rainbowdp.cli.{name}" for name in COMMANDS} - {"rainbowdp.cli.line"}
    assert not loaded & others


def test_whoever_asks_loads_neither_checks_nor_keys() -> None:
    loaded = loaded_by("from rainbowdp.release import Terms, ask_under")
    later = {f"rainbowdp.release.{name}" for name in ("checking", "keys_asking")}
    assert not loaded & {*later, "rainbowdp.verification", "rainbowdp.keys"}
    loaded = loaded_by("from rainbowdp.release import verify_receipt, read_receipt, name_keys")
    assert later <= loaded
    assert "rainbowdp.release.absent" not in loaded_by(
        "import rainbowdp.release\nassert not hasattr(rainbowdp.release, 'absent')"
    )


QUESTION = ["ask", "winner", "votes.csv", "--column", "vote", "--options", "red,blue", "--epsilon", "1"]


def test_an_unforeseen_error_does_not_repeat_what_a_library_says(
    run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a canary")

    monkeypatch.chdir(tmp_path)
    Path("votes.csv").write_text("vote\nred\n", encoding="utf-8")
    monkeypatch.setattr("rainbowdp.tables.files.FileSource.counted", fail)
    outcome = run(*QUESTION)
    assert outcome.code == 70
    assert "error[RDP999]: internal error, RuntimeError\n" in outcome.err
    assert "canary" not in outcome.err
    assert "Traceback" not in outcome.err
    assert "in fail" in run("--debug", *QUESTION).err


def test_a_question_about_a_csv_file_loads_no_library_for_frames(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("vote\nred\n", encoding="utf-8")
    words = [*QUESTION[:2], str(path), *QUESTION[3:]]
    program = f"import sys\nfrom rainbowdp.cli import main\nmain({words!r})\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "duckdb" in loaded
    assert not loaded & {"narwhals", "pyarrow", "pandas", "polars"}
