# SPDX-License-Identifier: MIT
"""The published Python client against the servers over the sample data, both as they are: what it
lists, and what it raises.

SLUICE_SERVER names the C++ server; without it only the Python one is tried.
"""

import asyncio
import json
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from client_server import COMMANDS, TOKEN, Parameters, serving
from dub import Dub
from dub.models import components, errors, operations
from dub.utils import BackoffStrategy, RetryConfig
from oracle import Oracle
from oracle.analytics import CLIENT_GROUPS, GROUP_NAMES, measured
from oracle.analytics import EVENTS as MEASURED
from oracle.lists import Lists

CODES = {
    errors.BadRequest: (400, "bad_request"),
    errors.Unauthorized: (401, "unauthorized"),
    errors.Forbidden: (403, "forbidden"),
    errors.NotFound: (404, "not_found"),
    errors.UnprocessableEntity: (422, "unprocessable_entity"),
    errors.RateLimitExceeded: (429, "rate_limit_exceeded"),
}
MODELS = {
    "clicks": operations.ClickEvent,
    "leads": operations.LeadEvent,
    "sales": operations.SaleEvent,
}


class Server(NamedTuple):
    """A server's place, a client that trusts its certificate, and the requests that it sent."""

    url: str
    trusted: ssl.SSLContext
    http: httpx.Client
    sent: list[httpx.Request]
    oracle: Oracle
    folder: Path

    def client(self, token: str = TOKEN, prefix: str = "") -> Dub:
        return Dub(token=token, server_url=self.url + prefix, client=self.http)

    def query(self) -> str:
        """The query string that was sent last."""
        return self.sent[-1].url.query.decode()


