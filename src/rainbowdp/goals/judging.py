# SPDX-License-Identifier: Apache-2.0
"""Whether a mechanism keeps its promise between neighbors, decided exactly as far as a few seconds allow.

The mechanism is made and judged; how it was derived is not looked at.

- Lines: the pairs of neighboring distances that reveal most.
- Flip and the line by lead: all pairs of neighboring tables of few rows, up to the names of the options; of
  scores, pairs on a small grid.
- Noise has no short list of pairs, and nothing is judged.

The theorem of the mechanism covers all tables that are not judged. How many are judged depends on how much
work the numbers are, and on no clock, so all machines judge the same pairs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import Exact, Log
from rainbowdp.exact.real import undecided
from rainbowdp.goals.mechanism import Asked, LineMechanism, LinePairs, QuestionMechanism
from rainbowdp.goals.one_option import Flip, LeadLine
from rainbowdp.goals.question_line import proper_masses
from rainbowdp.goals.table_judging import (
    FlipJudge,
    TablePair,
    bits_below_one,
    score_pairs,
    shown_pair,
    table_pairs,
)
from rainbowdp.line import Line
from rainbowdp.line.steps import MOST_PAIRS, Pair
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import OptionCounts

MOST_WORK = 5000
"""About so many pairs of tables are judged."""

MOST_ROWS = 60
"""So many rows count in the largest tables."""

_MOST_LISTED, _LISTED = 8000, 0.4
_MOST_CELLS = 4000
_COLORS = 4
_BITS_AT_ONCE, _DIGITS_AT_ONCE, _MOST_BITS = 30, 200, 1500
_NOTHING = "nothing beyond the terms: the theorem says it for all tables"
_ALL, _ALL_GAUSSIAN = "all others reveal less", "up to where the right answer has 1 - 2^-40"
_TURNING = "at both ends of each stretch of one formula"


@dataclass(frozen=True)
class Judged:
    """What was judged, and what was found.

    Attributes
    ----------
    pairs : int
        How many pairs of neighbors.
    people : int or None
        All tables of up to so many people are among them; None where no tables were judged.
    what : str
        What they are, in words.
    broken : str or None
        The first pair that breaks the promise; None if none does.
    """

    pairs: int
    people: int | None
    what: str
    broken: str | None = None

    def __bool__(self) -> bool:
        return self.broken is None


def judge_mechanism(mechanism: QuestionMechanism) -> Judged:
    """Judge the pairs of neighbors that a mechanism has.

    Parameters
    ----------
    mechanism : QuestionMechanism
        Any mechanism.

    Returns
    -------
    Judged
        True where no pair breaks the promise.

    Examples
    --------
    >>> from rainbowdp.goals import Asked, mechanism_of
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import ranking, yes_no
    >>> asked = Asked(yes_no("smoker", equals="yes", at_least=10), PureDP(1))
    >>> judge_mechanism(mechanism_of(asked))
    Judged(pairs=2, people=None, what='pairs of neighboring distances, all others reveal less', broken=None)
    >>> noise = mechanism_of(Asked(ranking("party", ["red", "blue", "green"]), PureDP(1)))
    >>> judge_mechanism(noise).what
    'nothing beyond the terms: the theorem says it for all tables'
    """
    match mechanism:
        case Flip():
            return _judge_flip(mechanism)
        case LeadLine() if mechanism.asked.scores is None:
            return _judge_leads(mechanism)
        case LineMechanism():
            return _judge_steps(mechanism.line_pairs())
        case _:
            return Judged(0, None, _NOTHING)


def judge_line(line: Line) -> Judged:
    """Judge the steps along one line.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> judge_line(Line("keep>drop", {"keep": "0", "drop": "1"}, ApproxDP("ln 2", "1/10"))).pairs
    5
    """

    def pair_from(distance: int) -> list[Pair]:
        return [(line.distribution(distance, symbolic=True), line.distribution(distance + 1, symbolic=True))]

    colors = len(line.rainbow.colors)
    return _judge_steps(LinePairs(line.privacy, colors, [(proper_masses(line), pair_from)]))


def _judge_steps(lines: LinePairs) -> Judged:
    """Judge all pairs where they are not too many, else those that decide about all, or some of these."""
    privacy, each = lines.privacy, work_of(lines.privacy, lines.colors)
    if each > _MOST_CELLS:
        return Judged(0, None, _NOTHING)
    every = lines.telling()
    if every is not None and every.count * each <= _MOST_CELLS:
        pairs, which = every, _ALL_GAUSSIAN if isinstance(privacy, GaussianDP) else _ALL
    else:
        pairs = lines.turning(max(2, int(_MOST_CELLS / each)))
        is_whole = pairs.count == lines.turning(MOST_PAIRS).count
        which = _TURNING if is_whole else f"some of those {_TURNING}"
    what = f"pairs of neighboring distances, {which}"
    undecided = 0
    for number, (one, other) in enumerate(pairs, start=1):
        try:
            if is_broken(one, other, privacy):
                return Judged(number, None, what, f"pair {number} of neighboring distances")
        except UndecidedError:
            undecided += 1
    if undecided == pairs.count:
        return Judged(0, None, _NOTHING)
    what = f"{what}; 4096 bits do not decide {undecided} more" if undecided else what
    return Judged(pairs.count - undecided, None, what)


def _judge_flip(flip: Flip) -> Judged:
    scores, options = flip.asked.scores, flip.count
    if scores is not None:
        pairs = tuple(dict.fromkeys(score_pairs(scores)))
        chances = FlipJudge(flip, options, (gap for pair in pairs for kin in pair for gap in kin[:2]))
        broken = chances.strange_coin() or next(filter(None, map(chances.fault, pairs)), None)
        return Judged(len(pairs), None, "pairs of neighboring scores on a small grid", broken)
    chances = FlipJudge(flip, options, range(MOST_ROWS + 1))
    found = _judge_tables(flip.asked, options, chances)
    return replace(found, broken=chances.strange_coin() or found.broken)


def _judge_leads(line: LeadLine) -> Judged:
    """Judge tables of few rows, and the steps along the line."""
    tables = _judge_tables(line.asked, line.count, LeadJudge(line))
    steps = _judge_steps(line.line_pairs())
    what = " and ".join(part.what for part in (tables, steps) if part.pairs) or _NOTHING
    return Judged(tables.pairs + steps.pairs, tables.people, what, tables.broken or steps.broken)


def _judge_tables(asked: Asked, options: int, judging: "FlipJudge | LeadJudge") -> Judged:
    """Judge all pairs of tables of 1, 2, ... rows, as far as the work allows."""
    seen: set[TablePair] = set()
    work, done, broken = 0.0, 0, None
    for rows in range(1, MOST_ROWS + 1):
        listed = list(islice(table_pairs(asked, options, rows), _MOST_LISTED))
        new = [pair for pair in dict.fromkeys(listed) if pair not in seen]
        work += len(listed) * _LISTED + judging.cost(new)
        if len(listed) == _MOST_LISTED or work > MOST_WORK:
            break
        try:
            broken = next(filter(None, map(judging.fault, new)), None)
        except UndecidedError:
            break
        done = rows
        seen.update(new)
        if broken is not None:
            break
    if not done:
        return Judged(0, 0, _NOTHING)
    what = f"all pairs of neighboring tables of up to {done} rows"
    return Judged(len(seen), done // asked.max_rows, what, broken)


def is_broken(one: Distribution, other: Distribution, privacy: Privacy) -> bool:
    """Tell whether two neighbors break the promise.

    Raises
    ------
    UndecidedError
        If 4096 bits do not decide it, which happens under Gaussian privacy alone.
    """
    found = privacy.excess(one, other)
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
            located.append(self._line.place_of(OptionCounts(tuple(counts))))
        shown = sorted({ahead for ahead, _ in located})
        one, other = (self._shown(*place, shown) for place in located)
        return one, other

    def _shown(self, ahead: int, mass: Exact, shown: Sequence[int]) -> Distribution:
        other = (1 - mass) / (self._line.count - 1)
        masses = {str(place): mass if place == ahead else other for place in shown}
        return Distribution.trusted({**masses, "others": other * (self._line.count - len(shown))})


def _kind(pair: TablePair) -> tuple[object, ...]:
    """Return what decides about the line by lead: both leads, and whether the same option is ahead."""
    leads = []
    for at in (0, 1):
        first, second = sorted(kin[at] for kin in pair for _ in range(min(kin.options, 2)))[:2]
        leads.append(second - first)
    same = any(kin.before == kin.after == 0 for kin in pair)
    return (*leads, same)
