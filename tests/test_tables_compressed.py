# SPDX-License-Identifier: Apache-2.0
"""Compressed files: whole ones are read, and one that is damaged anywhere is refused, in one form."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from cell_tally import cells
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import open_table
from rainbowdp.tables.local_files import ALWAYS_ALLOWED, blocks

ROWS = 20_000
TABLE = b"id,vote\n" + b"".join(b"%d,canary\n" % at for at in range(ROWS))
DAMAGED = "it is damaged, ends before its end, or is not compressed in the way that its name says"


def zstandard(content: bytes) -> bytes:
    """Return a frame of Zstandard."""
    return bytes(pa.compress(content, "zstd", asbytes=True))


FORMS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstandard}


def damages(packed: bytes) -> dict[str, bytes]:
    """Return a compressed file, damaged in many ways."""
    third = len(packed) // 3
    return {
        "in its head": b"\0" + packed[1:],
        "in the middle": packed[:third] + b"\xff" * third + packed[2 * third :],
        "without its end": packed[:-9],
        "without its last byte": packed[:-1],
        "half": packed[: len(packed) // 2],
        "a byte of its head": packed[:1],
        "three bytes of its head": packed[:3],
        "with garbage": packed + b"garbage that is long enough for a head",
        "with a byte of garbage": packed + b"x",
        "and then half of another": packed + packed[: len(packed) // 2],
        "and then the head of another": packed + packed[:3],
        "not compressed": b"id,vote\n1,canary\n",
    }


@pytest.mark.parametrize("how", damages(b""))
@pytest.mark.parametrize("ending", FORMS)
def test_a_damaged_file_is_refused_in_one_form(tmp_path: Path, ending: str, how: str) -> None:
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(damages(FORMS[ending](TABLE))[how])
    with pytest.raises(TableUnreadableError) as caught, open_table(path) as table:
        cells(table, "vote")
    assert str(caught.value) == f"cannot read {str(path)!r}: {DAMAGED}"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert "canary" not in caught.value.report()


@pytest.mark.parametrize("ending", FORMS)
def test_no_damage_of_a_single_byte_is_another_error(tmp_path: Path, ending: str) -> None:
    path, dice = tmp_path / f"a.csv{ending}", random.Random(1)
    packed = FORMS[ending](TABLE[:3000])
    refused: list[str] = []
    for _ in range(300):
        damaged = bytearray(packed)
        damaged[dice.randrange(len(packed))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        try:
            list(blocks(path))
        except TableUnreadableError as error:
            refused.append(str(error))
    assert set(refused) == {f"cannot read {str(path)!r}: {DAMAGED}"}


@pytest.mark.parametrize("ending", FORMS)
def test_an_empty_file_has_no_content(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(b"")
    assert list(blocks(path)) == []


def test_a_file_that_expands_too_far_is_refused(tmp_path: Path) -> None:
    row = b"1,red\n"
    allowed = b"id,vote\n" + row * 200_000
    (tmp_path / "fine.csv.gz").write_bytes(gzip.compress(allowed))
    with open_table(tmp_path / "fine.csv.gz") as table:
        assert cells(table, "vote") == {"red": 200_000}
    bomb = b"id,vote\n" + row * (2 * ALWAYS_ALLOWED // len(row))
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(bomb))
    with (
        open_table(tmp_path / "bomb.csv.gz") as table,
        pytest.raises(TableUnreadableError, match="expands to more than 250 times its size"),
    ):
        cells(table, "vote")
