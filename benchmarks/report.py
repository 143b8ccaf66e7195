# SPDX-License-Identifier: Apache-2.0
"""The result of a member: a table in Markdown, and its place in a page.

A page has a pair of comments for every member, ``<!-- NAME -->`` and ``<!-- /NAME -->``; `placed` replaces
what stands between them, and leaves the rest of the page to people.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """What a member found.

    Parameters
    ----------
    text : str
        One paragraph: what was measured, and of which size.
    columns : sequence of str
        The head of the table.
    rows : sequence of sequences of str
        Its rows; the first cell says what, the others are numbers.
    """

    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return paragraph and table."""
        lines = [
            self.columns,
            ["---", *["---:"] * (len(self.columns) - 1)],
            *self.rows,
        ]
        return "\n".join([self.text, "", *(f"| {' | '.join(cells)} |" for cells in lines)])


def placed(page: str, name: str, content: str) -> str:
    r"""Return a page with the content of a member in its place.

    Raises
    ------
    ValueError
        If the page has no place for it.

    Examples
    --------
    >>> placed("before <!-- speed -->old<!-- /speed --> after", "speed", "new")
    'before <!-- speed -->\n\nnew\n\n<!-- /speed --> after'
    """
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, opened, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"the page has no place for {name}: write {start} and {end} into it")
    return f"{before}{start}\n\n{content}\n\n{end}{after}"


def times(value: float, floor: float) -> str:
    """Return a ratio as it is shown.

    Examples
    --------
    >>> times(3.14159, 1), times(42, 2)
    ('3.1', '21')
    """
    ratio = value / floor
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
