# SPDX-License-Identifier: Apache-2.0
"""Tell the form of a file by the ending of its name, and name the file in errors about its content.

What a function refuses as misuse when a person hands it over (a number that is none, a dataset named twice,
rainbows over different colors) is, in a file, data that cannot be read. `content_of` says so for everything
that is raised while a file is read, and the command line ends with 4; class, code and values of the error
stay what they are.
"""

import contextlib
import os
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from rainbowdp.errors import FileFormatError, FileUnreadableError, MissingExtraError, RainbowError, UsageError
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


@contextlib.contextmanager
def content_of(*paths: Path | str) -> Iterator[None]:
    """Turn misuse inside the block into unreadable data, with the file in the message.

    Parameters
    ----------
    *paths : Path or str
        The files, or addresses, that are read inside; an error that names none of them is put at the first.

    Raises
    ------
    RainbowError
        The same as inside. `UsageError` and `MissingExtraError` stay as they are: neither options nor what is
        installed are content.

    Examples
    --------
    >>> from rainbowdp.errors import NumberError
    >>> try:
    ...     with content_of(Path("boundary.toml")):
    ...         raise NumberError("'half' is not an exact number")
    ... except NumberError as error:
    ...     print(error.exit_code, error.what)
    4 'boundary.toml': 'half' is not an exact number
    """
    try:
        yield
    except (UsageError, MissingExtraError):
        raise
    except RainbowError as error:
        error.in_a_file()
        names = [repr(str(path)) for path in paths]
        if any(name in error.what for name in names):
            raise
        raise error.at(names[0]) from error
