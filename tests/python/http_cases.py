# SPDX-License-Identifier: MIT
"""Odd requests and what answers them, for any server in front of the handler.

None of them has a key, so that 401 says: the handler has seen this request.
"""

import contextlib
import json
import re
import socket
import ssl
from collections.abc import Iterator
from typing import Any, NamedTuple

HANDLED = 401

MAX_TARGET = 65_536  # bytes
MAX_FIELDS = 8_192  # bytes of all header fields, with ": " and the ends of their lines
MAX_FIELD_COUNT = 64
MAX_BODY = 65_536  # bytes that are read and dropped; a request that announces more is refused


class Case(NamedTuple):
    """Bytes that a client sends at once, and the status of each answer before the server closes."""

    name: str
    request: bytes
    statuses: tuple[int, ...]


class Answer(NamedTuple):
    """One answer of a connection."""

    status: int
    headers: dict[str, str]
    body: bytes

    def error(self) -> tuple[str, str]:
        """The code and the message of the envelope, whose form is checked."""
        assert self.headers["content-type"] == "application/json; charset=utf-8"
        error: dict[str, Any] = json.loads(self.body)["error"]
        assert list(error) == ["code", "message", "doc_url"]
        assert error["doc_url"].endswith("/api-reference/errors#" + error["code"].replace("_", "-"))
        return error["code"], error["message"]


def request(
    *fields: str,
    line: str = "GET /tags HTTP/1.1",
    host: str | None = "Host: x",
    body: str = "",
) -> bytes:
    """A request of a line, a Host and other fields, and a body."""
    lines = [line, *([] if host is None else [host]), *fields, "", body]
    return "\r\n".join(lines).encode("latin-1")


def padded_target(size: int) -> str:
    """A target of so many bytes that the handler takes."""
    return "/tags?search=" + "x" * (size - len("/tags?search="))


def padded_fields(size: int) -> list[str]:
    """Fields that take so many bytes together with `Host: x`."""
    return ["a: " + "x" * (size - len("Host: x\r\na: \r\n"))]


LAST = request("Connection: close")
"""Heads after each odd request: the server may take them for a request only if it may go on."""


def _taken(name: str, odd: bytes, *statuses: int) -> Case:
    return Case(name, odd + LAST, (*(statuses or (HANDLED,)), HANDLED))


def _refused(name: str, odd: bytes, status: int = 400) -> Case:
    return Case(name, odd + LAST, (status,))


def _bodies() -> Iterator[Case]:
    """RFC 9112, section 6: where a request ends."""
    post = "POST /tags HTTP/1.1"
    chunked = "Transfer-Encoding: chunked"
    yield _taken("no body", request("Content-Length: 0"))
    yield _taken("a body with GET", request("Content-Length: 5", body="GET /"))
    yield _taken("a body with POST", request("Content-Length: 5", line=post, body="hello"), 404)
    smuggled = request().decode()
    yield _taken("a request as a body", request(f"Content-Length: {len(smuggled)}", body=smuggled))
    yield _taken("an empty chunked body", request(chunked, body="0\r\n\r\n"))
    yield _taken("a chunked body", request(chunked, body="5;a=b\r\nhello\r\n0\r\nt: u\r\n\r\n"))
    yield _taken("chunked in capitals", request("Transfer-Encoding: Chunked", body="0\r\n\r\n"))
    expected = request("Content-Length: 2", "Expect: 100-continue", body="41")
    yield _taken("a body with an expectation", expected)
    yield _refused("a body too large", request(f"Content-Length: {MAX_BODY + 1}"), 413)
    for length in ("", "%30", "+1", "-1", "0x1", "1 1", "1,2", "1;", "one", "1" * 30):
        yield _refused(f"Content-Length: {length}", request(f"Content-Length: {length}"))
    for one, other in (("0", "41"), ("41", "0"), ("0", "0"), ("41", "41")):
        lengths = (f"Content-Length: {one}", f"Content-Length: {other}")
        yield _refused(f"Content-Length: {one}, then {other}", request(*lengths))
    for coding in ("", "chunke", "xchunked", "chunked, x", "chunked, chunked", "gzip", "identity"):
        named = f"Transfer-Encoding: {coding}"
        yield _refused(named, request(named, body="0\r\n\r\n"))
    both = ("Content-Length: 5", chunked)
    yield _refused("Content-Length, then chunked", request(*both, body="0\r\n\r\n"))
    yield _refused("chunked, then Content-Length", request(*reversed(both), body="0\r\n\r\n"))
    old = request(chunked, line="GET /tags HTTP/1.0", body="0\r\n\r\n")
    yield _refused("chunked of HTTP/1.0", old)


