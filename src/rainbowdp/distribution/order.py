# SPDX-License-Identifier: Apache-2.0
"""The paper's order among distributions along a rainbow, and the stronger one that the optimum satisfies."""

from collections.abc import Iterator

from rainbowdp.distribution.value import Distribution, Probabilities
from rainbowdp.exact import Exact, compare
from rainbowdp.rainbow import Rainbow


def dominates(p: Probabilities, q: Probabilities, rainbow: Rainbow | str) -> bool:
    """Tell whether p is lexicographically at least q along the rainbow.

    Parameters
    ----------
    p, q : Distribution or mapping of str to number
        Two distributions over the rainbow's colors.
    rainbow : Rainbow or str
        The preference order; the masses of tied classes are compared as wholes.

    Returns
    -------
    bool

    Raises
    ------
    ColorError
        If the colors are not the same.
    UndecidedError
        Only for Gaussian numbers, or numbers of different e^epsilon, that 4096 bits do not tell apart.
    DistributionError, NumberError, RainbowSyntaxError
        If an argument cannot be read.

    References
    ----------
    Zhou et al. 2022, Definition 3.

    Examples
    --------
    >>> rainbow = Rainbow.parse("blue>red>green")
    >>> p = Distribution({"blue": "1/2", "red": "0", "green": "1/2"})
    >>> q = Distribution({"blue": "1/4", "red": "3/4", "green": "0"})
    >>> dominates(p, q, rainbow), prefix_dominates(p, q, rainbow)
    (True, False)
    """
    for ours, theirs in _prefix_pairs(p, q, rainbow):
        order = compare(ours, theirs)
        if order:
            return order > 0
    return True


def prefix_dominates(p: Probabilities, q: Probabilities, rainbow: Rainbow | str) -> bool:
    """Tell whether p has at least the mass of q on every prefix of the rainbow.

    Stronger than `dominates`; the optimal mechanism satisfies both.

    Parameters
    ----------
    p, q : Distribution or mapping of str to number
        Two distributions over the rainbow's colors.
    rainbow : Rainbow or str
        The preference order.

    Returns
    -------
    bool

    Raises
    ------
    ColorError, UndecidedError, DistributionError, NumberError, RainbowSyntaxError
        As for `dominates`.

    Examples
    --------
    >>> p, q = {"blue": "1/2", "red": "1/2"}, {"blue": "1/3", "red": "2/3"}
    >>> prefix_dominates(p, q, "blue>red"), prefix_dominates(p, q, "red>blue")
    (True, False)
    """
    return all(compare(ours, theirs) >= 0 for ours, theirs in _prefix_pairs(p, q, rainbow))


def _prefix_pairs(
    p: Probabilities, q: Probabilities, rainbow: Rainbow | str
) -> Iterator[tuple[Exact, Exact]]:
    order = Rainbow.of(rainbow)
    ours, theirs = (Distribution.of(given).prefix_masses(order) for given in (p, q))
    return zip(ours, theirs, strict=True)
