# SPDX-License-Identifier: Apache-2.0
"""Floats that are printed or written are the same on every processor, to the last place.

A file that one machine makes is compared with what another one makes, and a document shows what its reader
gets. Sums, products, quotients and square roots are the same everywhere (IEEE 754). Which code runs for other
functions depends on the vector instructions of the processor, and so does the last place of what it returns.
"""

import ast
import contextlib
import hashlib
import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plain_processor import without_vectors
from rainbowdp.cli import main
from rainbowdp.line import Line
from rainbowdp.line.powers import FARTHEST, Pair, falling, falling_and_missing
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.verification.filters import gaussian_filter, stated_bounds
from rainbowdp.verification.result import Verification, outward

SOURCE = Path(__file__).resolve().parents[1] / "src"
BOUNDARY = {"blue": "3/55", "red": "9/55", "green": "43/55"}
DISTANCES = (range(20_000), [1, 5, 10**6, 2**40])
GAUSSIAN = (GaussianDP("1/1000"), GaussianDP("1/10"), GaussianDP(1))

# Made on a processor with AVX2 and without AVX-512; since then a probability below 1 is not rounded to 1.
# With numpy's exponentials every kind of processor would make its own.
MADE_ELSEWHERE: tuple[tuple[PureDP | ApproxDP, str], ...] = (
    (PureDP("ln(6/5)"), "24878a50ca2922a7"),
    (PureDP("1/1000"), "5981d78e1889d457"),
    (PureDP("37/100"), "a632891b5cf1b50f"),
    (ApproxDP("1/1000", "1e-7"), "2119f7128c89fe8d"),
    (ApproxDP("ln 2", "1/100"), "300e790baa855a7b"),
)

