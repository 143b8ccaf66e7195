# SPDX-License-Identifier: Apache-2.0
"""What is typed wrongly is told in two lines, with an exit code that says whose fault it is.

Nothing is read or charged before: 2 is misuse, 4 is a file that cannot be read or written.
"""

import re
import shlex
from pathlib import Path

import pytest

from asked_people import TABLE
from command_line import Outcome, Runner

SURE = "--epsilon 60"
ASK = f"ask winner people.csv --column vote --options A,B {SURE}"
VOTES = f"ask winner people.csv --column vote {SURE}"
BARE = "ask winner people.csv --column vote --options A,B"
LEVEL = f"ask level people.csv --column vote --equals A {SURE}"
SHARE = f"ask yes-no people.csv --column vote --equals A {SURE}"
SUM = f"ask yes-no people.csv --column age --sum {SURE}"
BRACKET = f"ask bracket people.csv --column age {SURE}"
RANKING = f"ask ranking people.csv --column vote {SURE}"
KEYS = "keys people.csv --column vote --epsilon 1 --delta 1e-6"
PLAN = "plan winner --options A,B"
HERE = "line --rainbow 'blue>red>green' --boundary blue=3/55,red=9/55,green=43/55"
LINE = f"{HERE} --epsilon 1"
SOLVE = "solve --datasets nodes.csv --neighbors pairs.csv --epsilon 1 --boundary"
FOREIGN = re.compile(r"\b(colors?|rainbows?)\b|blue|red=")


@pytest.fixture
def here(people: Runner) -> Runner:
    """Return what runs commands beside a table of people and a graph."""
    Path("nodes.csv").write_text("dataset,rainbow\nw,b>r\nx,b>r\ny,r>b\nz,r>b\n", encoding="utf-8")
    Path("pairs.csv").write_text("source,target\nw,x\nx,y\ny,z\n", encoding="utf-8")
    Path("damaged.json").write_text('{"colors": ', encoding="utf-8")
    Path("made.csv").write_text("dataset,rainbow,distance,b,r\nw,b>r,0,1,0\nx,b>r,0,1,0\n", encoding="utf-8")
    Path("odd.txt").write_text("dataset,rainbow,distance,b,r\n", encoding="utf-8")
    return people


def refused(outcome: Outcome, code: int = 2) -> tuple[str, str]:
    """Return what was said, after checking the exit code and that no cost was told."""
    assert outcome.code == code, outcome.err
    assert "note: " not in outcome.err
    what, way_on = outcome.error
    assert len(what) < 1000
    return what, way_on.removeprefix("help: ")


NAMES = ["", "A,,B", ",A,B", "A,B,", 'A,"B', 'A,B"C"', '"A"B,C', 'A,""', 'A,B," A "']
NUMBERS = ["", "1,,2", ",1", "1,", "1;2", '"1","2"', "x,1"]
FILTERS = ["", "vote", "town=", 'town=""', "=Ulm", "town=Ulm,", "town=Bonn, Germany", "age=a=b", 'town="Ulm']
COUNTS = ["", "a", "5:1", "1:2:0", "1:2:3:4", "9" * 20, "1,,2", "-1", "1.5", "\N{SUPERSCRIPT TWO}"]
LISTS = {
    f"{VOTES} --options": NAMES,
    f"{ASK} --by town --groups": NAMES,
    f"{BRACKET} --edges 18,65 --labels": NAMES,
    f"{BRACKET} --edges": [*NUMBERS, "34,5", "9,3"],
    f"{LEVEL} --share --edges": NUMBERS,
    f"{SUM} --at-least 3 --clamp": [*NUMBERS, "9,0", "0,9,5"],
    f"{PLAN} --epsilon": [*NUMBERS, "1,-1"],
    f"{PLAN} --mu": [*NUMBERS, "1,-1"],
    f"{ASK} --where": [*FILTERS, "town=Ulm,town=Bonn"],
    f"{KEYS} --where": FILTERS,
    f"{PLAN} --epsilon 1 --leads": COUNTS,
    f"{LINE} --distances": COUNTS,
    f"{RANKING} --options A,B --top": [*COUNTS, "0"],
}


