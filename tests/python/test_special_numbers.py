# SPDX-License-Identifier: MIT
"""Pages at rows whose sort key is infinite or NaN lead both ways through every row."""

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import django_settings  # before models
import pytest
import sqlalchemy as sa
from django.db import connections, models
from orm_tables import mariadb_socket, postgresql_server
from sql_engines import DuckDb, PostgreSql, Sqlite, clickhouse_server
from sqlalchemy.orm import Session

import sluice
import sluice.django
import sluice.sqlalchemy
from sluice import Column, Cursor, ListQuery
from sluice.sql import Place
from sluice.sqlalchemy import Page

__all__ = ["mariadb_socket", "postgresql_server"]  # fixtures

Number: TypeAlias = float | Decimal | None
Kind: TypeAlias = Literal["real", "decimal"]
Answer: TypeAlias = tuple[list[str], str | None, str | None]  # the links' cursors last

NUMBERS = (math.nan, 5.5, -math.inf, None, math.inf, -3.0, math.nan, math.inf, -math.inf, 0.0, 5.5)
NAN_FIRST, NAN_LAST, NONE = "first", "last", "none"


def rows_of(kind: Kind, *, is_nullable: bool, has_nan: bool = True) -> dict[str, Number]:
    """Rows by their ids."""
    numbers = [
        number
        for number in NUMBERS
        if (is_nullable or number is not None)
        and (has_nan or number is None or not math.isnan(number))
    ]
    exact = [None if number is None else Decimal(str(number)) for number in numbers]
    return dict(zip("abcdefghijk", numbers if kind == "real" else exact, strict=False))


def in_order(rows: Mapping[str, Number], place_of_nan: str, *, is_down: bool) -> list[str]:
    """The ids in order, NaN in the place of None or above all numbers."""

    def rank(id_: str) -> tuple[int, Any]:
        number = rows[id_]
        if number is None or (math.isnan(number) and place_of_nan == NAN_FIRST):
            return (0, 0)
        return (2, 0) if math.isnan(number) else (1, number)

    by_id = sorted(rows, reverse=is_down)
    return sorted(by_id, key=rank, reverse=is_down)


def walk(
    kind: Kind, rows: Mapping[str, Number], place_of_nan: str, page_of: Callable[..., Answer]
) -> None:
    """Walks to the end and back, in both directions, a row or three a page."""
    is_nullable = None in rows.values()
    schema = [Column("id"), Column("n", kind, is_nullable=is_nullable)]
    for is_down in (False, True):
        expected = in_order(rows, place_of_nan, is_down=is_down)
        direction = "desc" if is_down else "asc"
        order = [{"column": name, "direction": direction} for name in ("n", "id")]
        for size in (1, 3):
            pages: dict[str, list[list[str]]] = {"next": [], "prev": []}
            place: dict[str, Any] = {"page": {"number": 1, "size": size}}
            for link, shown in pages.items():
                while True:
                    tree = {"order": order, **place}
                    ids, *links = page_of(ListQuery.from_tree(tree, schema))
                    shown.append(ids)
                    assert len(shown) <= len(rows), shown
                    cursor = links[0 if link == "next" else 1]
                    if cursor is None:
                        break
                    place = {"cursor": {"text": cursor, "size": size}}
            forwards = [id_ for page in pages["next"] for id_ in page]
            assert forwards == expected, (kind, direction, size)
            assert pages["prev"][::-1] == pages["next"], (kind, direction, size)


def answer_of(page: Page[Any]) -> Answer:
    """The ids and cursors of a page."""
    ids = [row["id"] if isinstance(row, dict) else row.id for row in page.rows]
    texts = [page.links.get(name, "").rpartition("cursor=")[2] or None for name in ("next", "prev")]
    return ids, texts[0], texts[1]


# --- SQL -------------------------------------------------------------------------------------


def page_by(database: Any, columns: dict[str, str | Place] | None = None) -> Callable[..., Answer]:  # noqa: ANN401
    """The pages of statements, whose links are the cursors beside their rows."""

    def ask(query: ListQuery) -> list[tuple[Any, ...]]:
        rows = database.ask(query.to_sql(database.dialect, "numbers", columns=columns))
        return [*rows]

    def page(query: ListQuery) -> Answer:
        rows = ask(query)
        previous = query.cursor_beside(rows[0][-2:], before=True)
        following = query.cursor_beside(rows[-1][-2:])
        cursors = [text if ask(beyond(query, text)) else None for text in (following, previous)]
        return [row[0] for row in rows], cursors[0], cursors[1]

    return page


def beyond(query: ListQuery, cursor: str) -> ListQuery:
    """The query of the page at a cursor."""
    tree = query.tree()
    at = {"text": cursor, "size": 3}
    return ListQuery.from_tree({"order": tree["order"], "cursor": at}, query.schema)


