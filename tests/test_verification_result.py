# SPDX-License-Identifier: Apache-2.0
"""What a verification says besides its verdict: the precision, why a figure is infinite, and misuse."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UsageError
from rainbowdp.exact import Exact, NormalExpression, enclose
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from rainbowdp.verification import verify
from small_problems import graph_of

PAIR = graph_of(2, [(0, 1)])


def stated(rows: list[list[float]], **more: Any) -> Mechanism:  # noqa: ANN401 - options of another function
    return Mechanism.from_table(["a>b"] * len(rows), np.array(rows), **more)


def test_stated_decimals_are_said_to_be_judged_within_their_precision() -> None:
    mechanism = stated([[0.7, 0.3], [0.6, 0.4]])
    found = verify(mechanism, PAIR, PureDP(1))
    assert found.stated
    assert found.judged_within == (
        "the stated precision: v stands for every number within v (1 ± 1e-12) ± 1e-300"
    )
    assert found.why_infinite is None
    assert verify(mechanism, PAIR, PureDP(1), strict=True).judged_within is None


@pytest.mark.parametrize(("privacy", "notion"), [(PureDP(600), "epsilon"), (GaussianDP(5), "mu")])
def test_a_stated_zero_beside_a_positive_number_is_named(privacy: PureDP | GaussianDP, notion: str) -> None:
    mechanism = stated([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]], labels=["sure", "fair", "fine"])
    graph = graph_of(3, [(1, 2), (0, 1)])
    found = verify(mechanism, graph, privacy)
    assert (found.holds, found.upper) == (False, np.inf)
    assert found.why_infinite == (
        "'b' is written 0 at 'sure' and 0.5 at its neighbor 'fair': "
        f"if 0 is meant, no finite {notion} is enough"
    )
    strict = verify(mechanism, graph, privacy, strict=True)
    assert strict.why_infinite == found.why_infinite
    assert verify(mechanism, graph, ApproxDP(1, "1/2")).why_infinite is None


@pytest.mark.parametrize("privacy", [PureDP(1000), GaussianDP(100)])
def test_a_number_too_close_to_zero_is_named(privacy: PureDP | GaussianDP) -> None:
    tiny = 1e-301
    apart = stated([[1.0, tiny], [1.0, 2 * tiny]], labels=["x", "y"])
    twins = stated([[1.0, tiny]], codes=np.array([0, 0]), labels=["x", "y"])
    for mechanism, there in ((apart, f" and {2 * tiny:g} at its neighbor 'y'"), (twins, "")):
        found = verify(mechanism, PAIR, privacy)
        assert (found.holds, found.upper) == (True, np.inf)
        assert found.why_infinite is not None
        assert f"'b' is written {tiny:g} at 'x'{there}" in found.why_infinite
        assert "too close to 0" in found.why_infinite


@pytest.mark.parametrize("privacy", [PureDP(50), ApproxDP(50, "1/10"), GaussianDP(20)])
def test_an_exact_zero_beside_a_positive_number_is_named(privacy: PureDP | ApproxDP | GaussianDP) -> None:
    rows = [{"a": "1/2", "b": "1/2"}, {"a": "1", "b": "0"}]
    found = verify(Mechanism.from_table(["a>b"] * 2, rows, labels=["fair", "sure"]), PAIR, privacy)
    witness = found.witness
    assert witness is not None
    assert (witness.source, witness.target, witness.event) == ("fair", "sure", ("b",))
    assert witness.probability == Fraction(1, 2)
    if not isinstance(privacy, ApproxDP):
        assert found.lower == np.inf
        assert "'b' has probability 0 at 'sure' and more at its neighbor 'fair'" in (found.why_infinite or "")


def test_a_probability_that_is_not_told_from_zero_is_said_to_be_the_reason() -> None:
    # The two terms are closer to each other than 4096 bits show.
    limit = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1))
    near = enclose(limit, 5000)[0]
    rest = limit - near
    table: list[dict[str, Exact]] = [{"a": rest, "b": 1 - rest}, {"a": Fraction(1, 4), "b": Fraction(3, 4)}]
    rows = tuple(map(Distribution.trusted, table))
    mechanism = replace(Mechanism.from_table(["a>b"] * 2, table[1:] * 2), rows=rows, precision="float64")
    found = verify(mechanism, PAIR, GaussianDP(1))
    assert found.upper == np.inf
    assert found.why_infinite is not None
    assert "4096 bits" in found.why_infinite


MECHANISM = stated([[0.7, 0.3], [0.6, 0.4]])


@pytest.mark.parametrize(
    ("arguments", "named", "hint"),
    [
        ((MECHANISM, "graph.csv", PureDP(1)), "graph", "DatasetGraph"),
        ((MECHANISM, PAIR, 1), "privacy", "PureDP"),
        ((PAIR, MECHANISM, PureDP(1)), "mechanism", "optimal_mechanism"),
        ((MECHANISM, PAIR, PureDP(1), "yes"), "strict", "bool"),
    ],
)
def test_arguments_of_another_kind_are_misuse(arguments: tuple[Any, ...], named: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        verify(*arguments)
    assert f"`{named}`" in caught.value.what
    assert hint in caught.value.help
