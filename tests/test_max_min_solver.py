# SPDX-License-Identifier: Apache-2.0
"""The exact linear algebra and the exact lexicographic simplex below the max-min boundary."""

import random
import subprocess
import sys

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rainbowdp.errors import NotVerifiedError, SolverError
from rainbowdp.leximin import lexicographic
from rainbowdp.leximin.lexicographic import LexicographicSimplex
from rainbowdp.leximin.program import Program, Proposal, propose

SEEDS = st.integers(0, 2**32)


def fmpq(value: int) -> flint.fmpq:
    return flint.fmpq(value)


def random_matrix(rng: random.Random, size: int) -> list[list[int]]:
    return [[rng.choice([0, 0, 0, 1, -1, 2, -3]) for _ in range(size)] for _ in range(size)]


@given(SEEDS, st.integers(1, 9))
def test_sparse_solutions_equal_dense_ones(seed: int, size: int) -> None:
    rng = random.Random(seed)
    entries = random_matrix(rng, size)
    dense = flint.fmpq_mat(size, size, [fmpq(value) for row in entries for value in row])
    sparse = {r: {c: fmpq(value) for c, value in enumerate(row) if value} for r, row in enumerate(entries)}
    if dense.det() == 0:
        with pytest.raises(ZeroDivisionError):
            lexicographic.Factors(sparse)
        return
    factors = lexicographic.Factors(sparse)
    right = {index: fmpq(rng.randint(-3, 3)) for index in range(size)}
    column = flint.fmpq_mat(size, 1, [right[index] for index in range(size)])
    for found, matrix in (
        (factors.solve(right), dense),
        (factors.solve_transposed(right), dense.transpose()),
    ):
        expected = matrix.solve(column)
        assert [found.get(index, fmpq(0)) for index in range(size)] == [expected[i, 0] for i in range(size)]
        assert all(value != 0 for value in found.values())


def random_program(seed: int) -> tuple[Program, int]:
    """Return a bounded program with the vertex 0: some rows with right sides of at least 0, and a box."""
    rng = random.Random(seed)
    program = Program()
    count = rng.randint(2, 6)
    for _ in range(count):
        program.add_column()
    for _ in range(rng.randint(1, 6)):
        entries = {column: fmpq(rng.randint(-3, 3)) for column in range(count)}
        # Many zeros on the right make many degenerate vertices.
        program.add_row(entries, fmpq(rng.choice([0, 0, 1, 2, 5])))
    for column in range(count):
        program.add_row({column: fmpq(1)}, fmpq(rng.randint(1, 4)))
    return program, count


def oracle(program: Program, count: int, objectives: list[dict[int, flint.fmpq]]) -> list[float]:
    """Maximize one objective after another with another solver, holding the values reached."""
    rows = [[float(int(row.get(c, fmpq(0)).p)) for c in range(count)] for row in program.rows]
    right = [float(int(value.p)) for value in program.right]
    reached = []
    for objective in objectives:
        costs = [-float(int(objective.get(c, fmpq(0)).p)) for c in range(count)]
        found = linprog(costs, A_ub=rows, b_ub=right, bounds=(0, None), method="highs-ds")
        reached.append(-float(found.fun or 0.0))
        rows.append(costs)
        right.append(-reached[-1] + 1e-9)
    return reached


def random_objectives(seed: int, count: int) -> list[dict[int, flint.fmpq]]:
    rng = random.Random(seed + 1)
    return [{column: fmpq(rng.randint(-2, 2)) for column in range(count)} for _ in range(3)]


def value(simplex: LexicographicSimplex, objective: dict[int, flint.fmpq]) -> flint.fmpq:
    return sum((weight * simplex.value(column) for column, weight in objective.items()), fmpq(0))


