# SPDX-License-Identifier: Apache-2.0
"""Notions of privacy (pure, approximate, Gaussian), each a frozen value with its formulas.

A notion is known by one scalar function: ``propagate(x)``, the largest probability that a neighbor can give
to an event that this dataset gives probability x. The closed form of the optimal mechanism is propagate
iterated along the distance to the boundary, so this module also holds its closed form after i steps, the
largest index at which it still grows (`threshold`), and the test whether two distributions may stand side by
side (`admits`), with a witness where they may not.

================  =====================================================
notion            propagate, one step (E = e^epsilon)
================  =====================================================
`PureDP`          min(E x, 1 - (1-x)/E)
`ApproxDP`        min(1, E x + delta, 1 - (1-x-delta)/E)
`GaussianDP`      Phi(Phi^-1(x) + mu)
================  =====================================================
"""

from rainbowdp.privacy.notions import ApproxDP as ApproxDP
from rainbowdp.privacy.notions import GaussianDP as GaussianDP
from rainbowdp.privacy.notions import Privacy as Privacy
from rainbowdp.privacy.notions import PureDP as PureDP
from rainbowdp.privacy.notions import privacy_of as privacy_of
from rainbowdp.privacy.notions import require_privacy as require_privacy
from rainbowdp.privacy.verdict import Verdict as Verdict
from rainbowdp.privacy.verdict import Violation as Violation
from rainbowdp.privacy.verdict import likelihood_events as likelihood_events
