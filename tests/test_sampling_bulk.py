# SPDX-License-Identifier: Apache-2.0
"""Many draws at once: the same words give the same colors as exact draws one by one."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bit_sources import FixedBits, ReplayBits
from rainbowdp.distribution import Distribution
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.sampling import SystemBits, answers, sample_all, thresholds
from rainbowdp.sampling.answers import BLOCK, Method, draw_rows
from rainbowdp.sampling.thresholds import CumulativeMasses, settle
from sampler_checks import CAUGHT, DRAWS, count_colors, ideal_of, passes, total_variation
from sampling_rows import LARGEST, ROWS, T, critical_pairs, critical_words, on_line, row

FEW = 200


class LazyRows(Sequence[Distribution]):
    """The same rows, which remember who was asked for."""

    def __init__(self, rows: Sequence[Distribution]) -> None:
        self._rows, self.asked = rows, list[int]()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Distribution:  # type: ignore[override]  # slices are never asked for
        self.asked.append(index)
        return self._rows[index]


def open_bytes(distribution: Distribution) -> list[int]:
    """Return the bytes with which one of the two words at a cumulative mass begins."""
    lower, _ = CumulativeMasses(distribution).cuts(64)
    near = {min(bound + step, LARGEST) >> 56 for bound in lower for step in (0, 1)}
    return sorted(near)


def one_by_one(
    rows: Sequence[Distribution], classes: Sequence[int], source: FixedBits, method: Method
) -> list[int]:
    """Draw as `draw_rows` says it does, by exact single draws alone; words in the documented order."""
    drawn: list[int] = []
    masses = {index: CumulativeMasses(rows[index]) for index in set(classes)}
    is_open = {index: set(open_bytes(rows[index])) for index in masses}
    for start in range(0, len(classes), BLOCK):
        block = list(classes[start : start + BLOCK])
        if method == "constant":
            first, second = (source.words(len(block)).tolist() for _ in range(2))
            revealed = [(high << 64 | low, 128) for high, low in zip(first, second, strict=True)]
        else:
            read = source.words(-(-len(block) // 8)).astype("<u8").tobytes()
            revealed = [(byte, 8) for byte in read[: len(block)]]
            for place, (index, (byte, _)) in enumerate(zip(block, revealed, strict=True)):
                if byte in is_open[index]:
                    revealed[place] = (byte << 64 | source.bits(64), 72)
        for index, (known, length) in zip(block, revealed, strict=True):
            drawn.append(settle(masses[index], known, length, source))
    return drawn


def check(rows: Sequence[Distribution], classes: Sequence[int], stream: list[int], method: Method) -> None:
    """Require the colors of exact draws one by one, none that is impossible, and the words that they read."""
    source, again = FixedBits(stream), FixedBits(stream)
    drawn = draw_rows(rows, np.array(classes, dtype=np.int32), source, method)
    assert drawn.dtype == np.int32
    assert drawn.tolist() == one_by_one(rows, classes, again, method)
    assert source.left == again.left
    for index, position in set(zip(classes, drawn.tolist(), strict=True)):
        assert rows[index][rows[index].colors[position]] != 0


@pytest.fixture(params=["constant", "lazy"])
def method(request: pytest.FixtureRequest) -> Method:
    """Both methods."""
    chosen: Method = request.param
    return chosen


@pytest.fixture(params=["numpy", "compiled"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to run a method; compiled where the extra is installed."""
    monkeypatch.setattr(answers, "FEWEST_COMPILED", 0 if request.param == "compiled" else 1 << 60)
    return str(request.param)


@pytest.mark.parametrize("distribution", ROWS.values(), ids=ROWS)
@pytest.mark.usefixtures("way")
def test_constant_draws_are_exact_draws_on_the_words_that_matter(distribution: Distribution) -> None:
    revealed = critical_pairs(distribution)
    stream = [known >> 64 for known in revealed] + [known & LARGEST for known in revealed]
    stream += ReplayBits(1).words(100).tolist()
    check([distribution], [0] * len(revealed), stream, "constant")


