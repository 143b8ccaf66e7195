# SPDX-License-Identifier: Apache-2.0
"""Descriptions of tables: files in many dialects are cut into cells, texts become values."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.errors import FileFormatError, FileUnreadableError, RainbowError, TableUnreadableError
from rainbowdp.formats.described_csv import DescribedFile
from rainbowdp.formats.encodings import UNREADABLE
from rainbowdp.formats.frictionless import read_table_description

TWO = [{"name": "id"}, {"name": "vote"}]

NO_NUMBERS = ["--5", "abc", "5 CR", "5.00DB", "Dr. 5", "5.00 S", "\u20145", "\u25b25", "-5.00-", "5\u00bd"]
NO_NUMBERS += ["5.-", "5-7", "5- EUR", "Rs.500", "\u20ac1,5", "\u20ac,50", "S/.500", "B/.25", "x/.5", "..5"]
# Other minuses, bounds and powers; words that negate or multiply.
NO_NUMBERS += [f"{odd}5" for odd in "\u00ad\u2044\u2796\u30fc\u2500\u0640\u2264\u2265\uff1c\uff1e~"]
NO_NUMBERS += ["5²", "10³", "負5", "マイナス5", "5.H", "5k", "5万", "$5m", "$5M"]
NO_NUMBERS += [f"{word} 5" for word in ["moins", "Menos", "минус", "négatif", "K", "T€", "سالب"]]
NO_NUMBERS += [f"5 {word}" for word in ["débit", "Soll", "Mio.", "Tsd.", "million", "млн", "مليون"]]
NO_NUMBERS += ["5. H", "5, H"]
UNITS_BEFORE = ["S/.", "B/.", "R$", "S$", "C$", "L.E.", "USD", "лв.", "د.إ."]
UNITS_AFTER = ["kg", "years", "zł", "Kč", "m", "€/m²", "\u0440\u0443\u0431.", "円"]
PATTERNS = [("time", form) for form in ("%H:%m", "%H:%M %p", "%I:%M", "%d.%m.%Y", "%H:%S")]
PATTERNS += [("datetime", f"%d.%m.%Y {time}") for time in ("%H:%S", "%H:%M %p %z", "%M")]


def rows(text: str | bytes, said: dict[str, Any], block: int = 5) -> list[list[str]]:
    """Return the header and the records of a described file, which comes in small blocks."""
    content = text.encode() if isinstance(text, str) else text
    blocks = [content[at : at + block] for at in range(0, len(content), block)]
    file = DescribedFile(blocks, read_table_description(said), [",", ";"], "the file", TableUnreadableError)
    return [file.names, *file.rows()]


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("id;vote\r\n1;a;b\r\n2;c\r\n", {"dialect": {"delimiter": ";"}}, [["id", "vote"], ["2", "c"]]),
        (
            "id,vote,\n1,red\n2,blue\n",
            {"schema": {"fields": TWO}},
            [["id", "vote"], ["1", "red"], ["2", "blue"]],
        ),
        (
            '"vote"\n"1" "red"\n"2" "light blue"\n',
            {"dialect": {"delimiter": " "}, "schema": {"fields": TWO}},
            [["id", "vote"], ["1", "red"], ["2", "light blue"]],
        ),
        (
            '1,"say \\"hi\\", ok"\n2,\\N\n3,a\\,b\n',
            {"dialect": {"escapeChar": "\\", "header": False}, "schema": {"fields": TWO}},
            [["id", "vote"], ["1", 'say "hi", ok'], ["2", ""], ["3", "a,b"]],
        ),
        (
            'Q1,Q2\n"How, ""much""\nor not","b"\n"{""ImportId"":""x""}",\n1,2\n',
            {"dialect": {"commentRows": [2, 3]}},
            [["Q1", "Q2"], ["1", "2"]],
        ),
        (
            "made by hand\n\nid::vote\n1::2\n# 3::4\n5\n6::7::8\n",
            {
                "dialect": {"delimiter": "::", "headerRows": [3], "commentChar": "#"},
                "schema": {"fields": [{"name": "vote"}], "fieldsMatch": "partial"},
            },
            [["id", "vote"], ["1", "2"], ["5", ""], ["6", "7"]],
        ),
        (
            "fruit,\nid,name\n1,apple\n",
            {"dialect": {"headerRows": [1, 2], "headerJoin": "-"}},
            [["fruit-id", "name"], ["1", "apple"]],
        ),
        ("a,b\n1,'x,''y'\n", {"dialect": {"quoteChar": "'"}}, [["a", "b"], ["1", "x,'y"]]),
        ("a, b\n1, c\n", {"dialect": {"skipInitialSpace": True}}, [["a", "b"], ["1", "c"]]),
        ('a,b\n1,"open\n2,x"y\n3,z\n', {}, [["a", "b"], ["2", 'x"y'], ["3", "z"]]),
        (b"a,b\n1,\0\n2,\xc3\xbc\n", {}, [["a", "b"], ["2", "ü"]]),
        ("a,b\r1,2\r", {}, [["a", "b"], ["1", "2"]]),
        # Some programs call a doubled quote an escaped one.
        ('a,b\n"1","x ""y"""\n2,"z\n3,"z\n', {"dialect": {"escapeChar": '"'}}, [["a", "b"], ["1", 'x "y"']]),
        ("a, b, c\nid;vote\n1;2\n", {"dialect": {"headerRows": [2]}}, [["id", "vote"], ["1", "2"]]),
        ('"a, b\nc, d";vote\n1;2\n', {"dialect": {"commentRows": [9]}}, [["a, b\nc, d", "vote"], ["1", "2"]]),
        # Comments above the header; a header that looks like one.
        ("# a, b\n#\nid;vote\n#\n1;2\n", {"dialect": {"commentChar": "#"}}, [["id", "vote"], ["1", "2"]]),
        (
            "# a, b\nid;vote\n1;2\n",
            {"dialect": {"commentChar": "#", "headerRows": [2]}, "schema": {"fields": TWO}},
            [["id", "vote"], ["1", "2"]],
        ),
        (
            "#id;vote\n1;2\n",
            {"dialect": {"commentChar": "#"}, "schema": {"fields": TWO}},
            [["id", "vote"], ["1", "2"]],
        ),
        # Other names, on purpose.
        ("Q1,Q1\n1,2\n", {"schema": {"fields": TWO}}, [["id", "vote"], ["1", "2"]]),
        ("id,id\n1,2\n", {"schema": {"fields": TWO}}, [["id", "vote"], ["1", "2"]]),
    ],
)
@pytest.mark.parametrize("block", [1, 5, 1000])
def test_a_described_file_becomes_an_ordinary_one(
    text: str | bytes, said: dict[str, Any], found: list[list[str]], block: int
) -> None:
    assert rows(text, said, block) == found


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufffd"), max_size=8)


