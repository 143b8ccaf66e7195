# SPDX-License-Identifier: Apache-2.0
"""Naming categories: the published recurrence and values, exact draws, and streams of any length."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bit_sources import FixedBits, ReplayBits
from rainbowdp.errors import NumberError, PrivacyParameterError, UsageError
from rainbowdp.exact import Log, enclose, exponent_ball, to_float
from rainbowdp.keys import BLOCK, keep_probability, key_mechanism, key_table, select_keys
from rainbowdp.privacy import ApproxDP
from sampler_checks import DRAWS, passes

STREAMED = 30_000


def recurrence(odds: float, delta: float, people: int) -> float:
    """Return p_people by the recurrence as published, in floats."""
    keep = 0.0
    for _ in range(people):
        keep = min(odds * keep + delta, 1 - (1 - keep - delta) / odds, 1)
    return keep


def test_published_values_for_half_and_two_percent() -> None:
    expected = {1: 0.02, 6: 0.58840484458, 8: 0.86807080625, 15: 1.0}
    for people, value in expected.items():
        assert to_float(keep_probability(people, "0.5", "0.02"), "nearest") == pytest.approx(value, abs=1e-10)
    mechanism = key_mechanism("0.5", "0.02")
    assert mechanism.certain_from == 12
    assert mechanism.keep_probability(11) < 1
    assert all(mechanism.keep_probability(people) == 1 for people in (12, 13, 14, 15))


@given(
    st.floats(0.01, 3).map(lambda value: round(value, 3)),
    st.floats(1e-6, 0.5).map(lambda value: float(f"{value:.3g}")),
    st.integers(0, 300),
)
def test_the_closed_form_is_the_recurrence(epsilon: float, delta: float, people: int) -> None:
    value = to_float(keep_probability(people, epsilon, delta), "nearest")
    assert value == pytest.approx(recurrence(math.exp(epsilon), delta, people), abs=1e-9)


@given(st.integers(1, 6), st.integers(2, 5), st.integers(2, 50))
def test_no_neighbor_breaks_the_constraint_and_each_step_is_tight(keys: int, odds: int, most: int) -> None:
    mechanism = key_mechanism(Log(Fraction(odds**keys)), Fraction(keys, 100), keys)
    delta = Fraction(1, 100)
    assert mechanism.privacy == ApproxDP(Log(Fraction(odds)), delta)
    values = [mechanism.keep_probability(people) for people in range(most)]
    for p, q in itertools.pairwise(values):
        assert isinstance(p, Fraction)
        assert isinstance(q, Fraction)
        slack = [odds * p + delta - q, odds * (1 - q) + delta - (1 - p)]
        assert min(slack) >= 0
        # Every step is as large as the constraint allows, until certainty.
        assert min(slack) == 0 or q == 1


def test_published_values_where_everything_is_rational() -> None:
    assert key_table("ln(3/2)", "0.1") == tuple(
        map(Fraction, ("0", "1/10", "1/4", "19/40", "43/60", "79/90", "133/135", "1"))
    )
    assert key_table("ln 2", "0.1") == tuple(map(Fraction, ("0", "0.1", "0.3", "0.7", "0.9", "1")))


def test_a_person_with_several_keys_splits_the_budget() -> None:
    assert key_table("ln 4", "0.2", 2) == key_table("ln 2", "0.1")
    assert key_table(1, "0.2", 4) == key_table("1/4", "0.05")
    assert keep_probability(0, 1, "0.1", 5) == 0
    assert keep_probability(1, 1, "0.1", 5) == Fraction(1, 50)


def test_an_irrational_share_is_rounded_down_and_costs_no_more_than_allowed() -> None:
    share = key_mechanism("ln 2", "1e-3", 3).privacy.epsilon
    assert isinstance(share, Fraction)
    assert share.denominator <= 2**64
    lower, upper = enclose(Fraction(share), 80)
    exact = math.log(2) / 3
    assert float(upper) == pytest.approx(exact, abs=1e-15)
    assert Fraction(share * 3) < Fraction(6931471805599453095, 10**19)
    assert lower <= share <= upper
    smaller = key_mechanism("ln(3/2)", "1e-3", 9).privacy.epsilon
    assert isinstance(smaller, Fraction)
    assert smaller < Fraction(1, 20)
    assert exponent_ball(key_mechanism("ln 8", "1e-3", 3).privacy.epsilon) > 0.69


def test_far_away_probabilities_need_no_memory() -> None:
    mechanism = key_mechanism("1e-5", "1e-12")
    assert mechanism.certain_from > 10**6
    assert 0 < mechanism.keep_probability(10**6) < 1
    assert mechanism.keep_probability(10**30) == 1
    assert key_mechanism("ln(1000001/1000000)", "1e-9").keep_probability(400_000) < Fraction(1, 2)
    assert len(key_table("1e-5", "1e-12", most=50)) == 50


@pytest.mark.parametrize("people", [-1, 1.5, "3", None, True])
def test_a_wrong_number_of_people_is_refused_without_showing_it(people: object) -> None:
    with pytest.raises(UsageError) as caught:
        keep_probability(people, 1, "0.1")  # type: ignore[arg-type]  # what is refused
    assert str(people) not in caught.value.report().replace("RDP901", "")
    with pytest.raises(UsageError):
        list(select_keys([("a", people)], 1, "0.1"))  # type: ignore[list-item]  # what is refused


def test_other_parameters_that_make_no_sense_are_refused() -> None:
    with pytest.raises(PrivacyParameterError, match="epsilon"):
        key_mechanism(-1, "0.1")
    with pytest.raises(NumberError):
        key_mechanism("half", "0.1")
    for keys in (0, -1, 1.5, True):
        with pytest.raises(UsageError, match="categories at most"):
            key_mechanism(1, "0.1", keys)  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize("people", [6, *(pytest.param(each, marks=pytest.mark.release) for each in (1, 11))])
def test_draws_have_the_declared_probability(people: int) -> None:
    keep = to_float(keep_probability(people, "0.5", "0.02"), "nearest")
    stream = ((str(at), people) for at in range(DRAWS))
    kept = sum(1 for _ in select_keys(stream, "0.5", "0.02", bits=ReplayBits(people)))
    assert passes(np.array([DRAWS - kept, kept]), [1 - keep, keep])


def test_different_keys_of_one_stream_are_drawn_by_their_own_probability() -> None:
    """Counts of people alternate, so a draw that looked at another key's number would be seen."""
    numbers = (0, 1, 5, 6, 8, 20)
    stream = ((f"{people}", people) for _ in range(STREAMED) for people in numbers)
    counts = dict.fromkeys(map(str, numbers), 0)
    for key in select_keys(stream, "0.5", "0.02", bits=ReplayBits(7)):
        counts[key] += 1
    assert counts["0"] == 0
    assert counts["20"] == STREAMED
    for people in (1, 5, 6, 8):
        keep = to_float(keep_probability(people, "0.5", "0.02"), "nearest")
        drawn = counts[str(people)]
        assert abs(drawn / STREAMED - keep) < 5 * math.sqrt(keep * (1 - keep) / STREAMED)


