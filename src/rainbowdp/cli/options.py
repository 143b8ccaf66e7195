# SPDX-License-Identifier: Apache-2.0
"""The options that several commands share: how they are declared, completed and read.

Options arrive as text and are read here, not by the framework, so that a wrong value is answered in the words
of rainbowdp, with the value and a way on.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from rainbowdp.cli.completion import choices, files
from rainbowdp.errors import RainbowError, UsageError, did_you_mean

if TYPE_CHECKING:
    from rainbowdp.formats.engines import Engine as EngineName
    from rainbowdp.privacy import Privacy

_Word = TypeVar("_Word", bound=str)

LARGEST_WHOLE = 2**53
_MOST_DIGITS = 20
_WHOLE = re.compile("[0-9]+")
_PRIVACY_PANEL = "Privacy (give --epsilon, or --epsilon and --delta, or --mu)"


def described(*paragraphs: str, lines: tuple[str, ...], example: str = "") -> str:
    """Return the help of a command: paragraphs, then an example that can be copied into a shell."""
    title = f"Example, {example}:" if example else "Example:"
    return "\n\n".join((*paragraphs, title, " \\\n".join(lines)))


def _note_debug(context: typer.Context, value: bool) -> bool:
    settings = context.find_root().obj
    if value and isinstance(settings, dict):
        settings["debug"] = True
    return value


Epsilon = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="NUMBER",
        help="How much may depend on one person, or on one step between neighbors: no answer becomes more "
        "than e^epsilon times as likely, 1.65 times at 0.5 and 2.72 times at 1. A decimal, a fraction or a "
        "logarithm: 0.5, 1/3, 'ln(6/5)'. Smaller is more private.",
        rich_help_panel=_PRIVACY_PANEL,
    ),
]
Delta = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="NUMBER",
        help="Additional probability from 0 to 1 by which --epsilon may be exceeded, such as 1e-6.",
        rich_help_panel=_PRIVACY_PANEL,
    ),
]
Mu = Annotated[
    str | None,
    typer.Option(
        "--mu",
        metavar="NUMBER",
        help="In place of --epsilon, Gaussian differential privacy: with and without one person's data, or "
        "between neighbors, answers are as hard to tell apart as two normal distributions of variance 1 "
        "whose means differ by mu.",
        rich_help_panel=_PRIVACY_PANEL,
    ),
]
Exactly = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Fractions instead of decimals; epsilon must be the logarithm of a fraction p/q (or 0). At "
        "distance i a fraction has up to some 2 i log10(p) digits: 1.6 i at ln(6/5), 0.6 i at ln 2.",
    ),
]
Normalize = Annotated[
    bool,
    typer.Option(
        "--normalize", help="Rescale boundary probabilities that do not sum to 1, and say so on stderr."
    ),
]
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Also draw a figure: .png, .svg or .pdf (needs the extra plot).",
        autocompletion=files(".png", ".svg", ".pdf"),
    ),
]
ClassTable = Annotated[
    str | None,
    typer.Option(
        "--classes",
        metavar="FILE",
        help="The class table, where solve wrote the mechanism as two tables.",
        autocompletion=files(".csv", ".parquet"),
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        is_eager=True,
        callback=_note_debug,
        help="With an error, also show where in the program it arose.",
    ),
]


@contextlib.contextmanager
def naming(option: str) -> Iterator[None]:
    """Let what is wrong with the value of an option begin with the name of the option.

    Raises
    ------
    RainbowError
        The same as inside, with the name.

    Examples
    --------
    >>> from rainbowdp.errors import NumberError
    >>> with naming("--share"):
    ...     raise NumberError("'half' is not an exact number")
    Traceback (most recent call last):
    rainbowdp.errors.NumberError: --share: 'half' is not an exact number
    """
    try:
        yield
    except RainbowError as error:
        if error.what.startswith("--"):
            raise
        raise error.at(option) from None


def format_option(*words: str) -> Any:  # noqa: ANN401 - what typer makes of an option has no public type
    """Return the declaration of ``--format`` with these choices, the first one being the default."""
    return typer.Option(
        "--format",
        metavar="|".join(words),
        help="How the result is written to stdout.",
        autocompletion=choices(*words),
    )


def read_choice(option: str, value: str, words: Sequence[_Word]) -> _Word:
    """Return a value that must be one of some words.

    Raises
    ------
    UsageError
        If it is not.
    """
    for word in words:
        if word == value:
            return word
    raise UsageError(
        f"{option} cannot be {value!r}",
        help=did_you_mean(value, words) or f"choose one of {', '.join(words)}",
        option=option,
    )


def whole_number(text: str) -> int | None:
    """Return the whole number of at least 0 that a text says, or None; blanks around it are no harm.

    A number beyond every bound is the first one beyond `LARGEST_WHOLE`, however many digits it has.

    Examples
    --------
    >>> whole_number(" 31"), whole_number("-1"), whole_number("1.5"), whole_number("9" * 5000) > 2**53
    (31, None, None, True)
    """
    if not _WHOLE.fullmatch(text.strip()):
        return None
    digits = text.strip().lstrip("0")
    return min(int(digits or "0"), LARGEST_WHOLE + 1) if len(digits) <= _MOST_DIGITS else LARGEST_WHOLE + 1


def require_text(option: str, value: str) -> str:
    """Return the value of an option that is shown or written somewhere, and must be text for that.

    Where the locale has not decoded the command line, UTF-8 is understood all the same.

    Raises
    ------
    UsageError
        If it holds bytes that are no text.
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        try:
            return os.fsencode(value).decode()
        except UnicodeError:
            raise UsageError(
                f"{option} {value!r} is not text: character {error.start + 1} is a byte that is not UTF-8",
                help="set your terminal to UTF-8 and type it again",
                option=option,
            ) from None
    return value


