# SPDX-License-Identifier: Apache-2.0
"""Planning before spending: how often an answer will be right, and at what cost.

Everything here depends on the question, the privacy, the goal and the neighbor relation alone. No data are
opened, so a plan is public and costs nothing.

`plan` makes a plan of checked `arguments`, one `part` for each notion of privacy; its values are in `values`.
`leads` says what a lead is. `columns` and `rivals` hold the ways to answer that are shown. `sentences`,
`words` and `cost` say what the figures mean, and `least` finds the least epsilon.
"""

from rainbowdp.planning.cost import PrivacyCost
from rainbowdp.planning.leads import PlanCase
from rainbowdp.planning.plan import Plan, plan
from rainbowdp.planning.values import Chance, GroupsPlan, LeadRow, Least, Need, NeededLead, PrivacyPlan

__all__ = [
    "Chance",
    "GroupsPlan",
    "LeadRow",
    "Least",
    "Need",
    "NeededLead",
    "Plan",
    "PlanCase",
    "PrivacyCost",
    "PrivacyPlan",
    "plan",
]
