# SPDX-License-Identifier: Apache-2.0
"""Writes CSV files of people as large as one likes, a piece at a time: ``python -m benchmarks.person_table``.

Two files come of one seed: a tidy one, in which every line is a row, and a messy one, as files are kept in
which several people typed: the same rows, with one more in 10,000 that cannot be read (too short, too long,
bytes that are no text) or has a cell in the wrong quotes.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

SEED = 20
COLUMNS = ("person", "answer", "number", "group")
ROWS_PER_PERSON = 5
GROUPS = 50_000
# What people said, with how many of 1,000 said it; the first six are the options.
ANSWERS = {
    "tram": 220,
    "bus, at night": 170,
    'the "blue" line': 260,
    "bicycle": 140,
    "car": 100,
    "on foot": 70,
    " tram": 10,
    "ferry": 5,
    "": 25,
}
OPTIONS = tuple(ANSWERS)[:6]
WINNER = 'the "blue" line'
PIECE = 10_000
UNREADABLE = (b"17\n", b"17,car,5,00017,00018\n", b"17,caf\xe9,5,00017\n", b'17,"car" ,5,00017\n')


def quoted(option: str) -> str:
    """Return an option as the command line takes it and answers it.

    Examples
    --------
    >>> quoted("car"), quoted('the "blue" line')
    ('car', '"the ""blue"" line"')
    """
    return '"' + option.replace('"', '""') + '"' if {",", '"'} & {*option} else option


def write(tidy: Path, messy: Path, rows: int) -> None:
    """Write both files.

    Parameters
    ----------
    tidy, messy : Path
        Where to.
    rows : int
        How many rows the tidy one has.
    """
    import numpy as np

    generator = np.random.default_rng(SEED)
    with tidy.open("wb") as first, messy.open("wb") as second:
        for file in (first, second):
            file.write((",".join(COLUMNS) + "\n").encode())
        for number, start in enumerate(range(0, rows, PIECE)):
            piece = _piece(generator, min(PIECE, rows - start), max(1, rows // ROWS_PER_PERSON))
            _write(piece, first)
            _write(piece, second)
            second.write(UNREADABLE[number % len(UNREADABLE)])


def _write(piece: "pl.DataFrame", file: BinaryIO) -> None:
    piece.write_csv(file, include_header=False, quote_style="necessary")


def _piece(generator: "np.random.Generator", rows: int, persons: int) -> "pl.DataFrame":
    import numpy as np
    import polars as pl

    person = generator.integers(persons, size=rows)
    weights = np.array(list(ANSWERS.values())) / sum(ANSWERS.values())
    answer = generator.choice(len(ANSWERS), size=rows, p=weights)
    minutes = generator.integers(-2, 120, size=rows)
    # Where somebody lives follows from who it is; few places have many people, and many have few.
    place = (person * 2_654_435_761 % 2**32 / 2**32) ** 3 * GROUPS
    return pl.DataFrame({"person": person, "answer": answer, "number": minutes, "group": place}).select(
        "person",
        pl.col("answer").replace_strict(range(len(ANSWERS)), [text or None for text in ANSWERS]),
        pl.when(pl.col("number") >= 0)
        .then(pl.col("number").cast(pl.String))
        .when(pl.col("number") == -1)
        .then(pl.lit("about 20")),
        pl.col("group").cast(pl.Int64).cast(pl.String).str.zfill(5),
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
