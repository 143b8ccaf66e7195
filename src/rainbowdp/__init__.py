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

__version__ = "0.1.0"

_HOMES: dict[str, str] = {}


def _homes() -> dict[str, str]:
    """Return which module each public name comes from; the stub file beside this one is read when asked."""
    if not _HOMES:
        import ast
        from pathlib import Path

        stub = ast.parse(Path(__file__).with_suffix(".pyi").read_bytes())
        for node in stub.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                _HOMES.update({alias.name: node.module for alias in node.names})
    return _HOMES


# A module is loaded when one of its names is first used: `import rainbowdp` does not wait for numpy.
def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted(name for name, home in _homes().items() if home != __name__)
    if name not in _homes():
        raise AttributeError(f"module 'rainbowdp' has no attribute {name!r}")
    home = _homes()[name]
    if home == __name__:
        return importlib.import_module(f"{home}.{name}")
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes()})
