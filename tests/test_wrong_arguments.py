# SPDX-License-Identifier: Apache-2.0
"""An argument of the wrong kind is refused with its name and with help, and its content is not shown."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rainbowdp as rdp
from rainbowdp.boundary import check_boundary, uniform
from rainbowdp.distribution import dominates
from rainbowdp.errors import NumberError, RainbowError, UsageError
from rainbowdp.formats import read_boundary, write_boundary_graph
from rainbowdp.graph import boundary_morphism
from rainbowdp.plots import plot_solution
from rainbowdp.sampling import sample_distribution
from rainbowdp.verification import verify

GRAPH = rdp.RainbowGraph.from_edges([("a", "b"), ("b", "c")], {"a": "b>r", "b": "b>r", "c": "r>b"})
PRIVACY = rdp.PureDP("ln 2")
MECHANISM = rdp.optimal_mechanism(GRAPH, PRIVACY, "uniform")
HALF = rdp.Distribution({"b": "1/2", "r": "1/2"})
LINE = rdp.Line("b>r", HALF, PRIVACY)

Call = Callable[[Any], object]
WRONG: list[tuple[Call, object, str]] = [
    (
        lambda odd: rdp.optimal_mechanism(GRAPH, odd, "uniform"),
        1.0,
        "`privacy` must be a PureDP, .* is a float",
    ),
    (lambda odd: verify(MECHANISM, odd, PRIVACY), "g.csv", "`graph` must be .* and is"),
    (lambda odd: verify(MECHANISM, GRAPH, odd), 1, "`privacy` must be a PureDP"),
    (lambda odd: verify(odd, GRAPH, PRIVACY), GRAPH, "`mechanism` must be a Mechanism"),
    (lambda odd: verify(MECHANISM, GRAPH, PRIVACY, odd), "yes", "`strict` must be"),
    (lambda odd: check_boundary(odd, GRAPH, PRIVACY), {}, "`condition` must be a BoundaryCondition"),
    (lambda odd: sample_distribution(HALF, odd), 1.0, r"1\.0 is not a number of draws"),
    (lambda odd: rdp.sample(MECHANISM, "a", bits=odd), 7, "`bits` must be a source of random bits"),
    (uniform, GRAPH.structure, "`graph` must be a RainbowGraph, and is a DatasetGraph"),
    (lambda odd: rdp.read_neighbors(__file__, None, odd), "3", "is not a number of datasets"),
    (lambda odd: rdp.read_neighbors(__file__, None, odd), 2**31, "is not a number of datasets"),
    *(
        (lambda odd: rdp.read_neighbors("pairs.csv", odd, 3), odd, "label")
        for odd in ("abc", ["a", "b"], np.array(3))
    ),
]


@pytest.mark.parametrize(("call", "value", "what"), WRONG)
def test_a_wrong_kind_is_named_with_the_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call, value: object, what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text("source,target\na,b\nb,c\n")
    with pytest.raises(RainbowError, match=what) as caught:
        call(value)
    assert caught.value.help


@pytest.mark.parametrize(
    "call",
    [
        read_boundary,
        rdp.read_graph,
        lambda odd: rdp.read_graph(__file__, odd),
        rdp.read_mechanism,
        lambda odd: rdp.read_mechanism(__file__, classes=odd),
        lambda odd: rdp.read_neighbors(odd, None, 3),
        lambda odd: write_boundary_graph(odd, boundary_morphism(GRAPH)),
        lambda odd: rdp.write_mechanism(odd, MECHANISM, exact=False),
        lambda odd: rdp.write_mechanism("m.csv", MECHANISM, exact=False, classes=odd),
        lambda odd: plot_solution(GRAPH, MECHANISM, odd),
    ],
)
def test_what_is_not_the_name_of_a_file_is_refused(call: Call) -> None:
    with pytest.raises(UsageError, match="must be the name of a file, as text or Path, and is") as caught:
        call(b"m.csv")
    assert caught.value.help.startswith("write for example ")


@pytest.mark.parametrize("name", ["", "\0", "a" * 5000 + ".csv", "no/such/place.csv", "\ud800.csv"])
def test_a_name_that_no_file_can_have_is_an_error_of_ours(name: str) -> None:
    for call in (read_boundary, rdp.read_graph, rdp.read_mechanism):
        with pytest.raises(RainbowError) as caught:
            call(name)
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
