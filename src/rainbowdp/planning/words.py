# SPDX-License-Identifier: Apache-2.0
"""Chances as people read them: so many of 100 cases, and never 100 of 100 for what can fail."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from rainbowdp.baselines import Value, told
from rainbowdp.exact import Exponent, Log, format_fraction, show
from rainbowdp.goals.values import rounded
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy

_MOST_NINES = 9
_WIDE = Context(prec=60)
_WHOLE, _TENTH = Decimal(1), Decimal("0.1")


def wrong_float(wrong: Value) -> float:
    """Return the float closest to the probability of a wrong answer, from 0 to 1 for any enclosure."""
    return min(max(rounded(wrong), 0.0), 1.0)


def right_float(wrong: Value) -> float:
    """Return the float closest to the probability of a right answer, given that of a wrong one."""
    return min(max(rounded(1 - wrong), 0.0), 1.0)


def cell(wrong: Value) -> str:
    """Return the chance of a right answer for a table, of 100 cases, given that of a wrong one.

    Examples
    --------
    >>> [cell(Fraction(wrong)) for wrong in ("1/3", "0.0004", "1e-6", "0.99999", "0", "1e-30")]
    ['66.7', '>99.9', '>99.9999', '<0.001', '100', '>99.9999999']
    """
    certain = _certain(wrong)
    return (
        _near_an_end(wrong_float(wrong), ">", "<") or f"{_hundred(wrong):.1f}" if certain is None else certain
    )


def of_100(wrong: Value) -> str:
    """Return the chance of a right answer for a sentence, given that of a wrong one.

    Whole numbers from 1 to 99, tenths beyond.

    Examples
    --------
    >>> [of_100(Fraction(wrong)) for wrong in ("1/3", "0.004", "0.0004", "0.99991", "0")]
    ['67 of 100', '99.6 of 100', 'more than 99.9 of 100', 'fewer than 0.01 of 100', '100 of 100']
    """
    certain = _certain(wrong)
    if certain is not None:
        return f"{certain} of 100"
    end = _near_an_end(wrong_float(wrong), "more than ", "fewer than ")
    if end is not None:
        return f"{end} of 100"
    hundred = _hundred(wrong)
    whole = hundred.quantize(_WHOLE, ROUND_HALF_UP)
    return f"{whole if hundred >= 1 and whole <= 99 else hundred.quantize(_TENTH, ROUND_HALF_UP)} of 100"


def guessed_of_100(guess: float) -> str:
    """Return a bound on how often a guess between two possibilities is right, told apart from 1/2 and 1.

    Examples
    --------
    >>> [guessed_of_100(guess) for guess in (0.7311, 0.5025, 0.5)]
    ['at most about 73 of 100', 'at most about 50.2 of 100', '50 of 100']
    >>> [guessed_of_100(guess) for guess in (0.5000001, 0.99991, 1.0)]
    ['fewer than 50.1 of 100', 'perhaps nearly 100 of 100', 'perhaps nearly 100 of 100']
    """
    if guess == 0.5:
        return "50 of 100"
    if guess < 0.5005:
        return "fewer than 50.1 of 100"
    if guess >= 0.9995:
        return "perhaps nearly 100 of 100"
    hundred = 100 * Decimal(guess)
    near_half = f"{hundred.quantize(_TENTH)} of 100"
    return f"at most about {near_half if hundred < Decimal('51.5') else of_100(1 - Fraction(guess))}"


def _certain(wrong: Value) -> str | None:
    """Return what is certain: 100 or 0."""
    whole = told(wrong)
    if isinstance(whole, Fraction) and whole in {0, 1}:
        return "0" if whole else "100"
    return None


def _near_an_end(wrong: float, more: str, fewer: str) -> str | None:
    """Return on which side of a number with nines, or with zeros, a chance lies that tenths do not show."""
    if wrong < 5.5e-4:
        return f"{more}{_nines(wrong)}"
    right = 1 - wrong
    return f"{fewer}0.{'0' * (_digits(right) - 3)}1" if right < 5.5e-4 else None


def _nines(wrong: float) -> str:
    return "99." + "9" * (_digits(wrong) - 2)


def _digits(small: float) -> int:
    """Return the greatest n, up to some number, for which a number is at most 10^-n."""
    found = 3
    while found < _MOST_NINES and Decimal(small) <= Decimal(10) ** -(found + 1):
        found += 1
    return found


def _hundred(wrong: Value) -> Decimal:
    right = 1 - (wrong if isinstance(wrong, Fraction) else Fraction(wrong_float(wrong)))
    return _WIDE.divide(Decimal(100 * right.numerator), Decimal(right.denominator))


def sentence(text: str) -> str:
    """Return a text as a sentence.

    Examples
    --------
    >>> sentence("one answer costs epsilon 1")
    'One answer costs epsilon 1.'
    """
    return f"{text[:1].upper()}{text[1:]}."


def listed(items: Sequence[str]) -> str:
    """Return a list in a sentence.

    Examples
    --------
    >>> listed(["A"]), listed(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def parameters_of(privacy: Privacy) -> dict[str, str]:
    """Return each parameter of a notion of privacy by name, as a decimal where it has a short one.

    Examples
    --------
    >>> parameters_of(ApproxDP("ln 3", "1e-6"))
    {'epsilon': 'ln(3)', 'delta': '0.000001'}
    """
    if isinstance(privacy, GaussianDP):
        return {"mu": _text(privacy.mu)}
    delta = {"delta": _text(privacy.delta)} if isinstance(privacy, ApproxDP) else {}
    return {"epsilon": _text(privacy.epsilon), **delta}


def privacy_words(privacy: Privacy) -> str:
    """Return a notion of privacy for a sentence.

    Examples
    --------
    >>> privacy_words(ApproxDP("ln 3", "1e-6"))
    'epsilon ln(3) and delta 0.000001'
    """
    return " and ".join(f"{name} {value}" for name, value in parameters_of(privacy).items())


def _text(value: Exponent) -> str:
    if isinstance(value, Log):
        return str(value)
    text = show(value)
    return format_fraction(value) if text.startswith("about") else text
