# SPDX-License-Identifier: Apache-2.0
"""Count the modules and functions of the package that a command runs.

``python -m benchmarks.walked ask winner people.csv --column vote --options A,B --epsilon 1`` runs the command
twice in one process and counts the second run, so that what runs only while modules are imported is left out.
``--list`` before the command prints each module with its functions.
"""

import contextlib
import io
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import rainbowdp
from rainbowdp.cli import main as run_command

ROOT = str(Path(rainbowdp.__file__).parent)


def walked(arguments: Sequence[str]) -> dict[str, set[str]]:
    """Return the functions that ran in the second of two runs of a command, by module.

    Raises
    ------
    RuntimeError
        If the command does not end with 0.
    """
    found: dict[str, set[str]] = {}

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and code.co_name != "<module>":
            name = code.co_filename.removeprefix(ROOT).strip("/").removesuffix(".py").replace("/", ".")
            found.setdefault(name, set()).add(code.co_qualname)

    for profile in (None, seen):
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                code = run_command(list(arguments))
        finally:
            threading.setprofile(None)
            sys.setprofile(None)
        if code != 0:
            raise RuntimeError(f"the command ended with {code}")
    return found


def main() -> None:
    """Print what the command of the command line walks through."""
    arguments = sys.argv[1:]
    listing = arguments[:1] == ["--list"]
    found = walked(arguments[1:] if listing else arguments)
    for module, functions in sorted(found.items()) if listing else ():
        print(module, *sorted(functions))
    print(f"{len(found)} modules, {sum(map(len, found.values()))} functions")


if __name__ == "__main__":
    main()
