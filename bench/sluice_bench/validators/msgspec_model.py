# SPDX-License-Identifier: MIT
"""The parameters of GET /events in msgspec."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta, Struct

from . import rules

Order = Literal["asc", "desc"]
Interval = Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]


class Parsed:
    """A type that msgspec doesn't know: dec_hook reads it."""

    parse: Callable[[str], object]

    def __init__(self, text: str) -> None:
        """Reads a text."""
        self.value = type(self).parse(text)


class Filter(Parsed):
    """A filter of texts."""

    parse = staticmethod(rules.parse_filter)


class Country(Filter):
    """A filter of countries."""

    parse = staticmethod(rules.parse_country)


class Continent(Filter):
    """A filter of continents."""

    parse = staticmethod(rules.parse_continent)


class Trigger(Filter):
    """A filter of triggers."""

    parse = staticmethod(rules.parse_trigger)


class Moment(Parsed):
    """An ISO 8601 date or time; msgspec's own datetime needs both parts."""

    parse = staticmethod(datetime.fromisoformat)


class EventsQuery(Struct):
    """Declared as its manual recommends: types, literals, Meta, __post_init__."""

    event: Literal["clicks", "leads", "sales"] = "clicks"
    domain: Filter | None = None
    key: str | None = None
    linkId: Filter | None = None  # noqa: N815, the parameter's name
    externalId: Annotated[str, Meta(pattern="^ext_")] | None = None  # noqa: N815
    tenantId: Filter | None = None  # noqa: N815
    tagId: Filter | None = None  # noqa: N815
    folderId: Filter | None = None  # noqa: N815
    partnerTagId: Filter | None = None  # noqa: N815
    groupId: Filter | None = None  # noqa: N815
    partnerId: Filter | None = None  # noqa: N815
    customerId: str | None = None  # noqa: N815
    interval: Interval = "24h"
    start: Moment | None = None
    end: Moment | None = None
    timezone: str = "UTC"
    country: Country | None = None
    city: Filter | None = None
    region: Filter | None = None
    continent: Continent | None = None
    device: Filter | None = None
    browser: Filter | None = None
    os: Filter | None = None
    trigger: Trigger | None = None
    referer: Filter | None = None
    refererUrl: Filter | None = None  # noqa: N815
    url: Filter | None = None
    utm_source: Filter | None = None
    utm_medium: Filter | None = None
    utm_campaign: Filter | None = None
    utm_term: Filter | None = None
    utm_content: Filter | None = None
    root: bool | None = None
    saleType: Literal["new", "recurring"] | None = None  # noqa: N815
    query: Annotated[str, Meta(max_length=rules.MAX_QUERY)] | None = None
    page: Annotated[int, Meta(ge=1)] = 1
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    sortOrder: Order = "desc"  # noqa: N815
    sortBy: Literal["timestamp"] = "timestamp"  # noqa: N815
    programId: str | None = None  # noqa: N815
    tagIds: Filter | None = None  # noqa: N815
    qr: bool | None = None
    order: Order = "desc"

    def __post_init__(self) -> None:
        """The rules between parameters."""
        given = {"key": self.key, "domain": self.domain, "saleType": self.saleType}
        rules.check_companions({**given, "query": self.query}, self.event)


def parse_unknown(kind: type[Parsed], text: str) -> Parsed:
    """Reads a text as a type that msgspec doesn't know."""
    return kind(text)


def parse(text: str) -> EventsQuery:
    """From the raw query string."""
    given = dict(parse_qsl(text, keep_blank_values=True))
    return msgspec.convert(given, EventsQuery, strict=False, dec_hook=parse_unknown)


def canonical(text: str) -> dict[str, str]:
    """What was parsed, to compare."""
    values = msgspec.structs.asdict(parse(text))
    return rules.canonical({name: getattr(v, "value", v) for name, v in values.items()})
