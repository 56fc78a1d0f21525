# SPDX-License-Identifier: MIT
"""`sluice explore --url`: a real server behind it, and servers that do what they should not."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from client_server import COMMANDS, TOKEN, Served, serving
from explorer import Explorer, check_histogram, exploring, top_of
from oracle import Oracle

from sluice import ApiError, Cancellation
from sluice._explore import service
from sluice._explore.events import rows_of, without
from sluice._explore.place import Place
from sluice._explore.service import ServiceSource
from sluice._explore.source import GoneError, RefusedError, Work

NOW = datetime(2026, 8, 22, tzinfo=UTC)  # after all events
WINDOW = "start=2026-08-01&end=2026-08-21T03:00:00Z"


@pytest.fixture(scope="module")
def served(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(COMMANDS["python"], sample_folder, folder) as started:
        yield started


@pytest.fixture(scope="module")
def explorer(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    folder = tmp_path_factory.mktemp("explore")
    with exploring(folder, *words_of(served), SLUICE_TOKEN=TOKEN) as started:
        yield started


def words_of(served: Served) -> tuple[str, ...]:
    return ("--url", f"{served.url}/events", "--cafile", str(served.certificate))


@pytest.fixture(scope="module")
def oracle(sample_folder: Path) -> Oracle:
    return Oracle(sample_folder)


QUERIES = [
    WINDOW,
    f"{WINDOW}&country=US,DE&sortOrder=asc",
    f"{WINDOW}&city=S%C3%A3o+Paulo",
    f"{WINDOW}&city=São Paulo",
    f"{WINDOW}&event=sales&query=metadata['plan']:pro",
    "interval=all&event=leads",
]


@pytest.mark.parametrize("query", QUERIES)
def test_rows_and_counts_are_those_of_the_service(
    explorer: Explorer, oracle: Oracle, query: str
) -> None:
    matching = oracle.matching(query, NOW)
    assert explorer.get("/count", query=query) == {"count": len(matching)}
    for offset, limit in ((0, 100), (7, 10), (3, 500)):
        page = explorer.get("/rows", query=query, offset=offset, limit=limit)
        shown = [oracle.shown(row) for row in matching[offset : offset + limit]]
        assert page == {"rows": shown}


@pytest.mark.parametrize("query", QUERIES)
def test_histograms_are_time_series_of_the_service(
    explorer: Explorer, oracle: Oracle, query: str
) -> None:
    times = [row["at"] for row in oracle.matching(query, NOW)]
    check_histogram(explorer.get("/histogram", query=query), times)


@pytest.mark.parametrize("query", QUERIES)
def test_top_values_are_groups_of_the_service(
    explorer: Explorer, oracle: Oracle, query: str
) -> None:
    rows = [oracle.shown(row) for row in oracle.matching(query, NOW)]
    devices = [row["click"]["device"] for row in rows]
    expected = top_of(device for device in devices if device != "Unknown")
    assert explorer.get("/top", query=query, column="click.device") == {"values": expected}


def test_the_service_is_described_without_its_token(explorer: Explorer, served: Served) -> None:
    described = explorer.get("/source.json")
    assert described["request"] == {"url": f"{served.url}/events", "token": True}
    assert (described["kind"], described["now"], described["plans"]) == ("events", None, False)
    assert explorer.get("/explain", query=WINDOW) == {"plan": None}
    assert TOKEN not in json.dumps(described) + explorer.server.output.read_text()


REFUSED = [
    ("tok_wrong", 401, "unauthorized"),
    ("tok_expired", 401, "unauthorized"),
    ("tok_tags", 403, "forbidden"),
]


@pytest.mark.parametrize(("token", "status", "code"), REFUSED)
def test_the_refusals_of_the_service_are_passed_on(
    served: Served, tmp_path: Path, token: str, status: int, code: str
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    with exploring(tmp_path / "a", *words_of(served), "--token-file", str(file)) as started:
        for route in ("/rows", "/count", "/histogram"):
            refusal = started.refused(route, query=WINDOW)
            assert refusal[:2] == (status, code)
            assert token not in refusal[2] + started.server.output.read_text()


def test_a_limit_of_the_service_is_passed_on(served: Served, tmp_path: Path) -> None:
    words = (*words_of(served), "--token", "tok_slow")  # one request a minute
    with exploring(tmp_path / "a", *words) as started:
        assert started.ask(f"/count?query={WINDOW.replace('&', '%26')}")[0] == 200
        status, headers, body = started.ask("/count")
        assert (status, json.loads(body)["error"]["code"]) == (429, "rate_limit_exceeded")
        assert 0 < int(headers["retry-after"]) <= 60


def test_an_unknown_certificate_is_not_trusted(served: Served, tmp_path: Path) -> None:
    words = ("--url", f"{served.url}/events", "--token", TOKEN)
    with exploring(tmp_path / "a", *words) as started:
        status, code, message = started.refused("/count")
        assert (status, code) == (500, "internal_server_error")
        assert message.startswith("localhost: the service has no trusted certificate: self-signed")


# --- Services that do what they should not ---------------------------------------------------


class FakeService(ThreadingHTTPServer):
    """Answers as a function says, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, certificate: Path, answer: Callable[[BaseHTTPRequestHandler], None]) -> None:
        targets: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                targets.append(self.path)
                answer(self)

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("localhost", 0), Handler)
        self.targets = targets
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_name("localhost.key.pem"))
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def source(self, certificate: Path) -> ServiceSource:
        place = Place.parse(f"https://localhost:{self.server_port}/events")
        return ServiceSource(place, "tok_secret", certificate)


