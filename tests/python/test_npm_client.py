# SPDX-License-Identifier: MIT
"""The published TypeScript client against the servers over the sample data, both as they are.

Node runs it, with the packages of tests/clients (npm ci). SLUICE_SERVER names the C++ server;
without it only the Python one is tried.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from client_server import COMMANDS, TOKEN, Parameters, Served, serving
from oracle import Oracle
from oracle.analytics import CLIENT_GROUPS, measured
from oracle.analytics import EVENTS as MEASURED
from oracle.lists import Lists

CLIENTS = Path(__file__).parents[1] / "clients"

pytestmark = pytest.mark.servers


class Server(NamedTuple):
    """A server, and its data."""

    served: Served
    oracle: Oracle
    folder: Path

    def ask(self, requests: list[Parameters]) -> list[dict[str, Any]]:
        """Sends requests by the client, in one run of Node, and returns its results."""
        run = subprocess.run(
            ["node", "lists.mjs"],
            cwd=CLIENTS,
            env=os.environ
            | {
                "SERVER": self.served.url,
                "NODE_EXTRA_CA_CERTS": str(self.served.certificate),
            },
            input=json.dumps([{"token": TOKEN, "request": {}} | request for request in requests]),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        results: list[dict[str, Any]] = json.loads(run.stdout)
        return results


@pytest.fixture(scope="module", params=COMMANDS)
def server(
    request: pytest.FixtureRequest, sample_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    command = COMMANDS[request.param]
    if not command[0]:
        pytest.skip("SLUICE_SERVER names no server")
    with serving(command, sample_folder, tmp_path_factory.mktemp("client")) as served:
        yield Server(served, Oracle(sample_folder), sample_folder)


EVENTS: list[Parameters] = [
    {},
    {"page": 3, "limit": 17, "sortOrder": "asc"},
    {"country": "us,DE", "device": "-Desktop", "limit": 1000},
    {"trigger": "qr", "region": "CA", "sortBy": "timestamp"},
    {"utmSource": "newsletter,twitter", "root": False, "limit": 5},
    {"linkId": "link_nowhere"},
    {"page": 1_000_000, "limit": 1000},
]


def key_of(event: dict[str, Any]) -> tuple[str, ...]:
    """Returns an event's key, under the names of the wire and of the client alike."""
    return (event["event"], event["timestamp"], event["click"]["id"], event.get("eventId", ""))


def test_events_are_its_models(server: Server) -> None:
    requests = [
        {"list": "events", "request": {"event": event, "interval": "all"} | values}
        for event in ("clicks", "leads", "sales")
        for values in EVENTS
    ]
    sizes = []
    for request, result in zip(requests, server.ask(requests), strict=True):
        assert "error" not in result, (request, result)
        expected = server.oracle.page(result["query"], datetime.now(UTC))
        assert [*map(key_of, result["rows"])] == [*map(key_of, expected)], request
        sizes.append(len(result["rows"]))
    assert min(sizes) == 0
    assert sizes[0] == sizes[len(EVENTS)] == sizes[2 * len(EVENTS)] == 100


def test_tags_are_its_models(server: Server) -> None:
    ids = sorted(tag["id"] for tag in server.oracle.tags)[::3]
    requests: list[Parameters] = [
        {"list": "tags", "request": values}
        for values in (
            {},
            {"sortBy": "createdAt", "sortOrder": "desc"},
            {"search": "E", "pageSize": 3},
            {"page": 2, "pageSize": 4},
            {"page": 100},
            {"ids": ids},
            {"ids": ids[0]},
        )
    ]
    for request, result in zip(requests, server.ask(requests), strict=True):
        assert "error" not in result, (request, result)
        assert result["rows"] == server.oracle.tag_page(result["query"], str.casefold), request


