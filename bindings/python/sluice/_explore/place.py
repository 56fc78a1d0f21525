# SPDX-License-Identifier: MIT
"""URLs of services."""

from typing import NamedTuple
from urllib.parse import urlsplit


class Place(NamedTuple):
    """The location of a service's events: an https URL, and its parts."""

    url: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> "Place":
        """Parses a URL.

        Raises:
            ValueError: It is invalid; the message doesn't quote it, because it may contain a
                password.
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
