# SPDX-License-Identifier: Apache-2.0
"""Signals: at any moment they end a command with one word, the right exit code, and nothing left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from command_line import PROGRAM, Runner, usual_signals
from rainbowdp.cli import main
from rainbowdp.cli.signals import Signals
from rainbowdp.formats.datasets import numbered_datasets

LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "ln 2")
ENDINGS = [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "terminated")]


@pytest.fixture(autouse=True)
def signals_as_in_a_new_process() -> Iterator[None]:
    with usual_signals():
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


@pytest.mark.parametrize(("name", "code", "word"), ENDINGS)
def test_a_signal_ends_a_command_at_work(name: str, code: int, word: str) -> None:
    words = (*PROGRAM, *LINE, "--distances", "0:1000000000", "--format", "csv")
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    # The first line shows that the command is at work.
    assert running.stdout.readline() == b"distance,a,b\n"
    running.send_signal(getattr(signal, name))
    _, errors = running.communicate(timeout=60)
    assert running.returncode == code
    assert errors.decode().splitlines()[-1] == word
    assert b"Traceback" not in errors


@pytest.mark.parametrize("module", ["rainbowdp.cli.output", "typer", "flint"])
def test_an_interrupt_during_an_import_at_the_start_is_told_in_one_word(module: str) -> None:
    program = (
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == sys.argv[1]:\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from rainbowdp.cli import main\n"
        f"sys.exit(main({[*LINE, '--distances', '3']!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, module], check=False, capture_output=True, encoding="utf-8"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    ("name", "code", "word", "ending"),
    [(*how, ending) for how, ending in zip(ENDINGS, ["csv", "parquet", "json"], strict=True)],
)
def test_a_signal_while_a_file_is_written_leaves_nothing_behind(
    tmp_path: Path, name: str, code: int, word: str, ending: str
) -> None:
    (tmp_path / "nodes.csv").write_text("dataset,rainbow\nx,b>r\ny,r>b\n")
    (tmp_path / "pairs.csv").write_text("source,target\nx,y\n")
    words = ["solve", "--datasets", "nodes.csv", "--neighbors", "pairs.csv", "--boundary", "uniform"]
    words += ["--epsilon", "1", "--out", f"m.{ending}"]
    program = (
        "import sys, time\n"
        "from rainbowdp.formats import writing\n"
        "flush = writing._flush\n"
        "def wait(path):\n"
        "    print(sorted(file.name for file in path.parent.iterdir()), file=sys.__stdout__, flush=True)\n"
        "    time.sleep(600)\n"
        "writing._flush = wait\n"
        "from rainbowdp.cli import main\n"
        f"sys.exit(main({words!r}))\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    # The file is there beside its target when the signal comes.
    assert b"'.m." in running.stdout.readline()
    running.send_signal(getattr(signal, name))
    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors.decode().splitlines()[-1]) == (code, word)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["nodes.csv", "pairs.csv"]


def test_an_interrupt_while_a_file_is_written_leaves_nothing_behind(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rainbowdp.formats.mechanism_writing._write_csv", interrupt)
    (tmp_path / "nodes.csv").write_text("dataset,rainbow\nx,b>r\ny,r>b\n")
    (tmp_path / "pairs.csv").write_text("source,target\nx,y\n")
    files = ("--datasets", tmp_path / "nodes.csv", "--neighbors", tmp_path / "pairs.csv")
    words = ("--boundary", "uniform", "--epsilon", "1", "--out", tmp_path / "m.csv")
    outcome = run("solve", *files, *words)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "interrupted\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["nodes.csv", "pairs.csv"]


def test_an_interrupt_that_a_library_turns_into_an_error_is_still_one(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("this library explains how to install it") from None

    monkeypatch.setattr("rainbowdp.line.Line.probabilities", fail)
    outcome = run(*LINE, "--distances", "1")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "interrupted\n")


def test_an_interrupt_that_a_library_swallows_ends_the_command_at_the_next_step(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swallow(path: Path) -> object:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        return numbered_datasets(path)

    # As pyarrow does while it looks for pandas.
    monkeypatch.setattr("rainbowdp.formats.graphs.numbered_datasets", swallow)
    columns = {"dataset": pa.array([0, 1]), "rainbow": pa.array(["b>r", "r>b"]).dictionary_encode()}
    parquet.write_table(pa.table(columns), tmp_path / "nodes.parquet")
    (tmp_path / "pairs.csv").write_text("source,target\n0,1\n")
    files = ("--datasets", tmp_path / "nodes.parquet", "--neighbors", tmp_path / "pairs.csv")
    outcome = run("solve", *files, "--boundary", "uniform", "--epsilon", "1", "--out", tmp_path / "m.csv")
    assert (outcome.code, outcome.out, outcome.err) == (143, "", "terminated\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["nodes.parquet", "pairs.csv"]


@pytest.mark.parametrize("command", ["solve", "verify", "sample"])
def test_an_interrupt_while_the_database_is_loaded_waits_for_its_end(tmp_path: Path, command: str) -> None:
    (tmp_path / "nodes.csv").write_text("dataset,rainbow\nx,b>r\ny,r>b\n")
    (tmp_path / "pairs.csv").write_text("source,target\nx,y\n")
    (tmp_path / "m.csv").write_text("dataset,rainbow,distance,b,r\nx,b>r,0,1/2,1/2\ny,r>b,0,1/2,1/2\n")
    words = {
        "solve": "--datasets nodes.csv --neighbors pairs.csv --boundary uniform --epsilon 1",
        "verify": "m.csv --neighbors pairs.csv --epsilon 1",
        "sample": "m.csv --dataset x",
    }[command]
    program = (
        "import builtins, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.startswith('_duckdb') or name == 'duckdb':\n"
        "            sys.meta_path.remove(self)\n"
        "            try:\n"
        "                signal.raise_signal(signal.SIGINT)\n"
        "            except KeyboardInterrupt:\n"
        "                print('in the middle')\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from rainbowdp.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "print('duckdb' in sys.modules)\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, command, *words.split()],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "True\n", "interrupted\n")


class Last:
    """Something whose end is interrupted."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_where_nothing_can_be_raised_comes_again(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: object) -> None:
        last = Last()
        del last
        time.sleep(60)

    monkeypatch.setattr("rainbowdp.line.Line.probabilities", lose)
    outcome = run(*LINE, "--distances", "1")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "interrupted\n")


def test_an_ignored_signal_stays_ignored_and_handlers_come_back() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Signals() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL
        assert signals.received is None
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_may_run_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    codes: list[int] = []
    thread = threading.Thread(
        target=lambda: codes.append(main([*LINE, "--distances", "0", "--format", "csv"]))
    )
    thread.start()
    thread.join()
    assert codes == [0]
    assert capsys.readouterr().out.startswith("distance,a,b\n")
