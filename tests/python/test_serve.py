# SPDX-License-Identifier: MIT
"""`python -m sluice serve`: a small program around uvicorn."""

import ast
import contextlib
import json
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import http_cases
import pytest
from api_keys import bearer, make_key
from serving import Server, serving

import sluice
from sluice import EventStore, Handler

GET = http_cases.request("Connection: close")
TAGS = http_cases.request("Authorization: Bearer tok_1")
LONG_PAGE = http_cases.request(
    "Authorization: Bearer tok_1", line="GET /events?interval=all&limit=1000 HTTP/1.1"
)
PACKAGE = Path(sluice.__file__).parent
MODULES = ("_serve", "_serve_options", "_running", "_certificate")  # which no library needs


@pytest.fixture(scope="module")
def words(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Options of every server here: data, and a key without limits."""
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    keys.write_text(json.dumps([make_key("tok_1")]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield ["--data", str(sample_folder), "--keys", str(keys)]


@pytest.fixture(scope="module")
def server(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server") / "output", *words) as started:
        yield started


# --- What it is made of ----------------------------------------------------------------------


def imported(module: str) -> set[str]:
    """The modules that a module imports from, with what it takes of each."""
    nodes = list(ast.walk(ast.parse((PACKAGE / f"{module}.py").read_text())))
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{name.name}" for name in node.names}
    return names


def test_it_is_small_and_uses_nothing_private_of_other_packages() -> None:
    lines = sum(len((PACKAGE / f"{module}.py").read_text().splitlines()) for module in MODULES)
    assert lines <= 400
    used = set().union(*map(imported, MODULES))
    assert "uvicorn" in used
    of_others = {name for name in used if not name.startswith("sluice")}
    assert not any(part.startswith("_") for name in of_others for part in name.split("."))
    assert not any(name.startswith(("asyncio", "h11", "uvicorn.")) for name in of_others)


# --- Requests --------------------------------------------------------------------------------

TARGETS = [
    *("/events?interval=all&limit=7", "/events?event=sales&interval=all", "/tags?page=2"),
    *("/events?country=US,-CA", "/tags?page=0", "/nowhere", "/healthz", "/openapi.json"),
]


@pytest.mark.parametrize("target", TARGETS)
def test_answers_are_those_of_the_handler(server: Server, sample_folder: Path, target: str) -> None:
    handler = Handler(EventStore.load(sample_folder), [make_key("tok_1")])
    place = f"{server.host}:{server.port}"
    expected = handler.handle("GET", target, {**bearer("tok_1"), "host": place})
    status, headers, body = server.ask(target, **bearer("tok_1"))
    assert (status, body) == (expected.status, expected.body)
    varying = {"x-ratelimit-reset", "x-ratelimit-remaining", "etag", "link"}
    for name in expected.headers.keys() - varying:
        assert headers[name] == expected.headers[name]
    assert server.ask(target, "HEAD", **bearer("tok_1"))[2] == b""


def test_many_requests_at_once_are_answered_in_order(server: Server) -> None:
    with server.greet() as connection:
        answers = http_cases.exchange(connection, TAGS * 50 + GET)
    assert [answer.status for answer in answers] == [200] * 50 + [401]


@pytest.mark.parametrize(("size", "status"), [(30_000, 200), (65_536, 200), (200_000, 400)])
def test_a_long_target_has_a_limit(server: Server, size: int, status: int) -> None:
    target = http_cases.padded_target(size)
    with server.greet() as connection, contextlib.suppress(OSError):
        connection.sendall(
            http_cases.request(
                "Authorization: Bearer tok_1", "Connection: close", line=f"GET {target} HTTP/1.1"
            )
        )
        received = http_cases.read_all(connection)
        assert received.startswith(f"HTTP/1.1 {status} ".encode())
    assert server.get("/tags", **bearer("tok_1"))[0] == 200


@pytest.mark.parametrize("sent", ["my-id.1", None, "a b", "tok_1"])
def test_each_request_has_an_id_and_a_line(server: Server, sent: str | None) -> None:
    headers = {} if sent is None else {"X-Request-Id": sent}
    _, answered, body = server.ask("/tags?page=2&token=secret", **bearer("tok_1"), **headers)
    chosen = answered["x-request-id"]
    assert (chosen == sent) is (sent == "my-id.1")
    line = rf"^(\S+) 127\.0\.0\.1 GET /tags\?page=2&\*\*\* 200 {len(body)} \d+\.\d\dms {chosen}$"
    assert datetime.fromisoformat(server.printed(line)[1]).tzinfo
    assert "secret" not in server.output.read_text()


def test_what_is_no_request_is_refused(server: Server) -> None:
    with server.greet() as connection:
        connection.sendall(b"GET tok_secret\r\n\r\n")
        assert http_cases.read_all(connection).startswith(b"HTTP/1.1 400 ")
    assert server.get("/tags", **bearer("tok_1"))[0] == 200
    assert "tok_secret" not in server.output.read_text()


def test_silent_clients_hold_nobody_up(server: Server) -> None:
    with contextlib.ExitStack() as crowd:
        for _ in range(200):
            crowd.enter_context(server.connect())
        assert server.get("/tags", **bearer("tok_1"))[0] == 200


# --- TLS -------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs the openssl command")
@pytest.mark.parametrize(
    ("options", "is_taken"),
    [
        ("-groups P-256", True),
        ("-tls1_2 -groups P-256", True),
        ("-tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305", True),
        ("-groups ffdhe2048", False),
        ("-tls1_1 -cipher DEFAULT:@SECLEVEL=0", False),
        ("-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA", False),
        ("-tls1_2 -cipher DHE", False),
        ("-tls1_2 -cipher kRSA", False),
    ],
)
def test_tls_is_what_is_safe_and_cheap(server: Server, options: str, is_taken: bool) -> None:
    place = f"{server.host}:{server.port}"
    command = ("openssl", "s_client", "-connect", place, *options.split())
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert ("Cipher is (NONE)" not in done.stdout) is is_taken


# --- The end ---------------------------------------------------------------------------------

Start = Callable[[], contextlib.AbstractContextManager[Server]]


@pytest.fixture
def start(words: list[str], tmp_path: Path) -> Start:
    return lambda: serving(tmp_path / "output", *words)


def test_an_answer_that_is_being_sent_is_finished(start: Start) -> None:
    with start() as server, server.greet() as slow:
        slow.sendall(LONG_PAGE)
        received = slow.recv(1)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        (answer,) = http_cases.answers(received + http_cases.read_all(slow))
        assert len(json.loads(answer.body)) == 1_000
        assert server.process.wait(30) == 0


def test_silent_clients_do_not_delay_the_end(start: Start) -> None:
    with start() as server, server.connect(), server.greet() as greeted:
        assert server.stop() == 0
        assert http_cases.read_all(greeted) == b""
        assert re.search(r"\nstopped\n$", server.output.read_text())
