# SPDX-License-Identifier: MIT
"""Measures sluice.asgi.App: small requests, alone and beside long searches.

    python bench/asgi.py [--events N] [--seconds S]

Each line is one way to answer: `here` is the application as it is, which answers small requests in
the event loop; `thread` is the same with each request handed to a thread.
"""

import argparse
import asyncio
import hashlib
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any, cast

import sluice
from sluice.asgi import App, Message, Scope

SMALL = {"tags": b"/tags?pageSize=5", "health": b"/healthz", "an error": b"/tags?page=0"}
LONG = b"/events?interval=all&event=leads&limit=1&query=" + b"%20OR%20".join(
    b"metadata['p%d']:x" % number for number in range(200)
)


def keys() -> list[dict[str, Any]]:
    """One for small requests, and one for each long one."""
    limits = {"perMinute": 100_000_000, "analyticsPerSecond": 100_000_000}
    return [
        {
            "sha256": hashlib.sha256(token.encode()).hexdigest(),
            "workspaceId": "ws_default",
            "plan": "enterprise",
            "permissions": ["analytics.read", "tags.read"],
            "limits": limits,
        }
        for token in ("small", "long-0", "long-1", "long-2", "long-3")
    ]


class OnThreads:
    """A handler to which no request is small."""

    def __init__(self, handler: sluice.Handler) -> None:
        """Takes the place of a handler."""
        self._handler = handler

    def is_small(self, *asked: object) -> bool:
        """It is not."""
        return False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """All else is the handler's."""
        return getattr(self._handler, name)


def scope_of(target: bytes, token: str) -> Scope:
    """A request as a server passes it on."""
    path, _, query = target.partition(b"?")
    return {
        "type": "http",
        "method": "GET",
        "scheme": "https",
        "path": path.decode(),
        "raw_path": path,
        "query_string": query,
        "headers": [(b"host", b"localhost"), (b"authorization", f"Bearer {token}".encode())],
    }


async def ask(app: App, target: bytes, token: str) -> int:
    """The status of an answer."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    await app(scope_of(target, token), receive, send)
    status: int = sent[0]["status"]
    return status


async def search_on(app: App, token: str) -> None:
    """Searches until it is cancelled."""
    while True:
        assert await ask(app, LONG, token) == 200


async def times_of(app: App, target: bytes, seconds: float, searches: int) -> list[float]:
    """The microseconds of small requests, one after another, while long searches go on."""
    tasks = [asyncio.create_task(search_on(app, f"long-{n}")) for n in range(searches)]
    await asyncio.sleep(0.05)
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        await ask(app, target, "small")
        times.append((time.perf_counter() - started) * 1e6)
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return times


def row(name: str, way: str, searches: int, times: Sequence[float]) -> str:
    """A line of the table."""
    cuts = quantiles(times, n=100)
    numbers = f"{len(times):9,} {cuts[49]:9.0f} {cuts[98]:9.0f} {max(times):9.0f}"
    return f"{name:10} {way:8} {searches:8} {numbers}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Measures sluice.asgi.App.")
    parser.add_argument("--events", type=int, default=300_000, help="(%(default)d)")
    parser.add_argument("--seconds", type=float, default=2, help="of each line (%(default)g)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        sluice.write_sample(Path(name), given.events, seed=1, now=datetime.now(UTC))
        store = sluice.EventStore.load(name)
    handler = sluice.Handler(store, keys(), deadline_ms=60_000)
    ways = {"here": App(handler), "thread": App(cast(sluice.Handler, OnThreads(handler)))}
    print("request    way      searches  requests    p50 us    p99 us    max us")
    for searches in (0, 2, 4):
        for what, target in SMALL.items():
            for way, app in ways.items():
                times = asyncio.run(times_of(app, target, given.seconds, searches))
                print(row(what, way, searches, times), flush=True)


if __name__ == "__main__":
    main()
