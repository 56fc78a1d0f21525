# SPDX-License-Identifier: MIT
"""Parameters of GET /events and of a list of orders, as sluice and other packages check them.

The models have the types, literals and constraints that the manuals of pydantic and msgspec
recommend. They check the length of `query` only and read no relative times; sluice parses both.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import msgspec
import pydantic
from msgspec import Meta
from pydantic import BaseModel, BeforeValidator, Field, PlainValidator, PrivateAttr

import sluice

from .context import Context
from .measuring import Cell, Library

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

# --- Advanced filters, which other packages have no type for -------------------------------------

_ITEM = re.compile(r"(?:[^,\\]|\\.)+")  # a backslash escapes commas, dashes and itself
_ESCAPE = re.compile(r"\\(.)")


class AdvancedFilter:
    """Any of some values, or none of them; `accepts` limits the values."""

    accepts: ClassVar[Callable[[str], object] | None] = None

    def __init__(self, text: str) -> None:
        """Parses a filter."""
        if len(text) > 10_000:
            raise ValueError("filter too long")
        self.excludes = text.startswith("-")
        body = text[1:] if self.excludes else text
        is_escaped = "\\" in body
        items = _ITEM.findall(body) if is_escaped else [item for item in body.split(",") if item]
        if len(items) > 1_000:
            raise ValueError("too many values")
        if any(item[0] == "-" for item in items):
            raise ValueError("'-' before a single item")
        if is_escaped:
            items = [_ESCAPE.sub(r"\1", item) for item in items]
        if self.accepts and not all(map(self.accepts, items)):
            raise ValueError("a value is none of the column's")
        self.values = tuple(items)

    def __str__(self) -> str:
        """Formats the filter."""
        return ("-" if self.excludes else "") + ",".join(self.values)


def limited_to(pattern: str) -> type[AdvancedFilter]:
    """Returns the filter whose values match a pattern."""
    accepts = staticmethod(re.compile(pattern, re.IGNORECASE).fullmatch)
    return type("LimitedFilter", (AdvancedFilter,), {"accepts": accepts})


class Moment:
    """A time for msgspec, whose datetime needs a date and a time."""

    def __init__(self, text: str) -> None:
        """Parses a time."""
        self.time = datetime.fromisoformat(text)


# --- GET /events ---------------------------------------------------------------------------------

TEXTS = (
    "domain linkId tenantId tagId folderId partnerTagId groupId partnerId city region device"
    " browser os referer refererUrl url utm_source utm_medium utm_campaign utm_term utm_content"
    " tagIds"
)
KINDS: dict[str, type[AdvancedFilter]] = dict.fromkeys(TEXTS.split(), AdvancedFilter)
KINDS["country"] = limited_to("[a-z]{2}|unknown")
KINDS["continent"] = limited_to("af|an|as|eu|na|oc|sa|unknown")
KINDS["trigger"] = limited_to("qr|link|pageview")
Order = Literal["asc", "desc"]
# Type and default by parameter. Both packages ignore each other's constraints.
PLAIN: dict[str, tuple[Any, Any]] = {
    "event": (Literal["clicks", "leads", "sales"], "clicks"),
    **dict.fromkeys(("key", "customerId", "programId"), (str | None, None)),
    "interval": (Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"], "24h"),
    "timezone": (str, "UTC"),
    **dict.fromkeys(("root", "qr"), (bool | None, None)),
    "saleType": (Literal["new", "recurring"] | None, None),
    **dict.fromkeys(("sortOrder", "order"), (Order, "desc")),
    "sortBy": (Literal["timestamp"], "timestamp"),
    "externalId": (Annotated[str, Field(pattern="^ext_"), Meta(pattern="^ext_")] | None, None),
    "query": (Annotated[str, Field(max_length=10_000), Meta(max_length=10_000)] | None, None),
    **dict.fromkeys(("start", "end"), (datetime | None, None)),
    "page": (Annotated[int, Field(ge=1), Meta(ge=1)], 1),
    "limit": (Annotated[int, Field(ge=1, le=1000), Meta(ge=1, le=1000)], 100),
}
FIELDS = PLAIN | {
    name: (Annotated[kind | None, PlainValidator(kind)], None) for name, kind in KINDS.items()
}


def check_rules(query: Any) -> Any:  # noqa: ANN401
    """Checks the rules between parameters."""
    if query.key is not None and query.domain is None:
        raise ValueError("key needs domain")
    if query.saleType is not None and query.event != "sales":
        raise ValueError("saleType needs event=sales")
    if query.query is not None and query.event == "clicks":
        raise ValueError("query needs event=leads or event=sales")
    return query


class EventsRules(BaseModel, extra="ignore"):
    """The rules between parameters, checked after all."""

    check = pydantic.model_validator(mode="after")(check_rules)


PydanticEvents = pydantic.create_model("PydanticEvents", __base__=EventsRules, **FIELDS)
TIMES = dict.fromkeys(("start", "end"), (Moment | None, None))
MsgspecEvents = msgspec.defstruct(
    "MsgspecEvents",
    [(name, kind, default) for name, (kind, default) in (FIELDS | TIMES).items()],
    namespace={"__post_init__": check_rules},
)

# --- A list of orders ----------------------------------------------------------------------------


def to_local(time: datetime, zone: tzinfo) -> datetime:
    """Moves a time to a zone, in which it is local if it has no offset."""
    return time.astimezone(zone) if time.tzinfo else time.replace(tzinfo=zone)


Split = BeforeValidator(lambda text: text.split(","))


class PydanticOrders(BaseModel, extra="ignore"):
    """The parameters of the documentation's example."""

    status: Annotated[list[Literal["open", "paid", "void"]], Split] = []
    customer: Annotated[AdvancedFilter | None, PlainValidator(AdvancedFilter)] = None
    total_gte: Annotated[Decimal | None, Field(alias="total[gte]")] = None
    total_lte: Annotated[Decimal | None, Field(alias="total[lte]")] = None
    interval: Literal["24h", "7d", "30d", "90d"] = "30d"
    start: datetime | None = None
    end: datetime | None = None
    timezone: str = "UTC"
    order: Annotated[list[Literal["created", "-created", "total", "-total"]], Split] = ["-created"]
    page: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    cursor: str | None = None
    count: bool = False
    _window: tuple[datetime, datetime] = PrivateAttr()

    @pydantic.model_validator(mode="after")
    def resolve_window(self) -> Self:
        """Works out the window; times without an offset are local ones."""
        zone = UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)
        end = to_local(self.end, zone) if self.end else datetime.now(zone)
        days = {"24h": 1, "7d": 7, "30d": 30, "90d": 90}[self.interval]
        start = to_local(self.start, zone) if self.start else end - timedelta(days=days)
        if start > end:
            raise ValueError("the window starts after it ends")
        self._window = (start, end)
        return self


