# SPDX-License-Identifier: MIT
"""From the raw query string of GET /events to checked values."""

import json
from collections.abc import Iterator
from importlib import import_module
from urllib.parse import parse_qsl

from ..cell import Cell, Contender, Missing, python_contender, translated
from ..context import Context, by_driver, by_program, lacks, require
from ..validators.rules import canonical

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
NOTE = "peers check the length of `query` only and know no relative times; sluice parses both"


def by_model(module: str, package: str, text: str) -> Contender | Missing:
    """A Python model of the parameters."""
    missing = lacks(package)
    if missing:
        return missing
    model = import_module(f"..validators.{module}", __package__)
    return python_contender(lambda: model.parse(text), lambda: model.canonical(text))


def cells(context: Context) -> Iterator[Cell]:
    """Six and forty parameters, in C++ and from Python."""
    for count, text in (("6", SIX), ("40", FORTY)):
        operation = f"validate {text}"
        cpp = translated(by_driver(context, operation), lambda out: canonical(dict(parse_qsl(out))))
        node = by_program(context.node, operation)
        if isinstance(node, Contender):
            node = translated(node, json.loads)
        peers = {
            "pydantic": by_model("pydantic_model", "pydantic", text),
            "msgspec": by_model("msgspec_model", "msgspec", text),
            "zod": node,
        }
        name = f"validate: {count} parameters"
        yield Cell(name, "parse_events_query", cpp, peers, note=NOTE)
        require("sluice")
        python = by_model("sluice_model", "sluice", text)
        assert isinstance(python, Contender)
        yield Cell(f"{name}, from Python", "EventsQuery.parse", python, peers, note=NOTE)
    yield declared()


def declared() -> Cell:
    """An endpoint that Python declares by a class, against the same class of pydantic."""
    ours = by_model("orders_sluice", "sluice", ORDERS)
    assert isinstance(ours, Contender)
    peers = {"pydantic": by_model("orders_pydantic", "pydantic", ORDERS)}
    return Cell("validate: a declared endpoint, from Python", "ListQuery.parse", ours, peers)
