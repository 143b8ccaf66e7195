# SPDX-License-Identifier: Apache-2.0
"""The command line as a process: exit codes, signals, pipes, encodings, a terminal, what is loaded."""

import contextlib
import csv
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pytest
from pyarrow import parquet

from command_line import PROGRAM, Runner, process, usual_signals
from rainbowdp.cli import Signals
from rainbowdp.cli.app import HEADINGS
from rainbowdp.formats.datasets import named_rows

LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "ln 2")
ENDINGS = [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")]


@pytest.fixture(autouse=True)
def signals_as_in_a_new_process() -> Iterator[None]:
    with usual_signals():
        yield


@pytest.fixture(autouse=True)
def folder(run: Runner) -> Runner:
    """Stand in a folder with a small graph."""
    Path("nodes.csv").write_text("dataset,rainbow\nx,b>r\ny,r>b\n")
    Path("pairs.csv").write_text("source,target\nx,y\n")
    return run


FILES = "--datasets nodes.csv --neighbors pairs.csv"
SOLVE = ["solve", *FILES.split(), "--boundary", "uniform", "--epsilon", "1"]
ASK = "ask winner votes.csv --column vote --options red,blue --epsilon 1"


def python(program: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a program in a Python of its own."""
    return process(program, *words, program=(sys.executable, "-c"))


def loaded(*words: str) -> set[str]:
    """Return the modules that a command has loaded, in a process of its own."""
    done = python(
        f"import sys\nfrom rainbowdp.cli import main\nmain({list(words)!r})\nprint()\nprint(*sys.modules)"
    )
    return set(done.stdout.splitlines()[-1].split())


def test_a_command_loads_what_it_needs_and_no_more() -> None:
    found = loaded("line", "--help")
    heavy = {"numpy", "flint", "scipy", "duckdb", "narwhals", "networkx", "highspy", "matplotlib", "numba"}
    assert not found & heavy
    others = {f"rainbowdp.cli.{name}" for name in HEADINGS} - {"rainbowdp.cli.line"}
    assert "rainbowdp.cli.line" in found
    assert not found & others
    Path("votes.csv").write_text("vote\nred\n", encoding="utf-8")
    found = loaded(*ASK.split())
    assert "duckdb" in found
    assert not found & {"narwhals", "pyarrow", "pandas", "polars", "rainbowdp.verification"}
    assert "rainbowdp.release.checking" not in found


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


IMPORTING = """
import signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.removeprefix("_") == sys.argv[1]:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
from rainbowdp.cli import main
code = main(sys.argv[2:])
sys.stdout.write(str("duckdb" in sys.modules))
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("module", "words", "is_loaded"), [("typer", [*LINE, "--distances", "3"], False), ("duckdb", SOLVE, True)]
)
def test_an_interrupt_during_an_import_is_told_in_one_word_and_waits_for_the_end_of_a_database(
    module: str, words: list[str], is_loaded: bool
) -> None:
    done = python(IMPORTING, module, *words)
    assert (done.returncode, done.stdout, done.stderr) == (130, str(is_loaded), "interrupted\n")


def turn_into_an_error(*_: object, **__: object) -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("this library explains how to install it") from None


def swallow(*table: Any) -> object:  # noqa: ANN401 - handed on
    # As pyarrow does while it looks for pandas.
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    return named_rows(*table)


@pytest.mark.parametrize(
    ("at", "act", "ending"),
    [
        ("formats.writing._Table.write_csv", Mock(side_effect=KeyboardInterrupt), (130, "", "interrupted\n")),
        ("verification.verify", turn_into_an_error, (130, "", "interrupted\n")),
        ("formats.graphs.named_rows", swallow, (143, "", "terminated\n")),
    ],
)
def test_an_interrupt_ends_a_command_whatever_a_library_makes_of_it_and_leaves_nothing_behind(
    run: Runner,
    monkeypatch: pytest.MonkeyPatch,
    at: str,
    act: Callable[..., object],
    ending: tuple[int, str, str],
) -> None:
    columns = {"dataset": pa.array([0, 1]), "rainbow": pa.array(["b>r", "r>b"]).dictionary_encode()}
    parquet.write_table(pa.table(columns), "nodes.parquet")
    Path("pairs.csv").write_text("source,target\n0,1\n")
    before = sorted(Path().iterdir())
    monkeypatch.setattr(f"rainbowdp.{at}", act)
    outcome = run(*SOLVE[:2], "nodes.parquet", *SOLVE[3:], "--out", "new.csv")
    assert (outcome.code, outcome.out, outcome.err) == ending
    assert sorted(Path().iterdir()) == before


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


def shell(redirection: str, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run a command with the redirection of a shell."""
    return process(*words, program=("/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *PROGRAM))


def test_a_result_that_cannot_be_written_is_an_error_of_two_lines() -> None:
    done = shell(">/dev/full", *LINE, "--distances", "0:3")
    assert done.returncode == 4
    assert done.stderr.splitlines() == [
        "error[RDP503]: cannot write the result to stdout: No space left on device",
        "help: check where it goes, and the free space there",
    ]


def test_a_closed_stdout_is_refused_before_anything_is_charged() -> None:
    Path("votes.csv").write_text("vote\nred\n", encoding="utf-8")
    done = shell(">&-", *ASK.split())
    assert (done.returncode, done.stderr.splitlines()[0]) == (4, "error[RDP503]: stdout is closed")


def test_results_and_errors_are_utf_8_whatever_the_locale_says() -> None:
    elsewhere = os.environ | {"PYTHONIOENCODING": "cp1252"}
    abroad = "line --rainbow é>日 --boundary é=1/3,日=2/3 --epsilon 1 --distances 0:2 --format csv"
    shown = process(*abroad.split(), env=elsewhere)
    assert next(csv.reader(io.StringIO(shown.stdout))) == ["distance", "é", "日"]
    wrong = process("line", "é", env=elsewhere)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error[RDP901]: ")


def test_a_reader_that_stops_early_ends_the_command_quietly() -> None:
    words = (*PROGRAM, *LINE, "--distances", "0:1000000000", "--format", "json")
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
