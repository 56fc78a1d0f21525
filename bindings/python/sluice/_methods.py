# SPDX-License-Identifier: MIT
"""Methods of the extension module's classes that are written in Python.

Importing this module adds them. What they call is imported on first use.
"""

from sluice._sluice import (
    BoundQuery,
    Cursor,
    EventsQuery,
    Filter,
    MetadataQuery,
    TagsQuery,
    TimeExpression,
)

TYPE_CHECKING = False  # as in typing, whose import takes longer than all imports of sluice
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc
    import sqlalchemy as sa
    from django.db.models import Q

    from sluice._expressions.visitor import Query


def to_polars(  # noqa: D417 (self needs a type here)
    self: "Query",
    columns: "Mapping[str, str | tuple[str, ...] | pl.Expr] | None" = None,
    schema: "Mapping[str, pl.DataType] | None" = None,
) -> "pl.Expr":
    """Returns the conditions as an expression of polars, true or false for each row.

    It fits eager and lazy frames. Order and page aren't conditions on rows. Decimals and metadata,
    for which polars has no exact expression, are tested by a mask of each batch.

    Args:
        columns: Columns of the frame by names in the query's schema: another name, the path to a
            field of a struct, such as ('click', 'country'), or an expression. Other columns have
            the names of the schema.
        schema: The schema of the frame, such as frame.collect_schema(). Times are then compared in
            the type of their column, datetimes or Int64 milliseconds, so that files skip row groups
            by their statistics. Without it times are datetimes.

    Returns:
        polars.Expr.

    Raises:
        ImportError: polars is not installed.
        TypeError: A column of times in `schema` has another type.
        ValueError: polars has no expression for a condition; the message says for which.
    """
    from sluice._expressions import polars

    return polars.to_polars(self, columns, schema)


def to_pyarrow(  # noqa: D417 (self needs a type here)
    self: "Query",
    columns: "Mapping[str, str | tuple[str, ...] | pc.Expression] | None" = None,
    schema: "pa.Schema | None" = None,
) -> "pc.Expression":
    """Returns the conditions as an expression of pyarrow, true or false for each row.

    Tables, datasets and scanners filter by it; row groups that their statistics rule out aren't
    read.

    Args:
        columns: As for to_polars(), with expressions of pyarrow.
        schema: The schema of the table, such as dataset.schema. Values then have the types of their
            columns. Without it times are timestamps in UTC, and decimals are refused.

    Returns:
        pyarrow.compute.Expression.

    Raises:
        ImportError: pyarrow is not installed.
        TypeError: A column of `schema` has a type that can't be compared exactly.
        ValueError: pyarrow has no expression for a condition, such as one on lists or metadata; the
            message says for which.
    """
    from sluice._expressions import pyarrow

    return pyarrow.to_pyarrow(self, columns, schema)


def where(  # noqa: D417 (self needs a type here)
    self: "Query",
    table: "sa.FromClause | type[Any]",
    columns: "Mapping[str, str | sa.ColumnElement[Any]] | None" = None,
) -> "sa.ColumnElement[bool]":
    """Returns the conditions as SQLAlchemy's, for SQLite, PostgreSQL and MariaDB.

    Values are bound parameters. Databases differ in how they compare texts: compiling the
    expression for another one fails.

    Args:
        table: A Table, another FromClause or a mapped class.
        columns: Names of the table's columns, or expressions, by names in the query's schema. Other
            columns have the names of the schema.

    Returns:
        sqlalchemy.ColumnElement.

    Raises:
        ImportError: SQLAlchemy is not installed.
        TypeError: A column has a type that can't be compared exactly.
        ValueError: The table lacks a column, or SQL has no expression for a condition; the message
            says for which.
    """
    from sluice._expressions import sqlalchemy

    return sqlalchemy.where(self, table, columns)


def to_django(  # noqa: D417 (self needs a type here)
    self: "Query", columns: "Mapping[str, Any] | None" = None
) -> "Q":
    """Returns the conditions as a Q of Django, for SQLite, PostgreSQL and MariaDB.

    Values are bound parameters. Databases differ in how they compare texts: compiling the query for
    another one fails.

    Args:
        columns: Fields by names in the query's schema: lookup paths such as link__domain, or
            expressions. Other fields have the names of the schema.

    Returns:
        django.db.models.Q.

    Raises:
        ImportError: Django is not installed.
        ValueError: SQL has no expression for a condition; the message says for which.
    """
    from sluice._expressions import django

    return django.to_django(self, columns)


def core_schema(cls: "type[Any]", source: "object", handler: "object") -> "dict[str, Any]":
    """Returns the schema by which pydantic validates and serializes values of a class."""
    from sluice._pydantic import core_schema_of

    return dict(core_schema_of(cls))


_METHODS = {method.__name__: method for method in (to_polars, to_pyarrow, where, to_django)}
for _class in (BoundQuery, EventsQuery, TagsQuery):
    for _name, _method in _METHODS.items():
        setattr(_class, _name, _method)
_HOOK = "__get_pydantic_core_schema__"
for _value in (Cursor, Filter, MetadataQuery, TimeExpression):
    setattr(_value, _HOOK, classmethod(core_schema))