@pytest.mark.parametrize("distribution", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("following", ["zeros", "near", "any"])
@pytest.mark.usefixtures("way")
def test_lazy_draws_are_exact_draws_on_every_byte(distribution: Distribution, following: str) -> None:
    stream = [int.from_bytes(range(start, start + 8), "little") for start in range(0, 256, 8)]
    lower, _ = CumulativeMasses(distribution).cuts(72)
    read_on = open_bytes(distribution)
    at = {min(bound, 2**72 - 1) >> 64: bound & LARGEST for bound in lower}
    stream += {"zeros": [0] * len(read_on), "near": [at.get(byte, 5) for byte in read_on], "any": []}[
        following
    ] + ReplayBits(1).words(600).tolist()
    check([distribution], [0] * 256, stream, "lazy")


@pytest.mark.parametrize("distribution", ROWS.values(), ids=ROWS)
@pytest.mark.usefixtures("way")
def test_the_constant_method_reads_two_words_for_every_outcome(distribution: Distribution) -> None:
    drawn_by_count: dict[int, set[int]] = {}
    for seed in range(200):
        source = FixedBits(ReplayBits(seed).words(9))
        (position,) = draw_rows([distribution], np.zeros(1, dtype=np.int32), source).tolist()
        drawn_by_count.setdefault(9 - len(source.left), set()).add(position)
    assert set(drawn_by_count) == {2}
    # Colors below one in a million hardly come in 200 draws; all others do, and cost the same.
    likely = {place for place, p in enumerate(ideal_of(distribution)) if p > 1e-6}
    assert drawn_by_count[2] == likely
    source = FixedBits(ReplayBits(1).words(2 * (3 * BLOCK + 5)))
    draw_rows([distribution], np.zeros(3 * BLOCK + 5, dtype=np.int32), source)
    assert source.left == []


@pytest.mark.parametrize(
    ("first", "second", "further"),
    [
        (0, 0, 0),
        (LARGEST, LARGEST, 0),
        (0x5555555555555555, 0, 0),
        (0x5555555555555555, 0x5555555555555554, 0),
        (0x5555555555555555, 0x5555555555555556, 0),
        (0x5555555555555555, 0x5555555555555555, 1),
    ],
)
@pytest.mark.usefixtures("way")
def test_only_128_bits_in_the_gap_of_an_enclosure_read_more(first: int, second: int, further: int) -> None:
    source = FixedBits([first, second, 7])
    drawn = draw_rows([ROWS["thirds"]], np.zeros(1, dtype=np.int32), source)
    assert len(source.left) == 1 - further
    number = Fraction((first << 128 | second << 64 | 7) + 1, 2**192)
    assert drawn.tolist() == [sum(number > mass for mass in (Fraction(1, 3), Fraction(2, 3)))]


@pytest.mark.usefixtures("way")
def test_the_lazy_method_reads_a_byte_and_a_word_where_that_is_open() -> None:
    source = FixedBits([0x00_55_FF_AA_55_54_56_80, 11, 12, 13, 14])
    # Bytes from the least significant one: 80, 56, 54, 55, aa, ff, 55, 00; thirds are 5555... and aaaa...
    drawn = draw_rows([ROWS["thirds"]], np.zeros(8, dtype=np.int32), source, "lazy")
    assert drawn.tolist() == [1, 1, 0, 0, 1, 2, 0, 0]
    assert source.left == [14]


@pytest.mark.parametrize("among", ["all rows", "some rows"])
@pytest.mark.usefixtures("way")
def test_blocks_follow_each_other_in_the_bit_stream(method: Method, among: str) -> None:
    rows, count = list(ROWS.values()), BLOCK + 1000
    classes = ReplayBits(2).words(count).astype(np.int64) % (len(rows) if among == "all rows" else 7)
    stream = ReplayBits(3).words(3 * count).tolist()
    for place in (0, 17, BLOCK - 1, BLOCK, count - 2):
        classes[place] = 0
        if method == "constant":
            start = place if place < BLOCK else place + BLOCK
            stream[start] = stream[start + (BLOCK if place < BLOCK else 1000)] = CumulativeMasses(
                rows[0]
            ).cuts(64)[0][0]
    check(rows, classes.tolist(), stream, method)


@pytest.mark.usefixtures("way")
def test_more_rows_than_a_guide_holds_are_drawn_alike(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*ROWS.values(), *(row(Fraction(n, 1000), Fraction(1, 9), 0) for n in range(300))]
    classes = np.tile(np.arange(len(rows), dtype=np.int32), 20)
    with_guide = draw_rows(rows, classes, ReplayBits(6), method)
    monkeypatch.setattr(thresholds, "MOST_GUIDED", 3)
    assert draw_rows(rows, classes, ReplayBits(6), method).tolist() == with_guide.tolist()


@pytest.mark.parametrize("colors", [1, 2, 254, 255, 256])
@pytest.mark.usefixtures("way")
def test_any_number_of_colors_is_drawn(method: Method, colors: int) -> None:
    weights = [Fraction(1 + place % 3) for place in range(colors)]
    names = [f"c{place:03}" for place in range(colors)]
    distribution = Distribution.trusted(dict(zip(names, weights, strict=True)))
    count = 1500
    check([distribution], [0] * count, ReplayBits(8).words(3 * count).tolist(), method)
    drawn = draw_rows([distribution], np.zeros(count, dtype=np.int32), ReplayBits(8), method)
    assert drawn.max() >= 0.9 * (colors - 1)


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any).map(lambda w: row(*w)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["constant", "lazy"]),
    st.data(),
)
def test_bulk_draws_are_exact_draws_for_random_rows(
    rows: list[Distribution], method: Method, data: st.DataObject
) -> None:
    classes = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=12))
    words = [
        data.draw(st.one_of(st.sampled_from(critical_words(rows[index])), st.integers(0, LARGEST)))
        for index in classes
    ]
    check(rows, classes, words + ReplayBits(4).words(50).tolist(), method)


