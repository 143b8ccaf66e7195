# SPDX-License-Identifier: Apache-2.0
"""What answers reveal about one person: every pair of neighboring small tables, whole distributions, exactly.

A table is written down row by row here, with the cells of a person's rows, those that count for nothing
among them. Nothing of the distances is believed: the released distributions of all neighbors are compared by
`Privacy.admits`, and the joint ones of several groups by adding up.
"""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import rainbowdp as rdp
from rainbowdp.distribution import Distribution
from rainbowdp.errors import PrivacyParameterError
from rainbowdp.ledger import Cost
from rainbowdp.questions import Neighbors, OptionCounts, Question, bracket, level, ranking, winner, yes_no
from rainbowdp.release import Terms

LN2 = rdp.PureDP("ln 2")
NOTHING = b"\xff"
Rows = tuple[object, ...]

# Each question with cells that it tells apart, and how many rows of other people there are at most.
CASES: dict[str, tuple[Question, tuple[object, ...], int]] = {
    "winner": (winner("c", ["A", "B", "C"]), ("A", "B", "C"), 4),
    "ranking": (ranking("c", ["A", "B", "C"]), ("A", "B", "C"), 12),
    "count": (yes_no("c", equals="A", at_least=2), ("A", "B"), 4),
    "share": (yes_no("c", equals="A", share="2/3"), ("A", "B"), 6),
    "share of all": (yes_no("c", equals="A", share=1), ("A", "B"), 5),
    "share levels": (level("c", equals="A", share=True, edges=["1/4", "1/2", "3/4"]), ("A", "B"), 10),
    "sum without 0": (yes_no("c", clamp=(2, 3), at_least=5), ("2", "3"), 4),
    "sum of one value": (yes_no("c", clamp=(3, 3), at_least=7), ("3",), 5),
    "sum below 0": (level("c", clamp=(-3, -2), edges=[-7, -4]), ("-2", "-3"), 4),
    "sum around 0": (level("c", clamp=(-1, 2), edges=[-1, 3]), ("-1", "0", "2"), 4),
    "count levels": (level("c", equals="A", edges=[1, 2, 4]), ("A", "B"), 5),
    "median": (bracket("c", edges=[2, 3]), ("1", "2", "3"), 4),
    "quantile": (bracket("c", edges=[2, 3], quantile="3/4"), ("1", "2", "3"), 4),
    "highest": (bracket("c", edges=[2], quantile=1), ("1", "2"), 5),
}


def multisets(cells: Sequence[object], most: int) -> Iterator[Rows]:
    for size in range(most + 1):
        yield from itertools.combinations_with_replacement(cells, size)


