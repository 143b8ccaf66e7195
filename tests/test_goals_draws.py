# SPDX-License-Identifier: Apache-2.0
"""Draws of mechanisms are the chances they say they have: every way a draw can go, and then samples.

`Ways` replaces the decisions inside a draw (a coin, an order, a number) by branches with their probabilities,
and goes through all of them. So the code of a draw gives a whole distribution, and an error of 1e-9 is
caught. That the decisions themselves are right is shown word by word, at the words where they turn.

Samples of the draws as they are see both together. They take 1,500 draws, so by `sampler_checks` a total
variation of 0.121 is caught for three answers and 0.126 for six, except in one case in a thousand; a right
mechanism fails once in a million times.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from bit_sources import ReplayBits
from goal_oracles import RELATIONS, flip, noisy_orders
from goal_oracles import letters as options
from mechanism_chances import floats, logarithm
from rainbowdp.goals import Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals import noisy_level as level_module
from rainbowdp.goals import noisy_order as order_module
from rainbowdp.goals import one_option as flip_module
from rainbowdp.goals.mechanism import Located
from rainbowdp.goals.noisy_level import NoisyLevel, NormalLevel
from rainbowdp.goals.one_option import Flip
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import (
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    Summary,
    level,
    ranking,
    winner,
)
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import bits as reals
from rainbowdp.sampling.bits import (
    BitSource,
    first_exceeding,
    geometric_size,
    is_below,
    normal_order,
    normal_place,
    shuffled,
    two_sided_geometric,
    uniform_below,
)
from sampler_checks import FALSE_ALARM, MISS

DRAWS = 1_500
_SIZES = 14


def whole(number: flint.arb) -> int:
    """Return the whole part of a number, if the ball around it knows that."""
    found = number.floor().unique_fmpz()
    assert found is not None
    return int(found)


class Ways:
    """All ways a draw can go: decisions are replayed from a script, and what follows them is tried next."""

    def __init__(self) -> None:
        self._script: list[int] = []
        self._at = 0
        self._open: list[list[int]] = []
        self.probability = 1.0

    def decide(self, chances: Sequence[float]) -> int:
        if self._at == len(self._script):
            possible = [at for at, chance in enumerate(chances) if chance > 0]
            self._open.extend([*self._script, at] for at in possible[1:])
            self._script.append(possible[0])
        chosen = self._script[self._at]
        self._at += 1
        self.probability *= chances[chosen]
        return chosen

    def distribution(self, draw: Callable[[], Any]) -> dict[Any, float]:
        """Return what a draw gives, with its probability."""
        found: dict[Any, float] = {}
        self._open = [[]]
        while self._open:
            self._script, self._at, self.probability = self._open.pop(), 0, 1.0
            drawn = draw()
            found[drawn] = found.get(drawn, 0.0) + self.probability
        return found

    def is_below(self, limit: Callable[[], flint.arb], _: BitSource) -> bool:
        chance = float(limit())
        return self.decide([1 - chance, chance]) == 1

    def shuffled(self, count: int, _: BitSource) -> list[int]:
        orders = [*itertools.permutations(range(count))]
        return [*orders[self.decide([1 / len(orders)] * len(orders))]]

    def uniform_below(self, count: int, _: BitSource) -> int:
        return self.decide([1 / count] * count)

    def bits(self, count: int) -> int:
        return self.decide([2.0**-count] * 2**count)

    def words(self, count: int) -> Any:  # noqa: ANN401 - never asked for
        raise AssertionError(count)

    def first_exceeding(self, masses: Callable[[], Sequence[flint.arb]], _: BitSource) -> int:
        reached = [0.0, *map(float, masses()), 1.0]
        return self.decide([after - before for before, after in itertools.pairwise(reached)])

    def geometric_size(self, rate: Callable[[], flint.arb], _: BitSource) -> int:
        ratio = math.exp(-float(rate()))
        tails = [ratio**size for size in range(_SIZES)]
        return 1 + self.decide([before - after for before, after in itertools.pairwise([*tails, 0.0])])

    def patched(self, monkeypatch: pytest.MonkeyPatch, *modules: Any) -> "Ways":  # noqa: ANN401 - modules
        for module in modules:
            for name in ("is_below", "shuffled", "uniform_below", "first_exceeding", "geometric_size"):
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, getattr(self, name))
        return self


def distance(one: dict[Any, float], other: dict[Any, float]) -> float:
    return math.fsum(abs(one.get(form, 0) - other.get(form, 0)) for form in one.keys() | other.keys()) / 2


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("counts", [(3, 5, 4), (5, 5, 2), (0, 0, 0), (9, 8, 8, 7)])
def test_every_way_a_flip_can_go_adds_up_to_its_chances(
    monkeypatch: pytest.MonkeyPatch, rows: int, neighbors: Neighbors, counts: tuple[int, ...]
) -> None:
    step = Fraction(3, 2)
    asked = Asked(winner("c", options(len(counts))), logarithm(step**rows), neighbors, rows)
    located = mechanism_of(asked).at(OptionCounts(counts))
    found = Ways().patched(monkeypatch, flip_module).distribution(located.draw)
    expected = dict(
        zip(options(len(counts)), map(float, flip(counts, step, neighbors == "change-one")), strict=True)
    )
    assert distance(found, expected) < 1e-12
    assert distance(found, floats(located)) < 1e-12


def test_a_flip_whose_weight_at_gap_1_is_off_by_0_015_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    # The weight that a draw uses is wrong, those of the chances are not.
    located = mechanism_of(Asked(winner("c", options(4)), PureDP("ln 2"))).at(OptionCounts((4, 5, 4, 2)))
    right = Flip.weight_ball

    def wrong(self: Flip, gap: int) -> flint.arb:
        return right(self, gap) + (flint.arb("0.015") if gap == 1 else 0)

    monkeypatch.setattr(Flip, "weight_ball", wrong)
    found = Ways().patched(monkeypatch, flip_module).distribution(located.draw)
    assert distance(found, floats(located)) > 0.006


@pytest.mark.parametrize(
    ("counts", "top", "as_set", "neighbors"),
    [
        ((1, 2), None, False, "add-remove"),
        ((3, 5, 4), None, False, "add-remove"),
        ((4, 4, 4), None, False, "change-one"),
        ((0, 2, 1), 2, False, "add-remove"),
        ((2, 0, 2), 2, True, "add-remove"),
    ],
)
def test_every_way_a_noisy_order_can_go_adds_up_to_its_chances(
    monkeypatch: pytest.MonkeyPatch,
    counts: tuple[int, ...],
    top: int | None,
    as_set: bool,
    neighbors: Neighbors,
) -> None:
    ratio, names = Fraction(1, 30), options(len(counts))
    odds = (1 / ratio) ** (2 if neighbors == "change-one" else 1)
    question = ranking("c", names, top=top, as_set=as_set)
    mechanism = order_module.NoisyOrder(Asked(question, logarithm(odds), neighbors))
    located = mechanism.at(OptionCounts(counts))
    monkeypatch.setattr("test_goals_draws._SIZES", 5)
    found = Ways().patched(monkeypatch, order_module).distribution(located.draw)
    expected: dict[Form, float] = {}
    for order, chance in noisy_orders(counts, ratio).items():
        form = question.named(order)
        expected[form] = expected.get(form, 0.0) + float(chance)
    # Sizes beyond five have 30^-5 of the chance.
    assert distance(found, expected) < 1e-7
    # Chances of orders are known to 2^-36 each.
    assert distance(expected, floats(located)) < 1e-10


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_way_noise_can_be_drawn_has_the_weight_of_its_sizes(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    eta = math.log(20)
    monkeypatch.setattr("test_goals_draws._SIZES", 2 if count > 3 else 3)
    ways = Ways().patched(monkeypatch, order_module)
    source = ReplayBits(1)
    found = ways.distribution(
        lambda: tuple(order_module.centered_noise(count, lambda: flint.arb(20).log(), source))
    )
    assert math.fsum(found.values()) == pytest.approx(1, abs=1e-12)
    nothing = found[(0,) * count]
    for noise, chance in found.items():
        assert sorted(noise)[(count - 1) // 2] == 0
        if max(map(abs, noise)) < _SIZES:
            assert chance == pytest.approx(nothing * math.exp(-eta * sum(map(abs, noise))), rel=1e-9)
    small = [
        noise for noise in itertools.product((-1, 0, 1), repeat=count) if sorted(noise)[(count - 1) // 2] == 0
    ]
    assert set(small) <= found.keys()


@pytest.mark.parametrize("count", [7, 8, 12])
def test_every_way_a_noisy_level_can_go_adds_up_to_its_chances(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    asked = Asked(level("c", equals="A", edges=[8, 10, 13]), PureDP("ln 400"), "change-one", 2)
    located = NoisyLevel(asked).at(MatchCount(count, 30))
    ways = Ways().patched(monkeypatch, reals, level_module)
    found = ways.distribution(lambda: located.draw(ways))
    assert distance(found, floats(located)) < 1e-12


class Script:
    """Bits one after the other as they are written, whatever is asked for at once; then an error."""

    def __init__(self, *parts: tuple[int, int]) -> None:
        self.left = "".join(f"{value:0{length}b}" for value, length in parts if length)

    def bits(self, count: int) -> int:
        assert count <= len(self.left), f"asked for {count} bits, {len(self.left)} are left"
        taken, self.left = self.left[:count], self.left[count:]
        return int(taken or "0", 2)

    def words(self, count: int) -> Any:  # noqa: ANN401 - never asked for
        raise AssertionError(count)


_ONES = (1 << 64) - 1


@pytest.mark.parametrize(
    "limit", [Fraction(1, 3), Fraction(2, 3), Fraction(1, 10**6), 1 - Fraction(1, 10**6)]
)
def test_a_coin_turns_at_the_word_of_its_probability_and_asks_on_there_alone(limit: Fraction) -> None:
    def ball() -> flint.arb:
        return flint.arb(limit.numerator) / limit.denominator

    turn = math.floor(limit * 2**64)
    for word, expected in ((0, True), (turn - 1, True), (turn + 1, False), (_ONES, False)):
        source = Script((word, 64))
        assert is_below(ball, source) is expected
        assert not source.left
    # The word itself does not decide: the next one does, and where that does not, the next two.
    after = math.floor(limit * 2**128) - (turn << 64)
    for word, expected in ((after - 1, True), (after + 1, False)):
        source = Script((turn, 64), (word, 64))
        assert is_below(ball, source) is expected
        assert not source.left
    last = math.floor(limit * 2**256) - (turn << 192) - (after << 128)
    for word, expected in ((last - 1, True), (last + 1, False)):
        assert is_below(ball, Script((turn, 64), (after, 64), (word, 128))) is expected


def test_coins_of_0_and_1_never_show_the_other_side() -> None:
    for word in (0, 1, 1 << 63, _ONES):
        assert is_below(lambda: flint.arb(1), Script((word, 64)))
        assert not is_below(lambda: flint.arb(0), Script((word, 64)))
    # A number below 1/2^64 is told from 0, and one as close to 1 from 1.
    tiny = flint.arb(2) ** -100
    assert is_below(lambda: tiny, Script((0, 64), (0, 64)))
    assert not is_below(lambda: tiny, Script((0, 64), (_ONES, 64)))
    assert not is_below(lambda: 1 - tiny, Script((_ONES, 64), (_ONES, 64)))


def test_an_irrational_coin_turns_where_256_bits_say() -> None:
    def irrational() -> flint.arb:
        return (-flint.arb(7) / 10).exp()

    with flint.ctx.workprec(512):
        scaled = irrational() * flint.arb(2) ** 256
        digits = whole(scaled)
    for step, expected in ((-1, True), (1, False)):
        assert is_below(irrational, Script((digits + step, 256))) is expected


def test_the_first_mass_above_a_number_is_found_and_equal_masses_leave_nothing_between() -> None:
    def masses() -> list[flint.arb]:
        return [flint.arb(1) / 4, flint.arb(1) / 4, flint.arb(1) / 3, flint.arb(1)]

    quarter, third = 1 << 62, (1 << 64) // 3
    for word, place in ((0, 0), (quarter - 1, 0), (quarter, 2), (third - 1, 2), (third + 1, 3), (_ONES, 3)):
        assert first_exceeding(masses, Script((word, 64))) == place
    # 1/3 is 0.0101... in base 2: after the undecided word, what is above it again decides.
    assert first_exceeding(masses, Script((third, 64), (third + 1, 64))) == 3
    assert first_exceeding(masses, Script((third, 64), (third - 1, 64))) == 2
    assert first_exceeding(list, Script((5, 64))) == 0


def test_numbers_below_a_count_are_uniform_by_all_their_bits() -> None:
    for count in range(1, 18):
        length = (count - 1).bit_length()
        drawn = []
        for value in range(1 << length):
            source = Script((value, length), (0, length))
            drawn.append(uniform_below(count, source))
            # What is too large is thrown away, and asked again.
            assert len(source.left) == (length if value < count else 0)
        assert drawn == [*range(count), *([0] * ((1 << length) - count))]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_orders_are_uniform_over_all_that_is_drawn(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    ways = Ways()
    monkeypatch.setattr(reals, "uniform_below", ways.uniform_below)
    found = ways.distribution(lambda: tuple(shuffled(count, ReplayBits(1))))
    assert found.keys() == set(itertools.permutations(range(count)))
    assert all(chance == pytest.approx(1 / math.factorial(count), rel=1e-12) for chance in found.values())


@pytest.mark.parametrize("rate", ["0.1", "0.6931", "3", "50"])
def test_sizes_turn_at_the_powers_of_the_ratio(rate: str) -> None:
    def ball() -> flint.arb:
        return flint.arb(rate)

    # Greater than i with probability e^(-rate i): for all words below 2^64 times that.
    with flint.ctx.workprec(512):
        turns = [whole(flint.arb(2) ** 256 * (-flint.arb(rate) * size).exp()) for size in (1, 2, 3)]
    for size, turn in enumerate(turns, start=1):
        assert geometric_size(ball, Script((turn + (1 << 128), 256))) <= size
        assert geometric_size(ball, Script((turn - (1 << 10), 256))) >= size + 1
    assert geometric_size(ball, Script((_ONES, 64))) == 1
    # A number that begins with 64 zeros is not taken for 0.
    size = geometric_size(ball, Script((0, 64), (1, 64), (0, 128)))
    assert size == 1 + math.floor(128 * math.log(2) / float(rate))


def test_sizes_of_the_smallest_rates_take_no_longer_and_are_right_to_the_last_digit() -> None:
    def ball() -> flint.arb:
        return flint.arb("1e-300")

    source = ReplayBits(3)
    sizes = [geometric_size(ball, source) for _ in range(200)]
    assert all(10**296 < size < 10**303 for size in sizes)
    # The mean is 1e300, its standard error 1/sqrt(200) of that.
    assert 0.6 < sum(sizes) / 200 / 10**300 < 1.4
    half = geometric_size(ball, Script((1 << 63, 64), *[(0, 64)] * 63))
    with flint.ctx.workprec(4096):
        # The number is 1/2 or just above it.
        expected = whole(flint.arb(2).log() * flint.arb(10) ** 300)
    assert half == 1 + expected


def test_a_two_sided_number_is_0_or_a_size_with_a_sign() -> None:
    # P(not 0) = 2 x/(1 + x) = 2/3 for x = 1/2.
    third = 2**64 * 2 // 3

    def ball() -> flint.arb:
        return flint.arb(2).log()

    assert two_sided_geometric(ball, Script((third + 1, 64))) == 0
    assert two_sided_geometric(ball, Script((third - 1, 64), (_ONES, 64), (1, 1))) == 1
    assert two_sided_geometric(ball, Script((0, 64), ((1 << 62) + 1, 64), (0, 1))) == -2


def test_normal_numbers_are_compared_as_soon_as_they_differ_and_never_before() -> None:
    def spread() -> flint.arb:
        return flint.arb(1)

    low, high = (1 << 62, 64), (3 << 62, 64)
    assert normal_order([0, 0], spread, Script(low, high)) == [1, 0]
    assert normal_order([5, 0], spread, Script(low, high)) == [0, 1]
    # Equal so far: both are refined, and the bits that follow decide, whichever of them is asked first.
    for begin in (low, (0, 64), (_ONES, 64)):
        orders = [
            normal_order([0, 0], spread, Script(begin, begin, *rest))
            for rest in (((9, 64), (7, 64)), ((7, 64), (9, 64)))
        ]
        assert sorted(orders) == [[0, 1], [1, 0]]
        # Numbers next to each other are not told apart yet: their ends touch.
        further = [((7, 64), (8, 64), (5, 128), (0, 128)), ((8, 64), (7, 64), (0, 128), (5, 128))]
        assert sorted(normal_order([0, 0], spread, Script(begin, begin, *rest)) for rest in further) == [
            [0, 1],
            [1, 0],
        ]
    # No end below is known of all zeros, and none above of all ones.
    assert normal_order([0, 0], spread, Script((0, 64), (_ONES, 64))) == [1, 0]
    assert normal_order([10**9, 0], spread, Script((1, 64), (_ONES - 1, 64))) == [0, 1]
    with pytest.raises(AssertionError, match="asked for 64 bits, 0 are left"):
        normal_order([0, 0], spread, Script(low, low))


def test_a_normal_number_lies_between_the_edges_that_its_quantile_says() -> None:
    def spread() -> flint.arb:
        return flint.arb(2)

    edges = [Fraction(-1), Fraction(0), Fraction(5, 2)]
    with flint.ctx.workprec(300):
        reached = [
            (1 + (flint.arb(edge.numerator) / edge.denominator / 2 / flint.arb(2).sqrt()).erf()) / 2
            for edge in edges
        ]
        turns = [
            whole(flint.arb(2) ** 64 * mass) if edge else 1 << 63
            for mass, edge in zip(reached, edges, strict=True)
        ]
    for above, turn in enumerate(turns):
        assert normal_place(0, edges, spread, Script((turn - 2, 64))) == above
        assert normal_place(0, edges, spread, Script((turn + 2, 64))) == above + 1
    # The median itself is approached from above and never decided by zeros alone.
    assert normal_place(0, edges, spread, Script((1 << 63, 64), (1, 64))) == 2
    assert normal_place(10, edges, spread, Script((1 << 63, 64))) == 3
    assert normal_place(0, edges, spread, Script((0, 64), (1, 64))) == 0
    assert normal_place(0, edges, spread, Script((_ONES, 64), (1, 64))) == 3


def _assert_sample(drawn: Sequence[Any], chances: dict[Any, float]) -> None:
    """Fail a sample as `sampler_checks` does, with the threshold for as many draws as there are."""
    assert set(drawn) <= {form for form, chance in chances.items() if chance > 0}
    shares = {form: drawn.count(form) / len(drawn) for form in chances}
    threshold = math.sqrt(math.log(max(2 ** len(chances) - 2, 1) / FALSE_ALARM) / (2 * len(drawn)))
    assert distance(shares, chances) < threshold


def smallest_caught(colors: int, draws: int) -> float:
    events = max(2**colors - 2, 1)
    return math.sqrt(math.log(events / FALSE_ALARM) / (2 * draws)) + math.sqrt(
        math.log(1 / MISS) / (2 * draws)
    )


THREE = OptionCounts((3, 5, 4))
SAMPLED: dict[str, tuple[Question, Privacy, Neighbors, int, Goal, Summary]] = {
    "flip, joining": (winner("c", options(3)), PureDP("0.5"), "add-remove", 1, "typical", THREE),
    "flip, changing": (winner("c", options(3)), PureDP(1), "change-one", 2, "typical", THREE),
    "flip, epsilon 0": (winner("c", options(3)), PureDP(0), "change-one", 1, "typical", THREE),
    "guarantee": (winner("c", options(3)), ApproxDP("0.5", "1/50"), "change-one", 1, "guarantee", THREE),
    "noisy order": (ranking("c", options(3)), PureDP("0.5"), "add-remove", 1, "typical", THREE),
    "set of two": (
        ranking("c", options(3), top=2, as_set=True),
        PureDP("0.5"),
        "add-remove",
        1,
        "typical",
        THREE,
    ),
    "noisy order, epsilon 0": (ranking("c", options(3)), PureDP(0), "add-remove", 1, "typical", THREE),
    "normal winner": (winner("c", options(3)), GaussianDP("0.5"), "add-remove", 1, "typical", THREE),
    "normal winner, mu 0": (winner("c", options(3)), GaussianDP(0), "add-remove", 1, "typical", THREE),
    "normal order": (ranking("c", options(3)), GaussianDP("0.5"), "change-one", 1, "typical", THREE),
}
LEVELS = level("c", equals="A", edges=[10, 14])


def sampled(name: str) -> Located:
    if name == "noisy level":
        return NoisyLevel(Asked(LEVELS, PureDP(1), "add-remove", 2)).at(MatchCount(12, 40))
    if name == "normal level":
        return NormalLevel(Asked(LEVELS, GaussianDP("0.5"), "add-remove", 1)).at(MatchCount(12, 40))
    question, privacy, neighbors, rows, goal, summary = SAMPLED[name]
    mechanism: QuestionMechanism = mechanism_of(Asked(question, privacy, neighbors, rows), goal)
    return mechanism.at(summary)


@pytest.mark.parametrize("name", [*SAMPLED, "noisy level", "normal level"])
def test_samples_have_the_chances(name: str) -> None:
    located, source = sampled(name), ReplayBits(len(name))
    _assert_sample([located.draw(source) for _ in range(DRAWS)], floats(located))


def test_samples_of_this_size_catch_what_they_say() -> None:
    assert smallest_caught(3, DRAWS) < 0.121
    assert smallest_caught(6, DRAWS) < 0.126
    ideal = dict(zip("ABC", (0.2, 0.5, 0.3), strict=True))
    wrong = np.random.default_rng(1).choice([*"ABC"], size=DRAWS, p=[0.2, 0.38, 0.42]).tolist()
    with pytest.raises(AssertionError):
        _assert_sample(wrong, ideal)


@pytest.mark.parametrize("privacy", [PureDP("0.5"), GaussianDP("0.5")])
def test_of_a_thousand_options_the_far_leader_is_drawn_almost_surely(privacy: Privacy) -> None:
    names = [f"{at:04}" for at in range(1024)]
    counts = [at % 7 for at in range(1024)]
    counts[700] = 200
    located = mechanism_of(Asked(winner("c", names), privacy)).at(OptionCounts(tuple(counts)))
    source = ReplayBits(8)
    assert located.draw(source) == "0700"


def test_every_answer_that_is_drawn_is_accepted_and_nothing_else_is() -> None:
    for question, privacy, neighbors, rows, goal, summary in SAMPLED.values():
        mechanism = mechanism_of(Asked(question, privacy, neighbors, rows), goal)
        located = mechanism.at(summary)
        assert all(mechanism.accepts(form) for form in located.chances())
        assert mechanism.accepts(located.draw())
        assert not mechanism.accepts("D")
        assert not mechanism.accepts(("A", "A"))
        assert not mechanism.accepts(None)
        assert "private" in repr(located)
