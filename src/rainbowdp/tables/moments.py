# SPDX-License-Identifier: Apache-2.0
"""Days, times of day and moments as ISO text, from the whole numbers that engines store.

An engine that writes a date as text, or makes a Python value of it, fails or panics on the
numbers that no calendar has, and one that prints time zones prints them in its own way. So the numbers are
fetched as they are, and this is the only place that gives them a text: the years 1 to 9999, moments with a
time zone in UTC. A number outside has no readable text.
"""

import datetime as dt
import re

from rainbowdp.tables.source import UNREADABLE_CELL

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_PER_DAY = 86_400
_FIRST_DAY = dt.date(1970, 1, 1).toordinal()
_TEXT = re.compile(
    r"(\d{4}-\d\d-\d\d)?([ T])?((?:[01]\d|2[0-3])(?::[0-5]\d){2})?(?:\.(\d+))?"
    r"([+-]\d\d(?::?\d\d(?::\d\d)?)?|Z|UTC)?\Z",
    re.ASCII,
)


def day_text(days: object) -> object:
    r"""Return the date that is so many days after the start of 1970; anything but a number stays itself.

    Examples
    --------
    >>> day_text(0), day_text(2**30), day_text(None)
    ('1970-01-01', b'\xff', None)
    """
    if not isinstance(days, int):
        return days
    try:
        return dt.date.fromordinal(_FIRST_DAY + days).isoformat()
    except (ValueError, OverflowError):
        return UNREADABLE_CELL


def time_text(count: object, unit: str) -> object:
    r"""Return the time of day that is so many units after midnight; anything but a number stays itself.

    Examples
    --------
    >>> time_text(3_600_500, "ms"), time_text(-1, "s"), time_text(90_000, "s")
    ('01:00:00.500000', b'\xff', b'\xff')
    """
    if not isinstance(count, int):
        return count
    seconds, parts = divmod(count, PER_SECOND[unit])
    if not 0 <= seconds < _SECONDS_PER_DAY:
        return UNREADABLE_CELL
    return _clock(seconds) + _fraction(parts * PER_SECOND["ns"] // PER_SECOND[unit])


def moment_text(count: object, unit: str, *, zoned: bool) -> object:
    r"""Return the moment that is so many units after the start of 1970; anything but a number stays itself.

    Parameters
    ----------
    count : object
        The number.
    unit : str
        ``s``, ``ms``, ``us`` or ``ns``.
    zoned : bool
        Whether it is a moment in UTC rather than what a clock on some wall shows.

    Examples
    --------
    >>> moment_text(1_577_840_523_250, "ms", zoned=False), moment_text(0, "ns", zoned=True)
    ('2020-01-01T01:02:03.250000', '1970-01-01T00:00:00+00:00')
    >>> moment_text(2**62, "us", zoned=False)
    b'\xff'
    """
    if not isinstance(count, int):
        return count
    seconds, parts = divmod(count, PER_SECOND[unit])
    days, seconds = divmod(seconds, _SECONDS_PER_DAY)
    day = day_text(days)
    if not isinstance(day, str):
        return day
    zone = "+00:00" if zoned else ""
    return f"{day}T{_clock(seconds)}{_fraction(parts * PER_SECOND['ns'] // PER_SECOND[unit])}{zone}"


def iso_text(text: str) -> str | None:
    """Return ISO text for the text in which an engine says a date or time, or None where it is none.

    Examples
    --------
    >>> iso_text("2020-01-31 05:06:07.800"), iso_text("2020-01-31"), iso_text("05:06:07.000000")
    ('2020-01-31T05:06:07.800000', '2020-01-31', '05:06:07')
    >>> iso_text("2020-01-31 05:06:07+02"), iso_text("05:06:07+02"), iso_text("infinity")
    ('2020-01-31T03:06:07+00:00', '05:06:07+02:00', None)
    >>> iso_text("0000-12-31")
    """
    found = _TEXT.match(text)
    if found is None or not (found[1] or found[3]):
        return None
    day, _, time, fraction, zone = found.groups()
    if day is not None and day.startswith("0000"):
        # Years before the first: other engines say them in other ways.
        return None
    digits = _fraction(int((fraction or "0")[:9].ljust(9, "0")))
    if zone is not None:
        zone = "+00:00" if zone in ("Z", "UTC") else zone
        zone = zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
    if zone is not None and day is not None and time is not None:
        try:
            moment = dt.datetime.fromisoformat(f"{day}T{time}{zone}").astimezone(dt.UTC)
        except (ValueError, OverflowError):
            return None
        day, time, zone = moment.date().isoformat(), moment.time().isoformat(), "+00:00"
    return "T".join(part for part in (day, time) if part) + digits + (zone or "")


def _clock(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"


def _fraction(nanoseconds: int) -> str:
    """Return the digits after the second: none, six, or nine where six do not say it."""
    if nanoseconds % 1000:
        return f".{nanoseconds:09}"
    return f".{nanoseconds // 1000:06}" if nanoseconds else ""
