# SPDX-License-Identifier: MIT
"""GET /orders with Litestar: uvicorn --app-dir examples/frameworks litestar_app:app"""

from typing import Any, cast

from litestar import Litestar, Request, Response, get
from litestar.di import NamedDependency
from orders import Orders, connect, find

import sluice.asgi
import sluice.litestar
from sluice.limits import Header
from sluice.pages import page_headers

connection = connect()


@get(
    "/orders",
    dependencies={"asked": sluice.litestar.Query(Orders)},
    operation_class=sluice.litestar.documented(Orders, errors="problem"),
)
async def list_orders(
    asked: NamedDependency[Orders], request: Request[Any, Any, Any]
) -> Response[list[dict[str, Any]]]:
    """Lists orders."""
    found = find(connection, asked)
    path = request.url.path
    headers = page_headers(asked, path, len(found.rows), ends=found.ends, total=found.total)
    return Response(found.rows, headers=headers)


shop = Litestar([list_orders], plugins=[sluice.litestar.Errors("problem")])
app = sluice.asgi.RateLimit(
    cast(Any, shop), sluice.RateLimiter(100, 60), key=Header("X-API-Key"), errors="problem"
)
