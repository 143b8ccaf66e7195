# SPDX-License-Identifier: Apache-2.0
"""What the shell offers for the value of an option: fixed words, or files of the right endings.

A completion that offers nothing leaves the word to the shell, which then offers any file; so it is wherever
the shell knows better: for names that it would have to quote, for ``~``, and where no file has the form.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

Completion = Callable[[str], list[str]]

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")
NETWORKS = (".graphml", ".json")
MECHANISMS = (*TABLES, ".json")
BOUNDARIES = (".toml", ".json")
_PLAIN = re.compile(r"[\w./+@%,:-]+")
_MOST = 500


def choices(*words: str, endings: tuple[str, ...] = ()) -> Completion:
    """Return a completion that offers these words, and files of these endings beside them."""

    def complete(incomplete: str) -> list[str]:
        return [*(word for word in words if word.startswith(incomplete)), *_files(incomplete, endings)]

    return complete


def files(*endings: str) -> Completion:
    """Return a completion that offers files of these endings, and directories on the way to them."""
    return choices(endings=endings)


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    if not endings:
        return []
    folder, _, start = incomplete.rpartition("/")
    prefix = f"{folder}/" if "/" in incomplete else ""
    try:
        with os.scandir(Path(prefix or ".")) as entries:
            found = sorted(
                f"{prefix}{entry.name}{'/' * entry.is_dir()}"
                for entry in entries
                if entry.name.startswith(start)
                and (start.startswith(".") or not entry.name.startswith("."))
                and (entry.is_dir() or entry.name.lower().endswith(endings))
            )
    except OSError:
        return []
    if len(found) > _MOST or not all(map(_PLAIN.fullmatch, found)):
        return []
    # A shell puts a blank after the only word it is offered, which would end the path at a directory.
    return _files(found[0], endings) if len(found) == 1 and found[0].endswith("/") else found
