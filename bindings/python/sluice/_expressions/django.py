# SPDX-License-Identifier: MIT
"""Conditions as expressions of Django, for SQLite, PostgreSQL and MariaDB."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias
from uuid import UUID

from sluice._column import Column
from sluice._expressions import sql
from sluice._expressions.missing import explained
from sluice._expressions.sql_visitor import SqlVisitor
from sluice._expressions.visitor import Query, Values

with explained("django"):
    from django import conf
    from django.core.exceptions import FieldDoesNotExist
    from django.db import NotSupportedError
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import (
        BigIntegerField,
        BooleanField,
        Case,
        CharField,
        DateField,
        DateTimeField,
        DecimalField,
        Exists,
        F,
        Field,
        FloatField,
        Func,
        IntegerField,
        JSONField,
        Model,
        OuterRef,
        PositiveSmallIntegerField,
        Q,
        SmallIntegerField,
        TextField,
        UUIDField,
        Value,
        When,
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
_TEXTS = (CharField, TextField)
# By column type, or "list": the accepted fields, in words and as types.
_EXPECTED: Mapping[str, tuple[str, tuple[type[Field], ...]]] = {
    "text": ("a CharField or a TextField", _TEXTS),
    "integer": ("an IntegerField", (IntegerField,)),
    "decimal": ("a DecimalField", (DecimalField,)),
    "time": ("a DateTimeField", (DateTimeField, IntegerField)),
    "boolean": ("a BooleanField", (BooleanField,)),
    "real": ("a FloatField", (FloatField, IntegerField)),
    "date": ("a DateField", (DateField,)),
    "uuid": ("a UUIDField or a text", (UUIDField, *_TEXTS)),
    "choice": ("a CharField or a TextField", _TEXTS),
    "list": ("an ArrayField or a JSONField", (JSONField,)),
    "records": ("a JSONField", (JSONField,)),
    "json": ("a JSONField", (JSONField,)),
}
# The result types of operands and the types of parameters, by column type.
_FIELDS: Mapping[str, type[Field]] = {
    "text": TextField,
    "integer": BigIntegerField,
    "decimal": DecimalField,
    "time": DateTimeField,
    "boolean": BooleanField,
    "real": FloatField,
    "date": DateField,
    "uuid": UUIDField,
    "choice": TextField,
    "list": JSONField,
    "records": JSONField,
    "json": JSONField,
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
        database = database_of(connection)
        template = sql.form_for(self.form, database)
        if template is None:
            raise NotSupportedError(sql.refusal(database, self.form))
        places = [int(at) for at in re.findall(r"\{(\d+)\}", template)]
        compiled = {at: compiler.compile(self.source_expressions[at]) for at in set(places)}
        text = re.sub(r"\{(\d+)\}", lambda place: compiled[int(place[1])][0], template)
        return f"({text})", tuple(parameter for at in places for parameter in compiled[at][1])


def database_of(connection: BaseDatabaseWrapper) -> str:
    """Returns the name of a database in sql.Form."""
    is_mariadb = connection.vendor == "mysql" and connection.mysql_is_mariadb
    return "mariadb" if is_mariadb else str(connection.vendor)


class Operand(Form):
    """A field of a type that can be compared exactly."""

    def __init__(self, operand: Expression | F, column: Column, field: Field) -> None:
        """Stores the column, for messages."""
        super().__init__(operand, form=sql.PLAIN, field=field)
        self.column = column

    def resolve_expression(self, *args: object, **options: object) -> Expression:
        """Checks the type of the field once it is resolved."""
        resolved = super().resolve_expression(*args, **options)
        field = resolved.source_expressions[0].output_field
        expected, fields = _EXPECTED["list" if self.column.is_list else self.column.type]
        if not isinstance(field, fields) and not (self.column.is_list and _is_array(field)):
            sql.refuse_type(self.column.name, expected, type(field).__name__)
        return resolved


class Met(lookups.Lookup):  # type: ignore[misc]
    """A condition as it is: MariaDB uses no index for the usual `condition = 1`."""

    prepare_rhs = False

    def __init__(self, condition: Expression) -> None:
        """Stores the condition."""
        super().__init__(condition, True)

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        """Returns the SQL of the condition."""
        text, parameters = compiler.compile(self.lhs)
        return text, tuple(parameters)


class ByField(Func):  # type: ignore[misc]
    """A condition that depends on the type of a field, which is known once a query resolves it."""

    def __init__(self, operand: Operand, test: Callable[[Field], Q]) -> None:
        """Stores the operand and the function that returns the condition for its field."""
        super().__init__(operand, output_field=BooleanField())
        self._test = test

    def resolve_expression(self, *args: Any, **options: Any) -> Expression:  # noqa: ANN401
        """Returns the condition for the resolved field."""
        resolved = super().resolve_expression(*args, **options)
        operand = resolved.source_expressions[0]
        field = operand.source_expressions[0].output_field
        return self._test(field).resolve_expression(*args, **options)


class OfRelated(Func):  # type: ignore[misc]
    """EXISTS over related rows that meet a condition, so that no row is repeated."""

    def __init__(self, condition: Q) -> None:
        """Stores the condition on a row joined with one of them."""
        super().__init__(output_field=BooleanField())
        self._condition = condition

    def resolve_expression(self, query: Any, *args: Any, **options: Any) -> Expression:  # noqa: ANN401
        """Returns EXISTS for the model of a query."""
        rows = query.model._base_manager.filter(pk=OuterRef("pk")).filter(self._condition)
        return Exists(rows).resolve_expression(query, *args, **options)


class UuidOrder(Form):
    """A UUID that is ordered by its text in lower case."""

    @property
    def form(self) -> sql.Form:
        """The form: that of a text if the field is one."""
        field = self.source_expressions[0].source_expressions[0].output_field
        return self._form if isinstance(field, UUIDField) else sql.FOLDED


class Milliseconds(Form):
    """A time in milliseconds since 1970."""

    @property
    def form(self) -> sql.Form:
        """The form: the field itself if it is an integer."""
        field = self.source_expressions[0].source_expressions[0].output_field
        return sql.PLAIN if isinstance(field, IntegerField) else self._form


class Bytewise(Form):
    """A text that is compared by its bytes: a field as it is, if its collation does that."""

    @property
    def form(self) -> sql.Form:
        """The form of the field's collation."""
        source = self.source_expressions[0]
        place = source.source_expressions[0] if isinstance(source, Operand) else None
        field = getattr(place, "output_field", None)  # none before it is resolved
        is_bytewise = getattr(field, "db_collation", None) in sql.BYTEWISE
        return sql.PLAIN if is_bytewise else self._form