Start = Callable[[Callable[[BaseHTTPRequestHandler], None]], tuple[FakeService, ServiceSource]]


@pytest.fixture
def start(served: Served) -> Iterator[Start]:
    """Starts services, which end with the test."""
    started: list[FakeService] = []

    def make(answer: Callable[[BaseHTTPRequestHandler], None]) -> tuple[FakeService, ServiceSource]:
        fake = FakeService(served.certificate, answer)
        threading.Thread(target=fake.serve_forever, daemon=True).start()
        started.append(fake)
        return fake, fake.source(served.certificate)

    yield make
    for server in started:
        server.shutdown()
        server.server_close()


def answering(status: int, body: bytes, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return answer


@pytest.fixture
def work() -> Iterator[Work]:
    with Work(Cancellation()) as begun:
        yield begun


BAD_ANSWERS: list[tuple[int, bytes, dict[str, str], str]] = [
    (200, b"<html>", {}, "answered no JSON array"),
    (200, b"{}", {}, "answered no JSON array"),
    (200, b"[1", {}, "answered no JSON array"),
    (200, b"[1 2]", {}, "answered no JSON array"),
    (200, b"[NaN]", {}, "answered no JSON array"),
    (200, b"\xff", {}, "answered no JSON array"),
    (200, b"[" * 100_000, {}, "answered no JSON array"),
    (204, b"", {}, "answered 204, expected 200"),
    (302, b"", {"location": "https://localhost:1/"}, "answered 302 and leads elsewhere"),
    (404, b"Not found", {}, "answered 404, expected 200"),
    (500, b'{"error": "text"}', {}, "answered 500, expected 200"),
    (500, b"[" * 100_000, {}, "answered 500, expected 200"),
]


@pytest.mark.parametrize(("status", "body", "headers", "said"), BAD_ANSWERS)
def test_what_is_no_answer_is_told(
    start: Start, status: int, body: bytes, headers: dict[str, str], said: str, work: Work
) -> None:
    fake, source = start(answering(status, body, **headers))
    with pytest.raises(ApiError) as refused:
        source.rows("", 0, 10, work)
    assert refused.value.status == 500
    assert refused.value.message.startswith(f"localhost: the service {said}")
    assert fake.targets == ["/events?limit=10&page=1"]  # nothing is followed


@pytest.mark.parametrize("total", ["", "many", "-1", "1.5", "²", "9" * 20])
def test_a_count_is_a_number(start: Start, total: str, work: Work) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        answering(200, b"[]", x_total_count=total)(request)

    _, source = start(answer)
    with pytest.raises(ApiError, match="answered without X-Total-Count"):
        source.count("", work)


def test_the_token_goes_to_the_service_alone(start: Start, work: Work) -> None:
    tokens: list[str | None] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        tokens.append(request.headers.get("authorization"))
        answering(200, b"[]")(request)

    fake, source = start(answer)
    source.rows("", 0, 10, work)
    assert tokens == ["Bearer tok_secret"]
    other, leading = start(
        answering(307, b"", location=f"https://localhost:{fake.server_port}/events")
    )
    with Work(Cancellation()) as next_work, pytest.raises(ApiError, match="leads elsewhere"):
        leading.rows("", 0, 10, next_work)
    assert (len(other.targets), len(tokens)) == (1, 1)


def test_an_error_that_repeats_the_token_is_cut(start: Start, work: Work) -> None:
    body = b'{"error": {"code": "unauthorized", "message": "no key tok_secret"}}'
    _, source = start(answering(401, body, retry_after="7"))
    with pytest.raises(RefusedError) as refused:
        source.count("", work)
    assert json.loads(refused.value.body)["error"]["message"] == "no key ***"
    assert (refused.value.status, refused.value.retry_after) == (401, "7")


def test_an_endless_answer_is_cut(
    start: Start, monkeypatch: pytest.MonkeyPatch, work: Work
) -> None:
    monkeypatch.setattr(service, "_MOST_BYTES", 1_000)
    _, source = start(answering(200, b"[" + b" " * 100_000 + b"]"))
    with pytest.raises(ApiError, match="answered more than 1000 bytes"):
        source.rows("", 0, 10, work)


def test_a_slow_answer_is_cut(start: Start, monkeypatch: pytest.MonkeyPatch, work: Work) -> None:
    monkeypatch.setattr(service, "_ALL_SECONDS", -1)
    _, source = start(answering(200, b"[]"))
    with pytest.raises(ApiError, match="took more than -1 seconds"):
        source.rows("", 0, 10, work)


def test_a_silent_service_is_not_waited_for(
    start: Start, monkeypatch: pytest.MonkeyPatch, work: Work
) -> None:
    monkeypatch.setattr(service, "_SECONDS", 0.2)
    ended = threading.Event()

    def answer(request: BaseHTTPRequestHandler) -> None:
        ended.wait(60)

    _, source = start(answer)
    with pytest.raises(ApiError, match="cannot be reached: "):
        source.rows("", 0, 10, work)
    ended.set()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://localhost:1/events", "Connection refused"),
        (f"https://{'a' * 64}.example/events", "it has a name that no host has"),
        ("https://no.invalid/events", r"\w+"),
    ],
)
def test_a_service_that_is_not_there_is_told(url: str, why: str, work: Work) -> None:
    with pytest.raises(ApiError, match=f"the service cannot be reached: {why}"):
        ServiceSource(Place.parse(url), None, None).count("", work)


