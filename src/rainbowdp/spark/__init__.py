# SPDX-License-Identifier: Apache-2.0
"""Families whose pairs of neighbors live on a Spark cluster.

The driver holds a few bytes per dataset, the workers hold the pairs. Everything else of rainbowdp works on
the result as on any other graph.
"""

from rainbowdp.spark.pairs import SparkPairs
from rainbowdp.spark.reading import open_session

__all__ = ["SparkPairs", "open_session"]
