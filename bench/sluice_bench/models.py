# SPDX-License-Identifier: MIT
"""The parameters of GET /events and of a list of orders, as users of other libraries declare them.

One table of the parameters makes both models of GET /events, with the types, literals and
constraints that the manuals of pydantic and msgspec recommend.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Self
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

import pydantic
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, PrivateAttr

MAX_VALUES = 1_000
MAX_BYTES = 10_000
MAX_QUERY = 10_000

# --- Advanced filters, which the other libraries have no type for --------------------------------

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


TRIGGERS = frozenset({"qr", "link", "pageview"})
CONTINENTS = frozenset({"af", "an", "as", "eu", "na", "oc", "sa", "unknown"})
TEXTS = (
    "domain linkId tenantId tagId folderId partnerTagId groupId partnerId city region device"
    " browser os referer refererUrl url utm_source utm_medium utm_campaign utm_term utm_content"
    " tagIds"
)
FILTERS: dict[str, Callable[[str], FilterValue]] = {
    **dict.fromkeys(TEXTS.split(), parse_filter),
    "country": partial(
        parse_filter, accepts=re.compile(r"[A-Za-z]{2}|unknown", re.IGNORECASE).fullmatch
    ),
    "continent": partial(parse_filter, accepts=lambda value: value.lower() in CONTINENTS),
    "trigger": partial(parse_filter, accepts=TRIGGERS.__contains__),
}

# --- GET /events ---------------------------------------------------------------------------------

Interval = Literal["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]
Order = Literal["asc", "desc"]
# Type and default of the parameters that aren't filters or have constraints.
PLAIN: dict[str, tuple[Any, Any]] = {
    "event": (Literal["clicks", "leads", "sales"], "clicks"),
    **dict.fromkeys(("key", "customerId", "programId"), (str | None, None)),
    "interval": (Interval, "24h"),
    "timezone": (str, "UTC"),
    **dict.fromkeys(("root", "qr"), (bool | None, None)),
    "saleType": (Literal["new", "recurring"] | None, None),
    **dict.fromkeys(("sortOrder", "order"), (Order, "desc")),
    "sortBy": (Literal["timestamp"], "timestamp"),
}


def check_companions(query: Any) -> None:  # noqa: ANN401
    """Checks the rules between parameters."""
    if query.key is not None and query.domain is None:
        raise ValueError("key needs domain")
    if query.saleType is not None and query.event != "sales":
        raise ValueError("saleType needs event=sales")
    if query.query is not None and query.event == "clicks":
        raise ValueError("query needs event=leads or event=sales")


class PydanticBase(BaseModel):
    """Ignores unknown parameters, and checks rules after all."""

    model_config = ConfigDict(extra="ignore")

    @pydantic.model_validator(mode="after")
    def check(self) -> Self:
        """Checks the rules between parameters."""
        check_companions(self)
        return self


FIELDS: dict[str, Any] = {
    **PLAIN,
    **{
        name: (Annotated[FilterValue | None, PlainValidator(parser)], None)
        for name, parser in FILTERS.items()
    },
    "externalId": (Annotated[str | None, Field(pattern="^ext_")], None),
    "query": (Annotated[str | None, Field(max_length=MAX_QUERY)], None),
    **dict.fromkeys(("start", "end"), (datetime | None, None)),
    "page": (Annotated[int, Field(ge=1)], 1),
    "limit": (Annotated[int, Field(ge=1, le=1000)], 100),
}
PydanticEvents = pydantic.create_model("PydanticEvents", __base__=PydanticBase, **FIELDS)


def parse_by_pydantic(text: str) -> Any:  # noqa: ANN401
    """Parses a raw query string."""
    return PydanticEvents.model_validate(dict(parse_qsl(text, keep_blank_values=True)))


def msgspec_parser() -> Callable[[str], Any]:
    """Makes the parser of a raw query string by msgspec."""
    import msgspec
    from msgspec import Meta

    class Parsed:
        """A type that msgspec doesn't know: dec_hook reads it."""

        parser: Callable[[str], object]

        def __init__(self, text: str) -> None:
            self.value = type(self).parser(text)

    def of(parser: Callable[[str], object]) -> Any:  # noqa: ANN401
        kind: Any = type("Parsed", (Parsed,), {"parser": staticmethod(parser)})
        return kind | None, None

    fields: dict[str, tuple[Any, Any]] = {
        **PLAIN,
        **{name: of(parser) for name, parser in FILTERS.items()},
        "externalId": (Annotated[str, Meta(pattern="^ext_")] | None, None),
        "query": (Annotated[str, Meta(max_length=MAX_QUERY)] | None, None),
        # msgspec's own datetime needs a date and a time.
        **{name: of(datetime.fromisoformat) for name in ("start", "end")},
        "page": (Annotated[int, Meta(ge=1)], 1),
        "limit": (Annotated[int, Meta(ge=1, le=1000)], 100),
    }
    model = msgspec.defstruct(
        "MsgspecEvents",
        [(name, *rest) for name, rest in fields.items()],
        namespace={"__post_init__": check_companions},
    )

    def parse(text: str) -> Any:  # noqa: ANN401
        values = dict(parse_qsl(text, keep_blank_values=True))
        return msgspec.convert(values, model, strict=False, dec_hook=lambda kind, v: kind(v))

    return parse


