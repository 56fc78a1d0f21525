# SPDX-License-Identifier: MIT
"""SQL forms for SQLite, PostgreSQL and MariaDB, shared by SQLAlchemy and Django.

Other databases compare texts by their own collations or store decimals as floats; expressions are
refused when they are compiled for one. A form is a template by database, in which {0} and {1} are
the SQL of operands.
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import NamedTuple, NoReturn, TypeAlias

from sluice._expressions.visitor import is_lower

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (  # milliseconds since 1970
    (end.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
    for end in (datetime.min, datetime.max)
)
MOST_NESTING = 42  # SQLite supports about 60 if a test is at the bottom
NAN = "1e9999999"  # the key of NaN in cursors; see sluice::sql::detail::special_numbers
_SPECIAL = {"1e999999": "Infinity", "-1e999999": "-Infinity", NAN: "NaN"}
MOST_OF_FLOATS = 15  # digits of a decimal that a float tells from its neighbours

# The bytes of a text, whatever the collation and the set of characters of its column are.
_BYTES = "CONVERT({0} USING utf8mb4) COLLATE utf8mb4_nopad_bin"
# LOWER() of MariaDB folds other alphabets too, except in a set of characters with no case beyond
# ASCII.
_LOWER = (
    "CONVERT(CAST(LOWER(CONVERT(CAST(CONVERT({0} USING utf8mb4) AS BINARY) USING geostd8)) AS "
    "BINARY) USING utf8mb4) COLLATE utf8mb4_nopad_bin"
)


def everywhere(template: str) -> "Form":
    """Returns the form of a template that all databases read."""
    return dict.fromkeys(("sqlite", "postgresql", "mariadb"), template)


PLAIN = everywhere("{0}")
IN_BYTES = {
    "sqlite": "{0} COLLATE BINARY",
    "postgresql": '{0}::text COLLATE "C"',
    "mariadb": _BYTES,
}
# Other databases order texts by their own collations.
ORDERED = {**IN_BYTES, **dict.fromkeys(("mysql", "mssql", "microsoft", "oracle"), "{0}")}
# Collations that order texts by their bytes.
BYTEWISE = ("C", "POSIX", "ucs_basic", "BINARY", "utf8mb4_nopad_bin")
# {0} is a test of texts under the collation of their column, which indexes support; {1} is the same
# test IN_BYTES.
EXACTLY = {
    "sqlite": "{1}",
    "postgresql": "{0} AND coalesce({1}, FALSE)",
    "mariadb": "{0} AND {1}",
}
IN_EXACTLY = {  # a text {0}, the same IN_BYTES {1}, and a list {2}
    database: form.format("{0} IN {2}", "{1} IN {2}") for database, form in EXACTLY.items()
}
# Orders: a choice {0} by its place {1} unless the database knows it, a UUID by its text, a real
# with NaN as missing.
NATIVE_CHOICE = {"sqlite": "{1}", "postgresql": "{0}", "mariadb": "{0}"}
UUID_TEXT = {**everywhere("{0}"), "mariadb": "LOWER(CONVERT({0} USING utf8mb4))"}
CAST_UUID = {**everywhere("{0}"), "mariadb": "LOWER(CONVERT(CAST({0} AS UUID) USING utf8mb4))"}
_OTHERS = dict.fromkeys(("mysql", "mssql", "microsoft", "oracle"), "{0}")
ASCENDING = {name: f"{text} ASC" for name, text in {**PLAIN, **_OTHERS}.items()}
DESCENDING = {name: f"{text} DESC" for name, text in {**PLAIN, **_OTHERS}.items()}
# PostgreSQL and Oracle have nulls last in ascending orders.
_NULLS = ("postgresql", "oracle")
NULLS_FIRST = {**ASCENDING, **dict.fromkeys(_NULLS, "{0} ASC NULLS FIRST")}
NULLS_LAST = {**DESCENDING, **dict.fromkeys(_NULLS, "{0} DESC NULLS LAST")}
REAL_OR_NULL = {**everywhere("{0}"), "postgresql": "nullif({0}, 'NaN'::float8)"}
FOLDED = {
    "sqlite": "{0} COLLATE NOCASE",
    "postgresql": 'lower({0} COLLATE "C")',
    "mariadb": _LOWER,
}
LOWERED = {**FOLDED, "sqlite": "lower({0})"}  # for parts of texts, which no collation compares
# A text {0} after or before its first mark {1}, such as the `-` of `US-CA`.
AFTER = {
    "sqlite": "substr({0}, instr({0}, {1}) + 1)",
    "postgresql": 'substr({0}, strpos({0} COLLATE "C", {1}) + 1)',
    "mariadb": f"SUBSTRING({{0}}, LOCATE({{1}}, {_BYTES}) + 1)",
}
BEFORE = {
    "sqlite": "substr({0}, 1, instr({0} || {1}, {1}) - 1)",
    "postgresql": 'split_part({0} COLLATE "C", {1}, 1)',
    "mariadb": "SUBSTRING_INDEX({0}, {1}, 1)",
}
# Tests that a text {0}, compared by its bytes, has a part {1}, whose pattern is {2}. An index of
# trigrams in PostgreSQL finds patterns only.
PARTS = {
    "contains": {
        "sqlite": "instr({0}, {1}) > 0",
        "postgresql": "{0} LIKE {2} ESCAPE '!'",
        "mariadb": "LOCATE({1}, {0}) > 0",
    },
    "starts_with": {
        "sqlite": "substr({0}, 1, length({1})) = {1}",
        "postgresql": "starts_with({0}, {1})",
        "mariadb": "LEFT({0}, CHAR_LENGTH({1})) = {1}",
    },
    "ends_with": {
        "sqlite": "substr({0}, length({0}) - length({1}) + 1) = {1}",
        "postgresql": "right({0}, length({1})) = {1}",
        "mariadb": "RIGHT({0}, CHAR_LENGTH({1})) = {1}",
    },
}
# {2} is the text after all that start with {1}.
STARTS_IN_ORDER = {
    "sqlite": "{0} >= {1} AND {0} < {2}",
    "postgresql": "starts_with({0}, {1})",
    "mariadb": "LEFT({0}, CHAR_LENGTH({1})) = {1}",
}
# {3} is {1} as a pattern; a column in the order of bytes has an index for it.
STARTS_BYTEWISE = {
    **STARTS_IN_ORDER,
    "mariadb": "{0} LIKE {3} ESCAPE '!' AND LEFT({0}, CHAR_LENGTH({1})) = {1}",
}
# Values of groups and measures, as tables of ddl() have them.
AS_TEXT = {
    "sqlite": "{0}",
    "postgresql": "{0}::text",
    "mariadb": "CONVERT({0} USING utf8mb4)",
}
AS_DOUBLE = {"sqlite": "{0}", "postgresql": "{0}::float8", "mariadb": "CAST({0} AS DOUBLE)"}
INTEGER_AS_DECIMAL = {
    "sqlite": "{0}",
    "postgresql": "{0}::numeric",
    "mariadb": "CAST({0} AS DECIMAL(20, 0))",
}
AS_MILLISECONDS = {
    "sqlite": "unixepoch(substr({0}, 1, 19)) * 1000 + "
    "CAST(substr(substr({0}, 21) || '000', 1, 3) AS INTEGER)",
    "postgresql": "floor(extract(epoch FROM {0}) * 1000)::bigint",
    "mariadb": "floor(timestampdiff(MICROSECOND, '1970-01-01', {0}) / 1000)",
}
AS_JSON = {"sqlite": "{0}", "postgresql": "{0}::jsonb"}
JSON_AS_LIST = {
    "sqlite": "CASE json_type({0}) WHEN 'array' THEN {0} END",
    "postgresql": "CASE jsonb_typeof(({0})::jsonb) WHEN 'array' THEN "
    "ARRAY(SELECT jsonb_array_elements_text(({0})::jsonb)) END",
    "mariadb": "CASE JSON_TYPE({0}) WHEN 'ARRAY' THEN {0} END",
}
ARRAY_AS_LIST = {"postgresql": "{0}::text[]"}
DECIMAL = {"postgresql": "{0}", "mariadb": "{0}"}  # SQLite stores decimals as floats
# PostgreSQL sorts NaN above all numbers.
IS_NUMBER = {**DECIMAL, **everywhere("TRUE"), "postgresql": "{0} <> 'NaN'::numeric"}
# A decimal {0} beside the key of a cursor: SQLite's number {1}, or in other databases the test {2}.
AS_NUMBERS = {
    name: {
        "sqlite": f"{{0}} IS NOT NULL AND {{0}} {operator} {{1}}",
        "postgresql": "{2}",
        "mariadb": "{2}",
    }
    for name, operator in (("gt", ">"), ("gte", ">="), ("lt", "<"), ("lte", "<="))
}
IS_REAL = {**everywhere("TRUE"), "postgresql": "{0} <> 'NaN'::float8"}
# {0} is a list, {1} a condition on ITEM, a text. JSON that isn't a list has no items.
ITEM = "sluice_item.value"
NUMBER_ITEM = {**everywhere(ITEM), "sqlite": f"CAST({ITEM} AS TEXT)"}
IS_JSON_LIST = {
    "sqlite": "coalesce(json_type({0}) = 'array', FALSE)",
    "postgresql": "coalesce(jsonb_typeof(({0})::jsonb) = 'array', FALSE)",
    "mariadb": "coalesce(JSON_TYPE({0}) = 'ARRAY', FALSE)",
}
_JSON_ITEMS = {
    "sqlite": "json_each(CASE json_type({0}) WHEN 'array' THEN {0} END)",
    "postgresql": "jsonb_array_elements%s(CASE jsonb_typeof(({0})::jsonb) WHEN 'array' THEN "
    "({0})::jsonb END)",
    "mariadb": "JSON_TABLE(CASE JSON_TYPE({0}) WHEN 'ARRAY' THEN {0} END, '$[*]' COLUMNS (value %s "
    "PATH '$'))",
}
HAS_JSON_ITEM = {
    "sqlite": f"EXISTS (SELECT 1 FROM {_JSON_ITEMS['sqlite']} AS sluice_item WHERE {{1}})",
    "postgresql": f"EXISTS (SELECT 1 FROM {_JSON_ITEMS['postgresql'] % '_text'} AS "
    "sluice_item(value) WHERE {1})",
    "mariadb": f"EXISTS (SELECT 1 FROM "
    f"{_JSON_ITEMS['mariadb'] % 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin'} AS "
    "sluice_item WHERE {1})",
}
IS_ARRAY = {"postgresql": "{0} IS NOT NULL"}
# An array {0} has some of {1}, which an index finds; texts are then compared by their bytes. {2} is
# the same test of JSON.
SHARES_IN_JSON = everywhere("{2}")
SHARES = {"postgresql": "{0} IS NOT NULL AND {0} && {1}"}
SHARES_TEXTS = {
    "postgresql": '{0} && {1} AND coalesce({0}::text[] COLLATE "C" && {1}::text[], FALSE)'
}
HAS_ARRAY_ITEM = {
    "postgresql": "EXISTS (SELECT 1 FROM unnest({0}::text[]) AS sluice_item(value) WHERE {1})"
}
# {0} is a list of records, {1} a condition on the values of one.
HAS_RECORD = {
    "sqlite": f"EXISTS (SELECT 1 FROM {_JSON_ITEMS['sqlite']} AS sluice_record WHERE {{1}})",
    "postgresql": f"EXISTS (SELECT 1 FROM {_JSON_ITEMS['postgresql'] % ''} AS sluice_record(value) "
    "WHERE {1})",
    "mariadb": f"EXISTS (SELECT 1 FROM {_JSON_ITEMS['mariadb'] % 'JSON'} AS sluice_record WHERE "
    "{1})",
}
_VALUE = "json_extract(sluice_record.value, '$.\"{0}\"')"
_TEXT = "JSON_VALUE(sluice_record.value, '$.\"{0}\"')"


def _value(postgresql: str, mariadb: str = _TEXT) -> "Form":
    return {"sqlite": _VALUE, "postgresql": postgresql, "mariadb": mariadb}


def _typed(kind: str, type: str) -> str:  # noqa: A002
    """Returns a value of a record in PostgreSQL; NULL if JSON has another kind there."""
    value = "sluice_record.value -> '{0}'"
    return f"CASE jsonb_typeof({value}) WHEN '{kind}' THEN ({value} #>> '{{}}')::{type} END"


# The value of a record under a key, which replaces {0}, by the type of its column, or "list".
RECORD_VALUES = {
    **dict.fromkeys(("text", "uuid", "choice"), _value(_typed("string", "text"))),
    **dict.fromkeys(
        ("integer", "time"), _value(_typed("number", "bigint"), f"CAST({_TEXT} AS SIGNED)")
    ),
    "real": _value(_typed("number", "float8"), f"CAST({_TEXT} AS DOUBLE)"),
    "boolean": _value(_typed("boolean", "boolean"), f"CAST({_TEXT} AS SIGNED)"),
    "date": _value(_typed("string", "date"), f"CAST({_TEXT} AS DATE)"),
    "list": _value(
        "sluice_record.value -> '{0}'", "JSON_EXTRACT(sluice_record.value, '$.\"{0}\"')"
    ),
}

Form: TypeAlias = Mapping[str, str]  # by database name


def form_for(form: Form, database: str) -> str | None:
    """Returns the template of a database; None if it can't be exact."""
    return form.get(database)


