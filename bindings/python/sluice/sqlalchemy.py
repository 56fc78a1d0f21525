# SPDX-License-Identifier: MIT
"""Pages of lists selected by SQLAlchemy.

```
class Orders(sluice.ListQuery, model=OrderModel): ...

page = sluice.sqlalchemy.page(session, query, OrderModel, "/orders")
page.rows, page.headers
```
"""

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sluice._declared.sqlalchemy_models import name_of
from sluice._errors import ApiError
from sluice._expressions.grouped import RowGroups, has_paths, name_in_rows, valued_columns, whole
from sluice._expressions.keys import Key
from sluice._expressions.missing import explained
from sluice._expressions.sqlalchemy import (
    GroupStatement,
    SqlalchemyVisitor,
    database_of,
    visitor_of,
)
from sluice._expressions.tests import has_test, leaves
from sluice._list_requests import ListRequest, expect, expect_query
from sluice._pages import Page, Selection
from sluice.sql import FUNCTIONS

with explained("sqlalchemy"):
    import sqlalchemy as sa
    from sqlalchemy.orm import Mapper, Session, aliased, scoped_session

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from sluice._declared.list_query import ListQuery
    from sluice.groups import Aggregate

__all__ = ["Page", "aggregate", "page", "page_async", "select"]

_Model = type[Any] | sa.FromClause
_Columns = Mapping[str, str | sa.ColumnElement[Any]]


def select(query: ListRequest, model: _Model, columns: _Columns | None = None) -> sa.Select[Any]:
    """Returns the SELECT of a query's page, in its order, with nulls first if ascending.

    Texts are ordered by their bytes in SQLite, PostgreSQL and MariaDB.

    Args:
        query: The query of the request.
        model: The mapped class of the rows, or a Table, whose rows `session.execute()` returns.
        columns: As for `query.where()`.

    Raises:
        ApiError: The query begins at a cursor, which page() supports.
    """
    plan = _Plan(query, model, columns, None)
    if plan.place is not None:
        message = "cursor: unknown parameter, expected page"
        raise ApiError(message, rule="parameter_unknown", param="cursor")
    rows, selection = plan.rows.order_by(*map(plan.term, plan.keys)), plan.selection
    return rows.offset(sa.literal(selection.before, sa.BigInteger())).limit(selection.size)


def page(
    session: Session,
    query: ListRequest,
    model: _Model,
    path: str = "",
    *,
    columns: _Columns | None = None,
    statement: sa.Select[Any] | None = None,
    most_counted: int | None = None,
) -> Page[list[Any]]:
    """Selects the page of a query, which may begin or end at a cursor.

    Args:
        session: The session.
        query: The query of the request.
        model: The mapped class of the rows, or a Table.
        path: The path of the list, with which links begin; see page_headers().
        columns: As for `query.where()`.
        statement: A SELECT of the model with conditions and options of its own; all rows by
            default.
        most_counted: The number of rows at which counting ends, if the request asks for a total;
            0 never counts, and None counts all.

    Returns:
        A Page; one row more than it has is read, to know whether another follows.

    Raises:
        ApiError: The cursor has keys that the columns can't hold.
        ValueError: The statement has the model on the null side of an outer join.
    """
    expect("session", session, "a Session; page_async() takes others", Session, scoped_session)
    plan = _Plan(query, model, columns, statement)
    _register(session.connection(), plan.selection.tree)
    if plan.place is not None and plan.place.cuts:
        plan.place.complete(plan.keys, session.execute(plan.row_of_place()).first())
    counted = plan.counted(most_counted)
    total = None if counted is None else session.scalar(counted)
    return plan.page(session.execute(plan.selected()).all(), total, path, most_counted)


