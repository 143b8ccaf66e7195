# SPDX-License-Identifier: Apache-2.0
"""The linear program over all private mechanisms with fixed boundary distributions.

One variable per dataset and color. Pure privacy is one row per pair, color and direction; approximate privacy
needs a slack variable for what each color has beyond E times the other side. The Gaussian limit is a concave
curve, so its tangents are valid rows, and they are added where a solution still lies above the curve.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import SolverError
from rainbowdp.exact import exponent_ball, round_ball, to_float
from rainbowdp.leximin.proposals import quiet_solver
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP

Floats = NDArray[np.float64]

_MOST_ROUNDS = 500
# Slopes beyond these would swamp the other rows; a flatter tangent at a larger mass does the same work.
_SMALLEST_MASS = 1e-12


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
        self._size, self._colors = fixed.shape
        free = np.isnan(fixed[:, 0])
        wanted = free[pairs[0]] | free[pairs[1]]
        source, target = pairs[0][wanted], pairs[1][wanted]
        # Both directions of every pair that has something to decide.
        self._from = np.concatenate([source, target]).astype(np.int64)
        self._to = np.concatenate([target, source]).astype(np.int64)
        self._privacy = privacy
        self._solver = _maximizer()
        lower, upper = np.where(np.isnan(fixed), 0.0, fixed), np.where(np.isnan(fixed), 1.0, fixed)
        self._add_columns(weights.ravel(), lower.ravel(), upper.ravel())
        self._add_sums(np.flatnonzero(free))
        match privacy:
            case PureDP():
                self._add_ratios(to_float(privacy.odds, "nearest"))
            case ApproxDP():
                self._add_slacks(to_float(privacy.odds, "nearest"), float(privacy.delta))
            case GaussianDP():
                self._mu = round_ball(lambda: exponent_ball(privacy.mu), "nearest")

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
        import highspy

        self._solver.run()
        status = self._solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(
                f"the solver stopped with the status {self._solver.modelStatusToString(status)!r}",
                help="check a smaller graph, or one whose probabilities and odds are less extreme",
            )
        values = np.array(self._solver.getSolution().col_value[: self._size * self._colors])
        return values.reshape(self._size, self._colors)

    def _add_columns(self, cost: Floats, lower: Floats, upper: Floats) -> None:
        none = np.empty(0, dtype=np.int32)
        self._solver.addCols(
            cost.size,
            cost,
            lower,
            upper,
            0,
            np.zeros(cost.size, dtype=np.int32),
            none,
            np.empty(0, dtype=np.float64),
        )

    def _add_rows(self, columns: NDArray[Any], values: Floats, lower: float, upper: Floats | float) -> None:
        """Add rows with equally many entries each: columns and values [rows, entries]."""
        rows, entries = columns.shape
        if rows == 0:
            return
        self._solver.addRows(
            rows,
            np.full(rows, lower),
            np.broadcast_to(np.asarray(upper, dtype=np.float64), (rows,)).copy(),
            rows * entries,
            np.arange(0, rows * entries, entries, dtype=np.int32),
            columns.astype(np.int32).ravel(),
            np.broadcast_to(values, columns.shape).astype(np.float64).ravel(),
        )

    def _variables(self, datasets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the variables of some datasets, [datasets, k]."""
        variables: NDArray[np.int64] = datasets[:, None] * self._colors + np.arange(self._colors)
        return variables

    def _add_sums(self, datasets: NDArray[Any]) -> None:
        self._add_rows(self._variables(datasets), np.ones(self._colors), 1.0, 1.0)

    def _add_ratios(self, odds: float) -> None:
        one, other = self._variables(self._from).ravel(), self._variables(self._to).ravel()
        self._add_rows(np.stack([one, other], axis=1), np.array([1.0, -odds]), -np.inf, 0.0)

    def _add_slacks(self, odds: float, delta: float) -> None:
        one, other = self._variables(self._from).ravel(), self._variables(self._to).ravel()
        zeros = np.zeros(one.size)
        self._add_columns(zeros, zeros, zeros + 1.0)
        slack = self._size * self._colors + np.arange(one.size)
        self._add_rows(np.stack([one, other, slack], axis=1), np.array([1.0, -odds, -1.0]), -np.inf, 0.0)
        self._add_rows(slack.reshape(-1, self._colors), np.ones(self._colors), -np.inf, delta)

    def _cut(self, point: Floats, tolerance: float) -> bool:
        """Add a tangent for every likelihood ratio event above the limit; tell whether there was one."""
        from scipy.special import ndtr, ndtri

        ours, theirs = point[self._from], point[self._to]
        ratio = ours / np.maximum(theirs, 1e-300)
        order = np.argsort(-ratio, axis=1, kind="stable")[:, :-1]
        added = False
        for length in range(1, self._colors):
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
            self._add_rows(columns, values, -np.inf, ndtr(quantile + self._mu) - slope * touch)
        return added


def _maximizer() -> Any:  # noqa: ANN401 - highspy is imported only when a program is solved
    import highspy

    solver = quiet_solver()
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return solver
