# SPDX-License-Identifier: MIT
"""A server that answers as an empty ClickHouse does, or as a test says, and keeps questions."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

VERSION_OF_EVENTS = "SELECT count(), sum(added), (SELECT count()"
VERSION_OF_RECORDS = "SELECT toString((SELECT (count(), sum(added)) FROM records"
VERSIONS_OF_ROWS = "SELECT count(*) FROM events WHERE"
HEALTH = "SELECT count() FROM (SELECT 1 FROM events"
AT_THE_START = "SELECT 1"  # asked by the C++ server, and not kept
KNOWN = {
    VERSION_OF_EVENTS: [["1"] * 4],
    VERSION_OF_RECORDS: [["1"] * 2],
    VERSIONS_OF_ROWS: [["0"]],
    HEALTH: [["0"]],
}


class Reply(NamedTuple):
    """A reply to a question; None in its place ends the connection instead."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


class Question(NamedTuple):
    """A question, as it came."""

    settings: dict[str, str]
    headers: dict[str, str]
    text: str


def empty(question: Question) -> Reply | None:
    """The answer of tables without a row."""
    rows = next((rows for begin, rows in KNOWN.items() if question.text.startswith(begin)), [])
    return Reply(body=json.dumps({"meta": [], "data": rows, "rows": len(rows)}).encode())


def failure(status: int, code: int, name: str) -> Reply:
    """An answer that tells an error, with a text that nobody should see."""
    text = f"Code: {code}. DB::Exception: 'tok_secret' ({name}) (version 26.7.3.1 (official))"
    return Reply(status, text.encode(), (("X-ClickHouse-Exception-Code", str(code)),))


@dataclass
class FakeStore:
    """The server's replies and the questions that it received."""

    port: int = 0
    answer: Callable[[Question], Reply | None] = empty
    questions: list[Question] = field(default_factory=list)
    connections: list[Any] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    goes_on: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def hang(self, question: Question) -> Reply | None:
        """Answers once the test lets it go on."""
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.release()
        self.goes_on.wait(60)
        with self.lock:
            self.at_once -= 1
        return empty(question)


def _handler(store: FakeStore) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            store.connections.append(self.connection)

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            settings = dict(parse_qsl(self.path.partition("?")[2], keep_blank_values=True))
            question = Question(settings, dict(self.headers), text)
            if question.text != AT_THE_START:
                store.questions.append(question)
            reply = store.answer(question)
            if reply is None:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            if not any(name == "Content-Length" for name, _ in reply.headers):
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = any(name == "Content-Length" for name, _ in reply.headers)

        def handle(self) -> None:
            with suppress(OSError):  # the other end has gone
                super().handle()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, store: FakeStore, tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _handler(store))
        self.tls = tls
        store.port = self.server_port

    def finish_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        with self.tls.wrap_socket(request, server_side=True) if self.tls else request as used:
            super().finish_request(used, client_address)

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def fake_store(tls: ssl.SSLContext | None = None) -> Iterator[FakeStore]:
    """A server on a free port of this machine, which ends at the end."""
    store = FakeStore()
    server = _Server(store, tls)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield store
    finally:
        store.goes_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