@pytest.mark.parametrize(("words", "texts"), LISTS.items(), ids=lambda value: str(value)[-25:])
def test_what_cannot_be_read_as_a_list_or_number_is_refused(
    people: Runner, words: str, texts: list[str]
) -> None:
    *rest, option = shlex.split(words)
    for text in texts:
        what, way_on = refused(people(*rest, f"{option}={text}"))
        assert way_on, text
        if rest[0] != "line":
            assert not FOREIGN.search(re.sub("'[^']*'", "''", what + way_on))


WRONG = [
    # What does not belong together, is missing, or stands twice.
    (VOTES, "neither --options nor --options-file is given", "--options A,B,C"),
    (f"{ASK} --unit person", "--unit is given without --max-rows", "--max-rows M"),
    (f"{ASK} --max-rows 3", "--max-rows is given without --unit", ""),
    (f"{PLAN} --epsilon 1 --unit u", "--unit is given without --max-rows", "--max-rows M"),
    (f"{KEYS} --unit '' --max-keys 2", "--unit is empty", ""),
    (f"{KEYS} --unit town --max-keys 0", "--max-keys: '0' is not a whole number from 1", ""),
    (KEYS.removesuffix("--delta 1e-6"), "--delta is missing", "see rainbowdp keys --help"),
    (f"{ASK} --by town", "--by is given without --groups", ""),
    (f"{ASK} --name b", "--name is given without --ledger", ""),
    (f"{ASK} --ledger l", "--ledger is given without --name", ""),
    (SHARE, "no threshold is given", ""),
    (f"{SUM} --at-least 3", "--sum is given without --clamp", "--sum --clamp 0,100"),
    (f"{ASK} --mu 1", "--mu and --epsilon do not belong together", ""),
    (BARE, "no privacy is given", "--epsilon such as 1"),
    (f"{BARE} --delta 1e-6", "--delta is given without --epsilon", ""),
    (PLAN, "a plan needs a privacy, or", "want 0.99 and lead 40"),
    (f"{PLAN} --epsilon 1 --lead 3%", "is a share", "how many people"),
    (f"{SOLVE} uniform --classes c.csv", "--classes is given without --out", "--out"),
    (f"{SOLVE} uniform --out nodes.csv", "--out and --datasets name", "own"),
    (f"{SOLVE} uniform --out x.json --boundary-graph ./x.json", "--out and --boundary-graph name", "own"),
    (f"{LINE} --distances 1 --epsilon 1", "--epsilon is given twice", "give --epsilon once"),
    (f"{LINE} --distances 1 --distances 2 --distances 3", "--distances is given 3 times", "once"),
    (f"{LINE} --distances", "option '--distances' requires an argument", "--help"),
    (f"{LINE} --distances 1 extra", "got unexpected extra argument", "see rainbowdp line --help"),
    ("line --rainbow 'a>b'", "the option --boundary is missing", "see rainbowdp line --help"),
    ("verify", "the argument MECHANISM", "see rainbowdp verify --help"),
    ("verify nodes.csv", "--neighbors is missing", "only a receipt needs none"),
    ("verify nodes.csv --neighbors pairs.csv", "no privacy is given", "--epsilon such as 1"),
    ("sample --dataset even", "the argument MECHANISM is missing", ""),
    # Values.
    (f"{ASK} --nulls C", "nulls are to count as 'C', which is not an option", ""),
    (f"{BRACKET} --edges 3 --nulls x", "--nulls: 'x' is not one of the choices", ""),
    (f"{BRACKET} --edges 3 --quantile half", "--quantile: 'half' is not an exact number", ""),
    (f"{SHARE} --at-least ' '", "--at-least is empty", ""),
    (f"ask winner '' --column vote --options A,B {SURE}", "SOURCE is empty", ""),
    (f"{ASK} --receipt ''", "--receipt is empty", ""),
    (f"{VOTES} --options-file ''", "--options-file is empty", ""),
    (f"{SUM} --clamp 0,9 --at-least 3 --nulls x", "--nulls: 'x' is not an exact number", ""),
    (f"{SHARE} --share 1/2 --false-yes 1/0", "--false-yes: ", ""),
    (f"{BARE} --epsilon 0,5", "--epsilon: '0,5' is not an exact number", ""),
    (f"{PLAN} --epsilon 1 --delta x", "--delta: 'x' is not an exact number", ""),
    (f"{PLAN} --epsilon 1 --plot x.txt", "--plot: a figure cannot be written as 'x.txt'", ""),
    (f"{PLAN} --epsilon 1 --leads 0:3", "0 is not a lead", "from 1"),
    ("plan ranking --options A,B,C,D,E,F --mu 1 --goal guarantee", "too many", "typical"),
    (f"{ASK} --sql 'select \"M\udcfcller\" as vote'", "--sql: ", ""),
    ("budget create b --ledger l --epsilon x", "--epsilon: 'x' is not an exact number", ""),
    ("budget create b --ledger l --epsilon -1", "epsilon is negative", ""),
    ("budget create b --ledger l --mu ln(3)", "cannot be charged", ""),
    ("budget create \x1b --ledger l --epsilon 1", "the name of a budget", ""),
    (f"{HERE} --epsilon -1", "RDP103]: --epsilon: epsilon is negative (-1)", "at least 0"),
    ("line --rainbow 'blue>>red' --boundary b=1 --mu 1", "RDP201]: 'blue>>red'", "blue>red=green"),
    ("line --rainbow 'b>gren' --boundary b=1,green=0 --mu 1", "RDP202]: ", "did you mean 'gren'"),
    ("line --rainbow 'b>r' --boundary b --mu 1", "RDP201]: 'b'", "blue=3/55"),
    ("line --rainbow 'b>r' --boundary b=1,r=x --mu 1", "RDP101]: 'x' is not an exact", "1/3"),
    ("line --rainbow 'b>r' --boundary b=2,r=-1 --mu 1", "RDP203]: ", "at least 0"),
    ("line --rainbow '\udcff>b' --boundary a=1 --mu 1", "'\\udcff>b' is not text", "UTF-8"),
    (f"{LINE} --distances 0:200000", "a table of 200000", "--format csv"),
    (f"{HERE} --epsilon 0.1 --exact", "RDP102]: ", "--exact"),
    (f"{HERE} --mu 1 --exact", "RDP102]: ", "--exact"),
    (f"{HERE} --epsilon 1 --delta 0.1 --exact", "RDP102]: ", "--exact"),
    (f"{SOLVE} uniform --out m.txt", "the name 'm.txt'", ".csv"),
    # Slips, and names of other programs.
    (f"{VOTES} --options A,B".replace("vote", "vot", 1), "no column 'vot'", "did you mean 'vote'?"),
    (f"{ASK} --where twn=Ulm", "no column 'twn'", "'town'"),
    (f"{ASK} --unit persn --max-rows 2", "no column 'persn'", "'person'"),
    (f"{ASK} --by twn --groups Ulm", "no column 'twn'", "'town'"),
    (f"{ASK} --goal typicl", "--goal: 'typicl' is not one of the choices", "typical"),
    (f"{ASK} --neighbors changeone", "--neighbors: 'changeone' is not one of the choices", "change-one"),
    (f"{VOTES} --option A,B", "no option --option", "did you mean '--options'?"),
    (f"{LINE} --debug", "no option --debug", "it stands first: rainbowdp --debug ..."),
    (f"{SOLVE} unifrom", "--boundary 'unifrom'", "'uniform'"),
    ("lin", "there is no command 'lin'", "did you mean 'line'?"),
    ("ask winer", "no command 'winer'", "did you mean 'winner'?"),
    ("winner", "no command 'winner'", "try rainbowdp ask winner: "),
    ("Histogram", "no command 'Histogram'", "try rainbowdp ask winner: "),
    ("ask top_k", "no command 'top_k'", "try rainbowdp ask ranking: "),
    ("plan mean", "no command 'mean'", "try rainbowdp plan bracket: "),
    ("budget sum", "no command 'sum'", "the commands are create"),
]


