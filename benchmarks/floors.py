# SPDX-License-Identifier: Apache-2.0
"""The least that any program does with a file of pairs: decode it, and look up both ends of every pair once.

The look-up pass is one compiled loop over both arrays and a byte per dataset, and does nothing else: what the
order of the pairs costs in the processor's caches is in it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peers import Array

if TYPE_CHECKING:
    import pyarrow as pa


def pairs(folder: Path) -> tuple[Array, Array]:
    """Return both columns of the pairs as int32 arrays, decoded by pyarrow on all processors."""
    from pyarrow import parquet

    return _columns(parquet.read_table(folder / "pairs.parquet"))


def _columns(table: "pa.Table") -> tuple[Array, Array]:
    source, target = (
        table.column(name).to_numpy().astype(np.int32, copy=False) for name in ("source", "target")
    )
    return source, target


def regions(folder: Path) -> Array:
    """Return the region of every dataset, from the dictionary of rainbows in its file."""
    from pyarrow import parquet

    table = parquet.read_table(folder / "datasets.parquet", columns=["rainbow"], read_dictionary=["rainbow"])
    column = table.column("rainbow").unify_dictionaries().combine_chunks()
    codes: Array = column.indices.to_numpy()
    return codes


def decoded(folder: Path) -> None:
    """Decode the pairs into the tables of pyarrow, and leave them there."""
    from pyarrow import parquet

    parquet.read_table(folder / "pairs.parquet")


def look_up() -> Callable[[Array, Array, Array], int]:
    """Compile the pass that looks up both ends of every pair.

    Raises
    ------
    ImportError
        Without numba.

    Examples
    --------
    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> look_up()(*ends, np.array([1, 0, 2], dtype=np.int8))
    3
    """
    import numba

    def loop(source: Array, target: Array, state: Array) -> int:
        total = 0
        for at in range(source.size):
            total += state[source[at]] + state[target[at]]
        return total

    compiled: Any = numba.njit(nogil=True)(loop)
    return compiled  # type: ignore[no-any-return]  # numba ships no types
