# SPDX-License-Identifier: MIT
"""The explorer as an application: how many questions at once, and those that go wrong."""

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sluice import ApiError, Cancellation
from sluice._explore.app import Explorer
from sluice._explore.source import NO_HISTOGRAM, Histogram, RefusedError, Work
from sluice.asgi import Message, Receive, Scope

HTTP: Scope = {
    "type": "http",
    "method": "GET",
    "path": "/count",
    "query_string": b"",
    "headers": [(b"host", b"localhost:80")],
}


class FakeSource:
    """Counts as a function says."""

    def __init__(self, count: Callable[[Work], int]) -> None:
        self._count = count

    def describe(self) -> dict[str, Any]:
        return {}

    def rows(self, query: str, offset: int, limit: int, work: Work) -> str:
        return "[]"

    def count(self, query: str, work: Work) -> int:
        return self._count(work)

    def histogram(self, query: str, work: Work) -> Histogram:
        return NO_HISTOGRAM

    def top(self, query: str, column: str, work: Work) -> list[dict[str, Any]]:
        return []

    def explain(self, query: str, work: Work) -> str | None:
        return None


async def receive_nothing() -> Message:
    """Returns the messages of a client that waits for its answer."""
    await asyncio.Event().wait()
    raise AssertionError


async def ask(
    app: Explorer, scope: Scope = HTTP, receive: Receive = receive_nothing
) -> tuple[int, dict[bytes, bytes], Any] | None:
    """The status, headers and JSON of an answer; None where there is none."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if not sent:
        return None
    start, body = sent
    return start["status"], dict(start["headers"]), json.loads(body["body"])


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.01)


class Gate:
    """A count that lasts until it is let go, or nobody waits."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.running = self.most = self.begun = 0

    def __call__(self, work: Work) -> int:
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            while not self.let_go.wait(0.01):
                work.left_ms()
        finally:
            self.running -= 1
        return 7


def test_two_questions_run_and_64_wait() -> None:
    gate = Gate()
    app = Explorer(FakeSource(gate), {}, 80)

    async def run() -> None:
        many = [asyncio.create_task(ask(app)) for _ in range(66)]
        await until(lambda: gate.running == 2)
        refused = await ask(app)
        assert refused is not None
        assert (refused[0], refused[1][b"retry-after"]) == (429, b"1")
        gate.let_go.set()
        answers = await asyncio.gather(*many)
        assert all(answer is not None and answer[2] == {"count": 7} for answer in answers)

    asyncio.run(run())
    assert gate.most == 2


def test_a_search_ends_when_its_page_goes() -> None:
    gate = Gate()
    app = Explorer(FakeSource(gate), {}, 80)

    async def run() -> None:
        gone = asyncio.Event()

        async def receive() -> Message:
            await gone.wait()
            return {"type": "http.disconnect"}

        tasks = [asyncio.create_task(ask(app, receive=receive)) for _ in range(5)]
        await until(lambda: gate.running == 2)
        gone.set()
        assert await asyncio.gather(*tasks) == [None] * 5

    asyncio.run(run())
    assert (gate.most, gate.running, gate.begun) == (2, 0, 2)


def test_searches_end_with_the_server() -> None:
    gate = Gate()
    app = Explorer(FakeSource(gate), {}, 80)

    async def run() -> None:
        task = asyncio.create_task(ask(app))
        await until(lambda: gate.running == 1)
        app.cancel()
        assert await task is None

    asyncio.run(run())


def fail(error: Exception) -> Callable[[Work], int]:
    def count(work: Work) -> int:
        raise error

    return count


FAILURES = [
    # what a source raises, status, message, Retry-After
    (ApiError("slow", code="unprocessable_entity"), 422, "slow", None),
    (RefusedError(429, b'{"error": {"message": "later"}}', "7"), 429, "later", b"7"),
    (RefusedError(401, b'{"error": {"message": "no"}}', None), 401, "no", None),
    (KeyError("tok_secret"), 500, "an unexpected failure, try again later", None),
]


@pytest.mark.parametrize(("error", "status", "message", "later"), FAILURES)
def test_what_fails_is_told(
    error: Exception,
    status: int,
    message: str,
    later: bytes | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = asyncio.run(ask(Explorer(FakeSource(fail(error)), {}, 80)))
    assert answer is not None
    assert (answer[0], answer[2]["error"]["message"]) == (status, message)
    assert answer[1].get(b"retry-after") == later
    assert len(caplog.records) == isinstance(error, KeyError)


@pytest.mark.parametrize(
    ("port", "host", "status"),
    [(80, b"localhost", 200), (80, b"127.0.0.1", 200), (8090, b"localhost", 403)],
)
def test_the_usual_port_needs_not_be_named(port: int, host: bytes, status: int) -> None:
    app = Explorer(FakeSource(lambda _: 0), {}, port)
    answer = asyncio.run(ask(app, {**HTTP, "headers": [(b"host", host)]}))
    assert answer is not None
    assert answer[0] == status


def test_time_is_what_is_left_of_a_second() -> None:
    work = Work(Cancellation())
    assert 1 <= work.left_ms() <= 1_000
    work._end -= 10  # as if ten seconds were spent
    assert work.left_ms() == 1
