# SPDX-License-Identifier: MIT
"""A list of orders as an endpoint that Python declares by a class of sluice."""

import sluice


class Orders(sluice.ListQuery):
    """The example of the documentation."""

    status = sluice.filter(choices=("open", "paid", "void"))
    customer = sluice.filter(column="customer_id")
    total = sluice.decimal(operators=(">=", "<="))
    created = sluice.window(column="created_at", default="30d")
    order = sluice.sort("created", "total", default="-created")
    page = sluice.page(limit=100, maximum=1_000)


def parse(text: str) -> Orders:
    """From the raw query string."""
    return Orders.parse(text)


def canonical(text: str) -> dict[str, str]:
    """What was parsed, to compare."""
    query = parse(text)
    order = [f"-{key.name}" if key.descending else key.name for key in query.order]
    return {
        "status": str(query.status),
        "customer": str(query.customer),
        "total": f"{query.total.gte} {query.total.lte}",
        "interval": str(query.created.interval),
        "window": str(query.created.start and query.created.end - query.created.start),
        "order": ",".join(order),
        "page": f"{query.page.number} {query.page.limit} {query.page.count}",
    }
