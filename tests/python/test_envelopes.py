# SPDX-License-Identifier: MIT
"""Errors in the envelope of an application's choice."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator

from sluice import ApiError, EventsQuery, TagsQuery
from sluice._envelopes import Envelope, EnvelopeName, Envelopes, InvalidQueryError, StatusError
from sluice._sluice import guideline_error_answer

WRONG = InvalidQueryError(EventsQuery.errors("limit=0&country=US,-CA"))
TOO_MANY = ApiError("too many", code="rate_limit_exceeded", rule="rate_exceeded")
FIRST, SECOND = (error.message for error in WRONG.errors)
DOCS = "https://docs.example/api-reference/errors#"

ENVELOPES: list[tuple[Envelope, ApiError, str, dict[str, Any]]] = [
    ("sluice", WRONG, "application/json; charset=utf-8", json.loads(WRONG.to_json(DOCS[:20]))),
    (
        "sluice",
        TOO_MANY,
        "application/json; charset=utf-8",
        json.loads(TOO_MANY.to_json("https://docs.example")),
    ),
    (
        "detail",
        WRONG,
        "application/json",
        {
            "detail": [
                {"type": "filter_dash", "loc": ["query", "country"], "msg": FIRST},
                {"type": "number_too_small", "loc": ["query", "limit"], "msg": SECOND},
            ]
        },
    ),
    ("detail", TOO_MANY, "application/json", {"detail": "too many"}),
    (
        "detail",
        ApiError("odd"),
        "application/json",
        {"detail": [{"type": "unexpected_failure", "loc": ["query"], "msg": "odd"}]},
    ),
    ("detail", StatusError(422, {"a": 1}), "application/json", {"detail": '{"a": 1}'}),
    (
        "problem",
        StatusError(405, "no POST"),
        "application/problem+json",
        {
            "type": f"{DOCS}bad-request",
            "title": "Method Not Allowed",
            "status": 405,
            "detail": "no POST",
            "code": "bad_request",
        },
    ),
    (
        "problem",
        WRONG,
        "application/problem+json",
        {
            "type": f"{DOCS}bad-request",
            "title": "Bad Request",
            "status": 400,
            "detail": FIRST,
            "code": "bad_request",
            "errors": [
                {"param": "country", "detail": FIRST},
                {"param": "limit", "detail": SECOND},
            ],
        },
    ),
    (
        "problem",
        TOO_MANY,
        "application/problem+json",
        {
            "type": f"{DOCS}rate-limit-exceeded",
            "title": "Too Many Requests",
            "status": 429,
            "detail": "too many",
            "code": "rate_limit_exceeded",
        },
    ),
    (
        "odata",
        WRONG,
        "application/json",
        {
            "error": {
                "code": "filter_dash",
                "message": FIRST,
                "target": "country",
                "details": [
                    {"code": "filter_dash", "message": FIRST, "target": "country"},
                    {"code": "number_too_small", "message": SECOND, "target": "limit"},
                ],
            }
        },
    ),
    (
        "odata",
        TOO_MANY,
        "application/json",
        {"error": {"code": "rate_exceeded", "message": "too many"}},
    ),
    (
        "aip",
        WRONG,
        "application/json",
        {
            "error": {
                "code": 400,
                "message": FIRST,
                "status": "INVALID_ARGUMENT",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "FILTER_DASH",
                        "domain": "docs.example",
                        "metadata": {},
                    },
                    {
                        "@type": "type.googleapis.com/google.rpc.BadRequest",
                        "fieldViolations": [
                            {"field": "country", "description": FIRST, "reason": "FILTER_DASH"},
                            {"field": "limit", "description": SECOND, "reason": "NUMBER_TOO_SMALL"},
                        ],
                    },
                ],
            }
        },
    ),
    (
        "aip",
        TOO_MANY,
        "application/json",
        {
            "error": {
                "code": 429,
                "message": "too many",
                "status": "RESOURCE_EXHAUSTED",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                        "reason": "RATE_EXCEEDED",
                        "domain": "docs.example",
                        "metadata": {},
                    }
                ],
            }
        },
    ),
    (
        "scim",
        WRONG,
        "application/scim+json",
        {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "scimType": "invalidValue",
            "detail": f"{FIRST}\n{SECOND}",
            "status": "400",
        },
    ),
    (
        "scim",
        TOO_MANY,
        "application/scim+json",
        {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "detail": "too many",
            "status": "429",
        },
    ),
]


@pytest.mark.parametrize(("envelope", "error", "media_type", "body"), ENVELOPES)
def test_an_error_is_told(
    envelope: Envelope, error: ApiError, media_type: str, body: dict[str, Any]
) -> None:
    envelopes = Envelopes(envelope, "https://docs.example")
    status, kind, text = envelopes.answer(error)
    assert (status, kind, json.loads(text)) == (error.status, media_type, body)
    if status in envelopes.responses() and not isinstance(error, StatusError):
        [[documented, answer]] = envelopes.responses()[status]["content"].items()
        assert kind.partition(";")[0] == documented
        Draft202012Validator(answer["schema"]).validate(json.loads(text))


@pytest.mark.parametrize("name", ["a" * 65, "aé€" * 100])
@pytest.mark.parametrize("envelope", get_args(EnvelopeName))
def test_of_an_unknown_name_64_bytes_are_repeated(envelope: Envelope, name: str) -> None:
    error = InvalidQueryError(TagsQuery.errors(quote(name), strict=True))
    assert error.param == name.encode()[:64].decode(errors="ignore") + "..."
    assert name not in json.dumps(json.loads(Envelopes(envelope, "").answer(error).body))


@pytest.mark.parametrize("envelope", ["odata", "aip", "scim"])
def test_guidelines_have_no_422(envelope: Envelope) -> None:
    envelopes = Envelopes(envelope, "")
    error = ApiError(
        "too long", code="unprocessable_entity", rule="filter_too_long", param="filter"
    )
    status, _, text = envelopes.answer(error)
    assert status == 400
    assert 422 not in envelopes.responses()
    body = json.loads(text)
    assert envelope != "aip" or (body["error"]["code"], body["error"]["status"]) == (
        (400, "INVALID_ARGUMENT")
    )
    assert envelope != "scim" or (body["scimType"], body["status"]) == ("invalidFilter", "400")


@pytest.mark.parametrize(
    ("status", "code"),
    [(500, "INTERNAL"), (501, "UNIMPLEMENTED"), (503, "UNAVAILABLE"), (504, "DEADLINE_EXCEEDED")],
)
def test_a_failure_of_the_server_has_its_code_of_google(status: int, code: str) -> None:
    answer = Envelopes("aip", "").answer(StatusError(status, "later"))
    assert (answer.status, json.loads(answer.body)["error"]["status"]) == (status, code)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "bad_request"),
        (404, "not_found"),
        (405, "bad_request"),
        (410, "bad_request"),
        (422, "unprocessable_entity"),
        (429, "rate_limit_exceeded"),
        (500, "internal_server_error"),
        (503, "internal_server_error"),
    ],
)
def test_a_status_has_the_nearest_code(status: int, code: str) -> None:
    error = StatusError(status, "no")
    assert (error.status, error.code, error.message) == (status, code, "no")


def test_the_first_error_is_the_one_of_parse() -> None:
    with pytest.raises(ApiError) as refused:
        EventsQuery.parse("limit=0&country=US,-CA")
    for name in ("message", "code", "rule", "param", "offset", "length", "status"):
        assert getattr(WRONG, name) == getattr(refused.value, name)


def test_an_unknown_envelope_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of sluice, detail, problem"):
        Envelopes("html", "")  # type: ignore[arg-type]


def by_parameter(errors: Sequence[ApiError]) -> object:
    """Returns the messages by parameter, with the status of REST framework."""
    messages = {error.param or "detail": [error.message] for error in errors}
    return (400, messages) if errors[0].status == 422 else messages


def test_a_function_writes_the_body_and_may_choose_the_status() -> None:
    envelopes = Envelopes(by_parameter, "")
    status, media_type, body = envelopes.answer(WRONG)
    assert (status, media_type) == (WRONG.status, "application/json")
    assert json.loads(body) == {"country": [FIRST], "limit": [SECOND]}
    [limit] = EventsQuery.errors("limit=0")
    status, _, body = envelopes.answer(limit)
    assert (status, json.loads(body)) == (400, {"limit": [SECOND]})
    assert envelopes.responses() == {}


def test_another_envelope_is_refused() -> None:
    with pytest.raises(ValueError, match=r"errors: expected one of sluice, .*scim, or a function"):
        Envelopes("xml", "")  # type: ignore[arg-type]


def test_each_row_of_the_table_of_guidelines_errors_holds() -> None:
    table = Path(__file__).parents[1] / "data" / "guidelines" / "errors.ndjson"
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    for row in rows:
        errors = [tuple(error.values()) for error in row["errors"]]
        status, _, body = guideline_error_answer(row["form"], errors, "api.example.com")
        assert (status, body.decode()) == (row["status"], row["body"])
    assert len(rows) >= 40
    with pytest.raises(ValueError, match="form: expected odata, aip or scim, and an error"):
        guideline_error_answer("odata", [], "")
    with pytest.raises(ValueError, match="form: expected odata, aip or scim, and an error"):
        guideline_error_answer("rsql", errors, "")


def test_a_message_that_utf8_lacks_is_answered() -> None:
    answer = Envelopes("odata", "").answer(StatusError(404, "\ud800 and é"))
    assert json.loads(answer.body)["error"]["message"] == "? and é"
