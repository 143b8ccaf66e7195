# SPDX-License-Identifier: Apache-2.0
"""Random lines for tests, and two oracles for them that share no code with the package.

`iterate` applies the one-step rule again and again in fractions. `class_ball` writes the closed form of one
class down once more, for any epsilon and distance, in Arb balls of up to thousands of bits.
"""

from collections.abc import Sequence
from fractions import Fraction

import flint
from hypothesis import strategies as st

from rainbowdp.distribution import Distribution
from rainbowdp.exact import OddsExpression, ball
from rainbowdp.line import Line
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from rainbowdp.rainbow import Rainbow

ORACLE_BITS = (400, 1600, 6400)
_NEAR = flint.arb(2) ** -100
EPSILONS = ("0", "1e-300", "1e-12", "1e-9", "1e-3", "1/10", "ln(6/5)", "ln 2", "1", "3", "50", "700", "1e5")
DELTAS = ("0", "1e-300", "1e-12", "1e-6", "1/50", "1/3", "1")
MUS = ("0", "1e-12", "1e-9", "1e-3", "1/10", "ln 2", "1", "5", "40", "1e5")
RATIONAL_ODDS = ("21/20", "6/5", "3/2", "2", "3", "10")


def iterate(masses: Sequence[Fraction], odds: Fraction, delta: Fraction, steps: int) -> list[Fraction]:
    """Apply the one-step rule of (epsilon, delta) privacy to prefix masses, one step after the other."""
    current = list(masses)
    for _ in range(steps):
        current = [min(Fraction(1), odds * x + delta, 1 - (1 - x - delta) / odds) for x in current]
    return current


def exponent(privacy: PureDP | ApproxDP | GaussianDP) -> flint.arb:
    """Return epsilon or mu as a ball at the precision in force, read from its text."""
    text = str(privacy).split(",")[0].split("=")[1]
    if text.startswith("ln("):
        return ratio(text[3:-1]).log()
    return ratio(text)


def ratio(text: str | Fraction) -> flint.arb:
    number = Fraction(text)
    return flint.arb(flint.fmpq(number.numerator, number.denominator))


def odds_complement(mass: flint.arb, privacy: PureDP | ApproxDP, steps: int) -> flint.arb:
    """Return 1 - F at a distance, by the closed form of the design, cut at 0."""
    epsilon, delta = exponent(privacy), ratio(privacy.delta)
    if privacy.epsilon == 0:
        return (1 - mass - steps * delta).max(flint.arb(0))
    odds = epsilon.exp()
    shift = delta / epsilon.expm1()
    turning = (1 - delta) / (1 + odds)
    if mass + shift <= 0:
        return flint.arb(1)
    if mass > turning:
        threshold = 0
    else:
        bound = ((turning + shift) / (mass + shift)).log() / epsilon + 1
        if not (bound.is_finite() and bound.rad() < _NEAR):
            return flint.arb.nan()
        # Where the bound is a whole number, both regimes agree, and rounding may fall on either side.
        whole = (bound.mid() + _NEAR).floor().unique_fmpz()
        assert whole is not None
        threshold = min(int(whole), steps)
    power = (min(steps, threshold) * epsilon).exp()
    rest = 1 - power * mass - shift * (power - 1)
    fall = (-epsilon * (steps - threshold)).exp()
    return (fall * rest - shift * (1 - fall)).max(flint.arb(0))


def quantile(x: flint.arb) -> flint.arb:
    """Return the inverse of the normal distribution function by its symmetric form."""
    return (
        -(2 * x).erfcinv() * flint.arb(2).sqrt() if x < 0.5 else (2 * (1 - x)).erfcinv() * flint.arb(2).sqrt()
    )


def normal_complement(mass: flint.arb, privacy: GaussianDP, steps: int) -> flint.arb:
    """Return 1 - F at a distance under Gaussian privacy."""
    if mass <= 0 or mass >= 1 or privacy.mu == 0:
        return 1 - mass
    z = quantile(mass) + steps * exponent(privacy)
    return (z / flint.arb(2).sqrt()).erfc() / 2


