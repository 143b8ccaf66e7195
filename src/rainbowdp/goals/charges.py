# SPDX-License-Identifier: Apache-2.0
"""What the answers of several groups cost together.

Groups divide the rows, and each group is answered by a mechanism of its own, drawn independently. One person
can have rows in several groups. How that adds up depends on what makes the mechanism private, so there is
one function for each kind.
"""

from fractions import Fraction

from rainbowdp.exact import enclose
from rainbowdp.ledger import Cost
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Neighbors

_DELTA_BITS = 64


def row_cost(privacy: Privacy, groups: int, neighbors: Neighbors) -> Cost:
    """Return the cost of mechanisms that are private row by row: each row costs epsilon/M in its own group.

    Where a person joins or leaves, up to M rows do so, wherever they are: epsilon in all. Where a person
    changes, up to M rows leave and up to M join: twice that, with the mechanism for joining and leaving in
    each group. One group alone is answered under the relation itself.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer costs.
    groups : int
        How many groups there are.
    neighbors : {"add-remove", "change-one"}
        How neighboring tables of all groups differ.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> print(row_cost(PureDP(1), 3, "add-remove"), row_cost(PureDP(1), 3, "change-one"))
    epsilon 1 epsilon 2
    """
    return Cost.of(privacy).times(2 if groups > 1 and neighbors == "change-one" else 1)


def noise_cost(privacy: GaussianDP, groups: int, neighbors: Neighbors, factor: Fraction) -> Cost:
    """Return the cost of normal noise, whose mu grows with the length of the change of all counts.

    Where a person joins or leaves, that length is greatest where all M rows are in one count: mu. Where a
    person changes, the square is at most `factor` times mu squared.

    Parameters
    ----------
    privacy : GaussianDP
        What one answer costs.
    groups, neighbors
        As for `row_cost`.
    factor : Fraction
        The square of the longest change that M rows that leave and M that join make, in units of the longest
        that M rows that join make.

    Examples
    --------
    >>> print(noise_cost(GaussianDP(1), 3, "change-one", Fraction(3)))
    mu sqrt(3)
    """
    one = Cost.of(privacy)
    if groups < 2 or neighbors == "add-remove" or one.mu_squared is None:
        return one
    return Cost(mu_squared=one.mu_squared * factor)


def line_cost(privacy: Privacy, groups: int, neighbors: Neighbors, max_rows: int) -> Cost:
    """Return the cost of lines, which are private person by person.

    A group moves by one step for every M rows that leave it or join it, and a part of M counts in full.
    Where one person joins or leaves, up to M rows do so: one step in each of min(M, groups) groups. Where
    one person changes, up to M rows leave and up to M join. If no group sees more than M of these 2 M rows,
    that is one step in each of min(2 M, groups) groups. At most one group can see more than M of them: it
    moves by two steps, and at most M - 1 rows are left to move others by one, which makes min(M, groups) + 1
    steps.

    The cost covers both. Two steps of pure privacy cost twice epsilon. Two of approximate privacy cost more
    than twice delta, (1 + e^epsilon) delta, which is rounded up by at most 2^-64 of itself where it is
    irrational. Two of Gaussian privacy cost twice mu, that is four times its square.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer costs.
    groups, neighbors
        As for `row_cost`.
    max_rows : int
        M, how many rows one person has at most.

    References
    ----------
    Dwork and Roth 2014, theorem 3.16; Vadhan 2017, lemma 2.2 (groups of people); Dong, Roth and Su 2022,
    theorem 4 and corollary 2.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP, PureDP
    >>> for privacy in (PureDP(1), ApproxDP("ln 2", "1e-6"), GaussianDP(1)):
    ...     print(line_cost(privacy, 3, "change-one", 1))
    epsilon 2
    epsilon ln(4), delta 0.000003
    mu 2
    """
    one, touched = Cost.of(privacy), min(max_rows, groups)
    if groups < 2:
        return one
    if neighbors == "add-remove":
        return one.times(touched)
    widely = min(2 * max_rows, groups)
    if isinstance(privacy, GaussianDP):
        return one.times(max(widely, 4 + touched - 1))
    twice = (1 + privacy.odds + touched - 1) * one.delta
    rounded = twice if isinstance(twice, Fraction) else enclose(twice, _DELTA_BITS)[1]
    return Cost(one.epsilon.times(max(widely, touched + 1)), max(rounded, one.delta * widely))
