# SPDX-License-Identifier: Apache-2.0
"""From a table, a question and a privacy to one answer and its receipt.

`terms` is what is fixed before any data is opened, `ready` reads and locates, `asking` charges and draws,
`answers` and `receipt` are what may be published, `receipt_reading` reads it again, and `checking` checks it
by itself.
"""

from rainbowdp.release.answers import Answer
from rainbowdp.release.asking import answer, answer_from_ledger, ask, ask_under, fingerprint
from rainbowdp.release.checking import ReceiptCheck, verify_receipt
from rainbowdp.release.keys_asking import Keys, KeyTerms, ask_keys, name_keys
from rainbowdp.release.receipt import SCHEMA, make_receipt
from rainbowdp.release.receipt_reading import Receipt, read_receipt
from rainbowdp.release.terms import Terms, privacy_of

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
    "ask_under",
    "fingerprint",
    "make_receipt",
    "name_keys",
    "privacy_of",
    "read_receipt",
    "verify_receipt",
]
