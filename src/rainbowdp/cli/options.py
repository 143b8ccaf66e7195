# SPDX-License-Identifier: Apache-2.0
"""Declare the options that several commands share, and read the three privacy options together."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rainbowdp.cli.framework import argument, choice, files, option
from rainbowdp.cli.values import figure_path, naming, text_with, unicode_text, whole, writable
from rainbowdp.errors import IrrationalError, UsageError

if TYPE_CHECKING:
    from rainbowdp.privacy import Privacy

_private = partial(option, panel="Privacy")
_people = partial(option, panel="Who is protected")
_data = partial(option, panel="Data")
_budget = partial(option, panel="Budget")

Epsilon = Annotated[
    str | None,
    _private(
        "--epsilon NUMBER",
        "How much may depend on one person, or on one step between neighbors: no answer becomes more than "
        "e^epsilon times as likely. A decimal, a fraction or a logarithm: 0.5, 1/3, 'ln(6/5)'. Smaller is "
        "more private.",
    ),
]
Delta = Annotated[
    str | None,
    _private(
        "--delta NUMBER",
        "Additional probability from 0 to 1 by which --epsilon may be exceeded, such as 1e-6.",
    ),
]
Mu = Annotated[
    str | None,
    _private(
        "--mu NUMBER",
        "In place of --epsilon, Gaussian differential privacy: answers with and without one person are as "
        "hard to tell apart as two normal distributions of variance 1 whose means differ by mu.",
    ),
]
Goal = Annotated[
    Literal["typical", "guarantee"],
    choice(
        "--goal",
        ("typical", "guarantee"),
        "typical: right more often on most tables. guarantee: a chance of a right answer that rests on the "
        "lead alone. Choose before you look at the data; rainbowdp plan shows both.",
        panel="Question",
    ),
]
Relation = Annotated[
    Literal["add-remove", "change-one"],
    choice(
        "--neighbors",
        ("add-remove", "change-one"),
        "What stays hidden: whether a person is in the table at all (add-remove), or what the table "
        "says about a person, while the number of people may be known (change-one).",
        panel="Who is protected",
    ),
]
Unit = Annotated[
    str | None,
    _people(
        "--unit COLUMN",
        "The column that says whose row it is, such as a patient number, where a person can have "
        "several rows. Without it every row is a person.",
        text_with("name the column that says whose row it is"),
    ),
]
MaxRows = Annotated[
    int | None, _people("--max-rows M", "With --unit: how many rows of one person count at most.", whole("5"))
]
Source = Annotated[
    str,
    argument(
        "SOURCE",
        "The table: .csv, .tsv, .parquet or .jsonl (also .gz, .zst), a quoted pattern such as "
        "'part-*.csv', - for standard input, or sqlite:///file, duckdb:///file, "
        "postgresql://user@host/database.",
        complete=files(".csv", ".tsv", ".parquet", ".jsonl", ".gz", ".zst"),
    ),
]
Where = Annotated[
    list[str] | None,
    _data(
        "--where COLUMN=VALUE",
        "Count only rows in which the column says exactly this, such as city=Bonn; if given several "
        "times, all must hold.",
    ),
]
TableName = Annotated[str | None, _data("--table NAME", "In a database: the table.")]
Query = Annotated[
    str | None, _data("--sql QUERY", "In a database: a query whose rows are the table.", unicode_text)
]
Encoding = Annotated[
    str | None,
    _data(
        "--encoding NAME", "How a text file is encoded, such as latin-1, cp1252 or utf-16; UTF-8 if left out."
    ),
]
LedgerPlace = Annotated[
    str | None,
    _budget(
        "--ledger FILE",
        "The file that keeps the budget, made by rainbowdp budget create, or "
        "postgresql://user@host/database. Without it the costs of answers are not added up.",
        complete=files(),
    ),
]
BudgetName = Annotated[str | None, _budget("--name NAME", "The budget in it that pays.")]
RequestId = Annotated[
    str | None,
    _budget(
        "--request-id ID",
        "A name of your own for this request: repeated under it, it returns the stored answer and costs "
        "nothing.",
    ),
]
ReceiptFile = Annotated[
    Path | None,
    option(
        "--receipt FILE",
        "Also write a receipt: what was asked, how privately, by which mechanism, and the answer. It "
        "may be published, and rainbowdp verify checks it.",
        writable,
        complete=files(".json"),
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
    bool, option("--normalize", "Rescale boundary probabilities that do not sum to 1, and say so on stderr.")
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
Engine = Annotated[
    # One of the engines, which the reader checks; their type is imported for type checks only.
    Any,
    choice(
        "--engine",
        ("auto", "memory", "stream", "spark"),
        "Where the pairs of neighbors are kept: 'memory'; 'stream' reads their file in batches, a few times "
        "(needs the extra fast); 'spark' leaves them on the cluster that Spark is configured for (needs the "
        "extra spark); 'auto' streams what would take more than half of the free memory. Same results.",
    ),
]


def format_option(*words: str) -> Any:  # noqa: ANN401 - what typer makes of an option has no public type
    """Return the declaration of ``--format`` with these choices, the first one being the default."""
    return choice("--format", words, "How the result is written to stdout.")


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
    typed = {"epsilon": epsilon, "delta": delta, "mu": mu}
    parameters = {name: text.strip() for name, text in typed.items() if text is not None}
    asked = AskedPrivacy(read_notion(epsilon, delta, mu), parameters)
    if exact and not asked.notion.is_rational:
        more = "" if mu is not None else ", or give an epsilon with rational odds such as --epsilon 'ln(6/5)'"
        raise IrrationalError(
            f"with {asked.typed} the probabilities are irrational, so --exact cannot write them as fractions",
            help=f"leave out --exact{more}",
        )
    return asked


def read_notion(epsilon: str | None, delta: str | None, mu: str | None) -> "Privacy":
    """Return the notion of privacy that numbers as typed describe; see `read_privacy`.

    Examples
    --------
    >>> read_notion("ln 2", "1e-6", None), read_notion(None, None, "1/2")
    (ApproxDP('ln(2)', '1/1000000'), GaussianDP('1/2'))
    """
    from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP

    example = "for example --epsilon 'ln 2', or --epsilon 1 --delta 1e-6, or --mu 1"
    if mu is not None:
        if epsilon is not None or delta is not None:
            other = "--delta" if epsilon is None else "--epsilon"
            raise UsageError(f"--mu and {other} do not belong together", help=f"give one notion, {example}")
        with naming("--mu"):
            return GaussianDP(mu)
    if epsilon is None:
        what = "no privacy is given" if delta is None else "--delta is given without --epsilon"
        raise UsageError(what, help=f"give --epsilon or --mu, {example}")
    with naming("--epsilon"):
        pure = PureDP(epsilon)
    if delta is None:
        return pure
    with naming("--delta"):
        return ApproxDP(epsilon, delta)