def refusal(database: str, form: Form) -> str:
    """Returns why a database has no template."""
    what = "compare decimals" if form in (DECIMAL, IS_NUMBER) else "compare texts"
    what = "read metadata" if "mariadb" not in form else what
    return f"{database} can't {what} exactly: expected {' or '.join(form)}"


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


def special_of(column_type: str, key: str) -> str:
    """Returns the name of a number that JSON lacks, if a cursor's key stands for one, or ""."""
    name = _SPECIAL.get(key, "")
    if column_type == "real" and not name and math.isinf(float(key)):
        return "-Infinity" if key.startswith("-") else "Infinity"
    return name if column_type in ("real", "decimal") else ""


def beside_special(column_type: str, comparison: str, special: str) -> "Form":
    """Returns the comparison of a number {0} with one that is infinite or NaN.

    PostgreSQL has NaN above all numbers. Other databases have none, MariaDB no infinity, and no
    decimal of SQLite is infinite.
    """
    operator = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}[comparison]
    kind = "float8" if column_type == "real" else "numeric"
    whole = "TRUE" if takes_all(comparison, is_low=special.startswith("-")) else "FALSE"
    form = {**everywhere(whole), "postgresql": f"{{0}} {operator} '{special}'::{kind}"}
    if column_type == "real" and special != "NaN":
        form["sqlite"] = f"{{0}} {operator} {special.replace('Infinity', '9e999')}"
    return form


