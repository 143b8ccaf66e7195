# SPDX-License-Identifier: Apache-2.0
"""One rule for wrong arguments: each call works, or ends in an error with help that its docstring announces.

Every argument of some public callables is replaced by each of some odd values in turn; a bare `TypeError` or
`AttributeError` from inside may not come out of any.
"""

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import rainbowdp as rdp
from rainbowdp.boundary import BoundaryCondition, check_boundary, given, max_min, randomized_response, uniform
from rainbowdp.distribution import dominates
from rainbowdp.errors import GraphShapeError, NumberError, UsageError
from rainbowdp.families import grid, hamming, histograms, path
from rainbowdp.graph import DatasetGraph, boundary_morphism
from rainbowdp.mechanism import check_homogeneous, pullback
from rainbowdp.optimality import check_optimal
from rainbowdp.sampling import sample_distribution
from test_public_docstrings import sections

GRAPH = rdp.RainbowGraph.from_edges([("a", "b"), ("b", "c")], {"a": "b>r", "b": "b>r", "c": "r>b"})
PAIRS = {"source": [0, 1], "target": [1, 2]}
STRUCTURE = DatasetGraph.from_pairs(3, [0, 1], [1, 2])
PRIVACY = rdp.PureDP("ln 2")
MECHANISM = rdp.optimal_mechanism(GRAPH, PRIVACY, "uniform")
HALF = rdp.Distribution({"b": "1/2", "r": "1/2"})
CONDITION = uniform(GRAPH)
MORPHISM = boundary_morphism(GRAPH)
LINE = rdp.Line("b>r", HALF, PRIVACY)
FAMILY = path(3)

ODD: list[Any] = [
    *(None, True, -1, 10**30, 1.5, math.nan, 1j, "", "a>b", "1/2", b"b", Decimal("NaN")),
    *([], [None], [[1], [1, 2]], ["b", ["r"]], (1, 2), {"b"}, {}, {"b": "x", "r": None}, {"b>r": {"b": 1}}),
    *(np.array([0.5]), np.array([[1, 2]]), np.array(3), np.array(["b", "r"])),
    *(object(), int, len, rdp.Rainbow, GRAPH, MECHANISM, HALF, CONDITION, PRIVACY, LINE, FAMILY, MORPHISM),
]

Call = tuple[Callable[..., Any], dict[str, Any]]
CALLS: dict[str, Call] = {
    "ApproxDP": (rdp.ApproxDP, {"epsilon": 1, "delta": "1/10"}),
    "BoundaryCondition": (
        BoundaryCondition,
        {"distributions": CONDITION.distributions, "notes": ("n",)},
    ),
    "DatasetGraph.from_pairs": (DatasetGraph.from_pairs, {"size": 3, **PAIRS}),
    "DatasetGraph.neighbors": (STRUCTURE.neighbors, {"dataset": 1}),
    "Distribution": (rdp.Distribution, {"probabilities": {"b": 1, "r": 0}, "normalize": False}),
    "Distribution.mass": (HALF.mass, {"colors": ["b"]}),
    "GaussianDP": (rdp.GaussianDP, {"mu": 1}),
    "Line": (rdp.Line, {"rainbow": "b>r", "boundary": {"b": 1, "r": 0}, "privacy": PRIVACY}),
    "Line.distribution": (LINE.distribution, {"distance": 2, "symbolic": False}),
    "Mechanism": (
        rdp.Mechanism,
        {
            "colors": ("b", "r"),
            "codes": [0],
            "class_rainbow": (GRAPH.rainbows[0],),
            "class_distance": [None],
            "rows": [HALF],
            "precision": "exact",
            "labels": ["x"],
            "notes": (),
        },
    ),
    "Mechanism.distribution": (MECHANISM.distribution, {"dataset": "a"}),
    "Mechanism.from_table": (
        rdp.Mechanism.from_table,
        {
            "rainbows": ["b>r"],
            "table": [{"b": 1, "r": 0}],
            "colors": None,
            "codes": [0],
            "distances": [0],
            "labels": ["x"],
            "precision": "exact",
            "notes": (),
        },
    ),
    "PureDP": (rdp.PureDP, {"epsilon": 1}),
    "PureDP.admits": (PRIVACY.admits, {"p": HALF, "q": HALF}),
    "PureDP.propagate": (PRIVACY.propagate, {"mass": "1/4", "steps": 2, "symbolic": True}),
    "Rainbow": (rdp.Rainbow, {"classes": [["b"], ["r", "g"]]}),
    "Rainbow.parse": (rdp.Rainbow.parse, {"text": "b>r"}),
    "RainbowGraph.from_arrays": (
        rdp.RainbowGraph.from_arrays,
        {**PAIRS, "rainbows": ["b>r", "b>r", "r>b"], "labels": ["x", "y", "z"]},
    ),
    "RainbowGraph.from_edges": (
        rdp.RainbowGraph.from_edges,
        {"edges": [("x", "y")], "rainbows": {"x": "b>r", "y": "r>b"}},
    ),
    "check_boundary": (check_boundary, {"condition": CONDITION, "graph": GRAPH, "privacy": PRIVACY}),
    "check_homogeneous": (check_homogeneous, {"mechanism": MECHANISM, "graph": GRAPH}),
    "check_optimal": (
        check_optimal,
        {"mechanism": MECHANISM, "graph": GRAPH, "privacy": PRIVACY, "tolerance": 1e-9},
    ),
    "dominates": (dominates, {"p": HALF, "q": HALF, "rainbow": "b>r"}),
    "given": (given, {"distributions": {"b>r": {"b": 1, "r": 0}}, "normalize": False}),
    "hamming": (hamming, {"length": 2, "alphabet": 2}),
    "histograms": (histograms, {"records": 2, "options": 2, "neighbors": "change-one"}),
    "max_min": (max_min, {"graph": GRAPH, "privacy": PRIVACY}),
    "optimal_mechanism": (
        rdp.optimal_mechanism,
        {"graph": GRAPH, "privacy": PRIVACY, "boundary": "uniform"},
    ),
    "pullback": (
        pullback,
        {
            "mapping": [0, 1, 2],
            "mechanism": MECHANISM,
            "labels": ["x", "y", "z"],
            "between": (STRUCTURE, STRUCTURE),
        },
    ),
    "randomized_response": (randomized_response, {"graph": GRAPH, "privacy": PRIVACY}),
    "sample": (rdp.sample, {"mechanism": MECHANISM, "dataset": "a", "count": 2, "bits": None}),
    "sample_distribution": (sample_distribution, {"distribution": HALF, "count": 2, "bits": None}),
    "verify": (rdp.verify, {"mechanism": MECHANISM, "graph": GRAPH, "privacy": PRIVACY, "strict": False}),
}


