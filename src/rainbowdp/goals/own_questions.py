# SPDX-License-Identifier: Apache-2.0
"""What the code of a user's own question may say to an answer, and nothing beyond it.

Between the rows and the draw, a question's own code knows what must not be told, and after the
draw it must not fail. So how its answers are written is asked before a row is read. Where it looks at the
table, no warning comes out, whatever it raises is replaced, and of what it returns only a text among its
answers and a whole number go on, as values of Python itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, is_whole, kind_of
from rainbowdp.questions import Location, Neighbors, Question, Summary
from rainbowdp.questions.known import is_known
from rainbowdp.questions.readings import (
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
    Tally,
    as_texts,
)
from rainbowdp.questions.summaries import Private
from rainbowdp.tables.silence import Silence

_READINGS = (OptionReading, MatchReading, SumReading, BracketReading)
_LEFT_OUT = "why is left out, since it may tell of the rows"
_TRY = "try it with check_question"

Form = str | tuple[str, ...]
"""An answer as it leaves: a text, or several in order."""


def answer_forms(question: Question) -> Mapping[str, Form]:
    """Return in which form each answer of a question leaves.

    Parameters
    ----------
    question : Question
        The question.

    Returns
    -------
    mapping of str to str or tuple of str
        By answer, in the order of the answers.

    Raises
    ------
    QuestionError
        If an answer is no text of Python itself, or ``answer_json`` returns for it anything but a text or a
        list of texts, or what it returns for another one, too.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> dict(answer_forms(ranking("party", ["red", "blue"])))
    {'red>blue': ('red', 'blue'), 'blue>red': ('blue', 'red')}
    """
    # Texts of other classes may be found under one name, and not under the same one a second time.
    odd = next((answer for answer in question.answers if type(answer) is not str), None)
    if odd is not None:
        raise QuestionError(f"an answer of the question is {kind_of(odd)}", help="name answers by a str each")
    forms = {answer: _form(question, answer) for answer in question.answers}
    # A ranking that names the first options has one form for several orders.
    if not is_known(question) and len(set(forms.values())) < len(forms):
        raise QuestionError(
            "the question writes two of its answers in the same way", help="let answer_json tell them apart"
        )
    return MappingProxyType(forms)


def _form(question: Question, answer: str) -> Form:
    stated: object = question.answer_json(answer)
    texts = [stated] if isinstance(stated, str) else stated
    if isinstance(texts, list | tuple) and texts and all(isinstance(text, str) for text in texts):
        plain = tuple(str.__str__(text) for text in texts)
        return plain[0] if isinstance(stated, str) else plain
    raise QuestionError(
        f"the question writes its answer {answer!r} as {described(stated)}",
        help="let answer_json return a text or a list of texts for each of the answers",
    )


def locate_guarded(question: Question, summary: Summary, neighbors: Neighbors) -> Location:
    """Return where a question locates a table, if that is one of its answers and a distance.

    Parameters
    ----------
    question : Question
        The question, as it is asked of a table.
    summary : Summary
        What it needs to know of the table.
    neighbors : str
        The neighbor relation.

    Raises
    ------
    QuestionError
        If it fails, or returns anything else. The message says the same in all cases.
    """
    location = _located(question, summary, neighbors)
    if location is None:
        raise QuestionError(
            "the question does not locate the table at one of its answers and a whole distance of at least "
            f"0; {_LEFT_OUT}",
            help=_TRY,
        )
    return location


def _located(question: Question, summary: Summary, neighbors: Neighbors) -> Location | None:
    # A frame of its own: what an error keeps of the one that raises it knows nothing of the table.
    with LeftOut():
        found = question.locate(summary.summary if isinstance(summary, _Own) else summary, neighbors)
        said: object = found.answer
        distance: object = found.distance
        # A user's own class may compare in ways of its own.
        if isinstance(said, str) and is_whole(distance):
            plain = Location(str.__str__(said), int(distance))
            if plain.answer in question.answers and plain.distance >= 0:
                return plain
    return None


def reading_of(question: Question) -> Reading:
    """Return the reading of a question.

    Raises
    ------
    QuestionError
        If it is none.
    """
    reading: object = question.reading
    column, summary = getattr(reading, "column", None), getattr(reading, "summary", None)
    if not isinstance(column, str) or not callable(summary):
        raise QuestionError(
            f"the reading of the question is {described(reading)}",
            help="give an object with a `column`, which is a str, `place` and `summary`",
        )
    return cast("Reading", reading)


def guarded_reading(reading: Reading) -> Reading:
    """Return a reading that tells nothing of cells where it fails; one of the package itself does not."""
    return reading if type(reading) in _READINGS else _Guarded(reading.column, reading)


@dataclass(frozen=True, repr=False)
class _Guarded:
    """A user's own reading, which may show what it has seen; see `Reading`."""

    column: str
    reading: Reading

    def place(self, cell: object) -> object:
        """Return what one cell counts as."""
        return self.reading.place(cell)

    def summary(self, tally: Tally) -> Summary:
        """Return the summary of cells; what the table itself raises meanwhile goes on."""
        made = self._made(tally)
        if made is None:
            raise QuestionError(
                f"the reading of the question does not make a summary of the table; {_LEFT_OUT}", help=_TRY
            )
        return made

    def _made(self, tally: Tally) -> Summary | None:
        # A frame of its own, as above; and all cells are there before the user's own code sees one.
        cells = as_texts(tally)
        with LeftOut():
            return cast("Summary", _Own(self.reading.summary(cells)))
        return None


@dataclass(frozen=True, repr=False)
class _Own(Private):
    """A summary of a user's own class, which may show itself where an error is shown."""

    summary: Summary


class LeftOut(Silence):
    """Leaves out what the user's own code raises, warns of and logs, but not that a program is to end."""

    def __exit__(self, kind: object, raised: BaseException | None, trace: object) -> bool:  # type: ignore[override]  # as with calls it
        super().__exit__(kind, raised, trace)
        return not isinstance(raised, KeyboardInterrupt | SystemExit | GeneratorExit)