# --- The same form of a parsed query, whoever parsed it ------------------------------------------

DEFAULTS = {
    **{"event": "clicks", "interval": "24h", "timezone": "UTC", "page": "1", "limit": "100"},
    **{"sortOrder": "desc", "sortBy": "timestamp", "order": "desc"},
}
UNCOMPARED = ("start", "end", "query")  # spelled differently; the others do not parse `query`


def canonical(values: Mapping[str, object]) -> dict[str, str]:
    """Returns parameters that differ from absent ones; `order` and `qr` (deprecated) are folded."""
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


def canonical_of_sluice(query: Any) -> dict[str, str]:  # noqa: ANN401
    """Returns the canonical form of sluice's EventsQuery."""
    values: dict[str, object] = {}
    for name in (*PLAIN, "page", "limit"):
        values[name] = getattr(query, re.sub("[A-Z]", lambda m: f"_{m[0].lower()}", name))
    if query.external_id is not None:
        values["externalId"] = f"ext_{query.external_id}"
    return canonical({**values, **query.filters})


# --- A list of orders ----------------------------------------------------------------------------

DAYS = {"24h": 1, "7d": 7, "30d": 30, "90d": 90}


def start_of(interval: str, now: datetime) -> datetime | None:
    """Returns the beginning of an interval that ends at a local time."""
    if interval in DAYS:
        return now - timedelta(days=DAYS[interval])
    if interval == "1y":
        leap = (now.month, now.day) == (2, 29)
        return now.replace(year=now.year - 1, day=28 if leap else now.day)
    if interval == "all":
        return None
    month = {"mtd": now.month, "qtd": now.month - (now.month - 1) % 3, "ytd": 1}[interval]
    return now.replace(month=month, day=1, hour=0, minute=0, second=0, microsecond=0)


def to_local(time: datetime, zone: tzinfo) -> datetime:
    """Moves a time to a zone, in which it is local if it has no offset."""
    return time.astimezone(zone) if time.tzinfo else time.replace(tzinfo=zone)


Split = BeforeValidator(lambda text: text.split(","))


class PydanticOrders(BaseModel):
    """The parameters of the documentation's example."""

    model_config = ConfigDict(extra="ignore")

    status: Annotated[list[Literal["open", "paid", "void"]], Split] = []
    customer: Annotated[FilterValue | None, PlainValidator(parse_filter)] = None
    total_gte: Annotated[Decimal | None, Field(alias="total[gte]")] = None
    total_lte: Annotated[Decimal | None, Field(alias="total[lte]")] = None
    interval: Interval = "30d"
    start: datetime | None = None
    end: datetime | None = None
    timezone: str = "UTC"
    order: Annotated[list[Literal["created", "-created", "total", "-total"]], Split] = ["-created"]
    page: Annotated[int, Field(ge=1)] = 1
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    cursor: str | None = None
    count: bool = False
    _window: tuple[datetime | None, datetime] = PrivateAttr()

    @pydantic.model_validator(mode="after")
    def resolve_window(self) -> Self:
        """Works out the window; times without an offset are local ones."""
        zone = UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)
        end = to_local(self.end, zone) if self.end else datetime.now(zone)
        start = to_local(self.start, zone) if self.start else start_of(self.interval, end)
        if start is not None and start > end:
            raise ValueError("the window starts after it ends")
        self._window = (start, end)
        return self

    def canonical(self) -> dict[str, str]:
        """Returns the values to compare."""
        start, end = self._window
        return {
            "status": ",".join(self.status),
            "customer": str(self.customer or ""),
            "total": f"{self.total_gte} {self.total_lte}",
            "window": f"{self.interval} {start and end - start}",
            "order": ",".join(self.order),
            "page": f"{self.page} {self.limit} {self.count}",
        }
