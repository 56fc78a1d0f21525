# SPDX-License-Identifier: MIT
"""Errors in the forms of guidelines: OData, AIP-193 of Google, and SCIM."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from sluice._errors import ApiError
from sluice._sluice import guideline_error_answer


def answer(form: str, errors: Sequence[ApiError], docs_url: str) -> tuple[int, str, bytes]:
    """Returns the status, media type and body of an answer with errors, at least one.

    No guideline has 422: the status is 400 instead. AIP-193 takes the host of `docs_url` as the
    name of the service.
    """
    reported = [(e.status, e.rule, _encodable(e.message), e.param or "") for e in errors]
    return guideline_error_answer(form, reported, urlsplit(docs_url).hostname or "sluice")


def _encodable(text: str) -> str:
    """Returns a framework's message without lone surrogates, which UTF-8 can't encode."""
    return text.encode(errors="replace").decode()


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
        "schemas": {
            "type": "array",
            "items": {"const": "urn:ietf:params:scim:api:messages:2.0:Error"},
        },
        "detail": _TEXT,
        "status": _TEXT,
    },
    scimType=_TEXT,
)