class Starts(Form):
    """A test that a Bytewise text starts with another."""

    @property
    def form(self) -> sql.Form:
        """The form: by an index if the field has one in the order of bytes."""
        text = self.source_expressions[0]
        is_field = isinstance(text, Bytewise) and text.form is sql.PLAIN
        return sql.STARTS_BYTEWISE if is_field else self._form


class OfList(Form):
    """A condition on a list, or its items; other expressions follow it."""

    def __init__(
        self,
        *operands: Expression | Q,
        of_arrays: sql.Form,
        of_json: sql.Form,
        field: Field | None = None,
    ) -> None:
        """Stores the forms, and the type of the result, a condition by default."""
        super().__init__(*operands, form=of_json, field=field or BooleanField())
        self._of_arrays = of_arrays

    @property
    def form(self) -> sql.Form:
        """The form: arrays exist in PostgreSQL only, JSON in all databases."""
        field = self.source_expressions[0].source_expressions[0].output_field
        return self._of_arrays if _is_array(field) else self._form


def _is_array(field: Field) -> bool:
    """Returns true for an ArrayField, whose import would need PostgreSQL's driver."""
    return hasattr(field, "base_field")


class DjangoVisitor(SqlVisitor[Expression, Q]):
    """Writes conditions as Q objects."""

    places = "a lookup path or an expression of Django", (str, Expression, F)

    def constant(self, value: bool) -> Q:
        """Returns a literal: an empty Q is true even if it is negated."""
        return Q(Value(value, output_field=BooleanField()))

    def operand(self, column: Column) -> Operand:
        """Returns a field by its lookup path, or an expression."""
        return self._operand(column, "list" if column.is_list else column.type)

    def _place(self, column: Column) -> Place:
        """Returns the place of a column: dots of its name are relations."""
        place: Place = self._places.get(column.name, column.name.replace(".", "__"))
        return place

    def _is_of_many(self, column: Column) -> bool:
        """Returns true for a column of many related rows."""
        is_path = "." in column.name and column.name not in self._places
        return is_path and column.is_list

    def _operand(self, column: Column, kind: str) -> Operand:
        """Returns a field that is compared as one of a column type."""
        place = self._place(column)
        return Operand(F(place) if isinstance(place, str) else place, column, _FIELDS[kind]())

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
        is_folded = isinstance(operand, Form) and operand.form in (sql.FOLDED, sql.LOWERED)
        if isinstance(values[0], str) and not is_folded:
            in_bytes = lookups.In(self.in_bytes(operand), list(values))
            return self.present(operand) & self.meets(sql.EXACTLY, test, in_bytes)
        return self.present(operand) & Q(test)

    def bytewise(self, operand: Expression, form: sql.Form) -> Bytewise:
        """Returns a text in a form, unless the field's collation compares bytes."""
        return Bytewise(operand, form=form, field=TextField())

    def starts(self, operand: Expression, *operands: Expression) -> Q:
        """Returns a test by the field's index."""
        return Q(Met(Starts(operand, *operands, form=sql.STARTS_IN_ORDER, field=BooleanField())))

    def is_any_uuid(self, operand: Expression, column: Column, texts: list[str]) -> Q:
        """Compares UUIDs, or texts in lower case."""
        if column.is_list and not self._is_of_many(column):
            return super().is_any_uuid(operand, column, texts)
        column = replace(column, is_list=False)
        as_text = super().is_any_uuid(self._operand(column, "text"), column, texts)
        operand = self.operand(column)
        as_uuid = self.is_any(operand, [UUID(text) for text in texts])  # type: ignore[arg-type]
        test = lambda field: as_uuid if isinstance(field, UUIDField) else as_text  # noqa: E731
        return Q(Met(ByField(self.operand(column), test)))

    def _texts(self, column: Column, values: list[str]) -> Q:
        """Compares arrays of PostgreSQL as such, not item by item."""
        test = super()._texts(column, values)
        if not column.is_list or column.collation != "exact" or self._is_of_many(column):
            return test

        def shares(field: Field) -> Q:
            held = self._items_of(column, field.base_field, values) if _is_array(field) else []
            if not held:
                return test
            form = sql.SHARES_TEXTS if isinstance(held[0], str) else sql.SHARES
            return self.meets(form, self.operand(column), Value(held, field))

        return Q(Met(ByField(self.operand(column), shares)))

    def _items_of(self, column: Column, item: Field, values: list[str]) -> list[Any]:
        """Returns values as the items of an array that can equal them."""
        if column.type == "uuid" and not isinstance(item, UUIDField):
            return []  # texts in any case
        is_integer = isinstance(item, IntegerField)
        size = 32 if is_integer and not isinstance(item, BigIntegerField) else 64
        size = 16 if isinstance(item, SmallIntegerField | PositiveSmallIntegerField) else size
        return self.items(column.type, values, size)

    def is_any_number(self, operand: Expression, column: Column, numbers: list[int]) -> Q:
        """Compares items of lists as texts."""
        if not column.is_list or self._is_of_many(column):
            return super().is_any_number(operand, column, numbers)
        return self._is_any(self.write(sql.NUMBER_ITEM, "text"), [*map(str, numbers)])

    def has_value(self, column: Column) -> Q:
        """Takes many related rows as a list, which is always there."""
        return self.constant(True) if self._is_of_many(column) else super().has_value(column)

    def has_item(self, column: Column, meets: Callable[[Expression], Q]) -> Q:
        """Returns EXISTS over the items that meet a condition."""
        if self._is_of_many(column):
            return Q(OfRelated(meets(self.operand(replace(column, is_list=False)))))
        forms = {"of_arrays": sql.HAS_ARRAY_ITEM, "of_json": sql.HAS_JSON_ITEM}
        return Q(Met(OfList(self.operand(column), meets(self.literal(sql.ITEM)), **forms)))

    def is_list(self, operand: Expression) -> Q:
        """Returns IS NOT NULL of an array, or that JSON is a list."""
        return Q(Met(OfList(operand, of_arrays=sql.IS_ARRAY, of_json=sql.IS_JSON_LIST)))

    def as_list(self, column: Column) -> Expression:
        """Returns an array of texts, or JSON that is a list."""
        if self._is_of_many(column):
            raise self.refusal(column.name, "no groups of related rows: leave it out")
        forms = {"of_arrays": sql.ARRAY_AS_LIST, "of_json": sql.JSON_AS_LIST}
        return OfList(self.operand(column), **forms, field=TextField())

    def as_milliseconds(self, operand: Expression) -> Expression:
        """Returns a time as milliseconds since 1970."""
        return Milliseconds(operand, form=sql.AS_MILLISECONDS, field=BigIntegerField())

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> Q:
        """Compares with a datetime in UTC, or with milliseconds."""
        as_time = super().time_bound(column, comparison, milliseconds)
        as_integer = self.compare(self._operand(column, "integer"), comparison, milliseconds)
        test = lambda field: as_integer if isinstance(field, IntegerField) else as_time  # noqa: E731
        return Q(Met(ByField(self.operand(column), test)))

    def decimal_bound(
        self, column: Column, comparison: str, number: str, *, takes_nan: bool = False
    ) -> Q:
        """Compares with a decimal of the field's digits."""

        def test(field: DecimalField) -> Q:
            whole, decimals = field.max_digits, field.decimal_places
            known = whole is not None and decimals is not None
            self._digits = sql.Digits(whole - decimals, decimals) if known else sql.Digits()
            return SqlVisitor.decimal_bound(self, column, comparison, number, takes_nan=takes_nan)

        return Q(Met(ByField(self.operand(column), test)))

    def digits(self, operand: Expression) -> sql.Digits:
        """Returns the digits of the field that was resolved last."""
        return self._digits

    def is_aware(self, operand: Expression, column: Column) -> bool:
        """Returns true if Django's datetimes are aware; others are in TIME_ZONE."""
        is_aware: bool = conf.settings.USE_TZ
        if not is_aware and conf.settings.TIME_ZONE != "UTC":
            raise self.refusal(column.name, "times without a zone are in UTC, not in TIME_ZONE")
        return is_aware

    def bind_any(self, value: object) -> Value:
        """Returns a parameter whose type the SQL states."""
        return Value(value)

    # --- Orders -------------------------------------------------------------------------------

    def is_lowered(self, operand: Expression) -> bool:
        """Returns true for the result of lowered()."""
        return isinstance(operand, Form) and operand.form is sql.LOWERED

    def is_nullable(self, model: type[Model], column: Column) -> bool:
        """Returns true if rows of a model may have no value in a column."""
        place = self._place(column)
        if not isinstance(place, str):
            return True
        for part in place.split("__"):
            try:
                field = model._meta.get_field(part)
            except FieldDoesNotExist:
                return True
            if getattr(field, "null", True):
                return True
            model = field.related_model
        return False

    def ordered_uuid(self, operand: Expression) -> Expression:
        """Folds texts; MariaDB has an order of its own for UUIDs."""
        assert isinstance(operand, Operand)
        return UuidOrder(operand, form=sql.UUID_TEXT, field=TextField())

    def ordered_choice(self, operand: Expression, column: Column) -> Expression:
        """Returns the place of a choice."""
        tests = [
            When(self.is_any(operand, [text]), then=Value(at))
            for at, text in enumerate(column.choices)
        ]
        return Case(*tests, output_field=BigIntegerField())

    def key_operand(self, column: Column) -> Expression:
        """Returns the value that cursors have of a column."""
        operand = self.operand(column)
        return self.write(sql.PLAIN, "text", operand) if column.type == "decimal" else operand

    def uuid_bound(self, column: Column, comparison: str, uuid: UUID) -> Q:
        """Compares UUIDs, or texts in lower case."""
        as_text = self.compare(self.folded(self._operand(column, "text")), comparison, str(uuid))
        place = Form(self.operand(column), form=sql.UUID_TEXT, field=UUIDField())
        bound = Form(Value(uuid, UUIDField()), form=sql.CAST_UUID, field=UUIDField())
        as_uuid = self.compare(place, comparison, bound)
        test = lambda field: as_uuid if isinstance(field, UUIDField) else as_text  # noqa: E731
        return Q(Met(ByField(self.operand(column), test)))

    # --- SQL ----------------------------------------------------------------------------------

    def write(self, form: sql.Form, type: str, *operands: Expression) -> Form:  # noqa: A002
        """Returns an expression in a form."""
        return Form(*operands, form=form, field=_FIELDS[type]())

    def meets(self, form: sql.Form, *operands: Expression) -> Q:
        """Returns a condition in a form."""
        return Q(Met(self.write(form, "boolean", *operands)))

    def bind(self, value: object, type: str) -> Value:  # noqa: A002
        """Returns a parameter."""
        return Value(value, _FIELDS[type]())

    def literal(self, text: str, type: str = "text") -> RawSQL:  # noqa: A002
        """Returns SQL of the program."""
        return RawSQL(text, (), _FIELDS[type]())

    def within(self, query: Query, places: Mapping[str, Expression]) -> "DjangoVisitor":
        """Returns the visitor of a condition on records."""
        return DjangoVisitor(query, places)


def to_django(query: Query, columns: Mapping[str, Place] | None = None) -> Q:
    """Converts the conditions of a query; see EventsQuery.to_django()."""
    return DjangoVisitor(query, columns).read(query)
