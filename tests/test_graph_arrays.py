# SPDX-License-Identifier: Apache-2.0
"""Where codes occur first, against a plain loop; and which arrays are kept as they are."""

import numpy as np
import pytest

from rainbowdp.graph.arrays import first_places, held

LAST = 200_000


@pytest.mark.parametrize("count", [1, 3, 5, 70_000])
@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64])
def test_first_places_of_codes_that_come_early_late_or_never(count: int, kind: type[np.integer]) -> None:
    random = np.random.default_rng(count)
    codes = random.integers(0, min(count, 200), LAST + 1).astype(kind)
    codes[:90_000] = 0
    if count > 200:
        codes[LAST] = 201
    expected: dict[int, int] = {}
    for at, code in enumerate(codes.tolist()):
        expected.setdefault(code, at)
    assert first_places(codes, count).tolist() == [expected.get(code, -1) for code in range(count)]


def test_an_array_that_somebody_can_write_to_is_copied() -> None:
    own = np.arange(3, dtype=np.int32)
    view = own.view()
    view.setflags(write=False)
    assert held(view, np.int32) is not view
    assert not np.shares_memory(held(own, np.int32), own)
    own.setflags(write=False)
    assert held(own, np.int32) is own
    assert not held(own, np.int64).flags.writeable
    assert held(own[::2], np.int32).flags.c_contiguous
