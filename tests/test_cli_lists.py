# SPDX-License-Identifier: Apache-2.0
"""What a custodian types wrongly is answered by the name of the option, in no word of the mathematics."""

import re
from pathlib import Path

import pytest

from command_line import Outcome, Runner

TABLE = "city,vote,note,age\nBonn,A,x,30\nBonn,A,x,40\nBonn,A,x,50\n" + "Ulm,B,,60\n" * 9
PRIVACY = ("--epsilon", "600")
WINNER = ("ask", "winner", "people.csv", "--column", "vote", *PRIVACY)
CHOSEN = (*WINNER, "--options", "A,B")
BRACKET = ("ask", "bracket", "people.csv", "--column", "age", *PRIVACY)
LEVEL = ("ask", "level", "people.csv", "--column", "vote", "--equals", "A", *PRIVACY)
SHARE = ("ask", "yes-no", "people.csv", "--column", "vote", "--equals", "A", *PRIVACY)
SUM = ("ask", "yes-no", "people.csv", "--column", "age", "--sum", *PRIVACY)
KEYS = ("keys", "people.csv", "--column", "vote", "--epsilon", "1", "--delta", "1e-6")
PLAN = ("plan", "winner", "--options", "A,B")
FOREIGN = re.compile(r"\b(colors?|rainbows?)\b|blue|red=")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


def refused(outcome: Outcome) -> tuple[str, str]:
    """Return what was said, after checking that it is misuse, and that nobody was told of a cost."""
    assert outcome.code == 2, outcome.err
    assert "cost" not in outcome.err
    what, way_on = outcome.error
    assert not FOREIGN.search(re.sub("'[^']*'", "''", outcome.err)), outcome.err
    return what.partition(" ")[2], way_on.removeprefix("help: ")


def test_the_filter_that_is_none_is_told_what_one_is(run: Runner) -> None:
    assert refused(run(*CHOSEN, "--where", "vote")) == (
        "--where 'vote' is not COLUMN=VALUE",
        "write COLUMN=VALUE, for example --where city=Bonn",
    )


FILTERS = [
    ("", "--where '' is empty"),
    (" ", "--where ' ' is empty"),
    ("city=", "--where 'city=' gives no value"),
    ('city=""', "gives no value"),
    ("=Bonn", "--where '=Bonn' names no column"),
    ('""=Bonn', "names no column"),
    ("city=Bonn,", "ends with a comma"),
    (",city=Bonn", "begins with a comma"),
    ("city=Bonn,,vote=A", "has nothing between two commas"),
    ("city=Bonn, Germany", "--where 'Germany' is not COLUMN=VALUE"),
    ("note=a=b", "--where 'note=a=b' has more than one equals sign"),
    ('city="Bonn', "opens a double quote that is never closed"),
    ('city=B"on"n', "has a double quote in the middle of a text"),
    ("city=Bonn,city=Ulm", "--where names the column 'city' twice"),
    ('city=Bonn,"city"="Ulm"', "--where names the column 'city' twice"),
]


@pytest.mark.parametrize(("text", "said"), FILTERS)
@pytest.mark.parametrize("words", [CHOSEN, KEYS])
def test_filters(run: Runner, words: tuple[str, ...], text: str, said: str) -> None:
    what, way_on = refused(run(*words, "--where", text))
    assert said in what
    assert "--where" in what
    assert "--where" in way_on or "twice" in what


def test_a_value_with_a_comma_or_an_equals_sign_is_shown_how_to_write_it(run: Runner) -> None:
    assert "--where 'city=\"Bonn, Germany\"'" in refused(run(*CHOSEN, "--where", "city=Bonn, Germany"))[1]
    assert "--where 'note=\"a=b\"'" in refused(run(*CHOSEN, "--where", "note=a=b"))[1]
    assert run(*CHOSEN, "--where", 'note="x", city = Bonn').out == "A\n"


