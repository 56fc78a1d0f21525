# SPDX-License-Identifier: MIT
"""Requests for the measures of events: of each kind of events and each group."""

from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode

from oracle.analytics import EVENTS, GROUP_NAMES
from random_requests import RandomRequests, TimedRequest

ORDER = ("event", "sortBy", "sortOrder", "order")
SALES_ONLY = ("saleType",)
CONVERSIONS_ONLY = ("query", "saleType")
LEFT_OUT = {"sales": (), "leads": SALES_ONLY}


def every_measure() -> Iterator[tuple[str, str]]:
    """Each value of event with each of groupBy."""
    yield from ((event, group) for event in EVENTS for group in GROUP_NAMES)


def measuring(random: RandomRequests, event: str, group: str) -> TimedRequest:
    """A request for some measures under conditions drawn from the data."""
    query, now = random.request()
    dropped = {*ORDER, *LEFT_OUT.get(event, CONVERSIONS_ONLY)}
    pairs = [(name, value) for name, value in parse_qsl(query) if name not in dropped]
    return TimedRequest(urlencode([("event", event), ("groupBy", group), *pairs]), now)
