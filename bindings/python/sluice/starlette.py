# SPDX-License-Identifier: MIT
"""List requests, errors and limits in Starlette applications.

```
@sluice.starlette.reads(Orders)
async def list_orders(request: Request, query: Orders) -> Response: ...

app = Starlette(routes=[Route("/orders", list_orders)])
sluice.starlette.install(app, errors="problem")
```
For limits of a route, use `middleware=[Middleware(sluice.asgi.RateLimit, limiter=...)]`.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast

from sluice._asgi_limits import LimitHeaders
from sluice._envelopes import Envelope, Envelopes, StatusError
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._list_requests import ListRequest, Query, document, read_request
from sluice.asgi import split_path
from sluice.pages import Ends, page_headers

with explained("starlette"):
    from starlette import schemas
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response

__all__ = ["Page", "SchemaGenerator", "install", "read", "reads"]

_READ = "_sluice_query_class"  # attribute of an endpoint
_Answer = TypeVar("_Answer", bound=Response | Awaitable[Response])


def install(app: Starlette, errors: Envelope = "sluice", docs_url: str = "") -> None:
    """Makes an application answer errors in one envelope, with rate-limit headers on all answers.

    Args:
        app: An application that has not served requests yet.
        errors: The envelope of errors: 'sluice', 'detail' as in FastAPI, 'problem' for RFC 9457,
            the guideline 'odata', 'aip' or 'scim', or a function of all errors that returns the
            body, or a status and the body.
        docs_url: The prefix of links to the errors' documentation.
    """
    envelopes = Envelopes(errors, docs_url)

    async def answer_error(_: Request, error: Exception) -> Response:
        assert isinstance(error, ApiError)
        return to_response(envelopes, error)

    async def answer_status(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = to_response(envelopes, StatusError(error.status_code, error.detail))
        response.headers.update(error.headers or {})
        return response

    app.add_exception_handler(ApiError, answer_error)
    app.add_exception_handler(HTTPException, answer_status)
    app.add_middleware(LimitHeaders, errors=errors, docs_url=docs_url)


@contextmanager
def answering(request: Request) -> Iterator[None]:
    """Makes the application answer an ApiError: without install(), raises it as HTTPException."""
    try:
        yield
    except ApiError as error:
        app = request.scope.get("app")
        if app and set(type(error).__mro__).isdisjoint(app.exception_handlers.keys() - {Exception}):
            raise HTTPException(error.status, error.message) from error
        raise


def to_response(envelopes: Envelopes, error: ApiError) -> Response:
    """Returns the answer with an error."""
    status, media_type, body = envelopes.answer(error)
    return Response(body, status, media_type=media_type)


def read(
    query_class: type[Query],
    request: Request,
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
        ApiError: The request is invalid, in an application with install().
        HTTPException: The request is invalid, in any other application.
    """
    with answering(request):
        return read_request(query_class, request.scope["query_string"], now, strict)


def reads(
    query_class: type[Query], *, strict: bool = True, now: Callable[[], datetime] | None = None
) -> Callable[[Callable[[Request, Query], _Answer]], Callable[[Request], _Answer]]:
    """Decorates a function of a request and its query, async or not, as an endpoint.

    Args:
        query_class: The query class of the endpoint, which SchemaGenerator documents.
        strict: False ignores unknown parameters; they are errors by default.
        now: Returns the time, an aware datetime, that relative times refer to; default: the clock.
    """

    def decorate(function: Callable[[Request, Query], _Answer]) -> Callable[[Request], _Answer]:
        def query_of(request: Request) -> Query:
            return read(query_class, request, strict=strict, now=now() if now else None)

        @wraps(function)
        def answer(request: Request) -> _Answer:
            return function(request, query_of(request))

        @wraps(function)
        async def answer_later(request: Request) -> Any:  # noqa: ANN401 (what the function gives)
            return await cast(Any, function(request, query_of(request)))

        endpoint = answer_later if inspect.iscoroutinefunction(function) else answer
        setattr(endpoint, _READ, query_class)
        return cast(Callable[[Request], _Answer], endpoint)

    return decorate


class Page(JSONResponse):
    """An answer with a page of a list: an array, with Link headers to adjacent pages."""

    def __init__(
        self,
        rows: Sequence[object],
        query: ListRequest,
        request: Request,
        *,
        ends: Ends | None = None,
        has_more: bool | None = None,
        total: int | None = None,
    ) -> None:
        """Creates the answer to a request.

        Args:
            rows: The rows of the page, as JSON values.
            query: The query of the request.
            request: The request, with whose path the links begin.
            ends: As for sluice.pages.page_headers().
            has_more: As for sluice.pages.page_headers().
            total: As for sluice.pages.page_headers().
        """
        mount, path = split_path(request.scope)
        url, shown = mount + path.decode(errors="replace"), len(rows)
        headers = page_headers(query, url, shown, ends=ends, has_more=has_more, total=total)
        super().__init__(rows, headers=headers)


class SchemaGenerator(schemas.SchemaGenerator):
    """Starlette's generator, which also documents the parameters of endpoints with reads()."""

    def __init__(
        self, base_schema: dict[str, Any], errors: Envelope = "sluice", docs_url: str = ""
    ) -> None:
        """Creates a generator; the errors must be those of install()."""
        super().__init__(base_schema)
        self._envelopes = Envelopes(errors, docs_url)

    def parse_docstring(self, func_or_method: Callable[..., Any]) -> dict[str, Any]:
        """Returns the YAML of a docstring, with the parameters and errors of the query."""
        described = super().parse_docstring(func_or_method)
        query_class = getattr(func_or_method, _READ, None)
        return document(described, query_class, self._envelopes) if query_class else described