@given(
    st.lists(st.tuples(cells, cells), max_size=6),
    st.tuples(st.sampled_from([",", ";", "\t", " ", "::"]), st.sampled_from(["\n", "\r\n", "\r"])),
    st.sampled_from(['"', "'"]),
    st.booleans(),
    st.integers(1, 9),
)
def test_what_is_written_in_a_dialect_is_read_from_it(
    table: list[tuple[str, str]], between: tuple[str, str], quote: str, escaped: bool, block: int
) -> None:
    delimiter, ending = between

    def written(cell: str) -> str:
        if escaped:
            return quote + cell.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote
        return quote + cell.replace(quote, quote * 2) + quote

    text = "".join(delimiter.join(map(written, row)) + ending for row in [("id", "vote"), *table])
    dialect: dict[str, Any] = {"delimiter": delimiter, "quoteChar": quote}
    if escaped:
        dialect |= {"escapeChar": "\\", "doubleQuote": False}
    assert rows(text, {"dialect": dialect}, block)[1:] == [list(row) for row in table]


@pytest.mark.parametrize(
    ("field", "texts"),
    [
        (
            {"type": "number", "decimalChar": ","},
            {
                "2541,50": "2541.50",
                "-1,5e3": "-1.5e3",
                "2.541,50": "2.541,50",
                ",5": "0.5",
                "-,5": "-0.5",
                "\u20135": "-5",
                # Without a description these would be numbers.
                "1.200": UNREADABLE,
                ".5": UNREADABLE,
                "7": "7",
                "unknown": "unknown",
            },
        ),
        (
            {"type": "number", "groupChar": ",", "bareNumber": False},
            {
                "2,541.50": "2541.50",
                "€2541.50": "2541.50",
                "41.5%": "41.5",
                "-$1,000": "-1000",
                "€ -5": "-5",
                "EUR 95": "95",
                "\u22123": "-3",
                "(5.00)": "(5.00)",
                "$.50": "0.50",
                "-$.50": "-0.50",
                "Fr. 12.50": "12.50",
                "12.50 Fr.": "12.50",
                "Rs. 500": "500",
                "Rs. 12,34,567": "1234567",
                **dict.fromkeys(("20 \u00b0C", "20\u00b0 C"), "20"),
                **{f"{unit} 5": "5" for unit in UNITS_BEFORE},
                **{f"5 {unit}": "5" for unit in UNITS_AFTER},
                # As SAP writes it.
                "1,234.50-": "-1234.50",
                "\u20135.00 €": "-5.00",
                **{odd: odd for odd in NO_NUMBERS},
            },
        ),
        (
            {"type": "integer", "groupChar": "."},
            {"1.000.000": "1000000", "7": "7", "2.5": UNREADABLE, "31.01.2026": "31.01.2026"},
        ),
        (
            {"type": "number", "groupChar": ","},
            {
                "1,234": "1234",
                "1,23,456.5": "123456.5",
                **{odd: odd for odd in ("1,5", "1,2345", "1234,567")},
            },
        ),
        ({"type": "date", "format": "%d.%m.%Y"}, {"31.01.2026": "2026-01-31", "31.02.2026": "31.02.2026"}),
        *(
            ({"type": kind, "format": form}, {text: right})
            for kind, form, text, right in (
                ("time", "%I:%M %p", "11:30 PM", "23:30:00"),
                ("time", "%H:%M:%S.%f", "01:02:03.5", "01:02:03.500000"),
                ("datetime", "%d.%m.%Y", "31.01.2026", "2026-01-31T00:00:00"),
                ("datetime", "%d.%m.%Y %Hh", "31.01.2026 23h", "2026-01-31T23:00:00"),
                ("datetime", "%Y-%m-%d %H:%M%z", "2026-01-31 23:30-0500", "2026-01-31T23:30:00-05:00"),
                # As without a description, the day in UTC.
                ("date", "%Y-%m-%d %H:%M%z", "2026-01-31 23:30-0500", "2026-02-01"),
                ("date", "%Y-%m-%d %H:%M%z", "9999-12-31 23:30-0500", "9999-12-31 23:30-0500"),
                # Digits that run together, and without their zeros.
                ("date", "%d%m%Y", "01022026", "2026-02-01"),
                *(("date", "%d%m%Y", odd, UNREADABLE) for odd in ("1022026", "3012000")),
                ("date", "%y%m%d", "1011", UNREADABLE),
                ("date", "%d%b%Y", "1JAN2026", "2026-01-01"),
                ("time", "%H%M", "0010", "00:10:00"),
                ("time", "%H%M", "10", UNREADABLE),
                ("time", "%I%M%p", "0130pm", "13:30:00"),
                ("time", "%H%M%S%f", "010203123", "01:02:03.123000"),
                ("time", "%H%M%S%f", "10203123", UNREADABLE),
                ("datetime", "%Y%m%dT%H%M%S%z", "20260131T233000Z", "2026-01-31T23:30:00+00:00"),
            )
        ),
        ({"type": "boolean", "trueValues": ["ja"]}, {"ja": "true", "0": "false", "nein": "nein"}),
        ({"missingValues": ["NA", "-"]}, {"NA": None, "-": None, "na": "na"}),
    ],
)
def test_a_field_says_what_texts_stand_for(field: dict[str, Any], texts: dict[str, str | None]) -> None:
    rule = read_table_description({"fields": [{"name": "x", **field}]}).rule("x")
    assert rule is not None
    assert {text: rule(text) for text in texts} == texts


