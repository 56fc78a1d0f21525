# SPDX-License-Identifier: MIT
"""What the two databases that SQLAlchemy and Django are exact with call the same thing.

Others compare texts by collations of their own, or hold decimals as floats: they are refused when
an expression is compiled.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import NoReturn, TypeAlias

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
MOST_NESTING = 42  # SQLite takes some 60 where a test is at the bottom
_WHOLE_DIGITS, _DECIMALS = 131_072, 16_383  # of PostgreSQL's numeric
_LEAST = Decimal((0, (1,), -_DECIMALS))

PLAIN = {"sqlite": "{0}", "postgresql": "{0}"}
IN_BYTES = {"sqlite": "{0} COLLATE BINARY", "postgresql": '{0}::text COLLATE "C"'}
# Others order texts by collations of their own.
ORDERED = {**IN_BYTES, **dict.fromkeys(("mysql", "mariadb", "mssql", "microsoft", "oracle"), "{0}")}
# Of a test of texts under the collation of their column, whose index PostgreSQL finds them in, and
# the same test IN_BYTES.
EXACTLY = {"sqlite": "{1}", "postgresql": "{0} AND coalesce({1}, FALSE)"}
FOLDED = {"sqlite": "{0} COLLATE NOCASE", "postgresql": 'lower({0} COLLATE "C")'}
AFTER_DASH = {
    "sqlite": "substr({0}, instr({0}, '-') + 1)",
    "postgresql": "substr({0}, strpos({0} COLLATE \"C\", '-') + 1)",
}
BEFORE_QUERY = {
    "sqlite": "substr({0}, 1, instr({0} || '?', '?') - 1)",
    "postgresql": "split_part({0} COLLATE \"C\", '?', 1)",
}
DECIMAL = {"postgresql": "{0}"}  # SQLite holds decimals as floats
# Of a list and a condition on ITEM. JSON that is no list has no items in PostgreSQL.
ITEM = "sluice_item.value"
HAS_JSON_ITEM = {
    "sqlite": "EXISTS (SELECT 1 FROM json_each({0}) AS sluice_item WHERE {1})",
    "postgresql": "EXISTS (SELECT 1 FROM jsonb_array_elements_text(CASE jsonb_typeof("
    "({0})::jsonb) WHEN 'array' THEN ({0})::jsonb END) AS sluice_item(value) WHERE {1})",
}
HAS_ARRAY_ITEM = {
    "postgresql": "EXISTS (SELECT 1 FROM unnest({0}) AS sluice_item(value) WHERE {1})"
}

Form: TypeAlias = Mapping[str, str]  # by the name of the database


def form_for(form: Form, database: str) -> str | None:
    """The template of a database; none where it can't be exact."""
    template = form.get(database)
    return f"({template})" if template else None


def refusal(database: str, form: Form) -> str:
    """Why there is no template."""
    what = "decimals" if form is DECIMAL else "texts"
    return f"{database} can't compare {what} exactly: expected {' or '.join(form)}"


def can_hold(value: object) -> bool:
    """Returns true unless it is a text with a NUL, which PostgreSQL lacks and SQLite ends at."""
    return not (isinstance(value, str) and "\0" in value)


def refuse_type(name: str, expected: str, given: object) -> NoReturn:
    """The error of a column that can't be compared."""
    raise TypeError(f"{name}: expected {expected}, not {given!r}")


def takes_all(comparison: str, *, is_low: bool) -> bool:
    """Returns true if all rows meet a bound below all that they hold, or above; else none does."""
    return is_low == (comparison in ("gt", "gte"))


def to_datetime(milliseconds: int) -> datetime | None:
    """A time since 1970; None outside the years 1 to 9999, where no row of an ORM has one."""
    since = timedelta(milliseconds=milliseconds)
    return _EPOCH + since if _FIRST - _EPOCH <= since <= _LAST - _EPOCH else None


def to_decimal(number: str, comparison: str) -> Decimal | None:
    """A bound as PostgreSQL's numeric holds it, rounded to the next one that takes the same rows.

    None if it lies beyond all that numeric holds.
    """
    rounding = ROUND_CEILING if comparison in ("gte", "lt") else ROUND_FLOOR
    exact = Context(_WHOLE_DIGITS + _DECIMALS, rounding, MIN_EMIN, MAX_EMAX, traps=[])
    decimal = exact.create_decimal(number)
    if not decimal:  # whatever its exponent
        return Decimal(0)
    if not decimal.is_finite() or decimal.adjusted() >= _WHOLE_DIGITS:
        return None
    rounded = decimal.quantize(_LEAST, context=exact)
    return rounded if rounded != decimal else decimal
