# SPDX-License-Identifier: MIT
"""One query, run on polars, a Parquet file, SQLAlchemy and Django."""

import tempfile
from pathlib import Path

import django
import polars as pl
import pyarrow.dataset as ds
import sqlalchemy as sa
from django.conf import settings

import sluice

# The columns and the conditions, in the form of query.tree().
schema = [
    sluice.Column("id"),
    sluice.Column("country", is_nullable=True, collation="ignore_case"),
    sluice.Column("seats", "integer", is_nullable=True),
]
wanted = {
    "all": [
        {"column": "country", "none_of": ["us", "ca"], "collation": "ignore_case"},
        {"not": {"column": "seats", "gte": 10}},
    ]
}
query = sluice.ListQuery.from_tree({"where": wanted}, schema)
print(query.columns)

rows = pl.DataFrame(
    {"id": ["a", "b", "c", "d"], "country": ["US", "de", None, "FR"], "seats": [1, 2, None, 10]}
)
print(rows.filter(query.to_polars())["id"].to_list())
print(rows.filter(query.mask(rows))["id"].to_list())  # type: ignore[arg-type]

# Row groups that the file's statistics exclude are not read.
with tempfile.TemporaryDirectory() as folder:
    rows.write_parquet(Path(folder, "rows.parquet"))
    dataset = ds.dataset(Path(folder, "rows.parquet"))
    matches = dataset.to_table(filter=query.to_pyarrow(schema=dataset.schema))
    print(matches["id"].to_pylist(), query.mask(dataset).tolist())

# Values are bound parameters; one column has another name in the table.
orders = sa.Table(
    "orders",
    sa.MetaData(),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("land", sa.Text),
    sa.Column("seats", sa.BigInteger),
)
engine = sa.create_engine("sqlite://")
with engine.begin() as connection:
    orders.create(connection)
    connection.execute(orders.insert(), rows.rename({"country": "land"}).to_dicts())
    taken = sa.select(orders.c.id).where(query.where(orders, {"country": "land"}))
    print([*connection.scalars(taken)])

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
)
django.setup()

from django.db import connection as database  # noqa: E402
from django.db import models  # noqa: E402


class Order(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    country = models.TextField(null=True)
    seats = models.BigIntegerField(null=True)

    class Meta:
        app_label = "shop"


with database.schema_editor() as editor:
    editor.create_model(Order)
Order.objects.bulk_create(Order(**row) for row in rows.to_dicts())
print([*Order.objects.filter(query.to_django()).values_list("id", flat=True)])
