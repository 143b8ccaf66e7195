# SPDX-License-Identifier: Apache-2.0
"""From a table, a question and a privacy to one answer and its receipt.

`terms` is what is fixed before any data is opened. `flow` opens, reads, charges, draws and stores; `asking`
is what questions add to it, and `keys_asking` what named categories add. `receipt` is what may be
published, and `checking` makes a receipt again and compares.
"""

from typing import TYPE_CHECKING

from rainbowdp.release.asking import answer, ask, ask_under
from rainbowdp.release.receipt import SCHEMA, Answer, make_receipt, public_part
from rainbowdp.release.terms import Terms, privacy_of

if TYPE_CHECKING:
    from rainbowdp.release.checking import Receipt, ReceiptCheck, read_receipt, verify_receipt
    from rainbowdp.release.keys_asking import Keys, KeyTerms, ask_keys, ask_keys_under, name_keys

__all__ = [
    "SCHEMA",
    "Answer",
    "KeyTerms",
    "Keys",
    "Receipt",
    "ReceiptCheck",
    "Terms",
    "answer",
    "ask",
    "ask_keys",
    "ask_keys_under",
    "ask_under",
    "make_receipt",
    "name_keys",
    "privacy_of",
    "public_part",
    "read_receipt",
    "verify_receipt",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Asking a question does not load what reads and checks receipts, or names keys.
        if name in {"Keys", "KeyTerms", "ask_keys", "ask_keys_under", "name_keys"}:
            from rainbowdp.release import keys_asking as home
        elif name in {"Receipt", "ReceiptCheck", "read_receipt", "verify_receipt"}:
            from rainbowdp.release import checking as home
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(home, name)
        globals()[name] = value
        return value
