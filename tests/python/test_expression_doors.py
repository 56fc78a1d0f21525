# SPDX-License-Identifier: MIT
"""Conditions, orders and pages of guidelines in web frameworks, over SQLAlchemy, Django and a list.

One class answers alike in each, and its next links walk the same rows as a plain loop.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

import django_settings  # noqa: F401 (before models)
import flask
import httpx
import pytest
import sqlalchemy as sa
from django.db import connection, models
from django.http import HttpResponse
from django.test import RequestFactory
from fastapi import FastAPI
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import StaticPool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import sluice
import sluice.django
import sluice.fastapi
import sluice.flask
import sluice.pages
import sluice.sqlalchemy
import sluice.starlette
from sluice import Column, ListQuery
from sluice._envelopes import Envelopes

CITIES = ("Oslo", None, "Bergen", "Bodø", "O'Hara")
ROWS = [
    {
        "id": number,
        "status": ("open", "paid", "void")[number % 3],
        "total": (number * 7) % 50,
        "city": CITIES[number % 5],
    }
    for number in range(1, 41)
]
COLUMNS = [
    Column("id", "integer"),
    Column("status"),
    Column("total", "integer"),
    Column("city", is_nullable=True),
]


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str]
    total: Mapped[int]
    city: Mapped[str | None]


class DoorOrder(models.Model):  # type: ignore[misc]
    status = models.TextField()
    total = models.IntegerField()
    city = models.TextField(null=True)

    class Meta:
        app_label = "related_shop"


GROUP = sluice.odata(
    columns=("id", "status", "total"), aliases={"City": "city"}, default=7, maximum=20
)


class Listed(ListQuery, key=COLUMNS[0], columns=COLUMNS[1:]):
    odata = GROUP


class OfSqlalchemy(ListQuery, model=Order):
    odata = GROUP


class OfDjango(ListQuery, model=DoorOrder):
    odata = GROUP


class Answer(NamedTuple):
    status: int
    body: Any
    link: str


# --- Rows ----------------------------------------------------------------------------------------


def listed(query: ListQuery, path: str) -> tuple[list[int], str]:
    """Returns the page of a list, by a plain loop over its rows."""
    rows = [row for row in ROWS if query.matches(row)]
    tree = query.tree()
    for key in reversed(tree["order"]):
        rows.sort(key=itemgetter(key["column"]), reverse=key["direction"] == "desc")
    page = tree["page"]
    begin = page.get("offset", 0) + (page["number"] - 1) * page["size"]
    shown = rows[begin : begin + page["size"]]
    headers = sluice.pages.page_headers(query, path, len(shown), total=len(rows))
    return [int(str(row["id"])) for row in shown], headers["Link"]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    engine = sa.create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
    )
    Base.metadata.create_all(engine)
    with Session(engine) as opened:
        opened.add_all(Order(**row) for row in ROWS)
        opened.commit()
        yield opened
    engine.dispose()


@pytest.fixture(scope="module")
def table() -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(DoorOrder)
    DoorOrder.objects.bulk_create(DoorOrder(**row) for row in ROWS)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(DoorOrder)


Find = Callable[[Any, str], tuple[list[int], str]]


def of_session(session: Session) -> Find:
    def find(query: Any, path: str) -> tuple[list[int], str]:  # noqa: ANN401
        page = sluice.sqlalchemy.page(session, query, Order, path)
        return [order.id for order in page.rows], page.headers["Link"]

    return find


def of_django(query: Any, path: str) -> tuple[list[int], str]:  # noqa: ANN401
    page = sluice.django.page(DoorOrder.objects.all(), query, path)
    return [order.pk for order in page.rows], page.headers["Link"]


# --- Doors ---------------------------------------------------------------------------------------

Get = Callable[[str], Answer]


def ask(app: Any, target: str) -> Answer:  # noqa: ANN401
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            return await client.get(target)

    answer = asyncio.run(send())
    return Answer(answer.status_code, answer.json(), answer.headers.get("link", ""))


def in_fastapi(kind: type[ListQuery], find: Find) -> Get:
    app = FastAPI()
    sluice.fastapi.install(app, "odata")

    @app.get("/orders")
    async def list_orders(
        query: Annotated[Any, sluice.fastapi.Query(kind)],  # noqa: ANN401
    ) -> JSONResponse:
        rows, link = find(query, "/orders")
        return JSONResponse(rows, headers={"Link": link})

    return lambda target: ask(app, target)


def in_starlette(kind: type[ListQuery], find: Find) -> Get:
    @sluice.starlette.reads(kind)
    def list_orders(request: Request, query: Any) -> JSONResponse:  # noqa: ANN401
        rows, link = find(query, "/orders")
        return JSONResponse(rows, headers={"Link": link})

    app = Starlette(routes=[Route("/orders", list_orders)])
    sluice.starlette.install(app, "odata")
    return lambda target: ask(app, target)


def in_flask(kind: type[ListQuery], find: Find) -> Get:
    app = flask.Flask(__name__)
    sluice.flask.install(app, "odata")

    @app.get("/orders")
    def list_orders() -> flask.Response:
        rows, link = find(sluice.flask.read(kind), "/orders")
        return flask.Response(json.dumps(rows), headers={"Link": link})

    def get(target: str) -> Answer:
        answer = app.test_client().get(target)
        return Answer(answer.status_code, json.loads(answer.data), answer.headers.get("Link", ""))

    return get


def in_django(kind: type[ListQuery], find: Find) -> Get:
    def get(target: str) -> Answer:
        request = RequestFactory().get(target)
        try:
            rows, link = find(sluice.django.read_by(kind, request, True, None), "/orders")
        except sluice.ApiError as error:
            status, _, body = Envelopes("odata", "").answer(error)
            return Answer(status, json.loads(body), "")
        response = HttpResponse(json.dumps(rows), headers={"Link": link})
        return Answer(response.status_code, json.loads(response.content), response["Link"])

    return get


DOORS = {
    "fastapi": in_fastapi,
    "starlette": in_starlette,
    "flask": in_flask,
    "django": in_django,
}
SOURCES = {"list", "sqlalchemy", "django"}
# Django's database in memory is that of its thread, which event loops leave.
CASES = [
    (door, source)
    for door in DOORS
    for source in sorted(SOURCES - ({"django"} if door in ("fastapi", "starlette") else set()))
]


@pytest.fixture(params=CASES, ids="-".join)
def get(request: pytest.FixtureRequest, session: Session, table: None) -> Get:
    door, source = request.param
    kinds: dict[str, tuple[type[ListQuery], Find]] = {
        "list": (Listed, listed),
        "sqlalchemy": (OfSqlalchemy, of_session(session)),
        "django": (OfDjango, of_django),
    }
    return DOORS[door](*kinds[source])


def walked(get: Get, target: str) -> list[int]:
    """Returns the rows of all pages, by the next links."""
    rows: list[int] = []
    for _ in range(20):
        answer = get(target)
        assert answer.status == 200, answer.body
        rows += answer.body
        following = re.findall(r'<([^>]*)>; rel="next"', answer.link)
        if not following:
            return rows
        [target] = following
    raise AssertionError("pages without an end")


WALKS: list[tuple[dict[str, str], Callable[[dict[str, Any]], bool], str, bool]] = [
    ({}, lambda row: True, "id", False),
    ({"$filter": "total gt 20"}, lambda row: row["total"] > 20, "id", False),
    (
        {"$filter": "City eq null or not (status eq 'open') and total le 30", "$top": "4"},
        lambda row: row["city"] is None or (row["status"] != "open" and row["total"] <= 30),
        "id",
        False,
    ),
    (
        {"$filter": "contains(City,'o') or City eq 'O''Hara'", "$orderby": "total desc"},
        lambda row: row["city"] is not None and ("o" in row["city"] or row["city"] == "O'Hara"),
        "total",
        True,
    ),
    ({"$filter": "City ne 'Oslo'", "$skip": "3"}, lambda row: row["city"] != "Oslo", "id", False),
    ({"$filter": "id in (3,4,99)"}, lambda row: row["id"] in (3, 4), "id", False),
]


@pytest.mark.parametrize(("parameters", "meets", "by", "descending"), WALKS)
def test_links_walk_the_rows_of_a_loop(
    get: Get,
    parameters: dict[str, str],
    meets: Callable[[dict[str, Any]], bool],
    by: str,
    descending: bool,
) -> None:
    rows = [row for row in ROWS if meets(row)]
    rows.sort(key=lambda row: (row[by], row["id"]), reverse=descending)
    expected = [row["id"] for row in rows][int(parameters.get("$skip", 0)) :]
    assert expected
    assert walked(get, f"/orders?{urlencode(parameters)}") == expected


@pytest.mark.parametrize(
    ("target", "targets", "first"),
    [
        ("$filter=totl gt 5", ["$filter"], "did you mean 'total'?"),
        ("$filter=city eq 'x'&$top=x", ["$filter", "$top"], "unknown column"),
        ("$orderby=total dsc", ["$orderby"], "at byte 6"),
        ("$filter=total gt 'x'", ["$filter"], "at byte 9"),
        ("filter=total gt 5", ["filter"], "did you mean '$filter'?"),
        ("$top=-1", ["$top"], "of at least 0"),
        ("$skiptoken=x", ["$skiptoken"], "not a cursor"),
    ],
)
def test_errors_are_those_of_odata(get: Get, target: str, targets: list[str], first: str) -> None:
    status, body, _ = get(f"/orders?{target}")
    error = body["error"]
    assert status == 400
    assert first in error["message"]
    details = error.get("details", [error])
    assert [detail.get("target") for detail in details] == targets
