# SPDX-License-Identifier: Apache-2.0
"""A question with a reading that somebody wrote."""

from dataclasses import dataclass
from typing import Any

from rainbowdp.questions import OptionReading, Winner


@dataclass(frozen=True)
class ReadsOwn(Winner):
    """A winner with a reading of somebody's own."""

    own: Any = None

    @property
    def reading(self) -> OptionReading:
        reading: OptionReading = self.own
        return reading