class Released:
    """What is released about tables of one group: every pair of distributions is compared once."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.located = cache(self._located)
        self.close = cache(self._close)

    def _located(self, table: Rows) -> tuple[str, int]:
        terms = self.terms
        summary = terms.question.reading.summary([(cell, 1) for cell in table])
        found = terms.asked.locate(summary, terms.relation)
        return found.answer, found.distance // terms.max_rows

    def distribution(self, table: Rows) -> Distribution:
        answer, distance = self.located(table)
        return self.terms.line(answer).distribution(distance)

    def _close(self, here: tuple[str, int], there: tuple[str, int]) -> bool:
        one, other = (self.terms.line(answer).distribution(distance) for answer, distance in (here, there))
        privacy = self.terms.privacy
        return bool(privacy.admits(one, other)) and bool(privacy.admits(other, one))


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("neighbors", ["add-remove", "change-one"])
@pytest.mark.parametrize("name", CASES)
def test_no_person_shows_whatever_the_rows_become(name: str, neighbors: Neighbors, rows: int) -> None:
    question, cells, most = CASES[name]
    unit: dict[str, Any] = {} if rows == 1 else {"unit": "id", "max_rows": rows}
    released = Released(Terms(question, LN2, neighbors, **unit))
    # What a person may have: up to so many rows, or none that counts for anything.
    persons = list(multisets(cells, rows))
    seen = set()
    for others in multisets(cells, most):
        places = [released.located(others + person) for person in persons]
        # add-remove: the person is not there, or has any rows. change-one: any rows before and after.
        seen |= {
            (min(pair), max(pair))
            for pair in (
                itertools.product(places, places)
                if neighbors == "change-one"
                else ((places[0], place) for place in places)
            )
        }
    assert all(released.close(here, there) for here, there in seen)
    assert {answer for pair in seen for answer, _ in pair} == set(question.answers)
    assert max(distance for pair in seen for _, distance in pair) > 0


def test_a_row_that_cannot_be_read_is_no_row() -> None:
    for question, cells, _ in CASES.values():
        released = Released(Terms(question, LN2, "change-one"))
        for table in multisets(cells, 3):
            assert released.located((*table, NOTHING, None)) == released.located(table)


@pytest.mark.parametrize("boundary", ["max-min", "randomized-response", "uniform"])
@pytest.mark.parametrize("name", ["ranking", "share levels", "sum below 0"])
def test_every_boundary_protects_a_changed_person(name: str, boundary: str) -> None:
    question, cells, most = CASES[name]
    released = Released(Terms(question, LN2, "change-one", rule=boundary))
    for others in multisets(cells, most):
        places = [released.located((*others, cell)) for cell in (*cells, NOTHING)]
        assert all(released.close(here, there) for here, there in itertools.combinations(places, 2))


def test_counting_a_changed_row_as_one_step_of_a_sum_would_show_it() -> None:
    # The question without `in_table`: between 2 and 3 a row moves a sum by 1, but from nothing to 3 by 3.
    question = yes_no("c", clamp=(2, 3), at_least=50)
    near, far = (question.locate(question.reading.summary([("3", n)]), "change-one") for n in (19, 20))
    assert far.distance - near.distance > 1
    asked = Terms(question, LN2, "change-one").asked
    near, far = (asked.locate(question.reading.summary([("3", n)]), "change-one") for n in (19, 20))
    assert far.distance - near.distance == 1


def test_a_table_without_a_row_is_protected_like_any_other() -> None:
    released = Released(Terms(yes_no("c", equals="A", share="2/3"), LN2, "change-one"))
    # No rows: yes. One person, whose row is not readable, may turn into a no.
    assert released.distribution(())["yes"] == released.distribution((NOTHING,))["yes"] == Fraction(2, 3)
    assert released.distribution(("B",))["yes"] == Fraction(1, 3)


# Two groups, of which a person's rows may be in one, both, none: 2 stands for a group nobody declared.
GROUPS = ("x", "y")
KINDS = tuple(itertools.product(range(3), ("A", "B", NOTHING)))
Table = tuple[tuple[int, object], ...]


def kept(rows: int) -> list[Table]:
    """Return all that can be kept of one person who has up to so many rows, in any groups."""
    return [
        chosen for size in range(rows + 1) for chosen in itertools.combinations_with_replacement(KINDS, size)
    ]


def group_terms(privacy: rdp.Privacy, neighbors: Neighbors, rows: int) -> Terms:
    unit: dict[str, Any] = {} if rows == 1 else {"unit": "id", "max_rows": rows}
    return Terms(winner("c", ["A", "B"]), privacy, neighbors, by="g", groups=GROUPS, **unit)


def counts_of(table: Table) -> tuple[tuple[int, int], tuple[int, int]]:
    def inside(group: int) -> tuple[int, int]:
        return table.count((group, "A")), table.count((group, "B"))

    return inside(0), inside(1)


def joint_laws(terms: Terms, rows: int, people: int) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
    """Yield the joint distributions of both answers for all pairs of neighboring tables, each pair once."""

    @cache
    def alone(counts: tuple[int, int]) -> Distribution:
        location = terms.asked.locate(OptionCounts(counts), terms.relation)
        return terms.line(location.answer).distribution(location.distance // rows)

    @cache
    def joint(counts: tuple[tuple[int, int], tuple[int, int]]) -> list[Fraction]:
        one, two = map(alone, counts)
        return [fraction(one[a]) * fraction(two[b]) for a in "AB" for b in "AB"]

    persons = sorted({counts_of(person) for person in kept(rows)})
    seen = set()
    grid = range(people + 1)
    for others in itertools.product(grid, repeat=4):
        places = [
            (
                (others[0] + one[0], others[1] + one[1]),
                (others[2] + two[0], others[3] + two[1]),
            )
            for one, two in persons
        ]
        nobody = places[persons.index(((0, 0), (0, 0)))]
        pairs = (
            itertools.combinations(places, 2)
            if terms.neighbors == "change-one"
            else ((nobody, place) for place in places)
        )
        for pair in pairs:
            if pair not in seen:
                seen.add(pair)
                yield joint(pair[0]), joint(pair[1])


def fraction(value: object) -> Fraction:
    assert isinstance(value, Fraction)
    return value


@pytest.mark.parametrize(
    ("neighbors", "rows", "charges"),
    [
        ("add-remove", 1, 1),
        ("add-remove", 2, 2),
        ("add-remove", 3, 2),
        ("change-one", 1, 2),
        ("change-one", 2, 3),
    ],
)
def test_the_charges_of_two_groups_are_enough_and_one_less_is_not(
    neighbors: Neighbors, rows: int, charges: int
) -> None:
    terms = group_terms(LN2, neighbors, rows)
    assert terms.charges == charges
    assert terms.cost == Cost.of(LN2).times(charges)
    worst = max(
        max(a / b, b / a)
        for here, there in joint_laws(terms, rows, 5 if rows < 3 else 4)
        for a, b in zip(here, there, strict=True)
    )
    # Pure privacy with the odds 2^charges, and some pair of neighbors needs all of it.
    assert worst == 2**charges


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
    terms = Terms(winner("c", ["A", "B"]), LN2, neighbors, by="g", groups=tuple("abcdefg"[:groups]), **unit)

    @cache
    def law(table: tuple[int, int]) -> Distribution:
        location = terms.asked.locate(OptionCounts(table), terms.relation)
        return terms.line(location.answer).distribution(location.distance // rows)

    @cache
    def worst(leaving: int, joining: int) -> Fraction:
        """Return by which factor one group's answer changes at most when so many rows leave and join."""
        tables = itertools.product(range(8), repeat=2)
        pairs = (
            (law((a, b)), law((a - out + come, b - (leaving - out) + joining - come)))
            for a, b in tables
            for out in range(leaving + 1)
            for come in range(joining + 1)
            if out <= a and leaving - out <= b
        )
        ratios = (fraction(here[x]) / fraction(there[x]) for here, there in pairs for x in "AB")
        return max(max(ratio, 1 / ratio) for ratio in ratios)

    # Groups are drawn independently, so the factors multiply. Whatever the order, the groups are alike.
    ways = {tuple(sorted(way, reverse=True)) for way in spread(rows, groups)}
    nothing = (0,) * groups
    moves = (
        itertools.product(ways, spread(rows, groups))
        if neighbors == "change-one"
        else itertools.chain(((nothing, way) for way in ways), ((way, nothing) for way in ways))
    )
    assert terms.charges == max(sum(map(log2_of, map(worst, leaving, joining))) for leaving, joining in moves)


