# SPDX-License-Identifier: MIT
"""List requests and errors in Django; for rate limits use sluice.wsgi.RateLimit or sluice.asgi.

```
MIDDLEWARE = [..., "sluice.django.ErrorMiddleware"]  # in settings.py
SLUICE_ERRORS = "problem"

def list_orders(request: HttpRequest) -> HttpResponse:  # in views.py
    query = sluice.django.read(Orders, request)

application = sluice.wsgi.RateLimit(get_wsgi_application(), limiter)  # in wsgi.py
```
"""

from collections.abc import Collection
from datetime import datetime

from sluice._envelopes import Envelope, Envelopes
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._list_requests import Query, read_request

with explained("django"):
    from django.conf import settings
    from django.core.exceptions import BadRequest
    from django.core.handlers.wsgi import WSGIRequest
    from django.http import HttpRequest, HttpResponse
    from django.utils.deprecation import MiddlewareMixin

__all__ = ["ErrorMiddleware", "read"]

_MARK = "_sluice_errors"  # attribute of a request


def read(
    query_class: type[Query],
    request: HttpRequest,
    *,
    strict: bool = True,
    now: datetime | None = None,
) -> Query:
    """Parses the query of a request.

    Args:
        query_class: The query class of the endpoint.
        request: The request.
        strict: False ignores unknown parameters; they are errors by default.
        now: The time, an aware datetime, that relative times refer to; the current time by default.

    Raises:
        ApiError: The request is invalid; ErrorMiddleware answers it.
        BadRequest: The request is invalid, and the settings have no ErrorMiddleware.
    """
    try:
        return read_by(query_class, request, strict, now)
    except ApiError as error:
        if has_middleware(request):
            raise
        raise BadRequest(error.message) from error


def read_by(
    query_class: type[Query],
    request: HttpRequest,
    strict: bool,
    now: datetime | None,
    others: Collection[str] = (),
) -> Query:
    """Parses the query of a request, ignoring the parameters `others`.

    Raises:
        ApiError: The request is invalid.
    """
    text = request.META["QUERY_STRING"]
    is_of_wsgi = isinstance(request, WSGIRequest)  # its texts are bytes, one per character
    query_string = text.encode("latin-1" if is_of_wsgi else "utf-8")
    return read_request(query_class, query_string, now, strict, others)


def has_middleware(request: HttpRequest) -> bool:
    """Returns true if ErrorMiddleware answers the errors of a request."""
    return getattr(request, _MARK, False)


class ErrorMiddleware(MiddlewareMixin):  # type: ignore[misc]
    """Answers the errors of views in one envelope.

    The settings may have SLUICE_ERRORS, which is 'sluice', 'detail' as in FastAPI, or 'problem' for
    RFC 9457, and SLUICE_DOCS_URL, the prefix of links to the errors' documentation.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Marks a request whose errors this middleware answers."""
        setattr(request, _MARK, True)

    def process_exception(self, _: HttpRequest, error: Exception) -> HttpResponse | None:
        """Returns the answer to an error of a view; None for exceptions of other kinds."""
        if not isinstance(error, ApiError):
            return None
        envelope: Envelope = getattr(settings, "SLUICE_ERRORS", "sluice")
        docs_url = getattr(settings, "SLUICE_DOCS_URL", "")
        status, media_type, body = Envelopes(envelope, docs_url).answer(error)
        return HttpResponse(body, media_type, status)
