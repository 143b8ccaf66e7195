# SPDX-License-Identifier: Apache-2.0
"""No content of a row raises, loses a neighbor, or changes what becomes of another row.

The oracle for well-formed CSV is Python's csv module; for the rest, files are written in which every row is
known to be good or bad.
"""

import csv
import gzip
import io
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_tally import NOTHING, UNREADABLE, cells
from rainbowdp.formats.csv_files import LARGEST_RECORD, Header, Records
from rainbowdp.formats.encodings import encoding_called, in_utf8
from rainbowdp.questions import OptionReading
from rainbowdp.questions.readings import OptionCounts
from rainbowdp.tables import open_table, summarize
from rainbowdp.tables.text_rows import LARGEST_LINE, _object, lines_of


def filter_of(cells: int) -> Records:
    """Return the filter below a header of so many columns."""
    names = tuple(f"c{at}" for at in range(cells))
    return Records(Header(names, ",", b"\n", length=0, fits=True, plain=True))


BAD_ROWS = {
    "short": b"9",
    "long": b"9,red,3,4",
    "long by an empty cell": b"9,red,3,",
    "an open quote": b'9,"red,3',
    "text after a quote": b'9,"red"x,3',
    "text before a quoted comma": b'9,x"red,blue",3',
    "a byte that is no UTF-8": b"9,red\xff,3",
    "half a character": b"9,red\xc3,3",
    "a NUL byte": b"9,r\0ed,3",
    "a NUL byte in quotes": b'9,"r\0ed",3',
    "too large": b"9,red," + b"x" * (LARGEST_RECORD + 1),
    "too large in quotes": b'9,red,"' + b"x" * (LARGEST_RECORD + 1) + b'"',
    "long with a line break": b'9,"red\nred",3,4',
    "blanks": b"   ",
    "nothing": b"",
}
GOOD = [
    b"1,red,1",
    b'2,"blue, or ""so""",1',
    b"3,,1",
    b"4,  red ,1",
    b'5, "red" ,1',
    b'6,"{""red"": [1,\n2]}",1',
]
COUNTS = {"red": 3, 'blue, or "so"': 1, NOTHING: 1, '{"red": [1,\n2]}': 1}


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_a_bad_row_counts_for_nothing_and_its_neighbors_count(tmp_path: Path, ending: bytes) -> None:
    for bad in BAD_ROWS.values():
        rows = [bad, *GOOD[:2], bad, *GOOD[2:], bad]
        (tmp_path / "a.csv").write_bytes(ending.join([b"id,vote,x", *rows, b""]))
        with open_table(tmp_path / "a.csv") as table:
            assert cells(table, "vote") == COUNTS, bad[:20]


def test_a_quote_inside_a_cell_is_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'id,vote\n1,5\'10"\n2,the "best" one\n3,5\'10"\n')
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == {"5'10\"": 2, 'the "best" one': 1}


def test_a_bad_row_loses_nothing_of_a_file_that_is_read_in_parts(tmp_path: Path) -> None:
    rows = [f"{at},{'red' if at % 3 else 'blue'},{'x' * (at % 50)}".encode() for at in range(60_000)]
    for at in (0, 1_000, 37_777, 59_999):
        rows[at] = BAD_ROWS["an open quote"]
    (tmp_path / "a.csv").write_bytes(b"\n".join([b"id,vote,x", *rows]))
    expected = Counter(row.split(b",")[1].decode() for row in rows)
    del expected['"red']
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == expected


@given(
    st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2))
)
def test_what_a_writer_of_csv_writes_is_kept_whole(rows: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    kept = b"".join(filter_of(2).kept([text.getvalue().encode()]))
    assert list(csv.reader(io.StringIO(kept.decode(), newline=""))) == rows


PIECES = [
    b"a",
    b" ",
    b'"',
    b'""',
    b",",
    b"\n",
    b"\r\n",
    b"\r",
    b"1",
    "ü".encode(),
    b"\0",
    b'"x"',
    b',"y, z",',
]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(1, 7), st.integers(1, 3))
def test_where_blocks_end_makes_no_difference(pieces: list[bytes], size: int, width: int) -> None:
    content = b"".join(pieces)
    blocks = [content[at : at + size] for at in range(0, len(content), size)]
    whole, parts = filter_of(width), filter_of(width)
    kept = [b"".join(whole.kept([content])), b"".join(parts.kept(blocks))]
    # What is left to DuckDB, lines of another width without quotes, may be dropped here already.
    judged = [
        [row for row in csv.reader(io.StringIO(text.decode(), newline="")) if len(row) == width]
        for text in kept
    ]
    assert judged[0] == judged[1]


def test_duckdb_reads_from_a_broken_file_what_was_kept(tmp_path: Path) -> None:
    generator = random.Random(1)
    for _ in range(10):
        content = b"c0,c1\n" + b"".join(generator.choices(PIECES, k=60))
        (tmp_path / "a.csv").write_bytes(content)
        kept = b"".join(filter_of(2).kept([content[6:]]))
        rows = csv.reader(io.StringIO(kept.decode(), newline=""))
        expected = Counter(row[1].strip() or NOTHING for row in rows if len(row) == 2)
        with open_table(tmp_path / "a.csv") as table:
            assert cells(table, "c1") == expected