@pytest.fixture(scope="module", params=COMMANDS)
def server(
    request: pytest.FixtureRequest, sample_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    command = COMMANDS[request.param]
    if not command[0]:
        pytest.skip("SLUICE_SERVER names no server")
    with serving(command, sample_folder, tmp_path_factory.mktemp("client")) as served:
        trusted = ssl.create_default_context(cafile=served.certificate)
        sent: list[httpx.Request] = []
        with httpx.Client(verify=trusted, event_hooks={"request": [sent.append]}) as client:
            yield Server(served.url, trusted, client, sent, Oracle(sample_folder), sample_folder)


EVENTS: list[Parameters] = [
    {"interval": "all"},
    {"interval": "all", "page": 3, "limit": 17, "sort_order": "asc"},
    {"interval": "all", "country": "us,DE", "device": "-Desktop", "limit": 1000},
    {"interval": "all", "trigger": "qr", "region": "CA", "sort_by": "timestamp"},
    {"interval": "all", "utm_source": "newsletter,twitter", "root": False, "limit": 5},
    {"interval": "all", "city": "-Unknown", "continent": "EU", "page": 2, "qr": False},
    {"start": "2015-05-17", "end": "2026-12-31", "timezone": "Europe/Berlin", "limit": 3},
    {"interval": "all", "link_id": "link_nowhere"},
    {"interval": "all", "page": 1_000_000, "limit": 1000},
]
CONVERSIONS: list[Parameters] = [
    {"query": "metadata['plan']:'free' OR metadata['plan']:\"pro's choice\""},
    {"query": "NOT metadata['company']['size']>=500 AND metadata['plan']!=pro", "order": "asc"},
]


@pytest.mark.parametrize(
    "parameters",
    [
        *({"event": event} | values for event in MODELS for values in EVENTS),
        *({"event": "leads", "interval": "all"} | values for values in CONVERSIONS),
        *({"event": "sales", "interval": "all"} | values for values in CONVERSIONS),
        {"event": "sales", "interval": "all", "sale_type": "new", "limit": 9},
        {"event": "sales", "interval": "all", "sale_type": "recurring", "sort_order": "asc"},
    ],
    ids=str,
)
def test_events_are_its_models(server: Server, parameters: Parameters) -> None:
    with server.client() as client:
        rows = client.events.list(request=operations.ListEventsRequest.model_validate(parameters))
    expected = server.oracle.page(server.query(), datetime.now(UTC))
    assert [row.model_dump(mode="json", by_alias=True) for row in rows] == expected
    assert all(type(row) is MODELS[parameters["event"]] for row in rows)


def test_events_are_its_models_asynchronously(server: Server) -> None:
    async def listed() -> tuple[list[operations.ListEventsResponseBody], ...]:
        async with httpx.AsyncClient(verify=server.trusted) as http:
            client = Dub(token=TOKEN, server_url=server.url, async_client=http)
            async with client:
                kinds = ({"event": event, "interval": "all"} for event in MODELS)
                requests = map(operations.ListEventsRequest.model_validate, kinds)
                waiting = (client.events.list_async(request=request) for request in requests)
                return tuple(await asyncio.gather(*waiting))

    for event, rows in zip(MODELS, asyncio.run(listed()), strict=True):
        expected = server.oracle.page(f"event={event}&interval=all", datetime.now(UTC))
        assert [row.model_dump(mode="json", by_alias=True) for row in rows] == expected


def test_events_have_something_to_compare(server: Server) -> None:
    sizes = {}
    for event in MODELS:
        with server.client() as client:
            sizes[event] = len(client.events.list(request={"event": event, "interval": "all"}))
    assert sizes == dict.fromkeys(MODELS, 100)


# The union of the client takes rows of countries and regions for cities.
ROWS = {
    "timeseries": components.AnalyticsTimeseries,
    "continents": components.AnalyticsContinents,
    "countries": components.AnalyticsCities,
    "regions": components.AnalyticsCities,
    "cities": components.AnalyticsCities,
    "devices": components.AnalyticsDevices,
    "browsers": components.AnalyticsBrowsers,
    "os": components.AnalyticsOS,
    "trigger": components.AnalyticsTriggers,
    "triggers": components.AnalyticsTriggers,
    "referers": components.AnalyticsReferers,
    "referer_urls": components.AnalyticsRefererUrls,
    "top_links": components.AnalyticsTopLinks,
    "top_urls": components.AnalyticsTopUrls,
    "top_base_urls": components.AnalyticsTopUrls,
}


@pytest.mark.parametrize("group", CLIENT_GROUPS)
@pytest.mark.parametrize("event", MEASURED)
def test_measures_are_its_models(server: Server, event: str, group: str) -> None:
    for values in ({"interval": "all"}, {"interval": "1y", "country": "us,DE"}):
        request = {"event": event, "group_by": group} | values
        with server.client() as client:
            answer = client.analytics.retrieve(
                request=operations.RetrieveAnalyticsRequest.model_validate(request)
            )
        expected = json.loads(measured(server.oracle, server.query(), datetime.now(UTC)))
        if group == "count":
            assert isinstance(answer, components.AnalyticsCount)
            assert answer.model_dump(mode="json", by_alias=True) == expected
            continue
        assert isinstance(answer, list)
        assert [row.model_dump(mode="json", by_alias=True) for row in answer] == expected
        assert all(type(row) is ROWS[group] for row in answer)
        assert answer or "country" in values


@pytest.mark.parametrize("group", sorted({*GROUP_NAMES} - {*CLIENT_GROUPS}))
@pytest.mark.parametrize("event", MEASURED)
def test_measures_that_the_client_has_no_models_of(server: Server, event: str, group: str) -> None:
    query = f"event={event}&groupBy={group}&interval=all"
    headers = {"authorization": f"Bearer {TOKEN}"}
    answer = server.http.get(f"{server.url}/analytics?{query}", headers=headers)
    assert answer.status_code == 200
    assert answer.text == measured(server.oracle, query, datetime.now(UTC))


def test_an_order_is_ascending_where_either_of_its_names_says_so(server: Server) -> None:
    with server.client() as client:
        for name in ("sort_order", "order"):
            request = {"interval": "all", "limit": 50, name: "asc"}
            rows = client.events.list(request=request)
            assert {"order", "sortOrder"} <= set(server.sent[-1].url.params)
            times = [row.timestamp for row in rows]
            assert times == sorted(times)
            assert times[0] < times[-1]


def test_parameters_that_the_interface_lacks_are_left_alone(server: Server) -> None:
    with server.client() as client:
        rows = client.events.list(
            request={"event": "leads", "interval": "all", "event_name": "Nothing", "limit": 5}
        )
    assert "eventName" in server.sent[-1].url.params
    assert len(rows) == 5


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"sort_by": "createdAt", "sort_order": "desc"},
        {"search": "E", "page_size": 3},
        {"page": 2, "page_size": 4},
        {"page": 100},
        {"ids": "tag_nowhere"},
    ],
    ids=str,
)
def test_tags_are_its_models(server: Server, parameters: Parameters) -> None:
    with server.client() as client:
        tags = client.tags.list(request=operations.GetTagsRequest.model_validate(parameters))
    expected = server.oracle.tag_page(server.query(), str.casefold)
    assert [tag.model_dump(mode="json") for tag in tags] == expected
    assert all(type(tag) is components.LinkTagSchemaOutput for tag in tags)


def test_tags_are_found_by_one_identifier_or_by_several(server: Server) -> None:
    ids = sorted(tag["id"] for tag in server.oracle.tags)[::3]
    assert len(ids) > 3
    with server.client() as client:
        for values in (ids, ",".join(ids)):
            tags = client.tags.list(request={"ids": values})
            assert sorted(tag.id for tag in tags) == ids
        assert [tag.id for tag in client.tags.list(request={"ids": ids[0]})] == ids[:1]


