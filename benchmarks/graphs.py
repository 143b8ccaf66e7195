# SPDX-License-Identifier: Apache-2.0
"""Makes families of datasets as files: ``python -m benchmarks.graphs FOLDER KIND DATASETS [arrays]``.

A folder gets ``datasets.parquet`` (dataset, rainbow) and ``pairs.parquet`` (source, target), datasets called
0 to n - 1. Integers are int32, not dictionary-encoded, and compressed with LZ4, as the page on large families
recommends; a kind that ends in ``-default`` has what pyarrow writes unless told otherwise, int64 with
dictionaries and Snappy. With ``arrays`` the same is there as ``.npy`` files too, for a program whose Python
has no reader.

- ``lattice``: a square, neighbors beside each other; eight regions around random centers, so it is deep.
- ``random``: ten random neighbors per dataset; eight regions that grow from random datasets along the pairs,
  so nearly every dataset is on a boundary.
- ``sparse``: the same pairs, where one dataset in 2,000 is of another region than all others.
- ``hamming``: words over ten letters, neighbors differ in one; eight regions, each where its score is best.

``-shuffled`` numbers the datasets anew at random, and writes the pairs in random order and direction.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.child import say

REGIONS = 8
COLORS = "abcdefgh"
_SEED = 20_220_207
_LETTERS = 10
_DEGREE = 10
_SPARSE = 2_000
_Array = NDArray[Any]


def rainbows() -> list[str]:
    """Return the rainbow of each region.

    Examples
    --------
    >>> rainbows()[1]
    'b>c>d>e>f>g>h>a'
    """
    return [">".join(COLORS[first:] + COLORS[:first]) for first in range(REGIONS)]


def made(kind: str, size: int) -> tuple[_Array, _Array, _Array]:
    """Return the pairs of a family of some `size` datasets and the region of each dataset.

    Returns
    -------
    source, target : int32 array [m]
    regions : int8 array [n]
    """
    form, _, rest = kind.partition("-")
    random = np.random.default_rng(_SEED)
    makers = {"lattice": _lattice, "random": _random, "sparse": _sparse, "hamming": _hamming}
    source, target, regions = makers[form](size, random)
    if "shuffled" in rest:
        return _shuffled(source, target, regions, random)
    return source, target, regions


def _lattice(size: int, random: np.random.Generator) -> tuple[_Array, _Array, _Array]:
    side = max(round(size**0.5), 2)
    numbers = np.arange(side * side, dtype=np.int32).reshape(side, side)
    # Row after row: each dataset's right neighbor and lower neighbor, as they come.
    down, right = numbers[:-1].ravel(), numbers[:, :-1].ravel()
    source = np.concatenate([right, down])
    order = np.argsort(source, kind="stable")
    target = np.concatenate([right + 1, down + np.int32(side)])[order]
    source = source[order]
    place = np.arange(side, dtype=np.int32)
    nearest = np.full((side, side), np.iinfo(np.int32).max, dtype=np.int32)
    regions = np.zeros((side, side), dtype=np.int8)
    for region, (row, column) in enumerate(random.integers(0, side, (REGIONS, 2)).tolist()):
        away = np.abs(place - row)[:, None] + np.abs(place - column)[None, :]
        regions[away < nearest] = region
        np.minimum(nearest, away, out=nearest)
    return source, target, regions.ravel()


def _neighbors(size: int, random: np.random.Generator) -> tuple[_Array, _Array]:
    source = np.repeat(np.arange(size, dtype=np.int32), _DEGREE)
    target = random.integers(1, size, source.size, dtype=np.int32)
    target += source
    target %= size
    return source, target


def _random(size: int, random: np.random.Generator) -> tuple[_Array, _Array, _Array]:
    size = max(size, 2 * REGIONS)
    source, target = _neighbors(size, random)
    regions = np.full(size, -1, dtype=np.int8)
    regions[random.choice(size, REGIONS, replace=False)] = np.arange(REGIONS)
    while True:
        before = regions.copy()
        for one, other in ((source, target), (target, source)):
            reached = (before[one] >= 0) & (before[other] < 0)
            regions[other[reached]] = before[one[reached]]
        if np.array_equal(before, regions):
            regions[regions < 0] = 0
            return source, target, regions


def _sparse(size: int, random: np.random.Generator) -> tuple[_Array, _Array, _Array]:
    size = max(size, 2 * REGIONS)
    source, target = _neighbors(size, random)
    regions = np.zeros(size, dtype=np.int8)
    regions[random.choice(size, max(size // _SPARSE, 1), replace=False)] = 1
    return source, target, regions


def _hamming(size: int, random: np.random.Generator) -> tuple[_Array, _Array, _Array]:
    length = max(len(str(size)) - 1, 2)
    numbers = np.arange(_LETTERS**length, dtype=np.int32)
    pairs: list[tuple[_Array, _Array]] = []
    scores = np.zeros((REGIONS, numbers.size), dtype=np.float32)
    for axis in range(length):
        unit = np.int32(_LETTERS**axis)
        letters = numbers // unit % _LETTERS
        scores += random.random((REGIONS, _LETTERS), dtype=np.float32)[:, letters]
        for step in range(1, _LETTERS):
            below = numbers[letters < _LETTERS - step]
            pairs.append((below, below + np.int32(step) * unit))
    source, target = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    order = np.argsort(source, kind="stable")
    return source[order], target[order], np.argmax(scores, axis=0).astype(np.int8)


def _shuffled(
    source: _Array, target: _Array, regions: _Array, random: np.random.Generator
) -> tuple[_Array, _Array, _Array]:
    number = random.permutation(regions.size).astype(np.int32)
    moved = np.empty_like(regions)
    moved[number] = regions
    rows = random.permutation(source.size).astype(np.int32)
    source, target = number[source][rows], number[target][rows]
    turned = random.integers(0, 2, rows.size, dtype=np.int8).astype(np.bool_)
    return np.where(turned, target, source), np.where(turned, source, target), moved


def write(folder: Path, kind: str, size: int, *, arrays: bool) -> dict[str, int]:
    """Write a family into a folder, and return its numbers of datasets and pairs."""
    import pyarrow as pa
    from pyarrow import parquet

    source, target, regions = made(kind, size)
    default = kind.endswith("-default")
    number = np.int64 if default else np.int32
    dictionary: bool | list[str] = True if default else ["rainbow"]
    pairs = pa.table({"source": source.astype(number), "target": target.astype(number)})
    how = {"compression": "snappy" if default else "lz4"}
    parquet.write_table(pairs, folder / "pairs.parquet", use_dictionary=default, **how)
    named = pa.DictionaryArray.from_arrays(pa.array(regions), pa.array(rainbows()))
    datasets = pa.table({"dataset": np.arange(regions.size, dtype=number), "rainbow": named})
    parquet.write_table(datasets, folder / "datasets.parquet", use_dictionary=dictionary, **how)
    if arrays:
        for name, array in (("source", source), ("target", target), ("regions", regions)):
            np.save(folder / f"{name}.npy", array)
    return {"datasets": regions.size, "pairs": source.size}


if __name__ == "__main__":
    say(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), arrays="arrays" in sys.argv[4:]))
