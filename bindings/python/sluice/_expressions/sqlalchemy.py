# SPDX-License-Identifier: MIT
"""Conditions as expressions of SQLAlchemy, for SQLite, PostgreSQL and MariaDB."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

from sluice._column import Column
from sluice._expressions import sql
from sluice._expressions.bounds import to_units
from sluice._expressions.missing import explained
from sluice._expressions.nesting import Tree
from sluice._expressions.sql_visitor import SqlVisitor
from sluice._expressions.visitor import COMPARISONS, Query, Values, negation

with explained("sqlalchemy"):
    import sqlalchemy as sa
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.exc import CompileError
    from sqlalchemy.ext.compiler import compiles
    from sqlalchemy.orm import ColumnProperty, QueryableAttribute
    from sqlalchemy.sql.compiler import SQLCompiler, StrSQLCompiler
    from sqlalchemy.sql.functions import FunctionElement
    from sqlalchemy.sql.visitors import InternalTraversal

Place: TypeAlias = str | sa.ColumnElement[Any]
Table: TypeAlias = sa.FromClause | type[object]
Condition: TypeAlias = sa.ColumnElement[bool]


_MOST_IN_A_ROW = 100  # conditions joined without parentheses
_BIGINT, _BOOLEAN = sa.BigInteger(), sa.Boolean()


class _Form(FunctionElement[Any]):
    """An expression in a database-specific form; see sql.Form. Operands are its clauses.

    Another form counts if the first operand is an ARRAY.
    """

    name = "form"
    inherit_cache = True
    grouping = "(%s)"
    _traverse_internals = [  # noqa: RUF012 (as of SQLAlchemy)
        *FunctionElement._traverse_internals,
        ("forms", InternalTraversal.dp_plain_obj),
        ("type", InternalTraversal.dp_type),
    ]

    def __init__(
        self,
        form: sql.Form,
        kind: sa.types.TypeEngine[Any],
        *operands: sa.ColumnElement[Any],
        of_arrays: sql.Form | None = None,
    ) -> None:
        """Stores the forms in a type that is part of cached statements."""
        super().__init__(*operands)
        self.type = kind
        self.form = form
        self.of_arrays = of_arrays
        self.forms = tuple(form.items()), tuple((of_arrays or {}).items())

    def self_group(self, against: Any = None) -> Any:  # noqa: ANN401
        """Returns a condition as it is: MariaDB uses no index for the usual `condition = 1`."""
        return self if self.type is _BOOLEAN else super().self_group(against)


class _Term(_Form):
    """A sort key, which has no parentheses."""

    inherit_cache = True
    grouping = "%s"


def database_of(dialect: sa.Dialect) -> str:
    """Returns the name of a database in sql.Form."""
    return "mariadb" if getattr(dialect, "is_mariadb", False) else dialect.name


@compiles(_Form)
def _compile(element: _Form, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401
    """Returns the SQL of a form for the compiler's database.

    Raises:
        CompileError: The database has no template.
    """
    operands, dialect = [*element.clauses], compiler.dialect
    is_array = element.of_arrays is not None and isinstance(
        operands[0].type.dialect_impl(dialect), sa.ARRAY
    )
    form = element.of_arrays if is_array and element.of_arrays else element.form
    database = database_of(dialect)
    template = sql.form_for(form, database)
    if template is None and isinstance(compiler, StrSQLCompiler):  # str(), which is never executed
        template = sql.form_for(form, "postgresql")
    if template is None:
        raise CompileError(sql.refusal(database, form))
    texts = {  # operands left out must add no parameters
        f"{at}": compiler.process(operand, **options)
        for at, operand in enumerate(operands)
        if f"{{{at}}}" in template
    }
    return element.grouping % re.sub(r"\{(\d+)\}", lambda place: texts[place[1]], template)


class GroupStatement(sa.Executable, sa.ClauseElement):
    """The statement of an aggregate over a SELECT; see RowGroups."""

    inherit_cache = False

    def __init__(self, text: str, rows: sa.Subquery, parameters: Sequence[object]) -> None:
        """Stores the parts."""
        binds = [sa.literal(value, sa.types.NullType()) for value in parameters]
        self.text, self.operands = text, (rows, *binds)


@compiles(GroupStatement)
def _compile_groups(element: GroupStatement, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401
    """Returns the SQL, whose SELECT isn't the statement's own: the answer has other columns."""
    selectable: Any = element
    compiler.stack.append(
        {"correlate_froms": set(), "asfrom_froms": set(), "selectable": selectable}
    )
    texts = [compiler.process(operand, asfrom=True, **options) for operand in element.operands]
    compiler.stack.pop()
    text = compiler.post_process_text(element.text)  # type: ignore[no-untyped-call]
    return re.sub(r"\{(\d+)\}", lambda place: texts[int(place[1])], text)


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
    "real": ("a Float or an integer", (sa.Float, sa.Integer)),
    "date": ("a Date", (sa.Date,)),
    "uuid": ("a Uuid or a text", (sa.Uuid, sa.String)),
    "choice": ("an Enum or a text", (sa.Enum, sa.String)),
    "list": ("an ARRAY or JSON", (sa.ARRAY, sa.JSON, sa.String)),
    "records": ("a JSON", (sa.JSON, sa.String)),
    "json": ("a JSON", (sa.JSON, sa.String)),
}
# Subclasses of accepted types, by column type, that are none.
_OTHERS: Mapping[str, type] = {
    **dict.fromkeys(("text", "uuid", "list", "records", "json"), sa.Enum),
    "decimal": sa.Float,
}


class _Decimal(sa.TypeDecorator[Decimal]):
    """A decimal of any length; MariaDB would read an exponent as a float.

    SQLite's are as it has them, doubles and integers.
    """

    impl = sa.Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        kinds = {"mysql": sa.String(), "mariadb": sa.String(), "sqlite": sa.Double()}
        return dialect.type_descriptor(kinds.get(dialect.name, sa.Numeric()))

    def process_bind_param(self, value: Decimal | None, dialect: sa.Dialect) -> Any:  # noqa: ANN401
        is_text = dialect.name in ("mysql", "mariadb") and value is not None
        return f"{value:f}" if is_text else value


# The types of parameters and expressions, by column type, or "list".
_TYPES: Mapping[str, sa.types.TypeEngine[Any]] = {
    "text": sa.String(),
    "integer": _BIGINT,
    "decimal": _Decimal(),
    "time": sa.DateTime(),
    "boolean": _BOOLEAN,
    "real": sa.Double(),
    "date": sa.Date(),
    "list": sa.JSON(),
}


def stored(element: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Returns an element as the database has it, without the conversions of a TypeDecorator."""
    kind = element.type
    while isinstance(kind, sa.TypeDecorator) and not is_guid(kind):
        kind = kind.impl_instance
    return element if kind is element.type else sa.type_coerce(element, kind)


