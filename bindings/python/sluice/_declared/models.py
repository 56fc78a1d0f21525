# SPDX-License-Identifier: MIT
"""Columns of SQLAlchemy models, for the parameters of their lists."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from sluice._column import Column
from sluice._expressions.missing import explained

with explained("sqlalchemy"):
    import sqlalchemy as sa
    from sqlalchemy.orm import Mapper

Model: TypeAlias = sa.FromClause | type[Any]
_Type: TypeAlias = Literal["text", "integer", "decimal", "time", "boolean", "json"]

# Column types by those of SQLAlchemy. The first match counts; Enum and Float can't be compared
# exactly.
_TYPES: Mapping[type[sa.types.TypeEngine[Any]], _Type | None] = {
    sa.Enum: None,
    sa.Float: None,
    sa.String: "text",
    sa.Integer: "integer",
    sa.Numeric: "decimal",
    sa.DateTime: "time",
    sa.Boolean: "boolean",
    sa.JSON: "json",
}
# Other types in which a parameter's column may be stored.
_KEPT_AS: Mapping[str, tuple[str, ...]] = {"decimal": ("integer",), "time": ("integer",)}


def key_of(model: Model) -> Column:
    """Returns the primary key.

    Raises:
        ValueError: The model has none, or one of several columns.
    """
    keys = [_derived(name, column) for name, column in _named(model) if column.primary_key]
    if len(keys) == 1 and keys[0] is not None:
        return keys[0]
    raise ValueError(f"{_name(model)}: expected a primary key of one column, or key=")


def columns_of(model: Model, declared: Iterable[Column]) -> tuple[Column, ...]:
    """Returns the columns of a model; columns of parameters are as declared.

    Raises:
        ValueError: The model lacks a column, or has one of an incompatible type.
    """
    columns = {name: _derived(name, column) for name, column in _named(model)}
    for column in declared:
        columns[column.name] = _checked(column, columns, model)
    return tuple(column for column in columns.values() if column is not None)


def _checked(declared: Column, columns: Mapping[str, Column | None], model: Model) -> Column:
    """Returns a parameter's column, nullable and a list as in the model.

    Raises:
        ValueError: The model lacks it, or has an incompatible type.
    """
    name = declared.name
    if name not in columns:
        names = ", ".join(columns)
        raise ValueError(f"{name}: {_name(model)} has no such column, expected one of {names}")
    held = columns[name]
    kinds = (declared.type, *_KEPT_AS.get(declared.type, ()))
    is_listed = declared.is_list and held is not None and held.type == "json"
    if held is None or not (held.type in kinds or is_listed):
        kind = held.type if held else "another type"
        raise ValueError(f"{name}: {_name(model)} has {kind}, expected {' or '.join(kinds)}")
    is_list = declared.is_list or held.is_list
    return replace(declared, is_nullable=held.is_nullable, is_list=is_list)


def _derived(name: str, column: sa.ColumnElement[Any]) -> Column | None:
    """Converts a column; None if its type can't be compared."""
    is_list = isinstance(column.type, sa.ARRAY)
    held = column.type.item_type if isinstance(column.type, sa.ARRAY) else column.type
    kind = next((to for of, to in _TYPES.items() if isinstance(held, of)), None)
    if kind is None or (is_list and kind != "text"):
        return None
    is_nullable = bool(getattr(column, "nullable", True))
    return Column(name, kind, is_list=is_list, is_nullable=is_nullable)


def _named(model: Model) -> Iterator[tuple[str, Any]]:
    """Returns the columns of a model by the names that where() uses: those of attributes."""
    mapped = sa.inspect(model, raiseerr=False)
    if isinstance(mapped, Mapper):
        return ((attribute.key, attribute.columns[0]) for attribute in mapped.column_attrs)
    if isinstance(mapped, sa.FromClause):
        return iter(mapped.c.items())
    kind = type(model).__name__
    raise TypeError(f"model: expected a FromClause or a mapped class, not {kind}")


def _name(model: Model) -> str:
    return str(getattr(model, "__name__", None) or getattr(model, "name", model))
