# SPDX-License-Identifier: Apache-2.0
"""Receipts: what an answer was, and everything public that says how private and how sure it is.

A receipt holds the terms, the boundary, the probabilities of every answer by true answer and distance, and
the answer itself. It holds nothing that the data decided, except the answer that was drawn: the same terms
and the same answer give the same receipt, whatever the table.
"""

from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version

from rainbowdp.exact import format_exact
from rainbowdp.release.terms import Terms

SCHEMA = "rainbowdp.receipt/1"
LARGEST_TABLE = 10_000
"""How many rows the table of probabilities has at most, over all true answers."""
NEARLY_CERTAIN = 1 - Fraction(1, 2**40)

Json = object


def table_lengths(terms: Terms) -> dict[str, int]:
    """Return how many distances the table shows for each true answer.

    As many as it takes until the true answer comes out with probability at least 1 - 2^-40, but no more than
    its share of `LARGEST_TABLE`.
    """
    answers = terms.question.answers
    most = max(1, LARGEST_TABLE // len(answers))
    lengths = {}
    for answer in answers:
        needed = terms.line(answer).distance_for(NEARLY_CERTAIN)
        lengths[answer] = most if needed is None else min(needed + 1, most)
    return lengths


def probability_table(terms: Terms) -> dict[str, list[list[float]]]:
    """Return the probabilities of every answer, by true answer and distance 0, 1, ..., as floats.

    Columns stand in the order of the question's answers; each number is right to a few units in its last
    place.
    """
    table = {}
    for answer, length in table_lengths(terms).items():
        line = terms.line(answer)
        columns = [line.rainbow.colors.index(color) for color in terms.question.answers]
        table[answer] = line.probabilities(range(length))[:, columns].tolist()
    return table


def make_receipt(terms: Terms, answer: Json) -> dict[str, Json]:
    """Return the receipt of an answer.

    Parameters
    ----------
    terms : Terms
        The terms it was given under.
    answer : text, list of text, or mapping of group to such
        The answer, as `rainbowdp.release.Answer` has it.

    Returns
    -------
    dict
        What ``json.dumps`` writes; `SCHEMA` names its form.
    """
    groups = {"by": terms.by, "names": list(terms.groups)} if terms.groups else None
    unit = None if terms.unit is None else {"column": terms.unit, "max_rows": terms.max_rows}
    return {
        "schema": SCHEMA,
        "rainbowdp": version("rainbowdp"),
        "question": terms.question.describe(),
        "neighbors": terms.neighbors,
        "unit": unit,
        "where": dict(sorted(terms.where.items())),
        "privacy": privacy_json(terms),
        "groups": groups,
        "charges": terms.charges,
        "total": total_json(terms),
        "boundary": boundary_json(terms),
        "table": {"answers": list(terms.question.answers), "probabilities": probability_table(terms)},
        "answer": answer,
    }


def privacy_json(terms: Terms) -> dict[str, str]:
    """Return the parameters of the privacy as exact text."""
    return dict(_parameter(part) for part in str(terms.privacy).split(", "))


def total_json(terms: Terms) -> dict[str, str]:
    """Return what all answers together cost, as exact text.

    Raises
    ------
    PrivacyParameterError
        If several charges of a logarithmic mu add up: their root has no exact form.
    """
    if terms.charges == 1:
        return privacy_json(terms)
    return {part.name: part.exact for part in terms.cost.parts()}


def boundary_json(terms: Terms) -> dict[str, Json]:
    """Return the boundary: the rule that made it, and its distributions where they are rational.

    Irrational ones are null: they are what the rule says, exactly, and no decimal is.
    """
    condition = terms.boundary
    distributions: dict[str, dict[str, str] | None] = {}
    for answer in terms.question.answers:
        distribution = condition.distributions[terms.asked.rainbow(answer)]
        values: Sequence[tuple[str, object]] = list(distribution.items())
        rational = all(isinstance(value, Fraction) for _, value in values)
        distributions[answer] = (
            {color: format_exact(distribution[color]) for color in terms.question.answers}
            if rational
            else None
        )
    return {"rule": terms.rule, "distributions": distributions}


def _parameter(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name, value
