# SPDX-License-Identifier: Apache-2.0
"""The result of a member: tables in Markdown and figures, and its place in a page.

A page has a pair of comments for every member, ``<!-- NAME -->`` and ``<!-- /NAME -->``; `placed` replaces
what stands between them, and leaves the rest of the page to people.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.goals import HEAD, Goal, goal_lines, goal_rows

FIGURES = "figures"
"""Where figures lie, seen from the page."""

GOALS = "goals"
"""The place of a page for the goals of all members."""


@dataclass(frozen=True)
class Table:
    """A table under a paragraph.

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
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        return f"{self.text}\n\n{_lines([self.columns, rule, *self.rows])}"


@dataclass(frozen=True)
class Report:
    """What a member found.

    Parameters
    ----------
    text, columns, rows
        As in `Table`; the text begins with the size.
    further : sequence of Table
        More tables.
    goals : sequence of Goal
        What was to be reached.
    figures : mapping of str to str
        The content of SVG files by their names, and in `alternatives` what they show.
    alternatives : mapping of str to str
        A description of every figure in words.
    """

    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    further: Sequence[Table] = ()
    goals: Sequence[Goal] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[str, str] = field(default_factory=dict)

    def markdown(self) -> str:
        """Return paragraphs, tables, places of figures, and goals."""
        parts = [Table(self.text, self.columns, self.rows).markdown()]
        parts.extend(f"![{self.alternatives[name]}]({FIGURES}/{name})" for name in self.figures)
        parts.extend(table.markdown() for table in self.further)
        if self.goals:
            head, *rows = goal_rows(self.goals)
            parts.append(_lines([head, ["---"] * len(head), *rows]))
        return "\n\n".join(parts)


def _lines(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def with_goals(page: str, results: str) -> str:
    """Return a page with the goals that results show in its place for them."""
    return placed(page, GOALS, "\n".join([_lines([HEAD, ["---"] * len(HEAD)]), *goal_lines(results)]))


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
    """Return a ratio as it is shown; a dash where the floor is nothing, as memory may be.

    Examples
    --------
    >>> times(3.14159, 1), times(42, 2), times(1, 0)
    ('3.1', '21', '-')
    """
    if not floor:
        return "-"
    ratio = value / floor
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"


def mebibytes(count: int) -> str:
    """Return a number of bytes as it is shown.

    Examples
    --------
    >>> mebibytes(3 * 2**20)
    '3'
    """
    return f"{count / 2**20:.0f}"
