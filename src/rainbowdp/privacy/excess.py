# SPDX-License-Identifier: Apache-2.0
"""Which of several violations is the worst: the one of greatest excess, compared exactly.

Two excesses are compared in their exact form where they have one of the same kind, and by refining enclosures
otherwise. What is decided comes before what is not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import flint

from rainbowdp.errors import UndecidedError
from rainbowdp.exact import are_compatible, shown_sign, sign
from rainbowdp.privacy.verdict import Violation


@dataclass(frozen=True)
class Excess:
    """A violation, and its excess as an enclosure.

    Attributes
    ----------
    violation : Violation
        The event that gets too much.
    evaluate : callable
        Computes a ball around the excess at the precision in force.
    """

    violation: Violation
    evaluate: Callable[[], flint.arb]

    def is_above(self, other: "Excess | None") -> bool:
        """Tell whether this is the greater excess; None is below all.

        Examples
        --------
        >>> from fractions import Fraction
        >>> half, third = Fraction(1, 2), Fraction(1, 3)
        >>> small = Excess(Violation(("a",), half, third, Fraction(1, 6), False), lambda: flint.arb(1) / 6)
        >>> large = Excess(Violation(("b",), half, None, None, False), lambda: flint.arb(1) / 4)
        >>> large.is_above(small), small.is_above(large), small.is_above(None)
        (True, False, True)
        """
        if other is None:
            return True
        if self.violation.undecided or other.violation.undecided:
            return other.violation.undecided and not self.violation.undecided
        ours, theirs = self.violation.excess, other.violation.excess
        try:
            if ours is not None and theirs is not None and are_compatible([ours, theirs]):
                return sign(ours - theirs) > 0
            return shown_sign(lambda: self.evaluate() - other.evaluate()) == 1
        except UndecidedError:
            return False
