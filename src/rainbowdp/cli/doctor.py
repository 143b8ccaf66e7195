# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp doctor``: what is installed, and whether random bits, draws and ledgers work."""

import contextlib
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rainbowdp.cli.options import TEXT_OR_JSON
from rainbowdp.cli.output import emit_as
from rainbowdp.cli.params import described, option
from rainbowdp.errors import InternalError, LedgerError, RainbowError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HELP = described(
    "Check the installation: libraries, extras, random bits, and whether a ledger can be kept here.",
    "It opens no data, and says nothing about any. The exit code is 1 if anything that is needed does not "
    "work.",
    lines=("rainbowdp doctor --ledger budgets.ledger",),
)
PLACE = option(
    "--ledger FILE",
    "Where a ledger is or will be: a new one is tried in a folder beside it, and removed. A PostgreSQL "
    "URL is opened. Left out, the current folder is tried.",
    default="budgets.ledger",
)

_REQUIREMENT = re.compile(r"""([\w.-]+)[^;]*(?:;.*extra == ['"]([\w.-]+)['"])?""")
_NOT_FOR_USERS = {"all", "dev", "docs"}
_LOADED_AS = {"python-flint": "flint"}
_ONES = 2**64 - 1
_THIRD = _ONES // 3
_LN_2 = 0xB17217F7D1CF79AB
"""The first 64 bits of ln 2."""


@dataclass(frozen=True)
class Finding:
    """What was found about one part of the installation; ``works`` is None for an extra that is not there."""

    part: str
    found: str
    works: bool | None = True


def doctor_command(*, ledger: str = PLACE, output_format: Literal["text", "json"] = TEXT_OR_JSON) -> int:
    """Check the installation; see `HELP`."""
    findings = [
        *_versions(),
        *_extras(),
        _tried("random bits", _random_bits),
        _tried("exact draws", _draws),
        _tried("ledger", partial(_ledger, ledger)),
    ]
    works = all(finding.works is not False for finding in findings)
    marks = {True: "ok", None: "-", False: "FAILS"}
    rows = [(marks[finding.works], finding.part, finding.found) for finding in findings]
    told = {"works": works, "findings": list(map(asdict, findings))}
    emit_as(output_format, told, ("", "part", "found"), rows)
    return 0 if works else 1


COMMANDS = {"doctor": (HELP, doctor_command)}
"""The command of this module by word: the help, and the function."""


# The help of all commands loads this module, and what its functions load takes a while.
def _versions() -> Iterator[Finding]:
    import sqlite3
    from importlib.metadata import version

    yield Finding("Python", f"{platform.python_version()} on {platform.platform()}")
    yield Finding("SQLite", sqlite3.sqlite_version)
    yield Finding("rainbowdp", version("rainbowdp"))
    for package in _required()[None]:
        yield _tried(package, partial(_loaded, package))


def _loaded(package: str) -> str:
    from importlib.metadata import version

    import_module(_LOADED_AS.get(package, package))
    return version(package)


def _extras() -> Iterator[Finding]:
    """Yield which extras are there, by what is installed; nothing of them is loaded."""
    from importlib.metadata import PackageNotFoundError, version

    for extra, packages in _required().items():
        if extra is None or extra in _NOT_FOR_USERS:
            continue
        try:
            there = ", ".join(f"{package} {version(package)}" for package in packages)
        except PackageNotFoundError:
            yield Finding(f"extra {extra}", f"not installed: pip install 'rainbowdp[{extra}]'", works=None)
        else:
            yield Finding(f"extra {extra}", there)


def _required() -> dict[str | None, list[str]]:
    """Return the packages that rainbowdp requires, by extra."""
    from importlib.metadata import requires

    found: dict[str | None, list[str]] = {}
    for requirement in requires("rainbowdp") or ():
        if parts := _REQUIREMENT.match(requirement):
            found.setdefault(parts[2], []).append(parts[1])
    return found


def _tried(part: str, probe: Callable[[], str]) -> Finding:
    import sqlite3

    try:
        return Finding(part, probe())
    except RainbowError as error:
        return Finding(part, f"{error.what}; {error.help}", works=False)
    except (ImportError, OSError, NotImplementedError, sqlite3.Error) as error:
        return Finding(part, getattr(error, "strerror", None) or f"{error}", works=False)


def _random_bits() -> str:
    from rainbowdp.sampling import SystemBits

    SystemBits().bits(64)
    SystemBits().words(2)
    return "from the operating system's generator for cryptography (os.urandom)"


class _KnownBits:
    """Words that are given, the last one again and again, for draws whose answers are known."""

    def __init__(self, *words: int) -> None:
        self._words = chain(words, repeat(words[-1]))

    def bits(self, count: int) -> int:
        """Return the next words as one number; `count` is a multiple of 64."""
        value = 0
        for word in islice(self._words, count // 64):
            value = value << 64 | word
        return value

    def words(self, count: int) -> "NDArray[np.uint64]":
        """Return the next words."""
        import numpy as np

        return np.fromiter(self._words, np.uint64, count)


def _draws() -> str:
    """Draw with bits that agree with 1/3, or with ln 2, until the last words decide."""
    import flint

    from rainbowdp.distribution import Distribution
    from rainbowdp.sampling import sample_distribution
    from rainbowdp.sampling.bits import is_below

    thirds = Distribution({"a": "1/3", "b": "2/3"})
    for last, color in ((0, "a"), (_ONES, "b")):
        drawn = sample_distribution(thirds, bits=_KnownBits(_THIRD, _THIRD, last))
        below = is_below(lambda: flint.arb(2).log(), _KnownBits(_LN_2, last))
        if (drawn, below) != ([color], color == "a"):
            raise InternalError(
                "a draw with known bits came out wrong", help="do not answer questions with this installation"
            )
    return "as known, from known bits"


def _ledger(place: str) -> str:
    import sqlite3
    from tempfile import TemporaryDirectory

    from rainbowdp.ledger import Cost, open_ledger
    from rainbowdp.privacy import PureDP

    if place.startswith("postgres") and "://" in place:
        with open_ledger(place) as ledger:
            return f"{ledger.label} can be opened"
    folder = Path(place.removeprefix("sqlite:///")).parent
    with TemporaryDirectory(dir=folder, prefix="rainbowdp-doctor-") as made:
        file = Path(made, "tried.ledger")
        cost = Cost.of(PureDP(1))
        with open_ledger(file, create=True) as ledger:
            ledger.create("tried", cost)
            paid = ledger.charge("tried", cost, request_id=None, question="", source="", privacy="")
            ledger.store(paid, "")
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as held:
            held.execute("BEGIN IMMEDIATE")
            locked = not _another_process_writes(file)
        if not (locked and _another_process_writes(file)):
            raise LedgerError(
                f"{str(folder)!r} has no locks: two processes could spend one budget",
                help="keep the ledger on a local disk, or in PostgreSQL",
            )
    return f"can be written, synchronized and locked in {str(folder)!r}"


def _another_process_writes(file: Path) -> bool:
    """Tell whether another process can begin to write to a SQLite file at this moment."""
    begin = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    words = [sys.executable, "-c", begin, str(file)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0  # noqa: S603 - a fixed program
