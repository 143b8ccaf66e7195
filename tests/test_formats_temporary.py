# SPDX-License-Identifier: Apache-2.0
"""What a killed process left among temporary files is removed by the next one, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from rainbowdp.formats.files import private_directory, sweep

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
