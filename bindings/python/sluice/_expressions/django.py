# SPDX-License-Identifier: MIT
"""Conditions as expressions of Django, for SQLite and PostgreSQL."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sluice._column import Column
from sluice._expressions import sql
from sluice._expressions.missing import explained
from sluice._expressions.visitor import Query, Values, Visitor, is_lower

with explained("django"):
    from django import conf
    from django.db import NotSupportedError
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import (
        BigIntegerField,
        BooleanField,
        CharField,
        DateTimeField,
        DecimalField,
        F,
        Field,
        Func,
        IntegerField,
        JSONField,
        Q,
        TextField,
        Value,
        lookups,
    )
    from django.db.models.expressions import Expression, RawSQL
    from django.db.models.sql.compiler import SQLCompiler

Sql: TypeAlias = tuple[str, tuple[Any, ...]]  # with its parameters
Place: TypeAlias = str | Expression | F

# Lookups by the operators of query trees.
_COMPARISONS: Mapping[str, type[lookups.Lookup]] = {
    "gt": lookups.GreaterThan,
    "gte": lookups.GreaterThanOrEqual,
    "lt": lookups.LessThan,
    "lte": lookups.LessThanOrEqual,
}
# By column type, or "list": the accepted fields, in words and as types.
_EXPECTED: Mapping[str, tuple[str, tuple[type[Field], ...]]] = {
    "text": ("a CharField or a TextField", (CharField, TextField)),
    "integer": ("an IntegerField", (IntegerField,)),
    "decimal": ("a DecimalField", (DecimalField,)),
    "time": ("a DateTimeField", (DateTimeField,)),
    "boolean": ("a BooleanField", (BooleanField,)),
    "list": ("an ArrayField or a JSONField", (JSONField,)),
}


# The result types of operands, by column type.
_FIELDS: Mapping[str, type[Field]] = {
    "text": TextField,
    "integer": BigIntegerField,
    "decimal": DecimalField,
    "time": DateTimeField,
    "boolean": BooleanField,
    "list": JSONField,
}


class Form(Func):  # type: ignore[misc]
    """An expression in a database-specific form; see sql.Form."""

    def __init__(self, *operands: Expression, form: sql.Form, field: Field) -> None:
        """Stores the form; `field` is the type of the result."""
        super().__init__(*operands, output_field=field)
        self._form = form

    @property
    def form(self) -> sql.Form:
        """The form."""
        return self._form

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: object
    ) -> tuple[str, tuple[Any, ...]]:
        """Fills in the database's template; operands that occur twice are compiled twice."""
        template = sql.form_for(self.form, connection.vendor)
        if template is None:
            raise NotSupportedError(sql.refusal(connection.vendor, self.form))
        places = [int(at) for at in re.findall(r"\{(\d)\}", template)]
        compiled = {at: compiler.compile(self.source_expressions[at]) for at in set(places)}
        text = re.sub(r"\{(\d)\}", lambda place: compiled[int(place[1])][0], template)
        return text, tuple(parameter for at in places for parameter in compiled[at][1])


class Operand(Form):
    """A field of a type that can be compared exactly."""

    def __init__(self, operand: Expression, column: Column, field: Field) -> None:
        """Stores the column, for messages."""
        form = sql.DECIMAL if column.type == "decimal" else sql.PLAIN
        super().__init__(operand, form=form, field=field)
        self.column = column

    def resolve_expression(self, *args: object, **options: object) -> Expression:
        """Checks the type of the field once it is resolved."""
        resolved = super().resolve_expression(*args, **options)
        field = resolved.source_expressions[0].output_field
        expected, fields = _EXPECTED["list" if self.column.is_list else self.column.type]
        if not isinstance(field, fields) and not (self.column.is_list and _is_array(field)):
            sql.refuse_type(self.column.name, expected, type(field).__name__)
        return resolved


class HasItem(Form):
    """EXISTS over the items of a list; the second expression is the condition on an item."""

    def __init__(self, *operands: Expression) -> None:
        """Stores the list and the condition."""
        super().__init__(*operands, form=sql.HAS_JSON_ITEM, field=BooleanField())

    @property
    def form(self) -> sql.Form:
        """The form: arrays exist in PostgreSQL only, JSON in both databases."""
        field = self.source_expressions[0].source_expressions[0].output_field
        return sql.HAS_ARRAY_ITEM if _is_array(field) else self._form


def _is_array(field: Field) -> bool:
    """Returns true for an ArrayField, whose import would need PostgreSQL's driver."""
    return hasattr(field, "base_field")


