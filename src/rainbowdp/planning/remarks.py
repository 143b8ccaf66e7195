# SPDX-License-Identifier: Apache-2.0
"""Where a rival is better, said plainly: one sentence for each rival and case, from exact comparisons."""

from collections.abc import Sequence

from rainbowdp.planning.chances import order, rounded, shown_right
from rainbowdp.planning.values import LeadRow

_CASES = {"all-close": "all other answers equally close: ", "one-close": "one other answer close: "}
_MOST_NAMED = 6


def remarks(rows: Sequence[LeadRow]) -> tuple[str, ...]:
    """Return one sentence for each rival and case, and one about the answer that ties favor.

    Parameters
    ----------
    rows : sequence of LeadRow
        The same rivals in each.

    Returns
    -------
    tuple of str
        Empty without rows; at the end how much better the most favored answer fares.
    """
    if not rows:
        return ()
    several = len({rival.case for rival in rows[0].rivals}) > 1
    sentences = [_sentence(rows, at, several=several) for at in range(len(rows[0].rivals))]
    favored = next((row for row in rows if order(row.wrong, row.wrong_at_best) > 0), None)
    if favored is not None:
        sentences.append(
            "rainbowdp is shown for the answer that is right least often, ties decided against it; the most "
            f"favored answer is right with probability {shown_right(favored.wrong_at_best)} at a lead of "
            f"{favored.lead}, not {shown_right(favored.wrong)}"
        )
    return tuple(sentences)


def _sentence(rows: Sequence[LeadRow], at: int, *, several: bool) -> str:
    rival = rows[0].rivals[at]
    name = f"the {rival.mechanism}" if rival.mechanism.endswith("mechanism") else rival.mechanism
    if rival.mechanism.startswith("thresholded"):
        name = "the thresholded geometric mechanism"
    when = _CASES[rival.case] if several else ""
    orders = [order(row.wrong, row.rivals[at].wrong) for row in rows]
    better = [row.lead for row, found in zip(rows, orders, strict=True) if found > 0]
    factor = _factor(rows[-1], at)
    if not any(orders):
        return f"{when}{name} is right exactly as often at every lead shown"
    if not better:
        often = "more or equally often" if 0 in orders else "more often"
        return f"{when}rainbowdp is right {often} than {name} at every lead shown{factor}"
    if len(better) == len(rows):
        return f"{when}{name} is BETTER, right more often at every lead shown{factor}"
    named = ", ".join(map(str, better[:_MOST_NAMED])) + (", ..." if len(better) > _MOST_NAMED else "")
    return f"{when}{name} is BETTER at some leads, right more often at {named}"


def _factor(row: LeadRow, at: int) -> str:
    """Say how the probabilities of a wrong answer compare at the last lead."""
    ours, theirs = rounded(row.wrong), rounded(row.rivals[at].wrong)
    low, high = sorted((ours, theirs))
    return f" (wrong {high / low:.4g} times less often at a lead of {row.lead})" if low > 0 else ""
