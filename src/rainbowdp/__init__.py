# SPDX-License-Identifier: Apache-2.0
"""rainbowdp: the optimal differentially private answer to a question with finitely many answers."""

__version__ = "0.1.0"
