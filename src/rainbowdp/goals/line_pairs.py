# SPDX-License-Identifier: Apache-2.0
"""Choose the steps along a line whose pairs of distributions decide how private all steps are.

Let P and Q be what a line has at two distances, one step apart. Under pure privacy a prefix mass grows by the
odds E up to its threshold, and from there on what it lacks to 1 falls by E.

- While all prefix masses grow, the pair (P, Q) is the mixture of the next pair, with weight 1/E, and of the
  worst class alone, in both places, with weight 1 - 1/E. So the last such pair reveals most.
- Once all decay, the next pair is the mixture of (P, Q), with weight 1/E, and of the best class alone. So the
  first such pair reveals most.

A mixture with the same distribution in both places reveals no more, under any measure that is convex in both
distributions together: the excess over a limit, and the exponential of (alpha - 1) times a Rényi divergence.
So the pairs from the last of growth to the first of decay tell everything. The same holds for two lines of
two classes between which one step can lead.

`turning_steps` gives fewer: the ends of the stretches in which every prefix mass has one formula. They decide
whether the constraint of the line holds; `rainbowdp.verification.class_pairs` has the proof.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact
from rainbowdp.line.reach import formula_turns, steps_to_reach
from rainbowdp.privacy import GaussianDP, Privacy

MOST_PAIRS = 4096
"""No list of more pairs is made: it would take too long to go through."""

DEEP = 256
"""From this distance on powers of the odds stay formal, since fractions have many digits."""

Pair = tuple[Distribution, Distribution]
"""What two neighboring tables have."""

_NEARLY = 1 - Fraction(1, 2**40)
Item = TypeVar("Item")


@dataclass(frozen=True)
class Pairs:
    """Pairs of distributions, made as they are gone through.

    Attributes
    ----------
    count : int
        How many there are.
    colors : int
        How many answers each distribution has.
    make : callable
        Makes them.
    """

    count: int
    colors: int
    make: Callable[[], Iterator[Pair]]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Pair]:
        return self.make()


def spread(items: Sequence[Item], most: int) -> Sequence[Item]:
    """Return at most so many items, the first and the last among them.

    Examples
    --------
    >>> spread(range(10), 3), spread([1, 2], 3)
    ([0, 4, 9], [1, 2])
    """
    if len(items) <= most:
        return items
    return [items[at * (len(items) - 1) // (most - 1)] for at in range(most)]


def telling_steps(privacy: Privacy, masses: Sequence[Exact]) -> range:
    """Return the distances d for which the pairs of d and d + 1 reveal what all pairs reveal.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy.
    masses : sequence of Exact
        The masses of all proper prefixes at distance 0, of one line or of several.

    Returns
    -------
    range
        Under Gaussian privacy up to where all masses are 1 - 2^-40. It can be longer than any list.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> PureDP("ln 2").threshold("1/100"), telling_steps(PureDP("ln 2"), [Fraction(1, 100)])
    (6, range(5, 7))
    """
    if isinstance(privacy, GaussianDP):
        reached = (steps_to_reach(mass, _NEARLY, privacy) for mass in masses)
        return range(1 + max((each for each in reached if each is not None), default=0))
    turns = formula_turns(masses, privacy)
    if privacy.delta > 0:
        return range(max([1, *turns]))
    return range(max(0, min(turns) - 1), max(turns) + 1) if turns else range(1)


def turning_steps(privacy: Privacy, masses: Sequence[Exact]) -> list[int]:
    """Return the ends of every stretch of distances d whose pairs of d and d + 1 have one form.

    Parameters
    ----------
    privacy, masses
        As for `telling_steps`.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> turning_steps(ApproxDP("1/1000", "1/1000000"), [Fraction(0)])
    [0, 6216, 6217, 12433, 12434, 12435]
    """
    if isinstance(privacy, GaussianDP):
        last = telling_steps(privacy, masses).stop - 1
        return sorted({0, last // 2, last})
    turns = formula_turns(masses, privacy)
    return sorted({0} | {max(0, place) for turn in turns for place in (turn - 1, turn)})
