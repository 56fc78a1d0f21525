# SPDX-License-Identifier: MIT
"""The handler: the gates that a request passes, and the headers of its answers."""

import gc
import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from api_keys import bearer, make_key
from conftest import NOW

from sluice import ApiError, Cancellation, EventsQuery, EventStore, Handler, Response, TagsQuery

RATE_HEADERS = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"}

GATES = [
    # method, target, token, scheme, status, code
    ("GET", "/events", "all", "http", 403, "forbidden"),
    ("GET", "/nowhere", None, "http", 403, "forbidden"),
    ("GET", "/nowhere", None, "https", 404, "not_found"),
    ("GET", "/events/", "all", "https", 404, "not_found"),
    ("POST", "/events", "all", "https", 404, "not_found"),
    ("GET", "/events", None, "https", 401, "unauthorized"),
    ("GET", "/events", "unknown", "https", 401, "unauthorized"),
    ("GET", "/events", "expired", "https", 401, "unauthorized"),
    ("GET", "/events?page=0", "free", "https", 403, "forbidden"),
    ("GET", "/events?page=0", "pro", "https", 403, "forbidden"),
    ("GET", "/events?page=0", "tags only", "https", 403, "forbidden"),
    ("GET", "/tags?page=0", "events only", "https", 403, "forbidden"),
    ("GET", "/events?page=x", "all", "https", 400, "bad_request"),
    ("GET", "/events?page=0", "all", "https", 422, "unprocessable_entity"),
    ("GET", "/events", "all", "https", 200, None),
    ("GET", "/events", "expires later", "https", 200, None),
    ("GET", "/tags", "free", "https", 200, None),
    ("HEAD", "/tags", "all", "https", 200, None),
]

TOKENS = {
    "all": make_key("tok_all"),
    "free": make_key("tok_free", plan="free", limits=None),
    "pro": make_key("tok_pro", plan="pro", limits=None),
    "expired": make_key("tok_expired", expiresAt="2026-08-21T02:30:15.123Z"),
    "expires later": make_key("tok_expires_later", expiresAt="2026-08-21T02:30:15.124Z"),
    "tags only": make_key("tok_tags_only", permissions=["tags.read"]),
    "events only": make_key("tok_events_only", permissions=["analytics.read"]),
}

REFUSED_KEYS = [
    # keys, message
    ({}, "keys: malformed JSON, expected a JSON list of objects"),
    (["key"], "key 0: "),
    ([make_key("a"), make_key("b", sha256="b")], "key 1: sha256: .*64 hexadecimal digits"),
    (
        [make_key("a", plan="platinum")],
        "key 0: plan: not one of the accepted values, expected free",
    ),
    ([make_key("a", plan=None)], "key 0: plan: missing"),
    ([make_key("a", limits=None)], "key 0: limits: missing"),
    ([make_key("a", permissions="tags.read")], "key 0: permissions: has the wrong type"),
    ([make_key("a", expiresAt="tomorrow")], "key 0: expiresAt: "),
    ([make_key("a", permissions=["tag.read"])], "key 0: permissions: .*did you mean 'tags.read'"),
    (
        [make_key("a", expires_at="2030-01-01T00:00:00Z")],
        "key 0: expires_at: unknown field .*'expiresAt'",
    ),
    ([make_key("a", limits={"perMinutes": 5})], "key 0: perMinutes: unknown field .*'perMinute'"),
    (
        [make_key("a", limits={"perMinute": 5, "per_minute": 5})],
        "key 0: perMinute: given more than once",
    ),
]


def ask(handler: Handler, target: str = "/events", method: str = "GET", **headers: str) -> Response:
    sent = bearer("tok_everything") | {k.replace("_", "-"): v for k, v in headers.items()}
    return handler.handle(method, target, sent, now=NOW)


def code_of(response: Response) -> str:
    code: str = json.loads(response.body)["error"]["code"]
    return code


@pytest.mark.parametrize(("method", "target", "token", "scheme", "status", "code"), GATES)
def test_requests_pass_gates(
    store: EventStore,
    method: str,
    target: str,
    token: str | None,
    scheme: str,
    status: int,
    code: str | None,
) -> None:
    handler = Handler(store, list(TOKENS.values()))
    headers = bearer("tok_" + token.replace(" ", "_")) if token else {}
    response = handler.handle(method, target, headers, now=NOW, scheme=scheme)
    assert response.status == status
    if code:
        assert code_of(response) == code
    if status == 401:
        assert response.headers["www-authenticate"] == "Bearer"
    assert set(response.headers) >= {"content-length", "cache-control", "vary"}
    is_known = token in TOKENS and "expired" not in token and status not in (401, 404)
    assert (set(response.headers) >= RATE_HEADERS) is (is_known and scheme == "https")


