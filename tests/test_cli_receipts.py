# SPDX-License-Identifier: Apache-2.0
"""Receipts of ``ask`` and ``keys``: verified from themselves, replacing only receipts; lists of options."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import rainbowdp
from asked_people import PAID, SURE, WINNER, make_budget, spent, winner
from command_line import Outcome, Runner, process


@pytest.fixture
def receipt(people: Runner) -> dict[str, Any]:
    assert winner(people, "--epsilon", 1, "--receipt", "r.json").code == 0
    read: dict[str, Any] = json.loads(Path("r.json").read_text(encoding="utf-8"))
    return read


def test_a_receipt_is_verified_from_itself(people: Runner, receipt: dict[str, Any]) -> None:
    schema = Path(rainbowdp.__file__).parent / "release" / "receipt.schema.json"
    jsonschema.validate(receipt, json.loads(schema.read_text(encoding="utf-8")))
    outcome: Outcome = people("verify", "r.json")
    assert outcome.code == 0
    assert outcome.out.startswith("holds")
    Path("r.json").write_text(json.dumps({**receipt, "mechanism": "flip"}), encoding="utf-8")
    outcome = people("verify", "r.json")
    assert outcome.code == 1
    assert "the mechanism is not what these terms give" in outcome.out
    assert people("verify", "r.json", "--epsilon", 1).code == 2


def test_a_verified_receipt_says_what_was_asked_and_cost_and_a_set_is_no_order(people: Runner) -> None:
    asked = ("--column", "vote", "--options", "A,B,C", "--top-set", 2, "--epsilon", 50)
    answer = people("ask", "ranking", "people.csv", *asked, "--receipt", "r.json").out.strip()
    assert re.fullmatch("[AB], [BC]", answer)
    shown = re.sub(" +", " ", people("verify", "r.json").out)
    assert f"\nanswer {answer}\n" in shown
    assert "\nquestion ranking of 'vote': every set of 2 of A, B, C\n" in shown
    said = ("--column", "vote", "--equals", "A", "--share", "1/2", "--false-yes", "1/50", "--epsilon", 50)
    groups = "--by town --groups Ulm,Bonn --neighbors change-one --unit person --max-rows 2"
    assert people("ask", "yes-no", "people.csv", *said, *groups.split(), "--receipt", "s.json").code == 0
    shown = re.sub(" +", " ", people("verify", "s.json").out)
    assert "\nquestion yes-no of 'vote'; of share; equals A; edges 1/2; false yes 1/50: no, yes\n" in shown
    assert "\ngroups one answer for each of Ulm; Bonn, by 'town'\n" in shown
    # Four rows change, at worst one in a group and three in the other: in steps of two rows, three of them.
    assert "\ncost epsilon=150\n" in shown
    assert people("verify", "s.json", "--format", "json").json["cost"] == {"epsilon": "150"}


def test_a_receipt_is_known_by_what_it_says_and_not_by_its_name(
    people: Runner, receipt: dict[str, Any]
) -> None:
    text = json.dumps(receipt)
    for name, written in (("receipt", text), ("receipt.txt", "\ufeff" + text), ("r.csv", f"\n {text}")):
        Path(name).write_text(written, encoding="utf-8")
        assert people("verify", name).code == 0
    twice = text[:-1] + ', "answer": "B"}'
    for damaged in (text[:-1], text[: len(text) // 2], twice, text.replace("null", "nul", 1)):
        Path("receipt.txt").write_text(damaged, encoding="utf-8")
        outcome = people("verify", "receipt.txt")
        assert outcome.code == 4
        assert "'receipt.txt' is a damaged receipt" in outcome.error[0]


def test_a_receipt_of_another_form_is_one_line_and_no_traceback(
    people: Runner, receipt: dict[str, Any]
) -> None:
    later = [
        json.dumps({**receipt, "schema": f"rainbowdp.{name}"}) for name in ("receipt/3", "keys-receipt/2")
    ]
    deep = '{"schema": "rainbowdp.receipt/1", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    for text in (*later, deep):
        Path("r.json").write_text(text, encoding="utf-8")
        outcome = people("verify", "r.json")
        assert outcome.code == 4, text[:200]
        if text in later:
            assert outcome.error[1] == "help: use the version of rainbowdp that wrote it, or a newer one"


def test_a_receipt_tells_which_rows_it_is_about(people: Runner) -> None:
    wanted = ("--where", "town=Bonn", "--where", "age=70", "--receipt", "r.json")
    assert winner(people, *SURE, *wanted).code == 0
    assert "only where 'age' is '70', 'town' is 'Bonn'" in people("verify", "r.json").out
    assert json.loads(people("verify", "r.json", "--format", "json").out)["where"] == {
        "age": "70",
        "town": "Bonn",
    }
    named = "keys people.csv --column vote --epsilon 1 --delta 0.1 --unit person --max-keys 2"
    assert people(*named.split(), *wanted[:-1], "k.json").code == 0
    told = people("verify", "k.json").out
    assert "only where 'age' is '70', 'town' is 'Bonn'" in told
    assert "add-remove; 'person' says whose row it is, at most 2 categories of one person" in told
    assert winner(people, *SURE, "--receipt", "all.json").code == 0
    assert "only where" not in people("verify", "all.json").out


@pytest.mark.usefixtures("people")
def test_an_answer_is_not_lost_where_the_receipt_goes_to_stdout() -> None:
    words = ("ask", "winner", "people.csv", *WINNER, "--epsilon", "1", "--receipt", "both")
    with Path("both").open("w") as goes:
        done = process(*words, stdout=goes)
    assert (done.returncode, Path("both").read_text()) == (4, "")
    assert "cannot write 'both': standard output goes there" in done.stderr


def test_a_receipt_replaces_nothing_but_a_receipt(people: Runner) -> None:
    make_budget(people)
    Path("link").symlink_to("l")
    Path("o.txt").write_text("A\nB\n", encoding="utf-8")
    keys = ("keys", "people.csv", "--column", "vote", *SURE, "--delta", "1e-6", "--receipt")
    assert winner(people, *SURE, "--receipt", "r.json").code == 0
    for again in ((*keys, "k.json"), (*keys, "k.json"), ("verify", "k.json")):
        assert people(*again).code == 0
    written = Path("r.json").read_text(encoding="utf-8")
    Path("two.json").write_text(written + written, encoding="utf-8")
    Path("half.json").write_text(written[:-9], encoding="utf-8")
    Path("own.json").write_text(written.replace("receipt/", "own/"), encoding="utf-8")
    paid = PAID
    for name in ("people.csv", "o.txt", "l", "link", "two.json", "half.json", "own.json"):
        before = Path(name).read_bytes()
        for asked in (
            ("ask", "winner", "people.csv", *WINNER, *SURE, *paid, "--receipt", name),
            (*keys, name),
        ):
            outcome = people(*asked)
            assert f"--receipt would replace {name!r}, which is not a receipt" in outcome.error[0]
            assert (outcome.code, Path(name).read_bytes()) == (2, before)


def test_a_receipt_replaces_only_the_receipt_of_the_same_request(people: Runner) -> None:
    make_budget(people, 500)
    paid = (*SURE, *PAID, "--receipt", "r.json", "--request-id")
    assert winner(people, *paid, "q1").code == 0
    kept = Path("r.json").read_bytes()
    assert winner(people, *paid, "q1").code == 0
    assert Path("r.json").read_bytes() == kept
    Path("dangling.json").symlink_to("nothing.json")
    for words, said in {
        (*paid, "q2"): "the receipt of another request",
        (*paid[:-1],): "the receipt of another request",
        (*paid, "q1", "--where", "town=Ulm"): "the receipt of another request",
        (*SURE, "--receipt", "r.json"): "the receipt of another request",
        (*SURE, "--receipt", "dangling.json"): "it is a link to a file that does not exist",
    }.items():
        outcome = winner(people, *words)
        assert (outcome.code in {2, 4}, outcome.out) == (True, "")
        assert said in outcome.error[0]
    assert Path("r.json").read_bytes() == kept
    assert not Path("nothing.json").exists()
    assert spent() == "epsilon 60"


@pytest.mark.parametrize("source", ["people.csv", "peop*.csv", "./people.csv"])
def test_the_table_is_no_list_of_its_options(people: Runner, source: str) -> None:
    Path("hard.txt").hardlink_to("people.csv")
    for options in ("people.csv", str(Path("people.csv").absolute()), "hard.txt"):
        outcome = people("ask", "winner", source, "--column", "vote", "--options-file", options, *SURE)
        assert "--options-file names the table itself" in outcome.error[0]
        assert "Ulm" not in outcome.err


@pytest.mark.usefixtures("people")
def test_standard_input_is_no_list_of_its_options_either() -> None:
    words = ("ask", "winner", "-", "--column", "vote", "--options-file", "/dev/stdin", "--epsilon", "1")
    with Path("people.csv").open("rb") as table:
        done = process(*words, stdin=table)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--options-file names the table itself" in done.stderr
    assert "Ulm" not in done.stderr


@pytest.mark.usefixtures("receipt")
def test_a_receipt_is_written_as_an_entry_of_the_registry(people: Runner) -> None:
    outcome = people("receipt", "r.json", "--registry", "entry.yaml")
    assert (outcome.code, outcome.out) == (0, "")
    entry = yaml.safe_load(Path("entry.yaml").read_text(encoding="utf-8"))
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 1}
    assert f"{str(entry).count('FILL IN')} places are marked" in outcome.err
    assert people("receipt", "people.csv", "--registry", "other.yaml").code == 4
    # Tables, ledgers and receipts are no place for an entry.
    outcome = people("receipt", "r.json", "--registry", "r.json")
    assert "--registry: 'r.json' would be replaced" in outcome.error[0]
