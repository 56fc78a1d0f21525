# SPDX-License-Identifier: MIT
"""The OpenAPI document that the handler serves: valid, and true of what it answers."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from api_keys import bearer, make_key
from conftest import NOW
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from oracle import Oracle
from oracle.analytics import GROUP_NAMES
from random_requests import RandomRequests

from sluice import EventStore, Handler
from sluice import __main__ as command
from sluice.api import Response, openapi_document


def fail_to_run(text: str, parameters: dict[str, Any]) -> bytes | None:
    """A store elsewhere that doesn't answer."""


VARIATIONS: dict[str, dict[str, Any]] = {
    "plain": {"base_url": "https://api.example"},
    "all": {
        "ratelimit_fields": True,
        "strict_parameters": True,
        "cors": ["https://app.example"],
        "run": fail_to_run,
    },
}
KEYS = [
    make_key("tok"),
    make_key("tok_pro", plan="pro", limits={"per_minute": 1, "analytics_per_second": 9}),
    make_key("tok_tags", permissions=["tags.read"]),
]


@pytest.fixture(scope="module", params=VARIATIONS)
def varied(request: pytest.FixtureRequest, store: EventStore) -> Handler:
    return Handler(store, KEYS, **VARIATIONS[request.param])


@pytest.fixture(scope="module")
def answering(store: EventStore) -> Handler:
    return Handler(store, KEYS, **VARIATIONS["plain"])


@pytest.fixture(scope="module")
def document(answering: Handler) -> dict[str, Any]:
    return answering.openapi()


def test_the_document_is_valid(varied: Handler) -> None:
    OpenAPIV31SpecValidator(varied.openapi()).validate()
    assert varied.openapi()["openapi"].startswith("3.1")


def test_the_document_is_served(varied: Handler) -> None:
    for headers in ({}, bearer("tok"), bearer("tok_unknown")):
        response = varied.handle("GET", "/openapi.json", headers, now=NOW)
        assert (response.status, json.loads(response.body)) == (200, varied.openapi())


