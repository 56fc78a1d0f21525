# SPDX-License-Identifier: MIT
"""Tables of SQLAlchemy and Django that hold the rows of a TestedTable."""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import django_settings  # before models
import sqlalchemy as sa
from differences import Answer
from django.db import connections, models
from sql_engines import Database, MariaDb, PostgreSql
from sqlalchemy.dialects import mysql, postgresql
from table_engines import without_nul
from tested_rows import TESTED, stored_records
from tested_table import Row, TableEngine, TestedTable, present

import sluice
from sluice import Column, ListQuery


class OrmTable(TableEngine):
    """A table of which expressions take some rows. It has no NUL and, but in PostgreSQL, no NaN."""

    most_refused = 0.3
    one_in = 8

    def __init__(self, orm: str, dialect: str) -> None:
        self.name = f"{orm} on {dialect}"
        self.form = in_jsonb if dialect == "postgresql" else in_database

    def load(self, world: TestedTable) -> None:
        self.places = {row["id"]: place for place, row in enumerate(world.rows)}
        self.fill([self.stored(self.form(row)) for row in world.rows])

    def stored(self, row: Row) -> Row:
        data, records = row["data"], json.loads(stored_records(row["lines"]) or "null")
        return {**row, "data": None if data is None else Written(data), "lines": records}

    def answer(self, query: ListQuery) -> Answer:
        ids = sorted(self.ids(query), key=self.places.__getitem__)
        return Answer(ids, len(ids))

    @abstractmethod
    def fill(self, rows: Sequence[Row]) -> None: ...
    @abstractmethod
    def ids(self, query: ListQuery) -> list[str]: ...


class Written(str):
    """JSON that is stored as it is written."""

    __slots__ = ()


class AsWritten(json.JSONEncoder):
    def encode(self, o: Any) -> str:  # noqa: ANN401
        return str(o) if isinstance(o, Written) else super().encode(o)


def in_database(row: Row) -> Row:
    held: dict[str, Any] = without_nul(dict(row))
    return held | {"score": present(row["score"])}


def in_jsonb(row: Row) -> Row:
    return {**in_database(row), "data": None if "\\u0000" in str(row["data"]) else row["data"]}


# SQLAlchemy.


PLAIN: Mapping[str, Any] = {
    "text": sa.Text(),
    "integer": sa.BigInteger(),
    "decimal": sa.Numeric(38, 2),
    "time": sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mariadb", "mysql"),
    "boolean": sa.Boolean(),
    "real": sa.Double(),
    "date": sa.Date(),
    "uuid": sa.Uuid(),
    "choice": sa.Text(),
    "json": sa.JSON().with_variant(postgresql.JSONB(), "postgresql"),
    "records": sa.JSON().with_variant(postgresql.JSONB(), "postgresql"),
}


def table_of(dialect: str) -> sa.Table:
    """A table; its lists are arrays in PostgreSQL and JSON elsewhere."""

    def type_of(column: Column) -> Any:  # noqa: ANN401
        if column.is_list and dialect == "postgresql":
            return sa.ARRAY(PLAIN[column.type])
        return sa.String(40) if column.name == "id" else PLAIN[column.type]

    lists = [of.name for of in TESTED if of.is_list and dialect != "postgresql"]
    columns = [sa.Column(of.name, sa.JSON() if of.name in lists else type_of(of)) for of in TESTED]
    return sa.Table("of_sqlalchemy", sa.MetaData(), *columns)


class SqlAlchemyTable(OrmTable):
    def __init__(self, dialect: str, engine: sa.Engine) -> None:
        super().__init__("SQLAlchemy", dialect)
        self.table = table_of(dialect)
        self.connection = engine.connect()
        if dialect == "sqlite":
            held: Any = self.connection.connection.dbapi_connection
            sluice.sql.register(held)

    def fill(self, rows: Sequence[Row]) -> None:
        self.table.metadata.drop_all(self.connection)
        self.table.metadata.create_all(self.connection)
        if rows:
            self.connection.execute(self.table.insert(), [*map(self.values, rows)])

    def values(self, row: Row) -> dict[str, Any]:
        tokens = row["tokens"]
        if tokens and isinstance(self.table.c.tokens.type, sa.ARRAY):
            tokens = [*map(UUID, tokens)]
        return {**row, "token": row["token"] and UUID(row["token"]), "tokens": tokens}

    def ids(self, query: ListQuery) -> list[str]:
        wanted = sa.select(self.table.c.id).where(query.where(self.table))
        return [*self.connection.scalars(wanted)]


