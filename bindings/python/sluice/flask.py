# SPDX-License-Identifier: MIT
"""List requests and errors in Flask applications; for rate limits use sluice.wsgi.RateLimit.

```
app = Flask(__name__)
sluice.flask.install(app, errors="problem")
app.wsgi_app = sluice.wsgi.RateLimit(app.wsgi_app, sluice.RateLimiter(100, 60))

@app.get("/orders")
def list_orders() -> Response:
    query = sluice.flask.read(Orders)
```
"""

from datetime import datetime

from sluice._envelopes import Envelope, Envelopes, StatusError
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._list_requests import Query, read_request

with explained("flask"):
    from flask import Flask, Response, abort, current_app, request
    from werkzeug.exceptions import HTTPException

__all__ = ["install", "read"]


def install(app: Flask, errors: Envelope = "sluice", docs_url: str = "") -> None:
    """Makes an application answer errors in one envelope.

    Args:
        app: An application that has not served requests yet.
        errors: The envelope of errors: 'sluice', 'detail' as in FastAPI, 'problem' for RFC 9457,
            the guideline 'odata', 'aip' or 'scim', or a function of all errors that returns the
            body, or a status and the body.
        docs_url: The prefix of links to the errors' documentation.
    """
    envelopes = Envelopes(errors, docs_url)

    def answer_error(error: ApiError) -> Response:
        return _to_response(envelopes, error)

    def answer_status(error: HTTPException) -> Response:
        response = answer_error(StatusError(error.code or 500, error.description or error.name))
        kept = [pair for pair in error.get_headers() if pair[0].lower() != "content-type"]
        response.headers.extend(kept)
        return response

    app.register_error_handler(ApiError, answer_error)
    app.register_error_handler(HTTPException, answer_status)


def _to_response(envelopes: Envelopes, error: ApiError) -> Response:
    status, media_type, body = envelopes.answer(error)
    return Response(body, status, content_type=media_type)


def read(query_class: type[Query], *, strict: bool = True, now: datetime | None = None) -> Query:
    """Parses the query of the current request.

    Args:
        query_class: The query class of the endpoint.
        strict: False ignores unknown parameters; they are errors by default.
        now: The time, an aware datetime, that relative times refer to; the current time by default.

    Raises:
        ApiError: The request is invalid, in an application with install().
        HTTPException: The request is invalid, in any other application; has the answer.
    """
    try:
        return read_request(query_class, request.query_string, now, strict)
    except ApiError as error:
        handlers = current_app.error_handler_spec[None][None]
        if any(kind in handlers for kind in type(error).__mro__):
            raise
        abort(_to_response(Envelopes("sluice", ""), error))
