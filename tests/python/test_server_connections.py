# SPDX-License-Identifier: MIT
"""Connections of the C++ server: framing, limits, time, stopping, and logs that nobody reads."""

import contextlib
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import http_cases
import pytest
from cpp_server import (
    FAST,
    LONG_PAGE,
    SERVER,
    Server,
    Start,
    head,
    needs_server,
    read_answer,
    statuses,
)

pytestmark = needs_server

MAX_REFUSED = 128  # connections that are told at the same time that there are too many

# --- Framing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", http_cases.CASES, ids=lambda case: case.name)
def test_odd_requests(server: Server, case: http_cases.Case) -> None:
    with server.socket() as connection:
        http_cases.check(case, connection)


LAST = head("/tags", "Connection: close")
CHUNKED = "Transfer-Encoding: chunked"
MALFORMED = [
    b"\r",
    b"GET /tags HTTP/1.1\nHost: x\n\n",
    b"GET /tags HTTP/1.1\r\nHost: x\r\na: b\nbare: c\r\n\r\n",
    b"GET /tags HTTP/1.1\r\nHost: x\r\na: b\rbare: c\r\n\r\n",
    b"M" * 33 + b" /tags HTTP/1.1\r\nHost: x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    head("/tags", CHUNKED) + b"x\r\n\r\n0\r\n\r\n",
    head("/tags", CHUNKED) + b"-1\r\n\r\n0\r\n\r\n",
    head("/tags", CHUNKED) + b"1\r\nab\r\n0\r\n\r\n",
]


@pytest.mark.parametrize("request_text", MALFORMED)
def test_malformed_http(server: Server, request_text: bytes) -> None:
    [answer] = server.send(request_text + LAST)
    assert (answer.status, answer.error()[0]) == (400, "bad_request")
    assert answer.error()[1].startswith("malformed HTTP, ")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (["Content-Length: 0", "Content-Length: 41"], "Content-Length: expected at most one, "),
        (["Content-Length: %30"], "Content-Length: expected at most one, "),
        (["Transfer-Encoding: gzip"], "Transfer-Encoding: expected nothing but chunked, "),
        (["Host: y"], "Host: expected exactly one, "),
        ([f"Content-Length: {http_cases.MAX_BODY + 1}"], "body: too large, expected at most 65536"),
    ],
)
def test_refusals_say_what_is_wrong(server: Server, fields: list[str], problem: str) -> None:
    [answer] = server.send(head("/tags", *fields))
    assert answer.error()[1].startswith(problem)


def test_fields_after_a_body_are_not_those_of_the_head(server: Server) -> None:
    key = f"Authorization: Bearer {FAST}\r\n".encode()
    bare = head("/tags", CHUNKED).replace(key, b"") + b"1\r\na\r\n0\r\n" + key + b"\r\n"
    assert statuses(server.send(bare + LAST)) == [401, 200]


def test_a_chunked_body_has_a_limit(server: Server) -> None:
    chunk = b"4000\r\n" + bytes(0x4000) + b"\r\n"
    most, more = (head("/tags", CHUNKED) + chunk * n + b"0\r\n\r\n" for n in (4, 5))
    assert statuses(server.send(most + LAST)) == [200, 200]
    assert statuses(server.send(more + LAST)) == [413]


def test_a_client_that_asks_first_is_told_to_send_its_body(server: Server) -> None:
    with server.socket() as connection:
        connection.sendall(head("/tags", "Content-Length: 2", "Expect: 100-continue"))
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert statuses(http_cases.exchange(connection, b"41" + LAST)) == [200, 200]


def test_a_large_body_does_not_keep_the_answer_from_its_sender(server: Server) -> None:
    body = head("/tags", f"Content-Length: {1 << 19}", method="POST") + bytes(1 << 19)
    assert statuses(server.send(body)) == [413]


def test_requests_come_in_pieces_of_any_size(server: Server) -> None:
    sent = head("/tags", "Content-Length: 3") + b"abc" + b"\r\n" + head("/tags?page=2") + LAST
    for size in (1, 2, 7, 100, len(sent)):
        with server.socket() as connection:
            for at in range(0, len(sent), size):
                connection.sendall(sent[at : at + size])
            assert statuses(http_cases.answers(http_cases.read_all(connection))) == [200] * 3


