# SPDX-License-Identifier: Apache-2.0
"""What a command walks through is counted after imports, and a command that fails is no count."""

from pathlib import Path

import pytest

from benchmarks.walked import walked


def test_the_functions_of_a_command_are_counted_by_module(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("vote\nred\nblue\n", encoding="utf-8")
    asked = ["ask", "winner", str(table), "--column", "vote", "--options", "red,blue", "--epsilon", "1"]
    found = walked(asked)
    assert {"ask_command", "publishing"} <= found["cli.ask"]
    assert "<module>" not in set().union(*found.values())
    assert not any(name.startswith("formats.mechanism") for name in found)
    with pytest.raises(RuntimeError, match="ended with 2"):
        walked(["ask", "winner"])
