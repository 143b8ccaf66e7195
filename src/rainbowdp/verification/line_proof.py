# SPDX-License-Identifier: Apache-2.0
"""The steps along a line that keep the constraint, with the proof, and the formula that they lead to.

Let g be `propagate` of the line's notion of privacy, F_0 = 0 <= F_1 <= ... <= F_k = 1 the prefix masses at a
distance and G_0 = 0, ..., G_k = 1 those one step farther, and let the colors of a tied class have constant
shares of its mass. *If G_j = g(F_j) for 0 < j < k, the two rows satisfy the constraint*:

1. g is concave on [0, 1] with g(1) = 1. It stays so when g(0) is replaced by 0, and then G_j = g(F_j) for all
   j. Let S be an event. In every class, S has a share w of the mass F_j - F_{j-1}. Mark the first part, of
   length w (F_j - F_{j-1}), of the interval from F_{j-1} to F_j. The farther row gives S in that class the
   share w of the increment of g over the whole interval: at most its increment over the marked part.
2. Push the marked parts down to 0, one against the other. As g is concave, their increments only become
   larger. So the farther row gives S at most g(F(S)).
3. g is its own mirror image: y <= g(x) if and only if 1 - x <= g(1 - y). Step 2 for the complement of S
   therefore says that the nearer row gives S at most g of what the farther one gives it.

Step by step, G_j = g(F_j) follows over a stretch of n steps from finitely many comparisons, since prefix
masses do not fall along the line. With E = e^epsilon and c = delta/(E-1), or i delta in place of the second
term for epsilon 0:

==========================  =========================================  ===================================
a prefix                    is at i steps into the stretch             where
==========================  =========================================  ===================================
grows                       E^i F + c (E^i - 1)                        F at n-1 is <= (1 - delta)/(1 + E)
has a decaying complement   1 - E^-i (1 - F) + c (1 - E^-i)            F at 0 is above that, F at n <= 1
is certain                  1                                          F at 0 is 1
moves under mu              Phi(Phi^-1(F) + i mu)                      everywhere
==========================  =========================================  ===================================

*All pairs of such a stretch have the same tight figure*, so that the pairs that are kept tell it. A prefix
that grows has G = E F + delta, one that decays 1 - F = E (1 - G) + delta, and under mu the quantiles are mu
apart; by the theorem no event has more. So the figure is that of the line as soon as one prefix counts: any
but a certain one for delta, any in (0, 1) for the ratio and for mu, which every step of the stretch leaves
there. If none counts, both rows are the same, and the figure is 0 at every step.

References: Zhou et al. 2022, Theorems 4 and 5; Gu et al. 2024 for delta > 0; Dong, Roth and Su 2022 for mu.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import cast

from rainbowdp.exact import Exact, NormalExpression, sign
from rainbowdp.privacy import GaussianDP, Privacy

Move = Callable[[int], Exact]
"""Takes a number of steps and returns the mass that a prefix has after them."""


def expected_moves(privacy: Privacy, mass: Exact, steps: int, *, symbolic: bool = False) -> Move | None:
    """Return the formula by which a prefix mass has to move over a stretch, by the table above.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy of the line.
    mass : Exact
        The prefix mass where the stretch begins, from 0 to 1.
    steps : int
        Length of the stretch, at least 1.
    symbolic : bool
        Whether rational odds are kept as a formal power base.

    Returns
    -------
    callable or None
        From a number of steps, up to `steps`, to the mass; None if no formula holds for all of the stretch.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> move = expected_moves(PureDP("ln 2"), Fraction(1, 24), 4)
    >>> move(4), expected_moves(PureDP("ln 2"), Fraction(1, 24), 5)
    (Fraction(2, 3), None)
    """
    if sign(mass - 1) == 0:
        return lambda _: Fraction(1)
    if isinstance(privacy, GaussianDP):
        return _gaussian_move(mass, privacy)
    odds, delta = privacy.symbolic_odds if symbolic else privacy.odds, privacy.delta
    turning: Exact = (1 - delta) / (1 + odds)
    level = odds == 1

    def grown(count: int) -> Exact:
        if level:
            return mass + count * delta
        power = odds**count
        return power * mass if delta == 0 else power * mass + delta * (power - 1) / (odds - 1)

    def decayed(count: int) -> Exact:
        if level:
            return mass + count * delta
        power = odds**count
        rest = (1 - mass) / power
        return 1 - rest if delta == 0 else 1 - rest + delta * (1 - 1 / power) / (odds - 1)

    if sign(turning - mass) >= 0:
        return grown if sign(turning - grown(steps - 1)) >= 0 else None
    return decayed if sign(1 - decayed(steps)) >= 0 else None


def _gaussian_move(mass: Exact, privacy: GaussianDP) -> Move | None:
    if privacy.mu == 0 or (isinstance(mass, Fraction) and mass == 0):
        return lambda _: mass
    if isinstance(mass, Fraction):
        return lambda count: NormalExpression.shifted(mass, Fraction(count), privacy.mu)
    if not isinstance(mass, NormalExpression) or mass.moved(Fraction(1)) is None:
        return None
    return lambda count: cast("NormalExpression", mass.moved(Fraction(count)))
