# SPDX-License-Identifier: Apache-2.0
"""The notebooks run to their end as scripts, and all that they check holds."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "examples/notebooks").glob("*.py"))


# Most of the time goes into loading libraries, so one process runs all of them.
EACH = "import runpy, sys\nfor path in sys.argv[1:]:\n    runpy.run_path(path, run_name='__main__')"


@pytest.mark.skipif(find_spec("marimo") is None and "CI" not in os.environ, reason="marimo is not installed")
def test_the_notebooks_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EACH, *map(str, NOTEBOOKS)],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert NOTEBOOKS
    assert done.returncode == 0, done.stderr
