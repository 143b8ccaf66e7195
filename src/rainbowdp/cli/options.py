# SPDX-License-Identifier: Apache-2.0
"""The options that several commands share, and how the three privacy options are read together."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rainbowdp.cli.completion import choices, files
from rainbowdp.cli.framework import option
from rainbowdp.cli.values import figure_path, naming, one_of
from rainbowdp.errors import IrrationalError, UsageError

if TYPE_CHECKING:
    from rainbowdp.formats.engines import Engine as EngineName
    from rainbowdp.privacy import Privacy

_PRIVACY_PANEL = "Privacy (give --epsilon, or --epsilon and --delta, or --mu)"

Epsilon = Annotated[
    str | None,
    option(
        "--epsilon NUMBER",
        "How much may depend on one person, or on one step between neighbors: no answer becomes more "
        "than e^epsilon times as likely, 1.65 times at 0.5 and 2.72 times at 1. A decimal, a fraction or a "
        "logarithm: 0.5, 1/3, 'ln(6/5)'. Smaller is more private.",
        panel=_PRIVACY_PANEL,
    ),
]
Delta = Annotated[
    str | None,
    option(
        "--delta NUMBER",
        "Additional probability from 0 to 1 by which --epsilon may be exceeded, such as 1e-6.",
        panel=_PRIVACY_PANEL,
    ),
]
Mu = Annotated[
    str | None,
    option(
        "--mu NUMBER",
        "In place of --epsilon, Gaussian differential privacy: with and without one person's data, or "
        "between neighbors, answers are as hard to tell apart as two normal distributions of variance 1 "
        "whose means differ by mu.",
        panel=_PRIVACY_PANEL,
    ),
]
Exactly = Annotated[
    bool,
    option(
        "--exact",
        "Fractions instead of decimals; epsilon must be the logarithm of a fraction p/q (or 0). At "
        "distance i a fraction has up to some 2 i log10(p) digits: 1.6 i at ln(6/5), 0.6 i at ln 2.",
    ),
]
Normalize = Annotated[
    bool,
    option("--normalize", "Rescale boundary probabilities that do not sum to 1, and say so on stderr."),
]
Plot = Annotated[
    Path | None,
    option(
        "--plot FILE",
        "Also draw a figure: .png, .svg or .pdf (needs the extra plot).",
        figure_path,
        complete=files(".png", ".svg", ".pdf"),
    ),
]
ClassTable = Annotated[
    str | None,
    option(
        "--classes FILE",
        "The class table, where solve wrote the mechanism as two tables.",
        complete=files(".csv", ".parquet"),
    ),
]
_ENGINES: "tuple[EngineName, ...]" = ("auto", "memory", "stream", "spark")
Engine = Annotated[
    # One of the engines, which the reader checks; their type is imported for type checks only.
    Any,
    option(
        f"--engine {'|'.join(_ENGINES)}",
        "Where the pairs of neighbors are kept: 'memory'; 'stream' reads their file in batches, a few "
        "times, with memory for the datasets only (needs the extra fast); 'spark' leaves them on the cluster "
        "that Spark is configured for, and takes any address that Spark can read (needs the extra spark); "
        "'auto' streams what would take more than half of the free memory. The results are the same.",
        one_of(*_ENGINES),
        complete=choices(*_ENGINES),
    ),
]


def format_option(*words: str) -> Any:  # noqa: ANN401 - what typer makes of an option has no public type
    """Return the declaration of ``--format`` with these choices, the first one being the default."""
    return option(
        f"--format {'|'.join(words)}",
        "How the result is written to stdout.",
        one_of(*words),
        complete=choices(*words),
    )


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


def require_one_notion(epsilon: str | None, delta: str | None, mu: str | None, help: str) -> None:
    """Refuse ``--mu`` beside ``--epsilon`` or ``--delta``.

    Raises
    ------
    UsageError
        If they are given together.
    """
    other = "--epsilon" if epsilon is not None else "--delta"
    if mu is not None and (epsilon is not None or delta is not None):
        raise UsageError(f"--mu and {other} do not belong together", help=help)


def read_privacy(
    epsilon: str | None, delta: str | None, mu: str | None, *, exact: bool = False
) -> AskedPrivacy:
    """Read the three privacy options together.

    Parameters
    ----------
    epsilon, delta, mu : str or None
        As typed.
    exact : bool
        Refuse a notion with irrational probabilities: ``--exact`` is to write fractions.

    Raises
    ------
    UsageError
        If none, or both --epsilon and --mu, are given, or --delta without --epsilon.
    NumberError, PrivacyParameterError
        If a number cannot be read or is out of range.
    IrrationalError
        If the probabilities are not fractions, and `exact` wants them.
    """
    example = "for example --epsilon 'ln 2', or --epsilon 1 --delta 1e-6, or --mu 1"
    require_one_notion(epsilon, delta, mu, f"give one notion, {example}")
    if epsilon is None and mu is None:
        what = "--delta is given without --epsilon" if delta is not None else "no privacy is given"
        raise UsageError(what, help=f"give --epsilon or --mu, {example}")
    typed = {"epsilon": epsilon, "delta": delta, "mu": mu}
    parameters = {name: text.strip() for name, text in typed.items() if text is not None}
    asked = AskedPrivacy(read_notion(epsilon or "", delta, mu=mu), parameters)
    if exact and not asked.notion.is_rational:
        more = "" if mu is not None else ", or give an epsilon with rational odds such as --epsilon 'ln(6/5)'"
        raise IrrationalError(
            f"with {asked.typed} the probabilities are irrational, so --exact cannot write them as fractions",
            help=f"leave out --exact{more}",
        )
    return asked


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


def require_distinct(paths: dict[str, Path | None]) -> None:
    """Refuse two options that name one file.

    Raises
    ------
    UsageError
        If two do.
    """
    seen: dict[Path, str] = {}
    for name, path in paths.items():
        if path is None:
            continue
        other = seen.setdefault(Path(os.path.realpath(path)), name)
        if other != name:
            raise UsageError(
                f"{other} and {name} name the same file {str(path)!r}", help="give each a file of its own"
            )
