# SPDX-License-Identifier: MIT
"""Valid requests for events at random, drawn from the data so that most of them match something."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, quote_plus
from zoneinfo import ZoneInfo

from edge_records import ZONES, changes
from oracle import FILTERS, Number, Oracle
from oracle.answers import FOLDED, Row
from oracle.expression import Json, number_in
from oracle.request import Request
from oracle.window import EPOCH, MS, to_ms, wall_of, window_of

Pairs = list[tuple[str, str]]

DAY_MS = 86_400_000
INTERVALS = ("24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all")
PERIODS = (
    *("today", "yesterday", "tomorrow", "now"),
    *(f"{which} {unit}" for which in ("last", "this") for unit in ("week", "month")),
    *(f"{which} {unit}" for which in ("last", "this") for unit in ("quarter", "year")),
)
AGES = {"minute": 3_000, "hour": 200, "day": 120, "week": 30, "month": 20, "year": 2}
CONTINENTS = ("AF", "AN", "AS", "EU", "NA", "OC", "SA", "Unknown")
UNKNOWN = {
    "country": ("ZZ", "Unknown"),
    "continent": CONTINENTS,
    "trigger": ("qr", "link", "pageview"),
    "url": ("https://nowhere.example/?a", "https://nowhere.example/"),
}
NOISE = (
    *(("eventName", "Sign up"), ("foo", ""), ("Country", "US"), ("", "")),
    *(("city", ""), ("customerId", ""), ("query", "  "), ("groupId", "-"), ("os", ",,")),
)


class TimedRequest(NamedTuple):
    """A request without a page, and its present."""

    query: str
    now: datetime


class RandomRequests:
    """A seeded source of requests over the records of an oracle."""

    def __init__(self, oracle: Oracle, seed: int) -> None:
        self.random = random.Random(seed)
        self.oracle = oracle
        self.latest = max(row["at"] for rows in oracle.rows.values() for row in rows)

    def chance(self, likelihood: float) -> bool:
        return self.random.random() < likelihood

    def weighted(self, **weights: int) -> str:
        return self.random.choices(list(weights), list(weights.values()))[0]

    def request(self) -> TimedRequest:
        event = self.weighted(clicks=40, leads=25, sales=35)
        target = self.random.choice(self.oracle.rows[event])
        now = self.present(target)
        pairs: Pairs = [] if event == "clicks" and self.chance(0.5) else [("event", event)]
        pairs += self.window(to_ms(now), target)
        pairs += self.filters(event, target)
        used_names = {name for name, _ in pairs}
        pairs += [pair for pair in self.singles(event, target) if pair[0] not in used_names]
        if event != "clicks" and self.chance(0.4):
            pairs.append(("query", RandomExpressions(self.random, self, event).text(target)))
        pairs += self.order()
        names = {name for name, _ in pairs}
        pairs += [pair for pair in NOISE if pair[0] not in names and self.chance(0.01)]
        return TimedRequest(self.encoded(pairs), now)

    def present(self, target: Row) -> datetime:
        """A present at or after the target."""
        which = self.weighted(exact=5, near=40, far=25, later=30)
        after = {
            "exact": 0,
            "near": self.random.randrange(2 * DAY_MS),
            "far": self.random.randrange(400 * DAY_MS),
            "later": self.latest - target["at"] + self.random.randrange(900 * DAY_MS),
        }[which]
        at: int = target["at"] + after
        return EPOCH + at * MS

    # Windows.

    def window(self, now: int, target: Row) -> Pairs:
        """A window that does not end before it starts, and mostly has the target in it."""
        wants_target = self.chance(0.9)
        for tries in range(100):
            pairs = self.any_window(now)
            start, end = window_of(Request(self.encoded(pairs)), now)
            has_target = (start is None or start <= target["at"]) and target["at"] <= end
            is_valid = start is None or start <= end
            if is_valid and (has_target or not wants_target or tries > 5):
                return pairs
        return [("interval", "all")]

    def any_window(self, now: int) -> Pairs:
        pairs: Pairs = []
        zone = ZoneInfo("UTC")
        if self.chance(0.5):
            name = self.random.choice(ZONES)
            pairs.append(("timezone", name if self.chance(0.8) else name.upper()))
            zone = ZoneInfo(name.replace("America/New_York", "America/New_York"))
        kind = self.weighted(all=25, preset=25, start=20, both=15, end=5, before=5, none=5)
        if kind == "all":
            pairs.append(("interval", "all"))
        if kind in ("preset", "before") or (kind == "start" and self.chance(0.2)):
            pairs.append(("interval", self.random.choice(INTERVALS)))
        if kind in ("start", "both"):
            pairs.append(("start", self.time(now, zone)))
        if kind in ("both", "end", "before"):
            pairs.append(("end", self.time(now, zone)))
        return pairs

    def time(self, now: int, zone: ZoneInfo) -> str:
        form = self.weighted(stamp=35, day=15, wall=15, epoch=10, period=15, age=10)
        if form == "period":
            return self.random.choice(PERIODS)
        if form == "age":
            unit = self.random.choice(tuple(AGES))
            count = self.random.randrange(1, AGES[unit])
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
        at = self.random.choice(self.oracle.rows["clicks"])["at"]
        if self.chance(0.5):
            at = now - int(self.random.expovariate(1 / (20 * DAY_MS)))
        if form == "epoch":
            return str(at if self.chance(0.5) else at // 1000)
        return self.stamp(at) if form == "stamp" else self.wall(at, zone, form)

    def stamp(self, at: int) -> str:
        offset = self.random.randrange(-14 * 60, 14 * 60 + 1)
        local = (EPOCH + (at + offset * 60_000) * MS).replace(tzinfo=None)
        digits = f"{at % 1000:03}" + str(self.random.randrange(10**6))
        digits = digits[: self.random.randrange(10)]
        text = local.isoformat(self.random.choice("TTt "), "seconds")
        text += f".{digits}" if digits else ""
        if self.chance(0.5):
            return (EPOCH + at * MS).strftime("%Y-%m-%dT%H:%M:%S") + self.random.choice("Zz")
        return f"{text}{'-' if offset < 0 else '+'}{abs(offset) // 60:02}:{abs(offset) % 60:02}"

    def wall(self, at: int, zone: ZoneInfo, form: str) -> str:
        local = wall_of(at, zone)
        if form == "day":
            return local.date().isoformat()
        edges = edges_of(zone.key)
        if self.chance(0.3) and edges:
            local = wall_of(self.random.choice(edges), zone)
        local += timedelta(minutes=self.random.choice((0, 0, 15, -30, -45, 60)))
        return local.isoformat("T", self.random.choice(("minutes", "seconds", "milliseconds")))

    # Filters.

    def filters(self, event: str, target: Row) -> Iterator[tuple[str, str]]:
        count = self.random.choices((0, 1, 2, 3, 5), (20, 40, 25, 10, 5))[0]
        for name in self.random.sample(FILTERS, count):
            has_value = bool(target[name] - {None})
            excludes = self.chance(0.25 if has_value else 0.9)
            values = self.values(event, target, name, excludes)
            twin = "tagIds" if name == "tagId" and self.chance(0.2) else name
            for part in self.parts(values):
                yield twin, ("-" if excludes else "") + self.listed(part)

    def values(self, event: str, target: Row, name: str, excludes: bool) -> list[str]:
        """Values that the target has, or has not where they are excluded."""
        count = self.random.choices((1, self.random.randrange(2, 5), 12), (60, 32, 8))[0]
        rows = self.random.choices(self.oracle.rows[event], k=count)
        if not excludes and self.chance(0.9):
            rows[0] = target
        values = {value for row in rows for value in self.some(row, name)}
        if excludes and self.chance(0.9):
            values -= target[name]
        if not values or self.chance(0.1):
            values.add(self.random.choice(UNKNOWN.get(name, ("nowhere", "-x", "a,b", "\\"))))
        return [self.respelled(name, value) for value in sorted(values)]

    def some(self, row: Row, name: str) -> list[str]:
        """One of the values that a row has, if any."""
        if name == "region":
            region = row["click"]["region"]
            return [self.random.choice((region, region.rpartition("-")[2]))]
        if name in ("url", "refererUrl"):
            url = row["click"][name]
            return [self.random.choice((url, url.partition("?")[0]))]
        texts = sorted(text for text in row[name] if text)
        return self.random.sample(texts, min(len(texts), 1))

    def respelled(self, name: str, value: str) -> str:
        if name not in FOLDED or self.chance(0.4):
            return value
        return "".join(c.upper() if c.isascii() and self.chance(0.5) else c for c in value)

    def parts(self, values: list[str]) -> list[list[str]]:
        """A list given once or, more rarely, in two parts."""
        self.random.shuffle(values)
        if len(values) < 2 or self.chance(0.8):
            return [values]
        cut = self.random.randrange(1, len(values))
        return [values[:cut], values[cut:]]

    def listed(self, values: list[str]) -> str:
        items = [self.escaped(value) for value in values]
        if self.chance(0.1):
            items.insert(self.random.randrange(len(items) + 1), "")
        return ",".join(items)

    def escaped(self, value: str) -> str:
        value = value.replace("\\", "\\\\").replace(",", "\\,")
        if self.chance(0.1):
            return value.replace("-", "\\-")
        return "\\" + value if value.startswith("-") else value

    # The rest.

    def singles(self, event: str, target: Row) -> Iterator[tuple[str, str]]:
        link = target["link"]
        if self.chance(0.03):
            is_root = (link["key"] == "_root") != self.chance(0.2)
            yield "root", self.random.choice(("true", "TRUE") if is_root else ("false", "False"))
        if self.chance(0.04):
            yield "qr", self.random.choice(("true", "false", "True"))
        if self.chance(0.03):
            yield "domain", self.respelled("domain", link["domain"])
            yield "key", link["key"]
        if self.chance(0.03):
            yield "tagIds", self.listed(["tag_nowhere", *target["tagId"]])
        if self.chance(0.1 if link.get("externalId") else 0.003):
            external_id = link.get("externalId") or self.random.choice(("nowhere", ""))
            yield "externalId", f"ext_{external_id}"
        if self.chance(0.1 if link.get("programId") else 0.003):
            yield "programId", link.get("programId") or "nowhere"
        if self.chance(0.05):
            yield "customerId", self.customer(target)
        if event == "sales" and self.chance(0.3):
            types = ("new", "recurring")
            yield "saleType", target["saleType"] if self.chance(0.7) else self.random.choice(types)

    def customer(self, target: Row) -> str:
        """The target's customer; of a click one that came by it or, more rarely, by another."""
        if "customerId" in target["stored"]:
            return str(target["stored"]["customerId"])
        conversions = (*self.oracle.rows["leads"], *self.oracle.rows["sales"])
        same = [row for row in conversions if row["click"] is target["click"]]
        return str(self.random.choice(same or conversions)["stored"]["customerId"])

    def order(self) -> Iterator[tuple[str, str]]:
        if self.chance(0.4):
            yield "sortOrder", self.random.choice(("asc", "desc"))
        if self.chance(0.3):
            yield "order", self.random.choice(("asc", "desc"))
        if self.chance(0.1):
            yield "sortBy", "timestamp"

    def page(self, total: int) -> str:
        """A page of so many rows, mostly one that has some."""
        limit = self.random.choice((1, 2, 3, 5, 8, 20))
        if self.chance(0.02):
            limit = self.random.choice((100, 999, 1000))
        last = max(1, -(-total // limit))
        page = self.random.choice((1, 2, last, self.random.randrange(1, last + 1)))
        pairs = [("limit", self.number(limit)), ("page", self.number(page))]
        return "&" + self.encoded(pairs[: 1 if page == 1 and self.chance(0.5) else 2])

    def number(self, value: int) -> str:
        spellings = (str(value), str(value), f"{value}.0", f"{value}e0", f"{value * 10}E-1")
        return self.random.choice(spellings)

    def encoded(self, pairs: Pairs) -> str:
        pairs = self.random.sample(pairs, len(pairs))
        encode = self.random.choice((quote, quote_plus, percent_encoded, sparingly))
        return "&".join(f"{encode(name)}={encode(value)}" for name, value in pairs)


@cache
def edges_of(zone: str) -> tuple[int, ...]:
    return tuple(to_ms(at) for at in changes(ZoneInfo(zone)))


def percent_encoded(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


def sparingly(text: str) -> str:
    return quote(text, safe="/:?@!$'()*,;=[]\"<>\\{}^`|")


class RandomExpressions:
    """Metadata expressions from the paths and values of events."""

    def __init__(self, source: random.Random, requests: RandomRequests, event: str) -> None:
        self.random = source
        self.requests = requests
        self.event = event

    def text(self, target: Row, depth: int = 0) -> str:
        kind = self.requests.weighted(condition=60 + 30 * depth, both=20, either=20, negated=10)
        if kind == "condition":
            return self.condition(target)
        if kind == "negated":
            return f"{self.word('not')}({self.text(target, depth + 1)})"
        left, right = self.text(target, depth + 1), self.text(target, depth + 1)
        word = self.word("and" if kind == "both" else "or")
        text = f"{left}{self.space(1)}{word}{self.space(1)}{right}"
        return f"({self.space(0)}{text}{self.space(0)})" if self.requests.chance(0.5) else text

    def condition(self, target: Row) -> str:
        path, value = self.leaf(target)
        op = self.random.choice((":", ":", "=", "=", "!="))
        if isinstance(value, Number) or self.requests.chance(0.1):
            op = self.random.choice((":", "=", "!=", ">", ">=", ">=", "<", "<=", "<="))
        right = self.number(value) if op[0] in "<>" else self.written(self.right(value))
        tokens = ["metadata"]
        for key in path:
            tokens += ["[", self.quoted(key), "]"]
        gap = self.space(0) if self.requests.chance(0.1) else ""
        negation = self.word("not") + self.space(1) if self.requests.chance(0.1) else ""
        return f"{negation}{gap.join(tokens)}{self.space(0)}{op}{self.space(0)}{right}"

    def leaf(self, target: Row) -> tuple[tuple[str, ...], Json]:
        """A path into some metadata, or next to one, and what is there."""
        row = target
        if self.requests.chance(0.25):
            row = self.random.choice(self.requests.oracle.rows[self.event])
        places = list(leaves(row["metadata"], ()))
        path, value = self.random.choice(places) if places else (("plan",), "pro")
        if self.requests.chance(0.06):
            path = (*path[:-1], self.random.choice(("nothing", "0", 'it\'s "so"\\', "Plan")))
        if self.requests.chance(0.04):
            path = (*path, self.random.choice(("x", "0", "1")))
        return path, value

    def right(self, value: Json) -> str:
        if isinstance(value, Number):
            number = float(value.text)
            same = (f"{number}", f"{number * 10}e-1", f"{number:.3e}", f" {value.text}")
            return value.text if self.requests.chance(0.6) else self.random.choice(same)
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        return value if isinstance(value, str) else str(len(value))

    def number(self, value: Json) -> str:
        """A number near a value, or the value itself."""
        text = value.text if isinstance(value, Number) else value
        if isinstance(text, str) and number_in(text) is not None and self.requests.chance(0.4):
            return self.written(text)
        near = float(text) if isinstance(text, str) and number_in(text) is not None else 0.0
        near = near if abs(near) < 1e300 else 0.0
        near += self.random.choice((0, 0, 1, -1, 0.5, self.random.randrange(-9, 9)))
        return self.written(self.random.choice((f"{near}", f"{near:.6e}", f"{round(near)}")))

    def written(self, text: str) -> str:
        is_bare = text and not set(text) & set(" \t\r\n'\"()[]") and text[0] not in ":=!<>"
        return text if is_bare and self.requests.chance(0.5) else self.quoted(text)

    def quoted(self, text: str) -> str:
        mark = self.random.choice("'\"")
        return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark

    def word(self, text: str) -> str:
        return self.random.choice((text, text.upper(), text.capitalize()))

    def space(self, least: int) -> str:
        return self.random.choice(("", "", " ", "  ", "\t", "\n")[2 * least :])


def leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """All values below some metadata, with their paths."""
    if path:
        yield path, value
    children: list[tuple[str, Json]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = [(str(index), child) for index, child in enumerate(value)]
    for key, child in children:
        yield from leaves(child, (*path, key))
