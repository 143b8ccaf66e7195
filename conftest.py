# SPDX-License-Identifier: Apache-2.0
"""What all tests share: how examples are drawn, that no clock is shown, and that the documentation is a test.

Hypothesis draws the same examples in every run, so a run means the same on every machine. To look for new
ones, which are then remembered until they pass: ``pytest --hypothesis-profile=explore``.

Examples in README.md, in docs/ and in docstrings are tests too; `document_examples` says how they are run.
"""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from sybil.integration.pytest import pytest_integration as collector

from asked_people import TABLE
from command_line import Runner
from document_examples import DOCSTRINGS, DOCUMENTS

# Whether a step of a command takes so long that its progress is shown is the machine's doing. Tests of
# progress switch it on, with a clock of their own.
os.environ["RAINBOWDP_PROGRESS"] = "off"

# How long an example takes depends on the machine and says nothing about the code: hence no deadline and no
# check for slow data.
settings.register_profile(
    "repeatable",
    # The same ones in every run, so more of them would find nothing new; `explore` draws as many as usual.
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore",
    parent=settings.get_profile("repeatable"),
    max_examples=100,
    derandomize=False,
    print_blob=True,
)
settings.load_profile("repeatable")

pytest_collect_file = collector(DOCUMENTS, DOCSTRINGS)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect tests without searching for garbage, which is a third of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Return what runs commands in this process, in an empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return Runner(capsys)


@pytest.fixture
def people(run: Runner) -> Runner:
    """Return what runs commands beside the table ``people.csv`` of `asked_people`."""
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return run
