# SPDX-License-Identifier: MIT
"""GET /orders with FastAPI over an asyncio session of SQLAlchemy."""

import asyncio
import enum
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID, uuid5

import httpx
import sqlalchemy as sa
from fastapi import Depends, FastAPI, Request, Response
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

import sluice
import sluice.fastapi
import sluice.sqlalchemy


class Status(enum.Enum):
    """The states of an order."""

    OPEN = "open"
    PAID = "paid"
    VOID = "void"


class Base(DeclarativeBase):
    """The models of the shop."""


class OrderModel(Base):
    """An order."""

    __tablename__ = "orders"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    status: Mapped[Status]
    total: Mapped[Decimal] = mapped_column(sa.Numeric(10, 2))
    created: Mapped[datetime] = mapped_column(sa.DateTime(timezone=True))
    data = mapped_column(sa.JSON)


class Orders(sluice.ListQuery, model=OrderModel):
    """Orders of a shop."""

    id = sluice.uuid()
    status = sluice.filter(choices=Status)
    total = sluice.decimal(operators=(">=", "<="))
    created = sluice.window(default="all")
    data = sluice.metadata()
    order = sluice.sort("created", "total", "status", default="-created")
    page = sluice.page(default=2)


engine = create_async_engine("sqlite+aiosqlite://", poolclass=sa.StaticPool)
open_session = async_sessionmaker(engine)
app = FastAPI()
sluice.fastapi.install(app)


async def session_of_request() -> AsyncIterator[AsyncSession]:
    async with open_session() as session:
        yield session


@app.get("/orders")
async def list_orders(
    query: Annotated[Orders, sluice.fastapi.Query(Orders)],
    session: Annotated[AsyncSession, Depends(session_of_request)],
    request: Request,
    response: Response,
) -> list[str]:
    page = await sluice.sqlalchemy.page_async(session, query, OrderModel, request.url.path)
    response.headers.update(page.headers)
    return [f"{order.status.value} {order.total}" for order in page.rows]


async def main() -> None:
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    async with open_session() as session:
        session.add_all(
            OrderModel(
                id=uuid5(UUID(int=0), f"{n}"),
                status=[*Status][n % 3],
                total=Decimal(n) + Decimal("0.99"),
                created=datetime(2026, 8, n + 1, tzinfo=UTC),
                data={"plan": "pro" if n % 2 else "free"},
            )
            for n in range(6)
        )
        await session.commit()
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        url = "/orders?status=-void&total[lte]=4.99&count=true"
        while url:
            answer = await client.get(url)
            print(answer.json(), answer.headers.get("X-Total-Count"))
            url = answer.links.get("next", {}).get("url", "")
        answer = await client.get("/orders", params={"data": "metadata['plan']:pro"})
        print(answer.json())
        answer = await client.get("/orders?status=shipped")
        print(answer.status_code, answer.json()["error"]["message"])
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main())
