# SPDX-License-Identifier: MIT
"""Pages that SQLAlchemy and Django select: walked by links, both ways, in any order."""

import asyncio
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import django_settings  # noqa: F401 (before models)
import pytest
import sqlalchemy as sa
from django.db import connections, models
from orm_tables import (
    DATABASES,
    Parcel,
    Row,
    alias_of,
    engine_of,
    mariadb_socket,
    postgresql_server,
    records_of,
    rows_of,
    stored,
    table_of,
)
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from tested_rows import SIZES, TESTED, TestedRows

import sluice
import sluice.django
import sluice.sqlalchemy
from sluice import Column, ListQuery
from sluice.sqlalchemy import Page

__all__ = ["mariadb_socket", "postgresql_server"]  # fixtures

UNORDERED = ("json", "records")
WALKS = 12
PageOf = Callable[[ListQuery], Page[Any]]


def rank(column: str, row: Row) -> tuple[bool, Any]:
    """The place of a row in the order of a column."""
    value = row[column]
    if value is None or value != value:  # NaN
        return (False, 0)
    if column == "size":
        return (True, SIZES.index(value))
    if column == "token":
        return (True, value.lower())
    return (True, value.encode() if isinstance(value, str) else value)


def in_order(rows: Sequence[Row], order: list[dict[str, Any]]) -> list[str]:
    ordered = list(rows)
    for key in reversed(order):
        is_down = key["direction"] == "desc"
        ordered = sorted(ordered, key=partial(rank, key["column"]), reverse=is_down)
    return [row["id"] for row in ordered]


def random_order(source: TestedRows, *without: str) -> list[dict[str, Any]]:
    names = [
        column.name
        for column in TESTED
        if not column.is_list and column.type not in UNORDERED and column.name not in without
    ]
    chosen = [*source.sample(names[1:], source.randrange(3)), "id"]
    return [{"column": name, "direction": source.choice(("asc", "desc"))} for name in chosen]


class Walk:
    """The pages of a query, one after the other."""

    def __init__(
        self, tree: dict[str, Any], page_of: PageOf, schema: Sequence[Column] = TESTED
    ) -> None:
        self.tree = tree
        self.page_of = page_of
        self.schema = schema

    def page(self, cursor: str | None) -> Page[Any]:
        size = self.tree["size"]
        place = {"page": {"number": 1, "size": size}}
        if cursor is not None:
            place = {"cursor": {"text": cursor, "size": size}}
        tree = {"where": self.tree["where"], "order": self.tree["order"], **place}
        return self.page_of(ListQuery.from_tree(tree, self.schema))

    def pages(self) -> tuple[list[str], list[str]]:
        """The ids of all pages: forwards, and from the last page backwards."""
        page, ids = self.page(None), list[str]()
        while len(ids) < 2_000:  # a page may link to itself
            ids += [row.id for row in page.rows]
            if "next" not in page.links:
                break
            page = self.page(cursor_of(page.links["next"]))
        back = [row.id for row in page.rows]
        while "prev" in page.links:
            page = self.page(cursor_of(page.links["prev"]))
            back = [row.id for row in page.rows] + back
        return ids, back


def cursor_of(url: str) -> str:
    cursor = re.search("cursor=([^&]+)", url)
    assert cursor
    return cursor[1]


def walk_all(page_of: PageOf, rows: list[dict[str, Any]], seed: int, *without: str) -> None:
    source = TestedRows(seed)
    reals = [[{"column": name, "direction": "desc"} for name in ("score", "id")]]
    for order in reals + [random_order(source, *without) for _ in range(WALKS)]:
        ranges = {"size": source.randrange(20, 90), "where": source.where([*TESTED[:3]], 1)}
        walk = Walk({"order": order, **ranges}, page_of)
        query = ListQuery.from_tree({"where": ranges["where"]}, TESTED)
        expected = in_order([row for row in rows if query.matches(judged(row))], order)
        forwards, backwards = walk.pages()
        assert forwards == expected, order
        assert backwards[-len(expected) :] == expected, order
    walk_from_afar(page_of, rows)


# Times that no row has, before and after all of them: clients may write any cursor.
BEFORE, AFTER = (-(2**63), -(10**17), "0000-02-29T00:00:00.5Z"), (10**17, 2**63 - 1)


