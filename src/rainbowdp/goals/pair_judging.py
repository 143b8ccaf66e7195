# SPDX-License-Identifier: Apache-2.0
"""Whether two neighboring distributions keep a promise, and those of the line by lead at two tables."""

import math
from collections.abc import Sequence

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Log
from rainbowdp.exact.refining import undecided
from rainbowdp.goals.flip_judging import bits_below_one
from rainbowdp.goals.lead_line import LeadLine, LocatedLead
from rainbowdp.goals.line_pairs import Pair
from rainbowdp.goals.table_pairs import TablePair, shown_pair
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import OptionCounts
from rainbowdp.verification.judge import judge

_COLORS = 4
_BITS_AT_ONCE, _DIGITS_AT_ONCE, _MOST_BITS = 30, 200, 1500


def is_broken(one: Distribution, other: Distribution, privacy: Privacy) -> bool:
    """Tell whether two neighbors break the promise.

    Raises
    ------
    UndecidedError
        If 4096 bits do not decide it, which happens under Gaussian privacy alone.
    """
    found = judge(one, other, privacy, "ideal")
    if found is not None and found.violation.undecided:
        raise undecided()
    return found is not None


def work_of(privacy: Privacy, colors: int) -> float:
    """Return about how much work a pair is, in colors of usual numbers."""
    exponent = privacy.mu if isinstance(privacy, GaussianDP) else privacy.epsilon
    digits = exponent.argument.numerator.bit_length() if isinstance(exponent, Log) else 0
    below = bits_below_one(exponent)
    if below > _MOST_BITS:
        return math.inf
    bits = below / _BITS_AT_ONCE + digits / _DIGITS_AT_ONCE
    return (colors**2 if isinstance(privacy, GaussianDP) else colors) * (1 + bits)


class LeadJudge:
    """Judges the line by lead at pairs of tables, each kind of which once.

    Parameters
    ----------
    line : LeadLine
        The mechanism.
    """

    def __init__(self, line: LeadLine) -> None:
        self._line = line
        self._found: dict[object, bool] = {}

    def cost(self, pairs: Sequence[TablePair]) -> float:
        """Return about how much work pairs are."""
        each = work_of(self._line.charged, _COLORS) + self._line.count / 100
        return each * len({_kind(pair) for pair in pairs} - self._found.keys())

    def fault(self, pair: TablePair) -> str | None:
        """Return what breaks the promise, in words; None if nothing does."""
        kind = _kind(pair)
        if kind not in self._found:
            self._found[kind] = not is_broken(*self._distributions(pair), self._line.charged)
        return None if self._found[kind] else shown_pair(pair)

    def _distributions(self, pair: TablePair) -> Pair:
        """Return what two tables have; all options that are ahead in neither count as one."""
        located = []
        for at in (0, 1):
            most = max(kin[at] for kin in pair)
            counts = [int(most - kin[at]) for kin in pair for _ in range(kin.options)]
            located.append(self._line.at(OptionCounts(tuple(counts))))
        shown = sorted({each.ahead for each in located})
        one, other = (self._shown(each, shown) for each in located)
        return one, other

    def _shown(self, located: LocatedLead, shown: Sequence[int]) -> Distribution:
        other = (1 - located.mass) / (self._line.count - 1)
        masses = {str(place): located.mass if place == located.ahead else other for place in shown}
        return Distribution.trusted({**masses, "others": other * (self._line.count - len(shown))})


def _kind(pair: TablePair) -> tuple[object, ...]:
    """Return what decides about the line by lead: both leads, and whether the same option is ahead."""
    leads = []
    for at in (0, 1):
        first, second = sorted(kin[at] for kin in pair for _ in range(min(kin.options, 2)))[:2]
        leads.append(second - first)
    same = any(kin.before == kin.after == 0 for kin in pair)
    return (*leads, same)
