# SPDX-License-Identifier: Apache-2.0
"""The mechanisms of questions, by what they are to be good at.

- `mechanism`: the contract that all of them keep; `choosing`: which one answers which question.
- `flip`, `lead_line`, `question_line`, `noisy_order`, `noisy_level`, `normal_order`: the mechanisms,
  one frozen value each.
- `order_chances`: how often a noisy order is right. `values`: probabilities compared.
- `kept`: solved boundaries, for the next question with the same terms.
- `charges`: what several groups cost. `concentrated`: rho.
- `judging`: whether a mechanism keeps its promise, decided from pairs of neighbors: all steps that tell
  something on a line (`line_pairs`), all small tables (`table_pairs`, `pair_judging`), all coins of flip
  (`flip_judging`).
"""

from rainbowdp.goals.choosing import mechanism_of
from rainbowdp.goals.line_pairs import Pair, Pairs
from rainbowdp.goals.mechanism import GOALS, Asked, Case, Goal, Located, QuestionMechanism

__all__ = ["GOALS", "Asked", "Case", "Goal", "Located", "Pair", "Pairs", "QuestionMechanism", "mechanism_of"]
