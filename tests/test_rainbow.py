# SPDX-License-Identifier: Apache-2.0
"""Rainbows and lists of colors as text: what is written reads back, for any names of colors."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.errors import ColorError, RainbowSyntaxError
from rainbowdp.rainbow import Rainbow, parse_assignments, quote_color, split_list

nasty = st.one_of(
    st.text(alphabet="ab>=,\"\n\r \t\u00a0\u2028'\\é", max_size=5),
    st.text(max_size=4),
    st.sampled_from(["", " ", '"', '""', ">", "a>b", "a=b", "a,b", ' a"', "a\nb", "ln(2)", "1/2", "a b"]),
)


@st.composite
def nasty_rainbows(draw: st.DrawFn) -> Rainbow:
    colors = draw(st.lists(nasty, min_size=1, max_size=6, unique=True))
    classes: list[list[str]] = [[colors[0]]]
    for color in colors[1:]:
        if draw(st.booleans()):
            classes.append([])
        classes[-1].append(color)
    return Rainbow(classes)


@given(nasty_rainbows())
def test_written_rainbows_read_back(rainbow: Rainbow) -> None:
    assert Rainbow.parse(str(rainbow)) == rainbow
    assert str(Rainbow.parse(str(rainbow))) == str(rainbow)


@given(nasty_rainbows(), st.text(alphabet=" \t", max_size=2))
def test_blanks_around_signs_do_not_matter(rainbow: Rainbow, blank: str) -> None:
    spaced = f"{blank}>{blank}".join(
        f"{blank}={blank}".join(map(quote_color, group)) for group in rainbow.classes
    )
    assert Rainbow.parse(f"{blank}{spaced}{blank}") == rainbow


@given(st.lists(nasty, min_size=1, max_size=6))
def test_written_lists_read_back(colors: list[str]) -> None:
    assert split_list(",".join(map(quote_color, colors))) == tuple(colors)


@given(st.dictionaries(nasty, nasty, min_size=1, max_size=5))
def test_written_assignments_read_back(pairs: dict[str, str]) -> None:
    text = ",".join(f"{quote_color(color)}={quote_color(value)}" for color, value in pairs.items())
    assert parse_assignments(text) == pairs


@given(st.text(alphabet='ab>=," \n', max_size=12))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        rainbow = Rainbow.parse(text)
    except (RainbowSyntaxError, ColorError):
        return
    assert Rainbow.parse(str(rainbow)) == rainbow


def test_the_canonical_form_sorts_tied_colors_by_code_point() -> None:
    assert str(Rainbow.parse("b=a>D=c")) == "a=b>D=c"
    assert Rainbow.parse("b=a>c") == Rainbow.parse("a=b>c")
    assert hash(Rainbow.parse("b=a>c")) == hash(Rainbow.parse("a=b>c"))
    assert Rainbow.parse("a>b") != Rainbow.parse("b>a")
    assert Rainbow.parse("a=b") != Rainbow.parse("a>b")


def test_parts_of_a_rainbow() -> None:
    rainbow = Rainbow.parse("green > red=blue > amber")
    assert rainbow.classes == (("green",), ("blue", "red"), ("amber",))
    assert rainbow.colors == ("amber", "blue", "green", "red")
    assert rainbow.ordered == ("green", "blue", "red", "amber")
    assert [rainbow.class_of(color) for color in rainbow.ordered] == [0, 1, 1, 2]
    assert Rainbow(["green", ["red", "blue"], ("amber",)]) == rainbow


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty color at character 1"),
        ("a>", "empty color at character 3"),
        (">a", "empty color at character 1"),
        ("a>>b", "empty color at character 3"),
        ("a=>b", "empty color at character 3"),
        ('a>"b', "never closed"),
        ('a>"b"c', "goes on after a closing quote, at character 6"),
        ('a>b"c"', "quote inside a color, at character 4"),
        ('"', "never closed"),
    ],
)
def test_texts_that_are_not_a_rainbow(text: str, message: str) -> None:
    with pytest.raises(RainbowSyntaxError, match=message) as caught:
        Rainbow.parse(text)
    assert repr(text) in caught.value.what
    assert caught.value.help


@pytest.mark.parametrize("text", ["a>b>a", "a=a", "a>b=a"])
def test_a_color_stands_once_and_no_class_is_empty(text: str) -> None:
    with pytest.raises(ColorError, match="'a' stands twice"):
        Rainbow.parse(text)
    for classes in ([], [["a"], []]):
        with pytest.raises(ColorError):
            Rainbow(classes)


@pytest.mark.parametrize("text", ["a", "a=1,b", "a=1=2", "=1", "a=", "a=1,,b=2", "", "a=1,a=2", 'a="1'])
def test_texts_that_are_not_assignments(text: str) -> None:
    with pytest.raises(RainbowSyntaxError) as caught:
        parse_assignments(text)
    assert caught.value.help


def test_a_text_is_a_rainbow_wherever_classes_are_meant() -> None:
    assert Rainbow("blue > red=green") == Rainbow.parse("blue>green=red") == Rainbow.of("blue>red=green")
    assert Rainbow.of(Rainbow("a>b")) == Rainbow(["a", "b"])
    with pytest.raises(RainbowSyntaxError):
        Rainbow("blue>")


@pytest.mark.parametrize("unordered", [{"a", "b"}, frozenset("a"), {"a": 1}])
def test_unordered_collections_are_refused(unordered: Collection[str]) -> None:
    with pytest.raises(ColorError, match="has no order"):
        Rainbow(unordered)
    assert Rainbow([unordered]).classes == (tuple(sorted(unordered)),)
