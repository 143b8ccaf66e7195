# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions from TOML and JSON: numbers as they are written, rainbows in canonical form."""

from pathlib import Path

import pytest

from rainbowdp.errors import FileFormatError, NumberError
from rainbowdp.formats import read_boundary
from rainbowdp.rainbow import Rainbow

TOML = """
["blue > red=green"]
blue = "3/55"
red = 0.1
green = 1_0e-1

[red]
red = 1
"""


def test_toml_numbers_are_read_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(TOML)
    assert read_boundary(tmp_path / "b.toml") == {
        Rainbow.parse("blue>green=red"): {"blue": "3/55", "red": "0.1", "green": "10e-1"},
        Rainbow.parse("red"): {"red": "1"},
    }


def test_json_numbers_are_read_as_they_are_written(tmp_path: Path) -> None:
    first = '"blue>red": {"blue": 0.30000000000000000000001, "red": "2/3"}'
    # Colors are quoted in a rainbow, and text in its table.
    (tmp_path / "b.json").write_text(f'{{{first}, "\\"a>b\\">c": {{"a>b": 1e-400, "c": 0}}}}')
    assert read_boundary(tmp_path / "b.json") == {
        Rainbow.parse("blue>red"): {"blue": "0.30000000000000000000001", "red": "2/3"},
        Rainbow(["a>b", "c"]): {"a>b": "1e-400", "c": "0"},
    }


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("b.toml", "[a", "is not TOML"),
        ("b.toml", "", "gives no rainbow a distribution"),
        ("b.toml", '["a>b"]\na=1\n["a > b"]\na=1', "gives the rainbow a>b twice, the second time as 'a > b'"),
        ("b.toml", "a = 1", "gives 1 for 'a', not a table"),
        ("b.toml", '["a>>b"]\na=1', "b.toml': .*empty color"),
        ("b.toml", '["a"]\na=true', "gives true as the probability of 'a' at a"),
        ("b.json", '{"a": {"a": 1, "a": 0}}', "the key 'a' stands twice"),
        ("b.json", '{"a": {"a": [1]}}', "gives a list as the probability"),
        ("b.json", '{"a": {"a": Infinity}}', "Infinity is not a number"),
        ("b.csv", "a,b", "does not say in which form"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, name: str, text: str, what: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=what):
        read_boundary(tmp_path / name)


@pytest.mark.parametrize("value", ['"1/0"', "inf", '""', '"1e999999"', '"ln 2"'])
def test_a_probability_that_is_no_number_makes_the_file_unreadable(tmp_path: Path, value: str) -> None:
    (tmp_path / "b.toml").write_text(f'["a>b"]\na = 1\nb = {value}\n')
    with pytest.raises(NumberError, match=r"b\.toml', 'b' at a>b: ") as caught:
        read_boundary(tmp_path / "b.toml")
    assert (caught.value.code, caught.value.exit_code) == ("RDP101", 4)
