# SPDX-License-Identifier: MIT
"""Checks a wheel where nothing but itself and its dependencies is installed."""

import hashlib
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import sluice

COMMAND = Path(sys.executable).parent / "sluice"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def ask(target: str, token: str) -> sluice.Response:
    """An answer of the reference handler over an empty store."""
    key = {
        "sha256": hashlib.sha256(b"tok_1").hexdigest(),
        "workspaceId": "ws_default",
        "plan": "business",
        "permissions": ["analytics.read", "tags.read"],
    }
    handler = sluice.Handler(sluice.EventStore(), [key])
    return handler.handle("GET", target, {"authorization": f"Bearer {token}"}, now=NOW)


def refusal(query_string: str) -> sluice.ApiError:
    """Returns the reason why a query for events is refused."""
    try:
        sluice.EventsQuery.parse(query_string)
    except sluice.ApiError as error:
        return error
    raise AssertionError(f"{query_string} was accepted")


assert sluice.Filter.parse("-US,CA").mask(["FR", "CA", None]) == [True, False, True]
refused = refusal("country=US,-CA")
assert (refused.param, refused.rule, refused.offset) == ("country", "filter_dash", 3)
query = sluice.EventsQuery.parse("start=yesterday&timezone=Asia/Tokyo", now=NOW)
assert query.start == datetime(2026, 11, 20, 15, tzinfo=UTC), query.start
assert (ask("/tags", "tok_1").status, ask("/tags", "tok_2").status) == (200, 401)
assert ask("/events?interval=all", "tok_1").body == b"[]"

shown = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
assert shown.startswith("usage: sluice"), shown
printed = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
assert printed == f"sluice {sluice.__version__}\n", printed
print("sluice", sluice.__version__, "works in Python", sys.version.partition(" ")[0])
