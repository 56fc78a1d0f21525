# SPDX-License-Identifier: MIT
"""The parameters of GET /events and of a list of orders: sluice's, and as other packages have them.

The models have the types, literals and constraints that the manuals of pydantic and msgspec
recommend.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Self
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import msgspec
import pydantic
from pydantic import BaseModel, BeforeValidator, Field, PlainValidator, PrivateAttr

import sluice

from .measuring import Library

MAX_VALUES = 1_000
MAX_BYTES = 10_000

# --- Advanced filters, which other packages have no type for -------------------------------------

_ITEM = re.compile(r"(?:[^,\\]|\\.)+")  # a backslash escapes commas, dashes and itself
_ESCAPE = re.compile(r"\\(.)")


class FilterValue(NamedTuple):
    """An advanced filter: any of some values, or none of them."""

    excludes: bool
    values: tuple[str, ...]

    def __str__(self) -> str:
        """Formats the filter."""
        return ("-" if self.excludes else "") + ",".join(self.values)


def parse_filter(text: str, accepts: Callable[[str], bool] | None = None) -> FilterValue:
    """Parses an advanced filter, whose values may be limited."""
    if len(text) > MAX_BYTES:
        raise ValueError("filter too long")
    excludes = text.startswith("-")
    body = text[1:] if excludes else text
    escaped = "\\" in body
    items = _ITEM.findall(body) if escaped else [item for item in body.split(",") if item]
    if len(items) > MAX_VALUES:
        raise ValueError("too many values")
    if any(item[0] == "-" for item in items):
        raise ValueError("'-' before a single item")
    if escaped:
        items = [_ESCAPE.sub(r"\1", item) for item in items]
    if accepts and not all(map(accepts, items)):
        raise ValueError("a value is none of the column's")
    return FilterValue(excludes, tuple(items))


CONTINENTS = frozenset({"af", "an", "as", "eu", "na", "oc", "sa", "unknown"})
TEXTS = (
    "domain linkId tenantId tagId folderId partnerTagId groupId partnerId city region device"
    " browser os referer refererUrl url utm_source utm_medium utm_campaign utm_term utm_content"
    " tagIds"
)
ACCEPTS: dict[str, Callable[[str], Any]] = {
    "country": re.compile(r"[A-Za-z]{2}|unknown", re.IGNORECASE).fullmatch,
    "continent": lambda value: value.lower() in CONTINENTS,
    "trigger": frozenset({"qr", "link", "pageview"}).__contains__,
}

# --- GET /events ---------------------------------------------------------------------------------

Interval = Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]
Order = Literal["asc", "desc"]
# Type and default of the parameters that aren't filters.
PLAIN: dict[str, tuple[Any, Any]] = {
    "event": (Literal["clicks", "leads", "sales"], "clicks"),
    **dict.fromkeys(("key", "customerId", "programId"), (str | None, None)),
    "interval": (Interval, "24h"),
    "timezone": (str, "UTC"),
    **dict.fromkeys(("root", "qr"), (bool | None, None)),
    "saleType": (Literal["new", "recurring"] | None, None),
    **dict.fromkeys(("sortOrder", "order"), (Order, "desc")),
    "sortBy": (Literal["timestamp"], "timestamp"),
    "externalId": (Annotated[str | None, Field(pattern="^ext_")], None),
    "query": (Annotated[str | None, Field(max_length=10_000)], None),
    **dict.fromkeys(("start", "end"), (datetime | None, None)),
    "page": (Annotated[int, Field(ge=1)], 1),
    "limit": (Annotated[int, Field(ge=1, le=1000)], 100),
}
FILTERS: dict[str, tuple[Any, Any]] = {
    name: (
        Annotated[FilterValue | None, PlainValidator(partial(parse_filter, accepts=accepts))],
        None,
    )
    for name, accepts in (dict.fromkeys(TEXTS.split()) | ACCEPTS).items()
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


PydanticEvents = pydantic.create_model("PydanticEvents", __base__=EventsRules, **(PLAIN | FILTERS))


class Parsed:
    """A value of a type that msgspec doesn't know."""

    read: Callable[[str], object]

    def __init__(self, text: str) -> None:
        """Reads a text."""
        self.value = self.read(text)


def parsed_by(read: Callable[[str], object]) -> tuple[Any, None]:
    """Returns the type and default of a parameter that a function reads."""
    kind: Any = type("Parsed", (Parsed,), {"read": staticmethod(read)})
    return kind | None, None


