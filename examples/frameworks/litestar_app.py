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
    dependencies={"params": sluice.litestar.Query(Orders)},
    operation_class=sluice.litestar.documented(Orders, errors="problem"),
)
async def list_orders(
    params: NamedDependency[Orders], request: Request[Any, Any, Any]
) -> Response[list[dict[str, Any]]]:
    """Lists orders."""
    page = find(connection, params)
    path = request.url.path
    headers = page_headers(params, path, len(page.rows), ends=page.ends, total=page.total)
    return Response(page.rows, headers=headers)


shop = Litestar([list_orders], plugins=[sluice.litestar.Errors("problem")])
app = sluice.asgi.RateLimit(
    cast(Any, shop), sluice.RateLimiter(100, 60), key=Header("X-API-Key"), errors="problem"
)
