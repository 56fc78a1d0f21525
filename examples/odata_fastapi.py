# SPDX-License-Identifier: MIT
"""GET /orders in the form of OData: uvicorn --app-dir examples odata_fastapi:app"""

from decimal import Decimal
from typing import Annotated

import sqlalchemy as sa
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import StaticPool

import sluice
import sluice.fastapi
import sluice.sqlalchemy


class Base(DeclarativeBase):
    """The models of the shop."""


class OrderModel(Base):
    """An order."""

    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str]
    total: Mapped[Decimal] = mapped_column(sa.Numeric(10, 2))
    city: Mapped[str | None]
    card_number: Mapped[str]  # clients don't name it


class Orders(sluice.ListQuery, model=OrderModel):
    """Orders of a shop."""

    odata = sluice.odata(
        columns=("id", "status", "total"), aliases={"City": "city"}, default=2, maximum=100
    )


engine = sa.create_engine(
    "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
)
Base.metadata.create_all(engine)
with Session(engine) as session:
    for number, city in enumerate(["Oslo", None, "Bergen", "Oslo"], start=1):
        status = ("open", "paid")[number % 2]
        session.add(
            OrderModel(id=number, status=status, total=10 * number, city=city, card_number="4111")
        )
    session.commit()

app = FastAPI(title="Shop")
sluice.fastapi.install(app, errors="odata")


@app.get("/orders")
def list_orders(
    request: Request, query: Annotated[Orders, sluice.fastapi.Query(Orders)]
) -> dict[str, object]:
    """Lists orders as OData does."""
    with Session(engine) as session:
        page = sluice.sqlalchemy.page(
            session, query, OrderModel, str(request.url_for("list_orders"))
        )
        value = [
            {
                "id": order.id,
                "status": order.status,
                "total": float(order.total),
                "City": order.city,
            }
            for order in page.rows
        ]
    body: dict[str, object] = {"@odata.context": "$metadata#orders", "value": value}
    if query.odata.page.count:
        body["@odata.count"] = page.total
    if "next" in page.links:
        body["@odata.nextLink"] = page.links["next"]
    return body


if __name__ == "__main__":
    client = TestClient(app)
    wanted = "/orders?$filter=total gt 5 and not (City eq 'Bergen')&$orderby=total desc&$count=true"
    first = client.get(wanted).json()
    print([row["id"] for row in first["value"]], first["@odata.count"])
    following = client.get(first["@odata.nextLink"]).json()
    print([row["id"] for row in following["value"]], "@odata.nextLink" in following)
    changed = first["@odata.nextLink"].replace("gt+5", "gt+6")
    print(client.get(changed).status_code)
    refused = client.get("/orders?$filter=card_number eq '4111'&$top=x")
    print(refused.status_code, refused.json()["error"]["target"])
    print([detail["message"] for detail in refused.json()["error"]["details"]])
