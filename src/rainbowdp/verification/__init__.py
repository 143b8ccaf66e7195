# SPDX-License-Identifier: Apache-2.0
"""Check a finished mechanism on every pair of neighbors: `verify`, its result, and a witness of failure."""

from rainbowdp.progress import Progress
from rainbowdp.verification.check import verify
from rainbowdp.verification.result import Verification, Witness

__all__ = ["Progress", "Verification", "Witness", "verify"]
