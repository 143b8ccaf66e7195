# SPDX-License-Identifier: Apache-2.0
"""What is typed wrongly is misuse (exit code 2), told in two lines before anything is read or charged."""

import re
from pathlib import Path

import pytest

from asked_people import SURE, TABLE, WINNER
from command_line import Outcome, Runner

ASK = ("ask", "winner", "people.csv", *WINNER, *SURE)
VOTES = ("ask", "winner", "people.csv", "--column", "vote", *SURE)
LEVEL = ("ask", "level", "people.csv", "--column", "vote", "--equals", "A", *SURE)
SHARE = ("ask", "yes-no", "people.csv", "--column", "vote", "--equals", "A", *SURE)
SUM = ("ask", "yes-no", "people.csv", "--column", "age", "--sum", *SURE)
BRACKET = ("ask", "bracket", "people.csv", "--column", "age", *SURE)
RANKING = ("ask", "ranking", "people.csv", "--column", "vote", *SURE)
KEYS = ("keys", "people.csv", "--column", "vote", "--epsilon", "1", "--delta", "1e-6")
PLAN = ("plan", "winner", "--options", "A,B")
LINE = ("line", "--rainbow", "a>b", "--boundary", "a=1/3,b=2/3", "--epsilon", "1")
FOREIGN = re.compile(r"\b(colors?|rainbows?)\b|blue|red=")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


def refused(outcome: Outcome) -> tuple[str, str]:
    """Return what was said, after checking that it is misuse and that no cost was told."""
    assert outcome.code == 2, outcome.err
    assert "note: " not in outcome.err
    what, way_on = outcome.error
    return what.partition(" ")[2], way_on.removeprefix("help: ")


NAMES = ["", "A,,B", ",A,B", "A,B,", 'A,"B', 'A,B"C"', '"A"B,C', 'A,""', 'A,B," A "']
NUMBERS = ["", "1,,2", ",1", "1,", "1;2", '"1","2"', "x,1"]
FILTERS = ["", "vote", "town=", 'town=""', "=Ulm", "town=Ulm,", "town=Bonn, Germany", "age=a=b", 'town="Ulm']
COUNTS = ["", "a", "5:1", "1:2:0", "1:2:3:4", "9" * 20, "1,,2", "-1", "1.5", "\N{SUPERSCRIPT TWO}"]
LISTS = [
    (("--options", *VOTES), NAMES),
    (("--groups", *ASK, "--by", "town"), NAMES),
    (("--labels", *BRACKET, "--edges", "18,65"), NAMES),
    (("--edges", *BRACKET), [*NUMBERS, "34,5", "9,3"]),
    (("--edges", *LEVEL, "--share"), NUMBERS),
    (("--clamp", *SUM, "--at-least", "3"), [*NUMBERS, "9,0", "0,9,5"]),
    (("--epsilon", *PLAN), [*NUMBERS, "1,-1"]),
    (("--mu", *PLAN), [*NUMBERS, "1,-1"]),
    (("--where", *ASK), [*FILTERS, "town=Ulm,town=Bonn"]),
    (("--where", *KEYS), FILTERS),
    (("--leads", *PLAN, "--epsilon", "1"), COUNTS),
    (("--distances", *LINE), COUNTS),
    (("--top", *RANKING, "--options", "A,B"), [*COUNTS, "0"]),
]


@pytest.mark.parametrize(("words", "texts"), LISTS, ids=lambda value: str(value)[:40])
def test_a_list_or_number_that_cannot_be_read_is_refused(
    run: Runner, words: tuple[str, ...], texts: list[str]
) -> None:
    option, *rest = words
    for text in texts:
        what, way_on = refused(run(*rest, f"{option}={text}"))
        assert way_on, text
        assert len(what) < 1000
        if rest[0] != "line":
            assert not FOREIGN.search(re.sub("'[^']*'", "''", what + way_on))


