# SPDX-License-Identifier: MIT
"""Conditions as expressions of SQLAlchemy, for SQLite and PostgreSQL."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sluice._column import Column
from sluice._expressions import sql
from sluice._expressions.bounds import to_units
from sluice._expressions.missing import explained
from sluice._expressions.visitor import COMPARISONS, Query, Values, Visitor, is_lower

with explained("sqlalchemy"):
    import sqlalchemy as sa
    from sqlalchemy.exc import CompileError
    from sqlalchemy.ext.compiler import compiles
    from sqlalchemy.sql.compiler import SQLCompiler, StrSQLCompiler
    from sqlalchemy.sql.functions import FunctionElement

Place: TypeAlias = str | sa.ColumnElement[Any]
Table: TypeAlias = sa.FromClause | type[object]
Condition: TypeAlias = sa.ColumnElement[bool]


_MOST_IN_A_ROW = 100  # conditions joined without parentheses
_BIGINT = sa.BigInteger()


class _Form(FunctionElement[Any]):
    """An expression in a database-specific form; see sql.Form. Operands are its clauses."""

    inherit_cache = True
    form: sql.Form


class _InBytes(_Form):
    name, type, form, inherit_cache = "in_bytes", sa.String(), sql.IN_BYTES, True


class _Ordered(_Form):
    name, type, form, inherit_cache = "ordered", sa.String(), sql.ORDERED, True


class _Exactly(_Form):
    name, type, form, inherit_cache = "exactly", sa.Boolean(), sql.EXACTLY, True


class _Folded(_Form):
    name, type, form, inherit_cache = "folded", sa.String(), sql.FOLDED, True


class _After(_Form):
    name, type, form, inherit_cache = "after", sa.String(), sql.AFTER, True


class _Before(_Form):
    name, type, form, inherit_cache = "before", sa.String(), sql.BEFORE, True


class _Decimal(_Form):
    name, type, form, inherit_cache = "decimal", sa.Numeric(), sql.DECIMAL, True


class _IsNumber(_Form):
    name, type, form, inherit_cache = "is_number", sa.Boolean(), sql.IS_NUMBER, True


class _HasItem(_Form):
    """EXISTS over the items of a list, in the form of the column's type in the database."""

    name, type, inherit_cache = "has_item", sa.Boolean(), True


@compiles(_Form)
def _compile(element: _Form, compiler: SQLCompiler, **options: object) -> str:
    return _write(element, element.form, compiler, options)


@compiles(_HasItem)
def _compile_has_item(element: _HasItem, compiler: SQLCompiler, **options: object) -> str:
    column, _ = element.clauses
    is_array = isinstance(column.type.dialect_impl(compiler.dialect), sa.ARRAY)
    form = sql.HAS_ARRAY_ITEM if is_array else sql.HAS_JSON_ITEM
    return _write(element, form, compiler, options)


def _write(
    element: _Form, form: sql.Form, compiler: SQLCompiler, options: Mapping[str, Any]
) -> str:
    """Returns the SQL of a form for the compiler's database.

    Raises:
        CompileError: The database has no template.
    """
    database = compiler.dialect.name
    template = sql.form_for(form, database)
    if template is None and isinstance(compiler, StrSQLCompiler):  # str(), which is never executed
        names = ", ".join(f"{{{at}}}" for at in range(len(element.clauses)))
        template = f"{element.name}({names})"
    if template is None:
        raise CompileError(sql.refusal(database, form))
    operands = enumerate(element.clauses)  # operands left out must add no parameters
    texts = {
        f"{at}": compiler.process(operand, **options)
        for at, operand in operands
        if f"{{{at}}}" in template
    }
    return re.sub(r"\{(\d)\}", lambda place: texts[place[1]], template)


class _Group(FunctionElement[bool]):
    """A condition in parentheses, which SQLAlchemy would leave out."""

    name, type, inherit_cache = "group", sa.Boolean(), True


@compiles(_Group)
def _compile_group(element: _Group, compiler: SQLCompiler, **options: object) -> str:
    [condition] = element.clauses
    return f"({compiler.process(condition, **options)})"