# Functions of numpy and of the C library whose last place depends on the processor, and parts of numpy.
_ROUND = ("cos", "cosh", "sin", "sinh", "tan", "tanh")
UNSTEADY = frozenset(
    {*_ROUND, *(f"a{name}" for name in _ROUND), *(f"arc{name}" for name in _ROUND), "atan2", "arctan2"}
    | {"exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "pow", "power"}
    | {"cbrt", "erf", "erfc", "float_power", "gamma", "hypot", "lgamma", "dot", "einsum", "inner", "matmul"}
    | {"fft", "linalg", "polynomial", "tensordot", "vdot"}
)

# Who may use them, and why nobody sees it.
MAY = {
    "rainbowdp.cli.line": "says roughly how many digits there will be",
    "rainbowdp.goals.order_chances": "gives every number with a bound on its error",
    "rainbowdp.graph.histograms": "estimates how large a family is",
    "rainbowdp.leximin.gaussian": "makes proposals, which exact arithmetic finishes",
    "rainbowdp.line.normal_table": "scipy's erfcx is arithmetic alone for what it is asked here",
    "rainbowdp.optimality": "compares within a tolerance",
    "rainbowdp.planning.columns": "guesses where to look, and decides what it finds there",
    "rainbowdp.plots": "draws what is seen and not compared",
    "rainbowdp.verification.filters": "rounds its bounds outward to a grid",
}


def unsteady_functions(source: str) -> Iterator[str]:
    """Yield what a source uses of functions whose last place depends on the processor."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="np" | "numpy" | "math"), attr=name) if name in UNSTEADY:
                yield name
            case ast.ImportFrom(module=str(module), names=names):
                parts = module.split(".")
                if parts[:2] == ["scipy", "special"] or (parts[0] == "numpy" and UNSTEADY & set(parts)):
                    yield module
                elif module in ("math", "numpy"):
                    yield from (alias.name for alias in names if alias.name in UNSTEADY)
            case ast.BinOp(op=ast.MatMult()):
                yield "@"


def digest(privacy: Privacy) -> str:
    line = Line("blue>red>green", BOUNDARY, privacy)
    made = hashlib.sha256()
    for distances in DISTANCES:
        made.update(line.probabilities(distances).tobytes())
    return made.hexdigest()[:16]


@pytest.mark.parametrize(("privacy", "found"), MADE_ELSEWHERE, ids=str)
def test_a_table_is_to_the_bit_what_another_machine_makes(privacy: PureDP | ApproxDP, found: str) -> None:
    assert digest(privacy) == found


def test_nobody_else_uses_functions_whose_last_place_depends_on_the_processor() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        if not any(module == name or module.startswith(f"{name}.") for name in MAY):
            used = set(unsteady_functions(path.read_text(encoding="utf-8")))
            found |= {module: used} if used else {}
    assert found == {}


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("np.exp(-x)", ["exp"]),
        ("np.linalg.norm(x)", ["linalg"]),
        ("from math import exp, ceil", ["exp"]),
        ("from scipy.special import ndtri", ["scipy.special"]),
        ("sums = rows @ events", ["@"]),
        ("np.sqrt(x) * math.sqrt(2) + np.floor(flint.arb(2).exp())", []),
    ],
)
def test_a_function_whose_last_place_depends_on_the_processor_is_found(source: str, used: list[str]) -> None:
    assert list(unsteady_functions(source)) == used


@given(
    st.lists(st.one_of(st.floats(0, 50), st.floats(0, 800), st.floats(0, 1)), min_size=1, max_size=50),
    st.floats(-1, 1),
)
def test_exponentials_are_right_to_the_last_place(numbers: list[float], correction: float) -> None:
    high = np.array([0.0, 1e-300, math.log(2) / 512, math.log(2), 700.0, *numbers])
    x = Pair(high, correction * 2.0**-53 * high)
    power, missing = falling_and_missing(x)
    assert np.array_equal(power, falling(x))
    with flint.ctx.workprec(256):
        for one, low, found, rest in zip(*map(np.ndarray.tolist, (*x, power, missing)), strict=True):
            exponent = -(flint.arb(one) + flint.arb(low))
            assert abs(exponent.exp() - found) <= exponent.exp() * 2.0**-52 + 2.0**-1074
            assert abs(exponent.expm1() + rest) <= -exponent.expm1() * 2.0**-51 + 2.0**-1074


def test_exponentials_far_away_are_zero_and_those_of_small_negative_numbers_are_above_one() -> None:
    far = Pair(np.array([FARTHEST, 1e6, math.inf]), np.zeros(3))
    assert falling(far).tolist() == [0, 0, 0]
    assert falling(Pair(np.array([-0.125]), np.zeros(1))).tolist() == [
        pytest.approx(math.exp(0.125), rel=3e-16)
    ]


positive = st.floats(min_value=1e-300, max_value=1e300)


@given(positive, st.floats(1, 1.0001))
def test_bounds_are_shown_rounded_outward(lower: float, wider: float) -> None:
    upper = lower * wider
    least, most = (Decimal(repr(bound)) for bound in outward(lower, upper))
    assert Decimal(lower) * Decimal("0.99999999999") < least <= Decimal(lower)
    assert Decimal(upper) <= most < Decimal(upper) * Decimal("1.00000000001")
    text = dict(Verification(True, "mu=1", "mu", lower, upper, None, 1, 1).rows)["tight mu"]
    assert [Decimal(word) for word in text.split()[1::2]] == ([least, most] if " " in text else [])


def test_the_figures_of_the_gaussian_filter_hide_the_last_places_of_quantiles() -> None:
    table = np.random.default_rng(7).dirichlet(np.ones(4), 50)
    bound = gaussian_filter(table, stated_bounds, GaussianDP("1/2"), ideal=False)
    found = bound(np.arange(49), np.arange(1, 50))
    for figures in (found.figure_low, found.figure_high):
        assert np.array_equal(np.rint(figures * 2.0**33), figures * 2.0**33)
    assert (found.figure_low < found.figure_high).all()


def outputs(folder: Path, mechanism: str) -> list[str]:
    """Return digests of tables, a file of a mechanism, and what is printed when it is made and checked."""
    size = 20
    nodes, edges = folder / "nodes.csv", folder / "edges.csv"
    rainbows = ["a>b>c"] * size + ["b>a>c"]
    nodes.write_text(
        "dataset,rainbow\n" + "".join(f"{at},{rainbow}\n" for at, rainbow in enumerate(rainbows))
    )
    edges.write_text("source,target\n" + "".join(f"{at},{at + 1}\n" for at in range(size)))
    file = folder / mechanism
    solve = ("solve", "--datasets", nodes, "--boundary", "randomized-response", "--out", file)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for words in (solve, ("verify", file, "--format", "json")):
            assert main([*map(str, words), "--neighbors", str(edges), "--epsilon", "ln(6/5)"]) == 0
    found = [*map(digest, GAUSSIAN), *(digest(privacy) for privacy, _ in MADE_ELSEWHERE)]
    return [*found, file.read_text(), printed.getvalue().replace(mechanism, "")]


def test_tables_files_and_verdicts_do_not_depend_on_vector_instructions(tmp_path: Path) -> None:
    program = (
        "import json, pathlib, sys\n"
        "from test_portable_floats import outputs\n"
        "print(json.dumps(outputs(pathlib.Path(sys.argv[1]), 'plain.csv')))\n"
    )
    environment = {**without_vectors(), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "error", "-c", program, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    assert json.loads(done.stdout) == outputs(tmp_path, "here.csv")
