# SPDX-License-Identifier: Apache-2.0
"""What a plan says, as frozen values: exact probabilities that are rounded when they are written."""

from dataclasses import dataclass
from fractions import Fraction

from rainbowdp.baselines import Value
from rainbowdp.exact import Exponent, Log, format_fraction, show
from rainbowdp.planning.chances import rounded
from rainbowdp.planning.cost import PrivacyCost
from rainbowdp.planning.rivals import Case, RivalName
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy


@dataclass(frozen=True)
class RivalChance:
    """How often a rival is wrong at a lead.

    Attributes
    ----------
    mechanism : str
        The rival.
    case : {"all-close", "one-close"}
        Whether all other answers are as close as the lead says, or one is and the others are far away.
    wrong : Exact or EnclosedNumber
        The probability of a wrong answer.
    """

    mechanism: RivalName
    case: Case
    wrong: Value

    @property
    def right(self) -> Value:
        """The probability of a right answer."""
        return 1 - self.wrong

    def to_json(self) -> dict[str, object]:
        """Return the chance for JSON, probabilities as the closest floats."""
        return {
            "mechanism": self.mechanism,
            "case": self.case,
            "right": rounded(self.right),
            "wrong": rounded(self.wrong),
        }


@dataclass(frozen=True)
class LeadRow:
    """How often everybody is right at one lead.

    Attributes
    ----------
    lead : int
        The lead, in people.
    wrong : Exact
        The probability of a wrong answer, whatever the right one is.
    wrong_at_best : Exact
        The same for the answer that is wrong least often, with ties decided for it.
    rivals : tuple of RivalChance
        The rivals at the same lead.
    """

    lead: int
    wrong: Value
    wrong_at_best: Value
    rivals: tuple[RivalChance, ...]

    @property
    def right(self) -> Value:
        """The probability of a right answer, whatever it is."""
        return 1 - self.wrong

    def rival(self, mechanism: str, case: str = "one-close") -> RivalChance:
        """Return one rival.

        Raises
        ------
        KeyError
            If it is not compared.
        """
        for found in self.rivals:
            if (found.mechanism, found.case) == (mechanism, case):
                return found
        raise KeyError((mechanism, case))

    def to_json(self) -> dict[str, object]:
        """Return the row for JSON, probabilities as the closest floats."""
        return {
            "lead": self.lead,
            "right": rounded(self.right),
            "wrong": rounded(self.wrong),
            "right_at_best": rounded(1 - self.wrong_at_best),
            "rivals": [rival.to_json() for rival in self.rivals],
        }


@dataclass(frozen=True)
class RivalNeed:
    """The lead that a rival needs; None where no lead is enough."""

    mechanism: RivalName
    case: Case
    lead: int | None

    def to_json(self) -> dict[str, object]:
        """Return the need for JSON."""
        return {"mechanism": self.mechanism, "case": self.case, "lead": self.lead}


@dataclass(frozen=True)
class Need:
    """The least lead with which an answer is right with a wanted probability.

    Attributes
    ----------
    right : Fraction
        The wanted probability.
    lead : int or None
        The lead in people; None where no lead is enough.
    rivals : tuple of RivalNeed
        The same for the rivals.
    """

    right: Fraction
    lead: int | None
    rivals: tuple[RivalNeed, ...]

    def to_json(self) -> dict[str, object]:
        """Return the need for JSON."""
        return {
            "right": format_fraction(self.right),
            "lead": self.lead,
            "rivals": [rival.to_json() for rival in self.rivals],
        }


@dataclass(frozen=True)
class PrivacyPlan:
    """All figures under one notion of privacy.

    Attributes
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion.
    cost : PrivacyCost
        What one answer costs.
    rows : tuple of LeadRow
        By lead.
    needs : tuple of Need
        By wanted probability.
    remarks : tuple of str
        Where a rival is better, and where it is not.
    """

    privacy: Privacy
    cost: PrivacyCost
    rows: tuple[LeadRow, ...]
    needs: tuple[Need, ...]
    remarks: tuple[str, ...]

    @property
    def parameters(self) -> dict[str, str]:
        """Each parameter by name, as a decimal where it has a short one."""
        if isinstance(self.privacy, GaussianDP):
            return {"mu": _text(self.privacy.mu)}
        delta = {"delta": _text(self.privacy.delta)} if isinstance(self.privacy, ApproxDP) else {}
        return {"epsilon": _text(self.privacy.epsilon), **delta}

    def to_json(self) -> dict[str, object]:
        """Return everything for JSON."""
        return {
            "privacy": self.parameters,
            "cost": self.cost.to_json(),
            "rows": [row.to_json() for row in self.rows],
            "needed": [need.to_json() for need in self.needs],
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class Least:
    """The least parameter with which an answer is right as often as wanted.

    Attributes
    ----------
    parameter : {"epsilon", "mu"}
        Which one.
    value : Fraction
        A decimal, rounded up, that suffices.
    privacy : Privacy
        The notion of privacy with that parameter.
    want : Fraction
        The wanted probability of a right answer.
    lead : int
        The lead at which it is reached.
    right : Exact
        The probability that is reached.
    """

    parameter: str
    value: Fraction
    privacy: Privacy
    want: Fraction
    lead: int
    right: Value

    @property
    def text(self) -> str:
        """The value as a decimal."""
        places = 0
        while (self.value * 10**places).denominator != 1:
            places += 1
        whole = str(int(self.value * 10**places)).rjust(places + 1, "0")
        return f"{whole[: len(whole) - places]}.{whole[len(whole) - places :]}" if places else whole

    def to_json(self) -> dict[str, object]:
        """Return it for JSON."""
        return {
            self.parameter: self.text,
            "want": format_fraction(self.want),
            "lead": self.lead,
            "right": rounded(self.right),
        }


def _text(value: Exponent) -> str:
    if isinstance(value, Log):
        return str(value)
    text = show(value)
    return format_fraction(value) if text.startswith("about") else text