# By column type, or "list": the accepted types, in words and as classes.
_EXPECTED: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "text": ("a text", (sa.String, sa.types.NullType)),
    "integer": ("an integer", (sa.Integer,)),
    "decimal": ("a Numeric or an integer", (sa.Numeric, sa.Integer)),
    "time": ("a DateTime or milliseconds as an integer", (sa.DateTime, sa.Integer)),
    "boolean": ("a Boolean", (sa.Boolean,)),
    "list": ("an ARRAY or JSON", (sa.ARRAY, sa.JSON, sa.String)),
}


class SqlalchemyVisitor(Visitor[sa.ColumnElement[Any], Condition]):
    """Every test includes IS NOT NULL, so that it is never null."""

    engine = "SQL"
    places = "str or an expression of SQLAlchemy", (str, sa.SQLColumnExpression)
    most_nesting = sql.MOST_NESTING

    def __init__(self, query: Query, table: Table, columns: Mapping[str, Place] | None) -> None:
        """Stores the table or mapped class."""
        super().__init__(query, columns)
        if sa.inspect(table, raiseerr=False) is None:
            kind = type(table).__name__
            raise TypeError(f"table: expected a FromClause or a mapped class, not {kind}")
        self._table = table

    def constant(self, value: bool) -> Condition:
        """Returns TRUE or FALSE, or the equivalent of a database without them."""
        return sa.true() if value else sa.false()

    def all_of(self, parts: Sequence[Condition]) -> Condition:
        """Combines all parts at once, because a chain of hundreds exceeds Python's stack."""
        return _joined(sa.and_, self.constant(True), parts)

    def any_of(self, parts: Sequence[Condition]) -> Condition:
        """Combines all parts at once, because a chain of hundreds exceeds Python's stack."""
        return _joined(sa.or_, self.constant(False), parts)

    def operand(self, column: Column) -> sa.ColumnElement[Any]:
        """Returns a column, whose type must match the schema."""
        place = self._places.get(column.name, column.name)
        element = self._named_column(place) if isinstance(place, str) else place
        expected, types = _EXPECTED["list" if column.is_list else column.type]
        is_other = isinstance(element.type, sa.Enum | sa.Float)
        if is_other or not isinstance(element.type, types):
            sql.refuse_type(column.name, expected, element.type)
        return element

    def _named_column(self, name: str) -> sa.ColumnElement[Any]:
        """Returns a column of the table, or an attribute of the mapped class.

        Raises:
            ValueError: There is none.
        """
        if isinstance(self._table, sa.FromClause):
            column = self._table.c.get(name)
        else:
            column = getattr(self._table, name, None)
        if column is None:
            table: Any = self._table
            called = getattr(table, "__name__", None) or getattr(table, "name", None)
            shown = called or f"this {type(table).__name__}"
            raise ValueError(f"columns: {shown} has no column {name!r}")
        return column

    def present(self, operand: sa.ColumnElement[Any]) -> Condition:
        """Returns IS NOT NULL."""
        return operand.is_not(None)

    def compare(self, operand: sa.ColumnElement[Any], comparison: str, value: object) -> Condition:
        """Returns a comparison with a parameter."""
        return sa.and_(self.present(operand), COMPARISONS[comparison](operand, value))

    def is_true(self, operand: sa.ColumnElement[Any], wanted: bool) -> Condition:
        """Returns IS TRUE, or the equivalent of a database without it."""
        return operand.is_(wanted)

    def is_any(self, operand: sa.ColumnElement[Any], values: Values) -> Condition:
        """Returns IN with a list of parameters."""
        return sa.and_(self.present(operand), self._in(operand, values))

    def _in(self, operand: sa.ColumnElement[Any], values: Values) -> Condition:
        """Returns IN: with 64-bit integers, or with texts compared by bytes unless folded."""
        if isinstance(values[0], int):
            return operand.in_(sa.bindparam(None, values, _BIGINT, expanding=True))
        if isinstance(operand, _Folded):
            return operand.in_(values)
        return _Exactly(operand.in_(values), _InBytes(operand).in_(values))

    def can_hold(self, value: object) -> bool:
        """Returns false for texts with NUL, which no row has."""
        return sql.can_hold(value)

    def integer_bound(self, column: Column, comparison: str, number: int) -> Condition:
        """Compares with a 64-bit number, which may exceed the column's type."""
        return self.compare(self.operand(column), comparison, sa.literal(number, _BIGINT))

    def folded(self, operand: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        """Applies an ASCII collation."""
        return _Folded(operand)

    def after(self, operand: sa.ColumnElement[Any], mark: str) -> sa.ColumnElement[Any]:
        """Cuts after the first mark."""
        return _After(operand, sa.literal_column(f"'{mark}'"))

    def before(self, operand: sa.ColumnElement[Any], mark: str) -> sa.ColumnElement[Any]:
        """Cuts before the first mark."""
        return _Before(operand, sa.literal_column(f"'{mark}'"))

    def has_item(
        self, column: Column, meets: Callable[[sa.ColumnElement[Any]], Condition]
    ) -> Condition:
        """Returns EXISTS over the items of an ARRAY or of JSON that meet a condition."""
        item: sa.ColumnElement[Any] = sa.literal_column(sql.ITEM, sa.String())
        return _HasItem(self.operand(column), meets(item))

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> Condition:
        """Compares with a datetime in UTC, which is aware if the column is."""
        operand = self.operand(column)
        if isinstance(operand.type, sa.Integer):
            return self.integer_bound(column, comparison, milliseconds)
        time = sql.to_datetime(milliseconds)
        if time is None:
            return self._beyond(operand, comparison, is_low=milliseconds < 0)
        is_aware = isinstance(operand.type, sa.DateTime) and operand.type.timezone
        return self.compare(operand, comparison, time if is_aware else time.replace(tzinfo=None))

    def decimal_bound(self, column: Column, comparison: str, number: str) -> Condition:
        """Compares with a decimal, which is exact in PostgreSQL; integer columns with integers."""
        operand, is_low = self.operand(column), number.startswith("-")
        if isinstance(operand.type, sa.Integer):
            units = to_units(number, 0, upwards=comparison in ("gte", "lt"))
            if -(2**63) <= units < 2**63:
                return self.integer_bound(column, comparison, units)
            return self._beyond(operand, comparison, is_low=is_low)
        decimal = sql.to_decimal(number, comparison)
        if decimal is None:
            beyond = self._beyond(operand, comparison, is_low=is_low)
            return sa.and_(beyond, _IsNumber(operand))
        compared = self.compare(_Decimal(operand), comparison, decimal)
        return sa.and_(compared, _IsNumber(operand)) if is_lower(comparison) else compared

    def _beyond(
        self, operand: sa.ColumnElement[Any], comparison: str, *, is_low: bool
    ) -> Condition:
        """Returns the condition of a bound below or above all values of a column."""
        takes_all = sql.takes_all(comparison, is_low=is_low)
        return self.present(operand) if takes_all else self.constant(False)


def _joined(
    join: Callable[..., Condition], neutral: Condition, parts: Sequence[Condition]
) -> Condition:
    """Combines conditions with AND or OR, grouping many, because SQLite counts each as a level."""
    if len(parts) > _MOST_IN_A_ROW:
        starts = range(0, len(parts), _MOST_IN_A_ROW)
        rows = (join(*parts[at : at + _MOST_IN_A_ROW]) for at in starts)
        parts = [_Group(row) for row in rows]
    return join(neutral, *parts)


def ordered(key: sa.ColumnElement[Any], column: Column) -> sa.ColumnElement[Any]:
    """Returns a sort key in the order of the library, which sorts texts by bytes."""
    return _Ordered(key) if column.type == "text" else key


def where(
    query: Query, table: Table, columns: Mapping[str, Place] | None = None
) -> sa.ColumnElement[bool]:
    """Converts the conditions of a query; see EventsQuery.where()."""
    return SqlalchemyVisitor(query, table, columns).read(query)
