# SPDX-License-Identifier: Apache-2.0
"""Checking a finished mechanism: `verify` covers every pair of neighbors and returns a witness or a proof."""

from rainbowdp.verification.check import verify
from rainbowdp.verification.class_pairs import Progress
from rainbowdp.verification.result import Verification, Witness

__all__ = ["Progress", "Verification", "Witness", "verify"]
