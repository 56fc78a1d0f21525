# SPDX-License-Identifier: MIT
"""The parameters of GET /events in pydantic 2."""

from datetime import datetime
from typing import Annotated, Literal, Self
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, model_validator

from . import rules

Filter = Annotated[rules.FilterValue | None, PlainValidator(rules.parse_filter)]
Country = Annotated[rules.FilterValue | None, PlainValidator(rules.parse_country)]
Continent = Annotated[rules.FilterValue | None, PlainValidator(rules.parse_continent)]
Trigger = Annotated[rules.FilterValue | None, PlainValidator(rules.parse_trigger)]
Interval = Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]
Order = Literal["asc", "desc"]


class EventsQuery(BaseModel):
    """Declared as its manual recommends: types, literals, constraints, one model validator."""

    model_config = ConfigDict(extra="ignore")

    event: Literal["clicks", "leads", "sales"] = "clicks"
    domain: Filter = None
    key: str | None = None
    linkId: Filter = None  # noqa: N815, the parameter's name
    externalId: Annotated[str | None, Field(pattern="^ext_")] = None  # noqa: N815
    tenantId: Filter = None  # noqa: N815
    tagId: Filter = None  # noqa: N815
    folderId: Filter = None  # noqa: N815
    partnerTagId: Filter = None  # noqa: N815
    groupId: Filter = None  # noqa: N815
    partnerId: Filter = None  # noqa: N815
    customerId: str | None = None  # noqa: N815
    interval: Interval = "24h"
    start: datetime | None = None
    end: datetime | None = None
    timezone: str = "UTC"
    country: Country = None
    city: Filter = None
    region: Filter = None
    continent: Continent = None
    device: Filter = None
    browser: Filter = None
    os: Filter = None
    trigger: Trigger = None
    referer: Filter = None
    refererUrl: Filter = None  # noqa: N815
    url: Filter = None
    utm_source: Filter = None
    utm_medium: Filter = None
    utm_campaign: Filter = None
    utm_term: Filter = None
    utm_content: Filter = None
    root: bool | None = None
    saleType: Literal["new", "recurring"] | None = None  # noqa: N815
    query: Annotated[str | None, Field(max_length=rules.MAX_QUERY)] = None
    page: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    sortOrder: Order = "desc"  # noqa: N815
    sortBy: Literal["timestamp"] = "timestamp"  # noqa: N815
    programId: str | None = None  # noqa: N815
    tagIds: Filter = None  # noqa: N815
    qr: bool | None = None
    order: Order = "desc"

    @model_validator(mode="after")
    def check(self) -> Self:
        """The rules between parameters."""
        rules.check_companions(self.__dict__, self.event)
        return self


def parse(text: str) -> EventsQuery:
    """From the raw query string."""
    return EventsQuery.model_validate(dict(parse_qsl(text, keep_blank_values=True)))


def canonical(text: str) -> dict[str, str]:
    """What was parsed, to compare."""
    return rules.canonical(dict(parse(text)))
