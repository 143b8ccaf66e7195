# SPDX-License-Identifier: Apache-2.0
"""SipHash of many messages at once is SipHash: the published vectors, and one message after the other."""

import hashlib
import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.tables import row_limit
from rainbowdp.tables.row_limit import hashes_of_texts, hashes_of_words, key_for
from siphash_reference import siphash

# Of the messages 00, 00 01, ... of 0 to 63 bytes under this key, the authors publish all hashes of 128 bits.
KEY = bytes(range(16))
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
