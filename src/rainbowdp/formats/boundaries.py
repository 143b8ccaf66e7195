# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions from TOML or JSON: one table per rainbow text, color to probability.

Numbers are read as their source text, so ``0.1`` is one tenth. Rainbows are compared as rainbows: blanks and
the order inside a tied class do not matter, and one rainbow spelled twice is refused. In TOML::

    ["blue>red=green"]
    blue = "3/55"
    red = 0.5
"""

from fractions import Fraction
from pathlib import Path

from rainbowdp.errors import FileFormatError, NumberError
from rainbowdp.exact import format_fraction, parse_fraction
from rainbowdp.formats.content import content_of
from rainbowdp.formats.documents import read_document, shown
from rainbowdp.formats.graphs import parsed_rainbow
from rainbowdp.formats.suffixes import Form, form_to_read, path_of
from rainbowdp.rainbow import Rainbow


def read_boundary(path: Path | str) -> dict[Rainbow, dict[str, str]]:
    r"""Read a boundary condition.

    Parameters
    ----------
    path : Path or str
        A ``.toml`` or ``.json`` file.

    Returns
    -------
    dict of Rainbow to dict of str to str
        For each rainbow the probability of each color, as it is written: an exact number. Whether they sum to
        1 and are private is asked later, see `given` and `check_boundary` in `rainbowdp.boundary`.

    Raises
    ------
    UsageError
        If the path is not the name of a file.
    FileUnreadableError
        If the file cannot be read.
    FileFormatError
        If it is not a table of tables, or names a rainbow twice.
    NumberError
        If a probability is not an exact number.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "boundary.toml"
    >>> _ = path.write_text('["yes>no"]\nyes = "2/3"\nno = "1/3"\n["no > yes"]\nyes = 0.5\nno = 0.5\n')
    >>> for rainbow, probabilities in read_boundary(path).items():
    ...     print(rainbow, probabilities)
    yes>no {'yes': '2/3', 'no': '1/3'}
    no>yes {'yes': '0.5', 'no': '0.5'}
    """
    path = path_of(path)
    with content_of(path):
        return _read(path)


def _read(path: Path) -> dict[Rainbow, dict[str, str]]:
    document = read_document(path, form_to_read(path, "a boundary condition", (Form.TOML, Form.JSON)))
    found: dict[Rainbow, dict[str, str]] = {}
    for text, table in document.items():
        rainbow = parsed_rainbow(text, repr(str(path)))
        if rainbow in found:
            raise FileFormatError(
                f"{str(path)!r} gives the rainbow {rainbow} twice, the second time as {text!r}",
                help="give every rainbow one table",
                path=str(path),
                rainbow=str(rainbow),
            )
        if not isinstance(table, dict):
            raise FileFormatError(
                f"{str(path)!r} gives {shown(table)} for {text!r}, not a table",
                help='write for example ["blue>red"] and below it blue = "1/3" and red = "2/3"',
                path=str(path),
                rainbow=text,
            )
        found[rainbow] = {color: _number(path, text, color, value) for color, value in table.items()}
    if not found:
        raise FileFormatError(
            f"{str(path)!r} gives no rainbow a distribution",
            help='write for example ["blue>red"] and below it blue = "1/3" and red = "2/3"',
            path=str(path),
        )
    return found


def _number(path: Path, rainbow: str, color: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_fraction(Fraction(value))
    if isinstance(value, str):
        # TOML allows underscores between digits.
        text = value.replace("_", "") if type(value) is not str else value
        try:
            parse_fraction(text)
        except NumberError as error:
            raise error.at(f"{str(path)!r}, {color!r} at {rainbow}") from error
        return text
    raise FileFormatError(
        f"{str(path)!r} gives {shown(value)} as the probability of {color!r} at {rainbow}",
        help="write a number such as 0.1, or a text such as 1/3 in quotes",
        path=str(path),
        rainbow=rainbow,
        color=color,
    )
