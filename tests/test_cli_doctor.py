# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp doctor``: what it finds here, and how it tells each thing that does not work."""

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from command_line import Runner

ALWAYS_TRUE: Callable[..., bool] = lambda *_: True  # noqa: E731 - stands in for several functions


def findings(run: Runner, *words: str) -> tuple[int, dict[str, tuple[str, bool | None]]]:
    """Return the exit code, and what was found by part."""
    outcome = run("doctor", "--format", "json", *words)
    told = json.loads(outcome.out)
    assert (outcome.err, told["works"]) == ("", outcome.code == 0)
    return outcome.code, {each["part"]: (each["found"], each["works"]) for each in told["findings"]}


def test_all_that_is_needed_works_here_and_nothing_is_left_behind(run: Runner) -> None:
    code, found = findings(run, "--ledger", "kept.ledger")
    assert code == 0
    assert found["duckdb"] == (duckdb.__version__, True)
    assert {"Python", "rainbowdp", "numpy", "random bits", "exact draws", "ledger"} <= found.keys()
    assert not {"extra all", "extra dev"} & found.keys()
    assert list(Path().iterdir()) == []
    shown = run("doctor").out
    assert all(part in shown for part in found)
    assert "FAILS" not in shown


@pytest.mark.parametrize(
    ("part", "replaced", "stand_in"),
    [
        ("exact draws", "rainbowdp.sampling.bits.is_below", ALWAYS_TRUE),
        ("ledger", "rainbowdp.cli.doctor._another_process_writes", ALWAYS_TRUE),
        ("absent", "importlib.metadata.requires", lambda _: ["absent>=1", 'absent-too; extra == "excel"']),
    ],
)
def test_what_does_not_work_is_named(
    run: Runner, monkeypatch: pytest.MonkeyPatch, part: str, replaced: str, stand_in: Callable[..., object]
) -> None:
    monkeypatch.setattr(replaced, stand_in)
    code, found = findings(run)
    assert (code, [name for name, (_, works) in found.items() if works is False]) == (1, [part])
    if part == "absent":
        assert found["extra excel"] == ("not installed: pip install 'rainbowdp[excel]'", None)


@pytest.mark.parametrize("place", ["missing/kept.ledger", "postgresql://nobody:secret@127.0.0.1:1/none"])
def test_a_place_where_no_ledger_can_be_kept_is_told_without_a_password(run: Runner, place: str) -> None:
    code, found = findings(run, "--ledger", place)
    assert (code, found["ledger"][1]) == (1, False)
    assert "secret" not in found["ledger"][0]
