# SPDX-License-Identifier: Apache-2.0
"""Stdout and stderr that are closed, full, without a reader, or of another encoding."""

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from command_line import PROGRAM, Runner, process
from rainbowdp.cli.output import emit, emit_table, json_text, say

LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "ln 2")
ABROAD = (
    "line",
    "--rainbow",
    "é>日",
    "--boundary",
    "é=1/3,日=2/3",
    "--epsilon",
    "ln 2",
    "--distances",
    "0:2",
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a small graph, a mechanism on it and a mechanism that is not private."""
    (tmp_path / "nodes.csv").write_text("dataset,rainbow\nx,b>r\ny,r>b\n")
    (tmp_path / "pairs.csv").write_text("source,target\nx,y\n")
    (tmp_path / "m.csv").write_text("dataset,rainbow,distance,b,r\nx,b>r,0,1/3,2/3\ny,r>b,0,1/4,3/4\n")
    return tmp_path


def commands(folder: Path) -> dict[str, tuple[object, ...]]:
    pairs = ("--neighbors", folder / "pairs.csv", "--epsilon", "1")
    return {
        "help": ("--help",),
        "version": ("--version",),
        "nothing": (),
        "help of a command": ("solve", "--help"),
        "line": (*LINE, "--distances", "0:3"),
        "line as csv": (*LINE, "--distances", "0:3", "--format", "csv"),
        "solve": ("solve", "--datasets", folder / "nodes.csv", *pairs, "--boundary", "uniform"),
        "verify": ("verify", folder / "m.csv", *pairs),
        "sample": ("sample", folder / "m.csv", "--dataset", "x"),
    }


NAMES = list(commands(Path()))


def shell(redirection: str, *words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command with the redirection of a shell."""
    command = ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *PROGRAM, *map(str, words)]
    return subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", env=os.environ | environment
    )


@pytest.mark.parametrize(
    ("name", "redirection", "why"),
    [(name, ">/dev/full", "No space left on device") for name in NAMES]
    + [(name, ">&-", "it is closed") for name in ("help", "line as csv", "verify")],
)
def test_a_result_that_cannot_be_written_is_an_error_of_two_lines(
    folder: Path, name: str, redirection: str, why: str
) -> None:
    done = shell(redirection, *commands(folder)[name])
    assert done.returncode == 4
    assert done.stderr.splitlines() == [
        f"error[RDP503]: cannot write the result to stdout: {why}",
        "help: check where it goes, and the free space there",
    ]


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_an_error_that_cannot_be_told_keeps_its_exit_code(folder: Path, redirection: str) -> None:
    wrong = shell(redirection, "line")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", "")
    broken = shell(redirection, "verify", folder / "m.csv", "--neighbors", folder / "pairs.csv", "--mu", "0")
    assert broken.returncode == 1
    assert broken.stdout.startswith("BROKEN")
    assert shell(redirection, "sample", folder / "absent.csv", "--dataset", "x").returncode == 4


