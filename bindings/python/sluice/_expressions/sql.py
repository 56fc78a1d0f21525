# SPDX-License-Identifier: MIT
"""SQL forms for SQLite and PostgreSQL, shared by SQLAlchemy and Django.

Other databases compare texts by their own collations or store decimals as floats; expressions are
refused when they are compiled for one. A form is a template by database, in which {0} and {1} are
the SQL of operands.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import NoReturn, TypeAlias

from sluice._expressions.visitor import is_lower

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
MOST_NESTING = 42  # SQLite supports about 60 if a test is at the bottom
_WHOLE_DIGITS, _DECIMALS = 131_072, 16_383  # of PostgreSQL's numeric
_LEAST = Decimal((0, (1,), -_DECIMALS))  # the smallest positive numeric

PLAIN = {"sqlite": "{0}", "postgresql": "{0}"}
IN_BYTES = {"sqlite": "{0} COLLATE BINARY", "postgresql": '{0}::text COLLATE "C"'}
# Other databases order texts by their own collations.
ORDERED = {**IN_BYTES, **dict.fromkeys(("mysql", "mariadb", "mssql", "microsoft", "oracle"), "{0}")}
# {0} is a test of texts under the collation of their column, which PostgreSQL's indexes support;
# {1} is the same test IN_BYTES.
EXACTLY = {"sqlite": "{1}", "postgresql": "{0} AND coalesce({1}, FALSE)"}
FOLDED = {"sqlite": "{0} COLLATE NOCASE", "postgresql": 'lower({0} COLLATE "C")'}
# A text {0} after or before its first mark {1}, such as the `-` of `US-CA`.
AFTER = {
    "sqlite": "substr({0}, instr({0}, {1}) + 1)",
    "postgresql": 'substr({0}, strpos({0} COLLATE "C", {1}) + 1)',
}
BEFORE = {
    "sqlite": "substr({0}, 1, instr({0} || {1}, {1}) - 1)",
    "postgresql": 'split_part({0} COLLATE "C", {1}, 1)',
}
DECIMAL = {"postgresql": "{0}"}  # SQLite stores decimals as floats
IS_NUMBER = {"postgresql": "{0} <> 'NaN'::numeric"}  # PostgreSQL sorts NaN above all numbers
# {0} is a list, {1} a condition on ITEM. JSON that is no list has no items in PostgreSQL.
ITEM = "sluice_item.value"
HAS_JSON_ITEM = {
    "sqlite": "EXISTS (SELECT 1 FROM json_each({0}) AS sluice_item WHERE {1})",
    "postgresql": "EXISTS (SELECT 1 FROM jsonb_array_elements_text(CASE jsonb_typeof("
    "({0})::jsonb) WHEN 'array' THEN ({0})::jsonb END) AS sluice_item(value) WHERE {1})",
}
HAS_ARRAY_ITEM = {
    "postgresql": "EXISTS (SELECT 1 FROM unnest({0}) AS sluice_item(value) WHERE {1})"
}

Form: TypeAlias = Mapping[str, str]  # by database name


def form_for(form: Form, database: str) -> str | None:
    """Returns the template of a database; None if it can't be exact."""
    template = form.get(database)
    return f"({template})" if template else None


def refusal(database: str, form: Form) -> str:
    """Returns why a database has no template."""
    what = "decimals" if form in (DECIMAL, IS_NUMBER) else "texts"
    return f"{database} can't compare {what} exactly: expected {' or '.join(form)}"


def can_hold(value: object) -> bool:
    """Returns false for a text with NUL, which PostgreSQL lacks and SQLite truncates."""
    return not (isinstance(value, str) and "\0" in value)


def refuse_type(name: str, expected: str, actual: object) -> NoReturn:
    """Raises the error of a column that can't be compared."""
    raise TypeError(f"{name}: expected {expected}, not {actual!r}")


def takes_all(comparison: str, *, is_low: bool) -> bool:
    """Returns true if all values meet a comparison with a bound out of range, false if none does.

    Args:
        comparison: The operator, such as `gte`.
        is_low: True if the bound is below the range of the column's values, false if above it.
    """
    return is_low == is_lower(comparison)


def to_datetime(milliseconds: int) -> datetime | None:
    """Converts a time since 1970; None outside the years 1 to 9999, the range of an ORM's rows."""
    since = timedelta(milliseconds=milliseconds)
    return _EPOCH + since if _FIRST - _EPOCH <= since <= _LAST - _EPOCH else None


def to_decimal(number: str, comparison: str) -> Decimal | None:
    """Converts a bound to PostgreSQL's numeric, rounded to one that accepts the same rows.

    Returns None beyond the range of numeric.
    """
    rounding = ROUND_CEILING if comparison in ("gte", "lt") else ROUND_FLOOR
    exact = Context(_WHOLE_DIGITS + _DECIMALS, rounding, MIN_EMIN, MAX_EMAX, traps=[])
    decimal = exact.create_decimal(number)
    if not decimal:  # regardless of its exponent
        return Decimal(0)
    if not decimal.is_finite() or decimal.adjusted() >= _WHOLE_DIGITS:
        return None
    rounded = decimal.quantize(_LEAST, context=exact)
    return rounded if rounded != decimal else decimal
