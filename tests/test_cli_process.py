# SPDX-License-Identifier: Apache-2.0
"""The command line as a program: help, completion, errors of every kind, signals, pipes, progress, speed."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from command_line import Outcome, Runner, process
from document_examples import own_words
from rainbowdp import __version__
from rainbowdp.cli.progress import SWITCH, steps
from rainbowdp.distribution import Distribution

COMMANDS = ("line", "solve", "verify", "sample")
LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "ln 2")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


def plain(text: str) -> str:
    """Return help without its frames and line breaks."""
    return " ".join(text.replace("│", " ").split())


def test_the_program_alone_prints_its_help(run: Runner) -> None:
    alone, asked = run(), run("--help")
    assert alone.code == asked.code == 0
    assert alone.err == asked.err == ""
    assert alone.out.split() == asked.out.split()
    for command in COMMANDS:
        assert command in alone.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_explains_itself_with_an_example(run: Runner, command: str, flag: str) -> None:
    outcome = run(command, flag)
    assert outcome.code == 0
    assert outcome.err == ""
    assert "Example" in outcome.out
    assert f"rainbowdp {command} " in plain(outcome.out).split("Example", 1)[1]


@pytest.mark.parametrize(
    "words", [(), *((command,) for command in COMMANDS), ("ask",), ("ask", "winner"), ("plan",)]
)
def test_help_can_be_copied_into_a_shell_and_gives_no_value_to_flags(
    run: Runner, words: tuple[str, ...]
) -> None:
    lines = run(*words, "--help").out.splitlines()
    # A blank behind a backslash would end the command there.
    assert [line for line in lines if line != line.rstrip()] == []
    assert not any("<bool>" in line for line in lines)
    assert any("--help" in line for line in lines)


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
        (("zzz",), "there is no command 'zzz'", "the commands are "),
        (("--versoin",), "there is no option --versoin", "did you mean '--version'?"),
        ((*LINE, "--distnaces", "1"), "there is no option --distnaces", "did you mean '--distances'?"),
        ((*LINE, "-x"), "there is no option -x", "see rainbowdp line --help"),
        ((*LINE, "--distances"), "option '--distances' requires an argument", "--help"),
        (LINE, "the option --distances is missing", "see rainbowdp line --help"),
        ((*LINE, "--distances", "1", "extra"), "got unexpected extra argument", "see rainbowdp line --help"),
        ((*LINE, "--distances", "1", "--exact=yes"), "--exact", "--help"),
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
        ((*LINE, "--distances", "1", "--epsilon=ln 2"), "--epsilon is given twice"),
        ((*LINE, "--distances", "1", "--distances", "2", "--distances", "3"), "--distances is given 3 times"),
        (
            ("verify", "m.csv", "--neighbors", "a", "--neighbors", "b", "--mu", "1"),
            "--neighbors is given twice",
        ),
        (("solve", "--datasets", "a", "--datasets", "a"), "--datasets is given twice"),
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


@pytest.mark.parametrize(
    "words",
    [
        ("line", "--rainbow", f"{'x' * 50_000}>b", "--boundary", "a=1", "--epsilon", "1"),
        (
            "line",
            "--rainbow",
            ">".join(f"c{at}" for at in range(1000)),
            "--boundary",
            "a=1",
            "--epsilon",
            "1",
        ),
        ("line", "--rainbow", "a>b", "--boundary", f"a={'1' * 5000}/3,b=1", "--epsilon", "1"),
        ("line", "--rainbow", "a>b", "--boundary", "a=1/2,b=1/2", "--epsilon", f"-{'1' * 5000}/3"),
        ("line", "--rainbow", "a>b", "--boundary", "a=1/2,b=1/2", "--epsilon", "x" * 5000),
        ("line", "--rainbow", "a>b", "--boundary", f"a={'9' * 5000},b=x", "--epsilon", "1"),
        ("x" * 5000,),
        ("line", f"--{'x' * 5000}"),
        ("sample", "x" * 5000, "--dataset", "x"),
    ],
)
def test_no_value_makes_an_error_endless(run: Runner, words: tuple[str, ...]) -> None:
    outcome = run(*words, *(("--distances", "0") if words[0] == "line" and len(words) > 2 else ()))
    assert outcome.code in (2, 4)
    assert all(len(line) < 1000 for line in outcome.error)


def test_what_is_abbreviated_in_messages_is_whole_in_data(run: Runner) -> None:
    long = "x" * 5000
    words = ("line", "--rainbow", f"{long}>b", "--boundary", f"{long}=1/3,b=2/3", "--epsilon", "1")
    for form in ("csv", "json", "table"):
        assert long in run(*words, "--distances", "0", "--format", form).out


def test_a_line_break_in_a_value_does_not_break_the_two_lines(run: Runner) -> None:
    outcome = run("line", "--rainbow", "a\n>>b", "--boundary", "a=1", "--mu", "1", "--distances", "1")
    assert outcome.code == 2
    assert outcome.error[0].startswith("error[RDP201]")


def test_debug_stands_first_and_shows_the_traceback(run: Runner) -> None:
    outcome = run("--debug", *LINE, "--distances", "x")
    assert outcome.code == 2
    assert "Traceback" in outcome.err
    assert "error[RDP901]: " in outcome.err
    behind = run(*LINE, "--distances", "x", "--debug")
    assert behind.error[1] == "help: it stands first: rainbowdp --debug ..."
    assert "Traceback" not in run(*LINE, "--distances", "x").err


def test_a_defect_is_reported_as_one_and_shows_its_traceback_only_on_demand(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a screw\nis loose")

    monkeypatch.setattr("rainbowdp.line.Line.probabilities", fail)
    outcome = run(*LINE, "--distances", "1")
    assert outcome.code == 70
    assert outcome.error == (
        "error[RDP999]: internal error, RuntimeError",
        "help: this is a defect of rainbowdp: please report it with what rainbowdp --debug shows",
    )
    assert "Traceback" in run("--debug", *LINE, "--distances", "1").err


def test_a_full_memory_is_no_defect(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rainbowdp.line.Line.probabilities", fail)
    outcome = run(*LINE, "--distances", "1")
    assert outcome.code == 70
    assert "memory" in outcome.error[0]


def test_exit_codes_reach_the_shell(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("dataset,rainbow,distance,b,r\nx,b>r,0,1/3,2/3\ny,r>b,0,1/4,3/4\n")
    (tmp_path / "pairs.csv").write_text("source,target\nx,y\n")
    files = (tmp_path / "m.csv", "--neighbors", tmp_path / "pairs.csv")
    assert run("verify", *files, "--epsilon", "1").code == 0
    broken = process("verify", *files, "--epsilon", "0.1")
    assert (broken.returncode, broken.stderr) == (1, "")
    assert run("verify", *files).code == 2
    assert run("verify", tmp_path / "absent.csv", *files[1:], "--epsilon", "1").code == 4


def test_the_console_script_is_the_same_program() -> None:
    script = Path(sys.executable).with_name("rainbowdp")
    done = subprocess.run([script, "--version"], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout == f"rainbowdp {__version__}\n"


class FakeTime:
    """A clock that stands still until it is moved, and the timers that wait for it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waiting: list[FakeTimer] = []

    def monotonic(self) -> float:
        return self.now

    def timer(self, seconds: float, ring: Callable[[], None]) -> "FakeTimer":
        return FakeTimer(self, self.now + seconds, ring)

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        for timer in [timer for timer in self.waiting if timer.due <= self.now]:
            self.waiting.remove(timer)
            timer.ring()


