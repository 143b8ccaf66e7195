# SPDX-License-Identifier: Apache-2.0
"""Planning before spending: how often an answer will be right, at what cost, and where a rival is better.

The one idea: everything here depends on the question, the privacy and the neighbor relation alone. No
data are opened, so a plan is public and costs nothing.
"""

from rainbowdp.planning.cost import PrivacyCost
from rainbowdp.planning.leads import LeadRule, lead_rule
from rainbowdp.planning.plan import (
    LeadRow,
    Least,
    Need,
    Plan,
    PrivacyPlan,
    RivalChance,
    RivalNeed,
    plan,
)

__all__ = [
    "LeadRow",
    "LeadRule",
    "Least",
    "Need",
    "Plan",
    "PrivacyCost",
    "PrivacyPlan",
    "RivalChance",
    "RivalNeed",
    "lead_rule",
    "plan",
]
