# SPDX-License-Identifier: Apache-2.0
"""Any notion of privacy, as a type and as a question."""

from typing import get_args

from rainbowdp.exact.arguments import require
from rainbowdp.privacy.gaussian import GaussianDP
from rainbowdp.privacy.odds_notions import ApproxDP, PureDP

Privacy = PureDP | ApproxDP | GaussianDP
"""Any notion of privacy."""


def require_privacy(value: object) -> None:
    """Refuse an argument `privacy` that is no notion of privacy.

    Parameters
    ----------
    value : object
        The argument.

    Raises
    ------
    UsageError
        If it is none; a bare number is none, since it does not say of what.

    Examples
    --------
    >>> require_privacy(PureDP(1))
    """
    require(value, "privacy", *get_args(Privacy))