class Orders(sluice.ListQuery):
    """The example of the documentation."""

    status = sluice.filter(choices=("open", "paid", "void"))
    customer = sluice.filter(column="customer_id")
    total = sluice.decimal(operators=(">=", "<="))
    created = sluice.window(column="created_at", default="30d")
    order = sluice.sort("created", "total", default="-created")
    page = sluice.page(default=100, maximum=1_000)


# --- Contenders, and the form in which their results are compared --------------------------------


def parse_by_pydantic(text: str, model: type[BaseModel] = PydanticEvents) -> Any:  # noqa: ANN401
    """Parses a raw query string."""
    return model.model_validate(dict(parse_qsl(text, keep_blank_values=True)))


def parse_by_msgspec(text: str) -> Any:  # noqa: ANN401
    """Parses a raw query string."""
    values = dict(parse_qsl(text, keep_blank_values=True))
    return msgspec.convert(values, MsgspecEvents, strict=False, dec_hook=lambda kind, v: kind(v))


UNCOMPARED = ("start", "end", "query")  # spelled differently; the others do not parse `query`
DEFAULTS = {name: str(default) for name, (_, default) in PLAIN.items() if default is not None}


def canonical_events(query: Any) -> dict[str, str]:  # noqa: ANN401
    """Returns parameters that differ from absent ones; `order` and `qr` (deprecated) are folded.

    A text is the query string that the driver writes.
    """
    if isinstance(query, str):
        values: dict[str, Any] = dict(parse_qsl(query))
    else:
        values = {name: getattr(query, name) for name in FIELDS}
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }
    if texts.pop("order", "desc") == "asc":
        texts["sortOrder"] = "asc"
    if "trigger" in texts:
        texts.pop("qr", None)
    return {
        name: text
        for name, text in texts.items()
        if name not in UNCOMPARED and text != DEFAULTS.get(name)
    }


def canonical_orders(query: Any) -> list[str]:  # noqa: ANN401
    """Returns the values of a list of orders, the window by its length."""
    values: list[object]
    if isinstance(query, PydanticOrders):
        start, end = query._window
        values = [",".join(query.status), query.customer or "", query.total_gte, query.total_lte]
        values += [query.interval, end - start, query.order]
        values += [query.page, query.limit, query.count]
    else:
        window, page = query.created, query.page
        values = [query.status, query.customer, query.total.gte, query.total.lte]
        values += [window.interval, window.start and window.end - window.start]
        values += [[f"-{key.name}" if key.descending else key.name for key in query.order]]
        values += [page.number, page.limit, page.count]
    return list(map(str, values))


OURS = Library(orders=lambda text: partial(Orders.parse, text))
PYDANTIC = Library(
    validate=lambda text: partial(parse_by_pydantic, text),
    orders=lambda text: partial(parse_by_pydantic, text, PydanticOrders),
)
MSGSPEC = Library(validate=lambda text: partial(parse_by_msgspec, text))


def cells(context: Context) -> Iterator[Cell]:
    """Yields six and forty parameters in C++, then a declared endpoint from Python."""
    peers = {"pydantic": PYDANTIC, "msgspec": MSGSPEC}
    for number, text in ((6, SIX), (40, FORTY)):
        name, operation = f"validate: {number} parameters", f"validate {text}"
        what, read = "parse_events_query", canonical_events
        yield Cell(name, what, operation, context.driver, peers, read)
    name, declared = "validate: a declared endpoint, from Python", {"pydantic": PYDANTIC}
    yield Cell(name, "ListQuery.parse", f"orders {ORDERS}", OURS, declared, canonical_orders)
