# SPDX-License-Identifier: MIT
"""List requests and errors in Litestar applications; for rate limits use sluice.asgi.RateLimit.

```
@get("/orders", dependencies={"orders": sluice.litestar.Query(Orders)},
     operation_class=sluice.litestar.documented(Orders))
async def list_orders(orders: NamedDependency[Orders]) -> list[Order]: ...

app = Litestar([list_orders], plugins=[sluice.litestar.Errors("problem")])
```
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sluice._envelopes import Envelope, Envelopes, StatusError
from sluice._errors import ApiError
from sluice._expressions.missing import explained
from sluice._list_requests import ListRequest, read_request
from sluice._list_requests import Query as _Query

with explained("litestar"):
    from litestar import Request, Response
    from litestar.config.app import AppConfig
    from litestar.di import Provide
    from litestar.exceptions import HTTPException
    from litestar.openapi.spec import Operation
    from litestar.openapi.spec.base import BaseSchemaObject
    from litestar.plugins import InitPlugin

__all__ = ["Errors", "Query", "documented"]

_Request: TypeAlias = Request[Any, Any, Any]


class Errors(InitPlugin):
    """Makes an application answer errors in one envelope."""

    def __init__(self, errors: Envelope = "sluice", docs_url: str = "") -> None:
        """Selects the envelope.

        Args:
            errors: 'sluice', 'detail' as in FastAPI, 'problem' for RFC 9457, the guideline 'odata',
                'aip' or 'scim', or a function of all errors that returns the body, or a status and
                the body.
            docs_url: The prefix of links to the errors' documentation.
        """
        self._envelopes = Envelopes(errors, docs_url)

    def on_app_init(self, app_config: AppConfig) -> AppConfig:
        """Adds the exception handlers."""
        app_config.exception_handlers.setdefault(ApiError, self._answer_error)
        app_config.exception_handlers.setdefault(HTTPException, self._answer_status)
        return app_config

    def _answer_status(self, _: _Request, error: HTTPException) -> Response[bytes]:
        response = self._answer_error(_, StatusError(error.status_code, error.detail))
        response.headers.update(error.headers or {})
        return response

    def _answer_error(self, _: _Request, error: ApiError) -> Response[bytes]:
        status, media_type, body = self._envelopes.answer(error)
        return Response(body, status_code=status, media_type=media_type)


def Query(  # noqa: N802
    query_class: type[_Query], *, strict: bool = True, now: Callable[[], datetime] | None = None
) -> Provide:
    """Creates the dependency of a handler that provides the request's query.

    Args:
        query_class: The query class of the endpoint.
        strict: False ignores unknown parameters; they are errors by default.
        now: Returns the time, an aware datetime, that relative times refer to; default: the clock.
    """

    def read(request: _Request) -> _Query:
        text: bytes = request.scope["query_string"]
        try:
            return read_request(query_class, text, now() if now else None, strict)
        except ApiError as error:
            handlers = request.route_handler.resolve_exception_handlers()
            if any(kind in handlers for kind in type(error).__mro__):
                raise
            raise HTTPException(error.message, status_code=error.status) from error

    return Provide(read, sync_to_thread=False)


def documented(
    query_class: type[ListRequest], errors: Envelope = "sluice", docs_url: str = ""
) -> type[Operation]:
    """Creates an operation_class that documents a query's parameters and errors.

    Args:
        query_class: The query class of the endpoint.
        errors: As for Errors.
        docs_url: As for Errors.
    """
    parameters = [_Written(parameter) for parameter in query_class.openapi_parameters()]
    answers = Envelopes(errors, docs_url).responses().items()
    responses = {str(status): _Written(answer) for status, answer in answers}

    @dataclass
    class Documented(Operation):
        def __post_init__(self) -> None:
            self.parameters = [*(self.parameters or ()), *parameters]  # type: ignore[list-item]
            self.responses = {**(self.responses or {}), **responses}  # type: ignore[dict-item]

    return Documented


@dataclass
class _Written(BaseSchemaObject):
    """A part of the OpenAPI document that is written as it is."""

    value: dict[str, Any]

    def to_schema(self) -> dict[str, Any]:
        return self.value
