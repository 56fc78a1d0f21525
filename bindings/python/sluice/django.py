# SPDX-License-Identifier: MIT
"""List requests and errors in Django, whose limits are sluice.wsgi.RateLimit or sluice.asgi's.

```
MIDDLEWARE = [..., "sluice.django.ErrorMiddleware"]  # in settings.py
SLUICE_ERRORS = "problem"

def list_orders(request: HttpRequest) -> HttpResponse:  # in views.py
    query = sluice.django.read(Orders, request)

application = sluice.wsgi.RateLimit(get_wsgi_application(), limiter)  # in wsgi.py
```
"""

from datetime import datetime

from sluice._envelopes import Envelope, Envelopes
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._list_requests import Query, read_request

with explained("django"):
    from django.conf import settings
    from django.core.handlers.wsgi import WSGIRequest
    from django.http import HttpRequest, HttpResponse
    from django.utils.deprecation import MiddlewareMixin

__all__ = ["ErrorMiddleware", "read"]


def read(
    query_class: type[Query],
    request: HttpRequest,
    *,
    strict: bool = False,
    now: datetime | None = None,
) -> Query:
    """Reads the query of a request.

    Args:
        query_class: The class of the endpoint's queries.
        request: The request.
        strict: True makes unknown parameters errors.
        now: An aware datetime that times count from; the present by default.

    Raises:
        ApiError: What is wrong with the request; ErrorMiddleware tells it.
    """
    text = request.META["QUERY_STRING"]
    is_of_wsgi = isinstance(request, WSGIRequest)  # whose texts are bytes, a character each
    return read_request(query_class, text.encode("latin-1" if is_of_wsgi else "utf-8"), now, strict)


class ErrorMiddleware(MiddlewareMixin):  # type: ignore[misc]
    """Tells the errors of views in one envelope.

    The settings may have SLUICE_ERRORS, which is 'sluice', 'detail' as FastAPI has them, or
    'problem' for RFC 9457, and SLUICE_DOCS_URL, what comes before the path of the errors'
    documentation.
    """

    def process_exception(self, _: HttpRequest, error: Exception) -> HttpResponse | None:
        """The answer that tells an error of a view; None where it is another's."""
        if not isinstance(error, ApiError):
            return None
        envelope: Envelope = getattr(settings, "SLUICE_ERRORS", "sluice")
        docs_url = getattr(settings, "SLUICE_DOCS_URL", "")
        status, media_type, body = Envelopes(envelope, docs_url).answer(error)
        return HttpResponse(body, media_type, status)
