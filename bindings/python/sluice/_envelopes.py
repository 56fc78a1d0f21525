# SPDX-License-Identifier: MIT
"""Error answers of framework applications, in a configurable envelope."""

import json
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from sluice import _guideline_errors as guidelines
from sluice._errors import ApiError
from sluice._sluice import http_status

EnvelopeName: TypeAlias = Literal["sluice", "detail", "problem", "odata", "aip", "scim"]
Envelope: TypeAlias = EnvelopeName | Callable[[Sequence[ApiError]], object]

_JSON = "application/json"
_MEDIA_TYPES = {
    "sluice": f"{_JSON}; charset=utf-8",
    "detail": _JSON,
    "problem": "application/problem+json",
    "odata": _JSON,
    "aip": _JSON,
    "scim": "application/scim+json",
}
_GUIDELINES = ("odata", "aip", "scim")
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
    odata    {"error": {"code": ..., "message": ..., "target": ..., ...}}       all
    aip      {"error": {"code": 400, "message": ..., "status": ..., ...}}       all, AIP-193
    scim     {"schemas": [...], "scimType": ..., "detail": ..., "status": ...}  RFC 7644
    ```
    Those of guidelines answer 400 in place of 422, which they lack. A function takes all errors of
    a request, at least one, and returns the body, a JSON value, or a tuple of another status and
    the body.
    """

    def __init__(self, envelope: Envelope, docs_url: str) -> None:
        """Selects an envelope; `docs_url` is the prefix of links to the errors' documentation."""
        names = get_args(EnvelopeName)
        if not callable(envelope) and envelope not in names:
            raise ValueError(f"errors: expected one of {', '.join(names)}, or a function")
        self._envelope = envelope
        self._docs_url = docs_url

    def answer(self, error: ApiError) -> Answer:
        """Returns the answer with an error."""
        if callable(self._envelope):
            written = self._envelope(_all_of(error))
            status, value = written if isinstance(written, tuple) else (error.status, written)
            return Answer(status, _JSON, json.dumps(value).encode())
        write = {"sluice": self._to_sluice, "detail": _to_detail, "problem": self._to_problem}
        media_type = _MEDIA_TYPES[self._envelope]
        if self._envelope in _GUIDELINES:
            return Answer(*guidelines.answer(self._envelope, _all_of(error), self._docs_url))
        return Answer(error.status, media_type, write[self._envelope](error).encode())

    def responses(self) -> dict[int, dict[str, Any]]:
        """Returns the OpenAPI responses for invalid and excess requests."""
        if callable(self._envelope):
            return {}
        media_type = _MEDIA_TYPES[self._envelope].partition(";")[0]
        return {
            status: {
                "description": status.phrase,
                "content": {media_type: {"schema": self._schema(status)}},
            }
            for status in (*_OF_PARAMETERS, HTTPStatus.TOO_MANY_REQUESTS)
            if not (status == 422 and self._envelope in _GUIDELINES)
        }

    def _schema(self, status: HTTPStatus) -> dict[str, Any]:
        assert not callable(self._envelope)
        if self._envelope == "detail":
            return _object(detail=_DETAILS if status in _OF_PARAMETERS else _TEXT)
        return _SCHEMAS[self._envelope]

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


def _all_of(error: ApiError) -> Sequence[ApiError]:
    """Returns the errors of a request, or the only one."""
    return error.errors if isinstance(error, InvalidQueryError) else (error,)


def _to_detail(error: ApiError) -> str:
    """The form of FastAPI without the input: a list for invalid parameters, otherwise a text."""
    if error.status not in _OF_PARAMETERS or isinstance(error, StatusError):
        return json.dumps({"detail": error.message})
    return json.dumps({"detail": [_to_detail_item(item) for item in _all_of(error)]})


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
_SCHEMAS = {
    "sluice": _SLUICE,
    "problem": _PROBLEM,
    "odata": guidelines.ODATA_SCHEMA,
    "aip": guidelines.AIP_SCHEMA,
    "scim": guidelines.SCIM_SCHEMA,
}
