# SPDX-License-Identifier: Apache-2.0
"""Texts come in their order, by whatever runs and blocks they are put aside."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.tables import spools
from rainbowdp.tables.spools import in_order

TEXTS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.integers(0, 2**63 - 1)
)


@given(TEXTS, st.integers(1, 2000), st.integers(1, 60))
def test_the_order_is_that_of_the_texts(counted: dict[str, int], held: int, read: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spools, "_HELD_BYTES", held)
        patch.setattr(spools, "_READ", read)
        assert list(in_order(counted.items())) == sorted(counted.items())


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(spools, "_HELD_BYTES", 1)
    for text, _ in in_order([("b", 1), ("a", 2)]):
        assert text == "a"
        assert not list(tmp_path.iterdir())
        break
    assert not list(tmp_path.iterdir())