def test_a_connection_serves_requests_one_after_another(server: Server) -> None:
    first, second = head("/tags?search=plain"), head("/nothing", "Connection: close")
    answers = server.send(first + second + head("/tags"))
    assert statuses(answers) == [200, 404]
    assert ["connection" in answer.headers for answer in answers] == [False, True]


def test_long_pages_one_after_another(server: Server) -> None:
    """While one is made and sent, the server reads on."""
    answers = server.send(head(LONG_PAGE) * 2 + head(LONG_PAGE, "Connection: close"))
    assert statuses(answers) == [200] * 3
    assert len({answer.body for answer in answers}) == 1


# --- Time ------------------------------------------------------------------------------------


def dribble(connection: socket.socket, first: bytes) -> bytes:
    """Sends some bytes, then one now and then for as long as the server takes them."""
    received = b""
    connection.settimeout(0.05)
    with contextlib.suppress(ConnectionError, ssl.SSLError, BrokenPipeError):
        connection.sendall(first)
        while True:
            with contextlib.suppress(TimeoutError):
                if not (more := connection.recv(100)):
                    break
                received += more
            connection.sendall(b"a")
    return received


@pytest.mark.parametrize(
    "first", [b"GET /tags HTTP/1.1\r\na: ", head("/tags", "Content-Length: 60000")]
)
def test_who_sends_a_byte_now_and_then_is_cut_off(start: Start, first: bytes) -> None:
    with start("--head-timeout", "0.5").socket() as slow:
        assert dribble(slow, first) == b""


def test_who_says_nothing_is_cut_off(start: Start) -> None:
    server = start("--handshake-timeout", "0.5", "--idle-timeout", "0.5")
    with server.plain_socket() as silent:
        assert http_cases.read_all(silent) == b""
    with server.socket() as silent:
        assert http_cases.read_all(silent) == b""
    with server.socket() as served:
        served.sendall(head("/tags"))
        assert read_answer(served).status == 200
        assert http_cases.read_all(served) == b""


def test_who_does_not_take_the_answer_is_cut_off(start: Start) -> None:
    server = start("--write-timeout", "0.5")
    with server.socket() as slow:
        slow.sendall(head(LONG_PAGE))
        server.wait_for(r"browser=Long 200 ")
        assert len(http_cases.read_all(slow)) < 8_000_000
    assert server.ask("/tags").status == 200


# --- Limits ----------------------------------------------------------------------------------


def check_refusal(connection: socket.socket) -> None:
    """One too many is answered rather than reset."""
    [answer] = http_cases.exchange(connection, head("/tags"))
    assert (answer.status, answer.error()[0]) == (429, "rate_limit_exceeded")
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.headers["connection"] == "close"


def status_of(connection: socket.socket, target: str = "/tags", token: str = FAST) -> int:
    """The status of an answer; 0 where the connection was cut off."""
    with contextlib.suppress(ConnectionError, ssl.SSLError, AssertionError):
        connection.sendall(head(target, token=token))
        return read_answer(connection).status
    return 0


def test_where_all_connections_work_one_more_is_refused(start: Start) -> None:
    server = start("--max-connections", "4", "--deadline", "0")
    with contextlib.ExitStack() as open_ones:
        for _ in range(4):
            busy = open_ones.enter_context(server.socket())
            busy.sendall(head(LONG_PAGE))
            busy.recv(1)
        for _ in range(20):
            with server.socket() as one_too_many:
                check_refusal(one_too_many)


def test_new_connections_replace_those_that_wait_longest_first_without_a_key(start: Start) -> None:
    server = start("--max-connections", "6")
    with contextlib.ExitStack() as open_ones:

        def connect() -> ssl.SSLSocket:
            return open_ones.enter_context(server.socket())

        known = [connect() for _ in range(3)]
        assert [status_of(client) for client in known] == [200] * 3
        strangers = [connect() for _ in range(2)]
        assert [status_of(client, token="tok_unknown") for client in strangers] == [401] * 2
        half = connect()
        half.sendall(b"GET /ta")
        assert status_of(strangers[0], token="tok_unknown") == 401  # waits from now on
        newer = [connect() for _ in range(2)]
        for client in newer:
            assert status_of(client) == 200  # in the places of strangers[1] and half
        assert status_of(strangers[1]) == 0
        assert http_cases.read_all(half) == b""
        newest = connect()
        assert status_of(newest) == 200
        assert status_of(strangers[0]) == 0
        assert status_of(known[0]) == 200
        last = connect()  # only those with a key are left
        assert status_of(last) == 200
        assert [status_of(client) for client in known] == [200, 0, 200]


