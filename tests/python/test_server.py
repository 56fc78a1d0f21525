# SPDX-License-Identifier: MIT
"""The C++ server, as a client on the network meets it.

SLUICE_SERVER names the program; without it these tests are skipped.
"""

import contextlib
import hashlib
import http.client
import itertools
import json
import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

SERVER = os.environ.get("SLUICE_SERVER", "")
pytestmark = pytest.mark.skipif(not SERVER, reason="SLUICE_SERVER names no server")

TOKEN = "tok_development-1"  # of --token, on a Business plan
FAST = "tok_enterprise"  # of --keys, all but without limits
KEYS = {
    FAST: {"plan": "enterprise", "permissions": ["analytics.read", "tags.read"]},
    "tok_elsewhere": {
        "plan": "enterprise",
        "permissions": ["analytics.read", "tags.read"],
        "workspaceId": "ws_elsewhere",
    },
    "tok_free": {"plan": "free", "permissions": ["analytics.read", "tags.read"]},
    "tok_tags": {"plan": "business", "permissions": ["tags.read"]},
    "tok_expired": {
        "plan": "business",
        "permissions": ["tags.read"],
        "expiresAt": "2020-01-01T00:00:00Z",
    },
}
TIMES = {"createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z"}
CITY = "São Paulo, “Centro” 🌍 \u05e9\u05dc\u05d5\u05dd"
LONG_URL = "https://example.com/" + "x" * 4_000 + "?a=1"
LONG_PAGE = "/events?interval=all&limit=1000&browser=Long"

MAX_TARGET = 65_536
MAX_FIELDS = 8_192
MAX_FIELD_COUNT = 64
MAX_THREADS = 64
MAX_CONNECTIONS = MAX_THREADS + 64

Headers = Mapping[str, str]


def click(number: int, **changed: object) -> dict[str, object]:
    record: dict[str, object] = {
        "id": f"click_{number:04}",
        "timestamp": f"2026-02-01T00:00:{number % 60:02}.{number % 1000:03}Z",
        "linkId": "link_1",
        "url": "https://example.com/?a=1",
        "country": "BR",
        "region": "BR-SP",
        "city": CITY,
        "continent": "SA",
        "device": "Desktop",
        "browser": "Firefox",
        "os": "Linux",
        "trigger": "qr",
        "referer": "(direct)",
        "refererUrl": "(direct)",
        "qr": True,
        "ip": "192.0.2.0",
    }
    return record | changed


def folder_of(records: Mapping[str, list[dict[str, object]]], folder: Path) -> Path:
    """Writes a data folder."""
    folder.mkdir()
    for name in ("tags", "customers", "links", "clicks", "leads", "sales"):
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in records.get(name, []))
        (folder / f"{name}.ndjson").write_text("".join(lines), encoding="utf-8")
    return folder


def records() -> dict[str, list[dict[str, object]]]:
    named = {"customerId": "cus_1", "clickId": "click_0000", "linkId": "link_1"}
    long_clicks = [click(n, browser="Long", url=LONG_URL) for n in range(1_000, 2_000)]
    return {
        "tags": [
            {"id": "tag_1", "name": "Ünïcode", "color": "blue", "createdAt": TIMES["createdAt"]},
            {"id": "tag_2", "name": "plain", "color": "red", "createdAt": TIMES["createdAt"]},
        ],
        "customers": [
            {"id": "cus_1", "externalId": "c1", "name": "Zoë", "createdAt": TIMES["createdAt"]}
        ],
        "links": [{"id": "link_1", "domain": "a.co", "key": "k", "url": "https://x.org", **TIMES}],
        "clicks": [click(n) for n in range(3)] + long_clicks,
        "leads": [
            {
                "eventId": "lead_1",
                "eventName": "Sign up",
                "timestamp": "2026-02-01T00:01:00.000Z",
                "metadata": {"plan": "größer"},
                **named,
            }
        ],
        "sales": [
            {
                "eventId": "sale_1",
                "eventName": "Purchase",
                "timestamp": "2026-02-01T00:02:00.000Z",
                "amount": 1899,
                "currency": "eur",
                "invoiceId": None,
                "paymentProcessor": "stripe",
                "metadata": None,
                **named,
            }
        ],
    }


