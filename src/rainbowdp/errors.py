# SPDX-License-Identifier: Apache-2.0
"""Every error that rainbowdp raises on purpose, under one root.

An error says what was wrong, with the value, and what to do next. It holds plain values only, so this module
imports no other one of the package. The first digit of a code names the subject. The exit code is the one
that the command line ends with; it belongs to the class, except that an error about the content of a file has
the exit code 4, see `RainbowError.in_a_file`::

    RainbowError
    ├── RDP1xx numbers and privacy      NumberError, IrrationalError, PrivacyParameterError, UndecidedError
    ├── RDP2xx rainbows, distributions  RainbowSyntaxError, ColorError, DistributionError
    ├── RDP3xx graphs                   UnknownDatasetError, MissingRainbowError, ColorSetError,
    │                                   DuplicateDatasetError, GraphShapeError, NotAMorphismError
    ├── RDP4xx boundaries, mechanisms   BoundaryMissingError, BoundaryNotPrivateError, NotHomogeneousError,
    │                                   SolverError, MechanismShapeError, NotVerifiedError
    ├── RDP5xx files                    FileUnreadableError, FileFormatError, FileWriteError
    ├── RDP6xx budgets                  BudgetRefusedError, UnknownBudgetError, LedgerError,
    │                                   RequestMismatchError
    ├── RDP7xx questions and tables     QuestionError, TableUnreadableError, UnknownColumnError, ReceiptError
    └── RDP9xx use                      UsageError, MissingExtraError, InternalError
"""

import difflib
import re
from collections.abc import Iterable
from typing import ClassVar, Self

MISUSE, REFUSED, DATA_UNREADABLE, DEFECT = 2, 3, 4, 70

_LONGEST_SLIP = 80
_SLIP, _NEXT_BEST = 0.7, 0.05
_DIGITS = re.compile("[0-9]+")
_LONG_WORD = re.compile(r"\S{301,}")
_WORD_ENDS = (120, 60)
_LONGEST_LINE = 900
_LINE_ENDS = (560, 240)


class RainbowError(ValueError):
    """Root of all errors that rainbowdp raises on purpose.

    Parameters
    ----------
    what : str
        What was wrong, with the value (never a private one).
    help : str
        What to do about it.
    **values
        The plain values that the message contains, for programs.

    Examples
    --------
    >>> error = NumberError("'half' is not an exact number", help="write 1/2 or 0.5", value="half")
    >>> error.code, error.exit_code, error.values["value"]
    ('RDP101', 2, 'half')
    >>> print(error.report())
    error[RDP101]: 'half' is not an exact number
    help: write 1/2 or 0.5
    """

    code: ClassVar[str] = "RDP000"
    exit_code: int = MISUSE

    def __init_subclass__(cls, code: str, exit_code: int = MISUSE) -> None:
        cls.code, cls.exit_code = code, exit_code

    def __init__(self, what: str, help: str = "", **values: object) -> None:
        super().__init__(what)
        self.what = what
        self.help = help
        self.values = values

    def report(self) -> str:
        """Return the error as the two lines that the command line prints, see `readable`."""
        line = f"error[{self.code}]: {readable(self.what)}"
        return f"{line}\nhelp: {readable(self.help)}" if self.help else line

    def at(self, place: str) -> Self:
        """Return the same error, of the same class and exit code, with a place before what was wrong.

        Examples
        --------
        >>> NumberError("'half' is not an exact number").at("boundary.toml").what
        "boundary.toml: 'half' is not an exact number"
        """
        placed = type(self)(f"{place}: {self.what}", help=self.help, **self.values)
        placed.exit_code = self.exit_code
        return placed

    def in_a_file(self) -> Self:
        """Make this an error about the content of a file: where it was misuse, the exit code becomes 4.

        A `UsageError` stays misuse, since options are not content; and what was checked and found wanting
        stays that, wherever it was written.

        Examples
        --------
        >>> DuplicateDatasetError("'a' stands in rows 1 and 4").in_a_file().exit_code
        4
        """
        if self.exit_code == MISUSE and not isinstance(self, UsageError):
            self.exit_code = DATA_UNREADABLE
        return self


class NumberError(RainbowError, code="RDP101"):
    """A value that is not an exact number of the accepted forms.

    Write a decimal or a fraction, such as `0.1`, `1/3`, `1e-6`; for epsilon and mu also `ln(6/5)`.
    """


class IrrationalError(RainbowError, code="RDP102"):
    """Exact fractions were asked for, and the probabilities are irrational.

    Leave out `--exact`, or choose an epsilon with rational odds, such as `ln(6/5)`.
    """


