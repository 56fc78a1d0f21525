# SPDX-License-Identifier: MIT
"""The goods of programs over Django that were moved to sluice."""

from collections.abc import Iterator
from contextlib import contextmanager

import django_settings  # noqa: F401 (before models)
from django.db import connection, models
from moved_requests import GOODS


class GoodModel(models.Model):  # type: ignore[misc]
    """A good of a shop."""

    id = models.BigIntegerField(primary_key=True)
    name = models.TextField()
    kind = models.TextField()
    status = models.TextField()
    owner = models.TextField(null=True)
    note = models.TextField(null=True)
    price = models.IntegerField()
    weight = models.FloatField()
    built = models.DateField()

    class Meta:
        """No table: that of a subclass, which names its application."""

        abstract = True


@contextmanager
def table_of(model: type[GoodModel]) -> Iterator[None]:
    """Creates the table of a model with the goods."""
    with connection.schema_editor() as editor:
        editor.create_model(model)
    model.objects.bulk_create(model(**good) for good in GOODS)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(model)
