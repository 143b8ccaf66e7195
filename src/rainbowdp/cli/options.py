# SPDX-License-Identifier: Apache-2.0
"""Declare the options that several commands share, and read the three privacy options together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rainbowdp.cli.output import note
from rainbowdp.cli.params import (
    argument,
    choice,
    figure_path,
    names,
    option,
    page_path,
    separator_of,
    unicode_text,
    whole,
    writable,
)
from rainbowdp.errors import DistributionError, IrrationalError, UsageError

if TYPE_CHECKING:
    from rainbowdp.privacy import Privacy
    from rainbowdp.release import Opening, Payment

Goal = Literal["typical", "guarantee"]
Relation = Literal["add-remove", "change-one"]

private = partial(option, panel="Privacy")
people = partial(option, panel="Who is protected")
data = partial(option, panel="Data")
budget = partial(option, panel="Budget")

EPSILON = private(
    "--epsilon NUMBER",
    "How much may depend on one person, or on one step between neighbors: no answer becomes more than "
    "e^epsilon times as likely. A decimal, a fraction or a logarithm: 0.5, 1/3, 'ln(6/5)'. Smaller is more "
    "private.",
)
DELTA = private(
    "--delta NUMBER", "Additional probability from 0 to 1 by which --epsilon may be exceeded, such as 1e-6."
)
MU = private(
    "--mu NUMBER",
    "In place of --epsilon, Gaussian differential privacy: answers with and without one person are as hard "
    "to tell apart as two normal distributions of variance 1 whose means differ by mu.",
)
GOAL = choice(
    "--goal",
    ("typical", "guarantee"),
    "typical: right more often on most tables. guarantee: a chance of a right answer that rests on the lead "
    "alone. Choose before you look at the data; rainbowdp plan shows both.",
    panel="Question",
)
RELATION = choice(
    "--neighbors",
    ("add-remove", "change-one"),
    "What stays hidden: whether a person is in the table at all (add-remove), or what the table says about a "
    "person, while the number of people may be known (change-one).",
    panel="Who is protected",
)
UNIT = people(
    "--unit COLUMN",
    "The column that says whose row it is, such as a patient number, where a person can have several rows. "
    "Without it every row is a person.",
    unicode_text,
)
MAX_ROWS = people("--max-rows M", "With --unit: how many rows of one person count at most.", whole)
SOURCE = argument(
    "SOURCE",
    "The table: .csv, .tsv, .parquet or .jsonl (also .gz, .zst), .xlsx, .ods, .sav, .dta, a quoted pattern "
    "such as 'part-*.csv', - for standard input, or sqlite:///file, duckdb:///file, "
    "postgresql://user@host/database.",
)
WHERE = data(
    "--where COLUMN=VALUE",
    "Count only rows in which the column says exactly this, city=Bonn, or one of a list, city=Bonn,Ulm, or a "
    "number or date from one to another, age=18..65, age=18.., day=..2026-12-31. If given several times, all "
    "must hold. A text with a comma or two points stands in double quotes: 'city=\"Bonn, Germany\"'.",
)
TABLE = data("--table NAME", "In a database: the table.")
SQL = data("--sql QUERY", "In a database: a query whose rows are the table.", unicode_text)
ENCODING = data(
    "--encoding NAME", "How a text file is encoded, such as latin-1, cp1252 or utf-16; UTF-8 if left out."
)
DESCRIBE = data(
    "--describe FILE",
    "How the table is written, as a Frictionless table descriptor (JSON): separators, header rows, missing "
    "values, decimal commas.",
    Path,
)
SEPARATOR = data(
    "--separator TEXT",
    "What stands between cells: ';', TAB, SPACE; otherwise the header tells.",
    separator_of,
)
DECIMAL = data("--decimal CHARACTER", "What stands before decimals in --column, such as a comma.")
MISSING = data("--missing LIST", "Texts that say nothing, such as NA,-, in every column.", names)
SKIP_ROWS = data("--skip-rows N", "How many rows stand above the header.", whole)
LEDGER = budget(
    "--ledger FILE",
    "The file that keeps the budget, made by rainbowdp budget create, or postgresql://user@host/database. "
    "Without it the costs of answers are not added up.",
)
NAME = budget("--name NAME", "The budget in it that pays.")
REQUEST_ID = budget(
    "--request-id ID",
    "A name of your own for this request: repeated under it, it returns the stored answer and costs nothing.",
)
RECEIPT = option(
    "--receipt FILE",
    "Also write a receipt: what was asked, how privately, by which mechanism, and the answer. It may be "
    "published, and rainbowdp verify checks it. Of files that exist, only the receipt of the same request is "
    "replaced.",
    writable,
)
EXACT = option(
    "--exact",
    "Fractions instead of decimals; epsilon must be the logarithm of a fraction p/q (or 0). At distance i a "
    "fraction has up to some 2 i log10(p) digits: 1.6 i at ln(6/5), 0.6 i at ln 2.",
)
NORMALIZE = option(
    "--normalize", "Rescale boundary probabilities that do not sum to 1, and say so on stderr."
)
PLOT = option("--plot FILE", "Also draw a figure: .png, .svg or .pdf (needs the extra plot).", figure_path)
REPORT = option(
    "--report FILE",
    "Also write one page for the browser, to be read and printed without Python: what is promised in words, "
    "and the probabilities, which the page computes again. A page of this name is replaced.",
    page_path,
)
CLASSES = option("--classes FILE", "The class table, where solve wrote the mechanism as two tables.")
ENGINE = choice(
    "--engine",
    ("auto", "memory", "stream", "spark"),
    "Where the pairs of neighbors are kept: 'memory'; 'stream' reads their file in batches, a few times "
    "(needs the extra fast); 'spark' leaves them on the cluster that Spark is configured for (needs the "
    "extra spark); 'auto' streams what would take more than half of the free memory. Same results.",
)


def format_option(*words: str) -> Any:  # noqa: ANN401 - what typer makes of an option has no public type
    """Return the declaration of ``--format`` with these choices, the first one being the default."""
    return choice("--format", words, "How the result is written to stdout.")


TEXT_OR_JSON = format_option("text", "json")
TABLE_OR_JSON = format_option("table", "json")


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
    UsageError, NumberError, PrivacyParameterError
        As `rainbowdp.privacy.privacy_of`.
    IrrationalError
        If the probabilities are not fractions, and `exact` wants them.
    """
    from rainbowdp.privacy import privacy_of

    typed = {"epsilon": epsilon, "delta": delta, "mu": mu}
    parameters = {name: text.strip() for name, text in typed.items() if text is not None}
    asked = AskedPrivacy(privacy_of(epsilon, delta, mu), parameters)
    if exact and not asked.notion.is_rational:
        more = "" if mu is not None else ", or give an epsilon with rational odds such as --epsilon 'ln(6/5)'"
        raise IrrationalError(
            f"with {asked.typed} the probabilities are irrational, so --exact cannot write them as fractions",
            help=f"leave out --exact{more}",
        )
    return asked


