# SPDX-License-Identifier: MIT
"""The events of a service, requested over HTTPS with a token that stays on this machine."""

import http.client
import json
import ssl
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sluice._errors import ApiError
from sluice._explore.events import EventsSource, also, rows_of
from sluice._explore.place import Place
from sluice._explore.source import RefusedError, Work
from sluice._sluice import __version__

_SECONDS = 10.0  # for a connection, and for each chunk of an answer
_ALL_SECONDS = 30.0  # for an answer
_MOST_BYTES = 16 << 20  # of an answer
_PART = 1 << 16  # bytes per read
_QUERY_CHARACTERS = "!$%&'()*+,/:;=?@[]"  # kept unencoded, besides letters and digits


class _Response(NamedTuple):
    """A response of the service."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class ServiceSource(EventsSource):
    """A service with GET /events; every query is a request that counts against its limits."""

    def __init__(self, place: Place, token: str | None, cafile: Path | None) -> None:
        """Stores the settings; sends no request.

        Raises:
            OSError: The CA file has no certificates.
        """
        super().__init__(None)
        self._place = place
        self._token = token
        self._context = ssl.create_default_context(cafile=cafile)

    def describe(self) -> dict[str, Any]:
        """Returns the description for the page, without the token."""
        request = {"url": self._place.url, "token": self._token is not None}
        name = f"events of {self._place.url}"
        return {"name": name, "plans": False, "request": request, **super().describe()}

    def page(self, query: str, work: Work) -> bytes:
        """Returns the service's answer."""
        return self._array(self._get(query, work))

    def count(self, query: str, work: Work) -> int:
        """Returns the count of the service."""
        headers = self._get(also(query, "limit=1&count=true"), work).headers
        total = headers.get("x-total-count", "")
        if not (total.isascii() and total.isdigit() and len(total) < 20):
            raise self._failure("answered without X-Total-Count")
        return int(total)

    def analytics(self, query: str, work: Work) -> bytes:
        """Returns the answer of the service's GET /analytics, beside its events."""
        path = f"{self._place.path.rpartition('/')[0]}/analytics"
        return self._array(self._get(query, work, path))

    def explain(self, query: str, work: Work) -> None:
        """Returns None: services have no query plans."""

    def _array(self, got: _Response) -> bytes:
        """Returns the body of a response, which has to be a JSON array."""
        try:
            rows_of(got.body)
        except (ValueError, RecursionError):
            raise self._failure("answered no JSON array") from None
        return got.body

    def _get(self, query: str, work: Work, path: str = "") -> _Response:
        """Requests a path, by default that of events.

        Raises:
            RefusedError: The service answered with an error.
            ApiError: It can't be reached, or its answer is malformed.
        """
        work.left_ms()  # raises if the client has disconnected
        target = f"{path or self._place.path}?{quote(query, safe=_QUERY_CHARACTERS)}"
        try:
            got = self._request(work.keep(self._connect), target)
        except ssl.SSLCertVerificationError as error:
            raise self._failure(f"has no trusted certificate: {error.verify_message}") from None
        except OSError as error:
            raise self._failure(f"cannot be reached: {error.strerror or error}") from None
        except UnicodeError:
            raise self._failure("cannot be reached: it has a name that no host has") from None
        except http.client.HTTPException:
            raise self._failure("answered no HTTP") from None
        if got.status != 200:
            raise self._refusal(got)
        return got

    def _connect(self) -> http.client.HTTPSConnection:
        host, port = self._place.host, self._place.port
        return http.client.HTTPSConnection(host, port, timeout=_SECONDS, context=self._context)

    def _request(self, connection: http.client.HTTPSConnection, target: str) -> _Response:
        headers = {"Accept": "application/json", "User-Agent": f"sluice/{__version__}"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        connection.request("GET", target, headers=headers)
        with connection.getresponse() as response:
            return _Response(response.status, response.headers, self._read(response))

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Returns the body of a response; limits its size and the time it takes."""
        body, end = bytearray(), time.monotonic() + _ALL_SECONDS
        while part := response.read1(_PART):
            body += part
            if len(body) > _MOST_BYTES:
                raise self._failure(f"answered more than {_MOST_BYTES} bytes")
            if time.monotonic() > end:
                raise self._failure(f"took more than {_ALL_SECONDS:g} seconds")
        if response.length:
            raise self._failure("broke off its answer")
        return bytes(body)

    def _refusal(self, got: _Response) -> Exception:
        """Returns the service's own error, without the token, or one of an unexpected answer."""
        body = got.body.replace(self._token.encode(), b"***") if self._token else got.body
        if got.status >= 400 and _is_envelope(body):
            later = got.headers.get("retry-after", "")
            is_plain = later.isascii() and later.isprintable()
            return RefusedError(got.status, body, later if is_plain else None)
        kind = " and leads elsewhere" if 300 <= got.status < 400 else ""
        return self._failure(f"answered {got.status}{kind}, expected 200")

    def _failure(self, what: str) -> ApiError:
        """Returns an error of the service."""
        message = f"{self._place.host}: the service {what}"
        return ApiError(message, code="internal_server_error", param="url")


def _is_envelope(body: bytes) -> bool:
    """Returns true for JSON such as {"error": {...}}."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and isinstance(document.get("error"), dict)
