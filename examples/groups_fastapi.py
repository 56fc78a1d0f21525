# SPDX-License-Identifier: MIT
"""FastAPI: groups, measures and facets of orders that requests name."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

import sluice.fastapi
import sluice.groups

ORDERS: list[dict[str, Any]] = [
    {"country": "US", "device": "phone", "cents": 1990, "created": "2026-10-24T20:00:00Z"},
    {"country": "DE", "device": "phone", "cents": 10, "created": "2026-10-24T22:30:00Z"},
    {"country": "US", "device": "desktop", "cents": 25000, "created": "2026-10-25T22:59:00Z"},
    {"country": None, "device": "desktop", "cents": 700, "created": "2026-10-26T23:00:00Z"},
]


class Orders(sluice.ListQuery):
    """A list of orders."""

    country = sluice.filter(column=sluice.Column("country", is_nullable=True))
    device = sluice.filter()
    cents = sluice.integer(operators=(">=", "<="))
    created = sluice.window(default="30d")
    groups = sluice.group_by("country", "device", "created", name="groupBy", size=10)
    measures = sluice.measures("cents")
    facets = sluice.facets("country", "device")


app = FastAPI()
sluice.fastapi.install(app)
Request = Annotated[Orders, sluice.fastapi.Query(Orders)]


@app.get("/orders/groups")
def groups(query: Request) -> list[dict[str, Any]]:
    return query.aggregate.apply(ORDERS)


@app.get("/orders/facets")
def facets(query: Request) -> dict[str, list[dict[str, Any]]]:
    return sluice.groups.facets(query, ORDERS)


now = datetime(2026, 10, 27, tzinfo=UTC)
app.dependency_overrides[sluice.fastapi.now] = lambda: now
with TestClient(app) as client:
    for target in (
        "/orders/groups?groupBy=country&measures=count,sum_cents&order=-sum_cents",
        "/orders/groups?groupBy=created.day&start=2026-10-24&timezone=Europe/Paris",
        "/orders/groups?device=phone&measures=average_cents",
        "/orders/facets?facets=country,device&country=US",
        "/orders/groups?groupBy=contry",
    ):
        print(client.get(target).text)