def opening(
    *,
    table: str | None = TABLE,
    sql: str | None = SQL,
    encoding: str | None = ENCODING,
    describe: Path | None = DESCRIBE,
    separator: str | None = SEPARATOR,
    missing: Sequence[str] | None = MISSING,
    skip_rows: int | None = SKIP_ROWS,
) -> "Opening":
    """Return how these options say that a source is opened; they override the description.

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the description cannot be read.
    """
    from rainbowdp.release import Opening

    if all(said is None for said in (describe, separator, missing, skip_rows)):
        return Opening(table, sql, encoding)
    from rainbowdp.formats.frictionless import read_table_description
    from rainbowdp.formats.table_descriptions import PLAIN

    said = PLAIN if describe is None else read_table_description(describe)
    dialect = said.dialect
    if separator is not None:
        dialect = replace(dialect, delimiter=separator)
    if skip_rows is not None:
        dialect = replace(dialect, header_rows=(skip_rows + 1,))
    return Opening(table, sql, encoding, replace(said.with_missing(missing or ()), dialect=dialect))


def with_decimal(opening: "Opening", decimal: str | None, column: str | None) -> "Opening":
    """Add what ``--decimal`` says about the column that the question reads as numbers, None if there is none.

    Raises
    ------
    UsageError
        If it is given, and no number is read or the description says something else.
    """
    if decimal is None:
        return opening
    if column is None:
        raise UsageError(
            "--decimal is for sums and brackets of --column",
            help="leave it out; for numbers of filters, describe the column: --describe FILE",
        )
    from rainbowdp.formats.table_descriptions import PLAIN, TableDescription

    said = opening.describe if isinstance(opening.describe, TableDescription) else PLAIN
    return opening._replace(describe=said.with_decimal(column, decimal))


def payment(
    *, ledger: str | None = LEDGER, name: str | None = NAME, request_id: str | None = REQUEST_ID
) -> "Payment":
    """Return the payment that the options of the ledger describe."""
    from rainbowdp.release import Payment

    return Payment(ledger, name, request_id)


def rescaled(written: Mapping[str, str], whose: str, *, normalize: bool) -> dict[str, Fraction]:
    """Read the probabilities of the colors at a boundary, and rescale them where ``--normalize`` is given.

    Parameters
    ----------
    written : mapping of str to str
        Color to probability.
    whose : str
        What the note calls them.
    normalize : bool
        Divide them by their sum where that is not 1, with a note on stderr.

    Returns
    -------
    dict of str to Fraction
        Negative numbers are left for `rainbowdp.Distribution` to refuse.

    Raises
    ------
    NumberError
        If one is not an exact number.
    DistributionError
        If they are to be divided by their sum, and it is 0.
    """
    from rainbowdp.exact import parse_fraction, show

    values = {color: parse_fraction(text) for color, text in written.items()}
    total = sum(values.values(), Fraction(0))
    if not normalize or total == 1 or any(value < 0 for value in values.values()):
        return values
    if total == 0:
        raise DistributionError(
            f"{whose} sums to 0, which --normalize cannot rescale",
            help="give at least one color a probability above 0",
        )
    note(f"{whose} sums to {show(total)}; every probability was divided by that")
    return {color: value / total for color, value in values.items()}
