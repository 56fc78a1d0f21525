# SPDX-License-Identifier: MIT
"""Columns of models of SQLAlchemy."""

from collections.abc import Iterator, Mapping
from typing import Any

from sluice._column import Column, ColumnType
from sluice._declared.models import LISTED, Held, Model, at_path
from sluice._expressions.missing import explained
from sluice._expressions.sqlalchemy import is_guid, stored, texts_of

with explained("sqlalchemy"):
    import sqlalchemy as sa
    from sqlalchemy.orm import Mapper

# Column types by those of SQLAlchemy. The first match counts.
_TYPES: Mapping[type[sa.types.TypeEngine[Any]], ColumnType] = {
    sa.Enum: "choice",
    sa.Float: "real",
    sa.String: "text",
    sa.Integer: "integer",
    sa.Numeric: "decimal",
    sa.DateTime: "time",
    sa.Date: "date",
    sa.Boolean: "boolean",
    sa.Uuid: "uuid",
    sa.JSON: "json",
}


def columns_of_sqlalchemy(model: Model) -> dict[str, Held]:
    """Returns the columns by the names that where() uses: those of attributes.

    Raises:
        TypeError: The argument isn't a model.
    """
    return {name: _held(name, column) for name, column in _named(model)}


def related(model: Model, name: str) -> Held | None:
    """Returns the column at a path over relationships; None if there is none."""
    mapper: Any = sa.inspect(model, raiseerr=False)
    *path, last = name.split(".")
    is_many = False
    for part in path:
        if not isinstance(mapper, Mapper) or part not in mapper.relationships:
            return None
        is_many = is_many or bool(mapper.relationships[part].uselist)
        mapper = mapper.relationships[part].mapper
    held = columns_of_sqlalchemy(mapper).get(last)
    return held and at_path(held, name, is_many)


def name_of(model: Model) -> str:
    """Returns the name of a model."""
    return str(getattr(model, "__name__", None) or getattr(model, "name", model))


def _held(name: str, column: sa.ColumnElement[Any]) -> Held:
    """Describes a column."""
    kind = stored(column).type
    is_list = isinstance(kind, sa.ARRAY)
    item = kind.item_type if isinstance(kind, sa.ARRAY) else kind
    held = next((to for of, to in _TYPES.items() if isinstance(item, of)), None)
    held = "uuid" if is_guid(item) else held
    is_key = bool(getattr(column, "primary_key", False))
    choices = texts_of(item) if isinstance(item, sa.Enum) else ()
    if held is None or (is_list and held not in LISTED) or (held == "choice" and not choices):
        return Held(None, repr(column.type), is_key)
    is_nullable = bool(getattr(column, "nullable", True))
    converted = Column(name, held, is_list, is_nullable, choices=choices[0] if choices else ())
    return Held(converted, repr(column.type), is_key, choices)


def _named(model: Model) -> Iterator[tuple[str, Any]]:
    mapped = sa.inspect(model, raiseerr=False)
    if isinstance(mapped, Mapper):
        return ((attribute.key, attribute.columns[0]) for attribute in mapped.column_attrs)
    if isinstance(mapped, sa.FromClause):
        return iter(mapped.c.items())
    kind = model.__name__ if isinstance(model, type) else type(model).__name__
    raise TypeError(
        "model: expected a mapped class or a FromClause of SQLAlchemy, or a model of Django, "
        f"not {kind}"
    )
