# SPDX-License-Identifier: Apache-2.0
"""Copies and unpickled values are as frozen as the originals."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rainbowdp import GaussianDP, Mechanism, PureDP, RainbowGraph, optimal_mechanism, verify
from rainbowdp.boundary import randomized_response
from rainbowdp.families import path
from rainbowdp.graph import DatasetGraph
from rainbowdp.planning import plan
from rainbowdp.questions import winner

GRAPH = RainbowGraph.from_edges([("x", "y"), ("y", "z")], {"x": "a>b", "y": "a>b", "z": "b>a"})


def pickled(value: object) -> object:
    """Return what comes out of pickle again."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - the test's own bytes


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickled])
@pytest.mark.parametrize("privacy", [PureDP(1), PureDP("ln 2"), GaussianDP(1)], ids=str)
def test_copies_are_equal_and_read_only(copied: Callable[[Any], Any], privacy: PureDP | GaussianDP) -> None:
    graph: RainbowGraph = copied(GRAPH)
    with pytest.raises(ValueError, match="read-only"):
        graph.regions[0] = 1
    structure: DatasetGraph = copied(GRAPH.structure)
    with pytest.raises(ValueError, match="read-only"):
        structure.indices[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        copied(path(3)).values[0] = 1
    condition = copied(randomized_response(GRAPH, privacy))
    mechanism: Mechanism = copied(optimal_mechanism(graph, privacy, condition))
    with pytest.raises(ValueError, match="read-only"):
        mechanism.codes[0] = 1
    assert verify(mechanism, GRAPH, privacy).holds
    assert np.array_equal(mechanism.table, optimal_mechanism(GRAPH, privacy, "randomized-response").table)


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickled])
@pytest.mark.parametrize("privacy", [PureDP("0.1"), GaussianDP("0.3")], ids=str)
def test_copies_of_plans_tell_the_same(copied: Callable[[Any], Any], privacy: PureDP | GaussianDP) -> None:
    found = plan(winner("vote", ["A", "B", "C"]), privacy, groups=3)
    again = copied(found)
    assert str(again) == str(found)
    assert again == found == plan(winner("vote", ["A", "B", "C"]), privacy, groups=3)
    assert found != plan(winner("vote", ["A", "B", "C"]), privacy, groups=4)