MSGSPEC_FIELDS: dict[str, tuple[Any, Any]] = {
    **PLAIN,
    **{n: parsed_by(partial(parse_filter, accepts=ACCEPTS.get(n))) for n in FILTERS},
    # The datetime of msgspec needs a date and a time.
    **dict.fromkeys(("start", "end"), parsed_by(datetime.fromisoformat)),
    "externalId": (Annotated[str, msgspec.Meta(pattern="^ext_")] | None, None),
    "query": (Annotated[str, msgspec.Meta(max_length=10_000)] | None, None),
    "page": (Annotated[int, msgspec.Meta(ge=1)], 1),
    "limit": (Annotated[int, msgspec.Meta(ge=1, le=1000)], 100),
}
MsgspecEvents = msgspec.defstruct(
    "MsgspecEvents",
    [(name, kind, default) for name, (kind, default) in MSGSPEC_FIELDS.items()],
    namespace={"__post_init__": check_rules},
)

# --- A list of orders ----------------------------------------------------------------------------

DAYS = {"24h": 1, "7d": 7, "30d": 30, "90d": 90}


def to_local(time: datetime, zone: tzinfo) -> datetime:
    """Moves a time to a zone, in which it is local if it has no offset."""
    return time.astimezone(zone) if time.tzinfo else time.replace(tzinfo=zone)


Split = BeforeValidator(lambda text: text.split(","))


class PydanticOrders(BaseModel, extra="ignore"):
    """The parameters of the documentation's example."""

    status: Annotated[list[Literal["open", "paid", "void"]], Split] = []
    customer: Annotated[FilterValue | None, PlainValidator(parse_filter)] = None
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
        length = timedelta(days=DAYS[self.interval])
        start = to_local(self.start, zone) if self.start else end - length
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
    page = sluice.page(limit=100, maximum=1_000)


# --- Contenders, and the form in which their results are compared --------------------------------


def parse_by_pydantic(text: str, model: type[BaseModel] = PydanticEvents) -> Any:  # noqa: ANN401
    """Parses a raw query string."""
    return model.model_validate(dict(parse_qsl(text, keep_blank_values=True)))


def parse_by_msgspec(text: str) -> Any:  # noqa: ANN401
    """Parses a raw query string."""
    values = dict(parse_qsl(text, keep_blank_values=True))
    return msgspec.convert(values, MsgspecEvents, strict=False, dec_hook=lambda kind, v: kind(v))


OURS = Library(
    validate=lambda text: partial(sluice.EventsQuery.parse, text),
    orders=lambda text: partial(Orders.parse, text),
)
PYDANTIC = Library(
    validate=lambda text: partial(parse_by_pydantic, text),
    orders=lambda text: partial(parse_by_pydantic, text, PydanticOrders),
)
MSGSPEC = Library(validate=lambda text: partial(parse_by_msgspec, text))

DEFAULTS = {name: str(default) for name, (_, default) in PLAIN.items() if default is not None}
UNCOMPARED = ("start", "end", "query")  # spelled differently; the others do not parse `query`


def canonical_events(query: Any) -> dict[str, str]:  # noqa: ANN401
    """Returns parameters that differ from absent ones; `order` and `qr` (deprecated) are folded.

    A text is the query string that the driver writes.
    """
    if isinstance(query, str):
        values: dict[str, object] = dict(parse_qsl(query))
    elif isinstance(query, BaseModel):
        values = dict(query)
    elif isinstance(query, msgspec.Struct):
        shown = msgspec.structs.asdict(query)
        values = {n: v.value if isinstance(v, Parsed) else v for n, v in shown.items()}
    else:
        snake = {name: re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", name) for name in PLAIN}
        values = {name: getattr(query, snake[name]) for name in PLAIN if name not in UNCOMPARED}
        if query.external_id is not None:
            values["externalId"] = f"ext_{query.external_id}"
        values |= query.filters
    texts = {name: text_of(value) for name, value in values.items() if value is not None}
    if texts.pop("order", "desc") == "asc":
        texts["sortOrder"] = "asc"
    if "trigger" in texts:
        texts.pop("qr", None)
    return {
        name: text
        for name, text in sorted(texts.items())
        if name not in UNCOMPARED and text != DEFAULTS.get(name)
    }


def text_of(value: object) -> str:
    """Formats a value as in a query string."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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
