# SPDX-License-Identifier: MIT
"""Records that lie where rules meet: at the edges of days and offsets, and with equal times.

Customers buy on several links, links show every field, and metadata holds numbers and texts that
are written in many ways.
"""

import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

Record = dict[str, Any]

MS = timedelta(milliseconds=1)
HOUR = timedelta(hours=1)
ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata"),
    *("Australia/Lord_Howe", "Pacific/Auckland", "Asia/Beirut", "Africa/Casablanca"),
    *("Asia/Kathmandu", "Pacific/Apia", "America/Havana", "America/St_Johns", "Europe/London"),
)
DAYS = (
    *(date(2015, 3, 29), date(2015, 4, 5), date(2015, 6, 30), date(2015, 7, 1)),
    *(date(2015, 10, 18), date(2015, 10, 25), date(2015, 11, 1), date(2015, 12, 31)),
    *(date(2016, 1, 1), date(2016, 1, 31), date(2016, 2, 21), date(2016, 2, 28)),
    *(date(2016, 2, 29), date(2016, 3, 1), date(2016, 3, 7), date(2016, 3, 13)),
)
NUMBERS = (
    *("0", "-0", "0.0", "-0.0e5", "10", "10.0", "1e1", "1.0E+1", "100e-1", "-10", "0.1", "1e-1"),
    *("12345678901234567890", "12345678901234567891", "0.30000000000000004", "1E400", "-1e-400"),
)
TEXTS = ("10", "10.0", "1e1", " 10", "+10", "010", "0x10", "", "-0", "ten", "true", "null", "é")
KEYS = ("a", "b", "it's", 'say "so"', "back\\slash", "", "0", "[x]", "ключ", "a b", "A")
KEY_PATHS = ("_root", "plain", "über uns", "a/b", "50%", "q?x#y", "it's:@!$&()*+,;=~", 'a"b<c>')
ADDRESSES = (
    "https://shop.example/?utm_source=google&utm_medium=&utm_campaign=a%20b+c%2Cd&utm_source=x",
    "https://shop.example/a,b?utm_term=%C3%A9#utm_content=no",
    "https://shop.example/a-b?UTM_SOURCE=google&utm_source%3Dgoogle",
    "https://shop.example/-/%5C\\?a?b",
    "https://shop.example/",
)


def days_and_offsets() -> Iterator[datetime]:
    """The midnights of some days and the changes of offsets, and the moments around them."""
    for name in ZONES:
        for day in DAYS:
            midnight = datetime.combine(day, time(), ZoneInfo(name)).astimezone(UTC)
            yield from (midnight - MS, midnight)
        for change in changes(ZoneInfo(name)):
            for minutes in (-75, -45, -30, -15, 0, 15, 30, 45, 75):
                yield change + timedelta(minutes=minutes)


def changes(zone: ZoneInfo) -> Iterator[datetime]:
    hour = datetime(2015, 1, 1, tzinfo=UTC)
    while hour.year < 2017:
        if hour.astimezone(zone).utcoffset() != (hour + HOUR).astimezone(zone).utcoffset():
            yield hour + HOUR
        hour += HOUR


def stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_edge_records(folder: Path) -> None:
    """Writes a folder of about 1,000 clicks, as many leads and as many sales."""
    folder.mkdir()
    source = random.Random(5)
    times = sorted(stamp(at) for at in days_and_offsets() if at < datetime(2016, 4, 1, tzinfo=UTC))
    links = [link(source, number) for number in range(2 * len(KEY_PATHS))]
    clicks = [click(source, number, at, links) for number, at in enumerate(times)]
    source.shuffle(clicks)
    files = {
        "tags": tags(),
        "folders": folders(),
        "links": links,
        "customers": [customer(number) for number in range(6)],
        "clicks": clicks,
    }
    for name, records in files.items():
        write_lines(folder / f"{name}.ndjson", map(json.dumps, records))
    for name in ("leads", "sales"):
        events = (conversion(source, name, times, clicks) for _ in range(1_000))
        write_lines(folder / f"{name}.ndjson", events)