LISTS = [
    ("", "is empty"),
    ("A,,B", "has nothing between two commas"),
    (",A,B", "begins with a comma"),
    ("A,B,", "ends with a comma"),
    ('A,"B', "opens a double quote that is never closed"),
    ('A,B"C"', "has a double quote in the middle of a text"),
    ('"A"B,C', "has a double quote in the middle of a text"),
    ('A,""', "holds an empty name"),
    ('A," "', "holds an empty name"),
    ('A,B," A "', "names 'A' twice"),
]


@pytest.mark.parametrize(("text", "said"), LISTS)
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--options", WINNER),
        ("--options", ("plan", "ranking", *PRIVACY)),
        ("--groups", (*CHOSEN, "--by", "city")),
        ("--labels", (*BRACKET, "--edges", "18,65")),
        ("--labels", (*LEVEL, "--edges", "1,5")),
    ],
)
def test_lists_of_names(run: Runner, option: str, words: tuple[str, ...], text: str, said: str) -> None:
    what, way_on = refused(run(*words, option, text))
    assert what.startswith(option)
    assert said in what
    assert option in way_on or "once" in way_on


NUMBERS = [
    ("", "is empty"),
    ("1,,2", "has nothing between two commas"),
    (",1", "begins with a comma"),
    ("1,", "ends with a comma"),
    ("1;2", "'1;2' is not an exact number"),
    ('"1","2"', "is not an exact number"),
    ("x,1", "'x' is not an exact number"),
]


@pytest.mark.parametrize(("text", "said"), NUMBERS)
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--edges", BRACKET),
        ("--edges", (*LEVEL, "--share")),
        ("--edges", ("plan", "level", "--equals", "A", *PRIVACY)),
        ("--clamp", (*SUM, "--at-least", "3")),
        ("--epsilon", PLAN),
        ("--mu", PLAN),
    ],
)
def test_lists_of_numbers(run: Runner, option: str, words: tuple[str, ...], text: str, said: str) -> None:
    what, way_on = refused(run(*words, option, text))
    assert what.startswith(option)
    assert said in what
    assert f"decimals have a point: {option} " in way_on


def test_a_decimal_comma_in_edges_is_told_to_be_a_point(run: Runner) -> None:
    what, way_on = refused(run(*BRACKET, "--edges", "34,5"))
    assert what == "--edges: the edge 5 does not lie above 34"
    assert "34.5, not 34,5" in way_on
    assert run(*BRACKET, "--edges", "34.5, 65").out == "34.5..<65\n"