class DjangoVisitor(Visitor[Expression, Q]):
    """Every test includes IS NOT NULL, so that it is never null."""

    engine = "SQL"
    places = "a lookup path or an expression of Django", (str, Expression, F)
    most_nesting = sql.MOST_NESTING

    def constant(self, value: bool) -> Q:
        """Returns a literal: an empty Q is true even if it is negated."""
        return Q(Value(value, output_field=BooleanField()))

    def operand(self, column: Column) -> Operand:
        """Returns a field by its lookup path, or an expression."""
        place: Place = self._places.get(column.name, column.name)
        field = _FIELDS["list" if column.is_list else column.type]()
        return Operand(F(place) if isinstance(place, str) else place, column, field)

    def present(self, operand: Expression) -> Q:
        """Returns IS NOT NULL."""
        return Q(lookups.IsNull(operand, False))

    def compare(self, operand: Expression, comparison: str, value: object) -> Q:
        """Returns a comparison with a parameter."""
        return self.present(operand) & Q(_COMPARISONS[comparison](operand, value))

    def is_true(self, operand: Expression, wanted: bool) -> Q:
        """Returns a comparison of booleans."""
        return self.present(operand) & Q(lookups.Exact(operand, wanted))

    def is_any(self, operand: Expression, values: Values) -> Q:
        """Returns IN with a list of parameters."""
        test = lookups.In(operand, list(values))
        is_folded = isinstance(operand, Form) and operand.form is sql.FOLDED
        if isinstance(values[0], str) and not is_folded:
            in_bytes = lookups.In(_text(sql.IN_BYTES, operand), list(values))
            test = Form(test, in_bytes, form=sql.EXACTLY, field=BooleanField())
        return self.present(operand) & Q(test)

    def can_hold(self, value: object) -> bool:
        """Returns false for texts with NUL, which no row has."""
        return sql.can_hold(value)

    def folded(self, operand: Expression) -> Form:
        """Applies an ASCII collation."""
        return _text(sql.FOLDED, operand)

    def after(self, operand: Expression, mark: str) -> Form:
        """Cuts after the first mark."""
        return _text(sql.AFTER, operand, RawSQL(f"'{mark}'", ()))

    def before(self, operand: Expression, mark: str) -> Form:
        """Cuts before the first mark."""
        return _text(sql.BEFORE, operand, RawSQL(f"'{mark}'", ()))

    def has_item(self, column: Column, meets: Callable[[Expression], Q]) -> Q:
        """Returns EXISTS over the items that meet a condition."""
        return Q(HasItem(self.operand(column), meets(RawSQL(sql.ITEM, (), TextField()))))

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> Q:
        """Compares with a datetime in UTC, which is naive if Django's are."""
        operand, time = self.operand(column), sql.to_datetime(milliseconds)
        if time is None:
            return self._beyond(operand, comparison, is_low=milliseconds < 0)
        if conf.settings.USE_TZ:
            return self.compare(operand, comparison, time)
        if conf.settings.TIME_ZONE != "UTC":
            raise self.refusal(column.name, "times without a zone are in UTC, not in TIME_ZONE")
        return self.compare(operand, comparison, time.replace(tzinfo=None))

    def decimal_bound(self, column: Column, comparison: str, number: str) -> Q:
        """Compares with a decimal, which is exact in PostgreSQL."""
        operand, decimal = self.operand(column), sql.to_decimal(number, comparison)
        is_number = Q(Form(operand, form=sql.IS_NUMBER, field=BooleanField()))
        if decimal is None:
            return self._beyond(operand, comparison, is_low=number.startswith("-")) & is_number
        compared = self.compare(operand, comparison, decimal)
        return compared & is_number if is_lower(comparison) else compared

    def _beyond(self, operand: Expression, comparison: str, *, is_low: bool) -> Q:
        """Returns the condition of a bound below or above all values of a column."""
        takes_all = sql.takes_all(comparison, is_low=is_low)
        return self.present(operand) if takes_all else self.constant(False)


def _text(form: sql.Form, *operands: Expression) -> Form:
    return Form(*operands, form=form, field=TextField())


def ordered(key: Expression | F, column: Column) -> Expression | F:
    """Returns a sort key in the order of the library, which sorts texts by bytes."""
    return _text(sql.ORDERED, key) if column.type == "text" else key


def to_django(query: Query, columns: Mapping[str, Place] | None = None) -> Q:
    """Converts the conditions of a query; see EventsQuery.to_django()."""
    return DjangoVisitor(query, columns).read(query)
