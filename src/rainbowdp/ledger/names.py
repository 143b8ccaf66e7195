# SPDX-License-Identifier: Apache-2.0
"""Names of budgets and ids of requests: text that people type again, so nothing in it may be invisible.

Unicode can spell one text in several ways, ``ü`` as one sign or as ``u`` with two dots on top, and which one
comes from a keyboard or a file name depends on the system. A ledger knows one spelling: the composed one.
"""

import unicodedata

from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import described

LONGEST = 200


def one_spelling(text: str) -> str:
    """Return a name in the spelling that a ledger keeps: composed, Unicode's form NFC.

    Raises
    ------
    UsageError
        If it is no text.

    Examples
    --------
    >>> one_spelling("Mu\u0308ller") == "Müller"
    True
    """
    if not isinstance(text, str):
        raise UsageError(
            f"a name of a budget or request cannot be {described(text)}",
            help="give a text, such as '2026-05'",
        )
    return unicodedata.normalize("NFC", text)


def check_name(text: str, what: str) -> str:
    """Return a name in one spelling if it can be typed again.

    Parameters
    ----------
    text : str
        The name.
    what : str
        What it names, for the message.

    Raises
    ------
    UsageError
        If it is empty, longer than 200 characters, has blanks around it, or holds a character that cannot be
        seen, such as a line break.

    Examples
    --------
    >>> check_name("survey 2026/ä", "the name of a budget")
    'survey 2026/ä'
    """
    text = one_spelling(text)
    if not text.strip():
        raise UsageError(f"{what} is empty", help="give a name of at least one character")
    if len(text) > LONGEST:
        raise UsageError(f"{what} has {len(text)} characters", help=f"give at most {LONGEST} characters")
    if text != text.strip():
        raise UsageError(f"{what} {text!r} has blanks around it", help="leave them out")
    # Control, format, surrogate, private and unassigned characters, and separators other than the blank.
    hidden = [sign for sign in text if unicodedata.category(sign)[0] in "CZ" and sign != " "]
    if hidden:
        raise UsageError(
            f"{what} {text!r} holds the invisible character {hidden[0]!r}", help="use visible characters"
        )
    return text
