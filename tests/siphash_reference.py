# SPDX-License-Identifier: Apache-2.0
"""SipHash-2-4 of one message, word for word as its authors describe it."""

WORD = 2**64 - 1
Words = tuple[int, int, int, int]


def turned(word: int, bits: int) -> int:
    """Return a word rotated to the left."""
    return (word << bits | word >> (64 - bits)) & WORD


def mixed(words: Words, rounds: int) -> Words:
    """Return the state after some rounds."""
    a, b, c, d = words
    for _ in range(rounds):
        a = (a + b) & WORD
        b = turned(b, 13) ^ a
        a = turned(a, 32)
        c = (c + d) & WORD
        d = turned(d, 16) ^ c
        a = (a + d) & WORD
        d = turned(d, 21) ^ a
        c = (c + b) & WORD
        b = turned(b, 17) ^ c
        c = turned(c, 32)
    return a, b, c, d


def siphash(message: bytes, key: bytes, *, long: bool) -> tuple[int, ...]:
    """Return the hash of a message as two words, or as one."""
    first, second = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    a, b = first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D ^ (0xEE if long else 0)
    c, d = first ^ 0x6C7967656E657261, second ^ 0x7465646279746573
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        a, b, c, d = mixed((a, b, c, d ^ word), 2)
        a ^= word
    a, b, c, d = mixed((a, b, c ^ (0xEE if long else 0xFF), d), 4)
    found = a ^ b ^ c ^ d
    if not long:
        return (found,)
    a, b, c, d = mixed((a, b ^ 0xDD, c, d), 4)
    return found, a ^ b ^ c ^ d