def walk_from_afar(page_of: PageOf, rows: list[dict[str, Any]]) -> None:
    order = [{"column": name, "direction": "asc"} for name in ("created", "id")]
    timed = in_order([row for row in rows if row["created"] is not None], order)
    for key in (*BEFORE, *AFTER):
        cursor = ListQuery.from_tree({"order": order}, TESTED).cursor_beside([key, ""])
        tree = {"order": order, "cursor": {"text": cursor, "size": len(rows)}}
        page = page_of(ListQuery.from_tree(tree, TESTED))
        assert [row.id for row in page.rows] == (timed if key in BEFORE else []), key


def walked_rows(seed: int, name: str) -> list[dict[str, Any]]:
    """Rows of a database, some with infinite reals if it can hold them."""
    rows = rows_of(seed, has_nan=name.startswith("postgresql"))
    if name != "mariadb":
        for at, row in enumerate(rows[::5]):
            row["score"] = math.inf if at % 2 else -math.inf
    return rows


def judged(row: Row) -> dict[str, Any]:
    return {**row, "lines": None, "data": None}


@pytest.mark.parametrize("name", DATABASES)
def test_pages_of_sqlalchemy_lead_through_the_list(
    name: str, request: pytest.FixtureRequest
) -> None:
    engine, table = engine_of(name, request), table_of(name)
    rows = walked_rows(13, name)
    values = [stored(row, arrays=name.endswith("arrays")) for row in rows]
    if name == "sqlite":
        for row in [*values, *rows]:
            row["total"] = None
    with Session(engine) as session:
        table.metadata.create_all(session.connection())
        session.execute(table.insert(), values)
        walk_all(lambda query: sluice.sqlalchemy.page(session, query, table), rows, 14)
        session.rollback()
        table.metadata.drop_all(engine)


@pytest.mark.parametrize("name", [name for name in DATABASES if "arrays" not in str(name)])
def test_pages_of_django_lead_through_the_list(name: str, request: pytest.FixtureRequest) -> None:
    alias = alias_of(name, request)
    rows = walked_rows(15, name)
    if name == "sqlite":
        for row in rows:
            row["total"] = None
    with connections[alias].schema_editor() as editor:
        editor.create_model(Parcel)
    for row in rows:
        fields = {key: value for key, value in row.items() if key != "data"}
        token = row["token"] and UUID(row["token"])
        values = {**fields, "lines": records_of(row), "token": token}
        Parcel.objects.using(alias).create(**values)
    parcels = Parcel.objects.using(alias)
    walk_all(lambda query: sluice.django.page(parcels.all(), query), rows, 16)
    with connections[alias].schema_editor() as editor:
        editor.delete_model(Parcel)


# --- Totals, links, sessions of asyncio -------------------------------------------------------


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"

    number: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str | None]
    data = mapped_column(sa.JSON)


class Orders(sluice.ListQuery, model=Order):
    """Orders of a shop."""

    status = sluice.filter()
    data = sluice.metadata()
    words = sluice.search("status")
    order = sluice.sort("status", "number", default="status")
    page = sluice.page(default=4)


ORDERS: list[dict[str, Any]] = [
    {"number": n, "status": ("open", "paid", None)[n % 3], "data": {"n": n}} for n in range(20)
]


@pytest.fixture
def shop() -> Iterator[Session]:
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all(Order(**row) for row in ORDERS)
        session.commit()
        yield session
    engine.dispose()


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (None, (20, False, "20")),
        (7, (7, True, None)),
        (20, (20, False, "20")),
        (0, (None, False, None)),
    ],
)
def test_totals_are_exact_or_capped_or_none(
    shop: Session, most: int | None, expected: tuple[int | None, bool, str | None]
) -> None:
    page = sluice.sqlalchemy.page(shop, Orders.parse("count=true"), Order, most_counted=most)
    assert (page.total, page.is_capped, page.headers.get("X-Total-Count")) == expected
    assert sluice.sqlalchemy.page(shop, Orders.parse(""), Order).total is None


