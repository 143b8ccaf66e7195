# SPDX-License-Identifier: Apache-2.0
"""Check by linear programs that no private mechanism with the same boundary is better anywhere.

The check does not use the closed form. A program maximizes the sum of all prefix masses over all private
mechanisms with the same boundary distributions. For a homogeneous boundary all prefix masses can be as large
as possible at once (Theorem 2), so one program tells the largest mass of every prefix of every dataset.

The program has one variable per dataset and color. Pure privacy is one row per pair, color and direction;
approximate privacy needs a slack variable for what each color has beyond E times the other side. The Gaussian
limit is a concave curve, so its tangents are valid rows, and they are added where a solution still lies above
the curve.
"""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import MechanismShapeError, NotHomogeneousError, SolverError, UsageError
from rainbowdp.exact import exponent_ball, round_ball, to_float
from rainbowdp.exact.arguments import described, require
from rainbowdp.graph import RainbowGraph, listed
from rainbowdp.mechanism import Mechanism, check_homogeneous, in_order_of
from rainbowdp.mechanism.comparison import require_same_size
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, require_privacy
from rainbowdp.rainbow import Rainbow
from rainbowdp.verification import Verification, verify

Floats = NDArray[np.float64]

_MOST_ROUNDS = 500
# Slopes beyond these would swamp the other rows; a flatter tangent at a larger mass does the same work.
_SMALLEST_MASS = 1e-12
_SLACK = 1e-10


