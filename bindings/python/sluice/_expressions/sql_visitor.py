# SPDX-License-Identifier: MIT
"""The visitor that SQLAlchemy and Django share: tests in forms of SQL."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

from sluice._column import Column
from sluice._declared.list_query import ListQuery
from sluice._expressions import sql
from sluice._expressions.bounds import to_days, to_integers, to_milliseconds
from sluice._expressions.nesting import Tree
from sluice._expressions.tests import ALL, Answers
from sluice._expressions.visitor import Expression, Operand, Query, Visitor, is_lower


class SqlVisitor(Visitor[Operand, Expression]):
    """Every test includes IS NOT NULL, so that it is never null."""

    engine = "SQL"
    answers: ClassVar[Answers] = {
        **ALL,
        "is_null": (ALL["is_null"][0] - {"json"}, ALL["is_null"][1]),
    }
    most_nesting = sql.MOST_NESTING

    # --- SQL of an ORM ------------------------------------------------------------------------

    @abstractmethod
    def write(self, form: sql.Form, type: str, *operands: Any) -> Operand:  # noqa: A002, ANN401
        """Returns an expression in a form; `type` is that of a column, or "list"."""

    @abstractmethod
    def meets(self, form: sql.Form, *operands: Any) -> Expression:  # noqa: ANN401
        """Returns a condition in a form."""

    @abstractmethod
    def bind(self, value: object, type: str) -> Operand:  # noqa: A002
        """Returns a parameter; `type` is that of a column."""

    @abstractmethod
    def literal(self, text: str, type: str = "text") -> Operand:  # noqa: A002
        """Returns SQL of the program."""

    @abstractmethod
    def within(self, query: Query, places: Mapping[str, Operand]) -> "SqlVisitor[Any, Expression]":
        """Returns the visitor of a condition on records, whose values are at `places`."""

    def is_integer(self, operand: Operand) -> bool:
        """Returns true if a time or a decimal is stored as an integer."""
        return False

    def is_aware(self, operand: Operand, column: Column) -> bool:
        """Returns true if times are stored with a zone."""
        return True

    def digits(self, operand: Operand) -> sql.Digits:
        """Returns the digits of a decimal column."""
        return sql.Digits()

    # --- Orders -------------------------------------------------------------------------------

    def ordered(self, column: Column, *, is_nullable: bool) -> Operand:
        """Returns a column as the library orders it."""
        operand = self.operand(column)
        if column.type == "text":
            return self.bytewise(operand, sql.ORDERED)
        if column.type == "real" and is_nullable and not self.is_integer(operand):
            return self.write(sql.REAL_OR_NULL, "real", operand)
        if column.type == "uuid":
            return self.ordered_uuid(operand)
        return self.ordered_choice(operand, column) if column.type == "choice" else operand

    @abstractmethod
    def ordered_uuid(self, operand: Operand) -> Operand:
        """Returns a UUID that is ordered by its text in lower case."""

    @abstractmethod
    def ordered_choice(self, operand: Operand, column: Column) -> Operand:
        """Returns an operand that orders rows by the place of their choice in `column.choices`."""

    @abstractmethod
    def key_operand(self, column: Column) -> Operand:
        """Returns the value that cursors have of a column; SQLite's decimals as it has them."""

    def key_bound(
        self, column: Column, comparison: str, key: str, *, is_nan_null: bool = False
    ) -> Expression:
        """Compares with the key of a cursor; false for null, and for NaN if it is ordered so."""
        special = sql.special_of(column.type, key)
        if special:
            form = sql.beside_special(column.type, comparison, special)
            operand = self.operand(column)
            tests = [self.present(operand), self.meets(form, operand)]
            return self.all_of([*tests, self.has_value(column)] if is_nan_null else tests)
        if column.type == "integer":
            return self.integer_bound(column, comparison, int(key))
        if column.type == "decimal":
            return self._decimal_key_bound(column, comparison, key, takes_nan=not is_nan_null)
        if column.type == "real":
            return self.real_bound(column, comparison, float(key), takes_nan=not is_nan_null)
        if column.type == "date":
            return self.day_bound(column, comparison, to_days(key))
        if column.type == "time":
            return self.precise_bound(column, comparison, key)
        if column.type == "uuid":
            return self.uuid_bound(column, comparison, UUID(key))
        if column.type == "choice":
            return self.choice_bound(column, comparison, key)
        if column.type == "boolean":
            wanted = self.bind(key == "true", "boolean")
            return self.compare(self.operand(column), comparison, wanted)
        return self.text_bound(column, comparison, key)

    def _decimal_key_bound(
        self, column: Column, comparison: str, key: str, *, takes_nan: bool
    ) -> Expression:
        """Compares with the key of a cursor; in SQLite as the number that it has for the key."""
        operand = self.operand(column)
        number = sql.to_sqlite_number(key)
        kind = "integer" if isinstance(number, int) else "real"
        exact = self.decimal_bound(column, comparison, key, takes_nan=takes_nan)
        form = sql.AS_NUMBERS[comparison]
        return self.meets(form, operand, self.bind(number, kind), exact)

    def precise_bound(self, column: Column, comparison: str, key: str) -> Expression:
        """Compares with a time of microseconds, or one that is written as milliseconds."""
        is_number = key.lstrip("-").isdigit()
        milliseconds = int(key) if is_number else to_milliseconds(key)
        operand = self.operand(column)
        if self.is_integer(operand):
            return self.integer_bound(column, comparison, milliseconds)
        at = sql.to_datetime(milliseconds)
        if at is not None and not is_number:
            at = datetime.fromisoformat(key)  # with microseconds
        if at is None:
            return self.beyond(operand, comparison, is_low=milliseconds < 0)
        is_aware = self.is_aware(operand, column)
        return self.compare(operand, comparison, at if is_aware else at.replace(tzinfo=None))

    @abstractmethod
    def uuid_bound(self, column: Column, comparison: str, uuid: UUID) -> Expression:
        """Compares UUIDs by their order."""

    def choice_bound(self, column: Column, comparison: str, text: str) -> Expression:
        """Compares choices by their order."""
        return self._bounds(column, {comparison: text})

    def cursor_key(self, column: Column, operand: Operand, value: Any) -> object:  # noqa: ANN401
        """Returns a value of key_operand() for cursor_beside()."""
        if column.type == "decimal" and isinstance(value, float):
            return sql.from_sqlite_number(value)
        if isinstance(value, datetime) and value.tzinfo is None:
            return value.replace(tzinfo=UTC)
        if column.type == "real" and isinstance(value, int):
            return float(value)
        return bool(value) if column.type == "boolean" and value is not None else value

    # --- Tests --------------------------------------------------------------------------------

    def can_hold(self, value: object) -> bool:
        """Returns false for texts with NUL, which no row has."""
        return sql.can_hold(value)

    def in_bytes(self, operand: Operand) -> Operand:
        """Applies a collation of bytes."""
        return self.bytewise(operand, sql.IN_BYTES)

    def bytewise(self, operand: Operand, form: sql.Form) -> Operand:
        """Returns a text in a form, or as it is if its collation compares bytes."""
        is_bytewise = self.collation(operand) in sql.BYTEWISE
        return operand if is_bytewise else self.write(form, "text", operand)

    def collation(self, operand: Operand) -> str | None:
        """Returns the collation of a column, if it is known."""
        return None

    @abstractmethod
    def is_lowered(self, operand: Operand) -> bool:
        """Returns true for the result of lowered()."""

    def folded(self, operand: Operand) -> Operand:
        """Applies an ASCII collation."""
        return self.write(sql.FOLDED, "text", operand)

    def lowered(self, operand: Operand) -> Operand:
        """Converts ASCII letters."""
        return self.write(sql.LOWERED, "text", operand)

    def after(self, operand: Operand, mark: str) -> Operand:
        """Cuts after the first mark."""
        return self.write(sql.AFTER, "text", operand, self.literal(f"'{mark}'"))

    def before(self, operand: Operand, mark: str) -> Operand:
        """Cuts before the first mark."""
        return self.write(sql.BEFORE, "text", operand, self.literal(f"'{mark}'"))

    def has_part(self, operand: Operand, test: str, part: str) -> Expression:
        """Writes a test of whether a text starts with, ends with or contains a part."""
        bound = self.bind(part, "text")
        if test == "starts_with" and part and not self.is_lowered(operand):
            texts = sql.text_after(part), sql.pattern_of(part)
            has = self.starts(operand, bound, *(self.bind(text, "text") for text in texts))
        else:
            pattern = self.bind(f"%{sql.pattern_of(part)}", "text")
            has = self.meets(sql.PARTS[test], operand, bound, pattern)
        return self.all_of([self.present(operand), has])

    def starts(self, operand: Operand, *operands: Operand) -> Expression:
        """Returns a test of sql.STARTS_IN_ORDER, by an index of the operand's collation."""
        is_bytewise = self.collation(operand) in sql.BYTEWISE
        form = sql.STARTS_BYTEWISE if is_bytewise else sql.STARTS_IN_ORDER
        return self.meets(form, operand, *operands)

    def has_value(self, column: Column) -> Expression:
        """Treats NaN, and JSON that isn't a list, as missing."""
        operand = self.operand(column)
        if column.is_list or column.type == "records":
            return self.is_list(operand)
        is_there = self.present(operand)
        nan = {"real": sql.IS_REAL, "decimal": sql.IS_NUMBER}.get(column.type)
        if nan is None or self.is_integer(operand):
            return is_there
        return self.all_of([is_there, self.meets(nan, operand)])

    @abstractmethod
    def is_list(self, operand: Operand) -> Expression:
        """Returns the expression that there is a list."""

    def has_record(self, column: Column, where: Tree) -> Expression:
        """Returns EXISTS over the records that meet a condition."""
        places = {inner.name: self._of_record(inner) for inner in column.columns}
        query = ListQuery.from_tree({"where": where}, column.columns)
        return self.meets(
            sql.HAS_RECORD, self.operand(column), self.within(query, places).read(query)
        )

    def _of_record(self, column: Column) -> Operand:
        """Returns the value of a record.

        Raises:
            ValueError: Databases don't read the type exactly, or the name needs escapes.
        """
        form = sql.RECORD_VALUES.get("list" if column.is_list else column.type)
        if form is None:
            raise self.refusal(column.name, f"a record has no {column.type}: leave it out")
        if any(letter in column.name for letter in "'\"\\%{\0"):
            raise self.refusal(column.name, "give it a plain name")
        of_key = {database: text.replace("{0}", column.name) for database, text in form.items()}
        kind = "integer" if column.type == "time" else column.type
        kind = "text" if column.type in ("uuid", "choice") else kind
        return self.write(of_key, "list" if column.is_list else kind)

    def metadata(self, column: Column, leaf: Tree) -> Expression:
        """Reads PostgreSQL's jsonb, and JSON by a function that SQLite is given."""
        query = ListQuery.from_tree({"where": leaf}, [column])
        at = {column.name: "{0}::jsonb"}
        native = query.to_sql("postgresql", "t", columns=at, metadata="native", form="condition")
        at = {column.name: "{0}"}
        called = query.to_sql("sqlite", "t", columns=at, metadata="function", form="condition")
        binds = [*native.parameters, *called.parameters]
        shift = len(native.parameters)
        form = {
            "postgresql": re.sub(r"\$(\d+)", r"{\1}", native.text),
            "sqlite": re.sub(r"\?(\d+)", lambda at: f"{{{int(at[1]) + shift}}}", called.text),
        }
        return self.meets(form, self.operand(column), *map(self.bind_any, binds))

    # --- Groups -------------------------------------------------------------------------------

    def group_value(self, column: Column) -> Operand:
        """Returns the value that rows are grouped by or that is measured; see RowGroups."""
        if column.is_list:
            return self.as_list(column)
        operand = self.operand(column)
        if column.type in ("text", "uuid", "choice"):
            return self.write(sql.AS_TEXT, "text", operand)
        if column.type == "time":
            return self.as_milliseconds(operand)
        if column.type == "decimal":
            is_integer = self.is_integer(operand)
            return self.write(sql.INTEGER_AS_DECIMAL, "decimal", operand) if is_integer else operand
        if column.type == "real":
            return self.write(sql.AS_DOUBLE, "real", operand)
        return self.write(sql.AS_JSON, "text", operand) if column.type == "json" else operand

    @abstractmethod
    def as_list(self, column: Column) -> Operand:
        """Returns an ARRAY of texts, or JSON that is a list.

        Raises:
            ValueError: The items are those of related rows.
        """

    def as_milliseconds(self, operand: Operand) -> Operand:
        """Returns a time as milliseconds since 1970."""
        if self.is_integer(operand):
            return operand
        return self.write(sql.AS_MILLISECONDS, "integer", operand)

    def choice_texts(self, column: Column) -> Mapping[str, str]:
        """Returns the choices of a column, in order, by the texts that the table has for them."""
        return {text: text for text in column.choices}

    # --- Lists and bounds ---------------------------------------------------------------------

    def items(self, kind: str, values: list[str], bits: int = 64) -> list[Any]:
        """Returns values as the items of an array of texts, integers or UUIDs that can equal them.

        Args:
            kind: The type of the items.
            values: The values.
            bits: The size of integers.
        """
        if kind == "integer":
            most = 2 ** (bits - 1)
            return [number for number in to_integers(values) if -most <= number < most]
        if kind == "uuid":
            return [UUID(value) for value in values]
        return [value for value in values if self.can_hold(value)]

    @abstractmethod
    def bind_any(self, value: object) -> Operand:
        """Returns a parameter whose type the SQL states."""

    def text_bound(self, column: Column, comparison: str, text: str) -> Expression:
        """Compares bytes."""
        comparison, held = sql.bound_without_nul(comparison, text)
        bound = self.bind(held, "text")
        return self.compare(self.in_bytes(self.operand(column)), comparison, bound)

    def real_bound(
        self, column: Column, comparison: str, number: float, *, takes_nan: bool = False
    ) -> Expression:
        """Compares doubles; PostgreSQL sorts NaN above all."""
        operand = self.operand(column)
        compared = self.compare(operand, comparison, self.bind(number, "real"))
        if takes_nan or not is_lower(comparison) or self.is_integer(operand):
            return compared
        return self.all_of([compared, self.meets(sql.IS_REAL, operand)])

    def day_bound(self, column: Column, comparison: str, days: int) -> Expression:
        """Compares dates."""
        operand, day = self.operand(column), sql.to_date(days)
        if day is None:
            return self.beyond(operand, comparison, is_low=days < 0)
        return self.compare(operand, comparison, self.bind(day, "date"))

    def is_any_day(self, column: Column, days: list[int]) -> Expression:
        """Returns IN with a list of dates."""
        dates: Any = [day for day in map(sql.to_date, days) if day is not None]
        return self.is_any(self.operand(column), dates) if dates else self.constant(False)

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> Expression:
        """Compares with a datetime in UTC, which is aware if the column is."""
        operand = self.operand(column)
        if self.is_integer(operand):
            return self.integer_bound(column, comparison, milliseconds)
        time = sql.to_datetime(milliseconds)
        if time is None:
            return self.beyond(operand, comparison, is_low=milliseconds < 0)
        is_aware = self.is_aware(operand, column)
        return self.compare(operand, comparison, time if is_aware else time.replace(tzinfo=None))

    def decimal_bound(
        self, column: Column, comparison: str, number: str, *, takes_nan: bool = False
    ) -> Expression:
        """Compares with a decimal, rounded to the column's digits."""
        operand, is_low = self.operand(column), number.startswith("-")
        digits = self.digits(operand)
        decimal = sql.to_decimal(number, comparison, digits)
        is_number = self.meets(sql.IS_NUMBER, operand)
        if decimal is None:
            return self.all_of([self.beyond(operand, comparison, is_low=is_low), is_number])
        is_exact = digits.form is sql.PLAIN
        place = operand if is_exact else self.write(digits.form, "decimal", operand)
        compared = self.compare(place, comparison, self.bind_decimal(decimal, digits))
        if takes_nan or not is_lower(comparison):
            return compared
        return self.all_of([compared, is_number])

    def bind_decimal(self, decimal: Decimal, digits: sql.Digits) -> Operand:
        """Returns a bound of a decimal column as a parameter."""
        return self.write(digits.bound, "decimal", self.bind(decimal, "decimal"))

    def beyond(self, operand: Operand, comparison: str, *, is_low: bool) -> Expression:
        """Returns the condition of a bound below or above all values of a column."""
        takes_all = sql.takes_all(comparison, is_low=is_low)
        return self.present(operand) if takes_all else self.constant(False)
