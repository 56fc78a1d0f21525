# SPDX-License-Identifier: MIT
"""Columns of related rows, such as `customer.country`: conditions and orders, no row repeated."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from uuid import UUID

import django_settings  # noqa: F401 (before models)
import pytest
import sqlalchemy as sa
from django.db import connection
from related_shop.models import DjangoCustomer, DjangoItem, DjangoOrder, DjangoRegion
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

import sluice
import sluice.django
import sluice.sqlalchemy
from sluice.groups import Aggregate


class Base(DeclarativeBase):
    pass


class Region(Base):
    __tablename__ = "regions"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Customer(Base):
    __tablename__ = "customers"

    id: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str | None]
    since: Mapped[date]
    token: Mapped[UUID]
    region_id: Mapped[int | None] = mapped_column(sa.ForeignKey("regions.id"))
    region: Mapped[Region | None] = relationship()


class Item(Base):
    __tablename__ = "items"

    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(sa.ForeignKey("orders.id"))
    sku: Mapped[str]
    count: Mapped[int]
    weight: Mapped[float]


class Order(Base):
    __tablename__ = "orders"

    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int | None] = mapped_column(sa.ForeignKey("customers.id"))
    customer: Mapped[Customer | None] = relationship()
    items: Mapped[list[Item]] = relationship()


REGIONS = [{"id": 1, "name": "north"}, {"id": 2, "name": "south"}]
CUSTOMERS: list[dict[str, Any]] = [
    {
        "id": n,
        "country": (None, "US", "CA", "us")[n % 4],
        "since": date(2026, 1, n),
        "token": UUID(int=n),
        "region_id": (None, 1, 2)[n % 3],
    }
    for n in range(1, 9)
]
ORDERS: list[dict[str, Any]] = [
    {"id": n, "customer_id": None if n % 5 == 0 else n % 8 + 1} for n in range(1, 31)
]
ITEMS: list[dict[str, Any]] = [
    {
        "id": 100 * order["id"] + n,
        "order_id": order["id"],
        "sku": ("a", "b", "c%")[(order["id"] + n) % 3],
        "count": n,
        "weight": n / 2,
    }
    for order in ORDERS
    for n in range(order["id"] % 4)
]


def parameters() -> dict[str, Any]:
    return {
        "country": sluice.filter(column="customer.country"),
        "since": sluice.date(column="customer.since", operators=(">=", "<")),
        "token": sluice.uuid(column="customer.token"),
        "region": sluice.filter(column="customer.region.name"),
        "stray": sluice.is_null(column="customer.country"),
        "sku": sluice.filter(column="items.sku"),
        "part": sluice.contains(column="items.sku"),
        "counted": sluice.filter(column="items.count", type="integer"),
        "order": sluice.sort("customer.country", "customer.region.name", "id", default="id"),
        "page": sluice.page(default=4),
    }


def row_of(order: dict[str, Any]) -> dict[str, Any]:
    """An order with its customer, region and items."""
    customer = next((c for c in CUSTOMERS if c["id"] == order["customer_id"]), {})
    region = next((r for r in REGIONS if r["id"] == customer.get("region_id")), {})
    items = [item for item in ITEMS if item["order_id"] == order["id"]]
    return {"id": order["id"], "customer": customer, "region": region, "items": items}


ROWS = [*map(row_of, ORDERS)]
Test = Callable[[dict[str, Any]], bool]


def customer(test: Callable[[dict[str, Any]], bool]) -> Test:
    return lambda row: bool(row["customer"]) and test(row["customer"])


REQUESTS: list[tuple[str, Test]] = [
    ("", lambda row: True),
    ("country=US", lambda row: row["customer"].get("country") == "US"),
    ("country=-US", lambda row: row["customer"].get("country") != "US"),
    ("country=-US,CA,us", lambda row: row["customer"].get("country") is None),
    ("since[gte]=2026-01-04", customer(lambda held: held["since"].day >= 4)),
    (f"token={UUID(int=3)}", customer(lambda held: held["id"] == 3)),
    ("region=north", lambda row: row["region"].get("name") == "north"),
    ("region=-north", lambda row: row["region"].get("name") != "north"),
    ("stray=true", lambda row: row["customer"].get("country") is None),
    ("stray=false", lambda row: row["customer"].get("country") is not None),
    ("sku=a,b", lambda row: any(item["sku"] in ("a", "b") for item in row["items"])),
    ("sku=-a", lambda row: all(item["sku"] != "a" for item in row["items"])),
    ("part=%25", lambda row: any("%" in item["sku"] for item in row["items"])),
    ("counted=1,2", lambda row: any(item["count"] in (1, 2) for item in row["items"])),
    ("counted=-0", lambda row: all(item["count"] != 0 for item in row["items"])),
    ("sku=a&country=US", lambda row: row["customer"].get("country") == "US"
        and any(item["sku"] == "a" for item in row["items"])),
]  # fmt: skip


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as opened:
        for model, rows in (
            (Region, REGIONS),
            (Customer, CUSTOMERS),
            (Order, ORDERS),
            (Item, ITEMS),
        ):
            opened.execute(sa.insert(model), rows)
        yield opened
    engine.dispose()


@pytest.fixture(scope="module")
def _django_rows() -> None:
    pairs = (
        (DjangoRegion, REGIONS),
        (DjangoCustomer, CUSTOMERS),
        (DjangoOrder, ORDERS),
        (DjangoItem, ITEMS),
    )
    for model, rows in pairs:
        with connection.schema_editor() as editor:
            editor.create_model(model)
        model.objects.bulk_create(model(**row) for row in rows)


Orders: Any = type("Orders", (sluice.ListQuery.of(Order),), parameters())
DjangoOrders: Any = type("Orders", (sluice.ListQuery.of(DjangoOrder),), parameters())


def walk(page_of: Callable[[str], Any], text: str) -> list[int]:
    ids: list[int] = []
    while True:
        page = page_of(text)
        ids += [row.id for row in page.rows]
        if "next" not in page.links:
            return ids
        text = page.links["next"].partition("?")[2]


def rank(row: dict[str, Any], keys: str) -> list[Any]:
    values = {"country": row["customer"].get("country"), "region": row["region"].get("name")}
    return [*((values[key] is not None, values[key] or "") for key in keys.split()), row["id"]]


ORDERINGS = [
    ("customer.country", "country", False),
    ("-customer.country", "country", True),
    ("-customer.region.name,-customer.country", "region country", True),
    ("id", "", False),
]


@pytest.mark.parametrize(("order", "keys", "is_down"), ORDERINGS)
@pytest.mark.parametrize(("text", "test"), REQUESTS)
@pytest.mark.parametrize("orm", ["sqlalchemy", "django"])
@pytest.mark.usefixtures("_django_rows")
def test_rows_are_found_and_ordered_by_related_columns(
    orm: str,
    text: str,
    test: Test,
    order: str,
    keys: str,
    is_down: bool,
    session: Session,
) -> None:
    rows = sorted(filter(test, ROWS), key=lambda row: rank(row, keys), reverse=is_down)
    expected = [row["id"] for row in rows]
    query_string = f"{text}&order={order}"
    if orm == "django":
        orders = DjangoOrder.objects.all()
        ids = walk(lambda text: sluice.django.page(orders, DjangoOrders.parse(text)), query_string)
        by_condition = orders.filter(DjangoOrders.parse(text).to_django())
    else:
        ids = walk(
            lambda text: sluice.sqlalchemy.page(session, Orders.parse(text), Order), query_string
        )
        by_condition = session.scalars(sa.select(Order).where(Orders.parse(text).where(Order)))
    assert ids == expected
    assert sorted(row.id for row in by_condition) == sorted(expected)


@pytest.mark.parametrize("model", [Order, DjangoOrder])
@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (sluice.filter(column="customer.colour"), "customer.colour: .*Order has no such column"),
        (sluice.filter(column="buyer.country"), "buyer.country: .*Order has no such column"),
        (sluice.real(column="items.weight"), "items.weight: .*Order has another type, .* of many"),
        (sluice.integer(column="customer.country"), "has text, expected integer"),
        (sluice.sort("items.sku"), "items.sku"),
    ],
)
def test_what_no_relationship_has_fails_as_the_class_is_made(
    model: Any,  # noqa: ANN401
    parameter: Any,  # noqa: ANN401
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        type("Made", (sluice.ListQuery.of(model),), {"x": parameter})


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_columns_beyond_an_outer_join_may_be_null(direction: str, session: Session) -> None:
    schema = [sluice.Column("since", "date", is_nullable=True), sluice.Column("id", "integer")]
    statement = sa.select(Order).outerjoin(Customer, Customer.id == Order.customer_id)

    def page_of(text: str) -> Any:  # noqa: ANN401
        place: dict[str, Any] = {"page": {"number": 1, "size": 4}}
        if text:
            place = {"cursor": {"text": text.partition("cursor=")[2].partition("&")[0], "size": 4}}
        order = [{"column": name, "direction": direction} for name in ("since", "id")]
        query = sluice.ListQuery.from_tree({"order": order, **place}, schema)
        columns: dict[str, Any] = {"since": Customer.since}
        return sluice.sqlalchemy.page(session, query, Order, columns=columns, statement=statement)

    ranked = [(str(row["customer"].get("since", "")), row["id"]) for row in ROWS]
    expected = [number for _, number in sorted(ranked, reverse=direction == "desc")]
    assert walk(page_of, "") == expected


@pytest.mark.parametrize("is_full", [False, True])
def test_a_model_on_the_null_side_is_refused_by_name(is_full: bool, session: Session) -> None:
    joined = Customer.id == Order.customer_id
    statement = sa.select(Order).select_from(Customer).outerjoin(Order, joined, full=is_full)
    with pytest.raises(ValueError, match="statement: the rows of Order are the null side"):
        sluice.sqlalchemy.page(session, Orders.parse(""), Order, statement=statement)
    inner = sa.select(Order).select_from(Customer).join(Order, joined).outerjoin(Region)
    page = sluice.sqlalchemy.page(session, Orders.parse(""), Order, statement=inner)
    assert [row.id for row in page.rows] == [1, 2, 3, 4]


GROUPS = [
    {
        "group_by": [{"column": "customer.country"}],
        "where": {"column": "items.sku", "any_of": ["a"]},
    },
    {"group_by": [{"column": "customer.region.name"}, {"column": "customer.country"}]},
    {"measures": [{"measure": "max", "column": "customer.since"}, {"measure": "count"}]},
]


@pytest.mark.parametrize("tree", GROUPS)
@pytest.mark.usefixtures("_django_rows")
def test_rows_are_grouped_by_columns_of_one_related_row(
    tree: dict[str, Any], session: Session
) -> None:
    wanted = Aggregate(tree, Orders.parse("").schema)
    rows = [
        {
            "customer.country": row["customer"].get("country"),
            "customer.since": row["customer"].get("since"),
            "customer.region.name": row["region"].get("name"),
            "items.sku": [item["sku"] for item in row["items"]],
        }
        for row in ROWS
    ]
    expected = wanted.apply(rows)
    assert sluice.sqlalchemy.aggregate(session, wanted, Order) == expected
    assert sluice.django.aggregate(DjangoOrder.objects.all(), wanted) == expected


def test_groups_of_many_related_rows_are_refused_by_name(session: Session) -> None:
    wanted = Aggregate({"group_by": [{"column": "items.sku"}]}, Orders.parse("").schema)
    with pytest.raises(ValueError, match=r"items.sku: .* no groups of related rows"):
        sluice.sqlalchemy.aggregate(session, wanted, Order)
    with pytest.raises(ValueError, match=r"items.sku: .* no groups of related rows"):
        sluice.django.aggregate(DjangoOrder.objects.all(), wanted)


def test_a_page_joins_what_it_uses(session: Session) -> None:
    plain = sluice.sqlalchemy.select(Orders.parse("sku=a"), Order)
    joined = sluice.sqlalchemy.select(Orders.parse("country=US&region=north"), Order)
    assert str(plain).count("JOIN") == 0
    assert str(joined).count("JOIN") == 2