class PrivacyParameterError(RainbowError, code="RDP103"):
    """An epsilon, delta or mu outside its range.

    Epsilon and mu are at least 0; delta lies between 0 and 1.
    """


class UndecidedError(RainbowError, code="RDP104", exit_code=1):
    """Two numbers of Gaussian privacy, or of a baseline, that are equal as far as 4096 bits tell.

    Use fractions on the boundary, or a slightly larger mu.
    """


class RainbowSyntaxError(RainbowError, code="RDP201"):
    """A text that is not a rainbow, a list of colors or a list of assignments.

    Write `blue>red=green`, `blue,red` or `blue=1/2,red=1/2`; put colors with special characters in double
    quotes.
    """


class ColorError(RainbowError, code="RDP202"):
    """A color that is unknown, missing or repeated.

    Rank every color once, and give every color one probability.
    """


class DistributionError(RainbowError, code="RDP203"):
    """Probabilities that are negative or do not sum to 1.

    Give exact fractions, or rescale with `--normalize` (in Python `normalize=True`).
    """


class UnknownDatasetError(RainbowError, code="RDP301"):
    """A dataset that the graph or mechanism does not have.

    Check the name; the message names similar ones.
    """


class MissingRainbowError(RainbowError, code="RDP302"):
    """A dataset without a rainbow, or a rainbow without a dataset.

    Give every dataset one rainbow.
    """


class ColorSetError(RainbowError, code="RDP303"):
    """Rainbows of one graph that rank different sets of colors.

    Rank the same colors everywhere; tie those that do not matter.
    """


class DuplicateDatasetError(RainbowError, code="RDP304"):
    """One dataset named twice.

    Name every dataset once.
    """


class GraphShapeError(RainbowError, code="RDP305"):
    """Arrays or sizes that do not describe a graph.

    Build the graph with `DatasetGraph.from_pairs` or `RainbowGraph.from_edges`.
    """


class NotAMorphismError(RainbowError, code="RDP306", exit_code=1):
    """A map between graphs that tears two neighbors apart.

    Send neighbors to neighbors or to one dataset; `check_morphism` names the pair.
    """


class BoundaryMissingError(RainbowError, code="RDP401"):
    """A region with a boundary for which no distribution was given.

    Add a distribution for the rainbow that is named.
    """


class BoundaryNotPrivateError(RainbowError, code="RDP402", exit_code=1):
    """A boundary condition that breaks the privacy constraint where two regions touch.

    Make the two distributions more alike, raise epsilon, or use `uniform`, `randomized-response` or
    `max-min`.
    """


class NotHomogeneousError(RainbowError, code="RDP403", exit_code=1):
    """Two boundary datasets of one region with different distributions.

    Give all of them the same distribution; otherwise there may be no optimum.
    """


class SolverError(RainbowError, code="RDP404"):
    """A linear program that is too large, or that the solver did not finish; nothing was checked.

    Try a smaller graph, or another boundary condition.
    """


class MechanismShapeError(RainbowError, code="RDP405"):
    """Parts of a mechanism that do not fit each other or the graph.

    Use the mechanism with the graph it was made for.
    """


class NotVerifiedError(RainbowError, code="RDP406", exit_code=DEFECT):
    """A mechanism that failed its own check; a defect of rainbowdp, never of the input.

    Please report it with the input. Nothing was written.
    """


class FileUnreadableError(RainbowError, code="RDP501", exit_code=DATA_UNREADABLE):
    """A file that is missing, unreadable or damaged.

    Check the name and the permissions.
    """


class FileFormatError(RainbowError, code="RDP502", exit_code=DATA_UNREADABLE):
    """A file that can be read, but does not have the documented form.

    Compare it with the forms on the page *Files* of the documentation.
    """


class FileWriteError(RainbowError, code="RDP503", exit_code=DATA_UNREADABLE):
    """A file that could not be written.

    Choose a place that exists and may be written to.
    """


class BudgetRefusedError(RainbowError, code="RDP601", exit_code=REFUSED):
    """A question that costs more than its budget has left or hides less than it promises, or a closed one.

    Ask for less, or raise the budget with a reason.
    """


class UnknownBudgetError(RainbowError, code="RDP602"):
    """A budget that the ledger does not have, or one that it has already.

    Check the name with `rainbowdp budget show`.
    """


class LedgerError(RainbowError, code="RDP603", exit_code=DATA_UNREADABLE):
    """A ledger that cannot be opened, read or written; nothing was answered.

    Check the place of the ledger and its permissions.
    """


