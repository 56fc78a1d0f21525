# SPDX-License-Identifier: MIT
"""Tables and models of SQLAlchemy and Django with a column of each type, in each database."""

import json
import math
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any
from uuid import UUID

import django_settings  # before models
import pytest
import sqlalchemy as sa
from django.db import models
from sql_engines import mariadb_place, postgresql_place
from sqlalchemy.dialects import mysql, postgresql
from tested_rows import SIZES, TESTED, TestedRows, stored_records

from sluice import Column

SERVERS = ("postgresql", "postgresql arrays", "mariadb")
DATABASES = ("sqlite", *(pytest.param(name, marks=pytest.mark.servers) for name in SERVERS))
Row = Mapping[str, Any]


class Size(Enum):
    """Sizes, whose names are stored by default."""

    SMALL = "small"
    MEDIUM = "Medium"
    EXTRA = "an 'XL'"
    GREAT = "größer"


def rows_of(seed: int, *, has_nan: bool) -> list[dict[str, Any]]:
    """Rows as Python has them."""
    source = TestedRows(seed)
    rows = [{**source.row(number), "data": None} for number in range(250)]
    for row in rows:
        if not has_nan and row["score"] is not None and math.isnan(row["score"]):
            row["score"] = None
    return rows


def records_of(row: Row) -> Any:  # noqa: ANN401
    return row["lines"] and json.loads(stored_records(row["lines"]) or "null")


@pytest.fixture(scope="module")
def postgresql_server() -> Iterator[str]:
    with postgresql_place() as place:
        yield place


@pytest.fixture(scope="module")
def mariadb_socket() -> Iterator[str]:
    with mariadb_place() as place:
        yield place


def engine_of(name: str, request: pytest.FixtureRequest) -> sa.Engine:
    if name == "sqlite":
        engine = sa.create_engine("sqlite://")
    elif name == "mariadb":
        at = {"unix_socket": request.getfixturevalue("mariadb_socket"), "charset": "utf8mb4"}
        url = sa.URL.create("mariadb+pymysql", "root", database="tests", query=at)
        engine = sa.create_engine(url)
    else:
        import psycopg

        place = request.getfixturevalue("postgresql_server")
        engine = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(place))
    request.addfinalizer(engine.dispose)
    return engine


def table_of(name: str) -> sa.Table:
    arrays = name.endswith("arrays")
    size = sa.Enum(Size, name="size_of_rows")
    json_type = postgresql.JSONB() if name.startswith("postgresql") else sa.JSON()
    listed: dict[str, Any] = {
        "text": sa.Text(),
        "integer": sa.BigInteger(),
        "uuid": sa.Uuid(),
        "choice": size,
    }
    plain: dict[str, Any] = {
        "text": sa.Text(),
        "integer": sa.BigInteger(),
        "decimal": sa.Numeric(38, 2),
        "time": sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mariadb", "mysql"),
        "boolean": sa.Boolean(),
        "real": sa.Double(),
        "date": sa.Date(),
        "uuid": sa.Uuid(),
        "choice": size,
        "records": json_type,
        "json": json_type,
    }

    def type_of(column: Column) -> Any:  # noqa: ANN401
        if column.name == "id":
            return sa.String(40)
        if column.is_list:
            return sa.ARRAY(listed[column.type]) if arrays else json_type
        return plain[column.type]

    columns = [sa.Column(column.name, type_of(column)) for column in TESTED]
    return sa.Table("tested", sa.MetaData(), *columns)


def stored(row: Row, *, arrays: bool) -> dict[str, Any]:
    """A row with Python's values of the table's types."""
    values = {**row, "lines": records_of(row)}
    values["token"] = row["token"] and UUID(row["token"])
    values["size"] = row["size"] and Size(row["size"])
    if arrays:
        values["tokens"] = row["tokens"] and [UUID(item) for item in row["tokens"]]
        values["sizes"] = row["sizes"] and [Size(item) for item in row["sizes"]]
    return values


class Parcel(models.Model):  # type: ignore[misc]
    id = models.CharField(max_length=40, primary_key=True)
    city = models.TextField()
    status = models.TextField(null=True)
    region = models.TextField(null=True)
    url = models.TextField(null=True)
    tags = models.JSONField(null=True)
    seats = models.BigIntegerField(null=True)
    total = models.DecimalField(max_digits=38, decimal_places=2, null=True)
    created = models.DateTimeField(null=True)
    open = models.BooleanField(null=True)
    note = models.TextField(null=True)
    labels = models.JSONField(null=True)
    regions = models.JSONField(null=True)
    ports = models.JSONField(null=True)
    score = models.FloatField(null=True)
    due = models.DateField(null=True)
    token = models.UUIDField(null=True)
    tokens = models.JSONField(null=True)
    size = models.CharField(max_length=40, null=True, choices=[(text, text) for text in SIZES])
    sizes = models.JSONField(null=True)
    lines = models.JSONField(null=True)

    class Meta:
        app_label = "orm_rows"


def alias_of(name: str, request: pytest.FixtureRequest) -> str:
    """The alias of a database of Django."""
    if name == "sqlite":
        return "default"
    if name == "mariadb":
        return django_settings.add_mariadb(request, request.getfixturevalue("mariadb_socket"))
    place = request.getfixturevalue("postgresql_server")
    host, user, database = (part.partition("=")[2] for part in place.split())
    return django_settings.add_postgresql(request, host, user, database)
