# SPDX-License-Identifier: Apache-2.0
"""Connect rainbowdp to other libraries for differential privacy, one module each, all optional.

rainbowdp answers, and the other library keeps its books. `opendp` makes measurements of a
question, `diffprivlib` pays for an answer from that library's accountant, and `accounting` turns privacy into
privacy-loss distributions that compose. Nothing below imports this package, and a module here loads the other
library when it is first used.

The other libraries count in floats. The functions here enclose the real number (group privacy of every
notion, the epsilon of Gaussian privacy at a delta) and return the nearest float on the side on which privacy
is never under-reported.
"""

from fractions import Fraction
from importlib import import_module
from types import ModuleType

import flint

from rainbowdp.errors import MissingExtraError, PrivacyParameterError
from rainbowdp.exact import (
    Log,
    Number,
    exponent_ball,
    format_fraction,
    normal_cdf,
    parse_fraction,
    rational_ball,
    round_ball,
    shown_sign,
    to_float,
)
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP

_HALVINGS = 48
_LARGEST_EXPONENT, _LARGEST_POWER = 1000, 1000


def library(name: str, extra: str) -> ModuleType:
    """Return the library of a bridge, loaded when it is first used.

    Parameters
    ----------
    name : str
        The module to import.
    extra : str
        The extra of rainbowdp that installs it.

    Returns
    -------
    module

    Raises
    ------
    MissingExtraError
        If it is not installed, or is and does not load.

    Examples
    --------
    >>> try:
    ...     library("absent.part", "opendp")
    ... except MissingExtraError as error:
    ...     print(error.report())
    error[RDP902]: this bridge needs absent, which is not installed
    help: pip install 'rainbowdp[opendp]'
    """
    package = name.partition(".")[0]
    try:
        return import_module(name)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == package
        state = "not installed" if absent else f"installed and does not load: {error}"
        raise MissingExtraError(
            f"this bridge needs {package}, which is {state}",
            help=f"pip install 'rainbowdp[{extra}]'",
            package=package,
        ) from error


def epsilon_above(privacy: PureDP | ApproxDP, steps: int = 1) -> float:
    """Return the least float that is not below epsilon times a number of steps.

    Parameters
    ----------
    privacy : PureDP or ApproxDP
        The notion between neighbors.
    steps : int
        How many steps apart two datasets are.

    Returns
    -------
    float

    References
    ----------
    Dwork and Roth 2014, theorem 2.2 (group privacy).

    Examples
    --------
    >>> epsilon_above(PureDP("0.1"), 3), epsilon_above(PureDP("ln 2"))
    (0.30000000000000004, 0.6931471805599454)
    """
    epsilon = privacy.epsilon
    if isinstance(epsilon, Log):
        return round_ball(lambda: exponent_ball(epsilon) * steps, "up")
    return to_float(epsilon * steps, "up")


def delta_above(privacy: PureDP | ApproxDP, steps: int = 1) -> float:
    """Return a float that is not below the delta of two datasets some steps apart, at most 1.

    It goes with `epsilon_above` for the same steps, and is delta (E^steps - 1) / (E - 1) with E = e^epsilon.

    Parameters
    ----------
    privacy : PureDP or ApproxDP
        The notion between neighbors.
    steps : int
        How many steps apart two datasets are.

    Returns
    -------
    float

    References
    ----------
    Vadhan, The Complexity of Differential Privacy, 2017, lemma 2.2, before its sum is rounded up.

    Examples
    --------
    >>> delta_above(ApproxDP("ln 2", "1/8"), 2), delta_above(ApproxDP(0, "1/8"), 3), delta_above(PureDP(1), 9)
    (0.375, 0.375, 0.0)
    """
    delta, epsilon = privacy.delta, privacy.epsilon
    if delta == 0 or steps == 0:
        return 0.0
    if epsilon == 0 or steps == 1:
        return min(1.0, to_float(steps * delta, "up"))
    if epsilon_above(privacy, steps) > _LARGEST_EXPONENT:
        # The delta of such a group is 1 for every delta that a float can hold.
        return 1.0

    def group() -> flint.arb:
        rate = exponent_ball(epsilon)
        return rational_ball(delta) * (rate * steps).expm1() / rate.expm1()

    def rational() -> Fraction | None:
        odds = privacy.odds
        if not isinstance(odds, Fraction) or steps > _LARGEST_POWER:
            return None
        return delta * (odds**steps - 1) / (odds - 1)

    return min(1.0, round_ball(group, "up", rational))


def rho_above(privacy: GaussianDP, steps: int = 1) -> float:
    """Return the least float not below (steps mu)^2 / 2, the zero-concentrated figure of Gaussian privacy.

    Parameters
    ----------
    privacy : GaussianDP
        The notion between neighbors.
    steps : int
        How many steps apart two datasets are.

    Returns
    -------
    float

    References
    ----------
    Dong, Roth and Su 2022: a mechanism of Gaussian privacy mu is a post-processing of N(0,1) against N(mu,1),
    whose Renyi divergence of order a is a mu^2 / 2 (Bun and Steinke 2016, lemma 2.4).

    Examples
    --------
    >>> rho_above(GaussianDP("1/2")), rho_above(GaussianDP("1/2"), 2)
    (0.125, 0.5)
    """
    mu = privacy.mu
    if isinstance(mu, Fraction):
        return to_float((mu * steps) ** 2 / 2, "up")
    return round_ball(lambda: (exponent_ball(mu) * steps) ** 2 / 2, "up")


def gaussian_epsilon(privacy: GaussianDP, delta: Number, steps: int = 1) -> float:
    """Return an epsilon at which Gaussian privacy has at most a delta; the least one, up to 2^-48 relatively.

    Parameters
    ----------
    privacy : GaussianDP
        The notion between neighbors.
    delta : number or text
        Above 0, at most 1.
    steps : int
        How many steps apart two datasets are.

    Returns
    -------
    float
        Rounded up: the delta of this very float is proven to be small enough.

    Raises
    ------
    PrivacyParameterError
        If delta is not in (0, 1]: no finite epsilon has delta 0.
    NumberError
        If delta is not an exact number.

    References
    ----------
    Dong, Roth and Su 2022, on the epsilon and delta of mu.

    Examples
    --------
    >>> round(gaussian_epsilon(GaussianDP(1), "1e-6"), 4)
    4.8866
    """
    target = parse_fraction(delta)
    if not 0 < target <= 1:
        raise PrivacyParameterError(
            f"Gaussian privacy has no finite epsilon at delta {format_fraction(target)}",
            help="give a delta above 0 and at most 1, such as 1e-6",
            value=delta,
        )
    if steps == 0 or privacy.mu == 0:
        return 0.0

    def enough(epsilon: float) -> bool:
        def room() -> flint.arb:
            shift, loss = exponent_ball(privacy.mu) * steps, rational_ball(Fraction(epsilon))
            curve = normal_cdf(shift / 2 - loss / shift) - loss.exp() * normal_cdf(-shift / 2 - loss / shift)
            return rational_ball(target) - curve

        return shown_sign(room) == 1

    if enough(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
