# SPDX-License-Identifier: Apache-2.0
"""The budget ledger: what was spent on which data, so that no answer leaves that was not paid for.

`cost` adds prices in privacy without rounding; `protection` says what an answer costs where another promise
holds; `book` has the rules; `entries` reads and adds entries, which are never changed or deleted; `database`
has the tables and transactions of both databases, `sqlite` and `postgres`.
"""

from rainbowdp.ledger.book import Ledger, open_ledger
from rainbowdp.ledger.cost import Amount, Cost, Kind
from rainbowdp.ledger.entries import BudgetState, Charge, Entry
from rainbowdp.ledger.protection import Protection

__all__ = ["Amount", "BudgetState", "Charge", "Cost", "Entry", "Kind", "Ledger", "Protection", "open_ledger"]
