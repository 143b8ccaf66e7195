# SPDX-License-Identifier: Apache-2.0
"""Distributions of all kinds that samplers meet: fractions, zeros, certainties, decimals, irrational ones."""

from fractions import Fraction

from rainbowdp.distribution import Distribution
from rainbowdp.exact import NormalExpression, OddsExpression

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
    "decimals": row("0.3334", "0.3333", "0.3334"),
    "odds": row(T / (T + 2), 1 / (T + 2), 1 / (T + 2)),
    "normal": row(NEAR, Fraction(0), 1 - NEAR),
}
