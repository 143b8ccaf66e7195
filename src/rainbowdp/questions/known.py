# SPDX-License-Identifier: Apache-2.0
"""Which questions are the package's own, and so known to be what their kind is.

The one idea: whoever derives a question from one of these may change any part of it. So what is known of a
kind is said of its very type, and of no other; and so of what a level measures.
"""

from typing import Final

from rainbowdp.questions.bracket import Bracket
from rainbowdp.questions.measures import CountOf, ShareOf, SumOf
from rainbowdp.questions.question import Question
from rainbowdp.questions.scores import Scores
from rainbowdp.questions.selection import Ranking, Winner
from rainbowdp.questions.thresholds import Level, YesNo

OWN_ANSWER_FIRST: Final = (Winner, Ranking, Scores, YesNo)
"""Of these, every answer has itself best and all others tied."""

_KNOWN: Final = frozenset({*OWN_ANSWER_FIRST, Level, Bracket})
_MEASURES: Final = frozenset({CountOf, ShareOf, SumOf})


def is_known(question: Question) -> bool:
    """Say whether a question is one of the package's own, and neither it nor a part is derived from one.

    Examples
    --------
    >>> class Derived(Winner):
    ...     pass
    >>> is_known(Winner("vote", ("A", "B"))), is_known(Derived("vote", ("A", "B")))
    (True, False)
    """
    return unknown_part(question) is None


def unknown_part(question: Question) -> type | None:
    """Return the class by which a question is somebody's own; None if it is one of the package's.

    Examples
    --------
    >>> from fractions import Fraction
    >>> class Many(CountOf):
    ...     pass
    >>> unknown_part(YesNo("smoker", Many("yes"), (Fraction(10),))).__name__
    'Many'
    """
    if type(question) not in _KNOWN:
        return type(question)
    measure = type(question.measure) if isinstance(question, Level) else None
    return None if measure is None or measure in _MEASURES else measure