def keys_json() -> str:
    limits = {"per_minute": 1_000_000, "analytics_per_second": 1_000_000}
    unlimited = {"limits": limits}
    return json.dumps(
        [
            {"sha256": hashlib.sha256(token.encode()).hexdigest(), "workspaceId": "ws_default"}
            | (unlimited if key["plan"] == "enterprise" else {})
            | key
            for token, key in KEYS.items()
        ]
    )


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def __getitem__(self, name: str) -> str:
        """The value of a header that is there once."""
        values = [value for each, value in self.headers if each.lower() == name]
        assert len(values) == 1, (name, self.headers)
        return values[0]

    def has(self, name: str) -> bool:
        return any(each.lower() == name for each, _ in self.headers)

    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.body)

    def error(self) -> tuple[int, str, str]:
        error = self.json()["error"]
        assert list(error) == ["code", "message", "doc_url"]
        anchor = error["code"].replace("_", "-")
        assert error["doc_url"].endswith(f"/api-reference/errors#{anchor}")
        assert self["content-type"] == "application/json; charset=utf-8"
        return self.status, error["code"], error["message"]


class Server:
    """A running server, its options, and what it prints."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.state = folder / "state"
        self.printed = folder / f"printed-{time.monotonic_ns()}"
        environment = os.environ | {"XDG_STATE_HOME": str(self.state)}
        command = [SERVER, "--port", "0", *options]
        with self.printed.open("wb") as out:
            self.process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        self.url = self.wait_for(r"^serving: (\S+) until")
        self.port = int(self.url.rpartition(":")[2])
        self.certificate = self.state / "sluice" / "localhost.cert.pem"
        self.key = self.state / "sluice" / "localhost.key.pem"

    def output(self) -> str:
        return self.printed.read_text(encoding="utf-8")

    def wait_for(self, pattern: str) -> str:
        """Waits until a line is printed; its first group."""
        until = time.monotonic() + 20
        while not (found := re.search(pattern, self.output(), re.MULTILINE)):
            assert time.monotonic() < until, self.output()
            assert self.process.poll() is None, self.output()
            time.sleep(0.01)
        return found[1] if found.groups() else found[0]

    def tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.certificate)
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    def connect(self) -> http.client.HTTPConnection:
        if self.url.startswith("http:"):
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.tls())

    def ask(
        self,
        target: str,
        token: str | None = FAST,
        method: str = "GET",
        headers: Headers | None = None,
    ) -> Answer:
        with contextlib.closing(self.connect()) as connection:
            return ask(connection, target, token, method, headers)

    def socket(self) -> ssl.SSLSocket:
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        return self.tls().wrap_socket(plain, server_hostname="localhost")

    def send(self, request: bytes) -> bytes:
        """Sends bytes and reads until the server ends the connection."""
        with self.socket() as connection:
            connection.sendall(request)
            return read_all(connection)

    def stop(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(20)


def ask(
    connection: http.client.HTTPConnection,
    target: str,
    token: str | None = FAST,
    method: str = "GET",
    headers: Headers | None = None,
) -> Answer:
    authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
    connection.request(method, target, headers=authorization | dict(headers or {}))
    response = connection.getresponse()
    return Answer(response.status, response.getheaders(), response.read())


def read_all(connection: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while more := connection.recv(65_536):
            received += more
    return received


def statuses(received: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def head(target: str, *fields: str, method: str = "GET", token: str = FAST) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", *fields]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


Start = Callable[..., Server]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(records(), tmp_path_factory.mktemp("server") / "data")


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    path.write_text(keys_json())
    return path


@pytest.fixture(scope="module")
def server(data: Path, keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("running")
    running = Server(folder, "--data", str(data), "--keys", str(keys), "--token", TOKEN)
    yield running
    assert running.stop() == 0, running.output()


@pytest.fixture
def start(data: Path, keys: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts servers that end with the test."""
    running: list[Server] = []

    def started(*options: str, folder: Path = tmp_path) -> Server:
        running.append(Server(folder, "--data", str(data), "--keys", str(keys), *options))
        return running[-1]

    yield started
    for each in running:
        each.process.kill()
        each.process.wait()


def refusal(*options: str, **environment: str) -> tuple[int, str]:
    """How a server that doesn't start ends. It makes no certificate unless told where."""
    ended = subprocess.run(
        [SERVER, *options],
        env=os.environ | {"XDG_STATE_HOME": os.devnull} | environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert ended.stdout == ""
    return ended.returncode, ended.stderr


# --- Answers ---------------------------------------------------------------------------------


def test_a_page_of_clicks(server: Server) -> None:
    answer = server.ask("/events?interval=all&browser=Firefox&limit=2")
    assert answer.status == 200
    assert [row["click"]["id"] for row in answer.json()] == ["click_0002", "click_0001"]
    assert answer.json()[0]["click"]["city"] == CITY
    assert answer["content-type"] == "application/json; charset=utf-8"
    assert answer["content-length"] == str(len(answer.body))
    assert answer["cache-control"] == "private"
    assert answer["vary"] == "authorization"
    assert re.fullmatch(r'"[0-9a-f]{32}"', answer["etag"])
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer["date"])
    assert answer["x-ratelimit-limit"] == "1000000"
    assert not answer.has("connection")


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("/events?interval=all&event=leads", "größer"),
        ("/events?interval=all&event=sales", "Zoë"),
        ("/tags?search=%C3%BCN", "Ünïcode"),
    ],
)
def test_other_lists(server: Server, target: str, shown: str) -> None:
    answer = server.ask(target)
    assert answer.status == 200
    assert shown in answer.body.decode()
    assert len(answer.json()) == 1


