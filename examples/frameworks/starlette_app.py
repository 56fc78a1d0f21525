# SPDX-License-Identifier: MIT
"""GET /orders with Starlette: uvicorn --app-dir examples/frameworks starlette_app:app"""

from orders import Orders, connect, find
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import sluice.asgi
import sluice.starlette
from sluice.limits import Header
from sluice.starlette import Page

connection = connect()
limit = Middleware(
    sluice.asgi.RateLimit,
    limiter=sluice.RateLimiter(100, 60),
    key=Header("X-API-Key"),
    errors="problem",
)
about = {"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}}
schemas = sluice.starlette.SchemaGenerator(about, errors="problem")


@sluice.starlette.reads(Orders)
async def list_orders(request: Request, query: Orders) -> Response:
    page = find(connection, query)
    return Page(page.rows, query, request, ends=page.ends, total=page.total)


async def schema(request: Request) -> Response:
    return schemas.OpenAPIResponse(request)


app = Starlette(
    routes=[
        Route("/orders", list_orders, middleware=[limit]),
        Route("/openapi.yaml", schema, include_in_schema=False),
    ]
)
sluice.starlette.install(app, errors="problem")
