# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments of what reads, writes and draws files: refused by name, with a way on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rainbowdp.errors import GraphShapeError, RainbowError, UsageError
from rainbowdp.formats import (
    read_boundary,
    read_graph,
    read_mechanism,
    read_neighbors,
    write_boundary_graph,
    write_mechanism,
)
from rainbowdp.graph import RainbowGraph, boundary_morphism
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.plots import plot_solution
from rainbowdp.privacy import PureDP

GRAPH = RainbowGraph.from_edges([("a", "b"), ("b", "c")], {"a": "b>r", "b": "b>r", "c": "r>b"})
MECHANISM = optimal_mechanism(GRAPH, PureDP("ln 2"), "uniform")
MORPHISM = boundary_morphism(GRAPH)

Call = Callable[[Any], object]


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    (tmp_path / "nodes.csv").write_text("dataset,rainbow\na,b>r\nb,b>r\nc,r>b\n")
    (tmp_path / "pairs.csv").write_text("source,target\na,b\nb,c\n")
    return tmp_path / "nodes.csv"


@pytest.mark.parametrize(
    "call",
    [
        read_boundary,
        read_graph,
        lambda odd: read_graph(__file__, odd),
        read_mechanism,
        lambda odd: read_neighbors(odd, None, 3),
        lambda odd: write_boundary_graph(odd, MORPHISM),
        lambda odd: read_mechanism(__file__, classes=odd),
        lambda odd: write_mechanism(odd, MECHANISM, exact=False),
        lambda odd: write_mechanism("m.csv", MECHANISM, exact=False, classes=odd),
        lambda odd: plot_solution(GRAPH, MECHANISM, odd),
    ],
)
def test_what_is_no_name_of_a_file_is_refused(call: Call) -> None:
    with pytest.raises(UsageError, match="must be the name of a file, as text or Path, and is") as caught:
        call(b"m.csv")
    assert caught.value.help.startswith("write for example ")


@pytest.mark.parametrize("size", ["3", 2**31])
def test_a_number_of_datasets_that_is_none_is_refused(nodes: Path, size: Any) -> None:  # noqa: ANN401 - wrong on purpose
    with pytest.raises(UsageError, match="is not a number of datasets"):
        read_neighbors(nodes.with_name("pairs.csv"), None, size)


@pytest.mark.parametrize("labels", ["abc", ["a", "b"], np.array(3)])
def test_labels_that_do_not_fit_are_refused(nodes: Path, labels: Any) -> None:  # noqa: ANN401 - wrong on purpose
    with pytest.raises(GraphShapeError, match="label"):
        read_neighbors(nodes.with_name("pairs.csv"), labels, 3)


@pytest.mark.parametrize("name", ["", "\0", "a" * 5000 + ".csv", "no/such/place.csv", "\ud800.csv"])
def test_a_name_that_no_file_can_have_is_an_error_of_ours(name: str) -> None:
    for call in (read_boundary, read_graph, read_mechanism):
        with pytest.raises(RainbowError) as caught:
            call(name)
        assert caught.value.help
