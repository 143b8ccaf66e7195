# SPDX-License-Identifier: Apache-2.0
"""One rule for wrong arguments: whatever is handed to a public name, it works or ends in an error with help.

The error is one that the section `Raises` of the name's docstring announces.

Every argument of every public callable is replaced by each of some odd values in turn. Nobody says which of
these calls may work; a bare `TypeError` or `AttributeError` from somewhere inside may not come out of any.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import UnionType
from typing import Any

import numpy as np
import pytest

import rainbowdp as rdp
from rainbowdp.errors import GraphShapeError, NumberError, UsageError
from test_public_docstrings import sections

GRAPH = rdp.RainbowGraph.from_edges([("a", "b"), ("b", "c")], {"a": "b>r", "b": "b>r", "c": "r>b"})
PAIRS = {"source": [0, 1], "target": [1, 2]}
STRUCTURE = rdp.DatasetGraph.from_pairs(3, [0, 1], [1, 2])
PRIVACY = rdp.PureDP("ln 2")
MECHANISM = rdp.optimal_mechanism(GRAPH, PRIVACY, "uniform")
HALF = rdp.Distribution({"b": "1/2", "r": "1/2"})
CONDITION = rdp.uniform(GRAPH)
MORPHISM = rdp.boundary_morphism(GRAPH)
LINE = rdp.Line("b>r", HALF, PRIVACY)
FAMILY = rdp.path(3)

ODD: list[Any] = [
    *(None, True, 0, -1, 10**30, 10**5000, -(10**5000), 1.5, math.nan, math.inf, 1j),
    *("", "a", "a>b", "1/2", "b\x00", b"b", Fraction(1, 3), Decimal("NaN")),
    *([], [None], [1.5], ["b>r"], [[1], [1, 2]], ["b", ["r"]], (), (1, 2), set(), {"b"}, {}, {1: 2}),
    *({"b": "x", "r": None}, {"b>r": 1}, {"b>r": {"b": 1}}, {None: None}),
    *(np.array([]), np.array([0.5]), np.array([[1, 2]]), np.array(3), np.float64(2), np.array(["b", "r"])),
    *(object(), int, len, rdp.Rainbow, GRAPH, MECHANISM, HALF, CONDITION, PRIVACY, LINE, FAMILY, MORPHISM),
]

Call = tuple[Callable[..., Any], dict[str, Any]]
CALLS: dict[str, Call] = {
    "ApproxDP": (rdp.ApproxDP, {"epsilon": 1, "delta": "1/10"}),
    "ApproxDP.admits": (rdp.ApproxDP(1, "1/10").admits, {"p": HALF, "q": HALF}),
    "ApproxDP.limit_ball": (rdp.ApproxDP(1, "1/10").limit_ball, {"mass": "1/4"}),
    "ApproxDP.propagate": (
        rdp.ApproxDP(1, "1/10").propagate,
        {"mass": "1/4", "steps": 2, "symbolic": False},
    ),
    "ApproxDP.threshold": (rdp.ApproxDP(1, "1/10").threshold, {"mass": "1/4"}),
    "BoundaryCondition": (
        rdp.BoundaryCondition,
        {"distributions": CONDITION.distributions, "notes": ("n",)},
    ),
    "BoundaryMorphism": (
        rdp.BoundaryMorphism,
        {
            "codes": MORPHISM.codes,
            "class_region": MORPHISM.class_region,
            "class_distance": MORPHISM.class_distance,
            "boundary_graph": MORPHISM.boundary_graph,
        },
    ),
    "DatasetGraph": (
        rdp.DatasetGraph,
        {
            "indptr": STRUCTURE.indptr,
            "indices": STRUCTURE.indices,
            "self_loops": 0,
            "repeated_pairs": 0,
        },
    ),
    "DatasetGraph.from_pairs": (rdp.DatasetGraph.from_pairs, {"size": 3, **PAIRS}),
    "DatasetGraph.joined": (STRUCTURE.joined, {"first": [0], "second": [1]}),
    "DatasetGraph.code_pairs": (STRUCTURE.code_pairs, {"codes": [0, 1, 1], "count": 2}),
    "DatasetGraph.mixed": (STRUCTURE.mixed, {"codes": [0, 1, 1]}),
    "DatasetGraph.steps_from": (STRUCTURE.steps_from, {"starts": [True, False, False]}),
    "DatasetGraph.neighbors": (STRUCTURE.neighbors, {"dataset": 1}),
    "Distribution": (rdp.Distribution, {"probabilities": {"b": 1, "r": 0}, "normalize": False}),
    "Distribution.mass": (HALF.mass, {"colors": ["b"]}),
    "Distribution.of": (rdp.Distribution.of, {"value": {"b": 1}}),
    "Distribution.prefix_masses": (HALF.prefix_masses, {"rainbow": "b>r"}),
    "Distribution.require_colors": (HALF.require_colors, {"rainbow": "b>r"}),
    "Distribution.share": (HALF.share, {"color": "b", "group": ["b", "r"]}),
    "Distribution.shares": (HALF.shares, {"group": ["b", "r"]}),
    "Family": (rdp.Family, {"structure": FAMILY.structure, "values": FAMILY.values}),
    "Family.index_of": (FAMILY.index_of, {"values_row": [1]}),
    "Family.rainbow_graph": (FAMILY.rainbow_graph, {"palette": ["b>r", "r>b"], "codes": [0, 0, 1]}),
    "Family.rows": (FAMILY.rows, {"start": 0, "stop": 2}),
    "GaussianDP": (rdp.GaussianDP, {"mu": 1}),
    "GaussianDP.admits": (rdp.GaussianDP(1).admits, {"p": HALF, "q": HALF}),
    "GaussianDP.limit_ball": (rdp.GaussianDP(1).limit_ball, {"mass": "1/4"}),
    "GaussianDP.propagate": (rdp.GaussianDP(1).propagate, {"mass": "1/4", "steps": 1, "symbolic": False}),
    "Line": (rdp.Line, {"rainbow": "b>r", "boundary": {"b": 1, "r": 0}, "privacy": PRIVACY}),
    "Line.distance_for": (LINE.distance_for, {"probability": "0.9"}),
    "Line.distribution": (LINE.distribution, {"distance": 2, "symbolic": False}),
    "Line.prefix_masses": (LINE.prefix_masses, {"distance": 2, "symbolic": True}),
    "Line.probabilities": (LINE.probabilities, {"distances": [0, 1]}),
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
    "Mechanism.index": (MECHANISM.index, {"label": "a"}),
    "Mechanism.label": (MECHANISM.label, {"dataset": 0}),
    "Mechanism.rainbow_of": (MECHANISM.rainbow_of, {"dataset": "a"}),
    "PureDP": (rdp.PureDP, {"epsilon": 1}),
    "PureDP.admits": (PRIVACY.admits, {"p": HALF, "q": HALF}),
    "PureDP.limit_ball": (PRIVACY.limit_ball, {"mass": "1/4"}),
    "PureDP.propagate": (PRIVACY.propagate, {"mass": "1/4", "steps": 2, "symbolic": True}),
    "PureDP.threshold": (PRIVACY.threshold, {"mass": "1/4"}),
    "Rainbow": (rdp.Rainbow, {"classes": [["b"], ["r", "g"]]}),
    "Rainbow.class_of": (rdp.Rainbow("b>r").class_of, {"color": "b"}),
    "Rainbow.of": (rdp.Rainbow.of, {"value": "b>r"}),
    "Rainbow.parse": (rdp.Rainbow.parse, {"text": "b>r"}),
    "RainbowGraph": (
        rdp.RainbowGraph,
        {
            "structure": STRUCTURE,
            "rainbows": GRAPH.rainbows,
            "regions": GRAPH.regions,
            "labels": ["x", "y", "z"],
        },
    ),
    "RainbowGraph.from_arrays": (
        rdp.RainbowGraph.from_arrays,
        {**PAIRS, "rainbows": ["b>r", "b>r", "r>b"], "labels": ["x", "y", "z"]},
    ),
    "RainbowGraph.from_codes": (
        rdp.RainbowGraph.from_codes,
        {
            "structure": STRUCTURE,
            "palette": ["b>r", "r>b"],
            "codes": [0, 0, 1],
            "labels": ["x", "y", "z"],
        },
    ),
    "RainbowGraph.from_edges": (
        rdp.RainbowGraph.from_edges,
        {"edges": [("x", "y")], "rainbows": {"x": "b>r", "y": "r>b"}},
    ),
    "RainbowGraph.from_networkx": (rdp.RainbowGraph.from_networkx, {"graph": None, "attribute": "rainbow"}),
    "RainbowGraph.from_scipy": (
        rdp.RainbowGraph.from_scipy,
        {"matrix": None, "rainbows": ["b>r", "r>b"], "labels": None},
    ),
    "RainbowGraph.index": (GRAPH.index, {"label": "a"}),
    "RainbowGraph.label": (GRAPH.label, {"dataset": 0}),
    "RainbowGraph.rainbow_of": (GRAPH.rainbow_of, {"dataset": 0}),
    "RainbowGraph.region": (GRAPH.region, {"rainbow": "b>r"}),
    "boundary_morphism": (rdp.boundary_morphism, {"graph": GRAPH}),
    "check_boundary": (rdp.check_boundary, {"condition": CONDITION, "graph": GRAPH, "privacy": PRIVACY}),
    "check_homogeneous": (rdp.check_homogeneous, {"mechanism": MECHANISM, "graph": GRAPH}),
    "check_morphism": (
        rdp.check_morphism,
        {"mapping": [0, 1, 2], "source": STRUCTURE, "target": STRUCTURE},
    ),
    "check_optimal": (
        rdp.check_optimal,
        {"mechanism": MECHANISM, "graph": GRAPH, "privacy": PRIVACY, "tolerance": 1e-9},
    ),
    "check_order_reasonable": (
        rdp.check_order_reasonable,
        {"utility": lambda mechanism: mechanism.size, "mechanisms": [MECHANISM, MECHANISM]},
    ),
    "check_rainbow_preserving": (
        rdp.check_rainbow_preserving,
        {"mapping": [0, 1, 2], "source": GRAPH, "target": GRAPH},
    ),
    "cycle": (rdp.cycle, {"size": 3}),
    "dominates": (rdp.dominates, {"p": HALF, "q": HALF, "rainbow": "b>r"}),
    "from_datasets": (rdp.from_datasets, {"graph": GRAPH, "distributions": {"b": HALF}}),
    "given": (rdp.given, {"distributions": {"b>r": {"b": 1, "r": 0}}, "normalize": False}),
    "hamming": (rdp.hamming, {"length": 2, "alphabet": 2}),
    "histograms": (rdp.histograms, {"records": 2, "options": 2, "neighbors": "change-one"}),
    "hypercube": (rdp.hypercube, {"dimensions": 2}),
    "max_min": (rdp.max_min, {"graph": GRAPH, "privacy": PRIVACY}),
    "mechanism_dominates": (rdp.mechanism_dominates, {"first": MECHANISM, "second": MECHANISM}),
    "optimal_mechanism": (
        rdp.optimal_mechanism,
        {"graph": GRAPH, "privacy": PRIVACY, "boundary": "uniform"},
    ),
    "path": (rdp.path, {"size": 3}),
    "prefix_dominates": (rdp.prefix_dominates, {"p": HALF, "q": HALF, "rainbow": "b>r"}),
    "pullback": (
        rdp.pullback,
        {
            "mapping": [0, 1, 2],
            "mechanism": MECHANISM,
            "labels": ["x", "y", "z"],
            "between": (STRUCTURE, STRUCTURE),
        },
    ),
    "randomized_response": (rdp.randomized_response, {"graph": GRAPH, "privacy": PRIVACY}),
    "sample": (rdp.sample, {"mechanism": MECHANISM, "dataset": "a", "count": 2, "bits": None}),
    "sample_all": (rdp.sample_all, {"mechanism": MECHANISM, "datasets": ["a"], "bits": None}),
    "sample_distribution": (rdp.sample_distribution, {"distribution": HALF, "count": 2, "bits": None}),
    "uniform": (rdp.uniform, {"graph": GRAPH}),
    "verify": (rdp.verify, {"mechanism": MECHANISM, "graph": GRAPH, "privacy": PRIVACY, "strict": False}),
}
# Files are tested with the files; questions, tables, plans, budgets with theirs. Errors are what comes out,
# and `verify` alone makes a `Verification`.
ELSEWHERE = {
    *("read_boundary", "read_graph", "read_mechanism", "read_neighbors", "write_boundary_graph"),
    *("write_mechanism", "Verification", "RainbowError", "grid", "Privacy"),
    *("winner", "ranking", "yes_no", "level", "bracket", "scores", "check_question"),
    *("ask", "ask_keys", "verify_receipt", "plan", "open_ledger"),
}


def callables() -> Iterator[str]:
    """Yield the public names, and those methods of public classes that take arguments."""
    for name in rdp.__all__:
        yield name
        value = getattr(rdp, name)
        for method in () if isinstance(value, UnionType) or not inspect.isclass(value) else dir(value):
            found = getattr(value, method)
            if (
                not method.startswith("_")
                and (inspect.isfunction(found) or inspect.ismethod(found))
                and found.__module__.startswith("rainbowdp")
                and set(inspect.signature(found).parameters) - {"self"}
            ):
                yield f"{name}.{method}"


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


def test_no_public_callable_is_forgotten() -> None:
    known = {name for name in callables() if name.partition(".")[0] not in {"RainbowError", "Verification"}}
    assert known - ELSEWHERE == {*CALLS, "Distribution.trusted"}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_odd_argument_works_or_is_refused_with_help(name: str) -> None:
    call, right = CALLS[name]
    # A flag is read as Python reads the truth of anything.
    for parameter in (parameter for parameter, value in right.items() if not isinstance(value, bool)):
        for odd in ODD:
            if parameter == "utility" and callable(odd):
                # What goes wrong in a caller's own function is the caller's.
                continue
            error = refusal(partial(call, **{**right, parameter: odd}))
            if error is not None:
                assert error.code != "RDP000", (parameter, odd)
                assert documented_raises(call) & kinds_of(error), (parameter, type(error).__name__)
                assert error.help, (parameter, odd)
                assert error.report()


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_an_odd_axis_of_a_grid_is_refused(odd: object) -> None:
    error = refusal(lambda: rdp.grid(2, odd))  # type: ignore[arg-type]  # the point of the test
    assert isinstance(error, GraphShapeError)
    assert "axis" in error.what or "too large" in error.what


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: rdp.optimal_mechanism(GRAPH, 1.0, "uniform"), "`privacy` must be a PureDP, .* is a float"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: rdp.check_boundary({}, GRAPH, PRIVACY), "`condition` must be a BoundaryCondition"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: rdp.sample_distribution(HALF, 1.0), r"draws cannot be 1\.0"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: rdp.sample(MECHANISM, "a", count=-1), "draws cannot be -1"),
        (lambda: rdp.sample(MECHANISM, "a", bits=7), "`bits` must be a source of random bits"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: rdp.uniform(GRAPH.structure), "`graph` must be a RainbowGraph, and is a DatasetGraph"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_a_wrong_kind_is_named_with_the_argument(call: Callable[[], object], what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        call()
    assert caught.value.help


def test_what_the_argument_holds_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        rdp.uniform(["a secret"])  # type: ignore[arg-type]  # wrong on purpose
    assert "secret" not in caught.value.report()
    with pytest.raises(NumberError, match="of the type list"):
        rdp.PureDP(["a secret"])  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("build", [lambda: rdp.hamming(10**9, 1), lambda: rdp.histograms(0, 10**9)])
def test_a_family_that_cannot_fit_is_refused_with_the_limit(build: Callable[[], object]) -> None:
    with pytest.raises(GraphShapeError, match=r"too large.*: the limit is"):
        build()


@pytest.mark.parametrize(
    "value", [rdp.PureDP("1e-5000"), rdp.ApproxDP("ln 3", "1e-5000"), rdp.GaussianDP("1e-5000")]
)
def test_numbers_of_any_length_have_a_text(value: rdp.Privacy) -> None:
    assert "1/1000" in repr(value)
    assert "1/1000" in str(value)


def test_what_is_computed_with_long_numbers_has_a_text() -> None:
    privacy = rdp.PureDP("ln(1.2345678901)")
    violation = privacy.admits(rdp.Line("b>r", HALF, privacy).distribution(1000), HALF).violation
    assert violation is not None
    assert "about" in repr(violation)
    assert repr(rdp.PureDP("ln 3")) == "PureDP('ln(3)')"
    assert eval(repr(rdp.ApproxDP("ln 3", "1/7")), vars(rdp)) == rdp.ApproxDP("ln 3", "1/7")  # noqa: S307 - of our own text


@pytest.mark.parametrize("rainbow", ["b>r", rdp.Rainbow.parse("b>r"), rdp.Rainbow("b > r")])
def test_text_and_mappings_are_read_wherever_a_rainbow_or_distribution_is_meant(
    rainbow: rdp.Rainbow | str,
) -> None:
    mapping = {"b": "1/2", "r": "1/2"}
    assert rdp.Line(rainbow, mapping, PRIVACY) == LINE
    assert rdp.dominates(mapping, HALF, rainbow)
    condition: Any = {rainbow: mapping, "r>b": mapping}
    assert rdp.optimal_mechanism(GRAPH, PRIVACY, condition).distribution("a")["b"] == Fraction(3, 4)