def test_a_connection_that_the_service_closes_is_made_again(start: Start, work: Work) -> None:
    fake, source = start(answering(200, b"[]", connection="close"))
    for _ in range(3):
        assert source.rows("", 0, 10, work) == "[]"
    assert len(fake.targets) == 3


def test_an_answer_that_breaks_off_is_told(start: Start, work: Work) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("content-length", "9")
        request.end_headers()
        request.wfile.write(b"[]")
        request.close_connection = True

    _, source = start(answer)
    with pytest.raises(ApiError, match="broke off its answer"):
        source.rows("", 0, 10, work)


def test_a_connection_is_kept(start: Start, work: Work) -> None:
    clients: list[Any] = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        clients.append(request.client_address)
        answering(200, b"[]")(request)

    _, source = start(answer)
    for _ in range(3):
        source.rows("", 0, 10, work)
    assert (len(clients), len(set(clients))) == (3, 1)


def test_nothing_is_asked_for_nobody(start: Start) -> None:
    fake, source = start(answering(200, b"[]"))
    gone = Cancellation()
    gone.cancel()
    with pytest.raises(GoneError):
        source.rows("", 0, 10, Work(gone))
    assert fake.targets == []


def test_a_histogram_asks_three_times_at_most(start: Start, work: Work) -> None:
    row = (
        b'[{"timestamp": "2026-08-01T00:00:00.000Z", "start": "2026-08-01T00:00:00Z",'
        b' "key": "a", "domain": "b", "clicks": 1}]'
    )
    fake, source = start(answering(200, row))
    histogram = source.histogram("interval=all&limit=5&sortOrder=asc&country=US", work)
    assert histogram.counts == [1]  # one millisecond
    series = "/analytics?country=US&start=2026-08-01T00:00:00.000Z&end=2026-08-01T00:00:00.000Z"
    assert fake.targets[2:] == [f"{series}&groupBy=timeseries"]
    wide, source = start(answering(200, row))
    with Work(Cancellation()) as next_work:
        source.top(WINDOW, "link.key", next_work)
    assert wide.targets == [f"/analytics?{WINDOW}&groupBy=top_links"]


def test_a_service_without_analytics_has_no_histogram(start: Start, work: Work) -> None:
    body = b'{"error": {"code": "not_found", "message": "no route", "doc_url": ""}}'
    _, source = start(answering(404, body))
    with pytest.raises(RefusedError) as refused:
        source.histogram(WINDOW, work)
    assert refused.value.status == 404


# --- Texts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", ""),
        ("?a=1&page=2", "a=1"),
        ("page=2&a=1&&page=3", "a=1&"),
        ("pag%65=2&a=%zz", "a=%zz"),
        ("Page=2&pages=3&b=page", "Page=2&pages=3&b=page"),
        ("page", ""),
    ],
)
def test_parameters_are_left_out_by_name(query: str, kept: str) -> None:
    assert without(query, frozenset({"page"})) == kept


@pytest.mark.parametrize(
    "rows", [[], ["1"], ["{}", "[]", "null"], ['{"a":1.10}', '"],["', "-0e0"], ["[[1],[2]]"]]
)
@pytest.mark.parametrize("space", ["", " \r\n\t"])
def test_rows_of_a_page_stay_as_they_are(rows: list[str], space: str) -> None:
    page = f"{space}[{space}{f'{space},{space}'.join(rows)}{space}]{space}"
    assert rows_of(page.encode()) == rows


@pytest.mark.parametrize("page", ["", " ", "1", "{}", "[", "[1", "[1,", "[,1]", "[1 2]", "[x]"])
def test_what_is_no_page_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        rows_of(page.encode())
