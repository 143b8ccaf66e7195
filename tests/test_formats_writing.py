# SPDX-License-Identifier: Apache-2.0
"""A file is there whole or not at all, whatever happens; what a killed process left over is removed."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rainbowdp.errors import FileWriteError
from rainbowdp.formats.files import check_writable, private_directory, replacing, sweep, write_whole


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_block_that_ends_well_replaces_the_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with replacing(target) as beside:
        assert (beside.parent, beside.suffix) == (tmp_path, ".txt")
        beside.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("error", "shown", "what"),
    [
        (RuntimeError("lost"), RuntimeError, "lost"),
        (KeyboardInterrupt("lost"), KeyboardInterrupt, "lost"),
        (OSError(28, "No space"), FileWriteError, r"cannot write .*a\.txt': No space left on device"),
    ],
)
def test_a_block_that_fails_leaves_the_old_file(
    tmp_path: Path, error: BaseException, shown: type[BaseException], what: str
) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def write() -> None:
        with replacing(target) as beside:
            beside.write_text("half")
            raise error

    with pytest.raises(shown, match=what):
        write()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_process_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    program = (
        "import os, pathlib, sys\n"
        "from rainbowdp.formats.files import replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as beside:\n"
        "    beside.write_text('half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(target)], check=False)
    assert done.returncode == -9
    assert target.read_text() == "old"


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    new, link = tmp_path / "new.txt", tmp_path / "link.txt"
    link.symlink_to("new.txt")
    old = os.umask(0o027)
    try:
        write_whole(new, "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    new.chmod(0o600)
    write_whole(link, "y")
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert (link.is_symlink(), new.read_text()) == (True, "y")


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "new.txt")
    for path, what in (
        (tmp_path / "absent" / "a.txt", "there is no directory"),
        (tmp_path, "it is a directory"),
        (tmp_path / "pipe", "not a regular file"),
        (tmp_path / "dangling", "a link to a file that does not exist"),
    ):
        with pytest.raises(FileWriteError, match=what):
            check_writable(path)
    check_writable(tmp_path / "new.txt")


@pytest.mark.parametrize(("number", "name"), [(1, "standard output"), (2, "standard error")])
def test_a_file_that_a_stream_of_the_process_goes_to_is_not_replaced(
    tmp_path: Path, number: int, name: str
) -> None:
    with (tmp_path / "a.txt").open("w") as goes:
        before = os.dup(number)
        os.dup2(goes.fileno(), number)
        try:
            with pytest.raises(FileWriteError, match=f"{name} goes there"):
                check_writable(tmp_path / "a.txt")
        finally:
            os.dup2(before, number)
            os.close(before)


_WAITING = """
import sys
from rainbowdp.formats.files import private_directory
with private_directory() as room:
    (room / "copy.csv").write_text("1,red", encoding="utf-8")
    print(room, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", _WAITING], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        elsewhere = tmp_path / "elsewhere"
        for folder in (elsewhere, tmp_path / "rainbowdp-mine", tmp_path / "rainbowdp-abcdefgh.private2"):
            folder.mkdir()
            (folder / "kept.csv").write_text("1,red", encoding="utf-8")
        link = tmp_path / "rainbowdp-aaaaaaaa.private"
        link.symlink_to(elsewhere)
        (left / "link").symlink_to(elsewhere)
        before = {*tmp_path.rglob("*")}
        with private_directory():
            # The process lives, and holds its own.
            assert before < {*tmp_path.rglob("*")}
        assert {*tmp_path.rglob("*")} == before
        process.kill()
        process.wait()
    sweep.cache_clear()
    with private_directory():
        pass
    assert {*tmp_path.rglob("*")} == {path for path in before if not path.is_relative_to(left)}