@given(
    st.binary(max_size=60),
    st.sampled_from(["utf-8", "cp1252", "gb18030", "shift_jis", "utf-16-le", "utf-32-be"]),
)
def test_no_bytes_fail_in_any_encoding(content: bytes, encoding: str) -> None:
    assert b"".join(in_utf8(iter([content[:20], content[20:]]), encoding)).decode() is not None


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_no_line_of_json_fails(lines: list[bytes]) -> None:
    content = [b'{"vote": "red"}', *(line.replace(b"\n", b"") for line in lines), b'{"vote": 1.0}']
    found = [_object(line) for line in lines_of([b"\n".join(content)])]
    assert (found[0], found[-1]) == ({"vote": "red"}, {"vote": 1.0})


LINES = [
    b'{"id": 1, "vote": "red"}', b'{"id": 2, "vote": " red "}', b'{"id": 3, "vote": null}', b'{"id": 4}',
    b'{"vote": [["red", 1]]}', b'{"vote": {"red": 1}}', b'{"vote": true}', b'{"vote": 1.0}', b'{"vote": NaN}',
    b'{"vote": "\\ud800"}', b'{"vote": "\\u0000"}', b'{"vote": ' + b"9" * 5000 + b"}", b"[" * 100_000,
    b'[["id", 1], ["vote", "red"]]', b'"red"', b"", b'{"vote": "two\\nlines, \\"so\\""}',
    b'{"vote": "' + b"x" * LARGEST_LINE + b'"}', b'{"vote": "last"',
    # Bytes that other programs take for JSON.
    b"\xff".join(bytes([byte]) for byte in b'{"vote": "red"}') + b"\xff",
    '{"vote": "red"}'.encode("utf-16-be"), '{"vote": "red"}'.encode("utf-32-be"),
    b'\xef\xbb\xbf{"vote": "red"}',
]  # fmt: skip


def test_json_lines_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(LINES))
    with open_table(tmp_path / "a.jsonl") as table:
        assert table.columns is None
        said = {"red": 2, NOTHING: 3, UNREADABLE: 5, "true": 1, "1": 1, 'two\nlines, "so"': 1}
        assert cells(table, "vote") == said


def test_one_column_may_have_null_cells_and_empty_lines_are_no_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'vote\nred\n\n""\nred\n\n')
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == {"red": 2, NOTHING: 1}


def test_columns_of_json_lines_are_those_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text(
        '{"vote": "A", "id": 1}\n{"id": 2, "vote": "B", "x": 1}\n', encoding="utf-8"
    )
    (tmp_path / "2.jsonl").write_text('{"x": 2}\n', encoding="utf-8")
    with open_table(f"{tmp_path}/*.jsonl") as table:
        assert "no header" in table.notes[0]
        assert cells(table, "vote") == {"A": 1, "B": 1, NOTHING: 1}
        assert cells(table, "x") == {"1": 1, "2": 1, NOTHING: 1}
        assert cells(table, "vote", where={"id": "2"}) == {"B": 1}
        assert cells(table, "vote", unit="id") == {"A": 1, "B": 1}
        assert cells(table, "absent") == {NOTHING: 3}


@pytest.mark.parametrize("compressed", [False, True])
def test_a_byte_order_mark_in_the_first_cell_says_nothing(tmp_path: Path, compressed: bool) -> None:
    content = "vote\n\ufeffA\nA\n\ufeff\n".encode()
    path = tmp_path / ("a.csv.gz" if compressed else "a.csv")
    path.write_bytes(gzip.compress(content) if compressed else content)
    for row in ("", "x,y\n"):
        more = content + row.encode()
        path.write_bytes(gzip.compress(more) if compressed else more)
        with open_table(path) as table:
            assert cells(table, "vote") == {"A": 2, NOTHING: 1}


@pytest.mark.parametrize(
    "name", ["utf-8", "euc_kr", "cp949", "johab", "shift_jis", "gb18030", "big5", "euc_jis_2004", "cp1252"]
)
def test_no_bytes_take_a_line_ending_along(name: str) -> None:
    encoding = encoding_called(name)
    seconds = [b"", *(bytes([at]) for at in range(128, 256))]
    for first in range(128, 256):
        for line in (b"A", b"A more of them"):
            content = b"".join(bytes([first]) + second + b"\n" + line + b"\n" for second in seconds)
            found = b"".join(in_utf8(iter([content]), encoding))
            assert found.split(b"\n")[1::2] == [line] * len(seconds), (name, first)


# DuckDB's slices have 8 MiB, its buffers four times that; rows were lost or counted twice where two met.
ROWS = {
    "a quote in a cell": ('x",y",red\n', 9_000_000),
    "inches": ('5\'10",",",red\n', 9_000_000),
    "a comma in quotes": ('",",1,red\r\n', 9_000_000),
    "empty lines": ("\n1,2,red\n\n\n", 36_000_000),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.release] * (name != "inches")) for name in ROWS]
)
def test_each_row_of_a_large_file_counts_once(name: str, tmp_path: Path) -> None:
    row, size = ROWS[name]
    number = size // len(row)
    ending = "\r\n" if row.endswith("\r\n") else "\n"
    path = tmp_path / "table.csv"
    for before in range(1, len(row) + 1, 3):
        header = f"{'a' * before},b,vote{ending}"
        path.write_bytes((header + row * number).encode())
        with open_table(path) as table:
            found = summarize(table, OptionReading("vote", ("red", "blue")))
        assert isinstance(found, OptionCounts)
        assert found.counts == (number, 0)
