# SPDX-License-Identifier: Apache-2.0
r"""The statistical test of samplers: it catches one percentage point of total variation, and says why.

**The test.** Draw n = 10^6 colors. Let f(S) be the share of draws in an event S, a set of colors, and p(S)
its ideal probability. The test fails the sampler if some event is drawn too often, by a threshold t or more::

    max over S of f(S) - p(S)  =  total variation between f and p  =  1/2 sum of |f(c) - p(c)|  >=  t

It also fails a sampler that draws a color of probability 0 even once.

**False alarm at most 10^-6.** For k colors there are 2^k - 2 events other than none and all. For a right
sampler n f(S) is binomial with mean n p(S), so by Hoeffding's inequality P(f(S) - p(S) >= t) <= exp(-2 n t^2)
for each of them. The threshold is where the sum of all these bounds is the false alarm rate::

    t = sqrt(ln((2^k - 2) / 10^-6) / (2 n)),   for k = 5: t = 0.00293

**Power at least 0.999.** If the sampler's real distribution q has a total variation of at least d from p,
there is an event S with q(S) >= p(S) + d. Passing requires f(S) - p(S) < t, hence f(S) - q(S) < t - d, and by
Hoeffding again that has probability at most exp(-2 n (d - t)^2). This is at most 10^-3 as soon as::

    d >= t + sqrt(ln(10^3) / (2 n)) = t + 0.00186,   for k = 5: d = 0.0048

One percentage point, d = 0.01, is therefore caught for up to 171 colors, whatever the shape and the direction
of the error. `plan` works these numbers out and refuses a test that could not keep the promise.

Draws of a sampler are assumed to be independent; to test that, hand consecutive pairs to the test as colors.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.exact import to_float

DRAWS = 1_000_000
FALSE_ALARM = 1e-6
MISS = 1e-3
CAUGHT = 0.01


@dataclass(frozen=True)
class Plan:
    """A test of a sampler over some colors: fail at a total variation of `threshold` or more.

    Attributes
    ----------
    colors, draws : int
        How many colors there are and how many draws are taken.
    threshold : float
        A right sampler stays below it but for the false alarm rate.
    smallest_caught : float
        A sampler that is wrong by this total variation or more reaches the threshold but for the miss rate.
    """

    colors: int
    draws: int
    threshold: float
    smallest_caught: float


def plan(colors: int, draws: int = DRAWS) -> Plan:
    """Return the test for a number of colors; refuse one that would miss one percentage point."""
    events = max(2**colors - 2, 1)
    threshold = math.sqrt(math.log(events / FALSE_ALARM) / (2 * draws))
    smallest_caught = threshold + math.sqrt(math.log(1 / MISS) / (2 * draws))
    if smallest_caught > CAUGHT:
        raise ValueError(
            f"{draws} draws over {colors} colors only catch a total variation of {smallest_caught}"
        )
    return Plan(colors, draws, threshold, smallest_caught)


def ideal_of(distribution: Distribution) -> list[float]:
    """Return the probabilities as floats; an error of 1e-16 is nothing to a threshold above 1e-3."""
    return [to_float(probability, "nearest") for probability in distribution.values()]


def total_variation(p: Sequence[float], q: Sequence[float]) -> float:
    """Return the largest difference of the two probabilities of one event."""
    return math.fsum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def passes(counts: NDArray[np.integer], ideal: Sequence[float]) -> bool:
    """Tell whether a sampler passes that drew each color this often; see the module's docstring."""
    draws = int(counts.sum())
    test = plan(len(ideal), draws)
    if any(count and not probability for count, probability in zip(counts.tolist(), ideal, strict=True)):
        return False
    return total_variation((counts / draws).tolist(), ideal) < test.threshold


def count_colors(drawn: NDArray[np.integer], colors: int) -> NDArray[np.int64]:
    """Return how often each position was drawn."""
    return np.bincount(drawn, minlength=colors).astype(np.int64)
