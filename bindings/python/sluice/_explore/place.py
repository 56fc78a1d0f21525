# SPDX-License-Identifier: MIT
"""Addresses of services."""

from typing import NamedTuple
from urllib.parse import urlsplit


class Place(NamedTuple):
    """Where a service has its events."""

    url: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> "Place":
        """Reads an address.

        Raises:
            ValueError: It is none; the message doesn't repeat it, as it may hold a password.
        """
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or 443
        except ValueError:
            host, port = None, 0
        is_plain = url.isascii() and url.isprintable() and " " not in url
        if not (host and is_plain and parts.scheme == "https"):
            raise ValueError("expected an address such as https://api.example/events")
        if "@" in parts.netloc or "?" in url or "#" in url:
            raise ValueError("expected an address without user, password, query and fragment")
        return cls(url, host, port, parts.path or "/")