def to_datetime(milliseconds: int) -> datetime | None:
    """Converts a time since 1970; None outside the years 1 to 9999, the range of an ORM's rows."""
    is_within = _FIRST <= milliseconds <= _LAST
    return _EPOCH + timedelta(milliseconds=milliseconds) if is_within else None


def to_date(days: int) -> date | None:
    """Converts days since 1970; None outside the years 1 to 9999."""
    ordinal = days + _EPOCH.toordinal()
    return date.fromordinal(ordinal) if 1 <= ordinal <= date.max.toordinal() else None


def bound_without_nul(comparison: str, text: str) -> tuple[str, str]:
    """Cuts a bound at a NUL, which no text has: one beyond the rest is beyond the bound too."""
    held, nul, _ = text.partition("\0")
    return ("gt" if is_lower(comparison) else "lte", held) if nul else (comparison, text)


def text_after(prefix: str) -> str:
    """Returns a text that follows all texts with a prefix, in the order of bytes."""
    rest = prefix.rstrip("\U0010ffff")
    if not rest:
        return prefix + "\U0010ffff"
    last = ord(rest[-1])
    return rest[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)


def pattern_of(prefix: str) -> str:
    """Returns the pattern of LIKE for texts with a prefix, whose escape is `!`."""
    return "".join(f"!{letter}" if letter in "!%_" else letter for letter in prefix) + "%"


