# SPDX-License-Identifier: Apache-2.0
"""From a table, a question and a privacy to one answer and its receipt.

`terms` and `key_terms` are what is fixed before any data is opened, for questions and for named categories.
`notes` are public remarks about an answer. `asking` opens, reads, charges, draws and stores. `receipt` writes
what may be published, and `checking` makes a receipt again and compares. `inspecting` is for the custodian
alone and publishes nothing.
"""

from typing import TYPE_CHECKING

from rainbowdp.release.asking import Opening, Payment, answer, ask, ask_keys, ask_under
from rainbowdp.release.key_terms import Keys, KeyTerms
from rainbowdp.release.receipt import SCHEMA
from rainbowdp.release.terms import Answer, Terms

if TYPE_CHECKING:
    from rainbowdp.release.checking import Receipt, ReceiptCheck, read_receipt, verify_receipt
    from rainbowdp.release.inspecting import Inspection, inspect

__all__ = [
    "SCHEMA",
    "Answer",
    "Inspection",
    "KeyTerms",
    "Keys",
    "Opening",
    "Payment",
    "Receipt",
    "ReceiptCheck",
    "Terms",
    "answer",
    "ask",
    "ask_keys",
    "ask_under",
    "inspect",
    "read_receipt",
    "verify_receipt",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # Asking a question loads neither what checks receipts nor what looks at tables.
        if name in {"Receipt", "ReceiptCheck", "read_receipt", "verify_receipt"}:
            from rainbowdp.release import checking as module
        elif name in {"Inspection", "inspect"}:
            from rainbowdp.release import inspecting as module
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(module, name)
