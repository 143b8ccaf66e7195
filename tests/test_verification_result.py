# SPDX-License-Identifier: Apache-2.0
"""What a verification says besides its verdict: the precision, why a figure is infinite, and misuse."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rainbowdp.errors import UsageError
from rainbowdp.exact import NormalExpression, enclose
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


@pytest.mark.parametrize(("privacy", "notion"), [(PureDP(1), "epsilon"), (GaussianDP(1), "mu")])
def test_a_stated_zero_beside_a_positive_number_is_named(privacy: PureDP | GaussianDP, notion: str) -> None:
    mechanism = stated([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]], labels=["sure", "fair", "fine"])
    graph = graph_of(3, [(1, 2), (0, 1)])
    found = verify(mechanism, graph, privacy)
    assert found.upper == np.inf
    assert found.why_infinite == (
        "'b' is written 0 at 'sure' and 0.5 at its neighbor 'fair': "
        f"if 0 is meant, no finite {notion} is enough"
    )
    assert verify(mechanism, graph, ApproxDP(1, "1/2")).why_infinite is None


@pytest.mark.parametrize("privacy", [PureDP(1000), GaussianDP(100)])
def test_a_number_too_close_to_zero_is_named(privacy: PureDP | GaussianDP) -> None:
    tiny = 1e-301
    apart = stated([[1.0, tiny], [1.0, 2 * tiny]], labels=["x", "y"])
    found = verify(apart, PAIR, privacy)
    assert found.holds
    assert found.upper == np.inf
    assert found.why_infinite is not None
    assert f"'b' is written {tiny:g} at 'x' and {2 * tiny:g} at its neighbor 'y'" in found.why_infinite
    assert "too close to 0" in found.why_infinite
    twins = stated([[1.0, tiny]], codes=np.array([0, 0]), labels=["x", "y"])
    shared = verify(twins, PAIR, privacy)
    assert shared.upper == np.inf
    assert shared.why_infinite is not None
    assert f"'b' is written {tiny:g} at 'x'" in shared.why_infinite


@pytest.mark.parametrize("privacy", [PureDP(1), GaussianDP(1)])
def test_an_exact_zero_beside_a_positive_number_is_named(privacy: PureDP | GaussianDP) -> None:
    rows = [{"a": "1/2", "b": "1/2"}, {"a": "1", "b": "0"}]
    found = verify(Mechanism.from_table(["a>b"] * 2, rows, labels=["fair", "sure"]), PAIR, privacy)
    assert not found.holds
    assert found.lower == np.inf
    assert found.why_infinite is not None
    assert "'b' has probability 0 at 'sure' and more at its neighbor 'fair'" in found.why_infinite
    written = stated([[0.5, 0.5], [1.0, 0.0]])
    strict = verify(written, PAIR, privacy, strict=True)
    assert strict.why_infinite is not None
    assert "'b' is written 0 at '1' and 0.5 at its neighbor '0'" in strict.why_infinite


def test_a_probability_that_is_not_told_from_zero_is_said_to_be_the_reason() -> None:
    # The two terms are closer to each other than 4096 bits show.
    limit = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1))
    near = enclose(limit, 5000)[0]
    rest = limit - near
    rows: list[dict[str, Any]] = [{"a": rest, "b": 1 - rest}, {"a": "1/4", "b": "3/4"}]
    mechanism = Mechanism(
        colors=("a", "b"),
        codes=np.arange(2, dtype=np.int32),
        class_rainbow=Mechanism.from_table(["a>b"] * 2, [{"a": 1, "b": 0}] * 2).class_rainbow,
        class_distance=[None, None],  # type: ignore[arg-type]  # masked by the mechanism itself
        rows=tuple(map(_trusted, rows)),
        precision="float64",
    )
    found = verify(mechanism, PAIR, GaussianDP(1))
    assert found.upper == np.inf
    assert found.why_infinite is not None
    assert "4096 bits" in found.why_infinite


def _trusted(row: dict[str, Any]) -> Any:  # noqa: ANN401 - a distribution of any numbers
    from rainbowdp.distribution import Distribution

    return Distribution.trusted(
        {color: Fraction(value) if isinstance(value, str) else value for color, value in row.items()}
    )


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