def test_a_crowd_of_idle_connections_locks_nobody_out(start: Start) -> None:
    server = start("--max-connections", "300", "--max-connections-per-address", "30")
    with contextlib.ExitStack() as open_ones:
        for number in range(600):
            open_ones.enter_context(server.plain_socket(f"127.0.1.{1 + number % 10}"))
        for _ in range(50):
            assert server.ask("/tags").status == 200


# The second one has clients of IPv4 by addresses of IPv6.
HOSTS = ["127.0.0.1", *(["::"] if socket.has_dualstack_ipv6() else [])]


@pytest.mark.parametrize("host", HOSTS)
def test_an_address_has_a_limit(start: Start, host: str) -> None:
    server = start("--host", host, "--max-connections-per-address", "3")
    with contextlib.ExitStack() as open_ones:
        for _ in range(3):
            open_ones.enter_context(server.socket())
        with server.socket() as one_too_many:
            check_refusal(one_too_many)
        with server.socket(source="127.0.0.2") as other:
            assert statuses(http_cases.exchange(other, LAST)) == [200]


def test_beyond_the_clients_that_can_be_told_connections_are_closed(start: Start) -> None:
    server = start("--max-connections-per-address", "1")
    with contextlib.ExitStack() as open_ones:
        open_ones.enter_context(server.socket())
        for _ in range(MAX_REFUSED):
            open_ones.enter_context(server.plain_socket())
        with server.plain_socket() as closed:
            assert http_cases.read_all(closed) == b""
    assert server.process.poll() is None


def threads_of(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"^Threads:\s+(\d+)", status, re.MULTILINE)[0])


def test_polite_clients_without_a_key_lock_nobody_out(start: Start) -> None:
    server = start()
    threads = threads_of(server)
    without_key = head("/tags", token="tok_unknown")
    with contextlib.ExitStack() as open_ones:
        polite = [open_ones.enter_context(server.socket()) for _ in range(200)]
        for _ in range(3):
            for client in polite:
                client.sendall(without_key)
            assert {read_answer(client).status for client in polite} == {401}
            assert server.ask("/tags").status == 200
        assert threads_of(server) == threads


def test_silent_clients_lock_nobody_out(start: Start) -> None:
    server = start("--behind-proxy")
    threads = threads_of(server)
    https = "X-Forwarded-Proto: https"
    with contextlib.ExitStack() as open_ones:
        for number in range(2_000):
            silent = open_ones.enter_context(server.plain_socket())
            silent.sendall(b"GET /ta" if number % 2 else b"")
        with server.plain_socket() as fresh:
            fresh.sendall(head("/tags", https, "Connection: close"))
            assert read_answer(fresh).status == 200
        assert threads_of(server) == threads


def memory_of(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"^VmRSS:\s+(\d+)", status, re.MULTILINE)[0])


def test_a_connection_without_a_byte_costs_little(start: Start) -> None:
    server = start()
    before = memory_of(server)
    with contextlib.ExitStack() as open_ones:
        for number in range(900):
            open_ones.enter_context(server.plain_socket(f"127.0.1.{1 + number % 10}"))
        assert server.ask("/tags").status == 200
        assert memory_of(server) - before < 900 * 20


UNREAD = 64 << 20  # bytes


def leave_unread(server: Server, open_ones: contextlib.ExitStack, token: str, count: int) -> None:
    """Asks for long pages on as many connections and takes nothing."""
    for number in range(count):
        connection = open_ones.enter_context(server.socket(f"127.0.1.{1 + number % 10}"))
        connection.sendall(head(LONG_PAGE, token=token))


def settled_memory(server: Server) -> int:
    """The most memory within a second."""
    most = 0
    for _ in range(20):
        time.sleep(0.05)
        most = max(most, memory_of(server))
    return most << 10


