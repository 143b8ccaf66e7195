# SPDX-License-Identifier: Apache-2.0
"""The mechanisms of questions, by what they are to be good at.

`mechanism` holds the contract that all of them keep and `choosing` the table of which one answers which
question. `flip`, `lead_line`, `question_line`, `noisy_order`, `noisy_level` and `normal_order` are the
mechanisms, one frozen value each. `order_chances` computes how often a noisy order is right, `charges` what
several groups cost, `values` compares probabilities, and `kept` keeps solved boundaries.
"""

from rainbowdp.goals.choosing import mechanism_of
from rainbowdp.goals.line_pairs import Pair, Pairs
from rainbowdp.goals.mechanism import GOALS, Asked, Case, Goal, Located, QuestionMechanism

__all__ = ["GOALS", "Asked", "Case", "Goal", "Located", "Pair", "Pairs", "QuestionMechanism", "mechanism_of"]