class Digits(NamedTuple):
    """The digits of a decimal column, of which SQLite's floats hold 15."""

    whole: int = 131_072  # the most of PostgreSQL's numeric
    decimals: int = 16_383

    @property
    def form(self) -> Form:
        """The form of the column."""
        return PLAIN if self.whole + self.decimals <= MOST_OF_FLOATS else DECIMAL

    @property
    def bound(self) -> Form:
        """The form of a bound, a text of digits in MariaDB."""
        decimals = min(self.decimals, 30)
        return {
            **PLAIN,
            "sqlite": "CAST({0} AS REAL)",
            "mariadb": f"CAST({{0}} AS DECIMAL(65, {decimals}))",
        }


def from_sqlite_number(number: float) -> int | Decimal:
    """Returns the decimal of a cursor's key from a double of SQLite, which it is converted to."""
    is_integer = number.is_integer() and abs(number) < 2**63
    return int(number) if is_integer else Decimal(repr(number))


def to_sqlite_number(key: str) -> int | float:
    """Returns what SQLite has for from_sqlite_number(), or for an integer of its own."""
    is_integer = re.fullmatch(r"-?\d{1,19}", key, re.ASCII) and -(2**63) <= int(key) < 2**63
    return int(key) if is_integer else float(key)


def to_decimal(number: str, comparison: str, digits: Digits) -> Decimal | None:
    """Converts a bound to one with the decimals of a column that accepts the same rows.

    Returns None beyond the range of the column.
    """
    rounding = ROUND_CEILING if comparison in ("gte", "lt") else ROUND_FLOOR
    exact = Context(sum(Digits()), rounding, MIN_EMIN, MAX_EMAX, traps=[])
    decimal = exact.create_decimal(number)
    if not decimal:  # regardless of its exponent
        return Decimal(0)
    if not decimal.is_finite() or decimal.adjusted() >= digits.whole:
        return None
    rounded = decimal.quantize(Decimal((0, (1,), -digits.decimals)), context=exact)
    return rounded if rounded != decimal else decimal
