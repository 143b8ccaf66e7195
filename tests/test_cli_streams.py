# SPDX-License-Identifier: Apache-2.0
"""Stdout and stderr of every kind: closed, full, read by nobody, or in an encoding without the signs."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import PROGRAM, Runner, process
from rainbowdp.cli.doors import Door, guarded
from rainbowdp.cli.output import emit, emit_table, json_text, say
from rainbowdp.errors import FileWriteError

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


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "<&- 2>&-"])
def test_an_error_that_cannot_be_told_keeps_its_exit_code(folder: Path, redirection: str) -> None:
    wrong = shell(redirection, "line")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", "")
    broken = shell(redirection, "verify", folder / "m.csv", "--neighbors", folder / "pairs.csv", "--mu", "0")
    assert broken.returncode == 1
    assert broken.stdout.startswith("BROKEN")
    assert shell(redirection, "sample", folder / "absent.csv", "--dataset", "x").returncode == 4


@pytest.mark.parametrize("redirection", [">&- 2>&-", "<&- >&- 2>&-"])
def test_without_any_stream_files_are_still_written_whole(folder: Path, redirection: str) -> None:
    out = folder / "out.csv"
    assert shell(redirection, *commands(folder)["solve"], "--out", out).returncode == 4
    assert out.read_text().startswith("dataset,rainbow,distance,b,r\nx,b>r,0,0.5,0.5\n")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "ascii:surrogateescape"])
def test_no_encoding_makes_a_command_fail_inside(encoding: str) -> None:
    for words in (("--help",), ("line", "--help"), ABROAD, (*ABROAD, "--format", "json"), ("line", "é")):
        command = [*PROGRAM, *words]
        environment = os.environ | {"PYTHONIOENCODING": encoding}
        done = subprocess.run(command, check=False, capture_output=True, env=environment)
        assert done.returncode == (2 if words[-1] == "é" else 0), done.stderr
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "iso8859-5", "utf-8"])
def test_json_is_whole_in_every_encoding(encoding: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    words = [*PROGRAM, *ABROAD, "--format", "json", "--exact"]
    done = subprocess.run(words, check=True, capture_output=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.decode(encoding))
    assert found["rainbow"] == "é>日"
    assert found["rows"][1]["probabilities"] == {"é": "2/3", "日": "1/3"}


def test_csv_is_whole_or_refused() -> None:
    refused = shell("", *ABROAD, "--format", "csv", PYTHONIOENCODING="cp1252")
    assert (refused.returncode, refused.stdout) == (4, "")
    assert refused.stderr.splitlines() == [
        r"error[RDP503]: stdout is written as cp1252, which has no sign for '\u65e5'",
        "help: set PYTHONIOENCODING=utf-8, or choose --format json, which any encoding can hold",
    ]
    whole = shell("", *ABROAD, "--format", "csv", PYTHONIOENCODING="utf-8")
    assert next(csv.reader(io.StringIO(whole.stdout))) == ["distance", "é", "日"]


def test_a_table_shows_escapes_for_what_the_encoding_lacks() -> None:
    done = shell("", *ABROAD, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert r"distance   \xe9" in done.stdout
    assert "-----" in done.stdout


def test_the_plain_locale_is_no_obstacle() -> None:
    done = shell("", *ABROAD, LC_ALL="C", LANG="C", PYTHONIOENCODING="", PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr


def test_bytes_that_are_no_text_are_refused_where_they_would_be_shown() -> None:
    rest = ("--boundary", "a=1", "--mu", "1", "--distances", "0")
    command: list[str | bytes] = [*PROGRAM, "line", "--rainbow", b"\xff>b", *rest]
    done = subprocess.run(command, check=False, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.startswith(
        rb"error[RDP901]: --rainbow '\udcff>b' is not text: character 1 is a byte that"
    )
    command = [*PROGRAM, "sample", b"\xff.csv", "--dataset", b"\xfe"]
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


def test_the_doors_are_taken_away_again(run: Runner) -> None:
    before = sys.stdout, sys.stderr
    with guarded():
        assert isinstance(sys.stdout, Door)
        assert isinstance(sys.stderr, Door)
    assert (sys.stdout, sys.stderr) == before
    assert run("--version").code == 0
    assert (sys.stdout, sys.stderr) == before


def test_a_door_passes_on_what_its_stream_is(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w", encoding="cp1252") as file:
        door = Door(file, is_result=True)
        assert (door.encoding, door.isatty(), door.writable()) == ("cp1252", False, True)
        assert door.fileno() == file.fileno()
        assert door.write("é日\n") == 3
        door.flush()
        with pytest.raises(TypeError, match="text is written here, not bytes"):
            door.write(b"bytes")  # type: ignore[arg-type]  # the framework asks in this way
    assert (tmp_path / "file").read_bytes() == b"\xe9\\u65e5\n"
    with pytest.raises(FileWriteError, match="closed file"):
        door.write("late")
    closed = Door(None, is_result=False)
    assert (closed.write("dropped"), closed.isatty(), closed.encoding) == (7, False, "utf-8")
    with pytest.raises(OSError, match="closed"):
        closed.fileno()


def test_what_acts_on_a_terminal_is_escaped_in_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    emit_table(("a\x1b[31m", "b"), [("\x9b2J", "c\nd"), ("\u202e", "e\u2028f")])
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert all(sign in shown for sign in (r"a\x1b[31m", r"\x9b2J", r"c\nd", r"\u202e", r"e\u2028f"))
    say("worst\x07 \x1b]0;title\x07")
    assert capsys.readouterr().err == "worst\\x07 \\x1b]0;title\\x07\n"
    emit(["\x1b[31m"], "people")
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