def test_a_page_is_that_of_the_store(handler: Handler, store: EventStore) -> None:
    response = ask(handler, "/events?interval=all&limit=3")
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.body == store.page(EventsQuery.parse("interval=all&limit=3", now=NOW))
    assert len(json.loads(response.body)) == 3
    assert response.headers["content-length"] == str(len(response.body))


def test_head_is_get_without_its_body(handler: Handler) -> None:
    got, head = ask(handler, "/tags"), ask(handler, "/tags", "HEAD")
    assert head.body == b""
    assert head.headers["content-length"] == got.headers["content-length"]


def test_a_client_that_has_the_page_gets_304(handler: Handler) -> None:
    etag = ask(handler, "/tags").headers["etag"]
    response = ask(handler, "/tags", if_none_match=etag)
    assert (response.status, response.body) == (304, b"")
    assert response.headers["etag"] == etag
    assert ask(handler, "/tags", if_none_match='"other"').status == 200


def test_an_entity_tag_is_of_one_start_and_one_meaning(
    handler: Handler, store: EventStore, keys: list[dict[str, Any]]
) -> None:
    etag = ask(handler, "/events?country=US,FR").headers["etag"]
    assert ask(handler, "/events?country=fr,us&limit=100").headers["etag"] == etag
    assert ask(handler, "/events?country=fr").headers["etag"] != etag
    restarted = Handler(store, keys)
    assert ask(restarted, "/events?country=US,FR").headers["etag"] != etag


@pytest.mark.parametrize("target", ["/events?limit=2", "/tags?pageSize=2"])
def test_links_lead_through_a_list(handler: Handler, target: str) -> None:
    """Also where the end of their window is the present."""
    target += "&start=2000-01-01"
    everything = ask(handler, target.replace("=2&", "=100&"))
    events = []
    while target:
        response = ask(handler, target)
        events += json.loads(response.body)
        links = response.headers["link"].split(", ")
        assert links[0].endswith('; rel="first"')
        following = [link for link in links if link.endswith('; rel="next"')]
        target = following[0][1:].partition(">")[0] if following and len(events) < 100 else ""
    assert events == json.loads(everything.body)
    assert len(events) > 3


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "bearer tok_everything"},
        {"AUTHORIZATION": "BEARER tok_everything"},
        [(b"authorization", b"Bearer tok_everything")],
        (pair for pair in [("authorization", b"Bearer tok_everything")]),
    ],
)
def test_headers_are_a_mapping_or_pairs(handler: Handler, headers: dict[str, str]) -> None:
    assert handler.handle("GET", b"/tags", headers, now=NOW).status == 200


def test_keys_have_numbers(store: EventStore) -> None:
    handler = Handler(store, [make_key("a"), make_key("b", expiresAt="2020-01-01T00:00:00Z")])
    headers = [bearer("a"), bearer("b"), bearer("unknown"), {}]
    numbers = [handler.resolve("GET", "/tags", fields).key_number for fields in headers]
    assert numbers[2] == numbers[3] == 0
    assert len({*numbers}) == 3
    same = handler.resolve("GET", "/tags", [(b"Authorization", b"BEARER a")])
    assert same.key_number == numbers[0]


