# SPDX-License-Identifier: Apache-2.0
"""Compute the optimal distribution as a function of the distance to the boundary, in closed form.

Notation as in the paper and in the notions of privacy: F_j is the mass of the best j classes, E = e^epsilon.
At distance i, F_j is its boundary value propagated i steps. `closed_form` holds the exact numbers and the
public `Line`, `steps` inverts the closed form, and `odds_table` and `normal_table` compute float64 arrays
that are relatively accurate however small a probability is, on the arithmetic of `powers`.

The paper calls a path of equal-rainbow datasets a line graph. This has nothing to do with the line graph of
graph theory (`networkx.line_graph`), whose nodes are the edges of another graph.
"""

from rainbowdp.line.closed_form import LARGEST_FRACTION_DISTANCE, Line

__all__ = ["LARGEST_FRACTION_DISTANCE", "Line"]
