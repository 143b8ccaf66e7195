# SPDX-License-Identifier: Apache-2.0
"""Which form a file has: the ending of its name says so, and nothing is guessed from the content."""

import os
from enum import Enum
from pathlib import Path

from rainbowdp.errors import FileFormatError, FileUnreadableError, UsageError
from rainbowdp.exact.arguments import kind_of


class Form(Enum):
    """A form of file that rainbowdp reads or writes."""

    CSV = "CSV"
    PARQUET = "Parquet"
    GRAPHML = "GraphML"
    JSON = "JSON"
    TOML = "TOML"


_ENDINGS = {
    ".csv": Form.CSV,
    ".tsv": Form.CSV,
    ".csv.gz": Form.CSV,
    ".tsv.gz": Form.CSV,
    ".parquet": Form.PARQUET,
    ".pq": Form.PARQUET,
    ".graphml": Form.GRAPHML,
    ".json": Form.JSON,
    ".toml": Form.TOML,
}


def path_of(value: object, name: str = "path") -> Path:
    """Return the name of a file as a path.

    Parameters
    ----------
    value : object
        The argument of a public function.
    name : str
        What the argument is called.

    Raises
    ------
    UsageError
        If it is neither a text nor a path.

    Examples
    --------
    >>> path_of("mechanism.csv").name
    'mechanism.csv'
    """
    return Path(address_of(value, name))


def address_of(value: object, name: str = "path") -> str:
    """Return the name of a file as it was given: a path would shorten ``hdfs://host/file``.

    Raises
    ------
    UsageError
        If it is neither a text nor a path.

    Examples
    --------
    >>> address_of("s3a://bucket/pairs.parquet")
    's3a://bucket/pairs.parquet'
    """
    if isinstance(value, str | os.PathLike):
        named = os.fspath(value)
        if isinstance(named, str):
            return named
    raise UsageError(
        f"`{name}` must be the name of a file, as text or Path, and is {kind_of(value)}",
        help=f'write for example {name}="mechanism.csv"',
        argument=name,
    )


def _form(path: Path, accepted: tuple[Form, ...]) -> Form | None:
    name = path.name.lower()
    form = next((form for ending, form in _ENDINGS.items() if name.endswith(ending)), None)
    return form if form in accepted else None


def _listed(accepted: tuple[Form, ...]) -> str:
    endings = [ending for ending, form in _ENDINGS.items() if form in accepted]
    return ", ".join(endings)


def form_to_read(path: Path, what: str, accepted: tuple[Form, ...]) -> Form:
    """Return the form of a file that is to be read, after checking that it is a file at all.

    Parameters
    ----------
    path : Path
        The file.
    what : str
        What the file should hold, for the message.
    accepted : tuple of Form
        The forms in which that can be given.

    Raises
    ------
    FileUnreadableError
        If there is no such file, it is a directory or a pipe, or its name cannot be one.
    FileFormatError
        If the ending of the name does not say one of the accepted forms.
    """
    try:
        missing = not path.exists()
        kind = "" if path.is_file() else "a directory" if path.is_dir() else "not a regular file"
    except (OSError, ValueError) as error:
        # A name too long, a directory that may not be searched.
        raise FileUnreadableError(
            f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}",
            help="check the name and the permissions",
            path=str(path),
        ) from error
    if missing:
        raise FileUnreadableError(
            f"there is no file {str(path)!r}", help="check the name and the directory", path=str(path)
        )
    if kind:
        raise FileUnreadableError(
            f"{str(path)!r} is {kind}", help=f"name the file that holds {what}", path=str(path)
        )
    form = _form(path, accepted)
    if form is None:
        raise FileFormatError(
            f"the name {path.name!r} does not say in which form {what} is written",
            help=f"use a file whose name ends in one of {_listed(accepted)}",
            path=str(path),
        )
    return form


def form_to_write(path: Path, what: str, accepted: tuple[Form, ...]) -> Form:
    """Return the form in which a file is to be written.

    Raises
    ------
    UsageError
        If the ending of the name does not say one of the accepted forms, or asks for a compressed one.
    """
    form = _form(path, accepted)
    if form is None or path.name.lower().endswith((".gz", ".tsv")):
        plain = [ending for ending in _listed(accepted).split(", ") if not ending.endswith((".gz", ".tsv"))]
        raise UsageError(
            f"the name {path.name!r} does not say in which form {what} is to be written",
            help=f"choose a name that ends in one of {', '.join(plain)}",
            path=str(path),
        )
    return form