def test_a_resolved_request_keeps_its_key_and_its_handler(store: EventStore) -> None:
    limits = {"per_minute": 3, "analytics_per_second": 1}
    handler = Handler(store, [make_key("tok", limits=limits)])
    resolved = handler.resolve("GET", "/tags", bearer("tok"))
    handler.replace_keys([])
    del handler
    gc.collect()
    answers = [resolved.handle(now=NOW) for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert resolved.handle(NOW + timedelta(minutes=2)).status == 200


@pytest.mark.parametrize(
    ("method", "target", "route"),
    [
        ("GET", "/events?limit=2", "/events"),
        ("POST", b"/tags", "/tags"),
        ("GET", "/healthz?", "/healthz"),
        ("GET", "/Tags", "other"),
        ("GET", b"/\xff", "other"),
    ],
)
def test_a_resolved_request_is_answered_as_in_one_call(
    handler: Handler, method: str, target: str | bytes, route: str
) -> None:
    resolved = handler.resolve(method, target, bearer("tok_everything"), "https", "/api")
    assert resolved.route == route
    answer = resolved.handle(NOW)
    headers = bearer("tok_everything")
    same = handler.handle(method, target, headers, now=NOW, scheme="https", mount="/api")
    assert (answer.status, answer.body) == (same.status, same.body)
    assert answer.headers.get("link") == same.headers.get("link")
    assert handler.resolve(method, target, headers, scheme="http").handle(NOW).status == 403


def test_requests_with_large_targets_are_not_small(handler: Handler) -> None:
    assert handler.resolve("GET", "/tags", bearer("tok_everything")).is_small
    target = "/tags?search=" + "x" * 1_024
    assert not handler.resolve("GET", target, bearer("tok_everything")).is_small
    assert handler.resolve("GET", target, {}).is_small


def test_credentials_that_are_there_twice_are_refused(handler: Handler) -> None:
    twice = [("authorization", "Bearer tok_everything")] * 2
    assert handler.handle("GET", "/tags", twice, now=NOW).status == 401


@pytest.mark.parametrize(
    ("headers", "raised"), [(None, TypeError), ({"a": 1}, TypeError), ([("a",)], ValueError)]
)
def test_other_headers_are_refused(
    handler: Handler, headers: dict[str, str], raised: type[Exception]
) -> None:
    with pytest.raises(raised):
        handler.handle("GET", "/tags", headers, now=NOW)


def test_requests_above_the_limit_wait(store: EventStore) -> None:
    handler = Handler(store, [make_key("tok", plan="business", limits=None)])
    answers = [handler.handle("GET", "/events", bearer("tok"), now=NOW) for _ in range(5)]
    assert [answer.status for answer in answers] == [200] * 4 + [429]
    assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == list("32100")
    assert code_of(answers[-1]) == "rate_limit_exceeded"
    later = NOW + timedelta(seconds=int(answers[-1].headers["retry-after"]))
    assert handler.handle("GET", "/events", bearer("tok"), now=later).status == 200
    assert handler.handle("GET", "/tags", bearer("tok"), now=NOW).status == 200


def test_a_proxy_tells_the_scheme(store: EventStore, keys: list[dict[str, Any]]) -> None:
    behind = Handler(store, keys, behind_proxy=True)
    plain = Handler(store, keys)
    for handler, extra, status in [
        (behind, {"x-forwarded-proto": "https"}, 200),
        (behind, {"x-forwarded-proto": "http"}, 403),
        (behind, {}, 403),
        (plain, {"x-forwarded-proto": "https"}, 403),
    ]:
        headers = bearer("tok_everything") | extra
        assert handler.handle("GET", "/tags", headers, now=NOW, scheme="http").status == status


def test_options_change_answers(store: EventStore, keys: list[dict[str, Any]]) -> None:
    handler = Handler(
        store,
        keys,
        docs_url="https://docs.example",
        base_url="https://api.example",
        strict_parameters=True,
        ratelimit_fields=True,
    )
    refused = ask(handler, "/events?unknown=1")
    assert refused.status == 400
    url = json.loads(refused.body)["error"]["doc_url"]
    assert url == "https://docs.example/api-reference/errors#bad-request"
    pinned = ask(handler, "/events?interval=all&end=2026-08-21&limit=1")
    assert pinned.headers["link"].startswith("<https://api.example/events?")
    assert pinned.headers["ratelimit-policy"] == '"default";q=10000000;w=1'
    assert pinned.headers["ratelimit"].startswith('"default";r=')


def test_pages_of_told_origins_may_ask(store: EventStore, keys: list[dict[str, Any]]) -> None:
    handler = Handler(store, keys, cors=["https://app.example"])
    preflight = {"origin": "https://app.example", "access-control-request-method": "GET"}
    allowed = handler.handle("OPTIONS", "/tags", preflight, now=NOW)
    assert (allowed.status, allowed.body) == (204, b"")
    assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    other = preflight | {"origin": "https://other.example"}
    assert handler.handle("OPTIONS", "/tags", other, now=NOW).status == 404
    assert Handler(store, keys).handle("OPTIONS", "/tags", preflight, now=NOW).status == 404
    with pytest.raises(ApiError, match="cors: a value that is not accepted"):
        Handler(store, keys, cors=["https://app.example/"])
    with pytest.raises(TypeError, match="cors: expected a list of str, not str"):
        Handler(store, keys, cors="https://app.example")


def test_a_server_has_what_its_own_answers_need(
    store: EventStore, keys: list[dict[str, Any]]
) -> None:
    origin = "https://app.example"
    allowed = Handler(store, keys, cors=[origin]).cors_headers({"Origin": origin})
    assert (allowed["vary"], allowed["access-control-allow-origin"]) == ("origin", origin)
    assert Handler(store, keys, cors=["*"]).cors_headers({}) == {"vary": "origin"}
    assert Handler(store, keys).cors_headers({"origin": origin}) == {}


def test_keys_are_replaced_unless_one_is_none(store: EventStore) -> None:
    limits = {"per_minute": 5, "analytics_per_second": 5}
    handler = Handler(store, [make_key("tok_old"), make_key("tok_stays", limits=limits)])

    def statuses() -> list[int]:
        tokens = ("tok_old", "tok_stays", "tok_new")
        return [handler.handle("GET", "/tags", bearer(t), now=NOW).status for t in tokens]

    assert statuses() == [200, 200, 401]
    with pytest.raises(ApiError, match="key 1: plan"):
        handler.replace_keys([make_key("tok_new"), make_key("tok_x", plan="platinum")])
    assert statuses() == [200, 200, 401]
    handler.replace_keys([make_key("tok_new"), make_key("tok_stays", limits=limits)])
    assert statuses() == [401, 200, 200]
    left = handler.handle("GET", "/tags", bearer("tok_stays"), now=NOW)
    assert left.headers["x-ratelimit-remaining"] == "1"


def test_what_is_measured(handler: Handler, store: EventStore) -> None:
    ask(handler)
    measured = {name: value for name, _, _, value in handler.measure()}
    assert measured["sluice_store_rows"] == len(store)
    assert measured["sluice_limiter_allowed_total"] == 1
    for name, what, is_counter, _ in handler.measure():
        assert is_counter == name.endswith("_total")
        assert what.endswith(".")


def test_doc_url_opens_on_this_server(handler: Handler) -> None:
    refused = handler.handle("GET", "/tags?page=0", {"Host": "api.example:8443"}, now=NOW)
    url = json.loads(refused.body)["error"]["doc_url"]
    assert url == "https://api.example:8443/api-reference/errors#unauthorized"
    page = handler.handle("GET", "/api-reference/errors", {}, now=NOW)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert b' id="unauthorized"' in page.body


def test_a_key_of_another_workspace_sees_nothing(store: EventStore) -> None:
    handler = Handler(store, [make_key("tok_else", workspaceId="ws_elsewhere")])
    response = handler.handle("GET", "/events?interval=all", bearer("tok_else"), now=NOW)
    assert (response.status, response.body) == (200, b"[]")


@pytest.mark.parametrize(("keys", "message"), REFUSED_KEYS)
def test_bad_keys_are_refused(store: EventStore, keys: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(ApiError, match=message):
        Handler(store, keys)


def test_keys_are_json(store: EventStore) -> None:
    with pytest.raises(TypeError):
        Handler(store, [{"sha256": object()}])


def test_a_handler_keeps_its_store(sample_folder: Any, keys: list[dict[str, Any]]) -> None:  # noqa: ANN401
    handler = Handler(EventStore.load(sample_folder), keys)
    gc.collect()
    assert ask(handler, "/events?interval=all").status == 200


def test_naive_times_are_refused(handler: Handler) -> None:
    with pytest.raises(ValueError, match="now: a naive datetime"):
        handler.handle("GET", "/tags", {}, now=datetime(2026, 8, 21))


def test_now_is_the_present_by_default(handler: Handler) -> None:
    response = handler.handle("GET", "/tags", bearer("tok_everything"))
    assert int(response.headers["x-ratelimit-reset"]) > datetime.now().timestamp() - 60
    assert repr(response) == f"<Response 200: {len(response.body)} bytes>"


def test_a_cancelled_search_ends(handler: Handler) -> None:
    target = "/events?event=leads&interval=all&query=" + quote("metadata['a']:b OR metadata['c']:d")
    cancellation = Cancellation()
    assert not cancellation.is_cancelled
    headers = bearer("tok_everything")
    assert handler.handle("GET", target, headers, cancellation=cancellation).status == 200
    cancellation.cancel()
    assert cancellation.is_cancelled
    answer = handler.handle("GET", target, headers, cancellation=cancellation)
    assert answer.status == 500
    assert json.loads(answer.body)["error"]["message"].startswith("the request was cancelled")
    assert handler.handle("GET", "/tags", headers, cancellation=cancellation).status == 500
    assert handler.handle("GET", "/healthz", {}, cancellation=cancellation).status == 200


@pytest.mark.parametrize("deadline", [-1, 86_400_001])
def test_a_deadline_has_bounds(
    store: EventStore, keys: list[dict[str, Any]], deadline: int
) -> None:
    with pytest.raises(ValueError, match="deadline_ms: out of range, expected 0 to 86400000"):
        Handler(store, keys, deadline_ms=deadline)


def test_the_parameters_of_all_routes_are_known() -> None:
    operations = [path["get"] for path in Handler(EventStore(), []).openapi()["paths"].values()]
    known = {named["name"] for one in operations for named in one.get("parameters", ())}
    assert {*EventsQuery.parameters, *TagsQuery.parameters, "groupBy", "linkId"} <= known
    assert Handler.parameters == known
