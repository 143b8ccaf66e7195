# SPDX-License-Identifier: Apache-2.0
"""The floor: the same counts with a few lines of DuckDB or polars, and no privacy.

``python -m benchmarks.plain_counts ENGINE TASK FILE`` prints the counts as JSON. A task is ``winner``,
``unit`` (one row per person, whichever comes first) or ``keys`` (people per group).
Rows that cannot be read are treated as the engine likes, so counts differ a little from those of rainbowdp.
"""

import json
import sys
from pathlib import Path

from benchmarks.person_table import COLUMNS

ENGINES = ("duckdb", "polars")
TASKS = ("winner", "unit", "keys")


def counts(engine: str, task: str, path: Path) -> dict[str, int]:
    """Return rows per answer, or people per group."""
    return (_duckdb if engine == "duckdb" else _polars)(task, path)


def _duckdb(task: str, path: Path) -> dict[str, int]:
    import duckdb

    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in COLUMNS)
    scan = (
        f"read_csv('{path}', header=true, columns={{{columns}}}, auto_detect=false, delim=',', quote='\"', "
        "escape='\"', new_line='\\n', ignore_errors=true)"
    )
    query = {
        "winner": f"select answer, count(*) from {scan} group by all",  # noqa: S608 - the member's own file
        "unit": f"select first(answer) as answer from {scan} group by person",  # noqa: S608 - see above
        "keys": f'select "group", count(distinct person) from {scan} group by all',  # noqa: S608 - see above
    }[task]
    if task == "unit":
        query = f"select answer, count(*) from ({query}) group by all"  # noqa: S608 - see above
    return {str(text): int(number) for text, number in duckdb.execute(query).fetchall()}


def _polars(task: str, path: Path) -> dict[str, int]:
    import polars as pl

    rows = pl.scan_csv(path, infer_schema=False)
    if task == "unit":
        rows = rows.group_by("person").agg(pl.col("answer").first())
    query = (
        rows.group_by("group").agg(pl.col("person").n_unique().alias("n"))
        if task == "keys"
        else rows.group_by("answer").agg(pl.len().alias("n"))
    )
    return {str(text): int(number) for text, number in query.collect(engine="streaming").rows()}


if __name__ == "__main__":
    json.dump(counts(sys.argv[1], sys.argv[2], Path(sys.argv[3])), sys.stdout)
