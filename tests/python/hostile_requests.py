# SPDX-License-Identifier: MIT
"""Sends hostile requests to the fleet's programs; prints those that aren't 200 or a clear 4xx.

    python hostile_requests.py PLACE

fills the database of PostgreSQL at a place, such as `host=/tmp user=sluice dbname=postgres`.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

sys.path.append(str(Path(__file__).parents[2] / "bench"))

NAMES = (
    *("q", "depot", "fuel", "brand", "seats", "seats[gte]", "price[gte]", "price[lte]", "start"),
    *("end", "interval", "timezone", "inspected[gte]", "inspected[lt]", "uninspected", "available"),
    *("equipment", "details", "order", "page", "limit", "cursor", "count"),
)
VALUES = (
    *("", "x", "\0", "a\0b", "a" * 5_000, "1" * 400, "1e400", "-1e-400", "NaN", "-inf", "0x10"),
    *("9223372036854775808", "-9223372036854775809", "2147483648", "1.5", "-1", "0", "true"),
    *("null", "[]", "'; DROP TABLE vehicles; --", "\\", "a\\", ",", "a,,b", "-", "-a,-b", "a,-b"),
    *("😀", "\ufffe", "\u202e", "\r\n", " ", f"{UUID(int=0)}", f"{{{UUID(int=0)}}}"),
    *("2026-02-30", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "2026-01-01T25:00Z"),
    *("9999-12-31T23:59:59.999999999Z", "999999999 years ago", "99999999999999999999d"),
    *("../../etc/passwd", "America/../etc", "metadata['a']:", "metadata['a\0']:b", "((" * 200),
    *("metadata['a']>1e400", f"metadata['a']>{'9' * 300}", "NOT " * 200, "petrol,petrol", "PETROL"),
    *("registered,-registered", "id", "equipment", "AAAA", "A" * 3_000, "____"),
)
# Bytes that are no UTF-8: half surrogates, cut characters; and percents that are none.
RAW = ("%FF", "%C3%28", "%ED%A0%80", "%ED%B0%80", "%F4%90%80%80", "%", "%zz", "%0", "a%")
WHOLE = (
    *("=", "&&&", "=x", "%00=1", "%FF=1", "limit=1&limit=1", "fuel=petrol&fuel=-diesel"),
    *(
        "a" * 50_000,
        "&".join(f"a{n}=1" for n in range(500)),
        "x=1&" * 1_500,
        f"fuel={'petrol,' * 5_000}",
    ),
    *("page=9223372036854775807&limit=100", "cursor=AA&page=2", "LIMIT=1", "limit[]=1"),
    *("start=9999-12-31T23:59:59Z&timezone=Pacific/Auckland", "limit[gte][lt]=1"),
    *("end=0001-01-01&timezone=Pacific/Auckland", "start=2026-01-02&end=2026-01-01"),
    f"brand={','.join(f'b{n}' for n in range(9_000))}",
)
ORDERS = ("registered", "-registered", "price", "-price", "seats", "inspected", "-inspected")
KEYS = (
    *("x", "", None, True, 5, 2**31, 2**63 - 1, -(2**63), 10**17, Decimal("1e30"), "NaN", "-inf"),
    *("1e400", "9" * 38, datetime(1, 1, 1, tzinfo=UTC), date(9999, 12, 31), "0000-01-01"),
    *("0000-02-29T00:00:00.5Z", "9999-12-31T23:59:59.9999Z", "2026-01-01T23:59:60.5Z", "infinity"),
)


def requests(query_class: type) -> Iterator[str]:
    """Yields query strings, cursors that no list has made among them."""
    yield from WHOLE
    for name in map(quote, NAMES):
        yield from (f"{name}={value}" for value in (*map(quote, VALUES), *RAW))
    places = []
    for order in ORDERS:
        for key in KEYS:
            for before in (False, True):
                query = query_class.parse(f"order={order}")  # type: ignore[attr-defined]
                try:
                    places.append(query.cursor_beside([key, UUID(int=1)], before=before))
                except (TypeError, ValueError):
                    continue
                yield f"order={order}&cursor={places[-1]}"
    yield from (f"order=seats&fuel=diesel&cursor={place}" for place in places)
    yield from (f"cursor={place[:at]}{place[at + 1 :]}" for place in places[:9] for at in (2, 30))


def main() -> int:
    """Prints the answers that are wrong."""
    services = importlib.import_module("services")
    os.environ["FLEET"] = services.url_of(sys.argv[1])
    services.fill(sys.argv[1], services.FEW)
    sent, wrong = 0, 0
    for program in services.PROGRAMS:
        if "sluice" not in program.built_with:
            continue
        for text in requests(importlib.import_module(program.module).Vehicles):
            answer = program.get(text)
            body = json.loads(answer.text)
            is_clear = answer.is_success or (answer.is_client_error and len(body["detail"]) > 20)
            sent += 1
            if not is_clear or (answer.is_error and len(answer.text) > 50_000):
                wrong += 1
                print(program.module, answer.status_code, text[:200], answer.text[:200])
    print(sent, "requests,", wrong, "wrong answers")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