def aggregate(
    session: Session,
    query: "ListQuery | Aggregate",
    model: _Model,
    *,
    columns: _Columns | None = None,
) -> list[dict[str, Any]]:
    """Groups and measures the rows that meet a query's conditions, by one statement.

    The statement is that of `query.aggregate.to_sql()` over the SELECT of the rows. Texts at a path
    of JSON need SQLite or PostgreSQL.

    Args:
        session: The session.
        query: The query of the request, whose class declares group_by() or measures(), or an
            Aggregate, such as those of sluice.groups.facets().
        model: The mapped class of the rows, or a Table.
        columns: As for `query.where()`.

    Returns:
        The groups as `query.aggregate.apply()` returns them.

    Raises:
        ApiError: The database can't answer exactly, or a bucket of time has no first or last time
            in the conditions.
        ValueError: The values of a column aren't exact in the database; the message names it.
    """
    wanted, conditions = whole(query)
    if session.autoflush:  # as it does before its own SELECTs
        session.flush()
    connection = session.connection()
    _register(connection, conditions.tree(), has_paths(wanted))
    columns_of_groups = valued_columns(wanted)
    visitor = SqlalchemyVisitor(conditions, model, columns)
    rows = sa.select().select_from(sa.inspect(model).selectable)
    joined, rows = _joined(columns_of_groups, model, visitor, rows)
    values = SqlalchemyVisitor(conditions, model, {**(columns or {}), **joined})
    groups = RowGroups(wanted, database_of(connection.dialect), values)
    named: list[sa.ColumnElement[Any]] = [
        values.group_value(column).label(name_in_rows(at))
        for at, column in enumerate(columns_of_groups.values())
    ]
    rows = rows.where(visitor.read(conditions)).add_columns(*(named or [sa.literal(1)]))
    statement = GroupStatement(groups.text, rows.subquery("sluice_table"), groups.parameters)
    return groups.read(connection.execute(statement).all())


async def page_async(
    session: "AsyncSession",
    query: ListRequest,
    model: _Model,
    path: str = "",
    *,
    columns: _Columns | None = None,
    statement: sa.Select[Any] | None = None,
    most_counted: int | None = None,
) -> Page[list[Any]]:
    """Like page(), with a session of asyncio.

    Args:
        session: The session.
        query: As for page().
        model: As for page().
        path: As for page().
        columns: As for page().
        statement: As for page().
        most_counted: As for page().
    """
    from sqlalchemy.ext.asyncio import AsyncSession, async_scoped_session

    expect("session", session, "an AsyncSession", AsyncSession, async_scoped_session)
    return await session.run_sync(
        lambda opened: page(
            opened,
            query,
            model,
            path,
            columns=columns,
            statement=statement,
            most_counted=most_counted,
        )
    )


class _Plan:
    """The statements of a page."""

    def __init__(
        self,
        query: ListRequest,
        model: _Model,
        columns: _Columns | None,
        statement: sa.Select[Any] | None,
    ) -> None:
        """Reads the query's order and place."""
        expect_query(query)
        if statement is not None:
            expect("statement", statement, "a SELECT of the model", sa.Select)
        self.selection = Selection(query)
        self._model = model
        self._visitor = visitor_of(query, model, columns)
        rows = sa.select(model) if statement is None else statement
        null_side = _null_side(rows)
        if not null_side.isdisjoint(_tables_of(model)):
            raise ValueError(
                f"statement: the rows of {name_of(model)} are the null side of an outer join: "
                "select the other rows from its side"
            )
        tree = self.selection.tree
        used = {leaf["column"] for leaf in leaves(tree["where"])}
        used |= {key["column"] for key in tree["order"]}
        joined, rows = _joined(used, model, self._visitor, rows)
        expressions = {name: of for name, of in (columns or {}).items() if not isinstance(of, str)}
        self._outer = joined.keys() | {
            name for name, of in expressions.items() if getattr(of, "table", None) in null_side
        }
        if joined:
            self._visitor = SqlalchemyVisitor(query, model, {**(columns or {}), **joined})
        self.rows = rows.where(self._visitor.read(query, tree))
        self.keys = [self._key(key) for key in self.selection.order]
        self.place = self.selection.place

    def _key(self, key: Mapping[str, Any]) -> Key[sa.ColumnElement[Any]]:
        column = self._visitor.schema[key["column"]]
        operand = self._visitor.key_operand(column)
        is_nullable = column.name in self._outer or self._visitor.is_nullable(column)
        return Key(
            column,
            operand,
            self._visitor.ordered(column, is_nullable=is_nullable),
            is_nullable,
            key["direction"] == "desc",
        )

    def term(self, key: Key[sa.ColumnElement[Any]]) -> sa.ColumnElement[Any]:
        """Returns a sort key. Nulls come first if it ascends, also in PostgreSQL."""
        return self._visitor.term(key.ordered, key.is_down, key.is_nullable)

    def row_of_place(self) -> sa.Select[Any]:
        """Returns the SELECT of the keys of the row that the place was made from."""
        assert self.place is not None
        count = len(self.selection.key_parts) or 1
        unique = zip(self.keys[-count:], self.place.keys[-count:], strict=True)
        bounds = [
            self._visitor.key_bound(key.column, name, text or "")
            for key, text in unique
            for name in ("gte", "lte")
        ]
        return sa.select(*(key.operand for key in self.keys)).where(*bounds)

    def selected(self) -> sa.Select[Any]:
        """Returns the SELECT of the page's rows and one more, with their keys."""
        rows, keys = self.rows, self.keys
        if self.place is not None:
            keys = [key.reversed() for key in keys] if self.place.is_before else keys
            rows = rows.where(self.selection.beyond(self._visitor, keys))
        named = [key.operand.label(f"sluice_key_{at}") for at, key in enumerate(keys, 1)]
        rows = rows.add_columns(*named).order_by(*map(self.term, keys))
        before = sa.literal(self.selection.before, sa.BigInteger())
        rows = rows.offset(before) if self.selection.before else rows
        return rows.limit(self.selection.size + 1)

    def counted(self, most: int | None) -> sa.Select[Any] | None:
        """Returns the SELECT of the total, if it is wanted."""
        if not self.selection.is_counted or most == 0:
            return None
        counted = sa.literal(1).label("one") if most is not None else sa.func.count()
        rows = self.rows.with_only_columns(counted, maintain_column_froms=True)
        if most is None:
            return rows
        return sa.select(sa.func.count()).select_from(rows.limit(most + 1).subquery())

    def page(
        self, rows: Sequence[sa.Row[Any]], total: int | None, path: str, most: int | None
    ) -> Page[list[Any]]:
        """Returns the page of selected rows."""
        count = len(self.keys)
        is_mapped = isinstance(sa.inspect(self._model, raiseerr=False), Mapper)
        shown = [(row[0] if is_mapped else row, row[-count:]) for row in rows]
        read = lambda row: [  # noqa: E731
            self._visitor.cursor_key(key.column, key.operand, value)
            for key, value in zip(self.keys, row, strict=True)
        ]
        return self.selection.page(shown, read, total, most, path)


