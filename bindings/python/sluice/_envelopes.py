# SPDX-License-Identifier: MIT
"""Error answers of framework applications, in a configurable envelope."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from sluice._errors import ApiError
from sluice._sluice import http_status

Envelope: TypeAlias = Literal["sluice", "detail", "problem"]

_JSON = "application/json"
_MEDIA_TYPES = {
    "sluice": f"{_JSON}; charset=utf-8",
    "detail": _JSON,
    "problem": "application/problem+json",
}
_CODES = {  # by HTTP status; other statuses have no code of their own
    http_status(code): code
    for code in (
        "unauthorized",
        "forbidden",
        "not_found",
        "conflict",
        "unprocessable_entity",
        "rate_limit_exceeded",
    )
}
_OF_PARAMETERS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)  # of invalid requests


class InvalidQueryError(ApiError):
    """A list request with errors: the first one, and all of them as `errors`."""

    def __init__(self, errors: Sequence[ApiError]) -> None:
        """Creates an error from one or more errors, in the order of the parameters."""
        first = errors[0]
        super().__init__(
            first.message,
            code=first.code,
            rule=first.rule,
            param=first.param,
            offset=first.offset,
            length=first.length,
        )
        self.errors = tuple(errors)


class StatusError(ApiError):
    """An error that a framework raises with a status, such as 404 for an unknown route."""

    def __init__(self, status: int, message: object) -> None:
        """Creates an error with the nearest code; the message may be any JSON value."""
        of_server = "internal_server_error" if status >= 500 else "bad_request"
        text = message if isinstance(message, str) else json.dumps(message)
        super().__init__(text, code=_CODES.get(status, of_server))
        self._status = status

    @property
    def status(self) -> int:
        """The original status, which may have no code."""
        return self._status


class Answer(NamedTuple):
    """An answer with an error."""

    status: int
    media_type: str
    body: bytes


class Envelopes:
    """Writes errors in an envelope.

    ```
    sluice   {"error": {"code": ..., "message": ..., "doc_url": ...}}           the first error
    detail   {"detail": [{"type": ..., "loc": ["query", ...], "msg": ...}]}     all, as FastAPI
    problem  {"type": ..., "title": ..., "status": ..., "detail": ..., ...}     RFC 9457
    ```
    """

    def __init__(self, envelope: Envelope, docs_url: str) -> None:
        """Selects an envelope; `docs_url` is the prefix of links to the errors' documentation."""
        if envelope not in get_args(Envelope):
            raise ValueError(f"errors: expected one of {', '.join(get_args(Envelope))}")
        self._envelope = envelope
        self._docs_url = docs_url

    def answer(self, error: ApiError) -> Answer:
        """Returns the answer with an error."""
        write = {"sluice": self._to_sluice, "detail": _to_detail, "problem": self._to_problem}
        body = write[self._envelope](error)
        return Answer(error.status, _MEDIA_TYPES[self._envelope], body.encode())

    def responses(self) -> dict[int, dict[str, Any]]:
        """Returns the OpenAPI responses for invalid and excess requests."""
        media_type = _MEDIA_TYPES[self._envelope].partition(";")[0]
        return {
            status: {
                "description": status.phrase,
                "content": {media_type: {"schema": self._schema(status)}},
            }
            for status in (*_OF_PARAMETERS, HTTPStatus.TOO_MANY_REQUESTS)
        }

    def _schema(self, status: HTTPStatus) -> dict[str, Any]:
        if self._envelope == "detail":
            return _object(detail=_DETAILS if status in _OF_PARAMETERS else _TEXT)
        return _PROBLEM if self._envelope == "problem" else _SLUICE

    def _to_sluice(self, error: ApiError) -> str:
        return error.to_json(self._docs_url)

    def _to_problem(self, error: ApiError) -> str:
        problem = {
            "type": json.loads(self._to_sluice(error))["error"]["doc_url"],
            "title": HTTPStatus(error.status).phrase,
            "status": error.status,
            "detail": error.message,
            "code": error.code,
        }
        if isinstance(error, InvalidQueryError):
            problem["errors"] = [{"param": e.param, "detail": e.message} for e in error.errors]
        return json.dumps(problem)


def _to_detail(error: ApiError) -> str:
    """The form of FastAPI without the input: a list for invalid parameters, otherwise a text."""
    if error.status not in _OF_PARAMETERS or isinstance(error, StatusError):
        return json.dumps({"detail": error.message})
    errors = error.errors if isinstance(error, InvalidQueryError) else (error,)
    return json.dumps({"detail": [_to_detail_item(item) for item in errors]})


def _to_detail_item(error: ApiError) -> dict[str, Any]:
    place = ["query"] if error.param is None else ["query", error.param]
    return {"type": error.rule, "loc": place, "msg": error.message}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of an object with required members."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
_SLUICE = _object(error=_object(code=_TEXT, message=_TEXT, doc_url=_TEXT))
_DETAILS = _array(_object(type=_TEXT, loc=_array(_TEXT), msg=_TEXT))
_PROBLEM = _object(
    type={"type": "string", "format": "uri-reference"},
    title=_TEXT,
    status={"type": "integer"},
    detail=_TEXT,
    code=_TEXT,
)
_PROBLEM["properties"]["errors"] = _array(
    _object(param={"type": ["string", "null"]}, detail=_TEXT),
)