def _targets() -> Iterator[Case]:
    """RFC 9112, section 3: what a request asks for, and of which host."""
    for target in ("http://x/tags", "HTTPS://x:8443/tags?page=1", "https://[::1]/tags"):
        yield _taken(f"target {target}", request(line=f"GET {target} HTTP/1.1"))
    for target in ("https://x", "https://x?a=b", "https://x/nothing", "/tags/", "//tags"):
        yield _taken(f"target {target}", request(line=f"GET {target} HTTP/1.1"), 404)
    yield _taken("OPTIONS *", request(line="OPTIONS * HTTP/1.1"), 404)
    yield _taken("an empty line before", b"\r\n" + request())
    yield _taken("an empty Host", request(host="Host:"))
    yield _refused("no Host", request(host=None))
    yield _refused("two Hosts", request("Host: x"))
    yield _refused("two other Hosts", request("Host: y"))
    for host in ("x y", "x/y", "x@y", "x:port", "[x"):
        yield _refused(f"Host: {host}", request(host=f"Host: {host}"))
    yield Case("HTTP/1.0", request(line="GET /tags HTTP/1.0", host=None) + LAST, (HANDLED,))
    yield _refused("two Hosts of HTTP/1.0", request("Host: x", line="GET /tags HTTP/1.0"))


def _malformed() -> Iterator[Case]:
    """Bytes that are no request at all."""
    for line in (
        "GET",
        "GET /tags",
        "GET  HTTP/1.1",
        "GET /tags  HTTP/1.1",
        "GET /tags HTTP/1.2",
        "GET /tags HTTP/2",
        "GET /tags http/1.1",
        "GET /ta gs HTTP/1.1",
        "GET /tags\x00 HTTP/1.1",
        "GET /tags\x7f HTTP/1.1",
        "GET\t/tags HTTP/1.1",
        "G(T /tags HTTP/1.1",
    ):
        yield _refused(repr(line), request(line=line))
    for field in ("no colon", ": no name", "space : before", "a: \x00", " folded: first"):
        yield _refused(
            repr(field), request(field, host=" folded" if field[0] == " " else "Host: x")
        )


def _too_large() -> Iterator[Case]:
    """Requests that are larger than allowed."""
    most, more = (request(line=f"GET {padded_target(MAX_TARGET + n)} HTTP/1.1") for n in (0, 1))
    yield _taken("the longest target", most)
    yield _refused("a longer target", more, 414)
    yield _refused("a target without an end", b"GET /" + b"x" * (MAX_TARGET + 100_000), 414)
    yield _taken("the most bytes of fields", request(*padded_fields(MAX_FIELDS)))
    yield _refused("more bytes of fields", request(*padded_fields(MAX_FIELDS + 1)), 431)
    yield _taken("the most fields", request(*["a: b"] * (MAX_FIELD_COUNT - 1)))
    yield _refused("more fields", request(*["a: b"] * MAX_FIELD_COUNT), 431)
    yield _refused("fields without an end", request(*["a: b"] * 100_000), 431)
    yield _refused("a field without an end", b"GET /tags HTTP/1.1\r\na: " + b"x" * 200_000, 431)


CASES = [*_bodies(), *_targets(), *_malformed(), *_too_large()]


def read_all(connection: socket.socket) -> bytes:
    """Returns the bytes that a server sends until it closes the connection."""
    received = bytearray()
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while more := connection.recv(65_536):
            received += more
    return bytes(received)


def exchange(connection: socket.socket, sent: bytes) -> list[Answer]:
    """Sends bytes, and reads what answers them until the server closes the connection."""
    with contextlib.suppress(ConnectionError, ssl.SSLError):  # it need not read to the end
        connection.sendall(sent)
    return answers(read_all(connection))


def answers(received: bytes) -> list[Answer]:
    """The answers that lie one after another in what a server sent, but for interim ones."""
    read: list[Answer] = []
    while received:
        head, end, received = received.partition(b"\r\n\r\n")
        line = re.match(r"HTTP/1\.1 (\d{3}) ", head.decode("latin-1"))
        assert line is not None, head
        assert end, head
        if line[1].startswith("1"):
            continue
        lines = (header.partition(":") for header in head.decode("latin-1").split("\r\n")[1:])
        headers = {name.lower(): value.strip() for name, _, value in lines}
        size = int(headers.get("content-length", 0))
        read.append(Answer(int(line[1]), headers, received[:size]))
        received = received[size:]
    return read


def check(case: Case, connection: socket.socket) -> None:
    """Asserts that a server answers as a case says, each refusal as the envelope."""
    got = exchange(connection, case.request)
    assert tuple(answer.status for answer in got) == case.statuses
    for answer in got:
        code, message = answer.error()
        expected = {401: "unauthorized", 404: "not_found"}.get(answer.status, "bad_request")
        assert (code, bool(message)) == (expected, True)
    assert got[-1].headers["connection"] == "close"
