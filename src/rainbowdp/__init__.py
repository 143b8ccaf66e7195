# SPDX-License-Identifier: Apache-2.0
"""rainbowdp: differentially private answers to questions with finitely many answers, exact and verified.

Datasets are nodes of a graph, neighbors are joined, every dataset ranks the possible answers (its rainbow).
Once the distribution is fixed where regions of different rainbows meet, the optimal mechanism with this
boundary is a closed form of the distance to it. This package solves, checks and samples it exactly.

For questions about a table of people, `ask` draws one answer by the mechanism of a goal, see
`rainbowdp.goals`.

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

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from rainbowdp.ledger import open_ledger
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
    from rainbowdp.planning import plan
    from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
    from rainbowdp.questions import (
        bracket,
        check_question,
        level,
        ranking,
        scores,
        winner,
        yes_no,
    )
    from rainbowdp.rainbow import Rainbow
    from rainbowdp.release import ask, ask_keys, verify_receipt
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
    "ask",
    "ask_keys",
    "boundary_morphism",
    "bracket",
    "check_boundary",
    "check_homogeneous",
    "check_morphism",
    "check_optimal",
    "check_order_reasonable",
    "check_question",
    "check_rainbow_preserving",
    "cycle",
    "dominates",
    "from_datasets",
    "given",
    "grid",
    "hamming",
    "histograms",
    "hypercube",
    "level",
    "max_min",
    "mechanism_dominates",
    "open_ledger",
    "optimal_mechanism",
    "path",
    "plan",
    "prefix_dominates",
    "pullback",
    "randomized_response",
    "ranking",
    "read_boundary",
    "read_graph",
    "read_mechanism",
    "read_neighbors",
    "sample",
    "sample_all",
    "sample_distribution",
    "scores",
    "uniform",
    "verify",
    "verify_receipt",
    "winner",
    "write_boundary_graph",
    "write_mechanism",
    "yes_no",
]

# Where each public name lives. A module is loaded when one of its names is first used, so that `import
# rainbowdp` and `rainbowdp --help` do not wait for numpy.
_HOMES = {
    name: module
    for module, names in {
        "rainbowdp.boundary": (
            "BoundaryCondition check_boundary from_datasets given max_min randomized_response uniform"
        ),
        "rainbowdp.distribution": "Distribution dominates prefix_dominates",
        "rainbowdp.errors": "RainbowError",
        "rainbowdp.formats": (
            "read_boundary read_graph read_mechanism read_neighbors write_boundary_graph write_mechanism"
        ),
        "rainbowdp.graph": (
            "BoundaryMorphism DatasetGraph Family RainbowGraph boundary_morphism check_morphism "
            "check_rainbow_preserving cycle grid hamming histograms hypercube path"
        ),
        "rainbowdp.ledger": "open_ledger",
        "rainbowdp.line": "Line",
        "rainbowdp.mechanism": (
            "Mechanism check_homogeneous check_order_reasonable mechanism_dominates pullback"
        ),
        "rainbowdp.optimal": "optimal_mechanism",
        "rainbowdp.optimality": "check_optimal",
        "rainbowdp.planning": "plan",
        "rainbowdp.privacy": "ApproxDP GaussianDP Privacy PureDP",
        "rainbowdp.questions": ("bracket check_question level ranking scores winner yes_no"),
        "rainbowdp.rainbow": "Rainbow",
        "rainbowdp.release": "ask ask_keys verify_receipt",
        "rainbowdp.sampling": "sample sample_all sample_distribution",
        "rainbowdp.verification": "Verification verify",
    }.items()
    for name in names.split()
}


if not TYPE_CHECKING:
    # Type checkers see the imports above instead, and so still find a misspelt name.

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'rainbowdp' has no attribute {name!r}")
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