@dataclass(frozen=True)
class AskedPrivacy:
    """A notion of privacy and the text in which it was asked for.

    Attributes
    ----------
    notion : Privacy
        The notion.
    parameters : dict of str to str
        Each parameter as typed, for example ``{"epsilon": "0.1", "delta": "1e-6"}``.
    """

    notion: "Privacy"
    parameters: dict[str, str]

    @property
    def typed(self) -> str:
        """The parameters in one line, for example ``epsilon=0.1, delta=1e-6``."""
        return ", ".join(f"{name}={text}" for name, text in self.parameters.items())


def read_privacy(epsilon: str | None, delta: str | None, mu: str | None) -> AskedPrivacy:
    """Read the three privacy options together.

    Raises
    ------
    UsageError
        If none, or both --epsilon and --mu, are given, or --delta without --epsilon.
    NumberError, PrivacyParameterError
        If a number cannot be read or is out of range.
    """
    example = "for example --epsilon 'ln 2', or --epsilon 1 --delta 1e-6, or --mu 1"
    if mu is not None:
        if epsilon is not None or delta is not None:
            other = "--epsilon" if epsilon is not None else "--delta"
            raise UsageError(f"--mu and {other} do not belong together", help=f"give one notion, {example}")
        return AskedPrivacy(read_notion(mu=mu), {"mu": mu.strip()})
    if epsilon is None:
        what = "--delta is given without --epsilon" if delta is not None else "no privacy is given"
        raise UsageError(what, help=f"give --epsilon or --mu, {example}")
    parameters = {"epsilon": epsilon.strip()} | ({} if delta is None else {"delta": delta.strip()})
    return AskedPrivacy(read_notion(epsilon, delta), parameters)


def read_notion(epsilon: str = "", delta: str | None = None, *, mu: str | None = None) -> "Privacy":
    """Return the notion of privacy that numbers as typed describe; `mu` stands alone.

    Raises
    ------
    NumberError, PrivacyParameterError
        With the name of the option, if a number cannot be read or is out of range.

    Examples
    --------
    >>> read_notion("ln 2", "1e-6"), read_notion(mu="1/2")
    (ApproxDP('ln(2)', '1/1000000'), GaussianDP('1/2'))
    """
    from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP

    if mu is not None:
        with naming("--mu"):
            return GaussianDP(mu)
    with naming("--epsilon"):
        pure = PureDP(epsilon)
    if delta is None:
        return pure
    with naming("--delta"):
        return ApproxDP(epsilon, delta)


def require_rational(asked: AskedPrivacy) -> None:
    """Refuse ``--exact`` where the probabilities are irrational.

    Raises
    ------
    IrrationalError
        Unless the odds e^epsilon are rational.
    """
    from rainbowdp.errors import IrrationalError
    from rainbowdp.privacy import GaussianDP

    if asked.notion.is_rational:
        return
    gaussian = isinstance(asked.notion, GaussianDP)
    raise IrrationalError(
        f"with {asked.typed} the probabilities are irrational, so --exact cannot write them as fractions",
        help="leave out --exact"
        if gaussian
        else "leave out --exact, or give an epsilon with rational odds such as --epsilon 'ln(6/5)'",
    )


def read_plot(path: str | None) -> Path | None:
    """Check a place for a figure before any work is done for it.

    Raises
    ------
    UsageError, MissingExtraError, FileWriteError
        If a figure cannot be written there.
    """
    if path is None:
        return None
    from rainbowdp.formats.writing import check_writable
    from rainbowdp.plots import check_plot_path

    with naming("--plot"):
        checked = check_plot_path(path)
        check_writable(checked)
    return checked


def require_distinct(paths: dict[str, Path | None]) -> None:
    """Refuse two options that name one file.

    Raises
    ------
    UsageError
        If there are such.
    """
    seen: dict[Path, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        other = seen.setdefault(Path(os.path.realpath(path)), option)
        if other != option:
            raise UsageError(
                f"{other} and {option} name the same file {str(path)!r}", help="give each a file of its own"
            )


ENGINES: "tuple[EngineName, ...]" = ("auto", "memory", "stream", "spark")
Engine = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="|".join(ENGINES),
        help="Where the pairs of neighbors are kept: 'memory'; 'stream' reads their file in batches, a few "
        "times, with memory for the datasets only (needs the extra fast); 'spark' leaves them on the cluster "
        "that Spark is configured for, and takes any address that Spark can read (needs the extra spark); "
        "'auto' streams what would take more than half of the free memory. The results are the same.",
        autocompletion=choices(*ENGINES),
    ),
]
