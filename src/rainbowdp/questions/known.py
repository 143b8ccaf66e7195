# SPDX-License-Identifier: Apache-2.0
"""Which questions are the package's own, and so known to be what their kind is.

The one idea: whoever derives a question from one of these may change any part of it. So what is known of a
kind is said of its very type, and of no other.
"""

from typing import Final

from rainbowdp.questions.bracket import Bracket
from rainbowdp.questions.question import Question
from rainbowdp.questions.scores import Scores
from rainbowdp.questions.selection import Ranking, Winner
from rainbowdp.questions.thresholds import Level, YesNo

OWN_ANSWER_FIRST: Final = (Winner, Ranking, Scores, YesNo)
"""Of these, every answer has itself best and all others tied."""

_KNOWN: Final = frozenset({*OWN_ANSWER_FIRST, Level, Bracket})


def is_known(question: Question) -> bool:
    """Say whether a question is one of the package's own, and not derived from one.

    Examples
    --------
    >>> class Derived(Winner):
    ...     pass
    >>> is_known(Winner("vote", ("A", "B"))), is_known(Derived("vote", ("A", "B")))
    (True, False)
    """
    return type(question) in _KNOWN
