# SPDX-License-Identifier: Apache-2.0
"""The one rule for errors about what a file says: they name the file, and the command line ends with 4.

What a function refuses as misuse when a person hands it over (a number that is none, a dataset named twice,
rainbows over different colors) is, in a file, data that cannot be read. `content_of` says so for everything
that is raised while a file is read; class, code and values of the error stay what they are.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from rainbowdp.errors import MissingExtraError, RainbowError, UsageError


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
