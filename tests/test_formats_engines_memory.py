# SPDX-License-Identifier: Apache-2.0
"""The memory that can be used is that of the machine, or of the smallest group that holds this process."""

from pathlib import Path

import pytest

from rainbowdp.formats.engines import free_memory

GB = 1 << 30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "proc/meminfo", f"MemTotal: {9 * GB // 1024} kB\nMemAvailable: {8 * GB // 1024} kB\n")
    return tmp_path


def write(path: Path, text: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="ascii")


def test_here_it_is_what_a_machine_may_have() -> None:
    assert 1 << 20 < free_memory() < 1 << 50


def test_without_groups_it_is_what_is_available(root: Path) -> None:
    assert free_memory(root) == 8 * GB
    write(root / "proc/self/cgroup", "0::/")
    assert free_memory(root) == 8 * GB


def test_a_limit_of_a_group_counts_at_any_level(root: Path) -> None:
    write(root / "proc/self/cgroup", "1:name=systemd:/\n0::/one/other")
    groups = root / "sys/fs/cgroup"
    write(groups / "one/other/memory.max", "max")
    write(groups / "one/other/memory.current", GB)
    assert free_memory(root) == 8 * GB
    write(groups / "one/memory.max", 3 * GB)
    write(groups / "one/memory.current", 2 * GB)
    assert free_memory(root) == GB
    write(groups / "one/memory.stat", f"anon 5\ninactive_file {GB // 2}\nslab 7")
    assert free_memory(root) == GB + GB // 2
    write(groups / "memory.max", GB)
    write(groups / "memory.current", 2 * GB)
    assert free_memory(root) == 0


def test_groups_of_the_older_kind(root: Path) -> None:
    write(root / "proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/x")
    group = root / "sys/fs/cgroup/memory/x"
    write(group / "memory.limit_in_bytes", 2 * GB)
    write(group / "memory.usage_in_bytes", GB)
    write(group / "memory.stat", f"inactive_file 3\ntotal_inactive_file {GB // 4}")
    assert free_memory(root) == GB + GB // 4


def test_without_any_word_of_the_system_it_is_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert free_memory(tmp_path) > 1 << 20
