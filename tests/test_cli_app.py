# SPDX-License-Identifier: Apache-2.0
"""The application: help, usage errors, defects, what acts on a terminal, progress, one command at a time."""

import contextlib
import io
import json
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
import typer

from command_line import Outcome, Runner
from document_examples import own_words
from rainbowdp import __version__
from rainbowdp.cli.app import COMMANDS, application, needed
from rainbowdp.cli.output import drawing, emit, emit_table, json_text, say
from rainbowdp.cli.progress import steps

PROGRAM = "rainbowdp"
LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "ln 2")
QUESTION = ["ask", "winner", "votes.csv", "--column", "vote", "--options", "red,blue", "--epsilon", "1"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
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


def test_an_unforeseen_error_does_not_repeat_what_a_library_says(
    run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a canary")

    monkeypatch.chdir(tmp_path)
    Path("votes.csv").write_text("vote\nred\n", encoding="utf-8")
    monkeypatch.setattr("rainbowdp.tables.source.Source.batches", fail)
    outcome = run(*QUESTION)
    assert outcome.code == 70
    assert "error[RDP999]: internal error, RuntimeError\nhelp: this is a defect of rainbowdp" in outcome.err
    assert "canary" not in outcome.err
    assert "Traceback" not in outcome.err
    assert "in fail" in run("--debug", *QUESTION).err


def test_the_program_alone_prints_its_help(run: Runner) -> None:
    alone, asked = run(), run("--help")
    assert alone.code == asked.code == 0
    assert alone.err == asked.err == ""
    assert alone.out.split() == asked.out.split()
    assert re.findall("^│ ([a-z]+)", alone.out, re.MULTILINE) == [*COMMANDS]


def test_nothing_in_the_help_is_colored_where_an_environment_forces_colors(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What typer sets where it finds the variables of a service for tests.
    monkeypatch.setattr("typer.rich_utils.FORCE_TERMINAL", True)
    assert "\x1b" not in run("--help").out + run("line", "--help").out


@pytest.mark.parametrize(
    "words", [*((name,) for name in COMMANDS), ("ask", "winner"), ("plan", "level"), ("budget", "raise")]
)
def test_help_can_be_copied_into_a_shell_and_gives_no_value_to_flags(
    run: Runner, words: tuple[str, ...]
) -> None:
    outcome = run(*words, "-h")
    assert (outcome.code, outcome.err) == (0, "")
    assert f"rainbowdp {' '.join(words)}" in outcome.out.split("Example", 1)[1]
    # A blank behind a backslash would end the command there.
    assert [line for line in outcome.out.splitlines() if line != line.rstrip()] == []
    assert "<bool>" not in outcome.out


def test_the_examples_in_the_help_run(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    from rainbowdp.cli import line, sample, solve, verify

    examples = Path(__file__).resolve().parents[1] / "examples"
    for name in ("figure1-nodes.csv", "figure1-edges.csv"):
        (tmp_path / name).write_bytes((examples / name).read_bytes())
    for module in (line, solve, verify, sample):
        command = module.HELP.split("\n\n")[-1].strip()
        words = own_words(command)
        assert words is not None, command
        outcome = run(*words)
        assert (outcome.code, outcome.err) == (0, ""), command
        assert outcome.out


def test_the_version(run: Runner) -> None:
    assert run("--version") == Outcome(0, f"rainbowdp {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        (("lin",), "there is no command 'lin'", "did you mean 'line'?"),
        ((*LINE, "--distnaces", "1"), "there is no option --distnaces", "did you mean '--distances'?"),
        ((*LINE, "--distances"), "option '--distances' requires an argument", "--help"),
        (LINE[:3], "the option --boundary is missing", "see rainbowdp line --help"),
        ((*LINE, "--distances", "1", "extra"), "got unexpected extra argument", "see rainbowdp line --help"),
        (("verify",), "the argument MECHANISM", "see rainbowdp verify --help"),
    ],
)
def test_usage_errors_have_the_form_of_all_errors(
    run: Runner, words: tuple[str, ...], what: str, hint: str
) -> None:
    outcome = run(*words)
    assert outcome.code == 2
    first, second = outcome.error
    assert first.startswith("error[RDP901]: ")
    assert what in first
    assert hint in second


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ((*LINE, "--distances", "1", "--epsilon", "1"), "--epsilon is given twice"),
        ((*LINE, "--distances", "1", "--distances", "2", "--distances", "3"), "--distances is given 3 times"),
        (("sample", "m.csv", "--dataset", "a", "--dataset", "b"), "--dataset is given twice"),
    ],
)
def test_an_option_with_one_value_is_given_once(run: Runner, words: tuple[str, ...], what: str) -> None:
    outcome = run(*words)
    assert outcome.code == 2
    option = what.split(maxsplit=1)[0]
    assert outcome.error == (f"error[RDP901]: {what}", f"help: give {option} once")


def test_a_flag_may_be_repeated_and_help_is_always_given(run: Runner) -> None:
    words = (*LINE, "--distances", "1", "--format", "csv")
    assert run(*words, "--exact", "--exact").out == run(*words, "--exact").out
    assert run(*words, "--epsilon", "2", "--help").code == 0


def test_debug_stands_first_and_shows_the_traceback(run: Runner) -> None:
    outcome = run("--debug", *LINE, "--distances", "x")
    assert outcome.code == 2
    assert "Traceback" in outcome.err
    assert "error[RDP901]: " in outcome.err
    behind = run(*LINE, "--distances", "x", "--debug")
    assert behind.error[1] == "help: it stands first: rainbowdp --debug ..."
    assert "Traceback" not in run(*LINE, "--distances", "x").err


def test_a_full_memory_is_no_defect(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rainbowdp.line.Line.probabilities", fail)
    outcome = run(*LINE, "--distances", "1")
    assert outcome.code == 70
    assert "memory" in outcome.error[0]


@pytest.mark.parametrize(
    "words",
    [
        ("--rainbow", f"{'x' * 50_000}>b", "--boundary", "a=1"),
        ("--rainbow", ">".join(f"c{at}" for at in range(1000)), "--boundary", "a=1"),
        ("--rainbow", "a>b", "--boundary", f"a={'1' * 5000}/3,b=1"),
        ("--rainbow", "a>b", "--boundary", f"a={'9' * 5000},b=x"),
        ("--rainbow", "a>b", "--boundary", "a=1/2,b=1/2", "--mu", "x" * 5000),
        (f"--{'x' * 5000}",),
    ],
)
def test_no_value_makes_an_error_endless(run: Runner, words: tuple[str, ...]) -> None:
    outcome = run("line", *words, "--epsilon", "1", "--distances", "0")
    assert outcome.code == 2
    assert all(len(line) < 1000 for line in outcome.error)


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


def test_progress_on_a_terminal_that_moves_nothing_is_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "dumb")
    with steps() as taken:
        taken.step("reading")
        taken._show()
    assert terminal.getvalue() == "reading (0 s)\n"


def test_what_acts_on_a_terminal_is_escaped_in_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    emit_table(("a\x1b[31m", "b"), [("\x9b2J", "c\nd"), ("\u202e", "e\u2028f")])
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert all(escape in shown for escape in (r"a\x1b[31m", r"\x9b2J", r"c\nd", r"\u202e", r"e\u2028f"))
    say("worst\x07 \x1b]0;title\x07")
    assert capsys.readouterr().err == "worst\\x07 \\x1b]0;title\\x07\n"
    emit(["\x1b[31m"], for_people=True)
    assert capsys.readouterr().out == "\\x1b[31m\n"


@pytest.mark.parametrize("text", ["\x1b[31m", "\x9b2J", "\x7f", "\u202ered", "\u2028", "é日😀", 'a"\\n'])
def test_json_text_reads_back_and_does_not_act_on_a_terminal(text: str) -> None:
    written = json_text({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert written.isprintable()


class Terminal(io.StringIO):
    """A terminal, with what was written at each flush."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed: list[int] = []

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.flushed.append(len(self.getvalue()))


def test_progress_on_a_terminal_ends_when_the_first_rows_come(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    seen: list[int] = []
    emit((f"row {at}" for at in range(10_000)), before=lambda: seen.append(len(terminal.getvalue())))
    assert seen[0] == 0
    assert len(terminal.getvalue().splitlines()) == 10_000


def test_no_message_about_a_name_acts_on_a_terminal(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
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
