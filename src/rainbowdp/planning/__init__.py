# SPDX-License-Identifier: Apache-2.0
"""Tell how often an answer will be right, and at what cost, before anything is spent.

Everything here depends on the question, the privacy, the goal and the neighbor relation alone. No data are
opened, so a plan is public and costs nothing.

`plan` makes a plan of checked `arguments`; its parts are in `values`. `columns` are the ways to answer that
are shown, each with its chances. `words` say what a lead and a chance are, `sentences` what the figures mean
and what is paid for them.
"""

from rainbowdp.planning.plan import plan as plan
from rainbowdp.planning.values import LeadRow as LeadRow
from rainbowdp.planning.values import Plan as Plan
from rainbowdp.planning.values import PrivacyPlan as PrivacyPlan
from rainbowdp.planning.words import PlanCase as PlanCase