def test_a_key_whose_clients_take_nothing_has_a_budget(start: Start) -> None:
    """Sixty pages of nine million bytes are left unread, two are in progress."""
    server = start("--answer-bytes-per-key", str(UNREAD // 4))
    page = len(server.ask(LONG_PAGE).body)
    before = settled_memory(server)
    with contextlib.ExitStack() as open_ones:
        leave_unread(server, open_ones, FAST, 60)
        assert settled_memory(server) - before < UNREAD // 4 + 4 * page + (60 * 200 << 10)
        assert server.ask("/events?limit=1", "tok_elsewhere").status == 200


def test_answers_that_nobody_takes_have_a_budget_in_all(start: Start) -> None:
    """The oldest are cut off, and who reads is answered."""
    server = start("--answer-bytes", str(UNREAD), "--answer-bytes-per-key", str(1 << 30))
    page = len(server.ask(LONG_PAGE).body)
    before = settled_memory(server)
    with contextlib.ExitStack() as open_ones:
        leave_unread(server, open_ones, FAST, 60)
        assert settled_memory(server) - before < UNREAD + 4 * page + (60 * 200 << 10)
        assert server.ask(LONG_PAGE).status == 200
    assert server.output().count("browser=Long 200 ") >= 50


def test_answers_without_a_key_count_in_all(start: Start) -> None:
    server = start("--answer-bytes", "200000")
    size = len(server.ask("/openapi.json", None).body)
    count = 4_000_000 // size
    requests = head("/openapi.json") * (count - 1) + head("/openapi.json", "Connection: close")
    with contextlib.ExitStack() as open_ones:
        crowd = [open_ones.enter_context(server.socket()) for _ in range(40)]
        for client in crowd:
            client.sendall(requests)
        time.sleep(0.5)
        assert server.ask("/openapi.json", None).status == 200
        whole = [http_cases.read_all(client).count(b"HTTP/1.1 200") == count for client in crowd]
    assert 1 <= sum(whole) <= 200_000 // size + 1


def test_who_takes_an_answer_too_slowly_is_cut_off(start: Start) -> None:
    server = start("--answer-rate", str(1 << 20))
    with server.socket() as slow:
        slow.sendall(head(LONG_PAGE))
        begun = time.monotonic()
        server.wait_for(r"browser=Long 200 ")
        assert 8 < time.monotonic() - begun < 20
        assert len(http_cases.read_all(slow)) < 8_000_000


def test_without_a_least_rate_an_answer_has_the_time_for_all_of_it(start: Start) -> None:
    server = start("--answer-rate", "0", "--write-timeout", "13")
    with server.socket() as slow:
        slow.sendall(head(LONG_PAGE))
        begun = time.monotonic()
        server.wait_for(r"browser=Long 200 ")
        assert 12 < time.monotonic() - begun < 25


def test_the_memory_of_a_crowd_is_given_back(start: Start) -> None:
    server = start("--behind-proxy")
    before = memory_of(server)
    with contextlib.ExitStack() as open_ones:
        for _ in range(2_000):
            crowd = open_ones.enter_context(server.plain_socket())
            crowd.sendall(b"GET /" + b"x" * 60_000)
        with server.plain_socket() as fresh:
            fresh.sendall(head("/tags", "X-Forwarded-Proto: https", "Connection: close"))
            assert read_answer(fresh).status == 200
        taken = memory_of(server) - before
    for _ in range(400):
        if memory_of(server) - before < taken / 2:
            break
        time.sleep(0.05)
    assert memory_of(server) - before < taken / 2


def test_many_clients_at_once(server: Server) -> None:
    target = "/events?interval=all&browser=Firefox"
    expected = server.ask(target).body
    with ThreadPoolExecutor(60) as clients:
        answers = list(clients.map(lambda _: server.ask(target), range(1_000)))
    assert {(answer.status, answer.body) for answer in answers} == {(200, expected)}


# --- The log ---------------------------------------------------------------------------------


@pytest.fixture
def piped(server_data: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A server whose log goes into a pipe that nobody reads but for the port."""
    command = (SERVER, "--data", str(server_data), "--behind-proxy", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        yield process
        process.kill()


def port_of(piped: "subprocess.Popen[bytes]") -> int:
    assert piped.stdout is not None
    serving = next(line for line in piped.stdout if line.startswith(b"serving: "))
    return int(serving.split()[1].rpartition(b":")[2])


def overflow(port: int) -> None:
    """Asks for more lines of the log than the server keeps."""
    forwarded = ("X-Forwarded-Proto: https",)
    requests = head("/tags?search=" + "x" * 1_000, *forwarded) * 5_000
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        sending = threading.Thread(target=connection.sendall, args=(requests,))
        sending.start()
        received = bytearray()
        while received.count(b"HTTP/1.1 401 ") < 5_000:
            received += connection.recv(65_536)
        sending.join()


def test_a_reader_of_the_log_that_stalls_holds_nothing_up(
    piped: "subprocess.Popen[bytes]",
) -> None:
    overflow(port_of(piped))
    piped.send_signal(signal.SIGTERM)
    assert piped.wait(20) == 0


def test_lines_that_the_reader_of_the_log_misses_are_counted(
    piped: "subprocess.Popen[bytes]",
) -> None:
    assert piped.stdout is not None
    port = port_of(piped)
    overflow(port)
    lines = [piped.stdout.readline() for _ in range(1_000)]
    overflow(port)
    piped.send_signal(signal.SIGTERM)
    lines += piped.stdout.readlines()
    matches = [re.fullmatch(rb"log: (\d+) lines dropped, .*\n", line) for line in lines]
    dropped = sum(int(match[1]) for match in matches if match)
    assert dropped > 0
    entries = [line for line in lines if b" 401 " in line]
    assert 5_000 < len(entries) + dropped <= 10_000
    assert all(re.search(rb"ms [0-9a-f]{32}\n$", line) for line in entries)
    assert piped.wait(20) == 0


# --- The end ---------------------------------------------------------------------------------


def wait_until_closed(server: Server) -> None:
    """Waits until nobody can connect any more."""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while True:
            server.plain_socket().close()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_requests_that_have_begun_are_finished(start: Start, how: int) -> None:
    server = start()
    request = head("/tags")
    with server.socket() as begun, server.socket() as idle:
        begun.sendall(request[:20])
        idle.sendall(head("/tags"))
        assert read_answer(idle).status == 200
        server.process.send_signal(how)
        assert http_cases.read_all(idle) == b""
        wait_until_closed(server)
        assert server.process.poll() is None
        begun.sendall(request[20:])
        [answer] = http_cases.answers(http_cases.read_all(begun))
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert server.process.wait(20) == 0
    *_, last, stopped = server.output().splitlines()
    assert (" 200 " in last, stopped) == (True, "stopped")


def test_requests_that_were_just_sent_are_answered(start: Start) -> None:
    """Over connections that were idle until then, and over new ones."""
    server = start()
    with contextlib.ExitStack() as open_ones:
        clients = [open_ones.enter_context(server.socket()) for _ in range(50)]
        for client in clients[:25]:
            client.sendall(head("/tags"))
            assert read_answer(client).status == 200
        for client in clients:
            client.sendall(head("/tags"))
        server.process.send_signal(signal.SIGTERM)
        answers = [http_cases.answers(http_cases.read_all(client)) for client in clients]
    assert [statuses(answer) for answer in answers] == [[200]] * 50
    assert server.process.wait(20) == 0


def test_requests_that_were_sent_together_are_all_answered(start: Start) -> None:
    server = start()
    with server.socket() as connection:
        connection.sendall(head(LONG_PAGE) + head("/tags") * 5)
        received = connection.recv(1)
        server.process.send_signal(signal.SIGTERM)
        answers = http_cases.answers(received + http_cases.read_all(connection))
    assert statuses(answers) == [200] * 6
    assert server.process.wait(20) == 0


def test_an_answer_that_is_being_sent_is_finished(start: Start) -> None:
    server = start()
    whole = server.ask(LONG_PAGE).body
    assert len(whole) > 8_000_000
    with server.socket() as slow:
        slow.sendall(head(LONG_PAGE))
        received = slow.recv(1)
        server.process.send_signal(signal.SIGTERM)
        wait_until_closed(server)
        assert server.process.poll() is None
        received += http_cases.read_all(slow)
    assert received.endswith(b"\r\n\r\n" + whole)
    assert server.process.wait(20) == 0


def test_a_second_signal_ends_the_server_at_once(start: Start) -> None:
    server = start()
    with server.socket() as begun:
        begun.sendall(head("/tags")[:20])
        server.wait_for("serving")
        server.process.send_signal(signal.SIGTERM)
        wait_until_closed(server)
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == -signal.SIGTERM


def test_a_client_that_goes_ends_its_connection_only(start: Start) -> None:
    server = start()
    for _ in range(20):
        with server.socket() as gone:
            gone.sendall(head(LONG_PAGE))
            gone.recv(1)
    assert server.ask("/tags").status == 200
    assert server.stop() == 0