@pytest.mark.parametrize("locale", [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_results_and_errors_are_utf_8_whatever_the_locale_says(locale: dict[str, str]) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONIOENCODING"} | locale

    def done(*words: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run([*PROGRAM, *words], check=False, capture_output=True, env=environment)

    assert next(csv.reader(io.StringIO(done(*ABROAD, "--format", "csv").stdout.decode()))) == [
        "distance",
        "é",
        "日",
    ]
    found: dict[str, Any] = json.loads(done(*ABROAD, "--format", "json", "--exact").stdout.decode())
    assert found["rainbow"] == "é>日"
    assert found["rows"][1]["probabilities"] == {"é": "2/3", "日": "1/3"}
    assert "distance" in done(*ABROAD).stdout.decode()
    assert done("line", "--help").returncode == 0
    wrong = done("line", "é")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert wrong.stderr.decode().startswith("error[RDP901]: ")


def test_bytes_that_are_no_text_are_refused_where_they_would_be_shown() -> None:
    rest = ("--boundary", "a=1", "--mu", "1", "--distances", "0")
    command: list[str | bytes] = [*PROGRAM, "line", "--rainbow", b"\xff>b", *rest]
    done = subprocess.run(command, check=False, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.startswith(
        rb"error[RDP901]: --rainbow '\udcff>b' is not text: character 1 is a byte that"
    )
    command = [*PROGRAM, "sample", b"\xff.csv", "--dataset", "x"]
    done = subprocess.run(command, check=False, capture_output=True)
    assert (done.returncode, done.stderr.split(b"\n")[0]) == (
        4,
        rb"error[RDP501]: there is no file '\udcff.csv'",
    )


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_reader_that_stops_early_ends_the_command_quietly(form: str) -> None:
    words = (*PROGRAM, *LINE, "--distances", "0:1000000000", "--format", form)
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.readline()
    running.stdout.close()
    errors = running.stderr.read()
    running.stderr.close()
    assert running.wait(timeout=60) == 0
    assert b"Traceback" not in errors
    assert b"error" not in errors.lower()


@pytest.mark.parametrize(("words", "code"), [(("--help",), 0), (("verify", "--help"), 0), (("line",), 2)])
def test_a_reader_that_never_reads_changes_nothing(words: tuple[str, ...], code: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_a_closed_pipe_does_not_change_what_was_found(folder: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    files = (str(folder / "m.csv"), "--neighbors", str(folder / "pairs.csv"))
    words = (*PROGRAM, "verify", *files, "--epsilon", "0.1")
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, check=False, encoding="utf-8")
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_what_acts_on_a_terminal_is_escaped_in_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    emit_table(("a\x1b[31m", "b"), [("\x9b2J", "c\nd"), ("\u202e", "e\u2028f")])
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert all(escape in shown for escape in (r"a\x1b[31m", r"\x9b2J", r"c\nd", r"\u202e", r"e\u2028f"))
    say("worst\x07 \x1b]0;title\x07")
    assert capsys.readouterr().err == "worst\\x07 \\x1b]0;title\\x07\n"
    emit(["\x1b[31m"], for_people=True)
    assert capsys.readouterr().out == "\\x1b[31m\n"


def test_data_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    emit(["a\x1b[31m", "b"])
    assert capsys.readouterr().out == "a\x1b[31m\nb\n"


@pytest.mark.parametrize("text", ["\x1b[31m", "\x9b2J", "\x7f", "\u202ered", "\u2028", "é日😀", 'a"\\n'])
def test_json_text_reads_back_and_does_not_act_on_a_terminal(text: str) -> None:
    written = json_text({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert written.isprintable()


@pytest.mark.parametrize("command", ["line", "verify", "sample", "solve", "other"])
def test_no_message_about_a_name_acts_on_a_terminal(folder: Path, command: str) -> None:
    red = "\x1b[31mred\x9b"
    pairs = ("--neighbors", folder / f"{red}.csv")
    (folder / f"{red}.csv").write_text(f"source,target\nx,{red}\n")
    (folder / "nodes.csv").write_text(f"dataset,rainbow\nx,b>{red}\ny,r>b\n")
    examples: dict[str, list[tuple[object, ...]]] = {
        "line": [("line", "--rainbow", f"{red}>b", "--boundary", f"{red}=1,c=0")],
        "verify": [("verify", folder / "m.csv", *pairs)],
        "sample": [("sample", folder / "m.csv", "--dataset", red), ("sample", red, "--dataset", "x")],
        "solve": [
            ("solve", "--datasets", folder / "nodes.csv", *pairs, "--boundary", name)
            for name in (red, "uniform")
        ],
        "other": [(red,), (f"--{red}",), ("line", red), ("line", f"--{red}")],
    }
    extra: tuple[str, ...] = {"line": ("--epsilon", "1", "--distances", "0")}.get(command, ("--epsilon", "1"))
    for words in examples[command]:
        done = process(*words, *(() if command in ("sample", "other") else extra))
        assert done.returncode in (2, 4)
        assert done.stderr.replace("\n", "").isprintable()
        assert len(done.stderr.splitlines()) == 2


class Terminal(io.StringIO):
    """A stream that somebody watches, with what was written at each flush."""

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


def test_long_rows_come_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    emit("7" * 100_000 for _ in range(3))
    assert [flushed for flushed in terminal.flushed if flushed] == [100_001, 200_002, 300_003]
