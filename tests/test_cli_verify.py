# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp verify``: the verdict, the tight figure and the witness, from files of any origin."""

from decimal import Decimal
from pathlib import Path

from command_line import Outcome, Runner

HEAD = "dataset,rainbow,distance,b,r\n"
EXACT = HEAD + "x,b>r,0,1/3,2/3\ny,r>b,0,1/4,3/4\n"


def verify(run: Runner, *words: str, made: str = EXACT, pairs: str = "x,y") -> Outcome:
    """Verify a mechanism on one pair of neighbors."""
    Path("m.csv").write_text(made)
    Path("pairs.csv").write_text(f"source,target\n{pairs}\n")
    return run("verify", "m.csv", "--neighbors", "pairs.csv", *words)


def test_a_promise_that_holds(run: Runner) -> None:
    outcome = verify(run, "--epsilon", "ln(4/3)", "--format", "json")
    assert outcome.err == ""
    found = outcome.json
    tight = found.pop("tight")["epsilon"]
    assert found == {
        "holds": True,
        "asked": {"epsilon": "ln(4/3)"},
        "neighbor_pairs": 1,
        "judged_within": None,
        "witness": None,
    }
    # The logarithm itself, to 25 digits, from elsewhere.
    assert Decimal(tight["lower"]) <= Decimal("0.2876820724517809274392190") <= Decimal(tight["upper"])
    assert tight["upper"] - tight["lower"] < 1e-12


def test_decimals_are_judged_within_their_precision_unless_strictly(run: Runner) -> None:
    decimals = EXACT.replace("1/3,2/3", "0.25,0.75")
    for made, strict, numbers, within in (
        (EXACT, [], "as written", None),
        (decimals, [], "within the stated precision (a relative 1e-12)", "1e-12"),
        (decimals, ["--strict"], "as written", None),
    ):
        shown = verify(run, "--epsilon", "1", *strict, made=made).out
        rows = [line.split(maxsplit=1) for line in shown.splitlines()]
        assert shown.startswith("holds\n")
        assert ["judged", "1 pair of neighbors"] in rows
        assert ["numbers", numbers] in rows
        judged = verify(run, "--epsilon", "1", *strict, "--format", "json", made=made).json["judged_within"]
        assert judged is None if within is None else within in judged


def test_an_infinite_bound_is_explained(run: Runner) -> None:
    made = HEAD + "x,b>r,0,1.0,0.0\ny,b>r,0,0.5,0.5\n"
    outcome = verify(run, "--epsilon", "1", "--format", "json", made=made)
    assert '"upper": "inf"' in outcome.out
    (note,) = outcome.err.splitlines()
    assert (note.startswith("note: "), "no finite epsilon" in note) == (True, True)


def test_a_promise_that_is_broken_has_a_witness(run: Runner) -> None:
    outcome = verify(run, "--epsilon", "ln(5/4)", "--format", "json")
    assert outcome.code == 1
    witness = {"source": "x", "target": "y", "event": ["b"]}
    chances = {"probability": 1 / 3, "limit": 0.3125, "excess": 1 / 48}
    found = Outcome(0, outcome.out, "").json
    assert (found["holds"], found["witness"]) == (False, witness | chances)
    lines = verify(run, "--epsilon", "ln(5/4)").out.splitlines()
    assert lines[0] == "BROKEN"
    rows = [line.split() for line in lines]
    assert ["worst", "pair", "'x'", "against", "'y'"] in rows
    assert ["excess", "0.0208333", "(1/48)"] in rows


def test_delta_is_tight_at_the_asked_epsilon(run: Runner) -> None:
    found = verify(run, "--epsilon", "0", "--delta", "0.1", "--format", "json").json
    assert found["tight"]["delta"]["lower"] <= 1 / 12 <= found["tight"]["delta"]["upper"] < 0.08334
    assert found["asked"] == {"epsilon": "0", "delta": "0.1"}
    assert verify(run, "--epsilon", "0", "--delta", "0.08").code == 1
