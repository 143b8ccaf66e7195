# SPDX-License-Identifier: Apache-2.0
"""The runner of the documentation's examples: it finds every way in which a document can be wrong."""

import os
import re
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from document_examples import (
    DOCSTRINGS,
    DOCUMENTS,
    ROOT,
    check_console,
    own_words,
    parse_console,
    redirected,
    run,
    run_by_shell,
)


def failures(path: Path) -> list[int]:
    """Run all examples of a Markdown document, and return the lines of those that fail."""
    document = DOCUMENTS.parse(path)
    wrong = []
    for example in document.examples():
        try:
            example.evaluate()
        except (AssertionError, ZeroDivisionError):
            wrong.append(example.line)
    return wrong


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("$ echo blue\nblue\n", ""),
        ("$ echo blue; echo red >&2\nblue\nred\n", ""),
        ("$ printf 'blue   \\n\\n'\nblue\n", ""),
        ("$ seq 1 50\n1\n2\n...\n50\n", ""),
        ("$ true\n$ echo one \\\n    two\none two\n", ""),
        ("$ false\n$ echo $?\n1\n$ echo $?\n0\n", ""),
        ("$ (exit 3)\n$ echo $?\n3\n", ""),
        ("$ echo blue\nred\n", "shown:\nred\n\nprinted (exit code 0):\nblue\n"),
        ("$ echo blue\n", "printed (exit code 0):\nblue\n"),
        ("$ true\nblue\n", "shown:\nblue\n"),
        ("$ echo blue red\nblue  red\n", "printed (exit code 0):\nblue red\n"),
        ("$ echo blue; exit 3\nblue\n", "ended with exit code 3"),
        ("$ (exit 3)\n$ echo blue\nblue\n", "$ (exit 3)\nended with exit code 3"),
        ("$ (exit 3)\n$ echo $?\n4\n", "printed (exit code 0):\n3\n"),
        ("$ no-such-command-here 2>/dev/null\n", "ended with exit code 127"),
    ],
)
def test_a_block_passes_where_it_shows_what_is_printed_and_else_fails_with_what_differs(
    block: str, said: str
) -> None:
    answer = check_console(block)
    assert (answer is None) == (said == "")
    assert said in (answer or "")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("rainbowdp --version", ["--version"]),
        ("rainbowdp line --rainbow 'a>b' \\\n    --mu 1", ["line", "--rainbow", "a>b", "--mu", "1"]),
        ("rainbowdp line | head -1", None),
        ("rainbowdp line > file", None),
        ("rainbowdp line; false", None),
        ("rainbowdp line\nfalse", None),
        ("rainbowdp verify *.csv", None),
        ("rainbowdp verify ~/file.csv", None),
        ('rainbowdp verify "$HOME/file"', None),
        ("rainbowdp verify `pwd`", None),
        ("rainbowdp verify 'it'\\''s", None),
        ("NO_COLOR= rainbowdp verify", None),
    ],
)
def test_a_command_runs_inside_where_the_shell_only_splits_its_words(
    command: str, words: list[str] | None
) -> None:
    assert own_words(command) == words


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    "words",
    [
        "line --rainbow 'ü>ß' --boundary 'ü=1/3,ß=2/3' --epsilon 1 --distances 0 --format json",
        "line --rainbow 'a>b' --boundary 'a=1/3' --epsilon 'ln 2' --distances 0:3",
        "line --rainbow 'a>b' --boundary 'a=1/3,b=1/3' --epsilon 'ln 2' --normalize > printed.txt",
    ],
)
def test_a_command_prints_and_ends_inside_as_it_does_in_a_process(words: str) -> None:
    command = f"rainbowdp {words}"
    assert own_words(redirected(command)[0]) is not None
    ended = []
    for way in (run, run_by_shell):
        Path("printed.txt").write_text("", encoding="utf-8")
        ended.append((way(command, 3), Path("printed.txt").read_text(encoding="utf-8")))
    assert ended[0] == ended[1]


def test_a_command_inside_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def change() -> int:
        assert sys.argv == ["rainbowdp", "--version"]
        assert (os.environ["TERM"], signal.getsignal(signal.SIGHUP)) == ("dumb", signal.SIG_DFL)
        assert sys.stdin.read() == ""
        sys.stdout.write("printed\n")
        os.write(2, b"raw\n")
        os.environ["LEFT"] = "behind"
        del os.environ["PATH"]
        os.chdir(tmp_path)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        warnings.simplefilter("ignore")
        sys.stdout = sys.stderr
        return 5

    def state() -> tuple[Any, ...]:
        signals = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
        streams = (sys.stdin, sys.stdout, sys.stderr, *(os.fstat(number).st_ino for number in range(3)))
        return (dict(os.environ), Path.cwd(), signals, list(warnings.filters), list(sys.argv), streams)

    monkeypatch.setattr("document_examples.main", change)
    before = state()
    printed, status = run("rainbowdp --version", 0)
    assert (sorted(printed.splitlines()), status) == (["printed", "raw"], 5)
    assert state() == before


def test_at_most_eight_commands_of_all_documents_start_a_process_of_the_package() -> None:
    blocks = [
        block
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for block in re.findall(r"^```console\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    ]
    commands = [command.line for block in blocks for command in parse_console(block)]
    ours = [command for command in commands if re.search(r"\brainbowdp\b", command)]
    assert len(ours) > 25
    assert len([command for command in ours if own_words(redirected(command)[0]) is None]) <= 8


def test_a_document_is_run_block_by_block(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(
        "# Page\n"
        "```python\nnumber = 6\n```\n"
        "```python\n>>> number * 7\n42\n>>> number * 8\n42\n```\n"
        "```python\nassert number == 7\n```\n"
        "```console\n$ echo 6\n6\n```\n"
        "```console\n$ echo 6\n7\n```\n"
        "```sh\nexit 1\n```\n",
        encoding="utf-8",
    )
    assert failures(path) == [8, 11, 18]


def test_every_page_and_docstring_is_a_test() -> None:
    assert all(map(DOCUMENTS.should_parse, (ROOT / "README.md", ROOT / "docs" / "theory" / "page.md")))
    assert DOCSTRINGS.should_parse(ROOT / "src" / "rainbowdp" / "graph" / "morphism.py")
