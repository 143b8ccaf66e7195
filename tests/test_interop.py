# SPDX-License-Identifier: Apache-2.0
"""What all bridges share: they load nothing until they are used, and what they round is on the safe side."""

import math
import subprocess
import sys
from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp import ApproxDP, GaussianDP, PureDP
from rainbowdp.errors import PrivacyParameterError
from rainbowdp.exact import exponent_ball, rational_ball, working_precision
from rainbowdp.interop import delta_above, epsilon_above, gaussian_epsilon, rho_above

MISSING = """
import sys
from rainbowdp import PureDP
import rainbowdp.interop.{module} as bridge
from rainbowdp.errors import MissingExtraError
others = {{"opendp", "diffprivlib", "dp_accounting", "sklearn"}}
print(sorted(others & set(sys.modules)))
sys.modules["{library}"] = None
try:
    bridge.{call}
except MissingExtraError as error:
    print(error.help)
"""


@pytest.mark.parametrize(
    ("module", "library", "call"),
    [
        ("accounting", "dp_accounting.pld", "privacy_loss(PureDP(1))"),
        ("diffprivlib", "diffprivlib", "pay(PureDP(1))"),
        ("opendp", "opendp.prelude", "register()"),
    ],
)
def test_a_bridge_loads_the_other_library_only_when_it_is_used_and_names_the_extra(
    module: str, library: str, call: str
) -> None:
    program = MISSING.format(module=module, library=library, call=call)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout == f"[]\npip install 'rainbowdp[{module}]'\n"


@given(st.fractions(0, 20, max_denominator=10**6), st.integers(0, 50))
def test_epsilon_of_a_group_is_the_least_float_above(epsilon: Fraction, steps: int) -> None:
    found = epsilon_above(PureDP(epsilon), steps)
    assert Fraction(math.nextafter(found, -1)) < epsilon * steps <= Fraction(found)


@given(st.fractions(0, 1, max_denominator=10**6), st.integers(0, 30), st.integers(2, 9))
def test_delta_of_a_group_is_the_least_float_above(delta: Fraction, steps: int, odds: int) -> None:
    exact = Fraction(0)
    for _ in range(steps):
        exact = odds * exact + delta
    found = delta_above(ApproxDP(f"ln {odds}", delta), steps)
    assert Fraction(math.nextafter(found, -1)) < min(exact, Fraction(1)) <= Fraction(found) <= 1


def test_delta_of_a_group_under_irrational_odds_is_enclosed() -> None:
    found = delta_above(ApproxDP("1/3", "1e-9"), 4)
    with working_precision(300):
        odds = (flint.arb(1) / 3).exp()
        exact = (1 + odds + odds**2 + odds**3) / 10**9
        assert flint.arb(math.nextafter(found, 0)) < exact < flint.arb(found)
    assert delta_above(ApproxDP("1/3", "1/1024"), 1) == 2**-10


def test_groups_without_end_reveal_everything_in_no_time() -> None:
    assert delta_above(ApproxDP("1/2", "1e-300"), 10**18) == 1
    assert delta_above(ApproxDP("ln(1000001/1000000)", "1e-300"), 10**12) == 1
    assert epsilon_above(PureDP(10**6), 10**400) == math.inf
    assert rho_above(GaussianDP(10**6), 10**400) == math.inf


def test_rho_is_rounded_up() -> None:
    assert Fraction(math.nextafter(rho_above(GaussianDP("1/3")), 0)) < Fraction(1, 18)
    assert Fraction(rho_above(GaussianDP("1/3"))) >= Fraction(1, 18)
    assert rho_above(GaussianDP("ln 2"), 2) == pytest.approx(2 * math.log(2) ** 2, rel=1e-15)


@pytest.mark.parametrize("mu", ["1/10", "1", "ln 8", "4"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-9", "1e-40"])
def test_epsilon_and_delta_of_gaussian_privacy_fit_each_other(mu: str, delta: str) -> None:
    privacy = GaussianDP(mu)
    epsilon = gaussian_epsilon(privacy, delta)

    def phi(z: flint.arb) -> flint.arb:
        return (-z / flint.arb(2).sqrt()).erfc() / 2

    def delta_at(loss: flint.arb) -> flint.arb:
        shift = exponent_ball(privacy.mu)
        return phi(shift / 2 - loss / shift) - loss.exp() * phi(-shift / 2 - loss / shift)

    with working_precision(400):
        target = rational_ball(Fraction(delta))
        assert delta_at(flint.arb(epsilon)) < target < delta_at(flint.arb(epsilon * (1 - 2**-40)))


def test_gaussian_privacy_of_groups_at_large_deltas_and_at_none() -> None:
    for delta in ("1e-3", "1e-9"):
        assert gaussian_epsilon(GaussianDP("1/3"), delta, 2) == gaussian_epsilon(GaussianDP("2/3"), delta)
    assert gaussian_epsilon(GaussianDP("1/10"), "1/2") == 0
    assert gaussian_epsilon(GaussianDP(0), "1e-9") == 0
    with pytest.raises(PrivacyParameterError, match="no finite epsilon at delta 0"):
        gaussian_epsilon(GaussianDP(1), 0)