@pytest.mark.parametrize("is_nullable", [True, False])
def test_sqlite(is_nullable: bool) -> None:
    rows = rows_of("real", is_nullable=is_nullable, has_nan=False)
    database = Sqlite()
    database.connection.execute("CREATE TABLE numbers (id TEXT PRIMARY KEY, n REAL)")
    database.connection.executemany("INSERT INTO numbers VALUES (?, ?)", rows.items())
    walk("real", rows, NONE, page_by(database))


@pytest.mark.parametrize("type_", ["DOUBLE", "FLOAT"])
@pytest.mark.parametrize("is_nullable", [True, False])
def test_duckdb(type_: str, is_nullable: bool) -> None:
    rows = rows_of("real", is_nullable=is_nullable)
    database = DuckDb()
    database.connection.execute(f"CREATE TABLE numbers (id VARCHAR PRIMARY KEY, n {type_})")
    database.connection.executemany("INSERT INTO numbers VALUES ($1, $2)", [*rows.items()])
    walk("real", rows, NAN_FIRST if is_nullable else NAN_LAST, page_by(database))


@pytest.mark.servers
@pytest.mark.parametrize("is_nullable", [True, False])
def test_clickhouse(is_nullable: bool) -> None:
    every = rows_of("real", is_nullable=is_nullable)
    # The client reads JSON, in which ClickHouse writes infinity as null.
    rows = {id_: n for id_, n in every.items() if n is None or not math.isinf(n)}
    type_ = "Nullable(Float64)" if is_nullable else "Float64"
    with clickhouse_server() as database:
        created = f"CREATE TABLE numbers (id String, n {type_}) ENGINE = Memory"
        database.create("numbers", [created])
        values = ", ".join(f"('{id_}', {'NULL' if n is None else n})" for id_, n in rows.items())
        database.node.ask(f"INSERT INTO numbers VALUES {values}")
        walk("real", rows, NAN_FIRST, page_by(database))


TYPES: list[tuple[Kind, str]] = [("real", "float8"), ("real", "float4"), ("decimal", "numeric")]


