# SPDX-License-Identifier: Apache-2.0
"""From a real survey to one published answer and its receipt: a marimo notebook.

``marimo edit examples/notebooks/publication.py`` opens it; ``python publication.py`` runs it to its end.
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium")

with app.setup:
    import json
    import tempfile
    from pathlib import Path

    import marimo as mo

    from rainbowdp import PureDP, ask, open_ledger, plan, verify_receipt, winner
    from rainbowdp.errors import BudgetRefusedError
    from rainbowdp.ledger import Cost

    TABLE = Path(__file__).resolve().parents[1] / "anes96.csv"


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # One answer from a survey

    944 voters of the American National Election Study of 1996 placed themselves on the left, in the middle
    or on the right. Which place is the most frequent? The answer is to be published, and nothing more. The
    data are in the public domain; the steps are those for a table that must stay secret.
    """)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Plan: before a row is read

    The question, the possible answers and the privacy are public, so they are chosen first. How often will
    the answer be right, and which epsilon is enough for 99 of 100 cases if the first option is 20 people
    ahead?
    """)


@app.cell
def _():
    question = winner("placement", ["left", "moderate", "right"])
    planned = plan(question, PureDP(1), leads=[1, 5, 20])
    needed = plan(question, want="0.99", lead=20).least.text
    planned.plot()
    return needed, planned, question


@app.cell
def _(needed, planned):
    words = "\n".join(f"- {sentence}" for sentence in planned.privacies[0].cost.words)
    mo.md(f"epsilon = {needed} is enough; what epsilon = 1 means for one person:\n\n{words}")


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Budget: what all answers together may cost

    A ledger keeps what was spent. It refuses a question that would cost more than is left.
    """)


@app.cell
def _():
    folder = tempfile.TemporaryDirectory()
    ledger = str(Path(folder.name) / "survey.ledger")
    with open_ledger(ledger, create=True) as opened:
        opened.create("survey", Cost.of(PureDP("1.5")))
    return folder, ledger


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Ask

    The budget pays before the answer is drawn. The same request, asked again, returns the stored answer and
    costs nothing.
    """)


@app.cell
def _(ledger, question):
    paid = {"ledger": ledger, "name": "survey"}
    answer = ask(TABLE, question, epsilon=1, request_id="leader", **paid)
    again = ask(TABLE, question, epsilon=1, request_id="leader", **paid)
    assert answer.answer == again.answer == "right"
    mo.md(f"The answer: **{answer.answer}**\n\n" + "\n".join(f"- {note}" for note in answer.notes))
    return answer, paid


@app.cell
def _(answer, paid, question):
    try:
        ask(TABLE, question, epsilon=1, request_id=f"after {answer.answer}", **paid)
        refused = ""
    except BudgetRefusedError as error:
        refused = error.report()
    assert "left epsilon 0.5" in refused
    mo.md(f"A second question of epsilon 1 is refused:\n\n```\n{refused}\n```")


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Receipt

    The receipt may be published with the answer. Everyone can check it without the table: the mechanism is
    computed again from the terms, and judged.
    """)


@app.cell
def _(answer, folder):
    receipt = Path(folder.name) / "receipt.json"
    receipt.write_text(json.dumps(answer.receipt), encoding="utf-8")
    checked = verify_receipt(json.loads(receipt.read_text(encoding="utf-8")))
    assert checked.holds
    mo.json(json.dumps(answer.receipt))


if __name__ == "__main__":
    app.run()