@dataclass(eq=False)
class FakeTimer:
    """A `threading.Timer` of the fake time."""

    time: FakeTime
    due: float
    ring: Callable[[], None]
    daemon: bool = False

    def start(self) -> None:
        self.time.waiting.append(self)

    def cancel(self) -> None:
        if self in self.time.waiting:
            self.time.waiting.remove(self)


@pytest.fixture
def fake_time(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    made = FakeTime()
    monkeypatch.setattr("rainbowdp.cli.progress.Timer", made.timer)
    monkeypatch.setattr("rainbowdp.cli.progress.monotonic", made.monotonic)
    monkeypatch.delenv(SWITCH)
    return made


@pytest.mark.usefixtures("fake_time")
def test_quick_work_shows_no_progress(run: Runner) -> None:
    assert run(*LINE, "--distances", "0:100", "--format", "csv").err == ""


def test_progress_waits_for_two_seconds_and_then_names_the_step_at_work(
    capsys: pytest.CaptureFixture[str], fake_time: FakeTime
) -> None:
    with steps() as taken:
        taken.step("reading")
        fake_time.pass_by(1.5)
        taken.step("checking")
        fake_time.pass_by(0.4)
        assert capsys.readouterr() == ("", "")
        fake_time.pass_by(0.1)
        assert capsys.readouterr() == ("", "checking (2 s)\n")
        fake_time.pass_by(5)
        taken.advance(1, 2)
        taken.step("writing")
        assert capsys.readouterr() == ("", "writing (7 s)\n")


def test_slow_fractions_show_progress(
    run: Runner, fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rainbowdp.line import Line

    quick = Line.distribution

    def slow(line: Line, distance: int) -> Distribution:
        fake_time.pass_by(3)
        return quick(line, distance)

    monkeypatch.setattr(Line, "distribution", slow)
    words = (*LINE, "--distances", "0:3", "--exact", "--format")
    for form in ("csv", "json", "table"):
        outcome = run(*words, form)
        assert (outcome.code, outcome.err) == (0, "computing the probabilities (3 s)\n")


def test_work_that_ends_within_two_seconds_stays_silent(
    capsys: pytest.CaptureFixture[str], fake_time: FakeTime
) -> None:
    with steps() as taken:
        taken.step("reading")
        fake_time.pass_by(1.9)
    fake_time.pass_by(10)
    assert capsys.readouterr() == ("", "")


def test_progress_can_be_switched_off(
    capsys: pytest.CaptureFixture[str], fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "off")
    with steps() as taken:
        taken.step("reading")
        fake_time.pass_by(100)
        taken.step("checking")
        taken.advance(1, 2)
    assert capsys.readouterr() == ("", "")


def test_slow_work_moves_on_a_terminal_and_leaves_stdout_alone() -> None:
    import pty

    program = (
        "import sys\n"
        "from rainbowdp.cli import progress\n"
        "progress.PATIENCE_SECONDS = 0\n"
        "with progress.steps() as taken:\n"
        "    taken.step('reading')\n"
        "    sys.stdin.readline()\n"
        "    taken.advance(1, 2)\n"
        "    print('result', flush=True)\n"
    )
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", SWITCH: "on"},
    )
    os.close(theirs)
    # The work goes on when its progress has been seen, however long that takes.
    shown, deadline = b"", time.monotonic() + 60
    while not (b"reading" in shown and b"\x1b[" in shown) and time.monotonic() < deadline:
        if select.select([ours], [], [], 1)[0]:
            shown += os.read(ours, 1 << 16)
    out, _ = running.communicate(b"\n", timeout=60)
    os.close(ours)
    assert b"reading" in shown
    assert b"\x1b[" in shown
    assert (running.returncode, out) == (0, b"result\n")


def test_help_loads_no_number_crunching() -> None:
    program = (
        "import sys\n"
        "from rainbowdp.cli import main\n"
        "main(['line', '--help'])\n"
        "sys.stderr.write(' '.join({name.split('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    heavy = {
        "numpy",
        "flint",
        "scipy",
        "duckdb",
        "narwhals",
        "networkx",
        "highspy",
        "matplotlib",
        "numba",
        "pyarrow",
    }
    assert heavy.isdisjoint(done.stderr.split())