class MechanismProgram:
    """A linear program whose feasible points are mechanisms.

    Parameters
    ----------
    fixed : float64 array [n, k]
        Probabilities of the boundary datasets, not a number in the rows of all others.
    pairs : (int array [m], int array [m])
        Pairs of neighbors.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint on every pair.
    weights : float64 array [n, k]
        What is maximized: the sum of weight times probability.
    """

    def __init__(
        self, fixed: Floats, pairs: tuple[NDArray[Any], NDArray[Any]], privacy: Privacy, weights: Floats
    ) -> None:
        self._shape = fixed.shape
        self._privacy = privacy
        free, known, colors = np.isnan(fixed[:, 0]), ~np.isnan(fixed), fixed.shape[1]
        # Both directions of every pair that has something to decide.
        wanted = free[pairs[0]] | free[pairs[1]]
        ends = [end[wanted].astype(np.int64) for end in pairs]
        self._from, self._to = np.concatenate(ends), np.concatenate(ends[::-1])
        columns = [self._variables(self._from).ravel(), self._variables(self._to).ravel()]
        slack = fixed.size + np.arange(columns[0].size if isinstance(privacy, ApproxDP) else 0)
        self._cost = np.concatenate([-weights.ravel(), np.zeros(slack.size)])
        self._bounds = np.tile([0.0, 1.0], (self._cost.size, 1))
        self._bounds[np.flatnonzero(known)] = fixed[known][:, None]
        self._sums = self._rows(self._variables(np.flatnonzero(free)), np.ones(colors))
        # With one color there is no event to limit.
        no_rows = self._rows(np.empty((0, 1), dtype=np.int64), np.empty(1))
        self._limits: list[tuple[Any, Floats]] = [(no_rows, np.empty(0))]
        if isinstance(privacy, GaussianDP):
            self._mu = round_ball(lambda: exponent_ball(privacy.mu), "nearest")
            return
        entries = [1.0, -to_float(privacy.odds, "nearest")]
        if isinstance(privacy, ApproxDP):
            columns, entries = [*columns, slack], [*entries, -1.0]
        self._limit(np.stack(columns, axis=1), np.array(entries), 0.0)
        if slack.size:
            self._limit(slack.reshape(-1, colors), np.ones(colors), float(privacy.delta))

    def solve(self, start: Floats, tolerance: float) -> Floats:
        """Return a best mechanism, float64 [n, k].

        Parameters
        ----------
        start : float64 array [n, k]
            A mechanism at whose likelihood ratio events the first tangents touch; used under Gaussian
            privacy only.
        tolerance : float
            How far above the Gaussian limit an event may stay.

        Raises
        ------
        SolverError
            If the program has no solution or needs too many rounds.
        """
        if not isinstance(self._privacy, GaussianDP):
            return self._run()
        found = start
        self._cut(start, -np.inf)
        for _ in range(_MOST_ROUNDS):
            found = self._run()
            if not self._cut(found, tolerance):
                return found
        raise SolverError(
            f"tangents did not close in on the Gaussian limit within {_MOST_ROUNDS} rounds",
            help="check a smaller graph, or a larger tolerance",
        )

    def _run(self) -> Floats:
        from scipy.optimize import linprog
        from scipy.sparse import vstack

        rows, upper = zip(*self._limits, strict=True)
        found = cast("Any", linprog)(
            self._cost,
            A_ub=vstack(rows),
            b_ub=np.concatenate(upper),
            A_eq=self._sums,
            b_eq=np.ones(self._sums.shape[0]),
            bounds=self._bounds,
            method="highs",
            options={"primal_feasibility_tolerance": _SLACK, "dual_feasibility_tolerance": _SLACK},
        )
        if found.status:
            raise SolverError(
                f"the solver stopped: {found.message}",
                help="check a smaller graph, or one whose probabilities and odds are less extreme",
            )
        values: Floats = found.x[: self._shape[0] * self._shape[1]]
        return values.reshape(self._shape)

    def _variables(self, datasets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the variables of some datasets, [datasets, k]."""
        variables: NDArray[np.int64] = datasets[:, None] * self._shape[1] + np.arange(self._shape[1])
        return variables

    def _rows(self, columns: NDArray[Any], values: Floats) -> Any:  # noqa: ANN401 - scipy is imported late
        """Return rows with equally many entries each: columns and values [rows, entries]."""
        from scipy.sparse import csr_array

        ends = np.arange(0, columns.size + 1, columns.shape[1])
        entries = np.broadcast_to(values, columns.shape).ravel()
        return csr_array((entries, columns.ravel(), ends), shape=(columns.shape[0], self._cost.size))

    def _limit(self, columns: NDArray[Any], values: Floats, upper: Floats | float) -> None:
        self._limits.append((self._rows(columns, values), np.broadcast_to(upper, columns.shape[:1])))

    def _cut(self, point: Floats, tolerance: float) -> bool:
        """Add a tangent for every likelihood ratio event above the limit; tell whether there was one."""
        from scipy.special import ndtr, ndtri

        ours, theirs = point[self._from], point[self._to]
        ratio = ours / np.maximum(theirs, 1e-300)
        order = np.argsort(-ratio, axis=1, kind="stable")[:, :-1]
        added = False
        for length in range(1, self._shape[1]):
            inside = np.zeros(ours.shape)
            np.put_along_axis(inside, order[:, :length], 1.0, axis=1)
            mass, other = (ours * inside).sum(axis=1), (theirs * inside).sum(axis=1)
            over = mass - ndtr(ndtri(np.clip(other, 0.0, 1.0)) + self._mu) > tolerance
            if not over.any():
                continue
            added = True
            touch = np.clip(other[over], _SMALLEST_MASS, 1 - _SMALLEST_MASS)
            quantile = ndtri(touch)
            # The slope is the ratio of two normal densities.
            slope = np.exp(-self._mu * quantile - self._mu**2 / 2)
            values = np.concatenate([inside[over], -slope[:, None] * inside[over]], axis=1)
            columns = np.concatenate(
                [self._variables(self._from[over]), self._variables(self._to[over])], axis=1
            )
            self._limit(columns, values, ndtr(quantile + self._mu) - slope * touch)
        return added


LARGEST_PROGRAM = 200_000
"""Rows and columns up to which `check_optimal` starts."""


@dataclass(frozen=True)
class OptimalityVerdict:
    """Whether a mechanism is optimal among all private ones with its boundary; true where it is.

    Attributes
    ----------
    verification : Verification
        Whether the mechanism is private at all; if not, it is not optimal, and nothing else was asked.
    dataset : str or None
        The dataset with a prefix that could be larger by most.
    prefix : tuple of str
        The colors of that prefix, best first.
    mass, possible : float or None
        Its mass, and the largest one possible.
    """

    verification: Verification
    dataset: str | None = None
    prefix: tuple[str, ...] = ()
    mass: float | None = None
    possible: float | None = None

    @property
    def gain(self) -> float:
        """By how much the prefix mass could be larger; 0 where nothing can."""
        return 0.0 if self.mass is None or self.possible is None else self.possible - self.mass

    def __bool__(self) -> bool:
        return self.verification.holds and self.dataset is None


def check_optimal(
    mechanism: Mechanism, graph: RainbowGraph, privacy: Privacy, tolerance: float = 1e-9
) -> OptimalityVerdict:
    """Check on a small graph that no private mechanism with the same boundary is better anywhere.

    Parameters
    ----------
    mechanism : Mechanism
        On the datasets of the graph; its own distributions at the boundary are what is held fixed.
    graph : RainbowGraph
        A small graph: the program has a row per pair, direction and color.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint.
    tolerance : float
        By how much a prefix mass may fall short of the solver's; solvers compute in floats.

    Returns
    -------
    OptimalityVerdict
        True; or the dataset and prefix that could be larger by most; or the verification that failed.

    Raises
    ------
    NotHomogeneousError
        If two boundary datasets of one region have different distributions: there need not be an optimum.
    MechanismShapeError
        If mechanism and graph do not have the same datasets with the same rainbows.
    SolverError
        If the graph is too large, or the solver gives up.
    UsageError
        If the tolerance is not from 0 to 1, or an argument is of the wrong kind.

    References
    ----------
    Zhou et al. 2022, Theorem 2.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "b>r", "r>b"])
    >>> timid = Mechanism.from_table(
    ...     rainbows=["b>r", "b>r", "r>b"], table=[{"b": "1/2", "r": "1/2"}] * 3, labels=["x", "y", "z"]
    ... )
    >>> verdict = check_optimal(timid, graph, PureDP("ln 2"))
    >>> bool(verdict), verdict.dataset, verdict.prefix, round(verdict.gain, 9)
    (False, 'x', ('b',), 0.25)
    """
    require(mechanism, "mechanism", Mechanism)
    require(graph, "graph", RainbowGraph)
    require_privacy(privacy)
    _require_tolerance(tolerance)
    # What is too large for the program is refused before anything else takes its time.
    _require_small(graph, privacy)
    require_same_size(mechanism, graph.size)
    mechanism = in_order_of(graph.labels, mechanism)
    _require_same_rainbows(mechanism, graph)
    _require_homogeneous(mechanism, graph)
    verification = verify(mechanism, graph, privacy)
    if not verification:
        return OptimalityVerdict(verification)
    table = mechanism.probabilities()
    prefixes = [_prefixes(rainbow) for rainbow in graph.rainbows]
    weights = np.array([prefix.sum(axis=0) for prefix in prefixes])[graph.regions]
    fixed = np.where(graph.boundary[:, None], table, np.nan)
    program = MechanismProgram(fixed, listed(graph.structure).pairs(), privacy, weights)
    best = program.solve(table, tolerance / 10)
    dataset, prefix, mass, reachable = _largest_gain(table, best, graph)
    if reachable - mass <= tolerance:
        return OptimalityVerdict(verification)
    return OptimalityVerdict(verification, mechanism.label(dataset), prefix, mass, reachable)


def _require_tolerance(tolerance: object) -> None:
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise UsageError(
            f"`tolerance` cannot be {described(tolerance)}",
            help="give a number from 0 up to 1, such as 1e-9",
        )


def _largest_gain(
    table: Floats, best: Floats, graph: RainbowGraph
) -> tuple[int, tuple[str, ...], float, float]:
    """Return the dataset and prefix whose mass could grow by most, that mass, and the largest possible."""
    found: list[tuple[int, tuple[str, ...], float, float]] = []
    for code, rainbow in enumerate(graph.rainbows):
        datasets = np.flatnonzero(graph.regions == code)
        prefixes = _prefixes(rainbow)
        masses, possible = table[datasets] @ prefixes.T, best[datasets] @ prefixes.T
        if masses.size:
            row, length = divmod(int(np.argmax(possible - masses)), masses.shape[1])
            prefix = tuple(color for group in rainbow.classes[: length + 1] for color in group)
            found.append(
                (int(datasets[row]), prefix, float(masses[row, length]), float(possible[row, length]))
            )
    # Where all colors are tied there are no prefixes.
    return max(found, key=lambda gain: gain[3] - gain[2], default=(0, (), 0.0, 0.0))


def _prefixes(rainbow: Rainbow) -> Floats:
    """Return the proper prefixes of a rainbow as 0/1 rows over its colors, [classes - 1, k]."""
    place = np.array([rainbow.class_of(color) for color in rainbow.colors])
    return (place[None, :] <= np.arange(len(rainbow.classes) - 1)[:, None]).astype(np.float64)


def _require_same_rainbows(mechanism: Mechanism, graph: RainbowGraph) -> None:
    for dataset, code in enumerate(mechanism.codes.tolist()):
        ours, theirs = mechanism.class_rainbow[code], graph.rainbow_of(dataset)
        # A mechanism that ties all colors states no order, as one that is read without rainbows.
        if ours.colors != theirs.colors or (len(ours.classes) > 1 and ours != theirs):
            raise MechanismShapeError(
                f"the dataset {mechanism.label(dataset)!r} has the rainbow {ours} in the mechanism and "
                f"{theirs} in the graph",
                help="check a mechanism on the graph that it was made for",
            )


def _require_homogeneous(mechanism: Mechanism, graph: RainbowGraph) -> None:
    homogeneous = check_homogeneous(mechanism, graph)
    if homogeneous.violation is not None:
        one, other = (mechanism.label(dataset) for dataset in homogeneous.violation)
        raise NotHomogeneousError(
            f"the boundary datasets {one!r} and {other!r} of {homogeneous.rainbow} "
            "have different distributions",
            help="give all boundary datasets of a region one distribution; otherwise there may be no optimum",
            datasets=(one, other),
        )


def _require_small(graph: RainbowGraph, privacy: Privacy) -> None:
    colors = len(graph.colors)
    rows = 2 * graph.pair_count * colors
    columns = graph.size * colors + (rows if isinstance(privacy, ApproxDP) else 0)
    # Every round of tangents may add as many rows as there are pairs, colors and directions.
    rounds = 10 if isinstance(privacy, GaussianDP) else 1
    if rows * rounds + columns > LARGEST_PROGRAM:
        raise SolverError(
            f"a graph of {graph.size} datasets and {graph.pair_count} pairs is too large "
            "for a linear program",
            help="check its boundary graph instead, which has one dataset per region and distance",
        )
