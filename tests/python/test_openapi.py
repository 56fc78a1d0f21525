# SPDX-License-Identifier: MIT
"""The OpenAPI document that the handler serves: valid, and true of what it answers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from api_keys import bearer, make_key
from conftest import NOW
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from sluice import EventStore, Handler
from sluice import __main__ as command
from sluice.api import openapi_document


@pytest.fixture(scope="module")
def answering(store: EventStore) -> Handler:
    pro = make_key("tok_pro", plan="pro", limits={"per_minute": 1, "analytics_per_second": 9})
    return Handler(store, [make_key("tok"), pro], base_url="https://api.example")


@pytest.fixture(scope="module")
def document(answering: Handler) -> dict[str, Any]:
    response = answering.handle("GET", "/openapi.json", {}, now=NOW)
    read: dict[str, Any] = json.loads(response.body)
    return read


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(document).validate()
    assert document["openapi"].startswith("3.1")
    assert document["servers"] == [{"url": "https://api.example"}]


def test_the_document_is_there_without_a_server(
    document: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert json.loads(openapi_document("https://api.example")) == document
    assert json.loads(openapi_document()) == document | {"servers": [{"url": "/"}]}
    assert command.main(["openapi", "--url", "https://api.example"]) == 0
    assert json.loads(capsys.readouterr().out) == document


def resolve(document: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    for name in described.get("$ref", "#").split("/")[1:]:
        document = document[name]
    return document if "$ref" in described else described


@pytest.mark.parametrize(
    ("target", "token", "status"),
    [
        ("/events?interval=all&limit=1000", "tok", 200),
        ("/events?event=leads&interval=all&limit=1000", "tok", 200),
        ("/events?event=sales&interval=all&limit=1000", "tok", 200),
        ("/events?country=US,-CA", "tok", 400),
        ("/events?limit=0", "tok", 422),
        ("/events", "tok_unknown", 401),
        ("/events", "tok_pro", 403),
        ("/tags", "tok", 200),
        ("/tags?page=0", "tok", 422),
        ("/tags", "tok_pro", 200),
        ("/tags", "tok_pro", 429),
        ("/openapi.json", "tok", 200),
        ("/api-reference/errors", "tok", 200),
        ("/healthz", "tok", 200),
    ],
)
def test_answers_are_as_documented(
    answering: Handler, document: dict[str, Any], target: str, token: str, status: int
) -> None:
    response = answering.handle("GET", target, bearer(token), now=NOW)
    assert response.status == status
    operation = document["paths"][target.partition("?")[0]]["get"]
    described = resolve(document, operation["responses"][str(status)])
    content_type = response.headers["content-type"].partition(";")[0]
    schema = described["content"][content_type]["schema"] | {"components": document["components"]}
    body = json.loads(response.body) if "json" in content_type else response.body.decode()
    Draft202012Validator(schema).validate(body)
    assert {name.lower() for name in described.get("headers", {})} <= set(response.headers)


def test_a_304_is_as_documented(answering: Handler, document: dict[str, Any]) -> None:
    response = answering.handle("GET", "/tags", bearer("tok") | {"if-none-match": "*"}, now=NOW)
    described = document["paths"]["/tags"]["get"]["responses"][str(response.status)]
    assert {name.lower() for name in described["headers"]} <= set(response.headers)
    assert "content" not in described


def test_the_servers_page_has_the_paths_of_the_document(document: dict[str, Any]) -> None:
    page = (Path(__file__).parents[2] / "docs/server.md").read_text()
    table = page.partition("## Paths")[2].partition("\n\nEach")[0]
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("| `/")]
    assert [path.strip("|` ") for path, *_ in rows] == list(document["paths"])
    for (_, needs, *_), path in zip(rows, document["paths"].values(), strict=True):
        permission = re.search(r"needs (\S+)", path["get"]["summary"])
        assert (permission is None) == (needs == "nothing")
        assert permission is None or f"`{permission[1]}`" in needs
        assert ("Business plan" in path["get"]["summary"]) == ("Business plan" in needs)
