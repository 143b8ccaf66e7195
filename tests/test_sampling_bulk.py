# SPDX-License-Identifier: Apache-2.0
"""Many draws at once: the same words give the same colors as exact draws one by one."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bit_sources import FixedBits, ReplayBits
from rainbowdp.distribution import Distribution
from rainbowdp.line import Line
from rainbowdp.mechanism import STATED_RELATIVE, LineRows, Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow
from rainbowdp.sampling import bulk, sample_all
from rainbowdp.sampling.bulk import BLOCK, EXACT_ROWS, TABLE_ERROR, _Thresholds, draw_rows
from rainbowdp.sampling.cumulative import CumulativeMasses
from rainbowdp.sampling.draw import settle
from sampler_checks import CAUGHT, DRAWS, count_colors, ideal_of, passes, total_variation
from sampling_rows import LARGEST, ROWS, T, row


class LazyRows(Sequence[Distribution]):
    """The same rows, which remember who was asked for."""

    def __init__(self, rows: Sequence[Distribution]) -> None:
        self._rows, self.asked = rows, list[int]()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Distribution:  # type: ignore[override]  # slices are never asked for
        self.asked.append(index)
        return self._rows[index]


def one_by_one(rows: Sequence[Distribution], classes: Sequence[int], words: Iterator[int]) -> list[int]:
    """Draw as `draw_rows` says it does, by exact single draws alone; words in the documented order."""
    drawn: list[int] = []
    masses = {index: CumulativeMasses(rows[index]) for index in set(classes)}
    for start in range(0, len(classes), BLOCK):
        block = classes[start : start + BLOCK]
        first = [next(words) for _ in block]
        for index, word in zip(block, first, strict=True):
            source = FixedBits([])
            source.bits = lambda count: next(words)  # type: ignore[method-assign]  # noqa: ARG005 - the rest of the stream
            drawn.append(settle(masses[index], word, 64, source))
    return drawn


def critical_words(distribution: Distribution) -> list[int]:
    """Return the words around every cumulative mass and both ends, which decide nothing or just so."""
    lower, upper = CumulativeMasses(distribution).cuts(64)
    near = {bound + step for bound in (0, *lower, *upper, LARGEST) for step in (-2, -1, 0, 1, 2)}
    return sorted(word for word in near if 0 <= word <= LARGEST)


@pytest.mark.parametrize("distribution", ROWS.values(), ids=ROWS)
def test_bulk_draws_are_exact_draws_on_the_words_that_matter(distribution: Distribution) -> None:
    critical = critical_words(distribution)
    further = ReplayBits(1).words(100).tolist()
    classes = np.zeros(len(critical), dtype=np.int32)
    drawn = draw_rows([distribution], classes, FixedBits(critical + further))
    assert drawn.tolist() == one_by_one([distribution], classes.tolist(), iter(critical + further))
    assert drawn.dtype == np.int32
    assert all(distribution[distribution.colors[position]] != 0 for position in set(drawn.tolist()))


def test_words_are_left_open_only_where_a_mass_is_touched() -> None:
    rows = [ROWS["thirds"], ROWS["dyadic"]]
    thresholds = _Thresholds.of(rows, np.arange(2))
    for place, distribution in enumerate(rows):
        words = np.array(critical_words(distribution), dtype=np.uint64)
        _, undecided = thresholds.decide(words, np.full(len(words), place))
        masses = CumulativeMasses(distribution)
        touched = [i for i, word in enumerate(words.tolist()) if masses.decide(word, 64) is None]
        assert undecided.tolist() == touched
        assert len(touched) == (2 if distribution is ROWS["thirds"] else 0)


def test_undecided_words_are_hit_and_take_exactly_one_more_word() -> None:
    third = ROWS["thirds"]
    floors = CumulativeMasses(third).cuts(64)[0]
    source = FixedBits([floors[0], 5, floors[1], floors[0], 0, LARGEST, LARGEST, 77])
    drawn = draw_rows([third], np.zeros(4, dtype=np.int32), source)
    # The second third is 0.1010..., the first one 0.0101...; the word after decides.
    assert drawn.tolist() == [0, 0, 2, 1]
    assert source.left == [77]


def test_blocks_follow_each_other_in_the_bit_stream() -> None:
    rows, count = list(ROWS.values()), BLOCK + 1000
    classes = ReplayBits(2).words(count).astype(np.int64) % len(rows)
    words = ReplayBits(3).words(count + 1000)
    for place in (0, 17, BLOCK - 1, BLOCK, count - 2):
        lower, _ = CumulativeMasses(rows[0]).cuts(64)
        words[place], classes[place] = lower[0], 0
    # The undecided words of the first block take three further words before the second block begins.
    stream = [*words[:BLOCK].tolist(), 0, LARGEST, 0, *words[BLOCK:].tolist()]
    drawn = draw_rows(rows, classes.astype(np.int32), FixedBits(stream))
    assert drawn.tolist() == one_by_one(rows, classes.tolist(), iter(stream))
    assert drawn[[0, 17, BLOCK - 1]].tolist() == [0, 1, 0]


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any).map(lambda w: row(*w)),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_bulk_draws_are_exact_draws_for_random_rows(rows: list[Distribution], data: st.DataObject) -> None:
    classes = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=12))
    words = [
        data.draw(st.one_of(st.sampled_from(critical_words(rows[index])), st.integers(0, LARGEST)))
        for index in classes
    ]
    stream = words + ReplayBits(4).words(50).tolist()
    drawn = draw_rows(rows, np.array(classes, dtype=np.int32), FixedBits(stream))
    assert drawn.tolist() == one_by_one(rows, classes, iter(stream))


def test_only_rows_that_occur_are_looked_at_once() -> None:
    rows = LazyRows([*ROWS.values()])
    classes = np.array([3, 3, 11, 3, 11], dtype=np.int32)
    draw_rows(rows, classes, ReplayBits(5))
    assert rows.asked == [3, 11]


@pytest.mark.parametrize("distribution", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("seed", [11, 12])
def test_a_million_draws_have_the_ideal_distribution(distribution: Distribution, seed: int) -> None:
    drawn = draw_rows([distribution], np.zeros(DRAWS, dtype=np.int32), ReplayBits(seed))
    total = sum(ideal_of(distribution))
    assert passes(count_colors(drawn, 3), [p / total for p in ideal_of(distribution)])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("thirds", row("103/300", "1/3", "97/300")),
        ("thirds", row("97/300", "103/300", "1/3")),
        ("dyadic", row("49/100", "77/200", "1/8")),
        ("dyadic", row("51/100", "73/200", "1/8")),
        ("zero between", row("1/7", "1/100", "593/700")),
        ("first certain", row("99/100", "1/100", 0)),
        ("odds", row(T / (T + 2) - Fraction(1, 100), 1 / (T + 2) + Fraction(1, 100), 1 / (T + 2))),
        ("odds", row(T / (T + 2) + Fraction(1, 100), 1 / (T + 2), 1 / (T + 2) - Fraction(1, 100))),
    ],
)
def test_the_same_code_with_probabilities_wrong_by_a_point_fails(name: str, wrong: Distribution) -> None:
    ideal = ideal_of(ROWS[name])
    assert total_variation(ideal, ideal_of(wrong)) == pytest.approx(CAUGHT, abs=1e-12)
    for seed in (21, 22):
        drawn = draw_rows([wrong], np.zeros(DRAWS, dtype=np.int32), ReplayBits(seed))
        assert not passes(count_colors(drawn, 3), ideal)


def pair_counts(drawn: NDArray[np.int32], lag: int) -> NDArray[np.int64]:
    """Return how often each pair of positions was drawn this far apart, over disjoint pairs."""
    pairs = drawn[: len(drawn) // (2 * lag) * 2 * lag].reshape(-1, 2, lag)
    return count_colors(3 * pairs[:, 0].ravel() + pairs[:, 1].ravel(), 9)


@pytest.mark.parametrize("lag", [1, 2, BLOCK])
def test_draws_are_independent_of_the_ones_before(lag: int) -> None:
    ideal = ideal_of(ROWS["odds"])
    drawn = draw_rows([ROWS["odds"]], np.zeros(2 * DRAWS, dtype=np.int32), ReplayBits(31))
    assert passes(pair_counts(drawn, lag), [p * q for p in ideal for q in ideal])


def test_a_sampler_that_uses_some_words_twice_fails() -> None:
    ideal = ideal_of(ROWS["odds"])
    words = ReplayBits(32).words(2 * DRAWS)
    # Every word keeps the right distribution, but one pair in forty is a copy.
    words[1::80] = words[0::80]
    drawn = draw_rows([ROWS["odds"]], np.zeros(len(words), dtype=np.int32), FixedWords(words))
    assert passes(count_colors(drawn, 3), ideal)
    assert not passes(pair_counts(drawn, 1), [p * q for p in ideal for q in ideal])


class FixedWords(FixedBits):
    """Given words as an array, quick for millions of them."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        super().__init__([])
        self._words = words

    def words(self, count: int) -> NDArray[np.uint64]:
        taken, self._words = self._words[:count], self._words[count:]
        return taken