def class_ball(
    rainbow: Rainbow, boundary: Distribution, privacy: PureDP | ApproxDP | GaussianDP, index: int, steps: int
) -> flint.arb:
    """Return a ball around the mass of one class at a distance, at the precision in force."""
    masses = boundary.prefix_masses(rainbow)

    def complement(prefix: int) -> flint.arb:
        if prefix == len(masses) - 1:
            return flint.arb(0)
        if prefix < 0:
            return flint.arb(1)
        mass = ball(masses[prefix])
        if isinstance(privacy, GaussianDP):
            return normal_complement(mass, privacy, steps)
        return odds_complement(mass, privacy, steps)

    return complement(index - 1) - complement(index)


def color_ball(line: Line, color: str, steps: int) -> flint.arb:
    """Return a ball around the probability of one color at a distance, at the precision in force."""
    index = line.rainbow.class_of(color)
    group = line.rainbow.classes[index]
    whole = ball(line.boundary.mass(group))
    if len(group) == 1:
        share = flint.arb(1)
    else:
        share = flint.arb(1) / len(group) if whole == 0 else ball(line.boundary[color]) / whole
    return class_ball(line.rainbow, line.boundary, line.privacy, index, steps) * share


_tiny = st.integers(0, 308).map(lambda power: Fraction(1, 10**power))
_small = st.integers(0, 20).map(Fraction)
_mixed = st.builds(lambda n, power: Fraction(n, 10**power), st.integers(0, 10**6), st.integers(0, 40))


@st.composite
def rainbows(draw: st.DrawFn, most: int = 5) -> Rainbow:
    """Draw a rainbow of up to `most` colors, with ties."""
    colors = draw(st.permutations([f"c{i}" for i in range(draw(st.integers(1, most)))]))
    classes: list[list[str]] = []
    for color in colors:
        if classes and draw(st.integers(0, 3)) == 0:
            classes[-1].append(color)
        else:
            classes.append([color])
    return Rainbow(classes)


@st.composite
def fraction_boundaries(draw: st.DrawFn, colors: Sequence[str]) -> Distribution:
    """Draw a rational distribution: ordinary, tiny or mixed weights, zeros among them."""
    weights = draw(
        st.lists(draw(st.sampled_from([_small, _tiny, _mixed])), min_size=len(colors), max_size=len(colors))
    )
    total = sum(weights, Fraction(0))
    if total == 0:
        return Distribution(dict.fromkeys(colors, Fraction(1, len(colors))))
    return Distribution({color: weight / total for color, weight in zip(colors, weights, strict=True)})


def randomized_response(colors: Sequence[str], own: str, odds: OddsExpression) -> Distribution:
    """Return randomized response in powers of the odds."""
    others = len(colors) - 1
    return Distribution({color: (odds if color == own else 1) / (odds + others) for color in colors})


odds_notions: st.SearchStrategy[PureDP | ApproxDP] = st.one_of(
    st.sampled_from(EPSILONS).map(PureDP),
    st.builds(ApproxDP, st.sampled_from(EPSILONS), st.sampled_from(DELTAS)),
)
rational_notions: st.SearchStrategy[ApproxDP] = st.builds(
    lambda odds, delta: ApproxDP(f"ln({odds})", delta),
    st.sampled_from(RATIONAL_ODDS),
    st.sampled_from(DELTAS),
)
normal_notions = st.sampled_from(MUS).map(GaussianDP)


@st.composite
def odds_lines(draw: st.DrawFn) -> tuple[Rainbow, Distribution, PureDP | ApproxDP]:
    """Draw a rainbow, a boundary (fractions or randomized response) and a notion with odds."""
    rainbow, privacy = draw(rainbows()), draw(odds_notions)
    odds = privacy.symbolic_odds
    if isinstance(odds, OddsExpression) and draw(st.integers(0, 3)) == 0:
        return (
            rainbow,
            randomized_response(rainbow.colors, draw(st.sampled_from(rainbow.colors)), odds),
            privacy,
        )
    return rainbow, draw(fraction_boundaries(rainbow.colors)), privacy


@st.composite
def normal_lines(draw: st.DrawFn) -> tuple[Rainbow, Distribution, GaussianDP]:
    """Draw a rainbow, a rational boundary and a Gaussian notion."""
    rainbow = draw(rainbows())
    return rainbow, draw(fraction_boundaries(rainbow.colors)), draw(normal_notions)
