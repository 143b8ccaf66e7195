# SPDX-License-Identifier: Apache-2.0
"""What answers reveal about one person: every pair of neighboring small tables, whole distributions, exactly.

A table is written down row by row here, with the cells of a person's rows, those that count for nothing
among them. Nothing of the mechanisms is believed: the exact chances of all neighbors are compared, and the
joint ones of several groups by adding up.
"""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, cast

import pytest

import rainbowdp as rdp
from rainbowdp.errors import PrivacyParameterError
from rainbowdp.exact import Exact
from rainbowdp.exact.enclosure import Value, rounded
from rainbowdp.goals import Goal
from rainbowdp.ledger import Cost
from rainbowdp.questions import MatchCount, Neighbors, Question, bracket, level, ranking, winner, yes_no
from rainbowdp.release import Terms
from small_problems import as_fraction

LN2 = rdp.PureDP("ln 2")
NOTHING = b"\xff"
Rows = tuple[object, ...]

# Each question with cells that it tells apart, and how many rows of other people there are at most.
CASES: dict[str, tuple[Question, tuple[object, ...], int]] = {
    "winner": (winner("c", ["A", "B", "C"]), ("A", "B", "C"), 3),
    "ranking": (ranking("c", ["A", "B", "C"]), ("A", "B", "C"), 8),
    "count": (yes_no("c", equals="A", at_least=2), ("A", "B"), 4),
    "share": (yes_no("c", equals="A", share="2/3"), ("A", "B"), 6),
    "share of all": (yes_no("c", equals="A", share=1), ("A", "B"), 5),
    "share levels": (level("c", equals="A", share=True, edges=["1/4", "1/2", "3/4"]), ("A", "B"), 10),
    "sum without 0": (yes_no("c", clamp=(2, 3), at_least=5), ("2", "3"), 4),
    "sum of one value": (yes_no("c", clamp=(3, 3), at_least=7), ("3",), 5),
    "sum below 0": (level("c", clamp=(-3, -2), edges=[-7, -4]), ("-2", "-3"), 4),
    "sum around 0": (level("c", clamp=(-1, 2), edges=[-1, 3]), ("-1", "0", "2"), 4),
    "count levels": (level("c", equals="A", edges=[1, 2, 4]), ("A", "B"), 5),
    "wide levels": (level("c", equals="A", edges=[2, 12], labels=["few", "some", "many"]), ("A",), 13),
    "median": (bracket("c", edges=[2, 3]), ("1", "2", "3"), 4),
    "quantile": (bracket("c", edges=[2, 3], quantile="3/4"), ("1", "2", "3"), 4),
    "highest": (bracket("c", edges=[2], quantile=1), ("1", "2"), 5),
}


def multisets(cells: Sequence[object], most: int) -> Iterator[Rows]:
    for size in range(most + 1):
        yield from itertools.combinations_with_replacement(cells, size)