SINGLE = [
    ((*VOTES,), "neither --options nor --options-file is given"),
    ((*ASK, "--nulls", "C"), "nulls are to count as 'C', which is no option"),
    ((*BRACKET, "--edges", "3", "--nulls", "x"), "--nulls: 'x' is not one of the choices"),
    ((*ASK, "--unit", "person"), "--unit is given without --max-rows"),
    ((*ASK, "--max-rows", "3"), "--max-rows is given without --unit"),
    ((*KEYS, "--unit", "", "--max-keys", "2"), "--unit is empty"),
    ((*KEYS, "--unit", "town", "--max-keys", "0"), "--max-keys: '0' is not a whole number from 1"),
    ((*KEYS[:-2],), "--delta is missing"),
    ((*ASK, "--by", "town"), "--by is given without --groups"),
    ((*ASK, "--name", "b"), "--name is given without --ledger"),
    ((*ASK, "--ledger", "l"), "--ledger is given without --name"),
    ((*BRACKET, "--edges", "3", "--quantile", "half"), "--quantile: 'half' is not an exact number"),
    ((*SHARE, "--at-least", " "), "--at-least is empty"),
    (("ask", "winner", "", *ASK[3:]), "SOURCE is empty"),
    ((*ASK, "--receipt", ""), "--receipt is empty"),
    ((*VOTES, "--options-file", ""), "--options-file is empty"),
    ((*SUM, "--clamp", "0,9", "--at-least", "3", "--nulls", "x"), "--nulls: 'x' is not an exact number"),
    ((*SHARE,), "no threshold is given"),
    ((*SUM, "--at-least", "3"), "--sum is given without --clamp"),
    ((*SHARE, "--share", "1/2", "--false-yes", "1/0"), "--false-yes: "),
    ((*ASK[:7], "--epsilon", "0,5"), "--epsilon: '0,5' is not an exact number"),
    ((*ASK, "--mu", "1"), "--mu and --epsilon do not belong together"),
    ((*ASK[:7],), "no privacy is given"),
    ((*ASK[:7], "--delta", "1e-6"), "--delta is given without --epsilon"),
    ((*PLAN, "--epsilon", "1", "--delta", "x"), "--delta: 'x' is not an exact number"),
    ((*PLAN, "--epsilon", "1", "--plot", "x.txt"), "--plot: a figure cannot be written as 'x.txt'"),
    ((*ASK, "--neighbors", "changeone"), "--neighbors: 'changeone' is not one of the choices"),
    ((*ASK, "--sql", "select 'M\udcfcller' as vote"), "--sql: "),
    (("budget", "create", "b", "--ledger", "l", "--epsilon", "x"), "--epsilon: 'x' is not an exact number"),
]


@pytest.mark.parametrize(("words", "said"), SINGLE, ids=lambda value: str(value)[-50:])
def test_what_is_wrong_is_named(run: Runner, words: tuple[str, ...], said: str) -> None:
    assert said in refused(run(*words))[0]
    assert Path("people.csv").read_text(encoding="utf-8") == TABLE


UNKNOWN = [
    ((*VOTES[:4], "vot", *SURE, "--options", "A,B"), "no column 'vot'", "did you mean 'vote'?"),
    ((*ASK, "--where", "twn=Ulm"), "no column 'twn'", "'town'"),
    ((*ASK, "--unit", "persn", "--max-rows", "2"), "no column 'persn'", "'person'"),
    ((*ASK, "--by", "twn", "--groups", "Ulm"), "no column 'twn'", "'town'"),
    ((*ASK, "--goal", "typicl"), "--goal: 'typicl' is not one of the choices", "typical"),
    ((*VOTES, "--option", "A,B"), "no option --option", "did you mean '--options'?"),
    (("ask", "winer"), "no command 'winer'", "did you mean 'winner'?"),
    (("winner",), "no command 'winner'", "try rainbowdp ask winner: "),
    (("Histogram",), "no command 'Histogram'", "try rainbowdp ask winner: "),
    (("ask", "top_k"), "no command 'top_k'", "try rainbowdp ask ranking: "),
    (("plan", "mean"), "no command 'mean'", "try rainbowdp plan bracket: "),
    (("budget", "sum"), "no command 'sum'", "the commands are create"),
]


@pytest.mark.parametrize(("words", "said", "way_on"), UNKNOWN, ids=lambda value: str(value)[-40:])
def test_a_wrong_name_is_answered_by_the_right_one(
    run: Runner, words: tuple[str, ...], said: str, way_on: str
) -> None:
    what, hint = refused(run(*words))
    assert said in what
    assert way_on in hint


def test_a_comma_or_an_equals_sign_in_a_text_is_shown_how_to_write(run: Runner) -> None:
    for text in ("town=Bonn, Germany", "age=a=b"):
        assert "--where 'city=\"Bonn, Germany\"'" in refused(run(*ASK, "--where", text))[1]
    assert run(*ASK, "--where", 'town = "x, ""y"""').out == "A\n"


@pytest.mark.parametrize("words", [ASK, KEYS])
def test_a_file_that_cannot_be_read_exits_4_and_says_nothing_of_a_cost(
    run: Runner, words: tuple[str, ...]
) -> None:
    missing = tuple("no.csv" if word == "people.csv" else word for word in words)
    for asked in (missing, (*words, "--ledger", "no", "--name", "b"), (*words, "--receipt", "no/r.json")):
        outcome = run(*asked)
        assert (outcome.code, outcome.out) == (4, "")
        assert "note: " not in outcome.err
