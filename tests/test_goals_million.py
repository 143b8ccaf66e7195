# SPDX-License-Identifier: Apache-2.0
"""A million draws of each mechanism of a question against its chances, by the test of `sampler_checks`.

An error of half a percentage point of total variation is caught, in whatever events it lies. This takes
minutes per mechanism, so it runs before a release; `test_goals_draws` goes through every way a draw can go.
"""

import flint
import numpy as np
import pytest

from bit_sources import ReplayBits
from goal_oracles import letters as options
from mechanism_chances import floats
from rainbowdp.goals import Asked, mechanism_of
from rainbowdp.goals.mechanism import Located
from rainbowdp.goals.one_option import Flip
from rainbowdp.privacy import GaussianDP, Privacy, PureDP
from rainbowdp.questions import MatchCount, OptionCounts, Question, winner, yes_no
from sampler_checks import DRAWS, passes, plan
from test_goals_draws import SAMPLED, sampled

pytestmark = pytest.mark.release

LINES: dict[str, tuple[Question, Privacy]] = {
    "yes-no, geometric": (yes_no("c", equals="A", share="1/2"), PureDP("0.5")),
    "yes-no, normal": (yes_no("c", equals="A", share="1/2"), GaussianDP("0.5")),
}


def located_of(name: str) -> Located:
    if name not in LINES:
        return sampled(name)
    question, privacy = LINES[name]
    return mechanism_of(Asked(question, privacy)).at(MatchCount(21, 40))


def passes_a_million(located: Located, seed: int) -> bool:
    ideal = floats(located)
    places = {form: at for at, form in enumerate(ideal)}
    source, counts = ReplayBits(seed), np.zeros(len(places), dtype=np.int64)
    for _ in range(DRAWS):
        counts[places[located.draw(source)]] += 1
    return passes(counts, [*ideal.values()])


@pytest.mark.parametrize("name", [*SAMPLED, "noisy level", "normal level", *LINES])
def test_a_million_draws_have_the_chances(name: str) -> None:
    located = located_of(name)
    assert plan(len(located.chances())).smallest_caught < 0.0051
    assert passes_a_million(located, len(name))


@pytest.mark.parametrize(("error", "expected"), [(0.0, True), (0.015, False)])
def test_a_million_draws_catch_a_flip_whose_weight_at_gap_1_is_off_by_0_015(
    monkeypatch: pytest.MonkeyPatch, error: float, expected: bool
) -> None:
    located = mechanism_of(Asked(winner("c", options(8)), PureDP("ln 16"))).at(OptionCounts((2, *[1] * 7)))
    right = Flip.weight_ball

    def shifted(self: Flip, gap: int) -> flint.arb:
        return right(self, gap) + (flint.arb(error) if gap == 1 else 0)

    # The draw uses the shifted weight; the chances are those of the right one.
    chances = floats(located)
    monkeypatch.setattr(Flip, "weight_ball", shifted)
    monkeypatch.setattr("test_goals_million.floats", lambda _: chances)
    assert passes_a_million(located, 9) is expected