def test_missing_values_of_a_field_replace_those_of_the_table() -> None:
    said = read_table_description(
        {"fields": [{"name": "a"}, {"name": "b", "missingValues": ["-"]}], "missingValues": ["", "NA"]}
    )
    a, b, other = (said.rule(name) for name in ("a", "b", "c"))
    assert a is not None
    assert b is not None
    assert other is not None
    assert (a("NA"), b("NA"), b("-"), other("NA"), a("x")) == (None, "NA", None, None, "x")
    assert read_table_description({"fields": [{"name": "a"}]}).rule("a") is None


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"dialect": {"delimeter": ";"}}, "the unknown property 'delimeter'"),
        ({"dialect": {"delimiter": 7}}, "'delimiter' of the dialect has the wrong type"),
        ({"dialect": {"headerRows": [0]}}, "'headerRows' must hold numbers of rows"),
        ({"dialect": {"quoteChar": "''"}}, "'quoteChar' is not one character"),
        ({"dialect": {"itemType": "array"}}, "'itemType' of the dialect is not supported"),
        ({"dialect": "dialect.json"}, "'dialect' names another file"),
        ({"fields": [{"name": "a", "decimalChar": ","}]}, "properties of a number"),
        *(
            (
                {"fields": [{"name": "a", "type": "number", key: mark}]},
                "cannot stand before decimals or between",
            )
            for key in ("decimalChar", "groupChar")
            for mark in "-+e\u2212"
        ),
        ({"fields": [{"name": "a"}, {"name": "a"}]}, "the same name"),
        ({"fields": [], "fieldsMatch": "some"}, "'fieldsMatch' is 'some'"),
        ({"fields": [{"name": "d", "type": "date", "format": "%Q"}]}, "format '%Q' of field 'd' is not a"),
        *(
            (
                {"fields": [{"name": "d", "type": kind, "format": form}]},
                f"format '{form}' of field 'd' is not a",
            )
            for kind, form in PATTERNS
        ),
        ({"encoding": "klingon"}, "no encoding 'klingon'"),
        ({"encoding": "utf-8\0"}, "no encoding 'utf-8.x00'"),
        ({"resources": []}, "'resources' must hold one table"),
    ],
)
def test_a_description_that_cannot_be_followed_is_refused(
    said: dict[str, Any], what: str, tmp_path: Path
) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    for source in (said, path):
        with pytest.raises(FileFormatError, match=what) as caught:
            read_table_description(source)
        assert caught.value.help
    path.write_text("{", encoding="utf-8")
    with pytest.raises(FileFormatError, match="is not JSON"):
        read_table_description(path)
    with pytest.raises(FileUnreadableError, match="cannot be read"):
        read_table_description(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "said", "what"),
    [
        ("1,2\n", {"dialect": {"header": False}}, "has no header, and its description does not name"),
        ("a,b\n", {"dialect": {"headerRows": [3]}}, "no header where its description says"),
        (
            "a\n",
            {"dialect": {"headerRows": [3], "commentChar": "\0"}},
            "no header where its description says",
        ),
        ("a,b,c\n", {"fields": [{"name": "x"}]}, "has 3 columns, and its description 1"),
        ("id\n1\n", {"fields": TWO}, "has 1 column, and its description 2"),
        ("Q1\n1,2\n", {"fields": TWO}, "has 1 column, and its description 2"),
        (
            "#Q1,Q2\n1,2\n",
            {"dialect": {"delimiter": ",", "commentChar": "#"}, "schema": {"fields": TWO}},
            "no header where its description says",
        ),
        ('"a"b,c\n', {"dialect": {"commentRows": [2]}}, "no header where its description says"),
    ],
)
def test_a_header_that_is_not_as_described_is_refused(text: str, said: dict[str, Any], what: str) -> None:
    with pytest.raises(RainbowError, match=what):
        rows(text, said)


def test_a_data_package_of_one_table_and_extra_properties_are_read() -> None:
    table = {
        "name": "t",
        "path": "t.csv",
        "encoding": "latin1",
        "dialect": {"$schema": "x", "delimiter": ";"},
    }
    assert read_table_description({"resources": [table]}) == read_table_description(
        {"dialect": {"delimiter": ";"}, "encoding": "iso8859-1"}
    )
