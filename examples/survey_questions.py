# SPDX-License-Identifier: Apache-2.0
"""A data custodian's day: plan, ask a real survey, keep a budget, check a receipt, and be refused.

Every line that begins with ``$`` is a command as anybody can type it; it is run as a process of its own,
and shown with all that it says. ``python examples/survey_questions.py [FOLDER]`` runs this part of the demo
alone.
"""

import shlex
import subprocess
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().with_name("anes96.csv")
LEDGER, RECEIPT, FIGURE = "survey.ledger", "receipt.json", "plan.png"
REFUSED = 3

PAID = f"--ledger {LEDGER} --name survey"
INCOMES = "under $9000,$9000 to $29999,$30000 to $49999,$50000 and over"
DAYS = "under 2 each,2 to 3 each,3 to 4 each,4 and more each"

STEPS = (
    (
        "Before anything is spent: how often will the answer be right?",
        f"plan winner --options left,moderate,right --epsilon 0.1,1 --plot {FIGURE}",
    ),
    ("A budget for this table.", f"budget create survey --ledger {LEDGER} --epsilon 4 --delta 1e-5"),
    (
        "Which self-placement leads?",
        (
            "ask winner TABLE --column placement --options left,moderate,right --epsilon 1"
            f" {PAID} --request-id leader --receipt {RECEIPT}"
        ),
    ),
    ("Is it as private as it says? The receipt alone answers.", f"verify {RECEIPT}"),
    (
        "Is a majority older than 45?",
        f"ask yes-no TABLE --column over45 --equals yes --share 1/2 --epsilon 0.5 {PAID}",
    ),
    (
        "In which income bracket lies the median?",
        f"ask bracket TABLE --column income --edges 5,16,20 --labels '{INCOMES}' --epsilon 1 {PAID}",
    ),
    (
        "How many days of television news a week, over all 944?",
        (
            "ask level TABLE --column TVnews --sum --clamp 0,7 --edges 1888,2832,3776"
            f" --labels '{DAYS}' --epsilon 0.5 {PAID}"
        ),
    ),
    (
        "Which sizes of towns may be named at all?",
        f"keys TABLE --column popul --epsilon 1 --delta 1e-5 {PAID}",
    ),
    (
        "One question more than the budget has.",
        f"ask winner TABLE --column vote --options Clinton,Dole --epsilon 0.5 {PAID}",
    ),
    ("What was spent, and on what.", f"budget show survey --ledger {LEDGER}"),
)


def run(command: str, folder: Path) -> int:
    """Run one command in a folder, and print what it says; return its exit code."""
    words = [str(TABLE) if word == "TABLE" else word for word in shlex.split(command)]
    done = subprocess.run(  # noqa: S603 - the commands stand above
        [sys.executable, "-m", "rainbowdp", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    print(f"  $ rainbowdp {command.replace('TABLE', f'examples/{TABLE.name}')}")
    for line in done.stdout.splitlines():
        print(f"    {line}".rstrip())
    return done.returncode


def show_questions(folder: Path) -> None:
    """Run all commands; end the demo if one does not end as it should."""
    (folder / LEDGER).unlink(missing_ok=True)
    for said, command in STEPS:
        print(f"\n  {said}")
        code = run(command, folder)
        expected = REFUSED if "--column vote" in command else 0
        if code != expected:
            raise SystemExit(f"exit code {code} instead of {expected}: {command}")


if __name__ == "__main__":
    show_questions(Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd())