def test_the_document_is_there_without_a_server(
    document: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert document["servers"] == [{"url": "https://api.example"}]
    assert json.loads(openapi_document("https://api.example")) == document
    assert json.loads(openapi_document()) == document | {"servers": [{"url": "/"}]}
    assert command.main(["openapi", "--url", "https://api.example"]) == 0
    assert json.loads(capsys.readouterr().out) == document


def resolve(document: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    for name in described.get("$ref", "#").split("/")[1:]:
        document = document[name]
    return document if "$ref" in described else described


def check_answer(document: dict[str, Any], target: str, response: Response) -> None:
    """Status, headers and body are as the document says, for GET."""
    operation = document["paths"][target.partition("?")[0]]["get"]
    described = resolve(document, operation["responses"][str(response.status)])
    documented = {name.lower() for name in described["headers"]}
    assert set(response.headers) - documented <= {"content-type", "content-length"}
    for name, header in described["headers"].items():
        if name.lower() in response.headers:
            value = response.headers[name.lower()]
            schema = resolve(document, header)["schema"]
            read = int(value) if schema["type"] == "integer" else value
            Draft202012Validator(schema).validate(read)
    if response.status == 304:
        assert "content" not in described
        return
    content_type = response.headers["content-type"].partition(";")[0]
    schema = described["content"][content_type]["schema"] | {"components": document["components"]}
    body = json.loads(response.body) if "json" in content_type else response.body.decode()
    Draft202012Validator(schema).validate(body)


MEASURES = [
    {"event": event, "groupBy": group, "interval": "all"}
    for event in ("sales", "composite")
    for group in GROUP_NAMES
]
ANSWERS = [
    # target, token, status
    ("/events?interval=all&limit=1000&count=true", "tok", 200),
    ("/events?event=leads&interval=all&limit=1000", "tok", 200),
    ("/events?event=sales&interval=all&limit=1000", "tok", 200),
    ("/events?interval=all&page=2&limit=5", "tok", 200),
    ("/events?country=US,-CA", "tok", 400),
    ("/events?key=k", "tok", 400),
    ("/events?page=1&page=2", "tok", 400),
    ("/events?start=soon", "tok", 400),
    ("/events?limit=0", "tok", 422),
    ("/events?start=2026-02-01&end=2026-01-01", "tok", 422),
    ("/events?saleType=new", "tok", 422),
    ("/events", "tok_unknown", 401),
    ("/events", "tok_pro", 403),
    ("/events", "tok_tags", 403),
    *((f"/analytics?{query}", "tok", 200) for query in map(urlencode, MEASURES)),
    ("/analytics?groupBy=planets", "tok", 422),
    ("/tags", "tok", 200),
    ("/tags?count=true&pageSize=2&page=2", "tok", 200),
    ("/tags?page=0", "tok", 422),
    ("/tags?page=x", "tok", 400),
    ("/tags", "tok_pro", 200),
    ("/tags", "tok_pro", 429),
    ("/openapi.json", "tok", 200),
    ("/api-reference/errors", "tok", 200),
    ("/healthz", "tok", 200),
    ("/readyz", "tok", 200),
]


@pytest.mark.parametrize(("target", "token", "status"), ANSWERS)
def test_answers_are_as_documented(
    answering: Handler, document: dict[str, Any], target: str, token: str, status: int
) -> None:
    response = answering.handle("GET", target, bearer(token), now=NOW)
    assert response.status == status
    check_answer(document, target, response)


def test_answers_to_requests_at_random_are_as_documented(
    answering: Handler, document: dict[str, Any], store: EventStore, data_folder: Path
) -> None:
    requests = RandomRequests(Oracle(data_folder), seed=11)
    rows = 0
    for _ in range(150):
        request = requests.request()
        target = f"/events?limit=20&{request.query}"
        response = answering.handle("GET", target, bearer("tok"), now=request.now)
        assert response.status == 200, target
        check_answer(document, target, response)
        rows += response.body != b"[]"
    assert rows > 50


def test_answers_of_all_options_are_as_documented(store: EventStore) -> None:
    handler = Handler(store, KEYS, **VARIATIONS["all"])
    document = handler.openapi()
    origin = {"origin": "https://app.example"}
    for target, status in (
        ("/events", 500),
        ("/tags", 500),
        ("/readyz", 500),
        ("/openapi.json", 200),
        ("/tags?pagesize=3", 400),
        ("/tags?page=0", 422),
    ):
        response = handler.handle("GET", target, bearer("tok") | origin, now=NOW)
        assert response.status == status, target
        check_answer(document, target, response)
        assert response.headers["access-control-allow-origin"] == "https://app.example"
        assert ("retry-after" in response.headers) == (status == 500)
        has_key = target not in ("/readyz", "/openapi.json")
        assert ("ratelimit-policy" in response.headers) == has_key


def test_pages_of_other_origins_may_read_the_headers(store: EventStore) -> None:
    handler = Handler(store, KEYS, **VARIATIONS["all"])
    origin = {"origin": "https://app.example"}
    exposed = handler.handle("GET", "/healthz", origin, now=NOW).headers[
        "access-control-expose-headers"
    ]
    documented = {name.lower() for name in handler.openapi()["components"]["headers"]}
    unread = {"cache-control", "vary", *(name for name in documented if name.startswith("access"))}
    assert set(exposed.split(", ")) == documented - unread


def test_plain_http_is_refused_as_documented(answering: Handler, document: dict[str, Any]) -> None:
    for path in document["paths"]:
        response = answering.handle("GET", path, bearer("tok"), now=NOW, scheme="http")
        assert response.status == 403
        check_answer(document, path, response)


def test_a_304_is_as_documented(answering: Handler, document: dict[str, Any]) -> None:
    response = answering.handle("GET", "/tags", bearer("tok") | {"if-none-match": "*"}, now=NOW)
    assert response.status == 304
    check_answer(document, "/tags", response)
    (header,) = document["paths"]["/tags"]["parameters"]
    assert (header["name"], header["in"]) == ("If-None-Match", "header")


def test_each_path_has_the_statuses_that_the_servers_answer(document: dict[str, Any]) -> None:
    of_all = {"200", "400", "403", "413", "414", "429", "431", "500"}
    for path, methods in document["paths"].items():
        has_key = "security" not in methods["get"]
        of_lists = {"304", "401", "422"} if has_key else set()
        of_pages = {"304"} if path == "/api-reference/errors" else set()
        of_one = {"404"} if path == "/links/info" else set()
        assert set(methods["get"]["responses"]) == of_all | of_lists | of_pages | of_one


def test_examples_of_errors_are_errors(document: dict[str, Any]) -> None:
    for response in document["components"]["responses"].values():
        media = response["content"]["application/json"]
        schema = media["schema"] | {"components": document["components"]}
        Draft202012Validator(schema).validate(media["example"])


def test_what_parameters_need_is_said_in_words(document: dict[str, Any]) -> None:
    parameters = document["paths"]["/events"]["get"]["parameters"]
    said = {parameter["name"]: parameter["description"] for parameter in parameters}
    for name, words in {
        "key": "needs domain",
        "saleType": "event=sales only",
        "query": "event=leads and event=sales only",
        "cursor": "not with a page",
        "interval": "start wins over it",
        "tagIds": "use tagId",
        "trigger": "qr, link or pageview",
        "country": "expected a 2-letter country code or Unknown",
    }.items():
        assert words in said[name], said[name]
    strict = "An unknown name is refused."
    assert strict not in document["paths"]["/events"]["get"]["description"]


def test_the_page_of_http_has_the_paths_of_the_document(document: dict[str, Any]) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/http-api.md").read_text()
    table = page.partition("## Paths")[2].partition("\n\nEach")[0]
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("| `/")]
    assert [path.strip("|` ") for path, *_ in rows] == list(document["paths"])
    for (_, needs, *_), path in zip(rows, document["paths"].values(), strict=True):
        permission = re.search(r"needs (\S+)", path["get"]["summary"])
        assert (permission is None) == (needs == "nothing")
        assert permission is None or f"`{permission[1]}`" in needs
        for plan in ("Pro plan", "Business plan"):
            assert (plan in path["get"]["summary"]) == (plan in needs)