def test_nobody_is_never_named_and_many_always_whatever_the_bits() -> None:
    stream = [("nobody", 0), ("many", 15), ("most", 10**40)]
    assert list(select_keys(stream, "0.5", "0.02", bits=FixedBits([]))) == ["many", "most"]


def test_a_word_at_the_edge_asks_for_more_bits() -> None:
    """With keep probability 7/10, drop is [0, 3/10): the word around 0.3 * 2^64 does not decide alone."""
    edge = 3 * 2**64 // 10
    for following, kept in ((0, False), (2**64 - 1, True)):
        bits = FixedBits([edge, following])
        assert list(select_keys([("a", 3)], "ln 2", "0.1", bits=bits)) == ["a"] * kept
        assert bits.left == []
    for word, kept in ((edge - 1, False), (edge + 1, True), (0, False), (2**64 - 1, True)):
        assert list(select_keys([("a", 3)], "ln 2", "0.1", bits=FixedBits([word]))) == ["a"] * kept


def test_the_stream_is_read_block_by_block_and_keeps_its_order() -> None:
    read = 0

    def stream() -> Iterator[tuple[str, int]]:
        nonlocal read
        for at in range(5 * BLOCK):
            read += 1
            yield f"{at:09}", at % 40

    keys = select_keys(stream(), "0.5", "0.02", bits=ReplayBits(1))
    assert read == 0
    first = list(itertools.islice(keys, 10))
    assert read == BLOCK
    rest = list(keys)
    assert read == 5 * BLOCK
    assert [*first, *rest] == sorted([*first, *rest])