def test_measures_are_its_models(server: Server) -> None:
    requests: list[Parameters] = [
        {"list": "analytics", "request": {"event": event, "groupBy": group} | values}
        for event in MEASURED
        for group in CLIENT_GROUPS
        for values in ({"interval": "all"}, {"interval": "1y", "country": "us,DE"})
    ]
    answers = set()
    for request, result in zip(requests, server.ask(requests), strict=True):
        assert "error" not in result, (request, result)
        expected = measured(server.oracle, result["query"], datetime.now(UTC))
        assert result["rows"] == json.loads(expected), request
        answers.add(expected)
    assert len(answers) > len(MEASURED) * len(CLIENT_GROUPS)


def test_lists_of_records_are_its_models(server: Server) -> None:
    lists = Lists(server.folder, str.casefold)
    links = lists.link_page("showArchived=true&pageSize=100000")
    pages: dict[str, Any] = {
        "links": links,
        "domains": lists.domain_page("archived=true"),
        "customers": lists.customer_page("pageSize=100000"),
        "folders": lists.folder_page(""),
    }
    requests: list[Parameters] = [
        {"list": "links", "request": {"showArchived": True}},
        {"list": "domains", "request": {"archived": True}},
        {"list": "customers", "request": {}},
        {"list": "folders", "request": {}},
    ]
    for request, result in zip(requests, server.ask(requests), strict=True):
        assert "error" not in result, (request, result)
        expected = [row["id"] for row in pages[request["list"]]]
        assert [row["id"] for row in result["rows"]] == expected, request


def test_links_are_counted_and_found(server: Server) -> None:
    lists = Lists(server.folder, str.casefold)
    link = lists.link_page("pageSize=1")[0]
    requests: list[Parameters] = [
        {"list": "links", "call": "count", "request": {"search": "launch"}},
        {"list": "links", "call": "get", "request": {"linkId": link["id"]}},
        {"list": "links", "call": "get", "request": {"linkId": "link_nowhere"}},
    ]
    count, one, none = server.ask(requests)
    assert count["rows"] == lists.links_count(count["query"])
    assert (one["rows"]["id"], one["rows"]["key"]) == (link["id"], link["key"])
    assert (none["error"]["name"], none["error"]["status"]) == ("NotFound", 404)


ERRORS: list[tuple[str, int, Parameters]] = [
    ("BadRequest", 400, {"list": "events", "request": {"country": "US,-CA"}}),
    ("BadRequest", 400, {"list": "events", "request": {"key": "abc"}}),
    ("Unauthorized", 401, {"list": "events", "token": "tok_unknown"}),
    ("Unauthorized", 401, {"list": "tags", "token": "tok_expired"}),
    ("Forbidden", 403, {"list": "events", "token": "tok_free"}),
    ("Forbidden", 403, {"list": "events", "token": "tok_pro"}),
    ("Forbidden", 403, {"list": "events", "token": "tok_tags"}),
    ("Forbidden", 403, {"list": "tags", "token": "tok_events"}),
    ("NotFound", 404, {"list": "tags", "path": "/v2"}),
    ("UnprocessableEntity", 422, {"list": "events", "request": {"timezone": "Mars/Olympus"}}),
    ("UnprocessableEntity", 422, {"list": "tags", "request": {"pageSize": 101}}),
]


def test_errors_are_its_errors(server: Server) -> None:
    for (name, status, request), result in zip(
        ERRORS, server.ask([request for _, _, request in ERRORS]), strict=True
    ):
        error = result["error"]
        assert (error["name"], error["status"]) == (name, status), (request, error)
        body = json.loads(error["body"])["error"]
        anchor = body["code"].replace("_", "-")
        assert body["doc_url"] == f"{server.served.url}/api-reference/errors#{anchor}"


def test_too_many_requests(server: Server) -> None:
    request = {"list": "events", "token": "tok_development", "request": {"limit": 1}}
    refused = [result["error"] for result in server.ask([request] * 50) if "error" in result]
    assert refused
    assert {(error["name"], error["status"]) for error in refused} == {("RateLimitExceeded", 429)}
