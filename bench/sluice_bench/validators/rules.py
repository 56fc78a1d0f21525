# SPDX-License-Identifier: MIT
"""What the other libraries have no types for: advanced filters and rules across parameters."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

TRIGGERS = frozenset({"qr", "link", "pageview"})
CONTINENTS = frozenset({"af", "an", "as", "eu", "na", "oc", "sa", "unknown"})
TEXT_FILTERS = (
    *("domain", "linkId", "tenantId", "tagId", "folderId", "partnerTagId", "groupId", "partnerId"),
    *("city", "region", "device", "browser", "os", "referer", "refererUrl", "url"),
    *("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "tagIds"),
)
FILTERS = (*TEXT_FILTERS, "country", "continent", "trigger")
MAX_VALUES = 1_000
MAX_BYTES = 10_000
MAX_QUERY = 10_000

_ITEM = re.compile(r"(?:[^,\\]|\\[,\\-])*")
_ESCAPE = re.compile(r"\\(.)")


class FilterValue(NamedTuple):
    """An advanced filter: any of some values, or none of them."""

    excludes: bool
    values: tuple[str, ...]

    def __str__(self) -> str:
        """The filter's text."""
        return ("-" if self.excludes else "") + ",".join(self.values)


def split_escaped(text: str) -> list[str]:
    """Items of a list in which a backslash escapes commas, dashes and itself."""
    items, at = [], 0
    while at <= len(text):
        match = _ITEM.match(text, at)
        assert match is not None
        items.append(match[0])
        at = match.end()
        if at < len(text) and text[at] != ",":
            raise ValueError("stray backslash")
        at += 1
    return items


def parse_filter(text: str) -> FilterValue:
    """Reads an advanced filter."""
    if len(text) > MAX_BYTES:
        raise ValueError("filter too long")
    excludes = text.startswith("-")
    body = text[1:] if excludes else text
    escaped = "\\" in body
    items = [item for item in (split_escaped(body) if escaped else body.split(",")) if item]
    if len(items) > MAX_VALUES:
        raise ValueError("too many values")
    if any(item[0] == "-" for item in items):
        raise ValueError("'-' before a single item")
    if escaped:
        items = [_ESCAPE.sub(r"\1", item) for item in items]
    return FilterValue(excludes, tuple(items))


def parse_trigger(text: str) -> FilterValue:
    """A filter of triggers."""
    parsed = parse_filter(text)
    if not TRIGGERS.issuperset(parsed.values):
        raise ValueError("expected qr, link or pageview")
    return parsed


def parse_continent(text: str) -> FilterValue:
    """A filter of continents, in any case."""
    parsed = parse_filter(text)
    if not CONTINENTS.issuperset(value.lower() for value in parsed.values):
        raise ValueError("expected a continent")
    return parsed


def parse_country(text: str) -> FilterValue:
    """A filter of countries by their form."""
    parsed = parse_filter(text)
    for value in parsed.values:
        is_code = len(value) == 2 and value.isascii() and value.isalpha()
        if not is_code and value.lower() != "unknown":
            raise ValueError("expected a country")
    return parsed


PARSERS: dict[str, Callable[[str], FilterValue]] = {
    **dict.fromkeys(TEXT_FILTERS, parse_filter),
    "country": parse_country,
    "continent": parse_continent,
    "trigger": parse_trigger,
}


def check_companions(given: Mapping[str, object], event: str) -> None:
    """The rules between parameters."""
    if given.get("key") is not None and given.get("domain") is None:
        raise ValueError("key needs domain")
    if given.get("saleType") is not None and event != "sales":
        raise ValueError("saleType needs event=sales")
    if given.get("query") is not None and event == "clicks":
        raise ValueError("query needs event=leads or event=sales")


# --- The same form of a parsed query, whoever parsed it -------------------------------------------

DEFAULTS = {
    **{"event": "clicks", "interval": "24h", "timezone": "UTC", "page": "1", "limit": "100"},
    **{"sortOrder": "desc", "sortBy": "timestamp", "order": "desc"},
}
UNCOMPARED = ("start", "end", "query")  # spelled differently; the others do not parse `query`


def canonical(values: Mapping[str, object]) -> dict[str, str]:
    """The parameters that are not as if absent, as text; deprecated `order` and `qr` are folded."""
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
    """A value as a query string spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
