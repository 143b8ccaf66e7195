# SPDX-License-Identifier: Apache-2.0
"""Error messages: one readable line each, never raw to a terminal or endless, with hints that are near."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.errors import (
    ColorError,
    DuplicateDatasetError,
    NumberError,
    UsageError,
    did_you_mean,
    printable,
    readable,
)


@given(st.text(st.characters(exclude_categories=[])))
def test_what_is_printable_stays_and_the_rest_can_be_read_back(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    shown.encode()
    if text.isprintable():
        assert shown == text
    elif "\\" not in text:
        undone = re.sub(
            r"\\(?:x(..)|u(....)|U(.{8})|([tnr]))",
            lambda found: (
                {"t": "\t", "n": "\n", "r": "\r"}[found[4]]
                if found[4]
                else chr(int(found[1] or found[2] or found[3], 16))
            ),
            shown,
        )
        assert undone == text


@given(st.text(max_size=9), st.text(max_size=9), st.sampled_from([0, 1, 50, 120, 1000]))
def test_a_message_is_one_short_line_whatever_it_is_about(one: str, other: str, times: int) -> None:
    line = readable(f"the color {one * times!r} is not {other * times}")
    assert line.isprintable()
    assert len(line) < 1000


@pytest.mark.parametrize(
    "value", ["x" * 50_000, "7" * 9000 + "/" + "3" * 9001, ", ".join(f"color {at}" for at in range(1000))]
)
def test_what_is_left_out_is_counted(value: str) -> None:
    error = ColorError(f"the start {value} and the end", help=f"give {value} once")
    for line, whole in zip(error.report().split("\n"), (error.what, error.help), strict=True):
        kept = line.split(": ", 1)[1]
        found = re.fullmatch(r"(.*)…\((\d+) characters left out\)…(.*)", kept)
        assert found is not None
        assert len(found[1]) + int(found[2]) + len(found[3]) == len(whole)
        assert whole.startswith(found[1])
        assert whole.endswith(found[3])
        assert len(line) < 1000
    assert error.what == f"the start {value} and the end"
    assert str(error) == error.what


def test_a_report_has_two_lines_and_no_escape_sequence() -> None:
    error = UsageError("a \x1b[31mred\x1b[0m\nline", help="\x07ring")
    assert error.report() == "error[RDP901]: a \\x1b[31mred\\x1b[0m\\nline\nhelp: \\x07ring"


@pytest.mark.parametrize(
    ("wrong", "known", "hint"),
    [
        ("tabel", ["table", "csv", "json"], "'table'"),
        ("unifrom", ["uniform", "max-min"], "'uniform'"),
        ("maxmin", ["uniform", "max-min"], "'max-min'"),
        ("--versoin", ["--version", "--debug"], "'--version'"),
        ("--boundry", ["--boundary", "--boundary-graph"], "'--boundary'"),
        ("--eps", ["--epsilon", "--exact"], "'--epsilon'"),
        ("Gren", ["green", "red"], "'green'"),
        ("RED", ["green", "red"], "'red'"),
        (" x", ["x", "y"], "'x'"),
        ("hospital-3", ["hospital-30", "hospitals-3"], "'hospitals-3'"),
        ("suoth", ["north", "south"], "'south'"),
        ("abcd", ["abcde", "abcdf"], "'abcde' or 'abcdf'"),
    ],
)
def test_a_slip_is_answered_with_the_word_that_was_meant(wrong: str, known: list[str], hint: str) -> None:
    assert did_you_mean(wrong, known) == f"did you mean {hint}?"


def test_errors_about_files_say_where_and_exit_with_4() -> None:
    error = NumberError("'half' is not an exact number", help="write 1/2", value="half").in_a_file()
    placed = error.at("b.toml")
    assert (placed.what, placed.help, placed.exit_code) == (
        "b.toml: 'half' is not an exact number",
        "write 1/2",
        4,
    )
    assert placed.values == {"value": "half"}
    assert DuplicateDatasetError("twice").in_a_file().exit_code == 4
    assert UsageError("an option").in_a_file().exit_code == 2
