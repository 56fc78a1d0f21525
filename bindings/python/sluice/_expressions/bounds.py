# SPDX-License-Identifier: MIT
"""Exact conversion of a tree's bounds to integers."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CYCLE = 146_097 * 86_400_000  # milliseconds of 400 years, the period of the calendar
_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)(\d+))?", re.ASCII)
_MOST_DIGITS = 100  # more than any numeric column has
_MOST: int = 10**_MOST_DIGITS  # stands for all numbers beyond them


def to_integers(texts: list[str]) -> list[int]:
    """Returns the 64-bit integers with these texts; skips others, such as `07` and `7.0`."""
    numbers = [int(text) for text in texts if re.fullmatch(r"-?\d{1,19}", text, re.ASCII)]
    return [number for number in numbers if str(number) in texts and -(2**63) <= number < 2**63]


def to_milliseconds(time: str) -> int:
    """Converts 2026-08-21T02:30:15.123Z to milliseconds since 1970, rounded down.

    Counts within 400 years, after which the calendar repeats, because datetime lacks the year 0.
    """
    cycles, year = divmod(int(time[:4]), 400)
    within = datetime.fromisoformat(f"{year + 400:04}{time[4:]}")
    return (within - _EPOCH) // timedelta(milliseconds=1) + (cycles - 1) * _CYCLE


def to_days(day: str) -> int:
    """Converts 2026-08-21 to days since 1970."""
    return to_milliseconds(f"{day}T00:00:00Z") // 86_400_000


def to_units(number: str, scale: int, *, upwards: bool) -> int:
    """Converts a JSON number to units of 10 ** -scale, rounded down or upwards.

    Numbers beyond all columns become 10 ** 100 units, or its negative; tiny ones are rounded.
    """
    digits, exponent = _read(number)
    size, shift = len(str(abs(digits))), exponent + scale
    if digits == 0 or size + shift > _MOST_DIGITS:
        return _sign(digits) * _MOST
    if size + shift < 0:  # much less than a unit
        digits, shift = _sign(digits), -1
    above, below = 10 ** max(shift, 0), 10 ** max(-shift, 0)
    rounded: int = -(-digits * above // below) if upwards else digits * above // below
    return rounded


def _read(number: str) -> tuple[int, int]:
    """Returns the digits and the exponent of a number, which is digits * 10 ** exponent.

    Digits after the first 200 become one: 0 if all are 0, else 1, which rounds the same way.
    """
    match = _NUMBER.fullmatch(number)
    if match is None:
        raise ValueError(f"{number!r} is not a JSON number")
    sign, whole, fraction, exponent_sign, exponent = match.groups(default="")
    digits = (whole + fraction).lstrip("0")
    kept, cut = digits[: 2 * _MOST_DIGITS], digits[2 * _MOST_DIGITS :]
    rest = "1" if cut.strip("0") else "0"
    shift = int(exponent_sign + (exponent.lstrip("0")[:18] or "0"))
    return int(f"{sign}{kept}{rest}"), shift - len(fraction) + len(cut) - 1


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