class RequestMismatchError(RainbowError, code="RDP604"):
    """A request id that was used before, for something else.

    Use a request id of its own for every question.
    """


class QuestionError(RainbowError, code="RDP701"):
    """A question that is not well formed, or whose answer cannot change.

    Correct what is named, such as a threshold or the options.
    """


class TableUnreadableError(RainbowError, code="RDP702", exit_code=DATA_UNREADABLE):
    """A table that is missing, damaged, or not of the declared form; never about a row of it.

    Check the file and its form; rows are never named.
    """


class UnknownColumnError(RainbowError, code="RDP703"):
    """A column that the header of a table does not have, or has twice.

    Check the name; the message names similar columns.
    """


class ReceiptError(RainbowError, code="RDP704", exit_code=DATA_UNREADABLE):
    """A receipt that cannot be read: something is missing, unknown, or of a wrong type or form.

    Use the receipt as it was written. One of a later form needs a later version, and forms before
    `rainbowdp.receipt/2` are not read. A receipt that can be read and says something wrong is not an
    error: `verify` prints `BROKEN` and exits with 1.
    """


class UsageError(RainbowError, code="RDP901"):
    """Options or arguments that do not belong together.

    See `--help` of the command.
    """


class MissingExtraError(RainbowError, code="RDP902"):
    """A feature whose optional package is not installed.

    Install the extra that is named, such as `pip install 'rainbowdp[plot]'`.
    """


class InternalError(RainbowError, code="RDP999", exit_code=DEFECT):
    """An unforeseen failure: a defect of rainbowdp, or memory that is used up.

    Please report it with what `rainbowdp --debug ...` shows; with a full memory, try a smaller input.
    """


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Return a hint that names the closest known words, or an empty text.

    Close is what a slip of the fingers makes of a word: other case, blanks around it, a letter too many, too
    few or elsewhere, an end left out. Names that differ only in a digit are different names, not slips.

    Examples
    --------
    >>> did_you_mean("gren", ["blue", "green", "red"])
    "did you mean 'green'?"
    >>> did_you_mean("A", ["a", "b"]), did_you_mean("random", ["uniform", "randomized-response"])
    ("did you mean 'a'?", "did you mean 'randomized-response'?")
    >>> did_you_mean("zzz", ["blue"]), did_you_mean("x9", ["x1", "x2"])
    ('', '')
    """
    if len(wrong) > _LONGEST_SLIP:
        return ""
    typed = _folded(wrong)
    words = {word: _folded(word) for word in known if len(word) <= _LONGEST_SLIP}
    close = [word for word, folded in words.items() if folded == typed]
    close = close or [word for word, folded in words.items() if _is_slip(typed, folded)]
    close = close or [word for word, folded in words.items() if len(typed) > 2 and folded.startswith(typed)]
    ratios = {word: difflib.SequenceMatcher(None, typed, words[word]).ratio() for word in close}
    best = max(ratios.values(), default=0)
    close = [
        word for word in sorted(close, key=lambda word: -ratios[word]) if ratios[word] > best - _NEXT_BEST
    ]
    return f"did you mean {' or '.join(map(repr, close[:2]))}?" if close else ""


def _folded(word: str) -> str:
    return word.strip().lstrip("-").casefold()


def _is_slip(typed: str, word: str) -> bool:
    alike = difflib.SequenceMatcher(None, typed, word)
    if min(alike.real_quick_ratio(), alike.quick_ratio()) < _SLIP or alike.ratio() < _SLIP:
        return False
    return _DIGITS.sub("#", typed) != _DIGITS.sub("#", word)


def printable(text: str) -> str:
    r"""Return a text in which characters that act on a terminal are written as escapes.

    Examples
    --------
    >>> print(printable("red\x1b[31m\n"), printable("groß"))
    red\x1b[31m\n groß
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def readable(text: str) -> str:
    """Return a text as one line of a message: printable, and cut in the middle where it is very long.

    Long words (a fraction of a thousand digits, say) are cut first, so that what stands around them stays;
    then the line as a whole. What is left out is counted.

    Examples
    --------
    >>> readable("the probability " + "3" * 5000 + " is above 1")[130:200]
    '333333…(4820 characters left out)…333333333333333333333333333333333333'
    """
    line = _LONG_WORD.sub(lambda found: _cut(found[0], *_WORD_ENDS), printable(text))
    return line if len(line) <= _LONGEST_LINE else _cut(line, *_LINE_ENDS)


def _cut(text: str, first: int, last: int) -> str:
    return f"{text[:first]}…({len(text) - first - last} characters left out)…{text[-last:]}"