@pytest.mark.parametrize(("words", "said", "way_on"), WRONG, ids=lambda value: str(value)[-40:])
def test_misuse_is_named_with_a_way_on(here: Runner, words: str, said: str, way_on: str) -> None:
    what, hint = refused(here(*shlex.split(words)))
    assert said in what
    assert way_on in hint
    assert Path("people.csv").read_text(encoding="utf-8") == TABLE
    assert not Path("l").exists()


UNREADABLE = [
    (ASK.replace("people.csv", "no.csv"), "no.csv"),
    (KEYS.replace("people.csv", "no.csv"), "no.csv"),
    (f"{ASK} --ledger no --name b", "'no' does not exist"),
    (f"{KEYS} --ledger no --name b", "'no' does not exist"),
    (f"{ASK} --receipt no/r.json", "no/r.json"),
    (f"{KEYS} --receipt no/r.json", "no/r.json"),
    (f"{LINE} --plot /absent/x.svg", "RDP503]: --plot: cannot write '/absent/x.svg'"),
    (f"{SOLVE} absent.toml", "RDP501]: there is no file"),
    ("sample absent.csv --dataset x", "there is no file 'absent.csv'"),
    ("sample \udcff.csv --dataset x", "there is no file '\\udcff.csv'"),
    # A file is said to be unreadable before an option is missed.
    ("verify absent.csv", "there is no file"),
    ("verify damaged.json", "is not JSON"),
    ("verify nodes.csv --neighbors pairs.csv --epsilon 1", "RDP502]: "),
    ("verify made.csv --neighbors pairs.csv --epsilon 1", "RDP301]: row 2 of"),
    ("verify odd.txt", "does not say in which form a mechanism or a receipt is written"),
    ("receipt none.json --html page.html", "there is no file"),
]


