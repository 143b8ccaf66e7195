# SPDX-License-Identifier: Apache-2.0
"""Which rows are kept: the definition in a few lines of Python, and the law of what is kept over all keys."""

import hashlib
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.tables import row_limit
from rainbowdp.tables.row_limit import (
    Numbering,
    Words,
    distinct,
    hashes_of_texts,
    hashes_of_words,
    kept,
    key_for,
    smallest,
    together,
)
from siphash_reference import siphash

KEY = bytes(range(16))
Row = tuple[int, int, int, int]


def some_rows(generator: random.Random, count: int) -> list[Row]:
    """Return rows of few persons, whose hashes share their first or their second word, who say few things."""
    persons = [(first << 60, second) for first in range(2) for second in range(3)]
    said = [(first << 60, second) for first in range(2) for second in range(2)]
    return [(*generator.choice(persons), *generator.choice(said)) for _ in range(count)]


def definition(rows: Sequence[Row], most: int, numbering: Numbering) -> Counter[tuple[int, int]]:
    """Return what kept rows say."""
    ranks: dict[tuple[int, ...], list[tuple[int, tuple[int, int]]]] = defaultdict(list)
    numbers: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        told = row[:2] if numbering is Numbering.ARRIVAL else row
        number = numbers[told]
        numbers[told] += 1
        if numbering is Numbering.ONCE and number:
            continue
        message = b"".join(word.to_bytes(8, "little") for word in (*told, number))[:-1]
        ranks[row[:2]].append((siphash(message, KEY, long=False)[0], row[2:]))
    return Counter(said for mine in ranks.values() for _, said in sorted(mine)[:most])


def words(rows: Sequence[Sequence[int]]) -> Words:
    return np.array(rows, dtype=np.uint64).reshape(len(rows), 4)


@pytest.mark.parametrize("numbering", Numbering)
def test_what_is_kept_is_what_the_definition_says(numbering: Numbering) -> None:
    generator = random.Random(3)
    for _ in range(40):
        rows = some_rows(generator, generator.randrange(40))
        cuts = sorted(generator.randrange(len(rows) + 1) for _ in range(generator.randrange(4)))
        pieces = [words(rows[start:end]) for start, end in itertools.pairwise([0, *cuts, len(rows)])]
        for most in (1, 2, 3, 100):
            found = Counter(map(tuple, kept(pieces, most, numbering, KEY).tolist()))
            assert found == definition(rows, most, numbering)


@pytest.mark.parametrize("numbering", [Numbering.SAYING, Numbering.ONCE])
def test_without_an_order_none_decides(numbering: Numbering) -> None:
    generator = random.Random(4)
    rows = some_rows(generator, 60)
    found = Counter(map(tuple, kept([words(rows)], 3, numbering, KEY).tolist()))
    for _ in range(10):
        generator.shuffle(rows)
        pieces = [words(rows[:20]), words(rows[20:])]
        assert Counter(map(tuple, kept(pieces, 3, numbering, KEY).tolist())) == found


@pytest.mark.parametrize("numbering", [Numbering.ARRIVAL, Numbering.SAYING])
def test_over_the_keys_every_choice_of_rows_is_kept_equally_often(numbering: Numbering) -> None:
    # Many persons under one key stand for many keys; what is said twice is one saying for SAYING.
    persons = 12_000
    generator = np.random.default_rng(5)
    hashes = generator.integers(0, 2**64, (persons, 2), dtype=np.uint64)
    said = [1, 1, 2, 3] if numbering is Numbering.SAYING else [0, 1, 2, 3]
    rows = np.zeros((persons * len(said), 4), dtype=np.uint64)
    # What a row says also says whose it is, so that kept rows can be told apart.
    rows[:, :2] = np.repeat(hashes, len(said), axis=0)
    rows[:, 2] = np.tile(np.array(said, dtype=np.uint64), persons)
    rows[:, 3] = np.repeat(np.arange(persons, dtype=np.uint64), len(said))
    for most in range(1, len(said) + 1):
        found = kept([rows], most, numbering, KEY)
        mine = defaultdict(list)
        for saying, person in found.tolist():
            mine[person].append(saying)
        counts = Counter(tuple(sorted(sayings)) for sayings in mine.values())
        law = Counter(tuple(sorted(chosen)) for chosen in itertools.combinations(said, most))
        assert set(counts) == set(law)
        for chosen, ways in law.items():
            share = ways / law.total()
            # Six standard deviations.
            assert abs(counts[chosen] - persons * share) <= 6 * (persons * share * (1 - share)) ** 0.5


def test_keys_that_share_bits_are_told_apart() -> None:
    generator = random.Random(6)
    for width in (2, 4):
        for _ in range(50):
            keys = np.array(
                [
                    [generator.choice([0, 1, 1 << 63]) for _ in range(width)]
                    for _ in range(generator.randrange(1, 30))
                ],
                dtype=np.uint64,
            )
            order, starts = together(keys)
            runs = np.split(order, starts[1:])
            assert sorted(order.tolist()) == list(range(len(keys)))
            for run in runs:
                assert run.tolist() == sorted(run.tolist())
                assert len({tuple(keys[at].tolist()) for at in run}) == 1
            assert len(runs) == len({*map(tuple, keys.tolist())})
            found, counts = distinct(keys)
            assert dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True)) == Counter(
                map(tuple, keys.tolist())
            )