class Released:
    """What is released about tables of one group: the exact chances of every answer."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.chances = cache(self._chances)

    def _chances(self, table: Rows) -> list[Value]:
        terms = self.terms
        summary = terms.question.reading.summary([(cell, 1) for cell in table])
        return list(terms.mechanism.at(summary).chances().values())

    def close(self, here: Rows, there: Rows) -> bool:
        """Tell whether no answer is more than twice as likely at either table."""
        pairs = zip(self.chances(here), self.chances(there), strict=True)
        return all(one <= 2 * other and other <= 2 * one for one, other in pairs)


def test_a_table_without_a_row_is_protected_like_any_other() -> None:
    released = Released(Terms(rdp.yes_no("c", equals="A", share="2/3"), LN2, "change-one"))
    # No rows: yes. One person, whose row is not readable, may turn into a no.
    assert released.chances(())[1] == released.chances((None,))[1] == Fraction(2, 3)
    assert released.chances(("B",))[1] == Fraction(1, 3)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("neighbors", ["add-remove", "change-one"])
@pytest.mark.parametrize(
    ("name", "goal"),
    [*((name, "guarantee") for name in CASES), ("winner", "typical"), ("wide levels", "typical")],
)
def test_no_person_shows_whatever_the_rows_become(
    name: str, goal: Goal, neighbors: Neighbors, rows: int
) -> None:
    question, cells, most = CASES[name]
    unit: dict[str, Any] = {} if rows == 1 else {"unit": "id", "max_rows": rows}
    released = Released(Terms(question, LN2, neighbors, goal=goal, **unit))
    # What a person may have: up to so many rows, or none that counts for anything.
    persons = list(multisets(cells, rows))
    seen, likely = set(), set()
    for others in multisets(cells, most):
        places = [tuple(sorted(others + person, key=str)) for person in persons]
        # add-remove: the person is not there, or has any rows. change-one: any rows before and after.
        seen |= {
            (min(pair), max(pair))
            for pair in (
                itertools.combinations(places, 2)
                if neighbors == "change-one"
                else ((places[0], place) for place in places)
            )
        }
    assert all(released.close(here, there) for here, there in seen)
    for here, _ in seen:
        chances = released.chances(here)
        likely |= {at for at, chance in enumerate(chances) if chance == max(chances, key=rounded)}
    assert likely == set(range(len(question.answers)))


def test_a_row_that_cannot_be_read_is_no_row() -> None:
    for question, cells, _ in CASES.values():
        released = Released(Terms(question, LN2, "change-one", goal="guarantee"))
        for table in multisets(cells, 3):
            assert released.chances((*table, NOTHING, None)) == released.chances(table)


# Two groups, of which a person's rows may be in one, both, none: 2 stands for a group nobody declared.
GROUPS = ("x", "y")
KINDS = tuple(itertools.product(range(3), ("A", "B", NOTHING)))
Table = tuple[tuple[int, object], ...]


def group_terms(privacy: rdp.privacy.Privacy, neighbors: Neighbors, rows: int) -> Terms:
    unit: dict[str, Any] = {} if rows == 1 else {"unit": "id", "max_rows": rows}
    question = yes_no("c", equals="A", share="1/2")
    return Terms(question, privacy, neighbors, by="g", groups=GROUPS, **unit)


def law_of(terms: Terms, margin: int) -> list[Fraction]:
    """Return how likely no and yes are for one group, by its margin."""
    matching, others = 40 + max(margin, 0), 40 + max(-margin, 0)
    located = terms.mechanism.at(MatchCount(matching, matching + others))
    chances = cast("dict[str, Exact]", located.chances())
    return [as_fraction(chances[answer]) for answer in ("no", "yes")]


def spread(rows: int, groups: int) -> list[tuple[int, ...]]:
    """Return every way to have up to so many rows in some groups."""
    return [way for way in itertools.product(range(rows + 1), repeat=groups) if sum(way) <= rows]


@pytest.mark.parametrize("groups", [2, 3, 4, 7])
@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("neighbors", ["add-remove", "change-one"])
def test_the_charges_of_many_groups_are_the_most_that_one_person_reveals(
    neighbors: Neighbors, rows: int, groups: int
) -> None:
    unit: dict[str, Any] = {} if rows == 1 else {"unit": "id", "max_rows": rows}
    question = yes_no("c", equals="A", share="1/2")
    terms = Terms(question, LN2, neighbors, by="g", groups=tuple("abcdefg"[:groups]), **unit)

    @cache
    def law(margin: int) -> list[Fraction]:
        return law_of(terms, margin)

    @cache
    def worst(leaving: int, joining: int) -> Fraction:
        """Return by which factor one group's answer changes at most when so many rows leave and join."""
        pairs = (
            (law(margin), law(margin + leaving - 2 * out + 2 * come - joining))
            for margin in range(-7, 7)
            for out in range(leaving + 1)
            for come in range(joining + 1)
        )
        ratios = (one / other for here, there in pairs for one, other in zip(here, there, strict=True))
        return max(max(ratio, 1 / ratio) for ratio in ratios)

    # Groups are drawn independently, so the factors multiply. Whatever the order, the groups are alike.
    ways = {tuple(sorted(way, reverse=True)) for way in spread(rows, groups)}
    nothing = (0,) * groups
    moves = (
        itertools.product(ways, spread(rows, groups))
        if neighbors == "change-one"
        else itertools.chain(((nothing, way) for way in ways), ((way, nothing) for way in ways))
    )
    charges = max(sum(map(log2_of, map(worst, leaving, joining))) for leaving, joining in moves)
    assert terms.cost == Cost.of(LN2).times(charges)


def log2_of(factor: Fraction) -> int:
    power = factor.numerator.bit_length() - 1
    assert factor == 2**power
    return power


def test_mu_of_a_changed_person_doubles() -> None:
    privacy = rdp.GaussianDP("1/2")
    share = yes_no("c", equals="A", share="1/2")
    terms = Terms(share, privacy, "change-one", by="g", groups=GROUPS)
    assert str(terms.cost) == "mu 1"
    # One group moves by two steps: a row leaves those that match, and one joins those that do not.
    near, far = (
        rdp.Distribution.trusted(cast("dict[str, Exact]", terms.mechanism.at(MatchCount(at, 10)).chances()))
        for at in (8, 7)
    )
    assert rdp.GaussianDP("1.0000001").admits(near, far)
    # The square root of two charges of 1/2 is not enough.
    assert not rdp.GaussianDP("0.7072").admits(near, far)
    for neighbors, rows, shown in (("add-remove", 2, "mu sqrt(1/2)"), ("change-one", 2, "mu sqrt(5/4)")):
        assert str(group_terms(privacy, neighbors, rows).cost) == shown  # type: ignore[arg-type]  # one of them


def test_one_group_is_charged_once_with_the_distances_of_the_relation() -> None:
    terms = Terms(winner("c", ["A", "B"]), LN2, "change-one", by="g", groups=("x",))
    assert (terms.relation, str(terms.cost)) == ("change-one", "epsilon ln(2)")

    released = Released(terms)

    def inside(table: Table) -> Rows:
        return tuple(cell for group, cell in table if group == 0)

    # A person may come from another group, or from none, and may go there.
    for others in itertools.combinations_with_replacement(KINDS, 3):
        places = {inside((*others, kind)) for kind in KINDS}
        assert all(released.close(here, there) for here, there in itertools.combinations(places, 2))


def test_a_sum_of_charges_without_an_exact_form_is_refused_beforehand() -> None:
    for neighbors in ("change-one", "add-remove"):
        with pytest.raises(PrivacyParameterError, match="no exact form"):
            group_terms(rdp.GaussianDP("ln 2"), neighbors, 1)
