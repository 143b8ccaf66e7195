# SPDX-License-Identifier: Apache-2.0
"""What samplers draw from: rows of all kinds (fractions, zeros, certainties, decimals), and mechanisms."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

import rainbowdp as rdp
from rainbowdp.distribution import Distribution
from rainbowdp.exact import NormalExpression, OddsExpression
from rainbowdp.mechanism import LineRows, Mechanism
from rainbowdp.privacy import Privacy
from rainbowdp.sampling.thresholds import CumulativeMasses

LARGEST = 2**64 - 1
T = OddsExpression.odds(Fraction(1))
NEAR = NormalExpression.shifted(Fraction(1, 4), Fraction(3), Fraction(1, 10))


def row(*probabilities: object) -> Distribution:
    """Return a distribution over a, b, c, ... without a check of its sum."""
    return Distribution.trusted(
        {
            color: Fraction(p) if isinstance(p, str | int) else p  # type: ignore[misc]  # the rest is exact
            for color, p in zip("abcdef", probabilities, strict=False)
        }
    )


ROWS = {
    "thirds": row("1/3", "1/3", "1/3"),
    "dyadic": row("1/2", "3/8", "1/8"),
    "zero first": row(0, "1/7", "6/7"),
    "zero between": row("1/7", 0, "6/7"),
    "zero last": row("6/7", "1/7", 0),
    "first certain": row(1, 0, 0),
    "second certain": row(0, 1, 0),
    "third certain": row(0, 0, 1),
    "tiny": row(Fraction(1, 10**30), Fraction(1, 10**25), 1 - Fraction(1, 10**30) - Fraction(1, 10**25)),
    "nearly certain": row(1 - Fraction(1, 10**25), Fraction(1, 10**26), Fraction(9, 10**26)),
    "before a byte": row(Fraction(2**64 - 1, 2**65), Fraction(1, 4), Fraction(2**63 + 1, 2**65)),
    "decimals": row("0.3334", "0.3333", "0.3334"),
    "odds": row(T / (T + 2), 1 / (T + 2), 1 / (T + 2)),
    "normal": row(NEAR, Fraction(0), 1 - NEAR),
}


def on_path(size: int, privacy: Privacy, labels: Sequence[str] | None = None) -> Mechanism:
    """Return the optimal mechanism of a path whose middle is the boundary of two regions."""
    rainbows = ["a>b>c"] * (size // 2) + ["c>a=b"] * (size - size // 2)
    graph = rdp.RainbowGraph.from_arrays(np.arange(size - 1), np.arange(1, size), rainbows, labels)
    return rdp.optimal_mechanism(graph, privacy, "uniform")


def mechanism_of(rows: Sequence[Distribution], distances: ArrayLike | None = None) -> Mechanism:
    """Return a mechanism in which each row is the class of one dataset."""
    count, given = len(rows), distances is not None
    return Mechanism(
        colors=rows[0].colors,
        codes=np.arange(count, dtype=np.int32),
        class_rainbow=(rdp.Rainbow.parse(">".join(rows[0].colors)),) * count,
        class_distance=np.ma.masked_array(distances if given else np.zeros(count), not given, np.int32),
        rows=rows,
        precision="float64",
    )


def on_line(boundary: Distribution, privacy: Privacy, distances: ArrayLike) -> Mechanism:
    """Return the mechanism of datasets at these distances on one line, with rows made on demand."""
    line = rdp.Line(">".join(boundary.colors), boundary, privacy)
    masked = np.ma.masked_array(distances, mask=False, dtype=np.int32)
    rows = LineRows([line], [boundary], np.zeros(len(masked), dtype=np.int32), masked)
    return mechanism_of(rows, masked)


def critical_words(distribution: Distribution) -> list[int]:
    """Return the words around every cumulative mass and both ends, which decide nothing or just so."""
    lower, upper = CumulativeMasses(distribution).cuts(64)
    near = {bound + step for bound in (0, *lower, *upper, LARGEST) for step in (-2, -1, 0, 1, 2)}
    return sorted(word for word in near if 0 <= word <= LARGEST)


def critical_pairs(distribution: Distribution) -> list[int]:
    """Return numbers of two words around every cumulative mass and both ends, as `critical_words`."""
    lower, _ = CumulativeMasses(distribution).cuts(128)
    near = {bound + step for bound in (0, *lower, 2**128 - 1) for step in (-2, -1, 0, 1, 2)}
    near |= {word << 64 | low for word in critical_words(distribution) for low in (0, 1, LARGEST)}
    return sorted(known for known in near if 0 <= known < 2**128)