@pytest.mark.parametrize("largest", [2, 2**64 - 1])
def test_the_smallest_of_each_run(largest: int) -> None:
    generator = random.Random(8)
    for _ in range(100):
        most = generator.randrange(1, 4)
        sizes = [generator.randrange(most + 1, 9) for _ in range(generator.randrange(1, 6))]
        ranks = [generator.randint(0, largest) for _ in range(sum(sizes))]
        told = list(range(len(ranks)))
        generator.shuffle(told)
        expected = [False] * len(ranks)
        start = 0
        for size in sizes:
            places = range(start, start + size)
            for at in sorted(places, key=lambda at: (ranks[at], told[at]))[:most]:
                expected[at] = True
            start += size
        columns = [np.array(told, dtype=np.uint64)]
        found = smallest(np.array(ranks, dtype=np.uint64), np.array(sizes), most, columns)
        assert found.tolist() == expected


def test_nothing_is_kept_of_nothing() -> None:
    for numbering in Numbering:
        assert kept([], 1, numbering, KEY).shape == (0, 2)
        assert kept([words([])], 1, numbering, KEY).shape == (0, 2)


# Of the messages 00, 00 01, ... of 0 to 63 bytes under the key, the authors publish all hashes of 128 bits.
PUBLISHED = [bytes(range(length)) for length in range(64)]
FIRST, LAST = "a3817f04ba25a8e66df67214c7550293", "5150d1772f50834a503e069a973fbd7c"
ALL = "ecfaa9fe47ff788fa834a9863ea2715a2880cd37d2b8c3c194402838428119b9"


def test_the_published_hashes_of_128_bits() -> None:
    found = hashes_of_texts(PUBLISHED, KEY).astype("<u8")
    assert (found[0].tobytes().hex(), found[63].tobytes().hex()) == (FIRST, LAST)
    assert hashlib.sha256(found.tobytes()).hexdigest() == ALL


def test_the_published_hash_of_64_bits() -> None:
    # The example of the paper's appendix has 15 bytes: a word, and one without its last byte.
    words = [int.from_bytes(PUBLISHED[15][:8], "little"), int.from_bytes(PUBLISHED[15][8:], "little")]
    columns = [np.array([word], dtype=np.uint64) for word in words]
    assert hashes_of_words(columns, KEY).tolist() == [0xA129CA6149BE45E5]


@given(st.lists(st.binary(max_size=63)), st.binary(min_size=16, max_size=16))
def test_messages_do_not_know_of_each_other(messages: list[bytes], key: bytes) -> None:
    found = [tuple(row) for row in hashes_of_texts(messages, key).tolist()]
    assert found == [siphash(message, key, long=True) for message in messages]


@given(st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 2, st.integers(0, 2**56 - 1)), min_size=1))
def test_rows_of_words_are_messages(rows: list[tuple[int, int, int]]) -> None:
    columns = [np.array(column, dtype=np.uint64) for column in zip(*rows, strict=True)]
    messages = [b"".join(word.to_bytes(8, "little") for word in row)[:-1] for row in rows]
    assert hashes_of_words(columns, KEY).tolist() == [siphash(one, KEY, long=False)[0] for one in messages]


def test_more_messages_than_go_through_at_once() -> None:
    generator = random.Random(7)
    messages = [generator.randbytes(generator.randrange(20)) for _ in range(2 * row_limit._AT_ONCE + 3)]
    found = hashes_of_texts(messages, KEY)
    columns = [found[:, 0], found[:, 1] >> np.uint64(8)]
    ranks = hashes_of_words(columns, KEY)
    for at in (0, row_limit._AT_ONCE - 1, row_limit._AT_ONCE, len(messages) - 1):
        assert tuple(found[at].tolist()) == siphash(messages[at], KEY, long=True)
        row = b"".join(int(column[at]).to_bytes(8, "little") for column in columns)[:-1]
        assert ranks[at] == siphash(row, KEY, long=False)[0]


def test_a_long_message_is_told_from_others_and_takes_no_room() -> None:
    long = [b"x" * 63, b"x" * 64, b"x" * 65, b"x" * 10_000_000, b"x" * 10_000_000 + b"y"]
    short = [b"%d" % number for number in range(3000)]
    found = hashes_of_texts([*long, *short], KEY)
    assert len(np.unique(found, axis=0)) == len(found)
    assert tuple(found[0].tolist()) == siphash(long[0], KEY, long=True)
    digest = hashlib.blake2b(long[1], digest_size=32, key=KEY).digest()
    assert tuple(found[1].tolist()) == siphash(b"\0" + digest, KEY, long=True)
    assert found[5:].tolist() == hashes_of_texts(short, KEY).tolist()


def test_keys_of_different_purposes_differ() -> None:
    assert len({key_for(purpose, bytes(32)) for purpose in ("person", "rank", "said")}) == 3
    assert hashes_of_texts([], KEY).shape == (0, 2)