@pytest.mark.usefixtures("way")
def test_only_rows_that_occur_are_looked_at_once(method: Method) -> None:
    rows = LazyRows([*ROWS.values()])
    classes = np.array([3, 3, 11, 3, 11], dtype=np.int32)
    # Words that lie near no cumulative mass of these rows.
    draw_rows(rows, classes, FixedBits([2**62 + 12345] * 10), method)
    assert rows.asked == [3, 11]


@pytest.mark.parametrize("distribution", ROWS.values(), ids=ROWS)
def test_a_million_draws_have_the_ideal_distribution(distribution: Distribution, method: Method) -> None:
    drawn = draw_rows([distribution], np.zeros(DRAWS, dtype=np.int32), ReplayBits(11), method)
    total = sum(ideal_of(distribution))
    assert passes(count_colors(drawn, 3), [p / total for p in ideal_of(distribution)])


def test_a_million_draws_from_the_operating_system_have_the_ideal_distribution(method: Method) -> None:
    drawn = draw_rows([ROWS["odds"]], np.zeros(DRAWS, dtype=np.int32), SystemBits(), method)
    assert passes(count_colors(drawn, 3), ideal_of(ROWS["odds"]))


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
def test_the_same_code_with_probabilities_wrong_by_a_point_fails(
    name: str, wrong: Distribution, method: Method
) -> None:
    ideal = ideal_of(ROWS[name])
    assert total_variation(ideal, ideal_of(wrong)) == pytest.approx(CAUGHT, abs=1e-12)
    drawn = draw_rows([wrong], np.zeros(DRAWS, dtype=np.int32), ReplayBits(21), method)
    assert not passes(count_colors(drawn, 3), ideal)


