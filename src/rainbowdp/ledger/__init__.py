# SPDX-License-Identifier: Apache-2.0
"""The budget ledger: what was spent on which data, so that no answer leaves that was not paid for.

`amount` and `cost` add prices in privacy without rounding; `book` holds the rules, once, over the two places
where entries are kept, `sqlite` and `postgres`; `schema` is the form of the entries, which are never changed
or deleted.
"""

from rainbowdp.ledger.amount import Amount
from rainbowdp.ledger.book import Ledger
from rainbowdp.ledger.cost import Cost, Kind
from rainbowdp.ledger.opening import open_ledger
from rainbowdp.ledger.records import BudgetState, Charge, Entry

__all__ = ["Amount", "BudgetState", "Charge", "Cost", "Entry", "Kind", "Ledger", "open_ledger"]
