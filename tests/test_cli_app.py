# SPDX-License-Identifier: Apache-2.0
"""The application: help, options for all commands, defects, what acts on a terminal, progress."""

import contextlib
import importlib
import io
import json
import re
import warnings
from pathlib import Path
from unittest.mock import Mock

import pytest
import typer

from asked_people import WINNER
from command_line import Outcome, Runner
from document_examples import own_words
from rainbowdp import __version__
from rainbowdp.cli.app import HEADINGS, application, application_for
from rainbowdp.cli.output import drawing, emit, emit_table, json_text, say, steps

LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "ln 2")
ASK = ("ask", "winner", "people.csv", *WINNER, "--epsilon", "1")


def commands(app: typer.Typer) -> set[str]:
    """Return the words that an application knows."""
    return set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # it is a group


def help_of(app: typer.Typer, *words: str) -> str:
    """Return what an application prints as the help of some words."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        shown = typer.main.get_command(app)
        shown.main([*words, "--help"], prog_name="rainbowdp", standalone_mode=False, obj={})
    return printed.getvalue()


@pytest.mark.parametrize("words", [[], ["--help"], ["--debug", "ask"], ["asks"], ["", "ask"], ["--", "ask"]])
def test_words_that_may_mean_any_command_get_all_of_them(words: list[str]) -> None:
    assert commands(application_for(words)) == set(HEADINGS)


@pytest.mark.parametrize("name", HEADINGS)
def test_a_command_in_front_gets_itself_with_its_whole_help(
    run: Runner, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = application_for([name, "--help"])
    assert commands(alone) == {name}
    _, command = importlib.import_module(f"rainbowdp.cli.{name}").COMMANDS[name]
    for words in (
        [name],
        *([name, word] for word in list(command if isinstance(command, dict) else ())[-1:]),
    ):
        outcome = run(*words, "-h")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out == help_of(application(), *words)
        # The example can be copied: a blank behind a backslash would end the command there.
        assert f"rainbowdp {' '.join(words)}" in outcome.out.split("Example", 1)[1]
        assert [line for line in outcome.out.splitlines() if line != line.rstrip()] == []
        assert "<bool>" not in outcome.out
    monkeypatch.setenv("_RAINBOWDP_COMPLETE", "complete_bash")
    assert commands(application_for([name])) == set(HEADINGS)


def test_the_program_alone_prints_its_help(run: Runner) -> None:
    alone, asked = run(), run("--help")
    assert (alone.code, alone.err) == (asked.code, asked.err) == (0, "")
    assert alone.out.split() == asked.out.split()
    assert re.findall("^│ ([a-z]+)", alone.out, re.MULTILINE) == [*HEADINGS]
    assert run("--version") == Outcome(0, f"rainbowdp {__version__}\n", "")


def test_nothing_in_the_help_is_colored_where_an_environment_forces_colors(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What typer sets where it finds the variables of a service for tests.
    monkeypatch.setattr("typer.rich_utils.FORCE_TERMINAL", True)
    assert "\x1b" not in run("--help").out + run("line", "--help").out


def test_the_examples_in_the_help_run(run: Runner) -> None:
    examples = Path(__file__).resolve().parents[1] / "examples"
    for name in ("figure1-nodes.csv", "figure1-edges.csv"):
        Path(name).write_bytes((examples / name).read_bytes())
    for name in ("line", "solve", "verify", "sample"):
        command = importlib.import_module(f"rainbowdp.cli.{name}").HELP.split("\n\n")[-1].strip()
        words = own_words(command)
        assert words is not None, command
        outcome = run(*words)
        assert (outcome.code, outcome.err) == (0, ""), command
        assert outcome.out


def test_a_flag_may_be_repeated_and_help_is_always_given(run: Runner) -> None:
    words = (*LINE, "--distances", "1", "--format", "csv")
    assert run(*words, "--exact", "--exact").out == run(*words, "--exact").out
    assert run(*words, "--epsilon", "2", "--help").code == 0


def test_debug_shows_the_traceback(run: Runner) -> None:
    outcome = run("--debug", *LINE, "--distances", "x")
    assert outcome.code == 2
    assert "Traceback" in outcome.err
    assert "error[RDP901]: " in outcome.err
    assert "Traceback" not in run(*LINE, "--distances", "x").err


def test_an_unforeseen_error_does_not_repeat_what_a_library_says(
    people: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = Mock(side_effect=RuntimeError("a canary"))
    monkeypatch.setattr("rainbowdp.tables.source.Source.batches", reading)
    outcome = people(*ASK)
    assert outcome.code == 70
    assert "error[RDP999]: internal error, RuntimeError\nhelp: this is a defect of rainbowdp" in outcome.err
    assert "canary" not in outcome.err
    assert "Traceback" not in outcome.err
    assert "RuntimeError: a canary" in people("--debug", *ASK).err
    reading.side_effect = MemoryError()
    assert "error[RDP999]: the memory is used up\n" in people(*ASK).err


def test_progress_names_the_step_at_work_once_that_takes_long(capsys: pytest.CaptureFixture[str]) -> None:
    with steps() as taken:
        taken.step("reading")
        taken.step("checking")
        assert capsys.readouterr() == ("", "")
        # What the timer calls after two seconds.
        taken._show()
        assert capsys.readouterr() == ("", "checking (0 s)\n")
        taken.advance(1, 2)
        taken.step("writing")
        assert capsys.readouterr() == ("", "writing (0 s)\n")
    taken._show()
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_that_moves_nothing_is_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "dumb")
    with steps() as taken:
        taken.step("reading")
        taken._show()
    assert terminal.getvalue() == "reading (0 s)\n"


def test_progress_on_a_terminal_ends_when_the_first_rows_come(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    seen: list[int] = []
    emit((f"row {at}" for at in range(10_000)), before=lambda: seen.append(len(terminal.getvalue())))
    assert seen[0] == 0
    assert len(terminal.getvalue().splitlines()) == 10_000


def test_what_acts_on_a_terminal_is_escaped_in_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    emit_table(("a\x1b[31m", "b"), [("\x9b2J", "c\nd"), ("\u202e", "e\u2028f")])
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert all(escape in shown for escape in (r"a\x1b[31m", r"\x9b2J", r"c\nd", r"\u202e", r"e\u2028f"))
    say("worst\x07 \x1b]0;title\x07")
    emit(["\x1b[31m"], for_people=True)
    assert capsys.readouterr() == ("\\x1b[31m\n", "worst\\x07 \\x1b]0;title\\x07\n")


@pytest.mark.parametrize("text", ["\x1b[31m", "\x9b2J", "\x7f", "\u202ered", "\u2028", "é日😀", 'a"\\n'])
def test_json_text_reads_back_and_does_not_act_on_a_terminal(text: str) -> None:
    written = json_text({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert written.isprintable()


def test_no_message_about_a_name_acts_on_a_terminal(run: Runner) -> None:
    red = "\x1b[31mred\x9b"
    Path("m.csv").write_text("dataset,rainbow,distance,b,r\nx,b>r,0,1/3,2/3\ny,r>b,0,1/4,3/4\n")
    Path(f"{red}.csv").write_text(f"source,target\nx,{red}\n")
    Path("nodes.csv").write_text(f"dataset,rainbow\nx,b>{red}\ny,r>b\n")
    pairs = ("--neighbors", f"{red}.csv", "--epsilon", "1")
    for words in (
        ("line", "--rainbow", f"{red}>b", "--boundary", f"{red}=1,c=0", "--mu", "1", "--distances", "0"),
        ("verify", "m.csv", *pairs),
        ("sample", "m.csv", "--dataset", red),
        ("sample", red, "--dataset", "x"),
        ("solve", "--datasets", "nodes.csv", *pairs, "--boundary", red),
        ("solve", "--datasets", "nodes.csv", *pairs, "--boundary", "uniform"),
        (red,),
        ("line", f"--{red}"),
    ):
        outcome = run(*words)
        assert outcome.code in (2, 4)
        assert "".join(outcome.error).isprintable()


def test_warnings_of_a_drawing_are_notes_and_missing_glyphs_are_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with drawing():
        for code in (0x65E5, 0x672C, 0x65E5):
            warnings.warn(f"Glyph {code} (x) missing from font(s) DejaVu Sans.", stacklevel=1)
        warnings.warn("something else", stacklevel=1)
    assert capsys.readouterr().err.splitlines() == [
        "note: the font of the figure lacks 2 characters (U+65E5, U+672C), drawn as boxes",
        "note: while drawing: something else",
    ]
