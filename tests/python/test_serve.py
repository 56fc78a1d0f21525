# SPDX-License-Identifier: MIT
"""The Python server, as clients on the network meet it that are odd, slow, many or gone."""

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import http_cases
import pytest
from api_keys import bearer, make_key
from http_cases import Case
from serving import PYTHON_SERVER, Server, serving

from sluice._limits import Limits
from sluice._listener import Place, Places
from sluice._log import Log

GET = http_cases.request("Connection: close")
TAGS = http_cases.request("Authorization: Bearer tok_1")
LAST_TAGS = http_cases.request("Authorization: Bearer tok_1", "Connection: close")
LONG_PAGE = http_cases.request(
    "Authorization: Bearer tok_1", line="GET /events?interval=all&limit=1000 HTTP/1.1"
)


@pytest.fixture(scope="module")
def words(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """What every server here is started with: data, and a key that nothing limits."""
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    keys.write_text(json.dumps([make_key("tok_1")]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield ["--data", str(sample_folder), "--keys", str(keys)]


@pytest.fixture(scope="module")
def server(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server") / "output", *words) as started:
        yield started


def is_ended(connection: socket.socket) -> bool:
    """Waits until the server ends a connection without an answer."""
    return http_cases.read_all(connection) == b""


# --- Odd requests ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", http_cases.CASES, ids=lambda case: case.name)
def test_odd_requests(server: Server, case: Case) -> None:
    with server.greet() as connection:
        http_cases.check(case, connection)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_that_is_too_large_does_not_keep_the_answer_from_its_sender(
    server: Server, method: str
) -> None:
    size = 1 << 20
    head = http_cases.request(f"Content-Length: {size}", line=f"{method} /tags HTTP/1.1")
    with server.greet() as connection:
        answers = http_cases.exchange(connection, head + bytes(size))
    assert [answer.status for answer in answers] == [413]


def test_a_body_that_is_late_is_not_awaited(server: Server) -> None:
    with server.greet() as connection:
        connection.sendall(http_cases.request("Content-Length: 5", line="POST /tags HTTP/1.1"))
        answers = http_cases.answers(http_cases.read_all(connection))
    assert [(a.status, a.headers["connection"]) for a in answers] == [(404, "close")]


def test_a_head_may_come_in_pieces(server: Server) -> None:
    with server.greet() as connection:
        for byte in b"\r\n" + GET:
            connection.sendall(bytes([byte]))
        answers = http_cases.answers(http_cases.read_all(connection))
    assert [answer.status for answer in answers] == [401]


def test_many_requests_at_once_are_answered_in_order(server: Server) -> None:
    with server.greet() as connection:
        answers = http_cases.exchange(connection, TAGS * 50 + GET)
    assert [answer.status for answer in answers] == [200] * 50 + [401]


def test_a_refusal_is_logged_without_what_was_sent(server: Server) -> None:
    with server.greet() as connection:
        http_cases.exchange(connection, b"GET tok_secret\r\n\r\n")
    server.printed(r"Z 127\.0\.0\.1 - - 400 \d+ 0\.00ms [0-9a-f]{32}$")
    assert "tok_secret" not in server.output.read_text()


# --- Slow and silent clients -----------------------------------------------------------------

SHORT = ("handshake", "head", "idle", "write")


@pytest.fixture(scope="module")
def hasty(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with little patience."""
    short = [word for name in SHORT for word in (f"--{name}-timeout", "0.3")]
    output = tmp_path_factory.mktemp("hasty") / "output"
    with serving(output, *words, *short) as started:
        yield started


def test_who_says_nothing_is_let_go(hasty: Server) -> None:
    with hasty.connect() as connection:
        assert is_ended(connection)


def test_who_greets_by_half_is_let_go(hasty: Server) -> None:
    with hasty.connect() as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01")
        assert is_ended(connection)


def test_who_greets_and_then_says_nothing_is_let_go(hasty: Server) -> None:
    with hasty.greet() as connection:
        assert is_ended(connection)


def test_who_sends_a_byte_now_and_then_is_let_go(hasty: Server) -> None:
    with hasty.greet() as connection:
        connection.settimeout(0.05)
        until = time.monotonic() + 30
        for byte in GET * 1_000:
            assert time.monotonic() < until
            try:
                connection.sendall(bytes([byte]))
                if connection.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return
    raise AssertionError("all was taken")


def test_who_does_not_take_an_answer_is_let_go(hasty: Server) -> None:
    with hasty.greet() as connection:
        connection.sendall(LONG_PAGE * 4)
        hasty.printed(r"limit=1000 200 ")
        time.sleep(1)
        received = http_cases.read_all(connection)
    assert not received.endswith(b"]")


def test_who_waits_between_requests_is_let_go(hasty: Server) -> None:
    with hasty.greet() as connection:
        connection.sendall(TAGS)
        answers = http_cases.answers(http_cases.read_all(connection))
    assert [answer.status for answer in answers] == [200]


@pytest.fixture
def crowd() -> Iterator[contextlib.ExitStack]:
    """Connections that end with the test."""
    with contextlib.ExitStack() as connections:
        yield connections


def test_silent_handshakes_hold_nobody_up(server: Server, crowd: contextlib.ExitStack) -> None:
    for _ in range(200):
        crowd.enter_context(server.greet())
    assert server.get("/tags", **bearer("tok_1"))[0] == 200


def test_memory_is_given_back(server: Server, crowd: contextlib.ExitStack) -> None:
    server.get("/tags")
    before = server.resident_bytes()
    for number in range(2_000):
        connection = socket.socket()
        connection.bind((f"127.0.0.{2 + number % 4}", 0))
        connection.connect((server.host, server.port))
        crowd.callback(connection.close)
    assert server.get("/tags")[0] == 401
    during = server.resident_bytes()
    crowd.close()
    assert server.get("/tags")[0] == 401
    assert during - before < 64 << 20
    assert server.resident_bytes() - before < 64 << 20


# --- Too many clients ------------------------------------------------------------------------


def greet_from(server: Server, address: str) -> ssl.SSLSocket:
    place = (server.host, server.port)
    plain = socket.create_connection(place, timeout=30, source_address=(address, 0))
    return server.trusted.wrap_socket(plain, server_hostname=server.host)


def statuses_from(server: Server, address: str) -> list[int]:
    with greet_from(server, address) as connection:
        return [answer.status for answer in http_cases.exchange(connection, LAST_TAGS)]


def test_an_address_has_a_limit(
    words: list[str], tmp_path: Path, crowd: contextlib.ExitStack
) -> None:
    limit = ("--max-connections-per-address", "2")
    with serving(tmp_path / "output", *words, *limit) as server:
        for _ in range(2):
            crowd.enter_context(greet_from(server, "127.0.0.2"))
        with greet_from(server, "127.0.0.2") as connection:
            (answer,) = http_cases.exchange(connection, TAGS)
            assert answer.status == 429
            assert answer.error()[0] == "rate_limit_exceeded"
            assert (answer.headers["retry-after"], answer.headers["connection"]) == ("1", "close")
        assert statuses_from(server, "127.0.0.3") == [200]
        crowd.close()
        server.printed(r"429 \d+ ")
        until = time.monotonic() + 30
        while statuses_from(server, "127.0.0.2") != [200]:
            assert time.monotonic() < until


def test_there_is_a_limit_in_all(
    words: list[str], tmp_path: Path, crowd: contextlib.ExitStack
) -> None:
    with serving(tmp_path / "output", *words, "--max-connections", "3") as server:
        for number in range(3):
            crowd.enter_context(greet_from(server, f"127.0.0.{2 + number}"))
        assert statuses_from(server, "127.0.0.9") == [429]
        silent = [crowd.enter_context(server.connect()) for _ in range(128 + 10)]
        assert all(is_ended(connection) for connection in silent[128:])
        assert server.stop() == 0


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_what_counts_as_one_address(first: str, second: str, is_one: bool) -> None:
    places = Places(Limits(max_connections_per_address=1))
    assert places.take(first) is Place.SERVED
    assert places.take(second) is (Place.REFUSED if is_one else Place.SERVED)
    places.give_back(first, Place.SERVED)
    assert places.take(first) is Place.SERVED


def test_behind_a_proxy_all_clients_have_one_address(words: list[str], tmp_path: Path) -> None:
    options = ("--behind-proxy", "--max-connections-per-address", "1")
    with serving(tmp_path / "output", *words, *options) as server, server.connect():
        headers = bearer("tok_1") | {"x-forwarded-proto": "https"}
        assert server.get_plain("/tags", **headers)[0] == 200


def test_files_may_run_out(words: list[str], tmp_path: Path, crowd: contextlib.ExitStack) -> None:
    with serving(tmp_path / "output", *words) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))
        for _ in range(100):
            crowd.enter_context(server.connect())
        crowd.close()
        assert server.get("/tags", **bearer("tok_1"))[0] == 200


# --- TLS -------------------------------------------------------------------------------------

OPENSSL = shutil.which("openssl")


@pytest.mark.skipif(not OPENSSL, reason="needs the openssl command")
@pytest.mark.parametrize(
    ("options", "is_taken"),
    [
        ("-groups X25519", True),
        ("-groups P-256", True),
        ("-groups P-384", True),
        ("-tls1_2", True),
        ("-tls1_2 -groups P-256", True),
        ("-tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305", True),
        ("-groups P-521", False),
        ("-groups ffdhe2048", False),
        ("-groups ffdhe8192", False),
        ("-tls1_1 -cipher DEFAULT:@SECLEVEL=0", False),
        ("-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA", False),
        ("-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA256", False),
        ("-tls1_2 -cipher DHE", False),
        ("-tls1_2 -cipher kRSA", False),
    ],
)
def test_tls_is_what_is_safe_and_cheap(server: Server, options: str, is_taken: bool) -> None:
    place = f"{server.host}:{server.port}"
    command = ("openssl", "s_client", "-connect", place, *options.split())
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert ("Cipher is (NONE)" not in done.stdout) is is_taken


def test_a_program_with_a_configuration_of_its_own_has_one_group(
    words: list[str], tmp_path: Path
) -> None:
    """Where OpenSSL is told something else, groups of finite fields still are not taken."""
    (tmp_path / "openssl.cnf").write_text("")
    own = {"OPENSSL_CONF": str(tmp_path / "openssl.cnf")}
    with serving(tmp_path / "output", *words, **own) as server:
        assert server.get("/tags", **bearer("tok_1"))[0] == 200
        test_tls_is_what_is_safe_and_cheap(server, "-groups P-256", is_taken=True)
        test_tls_is_what_is_safe_and_cheap(server, "-groups ffdhe8192", is_taken=False)


# --- The log ---------------------------------------------------------------------------------


def test_a_reader_that_stalls_holds_up_neither_requests_nor_the_end(
    words: list[str], tmp_path: Path
) -> None:
    """The pipe is full soon: a line has up to a KiB, a pipe 64."""
    fifo = tmp_path / "output"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with fifo.open("wb") as pipe:
        command = (*PYTHON_SERVER, "--port", "0", *words)
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe)
    try:
        printed = b""
        while b"\ntry: " not in printed:
            with contextlib.suppress(BlockingIOError):
                printed += os.read(reader, 65_536)
            time.sleep(0.01)
        port = int(printed.partition(b"serving: https://127.0.0.1:")[2].partition(b" ")[0])
        server = Server(process, fifo, "127.0.0.1", port, ssl.create_default_context())
        server.trusted.load_verify_locations(printed.partition(b"--cacert ")[2].split()[0].decode())
        long = http_cases.request(
            "Authorization: Bearer tok_1", line=f"GET /tags?search={'x' * 2_000} HTTP/1.1"
        )
        with server.greet() as connection:
            answers = http_cases.exchange(connection, long * 300 + LAST_TAGS)
        assert [answer.status for answer in answers] == [200] * 301
        assert server.stop() == 0
    finally:
        process.kill()
        process.wait()
        os.close(reader)


def test_lines_that_nobody_reads_are_counted() -> None:
    reader, writer = os.pipe()
    log = Log(writer, capacity=10)
    log.write("x" * (1 << 20) + "\n")  # more than a pipe holds
    received = os.read(reader, 1)  # the writer is at it
    for number in range(25):
        log.write(f"line {number}\n")
    while not received.endswith(b"dropped, the reader was too slow\n"):
        received += os.read(reader, 65_536)
    lines = received.decode().splitlines()[1:]
    log.close()
    os.close(reader)
    os.close(writer)
    assert lines == [
        *(f"line {number}" for number in range(10)),
        "log: 15 lines dropped, the reader was too slow",
    ]


def test_a_reader_that_has_gone_ends_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    log = Log(writer, capacity=2)
    for _ in range(5):
        log.write("line\n")
    log.close()
    os.close(writer)


# --- The end ---------------------------------------------------------------------------------

Start = Callable[[], contextlib.AbstractContextManager[Server]]


@pytest.fixture
def start(words: list[str], tmp_path: Path) -> Start:
    return lambda: serving(tmp_path / "output", *words)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_requests_that_have_begun_are_answered(start: Start, number: signal.Signals) -> None:
    with start() as server, server.greet() as begun, server.greet() as idle:
        begun.sendall(TAGS[:20])
        server.get("/tags")  # so that the part has come
        server.process.send_signal(number)
        assert is_ended(idle)
        assert server.process.poll() is None
        begun.sendall(TAGS[20:])
        (answer,) = http_cases.answers(http_cases.read_all(begun))
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert server.process.wait(30) == 0
        *_, last, stopped = server.output.read_text().splitlines()
        assert (" 200 " in last, stopped) == (True, "stopped")


def test_requests_that_were_sent_before_the_signal_are_answered(start: Start) -> None:
    with start() as server, contextlib.ExitStack() as opened:
        clients = [opened.enter_context(server.greet()) for _ in range(20)]
        for client in clients:
            client.sendall(TAGS)
            client.recv(1)
        for client in clients:
            client.sendall(TAGS)
        server.process.send_signal(signal.SIGTERM)
        received = [b"H" + http_cases.read_all(client) for client in clients]
        statuses = [[a.status for a in http_cases.answers(each)] for each in received]
        assert statuses == [[200, 200]] * len(clients)
        assert server.process.wait(30) == 0


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
    with start() as server, server.connect() as silent, server.greet() as greeted:
        assert server.stop() == 0
        assert is_ended(silent)
        assert is_ended(greeted)


def test_the_package_has_its_configuration() -> None:
    """What the server starts itself again with is a file of the package."""
    code = "import sluice._tls as tls; print(tls._CONFIGURATION.read_text())"
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert "Groups = X25519:P-256:P-384" in done.stdout
