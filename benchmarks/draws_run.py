# SPDX-License-Identifier: Apache-2.0
"""One way to draw, in a process: ``python -m benchmarks.draws_run NAME COUNT``.

Prints how long so many draws take, the making of the mechanism not included, and how often each answer came.
All of them choose among eight answers, the first of them with the odds 9 against 1 for each other one, and
randomized response of bits keeps a bit with the odds 3 against 1.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.child import say_if_installed
from benchmarks.peers import Array, Library
from benchmarks.spent import spent

COLORS = "abcdefgh"
ODDS = 9
TRUTH = ODDS / (ODDS + len(COLORS) - 1)
KEPT = 3 / 4
Draw = Callable[[int], Array]
"""From a number of draws to what was drawn, as positions among the answers."""


def _positions(letters: Sequence[str]) -> Array:
    return np.frombuffer("".join(letters).encode("ascii"), dtype=np.uint8) - ord("a")


def _mechanism(colors: str, share: str, rest: str) -> Any:  # noqa: ANN401 - a Mechanism, imported where it is used
    from rainbowdp import Mechanism

    table = [{color: rest if at else share for at, color in enumerate(colors)}]
    return Mechanism.from_table(rainbows=[f"a>{'='.join(colors[1:])}"], table=table, labels=["all"])


def own_scalar() -> Draw:
    """`sample` for one dataset, one draw a call."""
    from rainbowdp import sample

    mechanism = _mechanism(COLORS, f"{ODDS}/16", "1/16")
    return lambda count: _positions([sample(mechanism, "all")[0] for _ in range(count)])


def _bulk(method: str, colors: str, share: str, rest: str) -> Draw:
    from rainbowdp.sampling import sample_all

    mechanism = _mechanism(colors, share, rest)

    def draw(count: int) -> Array:
        datasets = np.zeros(count, dtype=np.int64)
        return sample_all(mechanism, datasets, method=method)  # type: ignore[arg-type]  # one of two literals

    return draw


def _opendp() -> Library:
    dp: Library = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    return dp


def opendp_response() -> Draw:
    """`make_randomized_response`, one draw a call."""
    measurement = _opendp().m.make_randomized_response(list(COLORS), prob=TRUTH)
    return lambda count: _positions([measurement("a") for _ in range(count)])


def opendp_noisy_max() -> Draw:
    """`make_noisy_max`, one draw a call: permute and flip, so with other odds."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    measurement = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=1.0)
    scores = [float(np.log(ODDS)), *[0.0] * (len(COLORS) - 1)]
    return lambda count: np.array([measurement(scores) for _ in range(count)])


def opendp_bits() -> Draw:
    """`make_randomized_response_bitvec`: as many bits as draws in one call, 0 for the first answer."""
    dp = _opendp()

    def draw(count: int) -> Array:
        domain = dp.bitvector_domain(max_weight=count)
        flip = 2 * (1 - KEPT)
        measurement = dp.m.make_randomized_response_bitvec(domain, dp.discrete_distance(), f=flip)
        zeros = np.zeros((count + 7) // 8, dtype=np.uint8)
        released: bytes = measurement(zeros.tobytes())
        return np.unpackbits(np.frombuffer(released, dtype=np.uint8))[:count]

    return draw


def diffprivlib_exponential() -> Draw:
    """`Exponential`, one draw a call; its epsilon is halved inside."""
    mechanisms: Library = importlib.import_module("diffprivlib.mechanisms")
    scores = [float(2 * np.log(ODDS)), *[0.0] * (len(COLORS) - 1)]
    made = mechanisms.Exponential(epsilon=1, sensitivity=1, utility=scores, candidates=list(COLORS))
    return lambda count: _positions([made.randomise() for _ in range(count)])


WAYS: dict[str, tuple[Callable[[], Draw], float | None]] = {
    "rainbowdp `sample`": (own_scalar, TRUTH),
    "rainbowdp `sample_all`": (lambda: _bulk("constant", COLORS, "9/16", "1/16"), TRUTH),
    "rainbowdp `sample_all`, lazy": (lambda: _bulk("lazy", COLORS, "9/16", "1/16"), TRUTH),
    "rainbowdp `sample_all`, two answers": (lambda: _bulk("constant", "ab", "3/4", "1/4"), KEPT),
    "rainbowdp `sample_all`, two answers, lazy": (lambda: _bulk("lazy", "ab", "3/4", "1/4"), KEPT),
    "OpenDP randomized response": (opendp_response, TRUTH),
    "OpenDP noisy max": (opendp_noisy_max, None),
    "OpenDP randomized response of bits": (opendp_bits, KEPT),
    "diffprivlib Exponential": (diffprivlib_exponential, TRUTH),
}
"""Every way to draw, and the probability of the first answer where it is known in closed form."""

SCALAR = tuple(name for name in WAYS if "all" not in name and "bits" not in name)
"""Those that draw once a call."""


def run(name: str, count: int) -> dict[str, Any]:
    """Measure so many draws of one way.

    Raises
    ------
    ImportError
        If its library is not installed.
    """
    draw = WAYS[name][0]()
    draw(16)
    drawn, needed = spent(lambda: draw(count))
    return asdict(needed) | {"counts": np.bincount(drawn, minlength=2).tolist()}


if __name__ == "__main__":
    say_if_installed(lambda: run(sys.argv[1], int(sys.argv[2])))