# Lists of records.


def dumped(rows: list[Any], fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Rows of a client's models, with the fields that both sides have."""
    shown = [row.model_dump(mode="json", by_alias=True) for row in rows]
    return [{name: row[name] for name in fields} for row in shown]


def test_links_are_its_models_to_the_last_page(server: Server) -> None:
    with server.client() as client:
        page = client.links.list(request={"page_size": 100, "show_archived": True})
        rows, pages = [], 0
        while page is not None:
            rows += page.result
            pages += 1
            page = page.next()
    lists = Lists(server.folder, str.casefold)
    expected = lists.link_page("showArchived=true&pageSize=100000")
    assert len(expected) > 300
    assert pages == len(expected) // 100 + 1
    assert [row.id for row in rows] == [link["id"] for link in expected]
    assert all(type(row) is components.LinkSchema for row in rows)
    names = ("id", "domain", "key", "url", "tags", "folderId", "userId", "shortLink", "createdAt")
    assert dumped(rows, names) == [{name: link[name] for name in names} for link in expected]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"domain": "LNK.example", "page_size": 9},
        {"search": "LAUNCH"},
        {"tag_names": ["BLOG", "Straße"], "with_tags": True},
        {"user_id": "user_2", "folder_id": "fold_3"},
        {"tenant_id": "tenant_1", "show_archived": True, "page": 2, "page_size": 5},
    ],
    ids=str,
)
def test_links_are_those_of_a_request(server: Server, parameters: Parameters) -> None:
    lists = Lists(server.folder, str.casefold)
    with server.client() as client:
        page = client.links.list(request=operations.GetLinksRequest.model_validate(parameters))
        expected = lists.link_page(server.query())
        assert [row.id for row in page.result] == [link["id"] for link in expected]
        filters = {name: value for name, value in parameters.items() if "page" not in name}
        assert client.links.count(request=filters) == lists.links_count(server.query())


def test_links_of_a_cursor_and_one_link(server: Server) -> None:
    lists = Lists(server.folder, str.casefold)
    expected = lists.link_page("pageSize=50")
    with server.client() as client:
        page = client.links.list(request={"starting_after": expected[9]["id"], "page_size": 5})
        assert [row.id for row in page.result] == [link["id"] for link in expected[10:15]]
        link = client.links.get(request={"link_id": expected[3]["id"]})
        assert link.key == expected[3]["key"]
        same = client.links.get(request={"domain": link.domain, "key": link.key})
        assert same == link
        with pytest.raises(errors.NotFound):
            client.links.get(request={"link_id": "link_nowhere"})
        with pytest.raises(errors.ResponseValidationError):  # it takes no groups, only a number
            client.links.count(request={"group_by": "tagId"})


def test_domains_customers_and_folders_are_its_models(server: Server) -> None:
    lists = Lists(server.folder, str.casefold)
    parameters: dict[str, Any]
    with server.client() as client:
        for archived in (False, True):
            domains = client.domains.list(request={"archived": archived}).result
            expected = lists.domain_page(server.query())
            assert [row.slug for row in domains] == [row["slug"] for row in expected]
            assert len(domains) == 4 + archived
        for parameters in ({}, {"search": "E"}, {"page": 2, "page_size": 5}):
            folders = client.folders.list(request=parameters)
            folders = getattr(folders, "result", folders)
            expected = lists.folder_page(server.query())
            assert [row.id for row in folders] == [row["id"] for row in expected]
        customer = lists.customer_page("")[0]
        link_id = next(id_ for id_, of in lists.of_links.items() if customer["id"] in of)
        for parameters in (
            {},
            {"email": customer["email"] or "x"},
            {"external_id": customer["externalId"]},
            {"link_id": link_id, "page_size": 3},
            {"search": "USER-1", "country": "us", "sort_order": "asc"},
            {"starting_after": customer["id"], "page_size": 7},
        ):
            customers = client.customers.list(request=parameters)
            customers = getattr(customers, "result", customers)
            expected = lists.customer_page(server.query())
            assert expected or "search" in parameters
            assert [row.id for row in customers] == [row["id"] for row in expected], parameters


# Errors.


