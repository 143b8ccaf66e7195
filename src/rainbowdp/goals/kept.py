# SPDX-License-Identifier: Apache-2.0
"""What was worked out for public terms, kept for the next question with the same terms.

What is kept is named by the question, the privacy, the neighbor relation, the rows of a person
and the boundary rule, all of which a receipt publishes, and by nothing else. No table, summary, true answer,
distance or drawn answer is part of a name or decides what is kept, so whether something is found here, and
how long an ask therefore takes, says what was asked before and never what a table holds.

For the same reason nothing that is kept may fill up as true answers come by. A line works out its shares,
masses and thresholds when it is first used. So what is kept are the solved boundary distributions of all
answers, and each mechanism makes its own line from one of them.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from rainbowdp.privacy import Privacy
from rainbowdp.questions import Neighbors, Question, QuestionLines
from rainbowdp.questions.kinds import is_known

MOST_ANSWERS = 128
"""Nothing is kept for a question of more answers."""

MOST_TERMS = 16
"""So many terms are kept, those that were asked last."""

_Value = TypeVar("_Value")


class Kept(Generic[_Value]):
    """Values by name; beyond some number the one that was asked for longest ago is dropped.

    Parameters
    ----------
    most : int
        How many there are at most.

    Examples
    --------
    >>> kept = Kept[int](1)
    >>> kept.of("a", lambda: 1), kept.of("a", lambda: 2), kept.of("b", lambda: 3), kept.of("a", lambda: 4)
    (1, 1, 3, 4)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, _Value] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self, name: Hashable, make: Callable[[], _Value], *, small: Callable[[_Value], bool] = lambda _: True
    ) -> _Value:
        """Return the value of a name, made where it is not there.

        Parameters
        ----------
        name : hashable
            Everything that decides the value.
        make : callable
            Makes the value; what it raises is kept nowhere.
        small : callable
            Tells whether a value is small enough to be kept.
        """
        with self._lock:
            if name in self._values:
                self._values.move_to_end(name)
                return self._values[name]
        value = make()
        if small(value):
            with self._lock:
                self._values[name] = value
                if len(self._values) > self._most:
                    self._values.popitem(last=False)
        return value

    def names(self) -> list[Hashable]:
        """Return the names that are there, the one asked for last at the end."""
        with self._lock:
            return list(self._values)

    def values(self) -> list[_Value]:
        """Return the values in the order of their names."""
        with self._lock:
            return list(self._values.values())

    def clear(self) -> None:
        """Forget all values; nothing but time depends on them."""
        with self._lock:
            self._values.clear()


def name_of(
    question: Question, privacy: Privacy, relation: Neighbors, max_rows: int, rule: str
) -> Hashable | None:
    """Return what decides the chances of all answers as one name; None where nothing is kept.

    Parameters
    ----------
    question, privacy, relation, max_rows, rule
        As for `QuestionLines`.
    """
    # Known ones are frozen, and equal only where they mean the same.
    if not is_known(question) or len(question.answers) > MOST_ANSWERS:
        return None
    # Values of different types never share a name, whatever they say to ``==``.
    return (type(question), question, type(privacy), privacy, relation, max_rows, rule)


SOLVED: Kept[QuestionLines] = Kept(MOST_TERMS)
"""The solved boundary distributions of all answers, as lines before any distance is asked for."""
