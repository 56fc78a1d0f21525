# SPDX-License-Identifier: MIT
"""From raw query strings to checked values.

Peers check the length of `query` only and read no relative times; sluice parses both.
"""

from collections.abc import Iterator
from urllib.parse import parse_qsl

from .context import Context
from .measuring import Cell, Peer, by_python, lacks
from .models import (
    PydanticOrders,
    canonical,
    canonical_of_sluice,
    msgspec_parser,
    parse_by_pydantic,
)

SIX = "event=clicks&country=US,CA&device=-Mobile&interval=7d&limit=50&page=2"
FORTY = (
    "event=sales&domain=smcp.link&key=W-q_3t4&linkId=link_1,link_2&externalId=ext_1&tenantId=t_1"
    "&tagId=tag_1,tag_2&folderId=f_1&partnerTagId=p_1&groupId=g_1&partnerId=pn_1&customerId=c_1"
    "&interval=30d&start=2026-08-01&end=2026-08-20T12:00:00Z&timezone=UTC&country=-US,CA"
    "&city=Paris&region=US-CA&continent=EU&device=Desktop&browser=Chrome&os=iOS&trigger=qr"
    "&referer=example.com&refererUrl=https://example.com/a&url=https://example.com/b"
    "&utm_source=google&utm_medium=cpc&utm_campaign=launch&utm_term=shoes&utm_content=a&root=false"
    "&saleType=new&query=metadata['plan']:'pro'&page=2&limit=50&sortOrder=asc&sortBy=timestamp"
    "&order=desc"
)
ORDERS = (
    "status=open,paid&customer=-c_1&total[gte]=10.50&interval=7d&order=-total,created"
    "&page=2&limit=50"
)


def by_msgspec(text: str) -> Peer:
    """Parses by msgspec."""
    if missing := lacks("msgspec"):
        return missing
    parse = msgspec_parser()

    def answer() -> dict[str, str]:
        query = parse(text)
        names = query.__struct_fields__
        return canonical({n: getattr(getattr(query, n), "value", getattr(query, n)) for n in names})

    return by_python(lambda: parse(text), answer)


def cells(context: Context) -> Iterator[Cell]:
    """Yields six and forty parameters, in C++ and from Python, then a declared endpoint."""
    from sluice import EventsQuery

    for count, text in ((6, SIX), (40, FORTY)):
        peers = {
            "pydantic": by_python(
                lambda text=text: parse_by_pydantic(text),
                lambda text=text: canonical(dict(parse_by_pydantic(text))),
            ),
            "msgspec": by_msgspec(text),
        }
        name = f"validate: {count} parameters"
        in_cpp = context.driver.contender(
            f"validate {text}", lambda out: canonical(dict(parse_qsl(out)))
        )
        yield Cell(name, "parse_events_query", in_cpp, peers)
        python = by_python(
            lambda text=text: EventsQuery.parse(text),
            lambda text=text: canonical_of_sluice(EventsQuery.parse(text)),
        )
        yield Cell(f"{name}, from Python", "EventsQuery.parse", python, peers)
    yield declared()


def declared() -> Cell:
    """Returns the cell of an endpoint that a class declares, in sluice and in pydantic."""
    import sluice

    class Orders(sluice.ListQuery):
        """The example of the documentation."""

        status = sluice.filter(choices=("open", "paid", "void"))
        customer = sluice.filter(column="customer_id")
        total = sluice.decimal(operators=(">=", "<="))
        created = sluice.window(column="created_at", default="30d")
        order = sluice.sort("created", "total", default="-created")
        page = sluice.page(limit=100, maximum=1_000)

    def answer() -> dict[str, str]:
        query = Orders.parse(ORDERS)
        created, page = query.created, query.page
        order = [f"-{key.name}" if key.descending else key.name for key in query.order]
        return {
            "status": str(query.status),
            "customer": str(query.customer),
            "total": f"{query.total.gte} {query.total.lte}",
            "window": f"{created.interval} {created.start and created.end - created.start}",
            "order": ",".join(order),
            "page": f"{page.number} {page.limit} {page.count}",
        }

    def by_pydantic() -> PydanticOrders:
        return PydanticOrders.model_validate(dict(parse_qsl(ORDERS, keep_blank_values=True)))

    peers: dict[str, Peer] = {"pydantic": by_python(by_pydantic, lambda: by_pydantic().canonical())}
    ours = by_python(lambda: Orders.parse(ORDERS), answer)
    return Cell("validate: a declared endpoint, from Python", "ListQuery.parse", ours, peers)