def check_error(error: errors.DubError, kind: type[errors.DubError]) -> None:
    status, code = CODES[kind]
    assert type(error) is kind
    assert error.status_code == status
    body = json.loads(error.body)["error"]
    assert body["code"] == code
    assert body["message"] == error.message
    assert body["doc_url"].endswith("/api-reference/errors#" + code.replace("_", "-"))


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (errors.BadRequest, {"country": "US,-CA"}),
        (errors.BadRequest, {"key": "abc"}),
        (errors.BadRequest, {"start": "soon"}),
        (errors.BadRequest, {"event": "leads", "query": "metadata['plan'"}),
        (errors.UnprocessableEntity, {"country": "USA"}),
        (errors.UnprocessableEntity, {"page": 0}),
        (errors.UnprocessableEntity, {"limit": 1001}),
        (errors.UnprocessableEntity, {"timezone": "Mars/Olympus"}),
        (errors.UnprocessableEntity, {"external_id": "no-prefix"}),
        (errors.UnprocessableEntity, {"start": "now", "end": "yesterday"}),
        (errors.UnprocessableEntity, {"event": "clicks", "query": "metadata['plan']:'pro'"}),
        (errors.UnprocessableEntity, {"event": "leads", "query": "metadata['seats']>many"}),
    ],
    ids=str,
)
def test_parameters_that_are_wrong(
    server: Server, kind: type[errors.DubError], parameters: Parameters
) -> None:
    request = operations.ListEventsRequest.model_validate(parameters)
    with server.client() as client, pytest.raises(errors.DubError) as caught:
        client.events.list(request=request)
    check_error(caught.value, kind)
    name = max(server.sent[-1].url.params, key=lambda key: caught.value.message.startswith(key))
    assert caught.value.message.startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (errors.UnprocessableEntity, {"page": 0}),
        (errors.UnprocessableEntity, {"page_size": 101}),
        (errors.UnprocessableEntity, {"ids": [f"tag_{n}" for n in range(1_001)]}),
    ],
    ids=["page", "pageSize", "ids"],
)
def test_parameters_of_tags_that_are_wrong(
    server: Server, kind: type[errors.DubError], parameters: Parameters
) -> None:
    request = operations.GetTagsRequest.model_validate(parameters)
    with server.client() as client, pytest.raises(errors.DubError) as caught:
        client.tags.list(request=request)
    check_error(caught.value, kind)


@pytest.mark.parametrize(
    ("kind", "token", "lists"),
    [
        (errors.Unauthorized, "tok_unknown", "events"),
        (errors.Unauthorized, "tok_unknown", "tags"),
        (errors.Unauthorized, "tok_expired", "events"),
        (errors.Forbidden, "tok_free", "events"),
        (errors.Forbidden, "tok_pro", "events"),
        (errors.Forbidden, "tok_tags", "events"),
        (errors.Forbidden, "tok_events", "tags"),
    ],
)
def test_keys_that_may_not(
    server: Server, kind: type[errors.DubError], token: str, lists: str
) -> None:
    with server.client(token) as client, pytest.raises(errors.DubError) as caught:
        getattr(client, lists).list(request={})
    check_error(caught.value, kind)
    assert (caught.value.headers.get("www-authenticate") == "Bearer") == (
        kind is errors.Unauthorized
    )


def test_credentials_of_another_scheme(server: Server) -> None:
    with server.client() as client, pytest.raises(errors.Unauthorized) as caught:
        client.tags.list(request={}, http_headers={"Authorization": f"Basic {TOKEN}"})
    check_error(caught.value, errors.Unauthorized)


def test_a_path_that_is_none(server: Server) -> None:
    with server.client(prefix="/v2") as client:
        for resource in (client.events, client.tags):
            with pytest.raises(errors.NotFound) as caught:
                resource.list(request={})
            check_error(caught.value, errors.NotFound)


def test_an_operation_that_is_none(server: Server) -> None:
    with server.client() as client, pytest.raises(errors.NotFound) as caught:
        client.payouts.list(request={})
    check_error(caught.value, errors.NotFound)


def test_too_many_requests(server: Server) -> None:
    def ask_often(client: Dub) -> None:
        for _ in range(50):
            client.events.list(request={"limit": 1})

    with server.client("tok_development") as client, pytest.raises(errors.DubError) as caught:
        ask_often(client)
    check_error(caught.value, errors.RateLimitExceeded)
    headers = caught.value.headers
    assert (headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]) == ("4", "0")
    assert int(headers["x-ratelimit-reset"]) >= int(time.time())
    assert int(headers["retry-after"]) >= 1


def test_a_client_that_waits_as_it_is_told_is_admitted(server: Server) -> None:
    backoff = BackoffStrategy(1, 1, 1, 20_000)
    retries = RetryConfig("backoff", backoff, retry_connection_errors=False)
    with server.client("tok_slow") as client:
        sent = len(server.sent)
        for _ in range(3):
            client.events.list(request={"limit": 1}, retries=retries)
        assert 3 < len(server.sent) - sent <= 6