def write_lines(file: Path, lines: Iterator[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def folders() -> list[Record]:
    names = {"x,y": 'a "b" \\ é', "-x": "-x", "unused": "u"}
    at = stamp(datetime(2015, 1, 1, tzinfo=UTC))
    return [
        {"id": id_, "name": name, "createdAt": at, "updatedAt": at} for id_, name in names.items()
    ]


def tags() -> list[Record]:
    names = ("red", "none", "étage", "none", "a,b", "-x")
    return [
        {
            "id": f"tag_{number}",
            "name": name,
            "createdAt": f"2015-01-0{number % 3 + 1}T00:00:00.000Z",
        }
        | ({"color": "red"} if number % 2 == 0 else {})
        for number, name in enumerate(names)
    ]


def link(source: random.Random, number: int) -> Record:
    """A link that gives some of the fields that have a default, a few of them as null."""
    key = KEY_PATHS[number % len(KEY_PATHS)]
    record: Record = {
        "id": f"link_{number:02}",
        "domain": ("Go.Example", "xn--bcher-kva.example")[number // len(KEY_PATHS)],
        "key": key,
        "url": source.choice(ADDRESSES),
        "createdAt": "2015-01-01T00:00:00.000Z",
        "updatedAt": "2015-01-02T00:00:00.000Z",
    }
    shown = [{"id": tag["id"], "name": tag["name"], "color": tag.get("color")} for tag in tags()]
    shown = [{name: value for name, value in tag.items() if value} for tag in shown]
    times = ("expiresAt", "disabledAt", "lastClicked")
    variants = [{"url": "https://a.example", "percentage": 90}]
    optional: Record = {
        **{name: source.choice((None, "", "2016-05-06T07:08:09.000Z")) for name in times},
        **{name: source.choice((None, name)) for name in ("title", "password", "video", "android")},
        **{name: source.random() < 0.5 for name in ("archived", "proxy", "doIndex", "rewrite")},
        **{name: source.randrange(10**9) for name in ("clicks", "leads", "sales", "saleAmount")},
        **{name: source.choice((None, "x,y", "-x", "é")) for name in ("tenantId", "folderId")},
        **{name: f"{name}_{number % 3}" for name in ("programId", "partnerId", "groupId")},
        **{name: source.choice((None, "google", "a b c,d", "")) for name in UTM},
        "externalId": f"ext_{number}",
        "tags": source.choice((None, [], source.sample(shown, 3))),
        "partnerTagIds": source.sample(("ptag_1", "ptag_2", "a,b"), source.randrange(3)),
        "webhookIds": source.choice(([], ["wh_1", "wh_2"])),
        "geo": source.choice((None, {"DE": "https://de.example", "AT": "https://at.example"})),
        "testVariants": source.choice((None, [*variants, {"url": "b", "percentage": 10}])),
        "userId": "user_1",
        "comments": 'a "quoted", \\ comment\n\u2028 🚀',
    }
    return record | {name: value for name, value in optional.items() if source.random() < 0.7}


UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")


def click(source: random.Random, number: int, at: str, links: list[Record]) -> Record:
    trigger = source.choice(("qr", "link", "pageview", None))
    record = {
        "id": f"click_{number * 7919 % 10_007:05}",
        "timestamp": at,
        "linkId": source.choice(links)["id"],
        "url": source.choice(ADDRESSES),
        "country": source.choice(("US", "DE", "CA", "Unknown")),
        "region": source.choice(("US-CA", "DE-BE", "CA-QC", "ES-CA", "Unknown")),
        "city": source.choice(("Unknown", "a,b", "-x", "back\\slash", "Zürich", "zürich")),
        "continent": source.choice(("NA", "EU", "Unknown")),
        "device": source.choice(("Desktop", "desktop", "ÜBER", "über", "Unknown")),
        "browser": source.choice(("Chrome", "Mobile, Safari", "Unknown")),
        "os": source.choice(("Mac OS", "macOS", "Unknown")),
        "trigger": trigger,
        "referer": source.choice(("(direct)", "a.example", "A.example")),
        "refererUrl": source.choice(("(direct)", "https://a.example/?q", "https://a.example/")),
        "qr": trigger == "qr",
        "ip": "192.0.2.0",
    }
    return {name: value for name, value in record.items() if value is not None or number % 2}


def customer(number: int) -> Record:
    record: Record = {"id": f"cus_{number}", "externalId": str(number), "createdAt": stamp(EARLY)}
    optional: list[Record] = [{}, {"name": "é", "email": None}, {"avatar": "a", "country": "DE"}]
    return record | optional[number % 3]


EARLY = datetime(2015, 1, 1, tzinfo=UTC)


def conversion(source: random.Random, name: str, times: list[str], clicks: list[Record]) -> str:
    """The line of a lead or a sale. Identifiers and times come again."""
    clicked = source.choice(clicks)
    record: Record = {
        "eventId": f"event_{source.randrange(40)}",
        "eventName": source.choice(("Sign up", 'the "best"', "")),
        "timestamp": source.choice(times[::7]),
        "customerId": f"cus_{source.randrange(6)}",
        "clickId": clicked["id"],
        "linkId": clicked["linkId"],
    }
    if name == "sales":
        record |= {
            "amount": source.choice((0, 1, 1899, 2**53 + 1)),
            "currency": source.choice(("eur", "jpy")),
            "paymentProcessor": "stripe",
            **source.choice(({}, {"invoiceId": None}, {"invoiceId": "inv_1"})),
        }
    text = json.dumps(record)
    if source.random() < 0.05:
        return text if name == "sales" else text[:-1] + ',"metadata":null}'
    return f'{text[:-1]},"metadata":{metadata(source, 0)}}}'


def metadata(source: random.Random, depth: int) -> str:
    """JSON, with its numbers as they were chosen."""
    kind = source.choices(("object", "array", "leaf"), (5, 1, 2 * depth))[0]
    if kind == "leaf":
        scalars = ("true", "false", "null", json.dumps(source.choice(TEXTS)))
        return source.choice((*scalars, source.choice(NUMBERS), source.choice(NUMBERS)))
    values = [metadata(source, depth + 1) for _ in range(source.randrange(1, 5))]
    if kind == "array":
        return f"[{','.join(values)}]"
    keys = source.sample(KEYS, len(values))
    return "{" + ",".join(f"{json.dumps(k)}:{v}" for k, v in zip(keys, values, strict=True)) + "}"