def test_a_page_has_links_and_knows_whether_another_follows(shop: Session) -> None:
    page = sluice.sqlalchemy.page(shop, Orders.parse("status=paid"), Order, "/shop/orders")
    assert [order.number for order in page.rows] == [1, 4, 7, 10]
    assert page.has_more
    assert page.links["next"].startswith("/shop/orders?status=paid")
    rest = page.links["next"].partition("?")[2]
    last = sluice.sqlalchemy.page(shop, Orders.parse(rest), Order, "/shop/orders")
    assert [order.number for order in last.rows] == [13, 16, 19]
    assert not last.has_more
    assert "next" not in last.links
    back = Orders.parse(last.links["prev"].partition("?")[2])
    assert sluice.sqlalchemy.page(shop, back, Order).rows == page.rows


def test_metadata_search_and_conditions_of_the_program_narrow_a_page_down(shop: Session) -> None:
    mine = sa.select(Order).where(Order.number > 5)
    query = Orders.parse("data=metadata['n']<12&words=pai&count=true")
    page = sluice.sqlalchemy.page(shop, query, Order, statement=mine)
    assert [order.number for order in page.rows] == [7, 10]
    assert page.total == 2


def test_other_arguments_are_refused_by_their_names(shop: Session) -> None:
    query = Orders.parse("")
    select_page: Any = partial(sluice.sqlalchemy.page, model=Order)
    rows: list[tuple[Callable[[], object], str]] = [
        (lambda: select_page(query, shop), "session: expected a Session; .* not Orders"),
        (lambda: select_page(shop.connection(), query), "session: .* not Connection"),
        (lambda: select_page(AsyncSession(), query), "page_async.* not AsyncSession"),
        (lambda: select_page(shop, "limit=2"), "query: expected a query, .* not str"),
        (lambda: select_page(shop, Orders), "query: .* not the class Orders"),
        (lambda: select_page(shop, query, statement=Order.number > 5), "statement: .* not Binary"),
        (lambda: sluice.sqlalchemy.page(shop, query, "orders"), "mapped class, not str"),  # type: ignore[arg-type]
        (
            lambda: asyncio.run(sluice.sqlalchemy.page_async(shop, query, Order)),  # type: ignore[arg-type]
            "session: expected an AsyncSession, not Session",
        ),
        (lambda: sluice.django.page(query, DjangoLine.objects), "queryset: .* not Orders"),
        (lambda: sluice.django.page(DjangoLine.objects, "a=1"), "query: .* not str"),  # type: ignore[arg-type]
    ]
    for call, message in rows:
        with pytest.raises(TypeError, match=message):
            call()


def test_a_session_of_asyncio_selects_pages(tmp_path: Path) -> None:
    async def walk() -> list[int]:
        engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path}/shop.db")
        async with engine.begin() as connection:
            await connection.run_sync(Base.metadata.create_all)
        async with AsyncSession(engine) as session:
            session.add_all(Order(**row) for row in ORDERS)
            await session.commit()
            numbers, text = [], "data=metadata['n']>2&order=-number"
            while text:
                page = await sluice.sqlalchemy.page_async(session, Orders.parse(text), Order)
                numbers += [order.number for order in page.rows]
                text = page.links.get("next", "").partition("?")[2]
        await engine.dispose()
        return numbers

    assert asyncio.run(walk()) == [*range(19, 2, -1)]


@pytest.mark.parametrize("direction", ["", "-"])
def test_texts_that_are_longer_than_a_cursor_are_walked(shop: Session, direction: str) -> None:
    statuses = ["n" * 3_000, "n" * 3_000 + "a", "n" * 2_999, "é" * 2_000, "", None]
    for order in shop.scalars(sa.select(Order)):
        order.status = statuses[order.number % len(statuses)]
    shop.commit()
    text, numbers = f"order={direction}status&limit=3", []
    while text:
        page = sluice.sqlalchemy.page(shop, Orders.parse(text), Order)
        numbers += [order.number for order in page.rows]
        text = page.links.get("next", "").partition("?")[2]
    ranked = [
        ((status is not None, (status or "").encode()), n)
        for n in range(20)
        for status in [statuses[n % len(statuses)]]
    ]
    assert numbers == [n for _, n in sorted(ranked, reverse=direction == "-")]


# --- Decimals that SQLite has as doubles and integers -----------------------------------------

