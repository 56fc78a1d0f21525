# SPDX-License-Identifier: MIT
"""The C++ server's connections to a store: kept, ended, refused, slow, of other hosts, over TLS."""

import base64
import json
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from api_keys import bearer, make_key
from cpp_server import SERVER, needs_server, refusal
from fake_store import FakeStore, Question, Reply, empty, failure, fake_store
from serving import Server, serving

pytestmark = needs_server

TOKENS = [f"tok_{number}" for number in range(4)]
PASSWORD = "p4ss/of:nobody@%"
EVENTS = "/events?interval=all"
WRONG = failure(403, 516, "AUTHENTICATION_FAILED")
SHARD_LOST = failure(500, 279, "ALL_CONNECTION_TRIES_FAILED")


@pytest.fixture
def store() -> Iterator[FakeStore]:
    with fake_store() as started:
        yield started


@pytest.fixture
def other() -> Iterator[FakeStore]:
    with fake_store() as started:
        yield started


@contextmanager
def over(folder: Path, url: str, *words: str, **environment: str) -> Iterator[Server]:
    """The server over a store."""
    keys = folder / "keys.json"
    keys.write_text(json.dumps([make_key(token) for token in TOKENS]))
    options = ("--store", url, "--keys", str(keys), *words)
    environment = {"SLUICE_STORE_PASSWORD": PASSWORD} | environment
    with serving(folder / "out", *options, command=(SERVER,), **environment) as server:
        yield server
        printed = server.output.read_text()
        assert PASSWORD not in printed
        assert "tok_secret" not in printed


def url_of(*stores: FakeStore) -> str:
    return f"clickhouse://me@{','.join(replica.place for replica in stores)}/mine"


def get(server: Server, target: str = EVENTS, token: str = TOKENS[0]) -> int:
    return server.get(target, **bearer(token))[0]


def test_a_connection_is_kept_and_says_who_asks(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, url_of(store)) as server:
        assert [get(server) for _ in range(5)] == [200] * 5
        assert server.get(EVENTS, **bearer(TOKENS[0])) == (200, b"[]")
        words = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert b"clickhouse" not in words
    assert len(store.connections) == 1
    assert (
        len(store.questions) == 18
    )  # what the data's version is, the rows, and how many there are
    for question in store.questions:
        login = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
        assert question.headers["Authorization"] == f"Basic {login}"
        assert question.headers["Host"] == store.place
        assert question.settings["database"] == "mine"
        assert question.settings["max_execution_time"] == "5"
        assert "ws_default" in question.settings["param_p1"]


def test_a_connection_that_ended_meanwhile_is_made_again(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, url_of(store)) as server:
        assert get(server) == 200
        store.connections[-1].shutdown(socket.SHUT_RDWR)  # while nobody asks
        assert get(server) == 200
        ends = iter([None])

        def end_once(question: Question) -> Reply | None:
            return next(ends, empty(question))

        store.answer = end_once  # as it is asked
        assert get(server) == 200
        assert len(store.connections) == 3
        store.answer = lambda _: None
        assert get(server) == 500  # the kept one has ended, and so has the new one
        assert len(store.connections) == 4


def test_the_next_host_answers_where_one_does_not(
    store: FakeStore, other: FakeStore, tmp_path: Path
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nowhere = FakeStore(unused.getsockname()[1])
        with over(tmp_path, url_of(nowhere, store, other)) as server:
            store.answer = lambda _: SHARD_LOST
            assert get(server) == 200
            assert (len(store.questions), len(other.questions)) == (1, 3)
            assert get(server) == 200
            assert (len(store.questions), len(other.questions)) == (1, 6)  # which answered last
            other.answer = lambda _: SHARD_LOST
            assert get(server) == 500
            server.printed(
                r"^the store does not answer: 127\.0\.0\.1 port \d+: error 279 of ClickHouse, "
                r"ALL_CONNECTION_TRIES_FAILED; 127\.0\.0\.1 port \d+: Connection refused; "
                r"127\.0\.0\.1 port \d+: error 279 of ClickHouse, ALL_CONNECTION_TRIES_FAILED$"
            )


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (failure(404, 60, "UNKNOWN_TABLE"), "error 60 of ClickHouse, UNKNOWN_TABLE"),
        (Reply(502, b"tok_secret (SECRET) (version 1)"), "HTTP status 502"),
        (Reply(302, b"", (("Location", "http://elsewhere"),)), "HTTP status 302"),
        (Reply(200, b'{"data":[', (("Content-Length", "100"),)), "partial message"),
        (Reply(200, b"", (("Content-Length", "1000000000"),)), "body limit exceeded"),
        (None, "end of stream"),
    ],
    ids=str,
)
def test_answers_that_are_none_are_a_500(
    store: FakeStore, tmp_path: Path, reply: Reply | None, message: str
) -> None:
    with over(tmp_path, url_of(store)) as server:
        store.answer = lambda _: reply
        for target in (EVENTS, "/tags", "/readyz"):
            assert get(server, target) == 500
        server.printed(f"^the store does not answer: 127.0.0.1 port {store.port}: {message}$")
        store.answer = empty
        for target in (EVENTS, "/tags", "/readyz"):
            assert get(server, target) == 200


def test_a_user_who_is_refused_is_not_tried_elsewhere(
    store: FakeStore, other: FakeStore, tmp_path: Path
) -> None:
    with over(tmp_path, url_of(store, other)) as server:
        store.answer = lambda _: WRONG
        assert get(server) == 500
        server.printed(f"port {store.port}: error 516 of ClickHouse, AUTHENTICATION_FAILED$")
    assert not other.questions