def test_a_target_goes_to_the_handler_as_it_was_sent(server: Server) -> None:
    for url, count in (
        ("https://example.com/?a=1", 3),  # a second `?`
        ("https://example.com/%3Fa%3D1", 3),
        ("https://example.com/%253Fa=1", 0),  # decoded once
        ("https://example.com/?a=1#top", 0),
    ):
        answer = server.ask(f"/events?interval=all&limit=10&url={url}")
        assert (answer.status, len(answer.json())) == (200, count), url
    assert server.ask(f"/events?interval=all&city={quote('x' * 10_000)}").json() == []
    raw = server.send(head("/tags?search=ü", "Connection: close"))
    assert "Ünïcode" in raw.decode()


def test_head_is_get_without_the_body(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        for target in ("/tags", "/events?interval=all", "/events?limit=x", "/nothing"):
            whole = ask(connection, target)
            bare = ask(connection, target, method="HEAD")
            assert bare.body == b""
            assert bare.status == whole.status
            assert bare["content-length"] == str(len(whole.body)) != "0"
            vary = {"date", "x-ratelimit-remaining", "x-ratelimit-reset"}
            kept = [[h for h in a.headers if h[0] not in vary] for a in (whole, bare)]
            assert kept[0] == kept[1]


def test_a_page_that_the_client_has_is_not_sent_again(server: Server) -> None:
    with contextlib.closing(server.connect()) as connection:
        tag = ask(connection, "/tags")["etag"]
        answer = ask(connection, "/tags", headers={"If-None-Match": tag})
        assert (answer.status, answer.body, answer["etag"]) == (304, b"", tag)
        assert not answer.has("content-length")
        assert ask(connection, "/tags").status == 200


def test_answers_are_whole_and_plain_whatever_the_client_takes(server: Server) -> None:
    page = server.ask("/tags").body
    for ranges in ("bytes=0-4", "bytes=0-0,2-3", "bytes=" + "0-0," * 1_900 + "0-0", "no range"):
        answer = server.ask("/tags", headers={"Range": ranges, "Accept-Encoding": "gzip, br"})
        assert (answer.status, answer.body) == (200, page)
        assert not answer.has("content-encoding")
        assert not answer.has("accept-ranges")


def test_an_error_says_what_and_where(server: Server) -> None:
    status, code, message = server.ask("/events?country=US,-CA").error()
    assert (status, code) == (400, "bad_request")
    assert message.startswith("country: '-' before a single item (at byte 3), ")
    assert server.ask("/events?limit=1001").error()[:2] == (422, "unprocessable_entity")


@pytest.mark.parametrize("target", ["/", "/Events", "/events/", "/events%20", "//events", "/t?x"])
def test_another_path_is_not_found(server: Server, target: str) -> None:
    assert server.ask(target).error()[:2] == (404, "not_found")


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "CONNECT"]
)
def test_another_method_is_not_found(server: Server, method: str) -> None:
    assert server.ask("/tags", method=method).error()[:2] == (404, "not_found")
    assert server.ask("*", method=method).error()[:2] == (404, "not_found")


ENCODED = f"%{ord(FAST[0]):02x}{FAST[1:]}"  # a key only to who decodes header fields


@pytest.mark.parametrize("token", [None, "", "nobody", "tok_expired", f"{FAST} {FAST}", ENCODED])
def test_who_has_no_key_is_not_let_in(server: Server, token: str | None) -> None:
    answer = server.ask("/tags", token)
    assert answer.error()[:2] == (401, "unauthorized")
    assert answer["www-authenticate"] == "Bearer"


def test_two_authorizations_are_none(server: Server) -> None:
    twice = f"Authorization: Bearer {FAST}"
    assert statuses(server.send(head("/tags", twice, "Connection: close"))) == [401]


