# SPDX-License-Identifier: MIT
"""Servers as people run them: pages of other origins and health; the C++ one's logs and metrics."""

import json
import re
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import http_cases
import pytest
from api_keys import bearer, make_key
from prometheus_client.parser import text_string_to_metric_families
from serving import BOTH, CPP, PYTHON_SERVER, Server, serving

APP = "https://app.example"
CORS = ("--cors", f"{APP},http://localhost:3000")
SECRET = "tok_4f1d9c-secret"
KEYS = [
    make_key(SECRET),
    make_key("tok_slow", limits={"per_minute": 3, "analytics_per_second": 3}),
]


@pytest.fixture(scope="module")
def words(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Options of every server here."""
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    keys.write_text(json.dumps(KEYS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield ["--data", str(sample_folder), "--keys", str(keys)]


@pytest.fixture(scope="module", params=BOTH)
def command(request: pytest.FixtureRequest) -> Sequence[str]:
    chosen: Sequence[str] = request.param
    return chosen


@pytest.fixture(scope="module")
def server(
    command: Sequence[str], words: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server with all that this is about."""
    output = tmp_path_factory.mktemp("server") / "output"
    more = () if command == PYTHON_SERVER else ("--log", "json", "--metrics", "0")
    with serving(output, *words, *CORS, *more, command=command) as started:
        yield started


of_cpp = pytest.mark.parametrize("command", [CPP], indirect=True)  # the Python server has no such


# --- Pages of other origins ------------------------------------------------------------------

PREFLIGHT = {
    "access-control-request-method": "GET",
    "access-control-request-headers": "authorization",
}
EXPOSED = {"x-ratelimit-remaining", "link", "etag", "retry-after", "x-request-id"}


def words_of(value: str) -> set[str]:
    return {word.strip().lower() for word in value.split(",")}


def check_readable(headers: dict[str, str], origin: str = APP) -> None:
    """Checks that a page may read an answer, and that caches know that others may not."""
    assert headers["access-control-allow-origin"] == origin
    assert words_of(headers["access-control-expose-headers"]) >= EXPOSED
    assert "origin" in words_of(headers["vary"])


@pytest.mark.parametrize("origin", [APP, "http://localhost:3000"])
def test_a_preflight_needs_no_key_and_uses_no_quota(server: Server, origin: str) -> None:
    def remaining() -> int:
        _, headers, _ = server.ask("/tags", origin=origin, **bearer(SECRET))
        check_readable(headers, origin)
        return int(headers["x-ratelimit-remaining"])

    before = remaining()
    for target in ("/tags", "/events?country=US", "/healthz"):
        status, headers, body = server.ask(target, "OPTIONS", origin=origin, **PREFLIGHT)
        assert (status, body) == (204, b"")
        assert headers["access-control-allow-origin"] == origin
        assert "authorization" in words_of(headers["access-control-allow-headers"])
        assert words_of(headers["access-control-allow-methods"]) == {"get", "head"}
        assert "origin" in words_of(headers["vary"])
        assert "x-ratelimit-limit" not in headers
    assert before - remaining() == 1


@pytest.mark.parametrize(
    ("target", "token", "status"),
    [
        ("/tags", "tok_nobody", 401),
        ("/nowhere", SECRET, 404),
        ("/tags?page=0", SECRET, 422),
        ("/events?country=US,-CA", SECRET, 400),
    ],
)
def test_pages_can_read_errors(server: Server, target: str, token: str, status: int) -> None:
    answered, headers, body = server.ask(target, origin=APP, **bearer(token))
    assert (answered, "error" in json.loads(body)) == (status, True)
    check_readable(headers)
    assert "x-request-id" in headers


def test_pages_can_read_that_a_limit_is_passed(server: Server) -> None:
    answers = [server.ask("/tags", origin=APP, **bearer("tok_slow")) for _ in range(4)]
    assert [status for status, _, _ in answers] == [200, 200, 200, 429]
    check_readable(answers[-1][1])
    assert "retry-after" in answers[-1][1]


@of_cpp
def test_pages_can_read_why_what_is_no_request_is_refused(server: Server) -> None:
    with server.greet() as connection:
        sent = f"GET /tags HTTP/1.1\r\nHost: x\r\nOrigin: {APP}\r\nContent-Length: 9999999\r\n\r\n"
        [refused] = http_cases.exchange(connection, sent.encode())
    assert refused.status == 413
    check_readable(refused.headers)


@pytest.mark.parametrize("origin", ["https://other.example", "null", f"{APP}:8443"])
def test_pages_of_other_origins_get_no_leave(server: Server, origin: str) -> None:
    for status, headers, _ in (
        server.ask("/tags", "OPTIONS", origin=origin, **PREFLIGHT),
        server.ask("/tags", origin=origin, **bearer(SECRET)),
    ):
        assert status in (200, 404)
        assert not any(name.startswith("access-control-") for name in headers)
        assert "origin" in words_of(headers["vary"])


def test_all_origins_or_none(command: Sequence[str], words: list[str], tmp_path: Path) -> None:
    with serving(tmp_path / "all", *words, "--cors", "*", command=command) as server:
        _, headers, _ = server.ask("/tags", origin="https://any.example")
        check_readable(headers, "*")
        preflight = server.ask("/tags", "OPTIONS", origin="https://any.example", **PREFLIGHT)
        assert preflight[0] == 204
    with serving(tmp_path / "none", *words, command=command) as server:
        preflight = server.ask("/tags", "OPTIONS", origin=APP, **PREFLIGHT)
        for status, headers, _ in (preflight, server.ask("/tags", origin=APP)):
            assert status in (401, 404)
            assert not any(name.startswith("access-control-") for name in headers)
            assert headers["vary"] == "authorization"


@pytest.mark.parametrize(
    ("origins", "place"),
    [
        ("app.example", 0),
        (f"{APP}/", 0),
        (f"{APP}, https://b.example", 20),
        ("null", 0),
        ("https://APP.example", 0),
        ("https://app.example:443", 0),
        ("", 0),
    ],
)
def test_a_malformed_origin_is_refused_at_the_start(
    command: Sequence[str], origins: str, place: int
) -> None:
    options = (f"--cors={origins}", "--data", ".")
    ended = subprocess.run((*command, *options), capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    said = " ".join(ended.stderr.split())
    if origins:
        where = f" (at byte {place})" if place else ""
        assert f"--cors: cors: a value that is not accepted{where}, expected * or" in said
        assert "origins as browsers send them, such as https://app.example" in said


# --- The log ---------------------------------------------------------------------------------

REQUEST = {
    "time": str,
    "level": str,
    "event": str,
    "request_id": str,
    "client": str,
    "method": str,
    "path": str,
    "query": str,
    "route": str,
    "status": int,
    "bytes": int,
    "duration_ms": float,
}
MESSAGE = {"time": str, "level": str, "event": str, "message": str}
A_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def line_of(server: Server, request_id: str) -> dict[str, Any]:
    """Returns the log's entry of a request."""
    entry: dict[str, Any] = json.loads(server.printed(rf'^.*"request_id":"{request_id}".*$')[0])
    return entry


@of_cpp
def test_each_line_is_an_object_of_one_of_two_kinds(server: Server) -> None:
    mark = uuid.uuid4().hex
    server.ask("/tags?search=last", **{"x-request-id": mark})
    line_of(server, mark)
    kinds = {"request": REQUEST, "message": MESSAGE}
    for line in server.output.read_text().splitlines():
        entry = json.loads(line)
        kind = kinds[entry["event"]]
        assert {name: type(value) for name, value in entry.items()} == kind, line
        assert list(entry) == list(kind)
        assert A_TIME.fullmatch(entry["time"])
        assert entry["level"] in ("info", "warning", "error")


@of_cpp
def test_a_request_is_told_with_its_id(server: Server) -> None:
    mark = f"a.b_C-{uuid.uuid4().hex}"
    target = f"/events?country=US&api_key={SECRET}&{SECRET}&limit=1"
    _, headers, body = server.ask(target, **bearer(SECRET), **{"X-Request-ID": mark})
    assert headers["x-request-id"] == mark
    entry = line_of(server, mark)
    expected = {
        "level": "info",
        "event": "request",
        "client": "127.0.0.1",
        "method": "GET",
        "path": "/events",
        "query": "country=US&***&***&limit=1",
        "route": "/events",
        "status": 200,
        "bytes": len(body),
    }
    assert {name: entry[name] for name in expected} == expected
    assert 0 < entry["duration_ms"] < 30_000
    assert SECRET not in server.output.read_text()


@of_cpp
@pytest.mark.parametrize(
    "sent", [None, "", "a b", "x" * 65, '"', "é".encode().decode("latin-1"), SECRET]
)
def test_an_id_is_made_where_the_client_gave_none_that_can_be_one(
    server: Server, sent: str | None
) -> None:
    headers = {} if sent is None else {"x-request-id": sent}
    ids = [server.ask("/tags", **bearer(SECRET), **headers)[1]["x-request-id"] for _ in range(2)]
    assert all(re.fullmatch(r"[0-9a-f]{32}", id_) for id_ in ids)
    assert ids[0] != ids[1]
    for id_ in ids:
        assert line_of(server, id_)["status"] == 200
    assert SECRET not in server.output.read_text()


@of_cpp
def test_what_is_no_request_has_an_id_too(server: Server) -> None:
    with server.greet() as connection:
        [refused] = http_cases.exchange(connection, b"GET tok_secret\r\n\r\n")
    entry = line_of(server, refused.headers["x-request-id"])
    assert (entry["status"], entry["path"], entry["route"]) == (400, "-", "other")


def test_text_lines_end_with_the_id(
    command: Sequence[str], words: list[str], tmp_path: Path
) -> None:
    with serving(tmp_path / "output", *words, command=command) as server:
        _, headers, body = server.ask("/tags?page=2&api_key=x", **bearer(SECRET))
        size, mark = len(body), headers["x-request-id"]
        when = A_TIME.pattern
        shown = rf"127\.0\.0\.1 GET /tags\?page=2&\*\*\* 200 {size} \d+\.\d\dms {mark}"
        server.printed(rf"^{when} {shown}$")


# --- Metrics ---------------------------------------------------------------------------------

# The metrics of the C++ server: kind and labels.
METRICS = {
    "sluice_http_requests": ("counter", {"route", "status"}),
    "sluice_http_request_duration_seconds": ("histogram", {"route"}),
    "sluice_limiter_allowed": ("counter", set()),
    "sluice_limiter_refused": ("counter", set()),
    "sluice_limiter_tracked_keys": ("gauge", set()),
    "sluice_keys": ("gauge", set()),
    "sluice_store_rows": ("gauge", set()),
    "sluice_store_bytes": ("gauge", set()),
    "sluice_store_deadline_exceeded": ("counter", set()),
}
Values = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def metrics_url(server: Server) -> str:
    return server.printed(r"metrics: (http://127\.0\.0\.1:\d+/metrics)")[1]


def scrape(server: Server) -> str:
    with urlopen(metrics_url(server), timeout=30) as answer:
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        text: str = answer.read().decode()
        return text


def values_of(text: str) -> Values:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def requests(route: str, status: int) -> tuple[str, tuple[tuple[str, str], ...]]:
    return "sluice_http_requests_total", (("route", route), ("status", str(status)))


@of_cpp
def test_metrics_have_names_kinds_help_and_few_labels(server: Server) -> None:
    server.ask("/tags")
    families = {metric.name: metric for metric in text_string_to_metric_families(scrape(server))}
    assert families.keys() == METRICS.keys()
    for name, (kind, labels) in METRICS.items():
        family = families[name]
        assert (family.type, family.documentation[-1]) == (kind, ".")
        actual = {label for sample in family.samples for label in sample.labels} - {"le"}
        assert actual == labels


@of_cpp
def test_requests_are_counted_by_route_and_status(server: Server) -> None:
    before = values_of(scrape(server))
    for _ in range(3):
        server.ask("/events?limit=1", **bearer(SECRET))
    server.ask("/events")
    for number in range(20):
        server.ask(f"/nowhere/{number}")
    after = values_of(scrape(server))

    def grown(key: tuple[str, tuple[tuple[str, str], ...]]) -> float:
        return after[key] - before.get(key, 0)

    assert grown(requests("/events", 200)) == 3
    assert grown(requests("/events", 401)) == 1
    assert grown(requests("other", 404)) == 20
    durations = "sluice_http_request_duration_seconds"
    assert grown((f"{durations}_count", (("route", "/events"),))) == 4
    assert 0 < grown((f"{durations}_sum", (("route", "/events"),))) < 30
    assert grown((f"{durations}_bucket", (("le", "+Inf"), ("route", "/events")))) == 4
    routes = {dict(labels).get("route") for _, labels in after} - {None}
    assert routes <= {
        "/events",
        "/tags",
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/api-reference/errors",
        "other",
    }
    assert grown(("sluice_limiter_allowed_total", ())) == 3


@of_cpp
def test_limits_keys_and_the_store_are_measured(
    command: Sequence[str], words: list[str], sample_folder: Path, tmp_path: Path
) -> None:
    options = (*words, "--metrics", "0", "--deadline", "60000")
    with serving(tmp_path / "output", *options, command=command) as server:
        for _ in range(5):
            server.ask("/tags", **bearer("tok_slow"))
        values = {name: value for (name, _), value in values_of(scrape(server)).items()}
    events = sum(
        (sample_folder / f"{kind}.ndjson").read_bytes().count(b"\n")
        for kind in ("clicks", "leads", "sales")
    )
    assert values["sluice_limiter_allowed_total"] == 3
    assert values["sluice_limiter_refused_total"] == 2
    assert values["sluice_limiter_tracked_keys"] == 1
    assert values["sluice_keys"] == len(KEYS)
    assert values["sluice_store_rows"] == events
    assert values["sluice_store_bytes"] > 100 * events
    assert values["sluice_store_deadline_exceeded_total"] == 0


@of_cpp
def test_metrics_are_nowhere_else(server: Server) -> None:
    url = metrics_url(server)
    assert server.ask("/metrics")[0] == 404
    port = int(url.split(":")[2].partition("/")[0])
    plain = server._replace(host="127.0.0.1", port=port)
    assert plain.get_plain("/metrics")[0] == 200
    assert plain.get_plain("/")[0] == 404
    assert plain.get_plain("/events")[0] == 404
    listening = Path("/proc/net/tcp").read_text()
    assert f" 0100007F:{port:04X} 00000000:0000 0A" in listening


@of_cpp
@pytest.mark.servers
def test_promtool_finds_nothing_wrong_with_the_metrics(server: Server) -> None:
    text = scrape(server).encode()
    checked = subprocess.run(
        ("promtool", "check", "metrics"), input=text, capture_output=True, check=False
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, b"")


@of_cpp
def test_a_port_that_is_taken_is_named(
    command: Sequence[str], words: list[str], server: Server
) -> None:
    port = metrics_url(server).split(":")[2].partition("/")[0]
    options = (*words, "--port", "0", "--metrics", port)
    ended = subprocess.run((*command, *options), capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert f"127.0.0.1 port {port}: Address already in use" in ended.stderr


# --- Health ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_health_needs_no_key_and_uses_no_quota(server: Server, method: str) -> None:
    for _ in range(5):
        status, headers, body = server.ask("/healthz", method, **bearer("tok_slow"))
        assert (status, body) == (200, b'{"status":"ok"}' if method == "GET" else b"")
        assert not any(name.startswith("x-ratelimit") for name in headers)
