# SPDX-License-Identifier: Apache-2.0
"""The public names are a promise: a change of this list is a change for every user."""

import pytest

import rainbowdp

PUBLIC = """
ApproxDP BoundaryCondition BoundaryMorphism DatasetGraph Distribution Family GaussianDP Line
Mechanism Privacy PureDP Rainbow RainbowError RainbowGraph Verification ask ask_keys
boundary_morphism bracket check_boundary check_homogeneous check_morphism check_optimal
check_order_reasonable check_question check_rainbow_preserving cycle dominates from_datasets
given grid hamming histograms hypercube level max_min mechanism_dominates open_ledger
optimal_mechanism path plan prefix_dominates pullback randomized_response ranking read_boundary
read_graph read_mechanism read_neighbors sample sample_all sample_distribution scores uniform
verify verify_receipt winner write_boundary_graph write_mechanism yes_no
"""


def test_names_come_when_they_are_asked_for() -> None:
    assert set(rainbowdp.__all__) <= set(dir(rainbowdp))
    with pytest.raises(AttributeError, match="no attribute 'lines'"):
        rainbowdp.lines  # type: ignore[attr-defined]  # noqa: B018 - the look-up is the test


def test_the_public_names_are_these_and_all_documented() -> None:
    assert rainbowdp.__all__ == PUBLIC.split()
    undocumented = [name for name in rainbowdp.__all__ if not getattr(rainbowdp, name).__doc__]
    assert undocumented == []