def log2_of(factor: Fraction) -> int:
    power = factor.numerator.bit_length() - 1
    assert factor == 2**power
    return power


@pytest.mark.parametrize(("neighbors", "rows"), [("add-remove", 2), ("change-one", 1), ("change-one", 2)])
def test_delta_of_a_changed_person_grows_by_more_than_the_number_of_charges(
    neighbors: Neighbors, rows: int
) -> None:
    delta = Fraction(1, 100)
    terms = group_terms(rdp.ApproxDP("ln 2", delta), neighbors, rows)
    odds = 2**terms.charges
    worst = max(
        sum(max(a - odds * b, Fraction(0)) for a, b in zip(first, second, strict=True))
        for here, there in joint_laws(terms, rows, 4)
        for first, second in ((here, there), (there, here))
    )
    assert worst <= terms.cost.delta
    assert terms.cost.epsilon == Cost.of(rdp.PureDP("ln 2")).times(terms.charges).epsilon
    if neighbors == "change-one":
        # One group moves by two steps, which cost 1 + 2 deltas, and with more rows another one by one.
        assert terms.cost.delta == (terms.charges + 1) * delta
        # As many deltas as charges would be a promise that is broken.
        assert rows > 1 or worst > terms.charges * delta


def test_mu_of_a_changed_person_doubles() -> None:
    privacy = rdp.GaussianDP("1/2")
    terms = group_terms(privacy, "change-one", 1)
    assert terms.charges == 2
    assert str(terms.cost) == "mu 1"
    # One group moves by two steps: from (2, 0) to (1, 1), two rows of lead.
    near, far = (terms.distribution("A", distance) for distance in (0, 2))
    assert rdp.GaussianDP("1.0000001").admits(near, far)
    # The square root of two charges of 1/2 is not enough.
    assert not rdp.GaussianDP("0.7072").admits(near, far)
    assert str(group_terms(privacy, "add-remove", 2).cost) == "mu sqrt(1/2)"
    assert str(group_terms(privacy, "change-one", 2).cost) == "mu sqrt(5/4)"


def test_one_group_is_charged_once_with_the_distances_of_the_relation() -> None:
    terms = Terms(winner("c", ["A", "B"]), LN2, "change-one", by="g", groups=("x",))
    assert (terms.charges, terms.relation, str(terms.cost)) == (1, "change-one", "epsilon ln(2)")

    released = Released(terms)

    def inside(table: Table) -> tuple[str, int]:
        return released.located(tuple(cell for group, cell in table if group == 0))

    # A person may come from another group, or from none, and may go there.
    for others in itertools.combinations_with_replacement(KINDS, 3):
        places = {inside((*others, kind)) for kind in KINDS}
        assert all(released.close(here, there) for here, there in itertools.combinations(places, 2))


def test_a_sum_of_charges_without_an_exact_form_is_refused_beforehand() -> None:
    with pytest.raises(PrivacyParameterError, match="no exact form"):
        group_terms(rdp.GaussianDP("ln 2"), "change-one", 1)
    assert group_terms(rdp.GaussianDP("ln 2"), "add-remove", 1).charges == 1