@pytest.fixture
def filled(postgresql_server: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A connection to PostgreSQL, and a function that makes the table."""
    import psycopg

    with psycopg.connect(
        postgresql_server, cursor_factory=psycopg.RawCursor, autocommit=True
    ) as opened:

        def fill(type_: str, rows: Mapping[str, Number]) -> PostgreSql:
            null = "" if None in rows.values() else " NOT NULL"
            opened.execute("DROP TABLE IF EXISTS numbers")
            opened.execute(f"CREATE TABLE numbers (id text PRIMARY KEY, n {type_}{null})")
            for id_, number in rows.items():
                opened.execute(f"INSERT INTO numbers VALUES ($1, $2::{type_})", [id_, number])
            return PostgreSql(opened.cursor())

        yield fill


@pytest.mark.servers
@pytest.mark.parametrize(("kind", "type_"), TYPES)
@pytest.mark.parametrize("is_nullable", [True, False])
def test_postgresql(filled: Any, kind: Kind, type_: str, is_nullable: bool) -> None:  # noqa: ANN401
    rows = rows_of(kind, is_nullable=is_nullable)
    columns: dict[str, str | Place] = {"n": Place("n", "numeric")} if kind == "decimal" else {}
    database = filled(type_, rows)
    place_of_nan = NAN_FIRST if is_nullable else NAN_LAST
    walk(kind, rows, place_of_nan, page_by(database, {"id": "id", "n": "n", **columns}))


# --- ORMs ------------------------------------------------------------------------------------


class RealNumber(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    n = models.FloatField()

    class Meta:
        app_label = "special_numbers"
        db_table = "numbers"
        managed = False


class DecimalNumber(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    n = models.DecimalField(max_digits=30, decimal_places=2)

    class Meta:
        app_label = "special_numbers"
        db_table = "numbers"
        managed = False


class RealOrNull(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    n = models.FloatField(null=True)

    class Meta:
        app_label = "special_numbers"
        db_table = "numbers"
        managed = False


class DecimalOrNull(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    n = models.DecimalField(max_digits=30, decimal_places=2, null=True)

    class Meta:
        app_label = "special_numbers"
        db_table = "numbers"
        managed = False


MODELS: dict[tuple[Kind, bool], Any] = {
    ("real", False): RealNumber,
    ("real", True): RealOrNull,
    ("decimal", False): DecimalNumber,
    ("decimal", True): DecimalOrNull,
}


def place_in_orm(kind: Kind, is_nullable: bool) -> str:
    """The place of NaN: that of null for reals that may be null."""
    return NAN_FIRST if kind == "real" and is_nullable else NAN_LAST


def table_of(kind: Kind, is_nullable: bool, **words: Any) -> sa.Table:  # noqa: ANN401
    type_: Any = sa.Double() if kind == "real" else sa.Numeric(**words)
    columns = [sa.Column("id", sa.Text(), primary_key=True), sa.Column("n", type_)]
    columns[1].nullable = is_nullable
    return sa.Table("numbers", sa.MetaData(), *columns)


@pytest.mark.servers
@pytest.mark.parametrize(("kind", "type_"), TYPES)
@pytest.mark.parametrize("is_nullable", [True, False])
def test_sqlalchemy_on_postgresql(
    filled: Any,  # noqa: ANN401
    postgresql_server: str,
    kind: Kind,
    type_: str,
    is_nullable: bool,
) -> None:
    import psycopg

    rows = rows_of(kind, is_nullable=is_nullable)
    filled(type_, rows)
    engine = sa.create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(postgresql_server),
        poolclass=sa.NullPool,
    )
    for words in ({}, {"asdecimal": False}) if kind == "decimal" else ({},):
        table = table_of(kind, is_nullable, **words)
        with Session(engine) as session:
            walk(
                kind,
                rows,
                place_in_orm(kind, is_nullable),
                lambda query, session=session, table=table: answer_of(
                    sluice.sqlalchemy.page(session, query, table)
                ),
            )


@pytest.mark.servers
@pytest.mark.parametrize(("kind", "type_"), TYPES)
@pytest.mark.parametrize("is_nullable", [True, False])
def test_django_on_postgresql(
    filled: Any,  # noqa: ANN401
    postgresql_server: str,
    request: pytest.FixtureRequest,
    kind: Kind,
    type_: str,
    is_nullable: bool,
) -> None:
    rows = rows_of(kind, is_nullable=is_nullable)
    filled(type_, rows)
    host, user, name = (part.partition("=")[2] for part in postgresql_server.split())
    alias = django_settings.add_postgresql(request, host, user, name)
    of_model = MODELS[kind, is_nullable].objects.using(alias)
    place_of_nan = place_in_orm(kind, is_nullable)
    walk(
        kind, rows, place_of_nan, lambda query: answer_of(sluice.django.page(of_model.all(), query))
    )


@pytest.mark.parametrize("is_nullable", [True, False])
def test_orms_on_sqlite(is_nullable: bool) -> None:
    rows = rows_of("real", is_nullable=is_nullable, has_nan=False)
    table, engine = table_of("real", is_nullable), sa.create_engine("sqlite://")
    with Session(engine) as session:
        table.metadata.create_all(session.connection())
        session.execute(table.insert(), [{"id": id_, "n": number} for id_, number in rows.items()])
        walk(
            "real",
            rows,
            NONE,
            lambda query: answer_of(sluice.sqlalchemy.page(session, query, table)),
        )
    model = MODELS["real", is_nullable]
    with connections["default"].schema_editor() as editor:
        editor.create_model(model)
    try:
        model.objects.bulk_create(model(id=id_, n=number) for id_, number in rows.items())
        walk(
            "real",
            rows,
            NONE,
            lambda query: answer_of(sluice.django.page(model.objects.all(), query)),
        )
    finally:
        with connections["default"].schema_editor() as editor:
            editor.delete_model(model)


# --- Objects ---------------------------------------------------------------------------------


@pytest.mark.parametrize("is_nullable", [True, False])
def test_objects(is_nullable: bool) -> None:
    rows = rows_of("real", is_nullable=is_nullable)
    objects = [{"id": id_, "n": number} for id_, number in rows.items()]
    walk("real", rows, NAN_FIRST, lambda query: answer_of(query.apply(objects)))


# --- Keys ------------------------------------------------------------------------------------


@pytest.mark.parametrize("storage", ["prepared", "native"])
@pytest.mark.parametrize(
    ("kind", "value", "key"),
    [
        ("decimal", Decimal("Infinity"), "1e999999"),
        ("decimal", math.inf, "1e999999"),
        ("decimal", Decimal("-Infinity"), "-1e999999"),
        ("decimal", Decimal("-NaN"), "1e9999999"),
        ("decimal", Decimal("sNaN"), "1e9999999"),
        ("real", Decimal("NaN"), "1e9999999"),
        ("real", math.nan, "1e9999999"),
        ("real", math.inf, "1e999"),
        ("real", -math.inf, "-1e999"),
    ],
)
def test_a_cursor_has_a_key_for_each(
    kind: Kind, value: float | Decimal, key: str, storage: Literal["prepared", "native"]
) -> None:
    schema = [Column("id"), Column("n", kind)]
    order = [{"column": name, "direction": "asc"} for name in ("n", "id")]
    query = ListQuery.from_tree({"order": order}, schema)
    cursor = query.cursor_beside([value, "a"], metadata=storage)
    assert Cursor.parse(cursor).keys == (key, "a")
    if kind == "real" and math.isnan(value):
        schema[1] = Column("n", kind, is_nullable=True)
        query = ListQuery.from_tree({"order": order}, schema)
        assert Cursor.parse(query.cursor_beside([math.nan, "a"])).keys == (None, "a")