SINGLE = [
    (("--options", "A"), WINNER, "--options: there are 1 options, and a question needs at least 2"),
    (("--other", ""), CHOSEN, "--other '' is empty"),
    (("--nulls", "C"), CHOSEN, "--nulls: nulls are to count as 'C', which is no option"),
    (("--nulls", ""), CHOSEN, "--nulls '' is empty"),
    (("--nulls", "x"), (*BRACKET, "--edges", "3"), "--nulls cannot be 'x' here"),
    (("--nulls", "x"), (*SUM, "--clamp", "0,9", "--at-least", "3"), "--nulls: 'x' is not an exact number"),
    (("--nulls", ""), (*SHARE, "--share", "1/2"), "--nulls '' is empty"),
    (("--by", ""), (*CHOSEN, "--groups", "A"), "--by '' is empty"),
    (("--groups", "A"), CHOSEN, "--groups is given without --by"),
    (("--unit", ""), (*CHOSEN, "--max-rows", "2"), "--unit '' is empty"),
    (("--unit", ""), (*KEYS, "--max-keys", "2"), "--unit '' is empty"),
    (("--unit", "city"), (*KEYS, "--max-keys", "0"), "--max-keys '0' is not a whole number from 1"),
    (("--column", ""), ("ask", "winner", "people.csv", "--options", "A,B", *PRIVACY), "--column '' is empty"),
    (("--column", ""), ("keys", "people.csv", "--epsilon", "1", "--delta", "0.1"), "--column '' is empty"),
    (("--receipt", ""), CHOSEN, "--receipt '' is empty"),
    (("--receipt", "-"), CHOSEN, "--receipt '-' names no file"),
    (("--receipt", "new/"), CHOSEN, "--receipt 'new/' names no file"),
    (("--labels", "a,b"), (*BRACKET, "--edges", "1,2"), "--labels: 2 labels do not fit 2 edges"),
    (("--quantile", "half"), (*BRACKET, "--edges", "3"), "--quantile: 'half' is not an exact number"),
    (("--quantile", "2"), (*BRACKET, "--edges", "3"), "--quantile: 2 is no quantile"),
    (("--share", "half"), SHARE, "--share: 'half' is not an exact number"),
    (("--share", "2"), SHARE, "--share: a share cannot cross 2"),
    (("--at-least", ""), SHARE, "--at-least: '' is not an exact number"),
    (("--at-least", "0"), (*SUM, "--clamp", "0,9"), "--at-least: a sum of these values cannot cross 0"),
    (("--edges", "0,4"), LEVEL, "--edges: a count cannot cross 0"),
    (("--clamp", "9,0"), (*SUM, "--at-least", "3"), "--clamp: values cannot be clamped to 9, 0"),
    (("--clamp", "0,9,5"), (*SUM, "--at-least", "3"), "--clamp '0,9,5' is no range"),
    (("--epsilon", "0,5"), CHOSEN[:5] + CHOSEN[7:], "--epsilon: '0,5' is not an exact number"),
    (("--delta", "x"), CHOSEN, "--delta: 'x' is not an exact number"),
    (("--delta", "x"), (*PLAN, "--epsilon", "1"), "--delta: 'x' is not an exact number"),
    (("--epsilon", "-1"), CHOSEN[:5] + CHOSEN[7:], "--epsilon: "),
    (("--epsilon", "1,-1"), PLAN, "--epsilon: "),
    (("--delta", "2"), CHOSEN, "--delta: "),
    (("--delta", "2"), (*PLAN, "--epsilon", "1"), "--delta: "),
    (("--mu", "-1"), CHOSEN[:5] + CHOSEN[7:], "--mu: "),
    (("--mu", "1,-1"), PLAN, "--mu: "),
    (("--plot", "x.txt"), (*PLAN, "--epsilon", "1"), "--plot: a figure cannot be written as 'x.txt'"),
    (("--equals", "9" * 9000), (*LEVEL[:5], *PRIVACY, "--edges", "3"), "--equals: "),
    (("--nulls", "9" * 9000), (*LEVEL, "--edges", "3"), "--nulls: "),
    (("--mu", "x"), CHOSEN[:5] + CHOSEN[7:], "--mu: 'x' is not an exact number"),
    (("--false-yes", "1/0"), (*SHARE, "--share", "1/2"), "--false-yes: "),
    (("--want", "x"), (*PLAN, "--lead", "3"), "--want: 'x' is not an exact number"),
    (("--want", "1"), (*PLAN, "--lead", "3"), "--want '1' is not a number between 0 and 1"),
    (("--leads", ""), (*PLAN, "--epsilon", "1"), "--leads '' is empty"),
    (("--leads", "1,,2"), (*PLAN, "--epsilon", "1"), "'' in --leads '1,,2' is not a whole number"),
    (("--leads", "9" * 20), (*PLAN, "--epsilon", "1"), "the lead 99999999999999999999 is beyond 2^53"),
    (("--epsilon", "x"), ("budget", "create", "b", "--ledger", "l"), "--epsilon: 'x' is not an exact number"),
]


@pytest.mark.parametrize(("typed", "words", "said"), SINGLE, ids=lambda value: str(value)[:40])
def test_every_option_is_named(
    run: Runner, typed: tuple[str, ...], words: tuple[str, ...], said: str
) -> None:
    assert refused(run(*words, *typed))[0].startswith(said)


def test_files_of_options_are_named(run: Runner) -> None:
    for text, said in (
        ("A\nB\nA\n", "'o.txt' names 'A' twice"),
        ("A\n", "--options-file: there are 1"),
    ):
        Path("o.txt").write_text(text, encoding="utf-8")
        assert refused(run(*WINNER, "--options-file", "o.txt"))[0].startswith(said)
    assert run(*WINNER, "--options-file", "o.txt", "--other", "rest").out == "rest\n"


