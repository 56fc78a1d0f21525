# SPDX-License-Identifier: MIT
"""Lists of models of SQLAlchemy: their columns and types; what one lacks fails at once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.sqlalchemy
from sluice import Column

NOW = datetime(2026, 8, 21, tzinfo=UTC)


class Base(DeclarativeBase):
    pass


class OrderModel(Base):
    __tablename__ = "orders"

    number: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str | None] = mapped_column("state")
    cents: Mapped[int]
    total: Mapped[Decimal]
    created: Mapped[datetime]
    is_paid: Mapped[bool]
    data = mapped_column(sa.JSON)
    tags = mapped_column(sa.ARRAY(sa.String), nullable=False)
    weight: Mapped[float]
    sizes = mapped_column(sa.ARRAY(sa.Integer))


class Orders(sluice.ListQuery, model=OrderModel):
    """Orders of a shop."""

    status = sluice.filter(choices=("open", "paid"))
    cents = sluice.integer(operators=(">=", "<="))
    created = sluice.window(default="all")
    order = sluice.sort("created", "cents", default="-created")
    page = sluice.page(default=3)


DERIVED = {
    "number": Column("number"),
    "status": Column("status", is_nullable=True),
    "cents": Column("cents", "integer"),
    "total": Column("total", "decimal"),
    "created": Column("created", "time"),
    "is_paid": Column("is_paid", "boolean"),
    "data": Column("data", "json", is_nullable=True),
    "tags": Column("tags", is_list=True),
    "weight": Column("weight", "real"),
    "sizes": Column("sizes", "integer", is_list=True, is_nullable=True),
}


@pytest.mark.parametrize("model", [OrderModel, OrderModel.__table__])
def test_columns_and_types_are_those_of_the_model(model: Any) -> None:  # noqa: ANN401
    derived = {column.name: column for column in sluice.ListQuery.of(model).parse("").schema}
    expected = dict(DERIVED)
    if model is not OrderModel:
        expected["state"] = Column("state", is_nullable=True)
        del expected["status"]
    assert derived == expected


def test_the_key_is_the_primary_key() -> None:
    assert Orders.parse("").tree()["order"][-1] == {
        "column": "number",
        "direction": "desc",
        "unique": True,
    }


KEPT = [
    ("total", sluice.decimal(operators=(">",)), "decimal"),
    ("cents", sluice.decimal(operators=(">",)), "decimal"),
    ("cents", sluice.time(operators=(">",)), "time"),
    ("cents", sluice.integer(), "integer"),
    ("is_paid", sluice.boolean(), "boolean"),
    ("data", sluice.metadata(column=None), "json"),
    ("data", sluice.metadata(), "json"),
    ("weight", sluice.real(operators=(">",)), "real"),
    ("cents", sluice.real(operators=(">",)), "real"),
    ("sizes", sluice.filter(type="integer"), "integer"),
    ("tags", sluice.filter(), "text"),
    ("status", sluice.text(), "text"),
]


@pytest.mark.parametrize(("name", "parameter", "type_"), KEPT)
def test_a_parameter_is_compared_as_it_says(name: str, parameter: Any, type_: str) -> None:  # noqa: ANN401
    query_type: Any = type("Made", (sluice.ListQuery.of(OrderModel),), {name: parameter})
    [column] = [candidate for candidate in query_type.parse("").schema if candidate.name == name]
    assert column.type == type_
    assert column.is_nullable == DERIVED[name].is_nullable
    assert column.is_list == DERIVED[name].is_list


REFUSED = [
    ("customer", sluice.filter(), "Made: customer: OrderModel has no such column, expected one of"),
    ("cents", sluice.filter(), "Made: cents: .* has integer, expected text: use integer\\(\\)"),
    ("data", sluice.filter(), "Made: data: OrderModel has json, expected text: use metadata\\(\\)"),
    ("order", sluice.sort("data"), "Made: order: column 'data' has no order, as lists, JSON and"),
    ("order", sluice.sort("tags"), "Made: order: column 'tags' has no order"),
    ("status", sluice.integer(), "Made: status: OrderModel has text, expected integer"),
    (
        "created",
        sluice.decimal(),
        "Made: created: OrderModel has time, expected decimal or integer",
    ),
    ("status", sluice.window(), "Made: status: OrderModel has text, expected time or integer"),
    ("weight", sluice.decimal(), "Made: weight: OrderModel has real, expected decimal"),
    ("sizes", sluice.filter(), "Made: sizes: OrderModel has integer, expected text"),
    ("order", sluice.sort("colour"), "Made: .*colour"),
    ("words", sluice.search(name="q"), "Made: q: SQLAlchemy has no search: name its columns, or"),
]


@pytest.mark.parametrize(("name", "parameter", "message"), REFUSED)
def test_what_the_model_lacks_fails_as_the_class_is_made(
    name: str,
    parameter: Any,  # noqa: ANN401
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        type("Made", (sluice.ListQuery.of(OrderModel),), {name: parameter})


def test_a_class_that_stands_is_checked_too() -> None:
    class Plain(sluice.ListQuery):
        """A list of no model yet."""

        status = sluice.filter()

    assert Plain.of(OrderModel).parse("").schema[0] == DERIVED["number"]

    class Other(sluice.ListQuery):
        """A list of another model."""

        colour = sluice.filter()

    class Searched(sluice.ListQuery):
        """A list that is searched."""

        q = sluice.search()

    with pytest.raises(ValueError, match="Searched: q: SQLAlchemy has no search"):
        Searched.of(OrderModel)

    with pytest.raises(ValueError, match="Other: colour: OrderModel has no such column"):
        Other.of(OrderModel)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="FromClause of SQLAlchemy, or a model of Django, not int"):
        sluice.ListQuery.of(int)
    pairs = sa.Table("pairs", sa.MetaData(), sa.Column("a", sa.Text), sa.Column("b", sa.Text))
    with pytest.raises(ValueError, match="pairs: expected a primary key of one column"):
        sluice.ListQuery.of(pairs)


class PlainModel(Base):
    __tablename__ = "plain"

    id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str | None]
    created: Mapped[datetime]


class Plains(sluice.ListQuery, model=PlainModel):
    """A list whose states may be unknown."""

    status = sluice.filter()
    created = sluice.window(default="all")
    order = sluice.sort("status", "created", default="-created")
    page = sluice.page(default=3)


ROWS: list[dict[str, Any]] = [
    {"id": f"o{n}", "status": ("a", "b", None)[n % 3], "created": datetime(2026, 8, 1 + n // 2)}
    for n in range(12)
]


@pytest.fixture(scope="module")
def session() -> Any:  # noqa: ANN401
    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine, [PlainModel.__table__])  # type: ignore[list-item]
    with Session(engine) as opened:
        opened.add_all(PlainModel(**row) for row in ROWS)
        yield opened
    engine.dispose()


def wants(status: str, held: str | None) -> bool:
    return (held in status.lstrip("-").split(",")) != status.startswith("-")


def null_first(name: str, row: dict[str, Any]) -> tuple[bool, Any]:
    return (row[name] is not None, row[name] or "")


@pytest.mark.parametrize("order", ["status", "-status", "-created", "created", "-status,created"])
@pytest.mark.parametrize("status", ["", "a", "-a", "b,a"])
@pytest.mark.parametrize("page", [1, 2, 5])
def test_a_page_is_selected(session: Session, order: str, status: str, page: int) -> None:
    query = Plains.parse({"order": order, "status": status, "page": page}, now=NOW)
    selected = session.scalars(sluice.sqlalchemy.select(query, PlainModel)).all()
    rows = [
        row for row in ROWS if query.matches({**row, "created": row["created"].replace(tzinfo=UTC)})
    ]
    keys = [*order.split(","), ("-" if order.split(",")[-1].startswith("-") else "") + "id"]
    for key in reversed(keys):
        name = key.lstrip("-")
        rows.sort(key=partial(null_first, name), reverse=name != key)
    assert [instance.id for instance in selected] == [
        row["id"] for row in rows[3 * page - 3 : 3 * page]
    ]


def test_a_cursor_is_refused_where_it_is_unknown() -> None:
    start = Plains.parse("", now=NOW)
    cursor = start.cursor_beside([int((NOW - timedelta(days=3)).timestamp() * 1000), "o1"])
    with pytest.raises(sluice.ApiError, match="cursor: unknown parameter, expected page"):
        sluice.sqlalchemy.select(Plains.parse({"cursor": cursor}, now=NOW), PlainModel)


def test_a_column_of_another_name_is_named() -> None:
    query = Plains.parse("status=a")
    places = {"status": "id"}
    statement = sluice.sqlalchemy.select(query, PlainModel, places)
    assert "plain.id" in str(statement.compile(dialect=sqlite.dialect()))


def test_a_page_of_a_table_is_selected(session: Session) -> None:
    query = Plains.parse("order=-created", now=NOW)
    selected = session.execute(sluice.sqlalchemy.select(query, PlainModel.__table__)).all()
    assert [record.id for record in selected] == [
        instance.id for instance in session.scalars(sluice.sqlalchemy.select(query, PlainModel))
    ]


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (PlainModel, "PlainModel"),
        (PlainModel.__table__, "plain"),
        (sa.orm.aliased(PlainModel), r"aliased\(PlainModel\)"),
        (sa.select(PlainModel).subquery("few"), "few"),
    ],
)
def test_a_table_without_the_column_is_named(table: Any, name: str) -> None:  # noqa: ANN401
    class Misspelt(sluice.ListQuery):
        sttaus = sluice.filter()

    with pytest.raises(ValueError, match=f"^columns: {name} has no column 'sttaus'"):
        Misspelt.parse("sttaus=a").where(table)
