# SPDX-License-Identifier: MIT
"""What the two databases that SQLAlchemy and Django are exact with call the same thing.

Others compare texts by collations of their own, or hold decimals as floats: they are refused when
an expression is compiled.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import NoReturn, TypeAlias

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
MOST_NESTING = 42  # SQLite takes some 60 where a test is at the bottom
_MOST_DIGITS = 1_000  # before or after the point; PostgreSQL has more

PLAIN = {"sqlite": "{0}", "postgresql": "{0}"}
EXACT = {"sqlite": "{0} COLLATE BINARY", "postgresql": "{0}"}
FOLDED = {"sqlite": "{0} COLLATE NOCASE", "postgresql": 'lower({0} COLLATE "C")'}
AFTER_DASH = {
    "sqlite": "substr({0}, instr({0}, '-') + 1)",
    "postgresql": "substr({0}, strpos({0}, '-') + 1)",
}
BEFORE_QUERY = {
    "sqlite": "substr({0}, 1, instr({0} || '?', '?') - 1)",
    "postgresql": "split_part({0}, '?', 1)",
}
DECIMAL = {"postgresql": "{0}"}  # SQLite holds decimals as floats
JSON_ITEMS = {"sqlite": "json_each", "postgresql": "jsonb_array_elements_text"}

Form: TypeAlias = Mapping[str, str]  # by the name of the database


def form_for(form: Form, database: str) -> str | None:
    """The template of a database; none where it can't be exact."""
    template = form.get(database)
    return f"({template})" if template else None


def refusal(database: str, form: Form) -> str:
    """Why there is no template."""
    what = "decimals" if form is DECIMAL else "texts"
    return f"{database} can't compare {what} exactly: expected {' or '.join(form)}"


def check_texts(values: Sequence[object]) -> None:
    """Refuses texts with a NUL, which PostgreSQL lacks and collations of SQLite end at."""
    if any(isinstance(value, str) and "\0" in value for value in values):
        raise ValueError("SQL has no exact expression for texts with a NUL character")


def refuse_type(name: str, expected: str, given: object) -> NoReturn:
    """The error of a column that can't be compared."""
    raise TypeError(f"{name}: expected {expected}, not {given!r}")


def to_datetime(name: str, milliseconds: int) -> datetime | None:
    """A time since 1970; none after the last that there is."""
    since = timedelta(milliseconds=milliseconds)
    if since < _FIRST - _EPOCH:
        raise ValueError(f"{name}: SQL has no exact expression for times before the year 1")
    return _EPOCH + since if since <= _LAST - _EPOCH else None


def to_decimal(name: str, number: str) -> Decimal:
    """A decimal that databases have room for."""
    try:
        decimal = Decimal(number)
    except InvalidOperation:  # of an exponent
        decimal = Decimal("Infinity")
    if decimal.is_finite() and abs(decimal.adjusted()) <= _MOST_DIGITS:
        return decimal
    raise ValueError(f"{name}: SQL has no exact expression for decimals of so many digits")
