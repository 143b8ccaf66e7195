# SPDX-License-Identifier: Apache-2.0
"""From a table, a question and a privacy to one answer and its receipt.

`terms` is what is fixed before any data is opened, `ready` reads and locates, `asking` charges and draws,
`answers` and `receipt` are what may be published, `receipt_reading` reads it again, and `checking` checks it
by itself.
"""

from typing import TYPE_CHECKING

from rainbowdp.release.answers import Answer
from rainbowdp.release.asking import answer, answer_from_ledger, ask, ask_under, fingerprint
from rainbowdp.release.receipt import SCHEMA, make_receipt, public_part
from rainbowdp.release.terms import Terms, privacy_of

if TYPE_CHECKING:
    from rainbowdp.release.checking import ReceiptCheck, verify_receipt
    from rainbowdp.release.keys_asking import Keys, KeyTerms, ask_keys, ask_keys_under, name_keys
    from rainbowdp.release.receipt_reading import Receipt, read_receipt

__all__ = [
    "SCHEMA",
    "Answer",
    "KeyTerms",
    "Keys",
    "Receipt",
    "ReceiptCheck",
    "Terms",
    "answer",
    "answer_from_ledger",
    "ask",
    "ask_keys",
    "ask_keys_under",
    "ask_under",
    "fingerprint",
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
        elif name in {"Receipt", "read_receipt"}:
            from rainbowdp.release import receipt_reading as home
        elif name in {"ReceiptCheck", "verify_receipt"}:
            from rainbowdp.release import checking as home
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(home, name)
        globals()[name] = value
        return value
