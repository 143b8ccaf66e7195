# SPDX-License-Identifier: Apache-2.0
"""A file is there whole or not at all, whatever happens while it is written."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rainbowdp.errors import FileWriteError
from rainbowdp.formats.files import check_writable, replacing


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_a_block_that_ends_well_replaces_the_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    with replacing(target) as beside:
        assert beside.parent == tmp_path
        assert beside.suffix == ".txt"
        beside.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def write() -> None:
        with replacing(target) as beside:
            beside.write_text("half")
            raise error

    with pytest.raises(error):
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


def test_permissions_follow_the_umask_or_the_old_file(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with replacing(tmp_path / "new.txt") as beside:
            beside.write_text("x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640
    (tmp_path / "new.txt").chmod(0o600)
    with replacing(tmp_path / "new.txt") as beside:
        beside.write_text("y")
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with replacing(tmp_path / "link.txt") as beside:
        beside.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(FileWriteError, match="there is no directory"):
        check_writable(tmp_path / "absent" / "a.txt")
    with pytest.raises(FileWriteError, match="it is a directory"):
        check_writable(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileWriteError, match="not a regular file"):
        check_writable(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "new.txt")
    with pytest.raises(FileWriteError, match="a link to a file that does not exist"):
        check_writable(tmp_path / "dangling")
    check_writable(tmp_path / "new.txt")


def test_an_error_of_the_disk_is_told(tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "a.txt"):
            raise OSError(28, "No space left on device")

    with pytest.raises(FileWriteError, match=r"cannot write .*a\.txt': No space left on device"):
        write()
    assert names(tmp_path) == []


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_file_that_a_stream_of_the_process_goes_to_is_not_replaced(tmp_path: Path, stream: str) -> None:
    target = tmp_path / "a.txt"
    program = (
        "import pathlib, sys\n"
        "from rainbowdp.errors import FileWriteError\n"
        "from rainbowdp.formats.files import replacing\n"
        "try:\n"
        "    with replacing(pathlib.Path(sys.argv[1])) as beside: beside.write_text('new')\n"
        "except FileWriteError as error: print(error, file=getattr(sys, sys.argv[2]))\n"
    )
    with target.open("w") as goes:
        words = [sys.executable, "-c", program, str(target), stream]
        subprocess.run(words, check=True, stdout=goes if stream == "stdout" else subprocess.PIPE, stderr=goes)
    assert f"{'standard output' if stream == 'stdout' else 'standard error'} goes there" in target.read_text()
    assert names(tmp_path) == ["a.txt"]
