# SPDX-License-Identifier: Apache-2.0
"""Names of files that an engine takes as they are: others reach it under a plain name of our own.

A name that is no UTF-8, or looks like a pattern, may be refused by an engine, while a copy
under another name is read. Whether a copy is needed may depend on a row. So an engine is given names in a
private directory only, the same for a file and for its copy, and the name of that directory is judged before
a row is read.
"""

import contextlib
import os
import re
import tempfile
from pathlib import Path

from rainbowdp.errors import TableUnreadableError, readable

# DuckDB takes a backslash before a sign of a pattern for a separator, as it is on Windows only.
_ODD = re.compile(r"[\[*?\0]" if os.sep == "\\" else r"[\[*?\0\\]")


def is_utf8(path: str | Path) -> bool:
    r"""Say whether the name of a file can be written in UTF-8, as libraries in other languages want it.

    Examples
    --------
    >>> is_utf8("Zürich.csv"), is_utf8("Z\udcfcrich.csv")
    (True, False)
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def is_plain(path: str | Path) -> bool:
    """Say whether DuckDB reads a file of this name, or puts temporary files there, whatever lies beside it.

    Examples
    --------
    >>> is_plain("/tmp/a b.csv"), is_plain("/tmp/a[1].csv")
    (True, False)
    """
    return is_utf8(path) and _ODD.search(str(path)) is None


def check_room(room: str | Path | None = None) -> None:
    """Refuse a directory for temporary files that DuckDB cannot use, before a row may need it.

    Parameters
    ----------
    room : str or Path, optional
        By default where Python makes temporary files.

    Raises
    ------
    TableUnreadableError
        If its name is no UTF-8, or could be a pattern.
    """
    name = "" if room is None else str(room)
    # Where temporary files are impossible, making one reports that.
    with contextlib.suppress(OSError):
        name = name or tempfile.gettempdir()
    if not is_plain(name):
        raise TableUnreadableError(
            f"DuckDB can put no temporary files into {readable(name)}: its name is no UTF-8, or has one "
            "of the signs [ * ? \\",
            help="name another directory for temporary files with TMPDIR",
        )


def linked(path: Path, link: Path) -> bool:
    """Give a file one more name, and return whether that has worked.

    Parameters
    ----------
    path : Path
        The file, absolute.
    link : Path
        The new name, in a directory of ours.
    """
    # Some file systems have no links, and Windows lets not everybody make symbolic ones.
    for make in (link.symlink_to, link.hardlink_to):
        with contextlib.suppress(OSError, NotImplementedError):
            make(path)
            return True
    return False