def documented_raises(call: Callable[..., Any]) -> set[str]:
    """Return the errors that the section `Raises` of a callable names."""
    section = sections(call.__doc__ or "").get("Raises", "")
    heads = re.findall(r"^(\w+(?:, \w+)*)$", section, flags=re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def kinds_of(error: rdp.RainbowError) -> set[str]:
    """Return the names of an error's class and of those it derives from, up to `RainbowError`."""
    return {kind.__name__ for kind in type(error).__mro__ if issubclass(kind, rdp.RainbowError)} - {
        "RainbowError"
    }


def refusal(call: Callable[[], object]) -> rdp.RainbowError | None:
    """Return the error on purpose that a call ends in; any other error goes through."""
    try:
        call()
    except rdp.RainbowError as error:
        return error
    return None


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_odd_argument_works_or_is_refused_with_help(name: str) -> None:
    call, right = CALLS[name]
    # A flag is read as Python reads the truth of anything.
    for parameter in (parameter for parameter, value in right.items() if not isinstance(value, bool)):
        for odd in ODD:
            error = refusal(partial(call, **{**right, parameter: odd}))
            if error is not None:
                assert error.code != "RDP000", (parameter, odd)
                assert documented_raises(call) & kinds_of(error), (parameter, type(error).__name__)
                assert error.help, (parameter, odd)
                assert error.report()


def test_an_odd_axis_of_a_grid_is_refused() -> None:
    for odd in ODD:
        error = refusal(partial(grid, 2, odd))
        assert isinstance(error, GraphShapeError), odd
        assert "axis" in error.what or "too large" in error.what


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: rdp.optimal_mechanism(GRAPH, 1.0, "uniform"), "`privacy` must be a PureDP, .* is a float"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: check_boundary({}, GRAPH, PRIVACY), "`condition` must be a BoundaryCondition"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: sample_distribution(HALF, 1.0), r"draws cannot be 1\.0"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: rdp.sample(MECHANISM, "a", count=-1), "draws cannot be -1"),
        (lambda: rdp.sample(MECHANISM, "a", bits=7), "`bits` must be a source of random bits"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: uniform(GRAPH.structure), "`graph` must be a RainbowGraph, and is a DatasetGraph"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_a_wrong_kind_is_named_with_the_argument(call: Callable[[], object], what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        call()
    assert caught.value.help


def test_what_the_argument_holds_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        uniform(["a secret"])  # type: ignore[arg-type]  # wrong on purpose
    assert "secret" not in caught.value.report()
    with pytest.raises(NumberError, match="of the type list"):
        rdp.PureDP(["a secret"])  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("rainbow", ["b>r", rdp.Rainbow.parse("b>r"), rdp.Rainbow("b > r")])
def test_text_and_mappings_are_read_wherever_a_rainbow_or_distribution_is_meant(
    rainbow: rdp.Rainbow | str,
) -> None:
    mapping = {"b": "1/2", "r": "1/2"}
    assert rdp.Line(rainbow, mapping, PRIVACY) == LINE
    assert dominates(mapping, HALF, rainbow)
    condition: Any = {rainbow: mapping, "r>b": mapping}
    assert rdp.optimal_mechanism(GRAPH, PRIVACY, condition).distribution("a")["b"] == Fraction(3, 4)
