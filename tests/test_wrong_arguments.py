# SPDX-License-Identifier: Apache-2.0
"""An argument of the wrong kind is refused with its name and with help, and its content is not shown."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import rainbowdp as rdp
from rainbowdp.boundary import check_boundary, uniform
from rainbowdp.distribution import dominates
from rainbowdp.errors import NumberError, UsageError
from rainbowdp.sampling import sample_distribution

GRAPH = rdp.RainbowGraph.from_edges([("a", "b"), ("b", "c")], {"a": "b>r", "b": "b>r", "c": "r>b"})
PRIVACY = rdp.PureDP("ln 2")
MECHANISM = rdp.optimal_mechanism(GRAPH, PRIVACY, "uniform")
HALF = rdp.Distribution({"b": "1/2", "r": "1/2"})
LINE = rdp.Line("b>r", HALF, PRIVACY)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: rdp.optimal_mechanism(GRAPH, 1.0, "uniform"), "`privacy` must be a PureDP, .* is a float"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: check_boundary({}, GRAPH, PRIVACY), "`condition` must be a BoundaryCondition"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: sample_distribution(HALF, 1.0), r"1\.0 is not a number of draws"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: rdp.sample(MECHANISM, "a", count=-1), "-1 is not a number of draws"),
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
