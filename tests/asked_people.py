# SPDX-License-Identifier: Apache-2.0
"""A table of twelve rows, asked on the command line."""

from command_line import Outcome, Runner

TABLE = (
    "vote,age,town,person,grün\n"
    "A,30,Ulm,1,x\n"
    'A,31,"x, ""y""",2,x\n'
    "A,32,Ulm,3,x\n"
    "A,33,Ulm,4,x\n"
    "A ,34,Ulm,5,x\n"
    " A,35,Ulm,6,x\n"
    "A,36,Ulm,7,x\n"
    "B,70,Bonn,8,ü\n"
    "B,71,Bonn,9,ü\n"
    ",12,Bonn,10,ü\n"
    ",13,Bonn,10,ü\n"
    "C,14,Bonn,10,ü\n"
)
SURE = ("--epsilon", 60)
PAID = ("--ledger", "l", "--name", "b")
WINNER = ("--column", "vote", "--options", "A,B")
HIDDEN = "note: privacy hides that one person joins or leaves; every row is a person"


def winner(run: Runner, *words: object) -> Outcome:
    """Ask who has the most votes."""
    return run("ask", "winner", "people.csv", *WINNER, *words)


def make_budget(run: Runner, epsilon: object = 100, *more: object) -> None:
    assert run("budget", "create", "b", "--ledger", "l", "--epsilon", epsilon, *more).code == 0


def spent() -> str:
    # Not above: every process of the tests loads this module at its start.
    from rainbowdp.ledger import open_ledger

    with open_ledger("l") as ledger:
        return str(ledger.state("b").spent)