def _null_side(statement: sa.Select[Any]) -> set[object]:
    """Returns the tables of a SELECT that outer joins have NULLs for."""
    tables: set[object] = set()

    def add(source: sa.FromClause, is_null: bool) -> None:
        if isinstance(source, sa.Join):
            add(source.left, is_null or source.full)
            add(source.right, is_null or source.isouter or source.full)
        elif is_null:
            tables.add(source)

    if _has_outer_joins(statement):
        for source in statement.get_final_froms():
            add(source, False)
    return tables


def _has_outer_joins(statement: sa.Select[Any]) -> bool:
    """Returns true if a SELECT may have some; get_final_froms() alone takes a millisecond."""
    flags: list[Mapping[str, Any]] = [joined[-1] for joined in statement._setup_joins]
    sources = (*statement._from_obj, *statement._raw_columns)
    return any(of["isouter"] or of["full"] for of in flags) or any(
        isinstance(of, sa.Join) for of in sources
    )


def _tables_of(model: _Model) -> Sequence[object]:
    """Returns the tables of a model."""
    inspected: Any = sa.inspect(model)
    return inspected.tables if isinstance(inspected, Mapper) else [inspected]


def _joined(
    used: Container[str], model: _Model, visitor: SqlalchemyVisitor, rows: sa.Select[Any]
) -> tuple[dict[str, sa.ColumnElement[Any]], sa.Select[Any]]:
    """Joins the relationships to one of the columns such as `customer.country` that are used.

    Returns the joined columns by name, and the SELECT.
    """
    schema = visitor.schema.values()
    related = [column for column in schema if not column.is_list and visitor.path_of(column)]
    if not related:
        return {}, rows
    places = {}
    entities: dict[tuple[str, ...], Any] = {(): model}
    for column in related:
        if column.name not in used:
            continue
        *parts, last = visitor.path_of(column)
        for end in range(1, len(parts) + 1):
            step = tuple(parts[:end])
            if step not in entities:
                relationship = getattr(entities[step[:-1]], step[-1])
                entities[step] = aliased(relationship.property.mapper)
                rows = rows.outerjoin(relationship.of_type(entities[step]))
        places[column.name] = getattr(entities[tuple(parts)], last)
    return places, rows


def _register(
    connection: sa.Connection, tree: Mapping[str, Any], reads_texts: bool = False
) -> None:
    """Adds the functions that read metadata to a connection of SQLite."""
    is_read = reads_texts or has_test(tree["where"], "matches")
    if connection.dialect.name != "sqlite" or not is_read:
        return
    opened: Any = connection.connection.dbapi_connection
    for name, function in FUNCTIONS.items():
        opened.create_function(name, 2, function, deterministic=True)
