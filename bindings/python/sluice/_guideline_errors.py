# SPDX-License-Identifier: MIT
"""Errors in the forms of guidelines: OData, AIP-193 of Google, and SCIM."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from sluice._errors import ApiError

_STATUSES = {  # google.rpc.Code, by HTTP status
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_TYPES = "type.googleapis.com/google.rpc."
_SCIM_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"


def status_of(error: ApiError) -> int:
    """Returns the HTTP status of an error: no guideline has 422, and they answer 400 instead."""
    return 400 if error.status == 422 else error.status


def to_odata(errors: Sequence[ApiError]) -> dict[str, Any]:
    """Returns errors as OData's JSON format (4.01, 21.1): the first, and all of several in it."""
    first = _odata_error(errors[0])
    if len(errors) > 1:
        first["details"] = [_odata_error(error) for error in errors]
    return {"error": first}


def _odata_error(error: ApiError) -> dict[str, Any]:
    target = {} if error.param is None else {"target": error.param}
    return {"code": error.rule, "message": error.message, **target}


def to_aip(errors: Sequence[ApiError], docs_url: str) -> dict[str, Any]:
    """Returns errors as AIP-193 has them, with a violation for each parameter."""
    first = errors[0]
    status = status_of(first)
    domain = urlsplit(docs_url).hostname or "sluice"
    reason = {"reason": first.rule.upper(), "domain": domain, "metadata": {}}
    details: list[dict[str, Any]] = [{"@type": f"{_TYPES}ErrorInfo", **reason}]
    violations = [
        {"field": error.param, "description": error.message, "reason": error.rule.upper()}
        for error in errors
        if error.param is not None
    ]
    if violations:
        details.append({"@type": f"{_TYPES}BadRequest", "fieldViolations": violations})
    of_server = "INTERNAL" if status >= 500 else "INVALID_ARGUMENT"
    body = {"code": status, "message": first.message, "status": _STATUSES.get(status, of_server)}
    return {"error": {**body, "details": details}}


def to_scim(errors: Sequence[ApiError]) -> dict[str, Any]:
    """Returns the first error as RFC 7644 has it (3.12); its detail has the messages of all."""
    first, status = errors[0], status_of(errors[0])
    kind = "invalidFilter" if first.param == "filter" else "invalidValue"
    scim_type = {"scimType": kind} if status == 400 and first.param is not None else {}
    detail = "\n".join(error.message for error in errors)
    return {"schemas": [_SCIM_ERROR], **scim_type, "detail": detail, "status": str(status)}


def _object(required: dict[str, Any], **optional: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {**required, **optional}, "required": [*required]}


_TEXT = {"type": "string"}
_TEXTS = {"code": _TEXT, "message": _TEXT}
ODATA_SCHEMA = _object(
    {
        "error": _object(
            _TEXTS,
            target=_TEXT,
            details={"type": "array", "items": _object(_TEXTS, target=_TEXT)},
        )
    }
)
AIP_SCHEMA = _object(
    {
        "error": _object(
            {
                "code": {"type": "integer"},
                "message": _TEXT,
                "status": _TEXT,
                "details": {"type": "array", "items": _object({"@type": _TEXT})},
            }
        )
    }
)
SCIM_SCHEMA = _object(
    {
        "schemas": {"type": "array", "items": {"const": _SCIM_ERROR}},
        "detail": _TEXT,
        "status": _TEXT,
    },
    scimType=_TEXT,
)