def pair_counts(drawn: NDArray[np.int32], lag: int) -> NDArray[np.int64]:
    """Return how often each pair of positions was drawn this far apart, over disjoint pairs."""
    pairs = drawn[: len(drawn) // (2 * lag) * 2 * lag].reshape(-1, 2, lag)
    return count_colors(3 * pairs[:, 0].ravel() + pairs[:, 1].ravel(), 9)


@pytest.mark.parametrize("lag", [1, 2, 8, BLOCK])
def test_draws_are_independent_of_the_ones_before(lag: int, method: Method) -> None:
    ideal = ideal_of(ROWS["odds"])
    drawn = draw_rows([ROWS["odds"]], np.zeros(2 * DRAWS, dtype=np.int32), ReplayBits(31), method)
    assert passes(pair_counts(drawn, lag), [p * q for p in ideal for q in ideal])


def test_a_sampler_that_uses_some_bytes_twice_fails() -> None:
    ideal = ideal_of(ROWS["odds"])
    words = ReplayBits(32).words(2 * DRAWS)
    # Every byte keeps the right distribution, but one pair in forty is a copy.
    octets = words.view(np.uint8)
    octets[1::80] = octets[0::80]
    drawn = draw_rows([ROWS["odds"]], np.zeros(len(words), dtype=np.int32), FixedBits(words), "lazy")
    assert passes(count_colors(drawn, 3), ideal)
    assert not passes(pair_counts(drawn, 1), [p * q for p in ideal for q in ideal])


@pytest.mark.parametrize(
    "privacy", [PureDP("ln(101/100)"), ApproxDP("1/50", "1/100000"), GaussianDP("1/100")], ids=str
)
@pytest.mark.usefixtures("way")
def test_classes_on_a_line_are_drawn_as_exactly_as_rows_one_by_one(privacy: Privacy, method: Method) -> None:
    classes = 84
    mechanism = on_line(row("1/7", "2/7", "4/7"), privacy, np.arange(classes))
    stream = ReplayBits(51).words(3 * classes).tolist()
    for dataset in range(0, classes, 2):
        # Words at a cumulative mass, in the margin of the integers around it, and just outside.
        lower, _ = CumulativeMasses(mechanism.rows[dataset]).cuts(64)
        step = [0, 1, -1, 2**9, -(2**9), 2**13, -(2**13)][dataset // 2 % 7]
        stream[dataset] = min(max(lower[dataset // 2 % 2] + step, 0), LARGEST)
    drawn = sample_all(mechanism, method=method, bits=FixedBits(stream))
    assert drawn.tolist() == one_by_one(mechanism.rows, range(classes), FixedBits(stream), method)
    assert "table" not in vars(mechanism)


def test_more_classes_than_are_enclosed_singly_are_drawn_exactly(
    method: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "EXACT_ROWS", FEW)
    rng = np.random.default_rng(61)
    values = rng.dirichlet([0.2, 1, 3, 0.01], FEW + 50)
    mechanism = Mechanism.from_table(["a>b>c>d"] * len(values), values)
    stream = ReplayBits(62).words(4 * len(values)).tolist()
    for dataset in range(0, len(values), 9):
        lower, _ = CumulativeMasses(mechanism.rows[dataset]).cuts(64)
        stream[dataset] = min(max(lower[dataset % 3] + [0, 1, -1, 2**14, -(2**14)][dataset % 5], 0), LARGEST)
    drawn = sample_all(mechanism, method=method, bits=FixedBits(stream))
    assert "table" in vars(mechanism)
    if method == "constant":
        assert drawn.tolist() == one_by_one(mechanism.rows, range(len(values)), FixedBits(stream), method)
    fewer = sample_all(mechanism, np.arange(FEW), method=method, bits=FixedBits(stream))
    for start in (0, 50):
        part = draw_rows(mechanism.rows, mechanism.codes[start:FEW], FixedBits(stream), method)
        assert (part.tolist() == fewer.tolist()) is (start == 0)
