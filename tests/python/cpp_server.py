# SPDX-License-Identifier: MIT
"""The C++ server as its tests run it: its data, keys and options, what it prints and answers.

SLUICE_SERVER names the program; without it these tests are skipped.
"""

import contextlib
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import http_cases
import pytest

SERVER = os.environ.get("SLUICE_SERVER", "")
needs_server = pytest.mark.skipif(not SERVER, reason="SLUICE_SERVER names no server")

TOKEN = "tok_development-1"  # of SLUICE_TOKEN, on a Business plan
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
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records.get(name, []))
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
        values = [value for field, value in self.headers if field.lower() == name]
        assert len(values) == 1, (name, self.headers)
        return values[0]

    def has(self, name: str) -> bool:
        return any(field.lower() == name for field, _ in self.headers)

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

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.state = folder / "state"
        self.printed = folder / f"printed-{time.monotonic_ns()}"
        with self.printed.open("wb") as out:
            self.process = subprocess.Popen(
                [SERVER, "--port", "0", *options],
                env=os.environ | {"XDG_STATE_HOME": str(self.state)} | environment,
                stdout=out,
                stderr=out,
            )
        self.url = self.wait_for(r"^serving: (\S+) until")
        self.port = int(self.url.rpartition(":")[2])
        self.certificate = self.state / "sluice" / "localhost.cert.pem"
        self.key = self.state / "sluice" / "localhost.key.pem"

    def output(self) -> str:
        return self.printed.read_text(encoding="utf-8")

    def wait_for(self, pattern: str) -> str:
        """Waits until a line is printed; its first group."""
        until = time.monotonic() + 20
        while not (match := re.search(pattern, self.output(), re.MULTILINE)):
            assert time.monotonic() < until, self.output()
            assert self.process.poll() is None, self.output()
            time.sleep(0.01)
        return match[1] if match.groups() else match[0]

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

    def plain_socket(self, source: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 20, source_address=(source, 0))

    def socket(self, source: str = "127.0.0.1") -> ssl.SSLSocket:
        plain = self.plain_socket(source)
        try:
            return self.tls().wrap_socket(plain, server_hostname="localhost")
        except OSError:
            plain.close()
            raise

    def send(self, request: bytes) -> list[http_cases.Answer]:
        """Returns the answer to some bytes until the server ends the connection."""
        with self.socket() as connection:
            return http_cases.exchange(connection, request)

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


def statuses(answers: list[http_cases.Answer]) -> list[int]:
    return [answer.status for answer in answers]


def read_answer(connection: socket.socket) -> http_cases.Answer:
    """The next answer of a connection, of which nothing follows yet."""
    received = b""
    while True:
        more = connection.recv(65_536)
        assert more, received
        received += more
        head, end, body = received.partition(b"\r\n\r\n")
        size = re.search(rb"content-length: (\d+)", head)
        if end and len(body) >= int(size[1] if size else 0):
            return http_cases.answers(received)[-1]


def head(target: str, *fields: str, method: str = "GET", token: str = FAST) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}", *fields]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


Start = Callable[..., Server]


@pytest.fixture(scope="session")
def server_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(records(), tmp_path_factory.mktemp("server") / "data")


@pytest.fixture(scope="session")
def server_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "keys.json"
    path.write_text(keys_json())
    path.chmod(0o600)
    return path


@pytest.fixture(scope="session")
def server(
    server_data: Path, server_keys: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("running")
    inputs = ("--data", str(server_data), "--keys", str(server_keys))
    running = Server(folder, *inputs, SLUICE_TOKEN=TOKEN)
    yield running
    assert running.stop() == 0, running.output()


@pytest.fixture
def start(server_data: Path, server_keys: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts servers that end with the test."""
    running: list[Server] = []

    def started(*options: str, folder: Path = tmp_path, **environment: str) -> Server:
        inputs = ("--data", str(server_data), "--keys", str(server_keys))
        running.append(Server(folder, *inputs, *options, **environment))
        return running[-1]

    yield started
    for launched in running:
        launched.process.kill()
        launched.process.wait()


def refusal(*options: str, **environment: str) -> tuple[int, str]:
    """Returns the status and output of a server that doesn't start."""
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