# Django.


FIELDS: Mapping[str, Any] = {
    "text": models.TextField,
    "integer": models.BigIntegerField,
    "decimal": lambda null: models.DecimalField(max_digits=38, decimal_places=2, null=null),
    "time": models.DateTimeField,
    "boolean": models.BooleanField,
    "real": models.FloatField,
    "date": models.DateField,
    "uuid": models.UUIDField,
    "choice": models.TextField,
    "json": partial(models.JSONField, encoder=AsWritten),
    "records": models.JSONField,
}


def model_of_rows() -> Any:  # noqa: ANN401
    fields: dict[str, Any] = {
        of.name: models.JSONField(null=True) if of.is_list else FIELDS[of.type](null=True)
        for of in TESTED
    }
    fields["id"] = models.CharField(max_length=40, primary_key=True)
    meta = type("Meta", (), {"app_label": "orm_engines"})
    return type("OfDjango", (models.Model,), {**fields, "Meta": meta, "__module__": __name__})


MODEL = model_of_rows()


class DjangoTable(OrmTable):
    def __init__(self, dialect: str, alias: str, opened: ExitStack) -> None:
        super().__init__("Django", dialect)
        self.alias = alias
        self.rows = MODEL.objects.using(alias)
        with connections[alias].schema_editor() as editor:
            editor.create_model(MODEL)
        opened.callback(self.drop)
        if dialect == "sqlite":
            sluice.sql.register(connections[alias].connection)

    def drop(self) -> None:
        with connections[self.alias].schema_editor() as editor:
            editor.delete_model(MODEL)

    def fill(self, rows: Sequence[Row]) -> None:
        self.rows.all().delete()
        tokens = [row["token"] and UUID(row["token"]) for row in rows]
        objects = [MODEL(**{**row, "token": of}) for row, of in zip(rows, tokens, strict=True)]
        self.rows.bulk_create(objects)

    def ids(self, query: ListQuery) -> list[str]:
        return [*self.rows.filter(query.to_django()).values_list("id", flat=True)]


@contextmanager
def orm_engines(served: Sequence[Database]) -> Iterator[list[TableEngine]]:
    """The tables in SQLite, and in the PostgreSQL and MariaDB of servers."""
    with ExitStack() as opened:
        request: Any = SimpleNamespace(addfinalizer=opened.callback)

        def alchemy(name: str, url: sa.URL | str, **options: Any) -> TableEngine:  # noqa: ANN401
            engine = sa.create_engine(
                url, isolation_level="AUTOCOMMIT", json_serializer=AsWritten().encode, **options
            )
            opened.callback(engine.dispose)
            table = SqlAlchemyTable(name, engine)
            opened.callback(table.connection.close)
            return table

        engines = [
            alchemy("sqlite", "sqlite://", poolclass=sa.StaticPool),
            DjangoTable("sqlite", "default", opened),
        ]
        for database in served:
            if isinstance(database, PostgreSql):
                info = database.cursor.connection.info  # type: ignore[attr-defined]
                at = {"host": info.host}
                url = sa.URL.create("postgresql+psycopg", info.user, database=info.dbname, query=at)
                alias = django_settings.add_postgresql(request, info.host, info.user, info.dbname)
            elif isinstance(database, MariaDb):
                socket = database.cursor.connection.unix_socket
                at = {"unix_socket": socket, "charset": "utf8mb4"}
                url = sa.URL.create("mariadb+pymysql", "root", database="tests", query=at)
                alias = django_settings.add_mariadb(request, socket)
            else:
                continue
            engines.append(alchemy(database.dialect, url))
            engines.append(DjangoTable(database.dialect, alias, opened))
        yield engines