def deep_mechanism(privacy: Privacy, distances: NDArray[np.int32]) -> Mechanism:
    """Return the optimal mechanism of one line at these distances, with rows made on demand."""
    line = Line(
        Rainbow.parse("blue>red>green"), Distribution({"blue": "1/7", "green": "2/7", "red": "4/7"}), privacy
    )
    masked = np.ma.masked_array(distances, mask=np.zeros(len(distances), dtype=np.bool_))
    return Mechanism(
        colors=("blue", "green", "red"),
        codes=np.arange(len(distances), dtype=np.int32),
        class_rainbow=(line.rainbow,) * len(distances),
        class_distance=masked,
        rows=LineRows([line], [line.boundary], np.zeros(len(distances), dtype=np.int32), masked),
        precision="exact" if privacy.is_rational else "float64",
    )


@pytest.mark.parametrize(
    "privacy", [PureDP("ln(101/100)"), ApproxDP("1/50", "1/100000"), GaussianDP("1/100")], ids=str
)
def test_many_classes_are_drawn_as_exactly_as_few(privacy: Privacy, monkeypatch: pytest.MonkeyPatch) -> None:
    classes = 300
    monkeypatch.setattr(bulk, "EXACT_ROWS", classes - 1)
    mechanism = deep_mechanism(privacy, np.arange(classes, dtype=np.int32))
    words = ReplayBits(51).words(classes).tolist()
    for dataset in range(classes):
        # Words in the margin of the table, which must take the exact way, and words just outside it.
        lower, _ = CumulativeMasses(mechanism.rows[dataset]).cuts(64)
        step = [0, 1, -1, 2**33, -(2**33), 2**35, -(2**35)][dataset // 2 % 7]
        words[dataset] = min(max(lower[dataset % 2] + step, 0), LARGEST)
    stream = [*words, *ReplayBits(52).words(1000).tolist()]
    drawn = sample_all(mechanism, bits=FixedBits(stream))
    assert drawn.tolist() == one_by_one(mechanism.rows, range(classes), iter(stream))
    assert "table" in vars(mechanism)


def test_tables_are_asked_for_only_where_many_classes_occur() -> None:
    mechanism = deep_mechanism(PureDP("1/50"), np.arange(EXACT_ROWS + 1, dtype=np.int32))
    sample_all(mechanism, np.arange(100))
    assert "table" not in vars(mechanism)
    sample_all(mechanism)
    assert "table" in vars(mechanism)


def test_the_margin_around_a_table_holds_its_error_a_thousand_times() -> None:
    assert 900 * float(STATED_RELATIVE) < TABLE_ERROR
    distances = np.unique(np.geomspace(1, 10_000, 60).astype(np.int32))
    for privacy in (PureDP("ln(101/100)"), PureDP("1/50"), ApproxDP("1/50", "1/100000"), GaussianDP("1/100")):
        mechanism = deep_mechanism(privacy, distances)
        for row_exact, row_float in zip(mechanism.rows, mechanism.table, strict=True):
            for cut, mass in zip(CumulativeMasses(row_exact).cuts(64)[0], np.cumsum(row_float), strict=False):
                assert abs(cut / 2**64 - mass) < TABLE_ERROR / 900


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=1, max_size=4),
    st.data(),
)
def test_thresholds_of_a_table_only_leave_more_words_open(
    weights: list[list[int]], data: st.DataObject
) -> None:
    rows = [row(*w) for w in weights]
    exact = _Thresholds.of(rows, np.arange(len(rows)))
    near = _Thresholds.around(np.array(weights, dtype=np.float64))
    critical = sorted({word for distribution in rows for word in critical_words(distribution)})
    margins = [2**33, 2**34 - 2**12, 2**34 + 2**12, 2**35]
    picked = data.draw(st.lists(st.sampled_from(critical), min_size=1, max_size=30))
    moves = data.draw(
        st.lists(st.sampled_from([0, *margins, *(-m for m in margins)]), min_size=30, max_size=30)
    )
    words = [min(max(word + move, 0), LARGEST) for word, move in zip(picked, moves, strict=False)]
    places = np.arange(len(words)) % len(rows)
    wanted, open_exact = exact.decide(np.array(words, dtype=np.uint64), places)
    given_up, open_near = near.decide(np.array(words, dtype=np.uint64), places)
    assert set(open_exact.tolist()) <= set(open_near.tolist())
    decided = np.setdiff1d(np.arange(len(words)), open_near)
    assert given_up[decided].tolist() == wanted[decided].tolist()