def test_a_key_has_a_plan_permissions_and_a_workspace(server: Server) -> None:
    assert server.ask("/events", "tok_free").error()[:2] == (403, "forbidden")
    assert server.ask("/tags", "tok_free").status == 200
    assert server.ask("/events", "tok_tags").error()[:2] == (403, "forbidden")
    assert server.ask("/tags", "tok_tags").status == 200
    assert server.ask("/tags", "tok_elsewhere").json() == []
    assert server.ask("/events?interval=all", "tok_elsewhere").json() == []


def test_more_requests_than_the_plan_admits(server: Server) -> None:
    assert server.ask("/tags", TOKEN)["x-ratelimit-limit"] == "1200"
    with contextlib.closing(server.connect()) as connection:
        answers = (ask(connection, "/events", TOKEN) for _ in range(50))
        refused = next(answer for answer in answers if answer.status != 200)
        assert refused.error()[:2] == (429, "rate_limit_exceeded")
        assert refused["x-ratelimit-limit"] == "4"
        assert refused["x-ratelimit-remaining"] == "0"
        assert int(refused["x-ratelimit-reset"]) >= int(time.time())
        assert int(refused["retry-after"]) >= 1
        time.sleep(int(refused["retry-after"]))
        assert ask(connection, "/events", TOKEN).status == 200


# --- Connections -----------------------------------------------------------------------------


def test_a_connection_serves_requests_one_after_another(server: Server) -> None:
    first, second = head("/tags?search=plain"), head("/nothing", "Connection: close")
    received = server.send(first + second + head("/tags"))
    assert statuses(received) == [200, 404]
    assert received.count(b"connection: close\r\n") == 1


def test_old_clients_get_one_answer(server: Server) -> None:
    old = head("/tags").replace(b"HTTP/1.1", b"HTTP/1.0")
    assert statuses(server.send(old + old)) == [200]