AMOUNTS: list[float | int | str | None] = [
    *(None, 0, 0.1, 0.1 + 0.2, -0.5, 1e-7, 1e15, 2.5e15, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2),
    *(1152921504606847000, 2**60, 2**63 - 1, -(2**63), 2.0**63, 1e22, -1e22, 1.5e300, -(2**53) - 1),
    *(0.3, 1234567890123.4567, 1234567890123.4568, 9007199254740993.5, "0.30000000000000001"),
]


class Amount(Base):
    __tablename__ = "amounts"

    id: Mapped[int] = mapped_column(primary_key=True)
    total: Mapped[Decimal | None] = mapped_column(sa.Numeric(38, 10))
    free: Mapped[Decimal | None] = mapped_column(sa.Numeric)
    cents: Mapped[Decimal | None] = mapped_column(sa.Numeric(12, 2))


class DjangoAmount(models.Model):  # type: ignore[misc]
    total = models.DecimalField(max_digits=38, decimal_places=10, null=True)
    free = models.DecimalField(max_digits=60, decimal_places=30, null=True)
    cents = models.DecimalField(max_digits=12, decimal_places=2, null=True)

    class Meta:
        app_label = "amounts_of_pages"


@pytest.mark.parametrize("orm", ["sqlalchemy", "django"])
@pytest.mark.parametrize("column", ["total", "free", "cents"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_decimals_of_sqlite_are_walked_as_numbered_pages_have_them(
    orm: str, column: str, direction: str
) -> None:
    rows = [(at, amount, amount, amount) for at, amount in enumerate(AMOUNTS * 2, 1)]
    columns = ["id", "total", "free", "cents"]
    decimals = [Column(name, "decimal", is_nullable=True) for name in columns[1:]]
    schema = [Column("id", "integer"), *decimals]
    order = [{"column": column, "direction": direction}, {"column": "id", "direction": direction}]
    with ExitStack() as stack:
        if orm == "django":
            connection = connections["default"]
            with connection.schema_editor() as editor:
                editor.create_model(DjangoAmount)
            stack.callback(lambda: drop(DjangoAmount))
            table = DjangoAmount._meta.db_table
            values = f"INSERT INTO {table} ({', '.join(columns)}) VALUES (%s, %s, %s, %s)"
            with connection.cursor() as cursor:
                cursor.executemany(values, rows)
            page_of: PageOf = partial(
                sluice.django.page,
                DjangoAmount.objects.only("id"),  # none reads 1e300
            )
        else:
            engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
            stack.callback(engine.dispose)
            Amount.metadata.create_all(engine, [Amount.__table__])  # type: ignore[list-item]
            session = stack.enter_context(Session(engine))
            values = "INSERT INTO amounts VALUES (?, ?, ?, ?)"
            session.connection().exec_driver_sql(values, rows)
            page_of = partial(sluice.sqlalchemy.page, session, model=Amount)
        numbered = [
            row.id
            for number in range(1, len(rows) // 3 + 2)
            for row in page_of(
                ListQuery.from_tree({"order": order, "page": {"number": number, "size": 3}}, schema)
            ).rows
        ]
        assert len(numbered) == len(rows)
        walk = Walk({"where": {"all": []}, "order": order, "size": 3}, page_of, schema)
        assert walk.pages() == (numbered, numbered)


def drop(model: type[models.Model]) -> None:
    with connections["default"].schema_editor() as editor:
        editor.delete_model(model)


# --- Keys of several columns ------------------------------------------------------------------


class Line(Base):
    __tablename__ = "lines"

    order_id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    sku: Mapped[str]


class DjangoLine(models.Model):  # type: ignore[misc]
    pk = models.CompositePrimaryKey("order_id", "number")
    order_id = models.TextField()
    number = models.IntegerField()
    sku = models.TextField()

    class Meta:
        app_label = "lines_of_orders"


LINES = [
    {"order_id": f"o{n % 7}", "number": n // 7, "sku": ("a", "b", "n" * 3_000)[n % 3]}
    for n in range(40)
]


@pytest.mark.parametrize("orm", ["sqlalchemy", "django"])
@pytest.mark.parametrize("order", ["", "sku", "-sku"])
def test_a_key_of_several_columns_orders_pages(orm: str, order: str) -> None:
    model: Any = Line if orm == "sqlalchemy" else DjangoLine
    members = {"order": sluice.sort("sku"), "page": sluice.page(default=3)}
    lines: Any = type("Lines", (ListQuery.of(model),), members)
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    if orm == "django":
        with connections["default"].schema_editor() as editor:
            editor.create_model(DjangoLine)
        DjangoLine.objects.bulk_create(DjangoLine(**line) for line in LINES)
        page_of: PageOf = partial(sluice.django.page, DjangoLine.objects.all())
    else:
        Base.metadata.create_all(engine)
        session = Session(engine)
        session.add_all(Line(**line) for line in LINES)
        session.commit()
        page_of = partial(sluice.sqlalchemy.page, session, model=Line)
    text, seen = f"order={order}" if order else "limit=3", []
    while text:
        page = page_of(lines.parse(text))
        seen += [(line.sku, line.order_id, line.number) for line in page.rows]
        text = page.links.get("next", "").partition("?")[2]
    ranked = [(line["sku"] if order else "", line["order_id"], line["number"]) for line in LINES]
    expected = sorted(ranked, reverse=order == "-sku")
    assert [row[1:] for row in seen] == [row[1:] for row in expected]
    for key in ('["o1"]', '["o1", "x"]', "o1", "[1, 2]"):
        cursor = lines.parse("").cursor_beside([key])
        with pytest.raises(sluice.ApiError, match="cursor: not a cursor"):
            page_of(lines.parse({"cursor": cursor}))
    engine.dispose()
    if orm == "django":
        with connections["default"].schema_editor() as editor:
            editor.delete_model(DjangoLine)


@pytest.mark.parametrize(("column", "names_nulls"), [("city", False), ("status", True)])
def test_an_order_of_django_names_nulls_of_nullable_columns_alone(
    column: str, names_nulls: bool
) -> None:
    order = [{"column": name, "direction": "asc"} for name in (column, "id")]
    query = ListQuery.from_tree({"order": order}, TESTED)
    parcels = Parcel.objects.all()
    text = str(parcels.order_by(*sluice.django.order_of(query, None, parcels)).query)
    assert ("NULLS FIRST" in text) == names_nulls


class Named(ListQuery):
    """Rows by name, size and time."""

    name = sluice.filter()
    size = sluice.integer(operators=(">=", "<="))
    order = sluice.sort("size", "name", default="-size")
    page = sluice.page(default=20)


def named_table(name: str) -> sa.Table:
    texts = sa.Column("id", sa.String), sa.Column("name", sa.String)
    return sa.Table(name, sa.MetaData(), *texts, sa.Column("size", sa.Integer))


def test_queries_of_a_class_share_a_compiled_statement_but_no_values() -> None:
    table, engine = named_table("named"), sa.create_engine("sqlite://")
    table.metadata.create_all(engine)
    compiled: dict[Any, Any] = {}
    for number in range(3):
        query = Named.parse(f"name=a,{number}&size[gte]={number}")
        statement = sluice.sqlalchemy.select(query, table)
        values = map(str, statement.compile(engine).params.values())
        assert {*values} == {f"['a', '{number}']", f"{number}", "20", "0"}
        with engine.connect().execution_options(compiled_cache=compiled) as connection:
            connection.execute(statement)
    assert len(compiled) == 1


def test_a_condition_names_nulls_of_columns_that_may_have_them() -> None:
    table = named_table("named")
    table.c.name.nullable = False
    other = named_table("other")
    other.c.name.nullable = False  # but not in the rows of an outer join
    query = Named.parse("name=-a&size[gte]=1")
    text, joined = str(query.where(table)), str(query.where(table, {"name": other.c.name}))
    assert "named.name IS NOT NULL" not in text
    assert "named.size IS NOT NULL AND named.size >=" in text
    assert "other.name IS NOT NULL AND" in joined


def test_tables_share_nothing() -> None:
    query = Named.parse("name=a")
    for name in map("t{}".format, range(100)):
        statement = sluice.sqlalchemy.select(query, named_table(name))
        assert f"FROM {name} \nWHERE {name}.name IS NOT NULL" in str(statement)
