# SPDX-License-Identifier: MIT
"""Entries of a list of keys, for tests."""

import hashlib
from typing import Any

PERMISSIONS = [
    *("analytics.read", "tags.read", "links.read"),
    *("domains.read", "customers.read", "folders.read"),
]


def make_key(token: str, **fields: object) -> dict[str, Any]:
    """The entry of a token: all permissions, and no limit that a test would meet."""
    key = {
        "sha256": hashlib.sha256(token.encode()).hexdigest(),
        "workspaceId": "ws_default",
        "plan": "enterprise",
        "permissions": PERMISSIONS,
        "limits": {"per_minute": 10_000_000, "analytics_per_second": 10_000_000},
    }
    return {name: value for name, value in (key | fields).items() if value is not None}


def bearer(token: str) -> dict[str, str]:
    """The headers of a request with a token."""
    return {"authorization": f"Bearer {token}"}