@pytest.mark.parametrize(
    "field", ["Content-Length: 63", "Transfer-Encoding: chunked", "Content-Length: x"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_is_not_taken_for_a_request(server: Server, method: str, field: str) -> None:
    request = head("/tags", field, "Expect: 100-continue", method=method) + head("/tags")
    assert statuses(server.send(request)) == [200 if method == "GET" else 404]


def test_a_large_body_does_not_keep_the_answer_from_its_sender(server: Server) -> None:
    body = head("/tags", f"Content-Length: {1 << 19}", method="POST") + bytes(1 << 19)
    assert statuses(server.send(body)) == [404]


@pytest.mark.parametrize(
    "request_head",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /tags\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"GET /tags  HTTP/1.1\r\n\r\n",
        b"GET /tags HTTP/1.2\r\n\r\n",
        b"GET /tags HTTP/2\r\n\r\n",
        b"GET /tags http/1.1\r\n\r\n",
        b"GET /ta gs HTTP/1.1\r\n\r\n",
        b"GET /tags\x00 HTTP/1.1\r\n\r\n",
        b"GET /tags\x7f HTTP/1.1\r\n\r\n",
        b"GET\t/tags HTTP/1.1\r\n\r\n",
        b"G(T /tags HTTP/1.1\r\n\r\n",
        b"M" * 33 + b" /tags HTTP/1.1\r\n\r\n",
        b"GET /tags HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /tags HTTP/1.1\r\n: no name\r\n\r\n",
        b"GET /tags HTTP/1.1\r\nspace : before\r\n\r\n",
        b"GET /tags HTTP/1.1\r\na: b\r\n folded: c\r\n\r\n",
        b"GET /tags HTTP/1.1\r\na: b\nbare: c\r\n\r\n",
        b"GET /tags HTTP/1.1\r\na: b\rbare: c\r\n\r\n",
        b"GET /tags HTTP/1.1\r\na: \x00\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_malformed_http(server: Server, request_head: bytes) -> None:
    received = server.send(request_head + head("/tags"))
    assert statuses(received) == [400]
    assert b'"code":"bad_request","message":"malformed HTTP, ' in received


def padded(size: int) -> str:
    return "/tags?search=" + "x" * (size - len("/tags?search="))


def test_a_target_has_a_limit(server: Server) -> None:
    assert statuses(server.send(head(padded(MAX_TARGET), "Connection: close"))) == [200]
    too_long = server.send(head(padded(MAX_TARGET + 1)))
    assert statuses(too_long) == [414]
    assert f"target: too long, expected at most {MAX_TARGET} bytes".encode() in too_long
    assert statuses(server.send(b"GET /" + b"x" * (MAX_TARGET + 100))) == [414]
    assert statuses(server.send(b"G" * 1_000_000)) == [414]


def test_header_fields_have_a_limit(server: Server) -> None:
    line = b"GET /tags HTTP/1.1\r\n"
    fields = head("/tags", "Connection: close")[len(line) : -2]

    def with_fields(more: bytes) -> bytes:
        return server.send(line + fields + more + b"\r\n")

    room = MAX_FIELDS - len(fields) - len("a: \r\n")
    assert statuses(with_fields(b"a: " + b"x" * room + b"\r\n")) == [200]
    too_large = with_fields(b"a: " + b"x" * (room + 1) + b"\r\n")
    assert statuses(too_large) == [431]
    assert b"headers: too large, expected at most 64 of together 8192 bytes" in too_large
    free = MAX_FIELD_COUNT - fields.count(b"\r\n")
    assert statuses(with_fields(b"a: b\r\n" * free)) == [200]
    assert statuses(with_fields(b"a: b\r\n" * (free + 1))) == [431]
    assert statuses(server.send(line + b"a: b\r\n" * 100_000)) == [431]
    assert statuses(server.send(line + b"a" * 100_000)) == [431]


def test_clients_that_take_their_time_are_cut_off(server: Server) -> None:
    """No answer for who says nothing, or says a byte now and then."""

    def dribble(connection: socket.socket) -> float:
        begun = time.monotonic()
        connection.settimeout(0.5)
        for byte in itertools.chain(b"GET /tags HTTP/1.1\r\n", itertools.repeat(ord("a"))):
            with contextlib.suppress(TimeoutError):
                connection.sendall(bytes([byte]))
                if connection.recv(1) == b"":
                    break
            assert time.monotonic() - begun < 18
        return time.monotonic() - begun

    def keep_silent(connection: socket.socket) -> float:
        begun = time.monotonic()
        assert read_all(connection) == b""
        return time.monotonic() - begun

    no_greeting = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    with server.socket() as slow, server.socket() as silent, no_greeting:
        with ThreadPoolExecutor(3) as clients:
            slowly = clients.submit(dribble, slow)
            silently = [clients.submit(keep_silent, each) for each in (silent, no_greeting)]
        assert 9 < slowly.result() < 14
        assert all(4 < each.result() < 8 for each in silently)


def threads_of(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"^Threads:\s+(\d+)", status, re.MULTILINE)[0])


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.01)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


def test_connections_have_a_limit(start: Start) -> None:
    server = start()
    with contextlib.ExitStack() as closing:
        address = ("127.0.0.1", server.port)
        crowd = [
            closing.enter_context(socket.create_connection(address, timeout=20))
            for _ in range(MAX_CONNECTIONS + 72)
        ]
        time.sleep(0.5)
        turned_away = sum(map(is_closed, crowd))
        assert turned_away == 72
        assert threads_of(server) <= MAX_THREADS + 2
    assert server.ask("/tags").status == 200
    assert server.stop() == 0


def test_two_hundred_clients_at_once(server: Server) -> None:
    target = "/events?interval=all&browser=Firefox"
    expected = server.ask(target).body

    def outcome(_: int) -> str:
        try:
            answer = server.ask(target)
        except (ConnectionError, ssl.SSLError, http.client.RemoteDisconnected):
            return "turned away"
        return "answered" if (answer.status, answer.body) == (200, expected) else "wrong"

    with ThreadPoolExecutor(200) as clients:
        outcomes = list(clients.map(outcome, range(200)))
    assert set(outcomes) <= {"answered", "turned away"}
    assert outcomes.count("answered") >= MAX_CONNECTIONS
    assert server.ask(target).body == expected


# --- The log ---------------------------------------------------------------------------------


def test_each_request_is_a_line_of_the_log(server: Server) -> None:
    mark = f"mark={time.monotonic_ns()}"
    server.ask(f"/tags?search={mark}&page=2")
    server.ask(f"/tags?search={mark}", method="HEAD")
    server.ask(f"/tags?api_key=sec{mark}&sec{mark}&ids={mark}&&page", "tok_wrong-secret")
    hostile = head(f"/ta\\gsé?search={mark}\x1b[31m", "Connection: close")
    server.send(hostile.replace(b"\x1b", b"\xff"))
    server.send(head(f"/tags?ids={mark}" + "y" * 2_000, "Connection: close"))
    server.wait_for(rf"ids={mark}y+\.\.\. ")
    lines = [line for line in server.output().splitlines() if mark in line]
    when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 127\.0\.0\.1"
    expected = [
        rf"GET /tags\?search={mark}&page=2 200 2",
        rf"HEAD /tags\?search={mark} 200 0",
        rf"GET /tags\?\*\*\*&\*\*\*&ids={mark}&\*\*\*&page 401 \d+",
        rf"GET /ta\\x5cgs\\xc3\\xa9\?search={mark}\\xff\[31m 404 \d+",
        rf"GET /tags\?ids={mark}y+\.\.\. 200 2",
    ]
    assert len(lines) == len(expected), lines
    for line, pattern in zip(lines, expected, strict=True):
        assert re.fullmatch(rf"{when} {pattern} \d+\.\d\dms", line), line
        assert len(line) < 1_200


def test_no_credentials_are_printed(server: Server) -> None:
    for token in (TOKEN, FAST, "tok_unknown"):
        server.ask("/tags", token)
        server.ask(f"/tags?token={token}")
        server.ask(f"/tags?{token}")
    server.ask("/tags?search=last")
    server.wait_for("search=last ")
    assert "tok_" not in server.output()


# --- TLS -------------------------------------------------------------------------------------


def test_plain_http_gets_no_answer(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(head("/tags"))
        assert b"HTTP" not in read_all(plain)


def test_tls_is_1_2_or_later(server: Server) -> None:
    for version in (ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = server.tls()
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = version
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        if version == ssl.TLSVersion.TLSv1_1:
            with plain, pytest.raises(ssl.SSLError, match="ALERT_PROTOCOL_VERSION"):
                context.wrap_socket(plain, server_hostname="localhost")
        else:
            context.wrap_socket(plain, server_hostname="localhost").close()


def test_the_certificate_made_here_is_for_this_machine_only(server: Server) -> None:
    for name in ("localhost", "127.0.0.1", "::1"):
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        with server.tls().wrap_socket(plain, server_hostname=name) as connection:
            shown = connection.getpeercert()
        assert shown is not None
        left = ssl.cert_time_to_seconds(str(shown["notAfter"])) - time.time()
        assert 89 < left / 86_400 <= 90
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    with plain, pytest.raises(ssl.SSLCertVerificationError, match="not valid for"):
        server.tls().wrap_socket(plain, server_hostname="example.com")
    assert f"--cacert '{server.certificate}'" in server.output()


def test_the_certificate_made_here_is_kept(start: Start) -> None:
    first = start()
    made = first.certificate.read_bytes()
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
    assert "PRIVATE" not in made.decode()
    assert sorted(each.name for each in first.key.parent.iterdir()) == [
        "localhost.cert.pem",
        "localhost.key.pem",
    ]
    assert first.stop() == 0
    again = start()
    assert again.certificate.read_bytes() == made
    assert again.ask("/tags").status == 200


@pytest.mark.parametrize("fault", ["no key", "no certificate", "another's", "open to all", "cut"])
def test_a_certificate_that_is_no_good_is_made_anew(
    start: Start, tmp_path: Path, fault: str
) -> None:
    first = start()
    made = first.certificate.read_bytes()
    first.stop()
    if fault == "no key":
        first.key.unlink()
    elif fault == "no certificate":
        first.certificate.unlink()
    elif fault == "another's":
        (tmp_path / "other").mkdir()
        other = start(folder=tmp_path / "other")
        other.key.rename(first.key)
    elif fault == "open to all":
        first.key.chmod(0o644)
    else:
        first.certificate.write_bytes(made[:100])
    again = start()
    assert again.certificate.read_bytes() != made
    assert stat.S_IMODE(again.key.stat().st_mode) == 0o600
    assert again.ask("/tags").status == 200


def test_servers_that_start_at_once_make_one_certificate(start: Start) -> None:
    with ThreadPoolExecutor(4) as starting:
        servers = list(starting.map(lambda _: start(), range(4)))
    assert [each.ask("/tags").status for each in servers] == [200] * 4


def test_a_certificate_of_ones_own(start: Start, tmp_path: Path) -> None:
    made = start()
    files = ("--certfile", str(made.certificate), "--keyfile", str(made.key))
    (tmp_path / "other").mkdir()
    other = start(*files, folder=tmp_path / "other")
    assert not other.state.exists()
    assert "for development" not in other.output()
    other.certificate = made.certificate
    assert other.ask("/tags").status == 200


def test_a_certificate_that_can_not_be_used(start: Start, data: Path, tmp_path: Path) -> None:
    made = start()
    (tmp_path / "other").mkdir()
    other = start(folder=tmp_path / "other")
    missing = tmp_path / "missing.pem"
    for certificate, key, named in (
        (missing, made.key, missing),
        (made.certificate, missing, missing),
        (made.certificate, other.key, other.key),
        (made.key, made.key, made.key),
    ):
        files = ("--certfile", str(certificate), "--keyfile", str(key))
        code, printed = refusal("--data", str(data), "--token", "t", "--port", "0", *files)
        assert code == 1
        assert printed.startswith(f"server: {named}: ")


def test_a_place_for_the_certificate_is_needed(data: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    options = ("--data", str(data), "--token", "t", "--port", "0")
    code, printed = refusal(*options, XDG_STATE_HOME=str(taken))
    assert (code, "give --certfile and --keyfile" in printed) == (1, True)
    code, printed = refusal(*options, XDG_STATE_HOME="relative", HOME="")
    assert (code, "neither XDG_STATE_HOME nor HOME is set" in printed) == (1, True)


# --- Behind a proxy --------------------------------------------------------------------------


def has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as six:
        six.bind(("::1", 0))
        return True
    return False


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1.2.3", "::1"])
def test_behind_a_proxy_the_client_has_to_come_over_https(start: Start, host: str) -> None:
    if host == "::1" and not has_ipv6():
        pytest.skip("no IPv6 here")
    server = start("--behind-proxy", "--host", host)
    assert server.url.startswith("http://")
    assert not server.state.exists()
    address = server.url.removeprefix("http://").rpartition(":")[0].strip("[]")
    for scheme, status in (("https", 200), ("HTTPS", 200), ("http", 403), ("", 403), (None, 403)):
        headers = {} if scheme is None else {"X-Forwarded-Proto": scheme}
        connection = http.client.HTTPConnection(address, server.port, timeout=20)
        with contextlib.closing(connection):
            assert ask(connection, "/tags", headers=headers).status == status, scheme
    assert server.stop() == 0


def test_over_https_nobody_is_asked_for_the_scheme(server: Server) -> None:
    assert server.ask("/tags", headers={"X-Forwarded-Proto": "http"}).status == 200


# --- The end ---------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_requests_that_have_begun_are_finished(start: Start, how: int) -> None:
    server = start()
    request = head("/tags")
    with server.socket() as begun, server.socket() as idle:
        begun.sendall(request[:20])
        time.sleep(0.2)
        stopped = time.monotonic()
        server.process.send_signal(how)
        assert (read_all(idle), time.monotonic() - stopped < 3) == (b"", True)
        with pytest.raises((ConnectionError, ssl.SSLError)):
            server.socket()
        assert server.process.poll() is None
        begun.sendall(request[20:])
        received = read_all(begun)
    assert statuses(received) == [200]
    assert b"connection: close\r\n" in received
    assert server.process.wait(5) == 0
    assert server.output().endswith("ms\nstopped\n")


def test_an_answer_that_is_being_sent_is_finished(start: Start) -> None:
    server = start()
    whole = server.ask(LONG_PAGE).body
    assert len(whole) > 8_000_000
    with server.socket() as slow:
        slow.sendall(head(LONG_PAGE))
        received = slow.recv(1)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        assert server.process.poll() is None
        received += read_all(slow)
    assert received.endswith(b"\r\n\r\n" + whole)
    assert server.process.wait(5) == 0


def test_a_client_that_goes_ends_its_connection_only(start: Start) -> None:
    server = start()
    for _ in range(20):
        with server.socket() as gone:
            gone.sendall(head(LONG_PAGE))
            gone.recv(1)
    assert server.ask("/tags").status == 200
    assert server.stop() == 0


# --- The start -------------------------------------------------------------------------------


def test_help(data: Path) -> None:
    ended = subprocess.run([SERVER, "--help"], capture_output=True, text=True, check=True)
    options = ("data", "host", "port", "certfile", "keyfile", "behind-proxy", "keys", "token")
    assert all(f"\n  --{option} " in ended.stdout for option in options)
    assert all(len(line) < 100 for line in ended.stdout.splitlines())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("", "--data is missing, expected a folder"),
        ("--data", "--data lacks its value"),
        ("--data=", "--data: empty"),
        ("--data . --token", "--token lacks its value"),
        ("--dta .", "unknown option --dta"),
        ("--data . --tokn=sec", "unknown option --tokn"),
        ("--data . --behind-proxy=yes", "unknown option --behind-proxy"),
        ("--data . sec", "argument 3 is no option"),
        ("--data . -p", "argument 3 is no option"),
        ("--data . --port 65536", "--port: not a port, expected 0 to 65535"),
        ("--data . --port -1", "--port: not a port, expected 0 to 65535"),
        ("--data . --port 1x", "--port: not a port, expected 0 to 65535"),
        ("--data . --port=", "--port: not a port, expected 0 to 65535"),
        ("--data . --token sec:ret", "--token: cannot be sent as a bearer token, expected "),
        ("--data . --token=", "--token: cannot be sent as a bearer token, expected "),
        ("--data . --certfile c", "--certfile and --keyfile: one without the other, "),
        ("--data . --keyfile k", "--certfile and --keyfile: one without the other, "),
        ("--data . --behind-proxy --host 0.0.0.0", "--behind-proxy: plain HTTP to other machines"),
        ("--data . --behind-proxy --host ::", "--behind-proxy: plain HTTP to other machines"),
        ("--data . --behind-proxy --host 10.0.0.1", "--behind-proxy: plain HTTP to other machines"),
        ("--data . --behind-proxy --host 127.0.0.1.x", "--behind-proxy: plain HTTP to other "),
        ("--data . --behind-proxy --certfile c --keyfile k", "--certfile: --behind-proxy serves "),
    ],
)
def test_wrong_arguments(options: str, problem: str) -> None:
    code, printed = refusal(*options.split())
    assert code == 2
    assert printed.startswith(f"server: {problem}")
    assert printed.endswith("\nTry 'server --help'.\n")
    assert "sec" not in printed


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    bad = records()
    bad["clicks"] = [click(1), click(2, linkId="link_9")]
    folder = folder_of(bad, tmp_path / "data")
    behind = ("--behind-proxy", "--token", "t", "--port", "0")
    code, printed = refusal("--data", str(folder), *behind)
    assert code == 1
    assert printed == (
        f"server: {folder}/clicks.ndjson:2: linkId: names no record, load that record first\n"
    )
    with (folder / "tags.ndjson").open("a") as tags:
        tags.write("\n{]\n")
    code, printed = refusal("--data", str(folder), *behind)
    assert code == 1
    assert printed.startswith(f"server: {folder}/tags.ndjson:4: malformed JSON (at byte 1), ")
    (folder / "tags.ndjson").unlink()
    code, printed = refusal("--data", str(folder), *behind)
    assert code == 1
    assert printed.startswith(f"server: {folder}/tags.ndjson: cannot be read, ")
    code, printed = refusal("--data", str(folder / "none"), *behind)
    assert (code, printed) == (1, f"server: {folder}/none: no such folder\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "No such file"),
        ("", "key 0: malformed JSON"),
        ("{}", "key 0: malformed JSON"),
        ('[{"sha256": "secret"}]', "key 0: sha256: a value that is not accepted"),
        (keys_json().replace('"free"', '"gratis"'), "key 2: plan: not one of the accepted values"),
    ],
)
def test_bad_keys_are_named(data: Path, tmp_path: Path, text: str | None, problem: str) -> None:
    path = tmp_path / "keys.json"
    if text is not None:
        path.write_text(text)
    code, printed = refusal("--data", str(data), "--behind-proxy", "--keys", str(path))
    assert code == 1
    assert printed.startswith(f"server: {path}: {problem}")
    assert "secret" not in printed


def test_a_server_without_keys_says_so(data: Path, tmp_path: Path) -> None:
    server = Server(tmp_path, "--data", str(data), "--behind-proxy")
    assert "each request is answered 401: give --keys or --token" in server.output()
    assert server.ask("/tags", headers={"X-Forwarded-Proto": "https"}).status == 401
    assert server.stop() == 0


def test_a_place_to_listen_on_has_to_be_free_and_here(start: Start, tmp_path: Path) -> None:
    port = start().port
    (tmp_path / "other").mkdir()
    for host, problem in (
        ("127.0.0.1", "Address already in use"),
        ("192.0.2.1", "Cannot assign requested address"),
    ):
        options = ("--data", str(tmp_path), "--token", "t", "--host", host, "--port", str(port))
        refused = refusal(*options, XDG_STATE_HOME=str(tmp_path / "other"))
        assert refused == (1, f"server: {host} port {port}: {problem}\n")


def test_the_server_says_what_it_serves_and_how_to_ask(server: Server) -> None:
    lines = server.output().splitlines()
    assert lines[0].startswith("loaded: 1005 events from ")
    assert lines[2] == f"serving: {server.url} until Ctrl-C"
    assert lines[3].startswith("try: curl --cacert ")
    command = lines[3].removeprefix("try: ").replace("curl", "curl -sS --noproxy '*'", 1)
    environment = os.environ | {"TOKEN": FAST}
    ran = subprocess.run(command, shell=True, env=environment, capture_output=True, check=True)
    assert len(json.loads(ran.stdout)) == 1