@pytest.mark.parametrize(("words", "said"), UNREADABLE, ids=lambda value: str(value)[-40:])
def test_a_file_that_cannot_be_read_or_written_exits_4(here: Runner, words: str, said: str) -> None:
    what, _ = refused(here(*shlex.split(words)), 4)
    assert said in what
    assert "--neighbors" not in what


def test_a_comma_or_an_equals_sign_in_a_text_is_shown_how_to_write(people: Runner) -> None:
    for text in ("town=Bonn, Germany", "age=a=b"):
        assert "--where 'city=\"Bonn, Germany\"'" in refused(people(*ASK.split(), "--where", text))[1]
    assert people(*ASK.split(), "--where", 'town = "x, ""y"""').out == "A\n"


@pytest.mark.parametrize(
    "words",
    [
        ("--rainbow", f"{'x' * 50_000}>b", "--boundary", "a=1"),
        ("--rainbow", ">".join(f"c{at}" for at in range(1000)), "--boundary", "a=1"),
        ("--rainbow", "a>b", "--boundary", f"a={'1' * 5000}/3,b=1"),
        ("--rainbow", "a>b", "--boundary", f"a={'9' * 5000},b=x"),
        ("--rainbow", "a>b", "--boundary", "a=1/2,b=1/2", "--mu", "x" * 5000),
        (f"--{'x' * 5000}",),
    ],
)
def test_no_value_makes_an_error_endless(run: Runner, words: tuple[str, ...]) -> None:
    outcome = run("line", *words, "--epsilon", "1", "--distances", "0")
    assert outcome.code == 2
    assert all(len(line) < 1000 for line in outcome.error)