def test_leads_are_not_called_distances(run: Runner) -> None:
    for text in ("", "a", "5:1", "1:2:0", "1:2:3:4", "9" * 20):
        what, way_on = refused(run(*PLAN, "--epsilon", "1", "--leads", text))
        assert "distance" not in what + way_on


def test_a_table_without_a_name(run: Runner) -> None:
    for words in (("ask", "winner", "", *CHOSEN[3:]), ("keys", "", *KEYS[2:])):
        what, way_on = refused(run(*words))
        assert what == "the table '' has no name"
        assert "name a file" in way_on


@pytest.mark.parametrize(
    "words",
    [
        CHOSEN,
        (*WINNER[:1], "ranking", *CHOSEN[2:]),
        (*SHARE, "--share", "1/2"),
        (*SUM, "--clamp", "0,99", "--at-least", "3"),
        (*LEVEL, "--edges", "2,5"),
        (*BRACKET, "--edges", "18,65"),
    ],
)
def test_every_question_takes_nulls_ignore_which_changes_nothing(run: Runner, words: tuple[str, ...]) -> None:
    plain, ignoring = run(*words), run(*words, "--nulls", "ignore")
    assert plain.code == 0, plain.err
    assert (ignoring.out, ignoring.err, ignoring.code) == (plain.out, plain.err, plain.code)


def test_what_is_refused_before_the_table_is_open_says_nothing_of_a_cost(run: Runner) -> None:
    refused(run(*CHOSEN[:3], "--column", "vot", *CHOSEN[5:]))
    refused(run(*KEYS[:2], "--column", "vot", *KEYS[4:]))
    for words in (("ask", "winner", "no.csv", *CHOSEN[3:]), ("keys", "no.csv", *KEYS[2:])):
        outcome = run(*words)
        assert (outcome.code, outcome.out) == (4, "")
        assert "note: " not in outcome.err
    for words in (CHOSEN, KEYS):
        outcome = run(*words, "--ledger", "no", "--name", "b")
        assert (outcome.code, outcome.out) == (4, "")
        assert "note: " not in outcome.err


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("mode", "winner"),
        ("Histogram", "winner"),
        ("rank", "ranking"),
        ("majority", "yes-no"),
        ("sum", "level"),
        ("median", "bracket"),
        ("mean", "bracket"),
        ("top_k", "ranking"),
    ],
)
def test_other_names_of_questions_lead_to_them(run: Runner, word: str, kind: str) -> None:
    for before, verb in (((), "ask"), (("ask",), "ask"), (("plan",), "plan")):
        what, way_on = refused(run(*before, word))
        assert what == f"there is no command {word!r}"
        assert f"try rainbowdp {verb} {kind}: " in way_on
    assert "try" not in refused(run("budget", word))[1]


def test_a_question_without_its_verb_is_led_to_it(run: Runner) -> None:
    assert "try rainbowdp ask winner: " in refused(run("winner"))[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ask", "bracket"), ("34.5", "Can only be ignore")),
        (("ask", "yes-no"), ("99.5", "COLUMN=VALUE", "--groups", "made by rainbowdp budget create")),
        (("ask", "winner"), ("city=Bonn", "cp1252", "one person")),
        (("plan", "winner"), ("--want and --lead)", "ahead of the next one")),
        (("keys",), ("(give both)", "one person alone")),
        (("budget", "create"), ("the square of this one", "add up to so much")),
    ],
)
def test_help_is_for_whoever_keeps_a_table(
    run: Runner, words: tuple[str, ...], told: tuple[str, ...]
) -> None:
    shown = " ".join(re.sub("[│╭╮╰╯─]", " ", run(*words, "--help").out).split())
    for text in told:
        assert text in shown
    assert not FOREIGN.search(shown)
    assert ("--mu" in shown) is (words != ("keys",))
