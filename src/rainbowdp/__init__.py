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

import ast
import importlib
from pathlib import Path

__version__ = "0.1.0"


def _homes() -> dict[str, str]:
    """Read from the stub file beside this one which module each public name comes from."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_bytes())
    return {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


_HOMES = _homes()
__all__ = sorted(name for name, home in _HOMES.items() if home != __name__)  # noqa: PLE0605 - the stub file names them


# A module is loaded when one of its names is first used: `import rainbowdp` does not wait for numpy.
def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'rainbowdp' has no attribute {name!r}")
    home = _HOMES[name]
    if home == __name__:
        return importlib.import_module(f"{home}.{name}")
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
