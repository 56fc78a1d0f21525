# SPDX-License-Identifier: MIT
"""The rows of group_sameness.py in models of SQLAlchemy and Django."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any

import django_settings  # before models
import sqlalchemy as sa
from django.db import connections, models
from sql_engines import Database, MariaDb, PostgreSql
from sqlalchemy.dialects import mysql, postgresql

import sluice.django
import sluice.sqlalchemy
from sluice.groups import Aggregate

Answer = Callable[[Aggregate], list[dict[str, Any]]]
Row = Mapping[str, Any]

_JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
_INTEGERS = sa.JSON(none_as_null=True).with_variant(sa.ARRAY(sa.BigInteger), "postgresql")
TABLE = sa.Table(
    "sales_of_sqlalchemy",
    sa.MetaData(),
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("city", sa.Text),
    sa.Column("seats", sa.BigInteger),
    sa.Column("total", sa.Numeric(38, 2)),
    sa.Column("score", sa.Double),
    sa.Column("created", sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mariadb")),
    sa.Column("open", sa.Boolean),
    sa.Column("size", sa.Text),
    sa.Column("tags", _JSON),
    sa.Column("marks", _INTEGERS),
    sa.Column("owners", _JSON),
    sa.Column("due", sa.Date),
    sa.Column("data", _JSON),
)


class Sale(models.Model):  # type: ignore[misc]
    """A sale."""

    id = models.CharField(max_length=40, primary_key=True)
    city = models.TextField(null=True)
    seats = models.BigIntegerField(null=True)
    total = models.DecimalField(max_digits=38, decimal_places=2, null=True)
    score = models.FloatField(null=True)
    created = models.DateTimeField()
    open = models.BooleanField(null=True)
    size = models.TextField(null=True)
    tags = models.JSONField()
    marks = models.JSONField(null=True)
    owners = models.JSONField()
    due = models.DateField(null=True)
    data = models.JSONField(null=True)

    class Meta:
        app_label = "group_orms"


class OrmEngine:
    """A table of an ORM, filled with rows again and again."""

    def __init__(self, name: str) -> None:
        self.name = name

    def load(self, rows: Sequence[Row]) -> Answer:
        raise NotImplementedError


class SqlalchemyTable(OrmEngine):
    """A table of SQLAlchemy."""

    def __init__(self, engine: sa.Engine) -> None:
        super().__init__(f"sqlalchemy {engine.dialect.name}")
        self._engine = engine
        TABLE.metadata.create_all(engine)

    def load(self, rows: Sequence[Row]) -> Answer:
        with self._engine.begin() as opened:
            opened.execute(sa.delete(TABLE))
            if rows:
                opened.execute(sa.insert(TABLE), [dict(row) for row in rows])
        return self._answer

    def _answer(self, wanted: Aggregate) -> list[dict[str, Any]]:
        with sa.orm.Session(self._engine) as session:
            return sluice.sqlalchemy.aggregate(session, wanted, TABLE)


class DjangoTable(OrmEngine):
    """A table of Django."""

    def __init__(self, alias: str) -> None:
        connection = connections[alias]
        super().__init__(f"django {connection.display_name}")
        self._sales = Sale.objects.using(alias)
        if Sale._meta.db_table not in connection.introspection.table_names():
            with connection.schema_editor() as editor:
                editor.create_model(Sale)

    def load(self, rows: Sequence[Row]) -> Answer:
        self._sales.all().delete()
        self._sales.bulk_create(Sale(**row) for row in rows)
        return lambda wanted: sluice.django.aggregate(self._sales.all(), wanted)


@contextmanager
def orm_tables(databases: Sequence[Database]) -> Iterator[list[OrmEngine]]:
    """Opens the tables of ORMs: in SQLite, and in the PostgreSQL and MariaDB among databases."""
    with ExitStack() as stack:
        closing: Any = SimpleNamespace(addfinalizer=stack.callback)
        engines, aliases = [sa.create_engine("sqlite://")], ["default"]
        for database in databases:
            if isinstance(database, PostgreSql):
                info = database.cursor.connection.info  # type: ignore[attr-defined]
                host, user, name = info.host, info.user, info.dbname
                at = {"host": host, "user": user}
                url = sa.URL.create("postgresql+psycopg", database=name, query=at)
                engines.append(sa.create_engine(url))
                aliases.append(django_settings.add_postgresql(closing, host, user, name))
            elif isinstance(database, MariaDb):
                socket = database.cursor.connection.unix_socket
                at = {"unix_socket": socket, "charset": "utf8mb4"}
                url = sa.URL.create("mariadb+pymysql", "root", database="tests", query=at)
                engines.append(sa.create_engine(url))
                aliases.append(django_settings.add_mariadb(closing, socket))
        for engine in engines:
            stack.callback(engine.dispose)
        yield [*map(SqlalchemyTable, engines), *map(DjangoTable, aliases)]
