# SPDX-License-Identifier: Apache-2.0
"""The public names are a promise: a change of this list is a change for every user."""

import pytest

import rainbowdp

PUBLIC = """
ApproxDP Distribution GaussianDP Line Mechanism PureDP Rainbow RainbowError RainbowGraph Range ask ask_keys
bracket check_question level open_ledger optimal_mechanism plan ranking read_boundary read_graph
read_mechanism read_neighbors sample scores verify verify_receipt winner write_mechanism yes_no
"""

BELOW = {
    module: names.split()
    for module, names in {
        "boundary": (
            "BoundaryCondition check_boundary from_datasets given max_min randomized_response uniform"
        ),
        "distribution": "dominates prefix_dominates",
        "families": "Family cycle grid hamming histograms hypercube path",
        "formats": "write_boundary_graph",
        "graph": "BoundaryMorphism DatasetGraph boundary_morphism check_morphism check_rainbow_preserving",
        "mechanism": "check_homogeneous check_order_reasonable mechanism_dominates pullback",
        "optimality": "check_optimal",
        "privacy": "Privacy",
        "sampling": "sample_all sample_distribution",
        "verification": "Verification",
    }.items()
}


def test_names_come_when_they_are_asked_for() -> None:
    assert set(rainbowdp.__all__) <= set(dir(rainbowdp))
    with pytest.raises(AttributeError, match="no attribute 'lines'"):
        rainbowdp.lines  # type: ignore[attr-defined]  # noqa: B018 - the look-up is the test


def test_the_public_names_are_these() -> None:
    assert rainbowdp.__all__ == PUBLIC.split()
