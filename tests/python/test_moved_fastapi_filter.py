# SPDX-License-Identifier: MIT
"""A program of fastapi-filter and fastapi-pagination, moved to sluice: clients see no difference.

Its requests are replayed against both.
"""

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi_filter import FilterDepends
from fastapi_filter.contrib.sqlalchemy import Filter
from fastapi_pagination import Page, add_pagination
from fastapi_pagination.ext.sqlalchemy import paginate
from moved_requests import GOODS, Fetch, assert_same, random_requests
from pydantic import BaseModel, ConfigDict
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice.fastapi
import sluice.sqlalchemy
from sluice.fastapi import Query


class Base(DeclarativeBase):
    """The base class of models."""


class GoodModel(Base):
    """A good of a shop."""

    __tablename__ = "goods"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    kind: Mapped[str]
    status: Mapped[str]
    owner: Mapped[str | None]
    note: Mapped[str | None]
    price: Mapped[int]
    weight: Mapped[float]
    built: Mapped[date]


class Good(BaseModel):
    """A good in answers."""

    model_config = ConfigDict(from_attributes=True)
    id: int
    name: str
    status: str
    owner: str | None
    price: int
    weight: float
    built: date


engine = sa.create_engine(
    "sqlite://", poolclass=sa.StaticPool, connect_args={"check_same_thread": False}
)
Base.metadata.create_all(engine)
with Session(engine) as filled:
    filled.add_all(GoodModel(**good) for good in GOODS)
    filled.commit()


# --- Before ---------------------------------------------------------------------------------------


class GoodFilter(Filter):
    """The parameters of fastapi-filter."""

    kind: str | None = None
    status__in: list[str] | None = None
    status__not_in: list[str] | None = None
    id__in: list[int] | None = None
    owner__isnull: bool | None = None
    owner__not_in: list[str] | None = None
    price: int | None = None
    price__gt: int | None = None
    price__gte: int | None = None
    price__lt: int | None = None
    price__lte: int | None = None
    weight__gte: float | None = None
    weight__lt: float | None = None
    built__gte: date | None = None
    built__lt: date | None = None
    search: str | None = None
    order_by: list[str] | None = ["-built"]  # noqa: RUF012

    class Constants(Filter.Constants):
        """The model, and the columns of a search."""

        model = GoodModel
        search_model_fields = ["name", "note"]  # noqa: RUF012


before = FastAPI()


@before.get("/goods")
def list_before(goods: Annotated[GoodFilter, FilterDepends(GoodFilter)]) -> Page[Good]:
    """Lists goods."""
    with Session(engine) as session:
        page: Page[Good] = paginate(session, goods.sort(goods.filter(sa.select(GoodModel))))
        return page


add_pagination(before)

# --- After ----------------------------------------------------------------------------------------


class Goods(sluice.ListQuery, model=GoodModel, names="underscores"):
    """Goods with the parameters of the filter."""

    kind = sluice.text()
    statuses = sluice.texts(name="status__in", column="status")
    other_statuses = sluice.texts(name="status__not_in", column="status", exclusion="always")
    ids = sluice.filter(name="id__in", column="id", type="integer", exclusion="never")
    has_no_owner = sluice.is_null(name="owner__isnull", column="owner")
    other_owners = sluice.texts(name="owner__not_in", column="owner", exclusion="always")
    price = sluice.integer(operators=("=", ">", ">=", "<", "<="))
    weight = sluice.real(operators=(">=", "<"))
    built = sluice.date(operators=(">=", "<"))
    search = sluice.search(
        sluice.Column("name", collation="ignore_case"),
        sluice.Column("note", collation="ignore_case", is_nullable=True),
        form="phrase",
    )
    order_by = sluice.sort("built", "price", "weight", "id", default="-built")
    page = sluice.page(limit="size", default=50, cursor=None, count=None, maximum=100)


def fastapi_errors(errors: Sequence[sluice.ApiError]) -> tuple[int, object]:
    """Returns errors as FastAPI does, which has one status for all of them."""
    items = [{"loc": ["query", error.param], "msg": error.message} for error in errors]
    return 422, {"detail": items}


after = FastAPI()
sluice.fastapi.install(after, errors=fastapi_errors)


@after.get("/goods")
def list_after(query: Annotated[Goods, Query(Goods, strict=False)]) -> dict[str, Any]:
    """Lists goods."""
    rows = sluice.sqlalchemy.select(query, GoodModel)
    wanted = query.where(GoodModel)
    if query.other_owners:  # SQL's NOT IN has no rows without an owner
        has_owner = GoodModel.owner.is_not(None)
        rows, wanted = rows.where(has_owner), wanted & has_owner
    count = sa.select(sa.func.count()).select_from(GoodModel)
    with Session(engine) as session:
        total = session.scalar(count.where(wanted)) or 0
        items = [Good.model_validate(row) for row in session.scalars(rows)]
    number, size = query.page.number, query.page.limit
    pages = -(-total // size)
    return {"items": items, "total": total, "page": number, "size": size, "pages": pages}


# --- Requests -------------------------------------------------------------------------------------

PIECES = {
    "kind": ["home", "office", "nothing"],
    "status__in": ["new", "new,used", "-old", "in stock,-old", "back\\slash", "nothing"],
    "status__not_in": ["new", "-old,used", "nothing"],
    "id__in": ["1,2,3", "7", "60,61,62"],
    "owner__isnull": ["true", "False"],
    "owner__not_in": ["Ann", "O'Hara,x"],
    "price": ["37", "1000", "-1"],
    "price__gt": ["50", "0"],
    "price__gte": ["37"],
    "price__lt": ["90", "-5"],
    "price__lte": ["60"],
    "weight__gte": ["1.5", "2"],
    "weight__lt": ["5", "1e1"],
    "built__gte": ["2026-02-01"],
    "built__lt": ["2026-03-15"],
    "search": ["oak", "oak, ann's", "ships fr", "table 1", "pine-wood", "desk, small"],
    "order_by": ["price", "-weight", "-price,built", "id", "built,id"],
    "page": ["1", "2", "9"],
    "size": ["1", "7", "100"],
    "utm_source": ["mail"],
}
REFUSED = [
    "price__gte=many",
    "weight__lt=x",
    "built__gte=2026-02-30",
    "owner__isnull=maybe",
    "id__in=1,two",
    "order_by=colour",
    "page=0",
    "size=101",
    "size=x",
]


def is_text(part: object) -> bool:
    return isinstance(part, str)


def fetching(app: FastAPI) -> Fetch:
    async def get(text: str) -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            return await client.get(f"/goods?{text}")

    def fetch(text: str) -> tuple[int, Any]:
        response = asyncio.run(get(text))
        body = response.json()
        if response.status_code != 200:
            places = [error["loc"] for error in body["detail"]]
            return response.status_code, {[*filter(is_text, place)][-1] for place in places}
        return 200, {"rows": body.pop("items"), **body}

    return fetch


def test_every_request_has_the_same_answer() -> None:
    singles = [f"{name}={value}" for name, values in PIECES.items() for value in values]
    assert_same(fetching(before), fetching(after), ["", *singles, *random_requests(PIECES, 400, 1)])


@pytest.mark.parametrize("text", REFUSED)
def test_what_was_refused_is_refused_for_the_same_parameter(text: str) -> None:
    status, names = fetching(before)(text)
    assert status == 422
    assert fetching(after)(text) == (422, names)


def test_the_parameters_have_the_same_names() -> None:
    [names, moved] = [
        {parameter["name"] for parameter in app.openapi()["paths"]["/goods"]["get"]["parameters"]}
        for app in (before, after)
    ]
    assert names == moved
