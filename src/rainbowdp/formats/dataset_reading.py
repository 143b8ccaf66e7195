# SPDX-License-Identifier: Apache-2.0
"""Datasets from tables without their names, where they are called 0 to n - 1 in this order.

A dataset that is called by its number needs no name, neither in a graph nor while pairs are read. These
functions return None for any other table and for one with an error; the general reader then reads it and
names the error.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import RainbowError
from rainbowdp.formats.pair_reading import KnownDatasets
from rainbowdp.formats.tables import Database, arrays
from rainbowdp.rainbow import Rainbow

# So many rows stay in the processor's cache.
_BATCH = 1 << 16


def known_datasets(database: Database, owner: str) -> KnownDatasets:
    """Return the datasets of the table ``datasets`` that was read into a database.

    Parameters
    ----------
    database : Database
        With a table ``datasets`` that has a text column ``dataset``.
    owner : str
        What has these datasets, for messages.

    Returns
    -------
    KnownDatasets
        With integers as labels where all labels are integers in their usual form, and without labels where
        they are 0 to n - 1 in order.
    """
    ((size, placed, whole),) = database.execute(
        "select count(*), count(*) filter (dataset = rowid::varchar), "
        "count(*) filter (dataset = try_cast(dataset as bigint)::varchar) from datasets"
    ).fetchall()
    if placed == size:
        return KnownDatasets(size, None, owner)
    chosen = "dataset::bigint" if whole == size else "dataset"
    read = arrays(database.execute(f"select {chosen} as dataset from datasets order by rowid"))  # noqa: S608 - one of two
    return KnownDatasets(size, read["dataset"], owner)


def numbered_datasets(path: Path) -> tuple[list[Rainbow], NDArray[np.int32]] | None:
    """Read a Parquet table of datasets that are integers from 0 up, in order.

    Parameters
    ----------
    path : Path
        A Parquet file.

    Returns
    -------
    palette : list of Rainbow
        Different ones, or different spellings of one.
    codes : int32 array [n]
        Index into it per dataset; or None instead of both, if the table is of another kind, empty or
        wrong.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=["rainbow"]) as opened:
            names, schema = opened.schema_arrow.names, opened.schema_arrow
            if len(set(names)) < len(names) or not {"dataset", "rainbow"} <= set(names):
                return None
            if not opened.metadata.num_rows or not pa.types.is_integer(schema.field("dataset").type):
                return None
            if not pa.types.is_dictionary(schema.field("rainbow").type):
                return None
            return _codes_of(opened)
    except (OSError, pa.ArrowException):
        return None


def _codes_of(opened: Any) -> tuple[list[Rainbow], NDArray[np.int32]] | None:  # noqa: ANN401 - pyarrow ships no types
    codes = np.empty(opened.metadata.num_rows, dtype=np.int32)
    number: dict[object, int] = {}
    place = 0
    known, written = None, np.empty(0, dtype=np.int32)
    for batch in opened.iter_batches(_BATCH, columns=["dataset", "rainbow"]):
        datasets, rainbows = batch.column("dataset"), batch.column("rainbow")
        if datasets.null_count or rainbows.null_count:
            return None
        stop = place + len(batch)
        if not np.array_equal(datasets.to_numpy(zero_copy_only=False), np.arange(place, stop)):
            return None
        if known is None or not rainbows.dictionary.equals(known):
            known = rainbows.dictionary
            texts = known.to_pylist()
            written = np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int32)
        codes[place:stop] = written[rainbows.indices.to_numpy(zero_copy_only=False)]
        place = stop
    spelled = [text for text in number if isinstance(text, str)]
    try:
        return ([Rainbow.parse(text) for text in spelled], codes) if len(spelled) == len(number) else None
    except RainbowError:
        return None
