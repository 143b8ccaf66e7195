# SPDX-License-Identifier: Apache-2.0
"""rainbowdp: the best answer that differential privacy allows to a question with finitely many answers.

Datasets are nodes of a graph, neighbors are joined, every dataset ranks the possible answers (its rainbow).
Once the distribution is fixed where regions of different rainbows meet, the optimal mechanism everywhere else
is a closed form of the distance to that boundary. This package solves, checks and samples it exactly.

Examples
--------
>>> import rainbowdp as rdp
>>> graph = rdp.RainbowGraph.from_edges(
...     edges=[("a", "b"), ("b", "c")],
...     rainbows={"a": "blue>red", "b": "blue>red", "c": "red>blue"},
... )
>>> privacy = rdp.PureDP("ln 2")
>>> mechanism = rdp.optimal_mechanism(graph, privacy, "uniform")
>>> mechanism.distribution("a")
Distribution(blue=3/4, red=1/4)
>>> rdp.verify(mechanism, graph, privacy).holds
True
>>> rdp.sample(mechanism, "a")[0] in {"blue", "red"}
True
"""

from rainbowdp.boundary import (
    BoundaryCondition,
    check_boundary,
    from_datasets,
    given,
    max_min,
    randomized_response,
    uniform,
)
from rainbowdp.distribution import Distribution, dominates, prefix_dominates
from rainbowdp.errors import RainbowError
from rainbowdp.formats import (
    read_boundary,
    read_graph,
    read_mechanism,
    read_neighbors,
    write_boundary_graph,
    write_mechanism,
)
from rainbowdp.graph import (
    BoundaryMorphism,
    DatasetGraph,
    Family,
    RainbowGraph,
    boundary_morphism,
    check_morphism,
    check_rainbow_preserving,
    cycle,
    grid,
    hamming,
    histograms,
    hypercube,
    path,
)
from rainbowdp.line import Line
from rainbowdp.mechanism import (
    Mechanism,
    check_homogeneous,
    check_order_reasonable,
    mechanism_dominates,
    pullback,
)
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.optimality import check_optimal
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow
from rainbowdp.sampling import sample, sample_all, sample_distribution
from rainbowdp.verification import Verification, verify

__version__ = "0.1.0"

__all__ = [
    "ApproxDP",
    "BoundaryCondition",
    "BoundaryMorphism",
    "DatasetGraph",
    "Distribution",
    "Family",
    "GaussianDP",
    "Line",
    "Mechanism",
    "Privacy",
    "PureDP",
    "Rainbow",
    "RainbowError",
    "RainbowGraph",
    "Verification",
    "boundary_morphism",
    "check_boundary",
    "check_homogeneous",
    "check_morphism",
    "check_optimal",
    "check_order_reasonable",
    "check_rainbow_preserving",
    "cycle",
    "dominates",
    "from_datasets",
    "given",
    "grid",
    "hamming",
    "histograms",
    "hypercube",
    "max_min",
    "mechanism_dominates",
    "optimal_mechanism",
    "path",
    "prefix_dominates",
    "pullback",
    "randomized_response",
    "read_boundary",
    "read_graph",
    "read_mechanism",
    "read_neighbors",
    "sample",
    "sample_all",
    "sample_distribution",
    "uniform",
    "verify",
    "write_boundary_graph",
    "write_mechanism",
]
