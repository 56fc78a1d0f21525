# SPDX-License-Identifier: MIT
"""The parameters of GET /events in sluice, from Python."""

import re

from sluice import EventsQuery

from . import rules

NAMES = ("event", "key", "interval", "timezone", "root", "page", "limit", "order", "qr")
CAMEL_NAMES = ("externalId", "customerId", "saleType", "sortOrder", "sortBy", "programId")


def parse(text: str) -> EventsQuery:
    """From the raw query string."""
    return EventsQuery.parse(text)


def canonical(text: str) -> dict[str, str]:
    """What was parsed, to compare."""
    query = parse(text)
    values: dict[str, object] = {name: getattr(query, name) for name in NAMES}
    for name in CAMEL_NAMES:
        values[name] = getattr(query, re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", name))
    if query.external_id is not None:
        values["externalId"] = f"ext_{query.external_id}"
    return rules.canonical({**values, **query.filters})
