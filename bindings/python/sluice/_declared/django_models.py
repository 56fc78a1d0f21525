# SPDX-License-Identifier: MIT
"""Columns of models of Django."""

from collections.abc import Mapping

from sluice._column import Column, ColumnType
from sluice._declared.models import Held, Model, at_path
from sluice._expressions.missing import explained

with explained("django"):
    from django.core.exceptions import FieldDoesNotExist
    from django.db import models
    from django.db.models import Field

# Column types by the fields of Django. The first match counts.
_TYPES: Mapping[type[Field], ColumnType] = {
    models.CharField: "text",
    models.TextField: "text",
    models.IntegerField: "integer",
    models.DecimalField: "decimal",
    models.FloatField: "real",
    models.DateTimeField: "time",
    models.DateField: "date",
    models.BooleanField: "boolean",
    models.UUIDField: "uuid",
    models.JSONField: "json",
}
_OF_LISTS = ("text", "integer", "uuid")


def columns_of_django(model: Model) -> dict[str, Held]:
    """Returns the columns by the names of their attributes, such as `customer_id`."""
    keys = {field.attname for field in getattr(model._meta, "pk_fields", [model._meta.pk])}
    return {
        field.attname: _held(field, field.attname in keys)
        for field in model._meta.concrete_fields
        if field.column is not None
    }


def related(model: Model, name: str) -> Held | None:
    """Returns the column at a path over relations; None if there is none."""
    *path, last = name.split(".")
    is_many = False
    for part in path:
        try:
            relation = model._meta.get_field(part)
        except FieldDoesNotExist:
            return None
        if not relation.is_relation or relation.related_model is None:
            return None
        is_many = is_many or bool(relation.one_to_many or relation.many_to_many)
        model = relation.related_model
    held = columns_of_django(model).get(last)
    return held and at_path(held, name, is_many)


def _held(field: Field, is_key: bool) -> Held:
    """Describes a field; a foreign key has the type of its target."""
    target = field
    while target.is_relation:
        target = target.target_field
    base = getattr(target, "base_field", None)
    held = next((to for of, to in _TYPES.items() if isinstance(base or target, of)), None)
    kind = type(field).__name__
    if held is None or (base is not None and held not in _OF_LISTS):
        return Held(None, kind, is_key)
    return Held(Column(field.attname, held, base is not None, field.null), kind, is_key)
