# SPDX-License-Identifier: Apache-2.0
"""Every statement that reads or adds to a ledger, in the words that both databases understand.

Values are always parameters; nothing is ever put into a text.
"""

from typing import Final

COLUMNS: Final = (
    *("budget", "number", "previous", "event", "recorded_at"),
    *("kind", "epsilon_rational", "epsilon_logarithm", "delta", "mu_squared"),
    *("request", "question", "source", "privacy", "charge", "answer", "reason"),
)
"""The columns of an entry, as `ADD` takes them."""

ADD: Final = """
INSERT INTO rainbowdp_entries (
    budget, number, previous, event, recorded_at,
    kind, epsilon_rational, epsilon_logarithm, delta, mu_squared,
    request, question, source, privacy, charge, answer, reason
) VALUES (
    :budget, :number, :previous, :event, :recorded_at,
    :kind, :epsilon_rational, :epsilon_logarithm, :delta, :mu_squared,
    :request, :question, :source, :privacy, :charge, :answer, :reason
) RETURNING number
"""

SUMS: Final = """
SELECT event, count(*), max(number), kind, epsilon_rational, epsilon_logarithm, delta, mu_squared
FROM rainbowdp_entries WHERE budget = :budget
GROUP BY event, kind, epsilon_rational, epsilon_logarithm, delta, mu_squared
"""
"""How often each event with each amount occurred: few rows, however many entries."""

NAMES: Final = "SELECT budget FROM rainbowdp_entries WHERE number = 1"

REQUEST: Final = """
SELECT budget, number, question, source, privacy,
    kind, epsilon_rational, epsilon_logarithm, delta, mu_squared, recorded_at
FROM rainbowdp_entries WHERE event = 'charge' AND request = :request
"""

ANSWER: Final = """
SELECT answer FROM rainbowdp_entries WHERE event = 'answer' AND budget = :budget AND charge = :charge
"""

SOURCES: Final = """
SELECT DISTINCT budget FROM rainbowdp_entries WHERE event = 'charge' AND source = :source
"""

HISTORY: Final = """
SELECT e.number, e.event, e.recorded_at,
    coalesce(e.request, c.request), e.question, e.source, e.privacy, e.answer, e.reason,
    e.kind, e.epsilon_rational, e.epsilon_logarithm, e.delta, e.mu_squared
FROM rainbowdp_entries e
LEFT JOIN rainbowdp_entries c ON c.budget = e.budget AND c.number = e.charge
WHERE e.budget = :budget ORDER BY e.number
"""

RECORD_VERSION: Final = """
INSERT INTO rainbowdp_ledger (version, recorded_at) VALUES (:version, :recorded_at) RETURNING version
"""

READ_VERSION: Final = "SELECT version FROM rainbowdp_ledger"
