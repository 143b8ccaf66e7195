# SPDX-License-Identifier: Apache-2.0
"""How many rows lie between two orders of options: by how few rows tables with these orders can differ.

Let x and y be counts with the orders A and B. Each order is a chain of differences, ``x[first] - x[second]
>= s`` for options that follow each other in it, with s = 1 where the second was declared first and would
win a tie, else 0. The least cost of y - x is a linear program. Its dual has one number u per option, with
sum 0; the partial sums of u from the top of A on are never positive, those from the top of B on never
negative. What it maximizes is the total of the partial sums at the places where s = 1, with their signs
turned for A.

Where rows come and go, the cost is the sum of all changes, and each u lies between -1 and 1. Both programs
are network programs, so whole numbers solve them: the least cost is that of two real tables (the same
number of rows added to every option keeps all counts above 0), and the maximum is found among the vectors
of -1, 0 and 1.

Where rows change, the cost is what is gained or what is lost, whichever is more, and u lies between -(b -
a)/b and a/b for some a/b. By weak duality every such u gives a lower bound, rounded up since rows are
whole; it is the true number for up to three options, and may be too small by one for four and five. Too
small is safe.
"""

import itertools
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rainbowdp.questions.question import Neighbors

_NEVER = -(10**6)


@lru_cache(maxsize=8)
def order_gaps(options: int, neighbors: Neighbors) -> npt.NDArray[np.int64]:
    """Return how many rows must change to turn a table of one order into one of another.

    Parameters
    ----------
    options : int
        How many options; of equal counts the option with the smaller number stands first.
    neighbors : {"add-remove", "change-one"}
        How rows change.

    Returns
    -------
    int64 array [orders, orders]
        Read-only; orders stand as `itertools.permutations` gives them.

    References
    ----------
    Schrijver, Combinatorial Optimization (2003), section 13.2: network matrices are totally unimodular.

    Examples
    --------
    >>> order_gaps(3, "add-remove")[0].tolist()
    [0, 1, 1, 1, 1, 2]
    >>> order_gaps(3, "change-one")[0].tolist()
    [0, 1, 1, 1, 1, 1]
    """
    orders = np.array(list(itertools.permutations(range(options))))
    ties = (orders[:, 1:] < orders[:, :-1]).astype(np.int64)
    gaps = np.zeros((len(orders), len(orders)), dtype=np.int64)
    for lowest, highest, divisor in _ranges(options, neighbors):
        weights = np.array(list(itertools.product(range(lowest, highest + 1), repeat=options)))
        sums = np.cumsum(weights[weights.sum(axis=1) == 0][:, orders], axis=2)[:, :, :-1]
        total = (sums * ties).sum(axis=2)
        rising = np.where((sums >= 0).all(axis=2), total, _NEVER)
        falling = np.where((sums <= 0).all(axis=2), -total, _NEVER)
        for down, up in zip(falling, rising, strict=True):
            np.maximum(gaps, -(-(down[:, None] + up[None, :]) // divisor), out=gaps)
    gaps.flags.writeable = False
    return gaps


def _ranges(options: int, neighbors: Neighbors) -> list[tuple[int, int, int]]:
    """Return where the numbers of the dual lie: the least, the greatest, and by what they are divided."""
    if neighbors == "add-remove":
        return [(-1, 1, 1)]
    return [(a - b, a, b) for b in range(2, options + 1) for a in range(1, b)]