def is_guid(kind: sa.types.TypeEngine[Any]) -> bool:
    """Returns true for a TypeDecorator of UUIDs, which are a text in some databases."""
    return isinstance(kind, sa.TypeDecorator) and isinstance(
        kind.load_dialect_impl(postgresql.dialect()),  # type: ignore[no-untyped-call]
        sa.Uuid,
    )


def plain(element: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Returns the expression of a mapped attribute, whose operators do less than the attribute's.

    An attribute with operators of its own stays.
    """
    attribute: Any = element
    if isinstance(element, QueryableAttribute):
        is_plain = attribute.comparator.__class__ is ColumnProperty.Comparator
        return attribute.expression if is_plain else element
    return element


class SqlalchemyVisitor(SqlVisitor[sa.ColumnElement[Any], Condition]):
    """Writes conditions as elements of SQLAlchemy.

    What it writes of a column alone is the same element in all conditions: elements don't change.
    """

    places = "str or an expression of SQLAlchemy", (str, sa.SQLColumnExpression)

    def __init__(self, query: Query, table: Table, columns: Mapping[str, Place] | None) -> None:
        """Stores the table or mapped class."""
        super().__init__(query, columns)
        if sa.inspect(table, raiseerr=False) is None:
            kind = type(table).__name__
            raise TypeError(f"table: expected a FromClause or a mapped class, not {kind}")
        self._table, self._query = table, query
        self._operands: dict[tuple[str, bool], sa.ColumnElement[Any]] = {}
        # Elements of an operand alone, by what they are and the operand, which they keep.
        self._written: dict[tuple[int, int, str], tuple[object, object, Any]] = {}
        self._is_shared: set[int] = set()  # ids of operands that stay
        self._never_null: set[int] = set()  # ids of such operands that are columns of the table

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
        name = column.name, column.is_list
        if name not in self._operands:
            operand = self._operand(column)
            operand = self._operands.setdefault(name, operand)
            self._is_shared.add(id(operand))
            place = self._places.get(column.name, column.name)
            if isinstance(place, str) and not self.is_nullable(column):
                self._never_null.add(id(operand))
        return self._operands[name]

    def _once(
        self,
        what: object,
        operand: Any,  # noqa: ANN401
        write: Callable[[], Any],
        kind: str = "",
    ) -> Any:  # noqa: ANN401
        """Returns what is written of an operand alone, for a column the same each time."""
        if id(operand) not in self._is_shared:
            return write()
        key = id(what), id(operand), kind
        kept = self._written.get(key)
        if kept is None:
            kept = self._written.setdefault(key, (what, operand, write()))
            if isinstance(kept[2], sa.ClauseElement):
                self._is_shared.add(id(kept[2]))
        return kept[2]

    def _operand(self, column: Column) -> sa.ColumnElement[Any]:
        place = self._places.get(column.name, column.name)
        element = self._named_column(place) if isinstance(place, str) else place
        element = stored(plain(element))
        kind = "list" if column.is_list else column.type
        expected, types = _EXPECTED[kind]
        is_right = isinstance(element.type, types) or (kind == "uuid" and is_guid(element.type))
        if not is_right or isinstance(element.type, _OTHERS.get(kind, ())):
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
        presence: Condition = self._once("present", operand, lambda: operand.is_not(None))
        return presence

    def compare(self, operand: sa.ColumnElement[Any], comparison: str, value: object) -> Condition:
        """Returns a comparison with a parameter."""
        return self._where_present(operand, COMPARISONS[comparison](operand, value))

    def is_true(self, operand: sa.ColumnElement[Any], wanted: bool) -> Condition:
        """Returns IS TRUE, or the equivalent of a database without it."""
        return operand.is_(wanted)

    def is_any(self, operand: sa.ColumnElement[Any], values: Values) -> Condition:
        """Returns IN with a list of parameters."""
        return self._where_present(operand, self._in(operand, values))

    def _where_present(self, operand: sa.ColumnElement[Any], test: Condition) -> Condition:
        """Returns a test that is null for null only, as one that is false for it."""
        is_exact = id(operand) in self._never_null
        return test if is_exact else sa.and_(self.present(operand), test)

    def _in(self, operand: sa.ColumnElement[Any], values: Values) -> Condition:
        """Returns IN: with 64-bit integers, or with texts compared by bytes unless folded."""
        if isinstance(values[0], int):
            return operand.in_(sa.bindparam(None, values, _BIGINT, expanding=True))
        is_folded = isinstance(operand, _Form) and operand.form in (sql.FOLDED, sql.LOWERED)
        if is_folded or not isinstance(values[0], str) or isinstance(operand.type, sa.Enum):
            return operand.in_(values)
        has_collation = isinstance(operand.type, sa.String) and operand.type.collation
        type_ = sa.String() if has_collation else operand.type  # two collations would contradict
        bound = sa.bindparam(None, values, type_, expanding=True)
        return self.meets(sql.IN_EXACTLY, operand, self.in_bytes(operand), bound)

    def _texts(self, column: Column, values: list[str]) -> Condition:
        """Compares arrays of PostgreSQL as such, not item by item."""
        test = super()._texts(column, values)
        if not column.is_list or column.collation != "exact" or self.path_of(column):
            return test
        array = self.operand(column)
        held = self._items_of(column, array.type, values)
        if not held:
            return test
        bound = sa.bindparam(None, held, array.type)
        shares = sql.SHARES_TEXTS if isinstance(held[0], str) else sql.SHARES
        return _Form(sql.SHARES_IN_JSON, _BOOLEAN, array, bound, test, of_arrays=shares)

    def _items_of(
        self, column: Column, kind: sa.types.TypeEngine[Any], values: list[str]
    ) -> list[Any]:
        """Returns values as the items of an array that can equal them."""
        item = kind.item_type if isinstance(kind, sa.ARRAY) else kind
        if isinstance(item, sa.Enum):
            members = members_of(item, column.choices)
            return [members[value][1] for value in values if value in members]
        if column.type == "uuid" and not isinstance(item, sa.Uuid):
            return []  # texts in any case
        return self.items(column.type, values, _bits_of(item))

    def is_any_uuid(
        self, operand: sa.ColumnElement[Any], column: Column, texts: list[str]
    ) -> Condition:
        """Compares UUIDs, or texts in lower case."""
        if isinstance(operand.type, sa.String):
            return super().is_any_uuid(operand, column, texts)
        kind = operand.type
        if isinstance(kind, sa.Uuid):
            operand = sa.type_coerce(operand, sa.Uuid(native_uuid=kind.native_uuid))
        uuids: Any = [UUID(text) for text in texts]
        return self.is_any(operand, uuids)

    def is_any_choice(
        self, operand: sa.ColumnElement[Any], column: Column, texts: list[str]
    ) -> Condition:
        """Compares texts, or what an Enum stores for them."""
        kind, is_item = operand.type, False
        if column.is_list and not self.path_of(column):
            kind, is_item = self.operand(column).type, True
            kind = kind.item_type if isinstance(kind, sa.ARRAY) else kind
        if not isinstance(kind, sa.Enum):
            return super().is_any_choice(operand, column, texts)
        members = members_of(kind, column.choices)
        held: Any = [members[text][not is_item] for text in texts if text in members]
        return self.is_any(operand, held) if held else self.constant(False)

    def is_any_number(
        self, operand: sa.ColumnElement[Any], column: Column, numbers: list[int]
    ) -> Condition:
        """Compares items of lists as texts."""
        if not column.is_list or self.path_of(column):
            return super().is_any_number(operand, column, numbers)
        return self._is_any(self.write(sql.NUMBER_ITEM, "text"), [*map(str, numbers)])

    def collation(self, operand: sa.ColumnElement[Any]) -> str | None:
        """Returns the collation of a column that states it."""
        return operand.type.collation if isinstance(operand.type, sa.String) else None

    def is_lowered(self, operand: sa.ColumnElement[Any]) -> bool:
        """Returns true for the result of lowered()."""
        return isinstance(operand, _Form) and operand.form == sql.LOWERED

    def is_nullable(self, column: Column) -> bool:
        """Returns true if the table may have no value in a column."""
        operand = self.operand(column)

        def read() -> bool:
            place = self._places.get(column.name, column.name)
            element: Any = self._named_column(place) if isinstance(place, str) else place
            return bool(getattr(element, "nullable", True))

        return bool(self._once("nullable", operand, read))

    def term(
        self, ordered: sa.ColumnElement[Any], is_down: bool, is_nullable: bool
    ) -> sa.ColumnElement[Any]:
        """Returns a sort key, with nulls first if ascending."""
        form = sql.DESCENDING if is_down else sql.ASCENDING
        if is_nullable:
            form = sql.NULLS_LAST if is_down else sql.NULLS_FIRST
        term: sa.ColumnElement[Any]
        term = self._once(form, ordered, lambda: _Term(form, ordered.type, ordered))
        return term

    def ordered_uuid(self, operand: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
        """Folds texts; MariaDB has an order of its own for UUIDs."""
        if isinstance(operand.type, sa.String):
            return self.folded(operand)
        is_native = isinstance(operand.type, sa.Uuid) and operand.type.native_uuid
        return _Form(sql.UUID_TEXT, operand.type, operand) if is_native else operand

    def uuid_bound(self, column: Column, comparison: str, uuid: UUID) -> Condition:
        """Compares UUIDs, or texts in lower case."""
        operand = self.operand(column)
        place = self.ordered_uuid(operand)
        if place is operand or isinstance(operand.type, sa.String):
            text = isinstance(operand.type, sa.String)
            return self.compare(place, comparison, str(uuid) if text else uuid)
        kind = sa.Uuid()
        bound = _Form(sql.CAST_UUID, kind, sa.literal(uuid, kind))
        return self.compare(sa.type_coerce(place, kind), comparison, bound)

    def ordered_choice(
        self, operand: sa.ColumnElement[Any], column: Column
    ) -> sa.ColumnElement[Any]:
        """Returns the place of a choice, or an enum of the database."""
        kind = operand.type
        places = {text: sa.literal(at, _BIGINT) for at, text in enumerate(column.choices)}
        if not isinstance(kind, sa.Enum):
            tests = [(self.is_any(operand, [text]), at) for text, at in places.items()]
            return sa.case(*tests)
        members = members_of(kind, column.choices)
        stored_places = {members[text][1]: at for text, at in places.items()}
        by_place = sa.case(*[(operand == member, at) for member, at in stored_places.items()])
        if not kind.native_enum:
            return by_place
        return _Form(sql.NATIVE_CHOICE, kind, operand, by_place)

    def key_operand(self, column: Column) -> sa.ColumnElement[Any]:
        """Returns the value that cursors have of a column."""
        operand = self.operand(column)
        is_decimal = column.type == "decimal" and not self.is_integer(operand)
        return sa.type_coerce(operand, _TYPES["decimal"]) if is_decimal else operand

    def cursor_key(
        self,
        column: Column,
        operand: sa.ColumnElement[Any],
        value: Any,  # noqa: ANN401
    ) -> object:
        """Returns the text of a member of an Enum."""
        if column.type != "choice" or value is None:
            return super().cursor_key(column, operand, value)
        kind = operand.type
        members = members_of(kind, column.choices) if isinstance(kind, sa.Enum) else {}
        return next((text for text, held in members.items() if value in held), value)

    def integer_bound(self, column: Column, comparison: str, number: int) -> Condition:
        """Compares with a 64-bit number, which may exceed the column's type."""
        return self.compare(self.operand(column), comparison, self.bind(number, "integer"))

    # --- Relationships ------------------------------------------------------------------------

    def path_of(self, column: Column) -> list[str]:
        """Returns the names of relationships and of a column, such as `customer.country`."""
        place = self._places.get(column.name, column.name)
        if not isinstance(place, str) or "." not in place:
            return []
        mapper: Any = getattr(sa.inspect(self._table), "mapper", None)
        path = place.split(".")
        is_related = mapper is not None and path[0] in mapper.relationships
        return path if is_related else []

    def _related(
        self, column: Column, test: Callable[["SqlalchemyVisitor"], Condition]
    ) -> Condition:
        """Returns EXISTS over the rows of a relationship that meet a condition."""
        first, *rest = self.path_of(column)
        relationship: Any = getattr(self._table, first)
        target = relationship.property.mapper.class_
        inner = SqlalchemyVisitor(self._query, target, {column.name: ".".join(rest)})
        met = inner._related(column, test) if inner.path_of(column) else test(inner)
        is_many = relationship.property.uselist
        exists: Condition = relationship.any(met) if is_many else relationship.has(met)
        return exists

    def _leaf(self, column: Column, leaf: Tree) -> Condition:
        """Tests the row of a relationship to one; it has no value if there is none."""
        if column.is_list or not self.path_of(column):
            return super()._leaf(column, leaf)
        if not leaf.get("any_of", True) or not leaf.get("none_of", True):
            return self.constant(True)
        is_negated = "none_of" in leaf or leaf.get("is_null", False)
        test = {"any_of": leaf["none_of"]} if "none_of" in leaf else {**leaf}
        test |= {"is_null": False} if "is_null" in leaf else {}
        related = self._related(column, lambda inner: inner._leaf(column, test))
        return negation(related) if is_negated else related

    def has_value(self, column: Column) -> Condition:
        """Takes rows of a relationship to many as a list, which is always there."""
        is_many = column.is_list and self.path_of(column)
        return self.constant(True) if is_many else super().has_value(column)

    def has_item(
        self, column: Column, meets: Callable[[sa.ColumnElement[Any]], Condition]
    ) -> Condition:
        """Returns EXISTS over the items of an ARRAY, of JSON, or of related rows."""
        if self.path_of(column):
            single = replace(column, is_list=False)
            return self._related(column, lambda inner: meets(inner.operand(single)))
        operands = self.operand(column), meets(self.literal(sql.ITEM))
        return _Form(sql.HAS_JSON_ITEM, _BOOLEAN, *operands, of_arrays=sql.HAS_ARRAY_ITEM)

    def is_list(self, operand: sa.ColumnElement[Any]) -> Condition:
        """Returns IS NOT NULL of an ARRAY, or that JSON is a list."""
        return _Form(sql.IS_JSON_LIST, _BOOLEAN, operand, of_arrays=sql.IS_ARRAY)

    def as_list(self, column: Column) -> sa.ColumnElement[Any]:
        """Returns an ARRAY of texts, or JSON that is a list."""
        if self.path_of(column):
            raise self.refusal(column.name, "no groups of related rows: leave it out")
        operand = self.operand(column)
        return _Form(sql.JSON_AS_LIST, _TYPES["text"], operand, of_arrays=sql.ARRAY_AS_LIST)

    def choice_texts(self, column: Column) -> Mapping[str, str]:
        """Returns the choices by what an Enum stores for them."""
        kind = self.operand(column).type
        kind = kind.item_type if isinstance(kind, sa.ARRAY) else kind
        if not isinstance(kind, sa.Enum):
            return super().choice_texts(column)
        members = members_of(kind, column.choices)
        return {members[text][0]: text for text in column.choices}

    def decimal_bound(
        self, column: Column, comparison: str, number: str, *, takes_nan: bool = False
    ) -> Condition:
        """Compares with a decimal; integer columns with integers."""
        operand = self.operand(column)
        if not self.is_integer(operand):
            return super().decimal_bound(column, comparison, number, takes_nan=takes_nan)
        units = to_units(number, 0, upwards=comparison in ("gte", "lt"))
        if -(2**63) <= units < 2**63:
            return self.integer_bound(column, comparison, units)
        return self.beyond(operand, comparison, is_low=number.startswith("-"))

    def bind_any(self, value: object) -> sa.ColumnElement[Any]:
        """Returns a parameter whose type the SQL states."""
        return sa.literal(value, sa.types.NullType())

    # --- SQL ----------------------------------------------------------------------------------

    def write(
        self,
        form: sql.Form,
        type: str,  # noqa: A002
        *operands: sa.ColumnElement[Any],
    ) -> sa.ColumnElement[Any]:
        """Returns an element in a form."""

        def write() -> sa.ColumnElement[Any]:
            return _Form(form, _TYPES[type], *operands)

        if len(operands) != 1:
            return write()
        written: sa.ColumnElement[Any] = self._once(form, operands[0], write, type)
        return written

    def meets(self, form: sql.Form, *operands: sa.ColumnElement[Any]) -> Condition:
        """Returns a condition in a form."""
        return self.write(form, "boolean", *operands)

    def bind(self, value: object, type: str) -> sa.ColumnElement[Any]:  # noqa: A002
        """Returns a parameter."""
        return sa.literal(value, _TYPES[type])

    def literal(self, text: str, type: str = "text") -> sa.ColumnElement[Any]:  # noqa: A002
        """Returns SQL of the program."""
        return sa.literal_column(text, _TYPES[type])

    def within(
        self, query: Query, places: Mapping[str, sa.ColumnElement[Any]]
    ) -> "SqlalchemyVisitor":
        """Returns the visitor of a condition on records."""
        return SqlalchemyVisitor(query, self._table, places)

    def is_integer(self, operand: sa.ColumnElement[Any]) -> bool:
        """Returns true for an integer."""
        return isinstance(operand.type, sa.Integer)

    def is_aware(self, operand: sa.ColumnElement[Any], column: Column) -> bool:
        """Returns true if a DateTime has a zone."""
        return isinstance(operand.type, sa.DateTime) and operand.type.timezone

    def digits(self, operand: sa.ColumnElement[Any]) -> sql.Digits:
        """Returns the digits of a Numeric, if it has them."""
        kind = operand.type
        assert isinstance(kind, sa.Numeric)
        if kind.precision is None or kind.scale is None:
            return sql.Digits()
        return sql.Digits(kind.precision - kind.scale, kind.scale)


def _bits_of(kind: sa.types.TypeEngine[Any]) -> int:
    """Returns the size of an integer type."""
    sizes = {sa.BigInteger: 64, sa.SmallInteger: 16}
    return next((bits for type_, bits in sizes.items() if isinstance(kind, type_)), 32)


def texts_of(kind: sa.Enum) -> tuple[tuple[str, ...], ...]:
    """Returns the texts of an Enum in its order: those of its values, and of its names."""
    if kind.enum_class is None:
        return (tuple(kind.enums),)
    members: list[Any] = [*kind.enum_class]
    values = tuple(member.value for member in members)
    names = tuple(member.name for member in members)
    are_texts = all(isinstance(value, str) and value for value in values)
    return (values, names) if are_texts else (names,)


def members_of(kind: sa.Enum, choices: Sequence[str]) -> dict[str, tuple[str, Any]]:
    """Returns what an Enum stores, and the value to bind, by its texts that are the choices."""
    all_texts = texts_of(kind)
    texts = next((texts for texts in all_texts if {*choices} <= {*texts}), all_texts[0])
    members: Any = kind.enum_class or kind.enums
    return dict(zip(texts, zip(kind.enums, members, strict=False), strict=False))


def _joined(
    join: Callable[..., Condition], neutral: Condition, parts: Sequence[Condition]
) -> Condition:
    """Combines conditions with AND or OR, grouping many, because SQLite counts each as a level."""
    if len(parts) > _MOST_IN_A_ROW:
        starts = range(0, len(parts), _MOST_IN_A_ROW)
        rows = (join(*parts[at : at + _MOST_IN_A_ROW]) for at in starts)
        parts = [_Group(row) for row in rows]
    if len(parts) < 2:
        return parts[0] if parts else neutral
    return join(*parts)


def where(
    query: Query, table: Table, columns: Mapping[str, Place] | None = None
) -> sa.ColumnElement[bool]:
    """Converts the conditions of a query; see EventsQuery.where()."""
    return visitor_of(query, table, columns).read(query)


_MOST_VISITORS = 64
# By the id of a schema, which stays, and the table.
_visitors: dict[tuple[int, Table], tuple[tuple[Column, ...], SqlalchemyVisitor]] = {}


def visitor_of(
    query: Query, table: Table, columns: Mapping[str, Place] | None
) -> SqlalchemyVisitor:
    """Returns a visitor, the same for all queries with a schema, a table and its columns."""
    if columns or sa.inspect(table, raiseerr=False) is None:
        return SqlalchemyVisitor(query, table, columns)
    schema = query.schema
    key = id(schema), table
    kept = _visitors.get(key)
    if kept is None:
        kept = schema, SqlalchemyVisitor(query, table, None)
        for oldest in [*_visitors][: len(_visitors) + 1 - _MOST_VISITORS]:
            _visitors.pop(oldest, None)
        _visitors[key] = kept
    return kept[1]