def test_a_user_who_is_refused_is_named_at_the_start(store: FakeStore) -> None:
    store.answer = lambda _: WRONG
    ended, printed = refusal("--behind-proxy", "--store", url_of(store), SLUICE_TOKEN="t")
    assert ended == 1
    assert "--store: 127.0.0.1 port" in printed
    assert "error 516 of ClickHouse, AUTHENTICATION_FAILED\n" in printed
    assert PASSWORD not in printed


def test_a_store_that_is_not_there_is_named_at_the_start(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nowhere = FakeStore(unused.getsockname()[1])
        with over(tmp_path, url_of(nowhere)) as server:
            server.printed(
                r"^the store does not answer: 127\.0\.0\.1 port \d+: Connection refused$"
            )
            assert (get(server, "/readyz"), get(server, "/healthz")) == (500, 200)


def test_a_statement_has_its_time(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, url_of(store), "--store-timeout", "1") as server:
        store.answer = store.hang
        assert get(server) == 500
        server.printed(f"port {store.port}: no answer in time$")
        assert store.questions[0].settings["max_execution_time"] == "1"
        store.goes_on.set()
        assert get(server) == 200
    assert len(store.connections) == 2  # the one that was given up is not used again


def test_a_statement_ends_with_its_client(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, url_of(store), "--store-timeout", "600") as server:
        store.answer = store.hang
        with server.greet() as client:
            head = f"GET {EVENTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKENS[0]}\r\n\r\n"
            client.sendall(head.encode())
            assert store.begun.acquire(timeout=30)
        ends = store.connections[0].recv(1)  # nothing follows but the end
        assert ends == b""
        store.answer = empty
        assert get(server) == 200
        assert "does not answer" not in server.output.read_text()


@pytest.mark.servers  # it takes ten seconds
def test_a_statement_ends_with_the_server(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, url_of(store), "--store-timeout", "600") as server:
        store.answer = store.hang
        with ThreadPoolExecutor() as clients:
            waits = clients.submit(get, server)
            assert store.begun.acquire(timeout=30)
            assert server.stop() == 0
            assert waits.result() == 500


def test_no_more_statements_at_a_time_than_the_option_says(
    store: FakeStore, tmp_path: Path
) -> None:
    with over(tmp_path, url_of(store), "--store-statements", "3") as server:
        store.answer = store.hang
        with ThreadPoolExecutor(8) as clients:
            answers = [clients.submit(get, server, EVENTS, token) for token in TOKENS * 2]
            for _ in range(3):
                assert store.begun.acquire(timeout=30)
            store.goes_on.set()
            assert [answer.result() for answer in answers] == [200] * 8
    assert store.most_at_once == 3


def test_those_who_ask_for_health_hold_up_nobody(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, url_of(store), "--threads", "4", "--store-timeout", "600") as server:
        store.answer = store.hang
        with ThreadPoolExecutor(20) as clients:
            asking = [clients.submit(get, server, "/readyz", "tok_unknown") for _ in range(20)]
            for _ in range(2):
                assert store.begun.acquire(timeout=30)
            assert get(server, "/openapi.json") == 200  # by the thread that reads and writes
            assert get(server, "/events?limit=x") == 400  # by one of the others
            store.goes_on.set()
            assert {answer.result() for answer in asking} == {200}
    assert store.most_at_once == 2


def tls_of(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def test_a_store_over_tls_has_to_be_who_it_says(tmp_path: Path) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    trusted = ("--store-ca", str(tmp_path / "ca.pem"))
    cases = (
        (tls_of(authority, "127.0.0.1"), "127.0.0.1", trusted, None),
        (tls_of(authority, "localhost"), "localhost", trusted, None),
        (tls_of(authority, "localhost"), "127.0.0.1", trusted, "IP address mismatch"),
        (tls_of(authority, "example.org"), "localhost", trusted, "hostname mismatch"),
        (tls_of(stranger, "127.0.0.1"), "127.0.0.1", trusted, "unable to get local issuer.*"),
        (tls_of(authority, "127.0.0.1"), "127.0.0.1", (), "unable to get local issuer.*"),
    )
    for context, host, options, message in cases:
        with fake_store(context) as store:
            url = f"clickhouses://me@{host}:{store.port}/mine"
            with over(tmp_path, url, *options) as server:
                assert get(server) == (500 if message else 200)
                if message:
                    server.printed(f"port {store.port}: its certificate is not trusted: {message}$")
                    assert not store.questions
                else:
                    assert [get(server) for _ in range(3)] == [200] * 3
                    assert len(store.connections) == 1


def test_plain_text_is_no_tls(store: FakeStore, tmp_path: Path) -> None:
    with over(tmp_path, f"clickhouses://me@{store.place}") as server:
        assert get(server) == 500
        server.printed(f"port {store.port}: wrong version number")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--store x --data .", 2, "--store excludes --data"),
        ("--store-ca x --data .", 2, "--store-ca requires --store"),
        ("--store x --store-timeout 0", 2, "--store-timeout: expected a number from 1 to 86400"),
        ("--store x --store-timeout 1.5", 2, "--store-timeout: expected a number from 1 to 86400"),
        ("--store x --store-statements 0", 2, "--store-statements: expected a number from 1 to "),
        (
            f"--behind-proxy --store clickhouse://u:{PASSWORD}@h:x",
            1,
            "--store: expected clickhouse",
        ),
        ("--behind-proxy --store clickhouse://h --store-ca f", 1, "--store-ca: expected a URL of "),
        ("--behind-proxy --store clickhouses://h --store-ca /f", 1, "--store-ca: /f: No such file"),
    ],
)
def test_wrong_options(options: str, code: int, message: str) -> None:
    ended, printed = refusal(*options.split(), SLUICE_TOKEN="t")
    assert ended == code
    assert message in printed
    assert PASSWORD not in printed
