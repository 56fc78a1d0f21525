# SPDX-License-Identifier: MIT
"""Columns of the models of an ORM, for the parameters of their lists."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from sluice._column import Column

Model: TypeAlias = Any  # a mapped class or a table of SQLAlchemy, or a model of Django

# Other types in which a parameter's column may be stored.
_KEPT_AS: Mapping[str, tuple[str, ...]] = {
    "decimal": ("integer",),
    "time": ("integer",),
    "real": ("integer",),
    "uuid": ("text",),
    "choice": ("text",),
}
_FILTERED_AS_TEXT = ("uuid", "choice")
# The functions of parameters of a column, where its type alone doesn't name one.
_DECLARED_BY: Mapping[str, str] = {
    "text": "filter, texts or text",
    "time": "window or time",
    "json": "metadata",
    "records": "expression",
}
LISTED = ("text", "integer", "uuid", "choice")  # types of the items of lists


class Held(NamedTuple):
    """A column of a model.

    Attributes:
        column: The column; None if its type can't be compared.
        type: Its type in words.
        is_key: True if it is part of the primary key.
        choices: The texts of an Enum, by its values or else by its names.
    """

    column: Column | None
    type: str
    is_key: bool = False
    choices: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Description:
    """A model.

    Attributes:
        orm: The name of its ORM.
        name: Its name.
        columns: Its columns by name.
        related: Returns the column at a path over its relationships, such as `customer.country`.
    """

    orm: str
    name: str
    columns: Mapping[str, Held]
    related: Callable[[str], Held | None]

    def held(self, name: str) -> Held:
        """Returns a column.

        Raises:
            ValueError: There is none.
        """
        held = self.columns.get(name) or (self.related(name) if "." in name else None)
        if held is None:
            names = ", ".join(self.columns)
            raise ValueError(f"{name}: {self.name} has no such column, expected one of {names}")
        return held


def described(model: Model) -> Description:
    """Describes a model.

    Raises:
        TypeError: The argument isn't a model.
    """
    if hasattr(model, "_meta") and hasattr(model, "_default_manager"):
        from sluice._declared import django_models as django

        columns = django.columns_of_django(model)
        return Description("Django", model.__name__, columns, partial(django.related, model))
    from sluice._declared import sqlalchemy_models as sqlalchemy

    columns = sqlalchemy.columns_of_sqlalchemy(model)
    related = partial(sqlalchemy.related, model)
    return Description("SQLAlchemy", sqlalchemy.name_of(model), columns, related)


def at_path(held: Held, name: str, is_many: bool) -> Held:
    """Returns a related row's column as one of this row: nullable, or a list if there are many.

    Without such a column, it says in `type` why.
    """
    column = held.column
    if column is None or (is_many and (column.is_list or column.type not in LISTED)):
        return held._replace(column=None, type=f"{held.type} of {'many' if is_many else 'one'}")
    if is_many:
        return held._replace(column=replace(column, name=name, is_list=True, is_nullable=False))
    return held._replace(column=replace(column, name=name, is_nullable=True))


def key_of(model: Description) -> tuple[Column, tuple[str, ...]]:
    """Returns the primary key, and the columns that it stands for if there are several.

    Raises:
        ValueError: The model has none, or one of a type that can't be compared.
    """
    keys = {name: held.column for name, held in model.columns.items() if held.is_key}
    columns = [column for column in keys.values() if column is not None]
    if not keys or len(columns) < len(keys):
        raise ValueError(f"{model.name}: expected a primary key of one column, or key=")
    return (columns[0], ()) if len(keys) == 1 else (Column(",".join(keys)), tuple(keys))


def columns_of(
    model: Description,
    declared: Iterable[Column],
    choices: Mapping[str, Sequence[str]],
    untyped: frozenset[str],
    key: Column | None = None,
) -> tuple[Column, ...]:
    """Returns the columns of a model; columns of parameters are as declared.

    Args:
        model: The model.
        declared: The columns of parameters.
        choices: The accepted texts of parameters, by column.
        untyped: Columns whose parameters fit any type.
        key: The column that stands for several, which the model lacks.

    Raises:
        ValueError: The model lacks a column, or has one of an incompatible type.
    """
    columns = {name: held.column for name, held in model.columns.items()}
    for column in declared:
        if column == key:
            columns[column.name] = column
            continue
        columns[column.name] = _checked(column, choices.get(column.name, ()), model, untyped)
    return tuple(column for column in columns.values() if column is not None)


def _checked(
    declared: Column, choices: Sequence[str], model: Description, untyped: frozenset[str]
) -> Column:
    """Returns a parameter's column, nullable and a list as in the model.

    Raises:
        ValueError: The model lacks it, or has an incompatible type.
    """
    name = declared.name
    held = model.held(name)
    column = held.column
    if column is not None and column.type == "choice":
        column = _with_choices(column, held, declared.choices or choices, model)
    if column is not None and name in untyped:
        return column
    is_filter = declared.type == "text" and declared.collation == "exact"
    if column is not None and is_filter and column.type in _FILTERED_AS_TEXT:
        return column
    kinds = (declared.type, *_KEPT_AS.get(declared.type, ()))
    is_json = declared.is_list or declared.type == "records"
    is_json = is_json and column is not None and column.type == "json"
    if column is None or not (column.type in kinds or is_json):
        kind = column.type if column else f"another type, {held.type}"
        hint = f": use {_DECLARED_BY.get(column.type, column.type)}()" if column else ""
        raise ValueError(f"{name}: {model.name} has {kind}, expected {' or '.join(kinds)}{hint}")
    is_list = declared.is_list or column.is_list
    return replace(declared, is_nullable=column.is_nullable, is_list=is_list)


def _with_choices(column: Column, held: Held, wanted: Sequence[str], model: Description) -> Column:
    """Returns the column of an Enum with the texts that a parameter has.

    Raises:
        ValueError: The Enum lacks some of them.
    """
    for texts in held.choices:
        if {*wanted} <= {*texts}:
            return replace(column, choices=texts)
    expected = " or ".join(", ".join(texts) for texts in held.choices)
    raise ValueError(f"{column.name}: {model.name} has other choices, expected some of {expected}")