@given(SEEDS)
@settings(max_examples=60)
def test_any_proposals_lead_to_the_values_of_another_solver(seed: int) -> None:
    program, count = random_program(seed)
    objectives = random_objectives(seed, count)
    rng = random.Random(seed)

    def nonsense(*_: object) -> Proposal:
        size = rng.randint(0, count)
        return set(rng.sample(range(count), size)), set(rng.sample(range(len(program.rows)), size))

    reached = []
    for ask in (propose, lambda *_: None, nonsense):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lexicographic, "propose", ask)
            simplex = LexicographicSimplex(program, basic=set(), active=set())
            for objective in objectives:
                simplex.maximize(objective)
        for row, right in zip(program.rows, program.right, strict=True):
            assert value(simplex, row) <= right
        assert all(simplex.value(column) >= 0 for column in range(count))
        reached.append([value(simplex, objective) for objective in objectives])
    assert reached[0] == reached[1] == reached[2]
    expected = oracle(program, count, objectives)
    assert [int(found.p) / int(found.q) for found in reached[0]] == pytest.approx(expected, abs=1e-6)


def test_differences_far_below_floating_point_decide() -> None:
    tiny = flint.fmpq(1, 10**40)
    program = Program()
    x, y = program.add_column(), program.add_column()
    program.add_row({x: fmpq(1), y: fmpq(1)}, fmpq(1))
    simplex = LexicographicSimplex(program, basic=set(), active=set())
    seen = []
    for objective in ({x: fmpq(1), y: fmpq(1)}, {y: tiny}):
        simplex.maximize(objective)
        seen.append(simplex.is_unique)
    assert seen == [False, True]
    assert (simplex.value(x), simplex.value(y)) == (fmpq(0), fmpq(1))
    steep = Program()
    x, y = steep.add_column(), steep.add_column()
    steep.add_row({x: fmpq(1), y: 1 - tiny}, fmpq(1))
    simplex = LexicographicSimplex(steep, basic=set(), active=set())
    simplex.maximize({x: fmpq(1), y: fmpq(1)})
    assert simplex.value(x) == 0
    assert simplex.value(y) > 1


def test_an_unbounded_program_and_too_many_steps_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicographic, "propose", lambda *_: None)
    program = Program()
    x = program.add_column()
    with pytest.raises(NotVerifiedError, match="no largest value"):
        LexicographicSimplex(program, basic=set(), active=set()).maximize({x: fmpq(1)})
    program.add_row({x: fmpq(1)}, fmpq(1))
    monkeypatch.setattr(lexicographic, "_LARGEST_PIVOTS", 0)
    with pytest.raises(SolverError, match="more than 0 steps") as e:
        LexicographicSimplex(program, basic=set(), active=set()).maximize({x: fmpq(1)})
    assert "--boundary" in e.value.help


SHARED = """
import highspy
other = highspy.Highs()
other.setOptionValue("output_flag", False)
other.setOptionValue("threads", 2)
other.minimize(other.addVariable())

from rainbowdp import GaussianDP, RainbowGraph, optimal_mechanism
from rainbowdp.optimality import check_optimal
graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["a>b>c", "b>a>c", "c>b>a"])
mechanism = optimal_mechanism(graph, GaussianDP(1), "max-min")
print(bool(check_optimal(mechanism, graph, GaussianDP(1))))
"""


@pytest.mark.release
def test_the_solver_works_where_another_program_has_used_it() -> None:
    # How many threads there are is decided once for a process, by the first solver in it.
    done = subprocess.run([sys.executable, "-c", SHARED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    # The other instance of the solver prints its name once.
    assert (done.stdout.count("HiGHS"), done.stdout.splitlines()[-1]) == (1, "True")


def test_rows_may_come_and_change_between_objectives() -> None:
    program = Program()
    x, y = program.add_column(), program.add_column()
    program.add_row({x: fmpq(1), y: fmpq(1)}, fmpq(3))
    simplex = LexicographicSimplex(program, basic=set(), active=set())
    simplex.maximize({x: fmpq(1)})
    level, other = program.add_column(), program.add_column()
    row = program.add_row({level: fmpq(1), x: fmpq(-1)}, fmpq(0))
    simplex.refresh()
    program.exchange(row, level, other)
    simplex.refresh()
    simplex.maximize({other: fmpq(1)})
    assert simplex.value(other) == 3
    assert simplex.is_blocked(row)
    assert program.column(level) == {}
    assert simplex.value(x) == 3
