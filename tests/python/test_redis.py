# SPDX-License-Identifier: MIT
"""Limits that processes share through Redis, on real servers of the tests' own."""

import asyncio
import hashlib
import json
import math
import os
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest
import trustme
from redis.exceptions import ResponseError
from redis_server import RedisServer, free_port, running_redis
from serving import CPP_SERVER, Server, serving

import sluice
from sluice import ApiError, Decision, RateLimiter, _sluice

Algorithm: TypeAlias = Literal["sliding_window", "fixed_window", "sliding_log", "gcra"]
OnError: TypeAlias = Literal["local", "refuse", "allow"]

ALGORITHMS: tuple[Algorithm, ...] = ("sliding_window", "fixed_window", "sliding_log", "gcra")
SAMENESS = os.environ.get("SLUICE_REDIS_SAMENESS", "")
NOW = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)
YEAR = 366 * 86_400  # a window whose end no test meets

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running_redis(tmp_path_factory.mktemp("redis")) as started:
        yield started


@pytest.fixture
def redis(server: RedisServer) -> RedisServer:
    """A server that runs and has no keys, nor the script."""
    with server.client() as client:
        client.flushall()
        client.script_flush()
    return server


def scripts_run(redis: RedisServer) -> int:
    """Returns the number of scripts that the server has run."""
    with redis.client() as client:
        stats = client.info("commandstats")
    return sum(stats.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ("eval", "evalsha"))


# --- Sameness ------------------------------------------------------------------------------------


def test_the_script_has_its_name(redis: RedisServer) -> None:
    sha1 = hashlib.sha1(_sluice.REDIS_SCRIPT.encode()).hexdigest()
    assert sha1 == _sluice.REDIS_SCRIPT_SHA1
    with redis.client() as client:
        assert client.script_load(_sluice.REDIS_SCRIPT) == sha1


@pytest.mark.parametrize("algorithm", ["", "GCRA", "token_bucket"])
def test_the_script_refuses_what_is_no_algorithm(redis: RedisServer, algorithm: str) -> None:
    numbers = struct.pack("<dddd", 0, 1, 5, 60_000)
    with redis.client() as client:
        with pytest.raises(ResponseError, match=f"no algorithm {algorithm}"):
            client.eval(_sluice.REDIS_SCRIPT, 1, "key", algorithm, numbers)
        assert client.keys() == []


@pytest.mark.skipif(not SAMENESS, reason="SLUICE_REDIS_SAMENESS names no program")
def test_decisions_are_those_of_the_library(redis: RedisServer) -> None:
    seed = random.randrange(2**32)
    done = subprocess.run(
        (SAMENESS, str(redis.port), str(seed), "70"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}"
    counts = [int(line.split()[2]) for line in done.stdout.splitlines() if "decisions" in line]
    assert sum(counts) > 100_000, done.stdout


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_storage_decides_as_memory_does(redis: RedisServer, algorithm: Algorithm) -> None:
    draw = random.Random(7)
    local = RateLimiter(5, 60, algorithm)
    shared = RateLimiter(5, 60, algorithm, storage=redis.url)
    later = RateLimiter(5, 60, algorithm, storage=redis.url, prefix="later")

    async def compare() -> None:
        now = NOW
        for _ in range(200):
            now += timedelta(milliseconds=draw.choice((0, 900, 12_000, -5_000, 60_000, -61_000)))
            cost = draw.choice((1, 1, 1, 0, 2, 6))
            expected = local.check("client", now, cost)
            assert shared.check("client", now, cost) == expected
            assert await later.acheck("client", now, cost) == expected
        await later.aclose()

    asyncio.run(compare())


def test_the_clock_is_the_servers_by_default(redis: RedisServer) -> None:
    decision = RateLimiter(1, YEAR, "sliding_log", storage=redis.url).check("client")
    with redis.client() as client:
        seconds, _ = client.time()
    assert decision.reset - YEAR in range(seconds - 30, seconds + 2)


def test_several_policies_are_counted_all_or_none(redis: RedisServer) -> None:
    limiter = RateLimiter(2, 1, "fixed_window", storage=redis.url, also=[(3, 60)])
    seconds = (0, 0, 0, 1, 1, 2, 60)
    decisions = [limiter.check("client", NOW + timedelta(seconds=s)) for s in seconds]
    assert [(d.allowed, d.limit, d.remaining) for d in decisions] == [
        (True, 2, 1),
        (True, 2, 0),
        (False, 2, 0),
        (True, 3, 0),
        (False, 3, 0),
        (False, 3, 0),
        (True, 2, 1),
    ]
    assert [d.retry_after for d in decisions] == [None, None, 1, None, 59, 58, None]


def count_allowed(url: str, algorithm: Algorithm, checks: int) -> int:
    limiter = RateLimiter(100, YEAR, algorithm, storage=url, on_error="refuse", deadline_ms=20_000)
    return sum(limiter.check("client").allowed for _ in range(checks))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_sixteen_processes_never_exceed_a_limit(redis: RedisServer, algorithm: Algorithm) -> None:
    with get_context("fork").Pool(16) as pool:
        count_part = partial(count_allowed, redis.url, algorithm)
        assert sum(pool.map(count_part, [25] * 16, chunksize=1)) == 100


# --- What the server holds -----------------------------------------------------------------------


def contents(redis: RedisServer) -> dict[bytes, Any]:
    with redis.client() as client:
        return {key: client.dump(key) for key in client.keys("*")}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_refusal_writes_nothing(redis: RedisServer, algorithm: Algorithm) -> None:
    limiter = RateLimiter(2, 60, algorithm, storage=redis.url, also=[(9, 120)])
    assert limiter.check("client", NOW, cost=2).allowed
    before = contents(redis)
    assert before
    for cost in (1, 2, 3, 99, 0):
        later = NOW + timedelta(milliseconds=cost)
        assert limiter.check("client", later, cost).allowed is (cost == 0)
    assert contents(redis) == before
    assert not limiter.check("another", NOW, cost=10).allowed
    assert contents(redis) == before


def is_kept_for(redis: RedisServer, milliseconds: int) -> bool:
    """Returns true if the only state expires then, less the time of this test."""
    with redis.client() as client:
        (key,) = client.keys("*")
        left = int(client.pttl(key))
    return milliseconds - 30_000 < left <= milliseconds


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_states_are_kept_for_two_windows(redis: RedisServer, algorithm: Algorithm) -> None:
    limiter = RateLimiter(5, 60, algorithm, storage=redis.url)
    for minutes, kept in ((0, 121_000), (0, 121_000), (-1, 181_000)):  # the clock goes back
        assert limiter.check("client", NOW + timedelta(minutes=minutes)).allowed
        assert is_kept_for(redis, kept)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_by_redis_clock_states_are_kept_anew_when_two_windows_are_left(
    redis: RedisServer, algorithm: Algorithm
) -> None:
    limiter = RateLimiter(9, 60, algorithm, storage=redis.url, on_error="refuse")
    assert limiter.check("client").allowed
    assert is_kept_for(redis, 181_000)
    with redis.client() as client:
        (key,) = client.keys("*")
        client.pexpire(key, 60_000)
        assert limiter.check("client").allowed  # as the state has it, there is time
        assert is_kept_for(redis, 60_000)
        now = client.time()[0] * 1_000
        client.setrange(key, client.strlen(key) - 8, struct.pack("<d", now + 120_000))
        assert limiter.check("client").remaining == 6
        assert is_kept_for(redis, 181_000)
        client.pexpire(key, 60_000)
    assert limiter.check("client", datetime.now(UTC)).allowed  # by another clock
    assert is_kept_for(redis, 121_000)
    assert limiter.check("client").allowed
    assert is_kept_for(redis, 181_000)


def test_a_log_that_is_written_anew_is_kept_as_long_as_it_says(redis: RedisServer) -> None:
    limiter = RateLimiter(9, 60, "sliding_log", storage=redis.url, on_error="refuse")
    key = "sluice:{client}:sliding_log:60000"
    with redis.client() as client:
        now = client.time()[0] * 1_000
        entries = (-1e300, 0, now - 70_000, 1, now - 65_000, 2, now - 1_000, 3)
        rest = (3, 0, -1e300, 0, now - 70_000, now + 170_000)
        client.set(key, struct.pack("<14d", *entries, *rest), px=170_000)
        assert limiter.check("client").remaining == 7
        assert client.strlen(key) == 64 + 2 * 16  # without those that have expired
    assert is_kept_for(redis, 170_000)


def test_keys_of_strangers_share_no_counter(redis: RedisServer) -> None:
    limiter = RateLimiter(1, 60, storage=redis.url)
    for key in ("", "%", "}", "{", "%7D", "a}b", "a", "a:sliding_window:60000", "é\n\0"):
        assert limiter.check(key, NOW).allowed, key
        assert not limiter.check(key, NOW).allowed, key


def test_a_prefix_sets_limiters_apart(redis: RedisServer) -> None:
    for prefix in ("sluice", "other", ""):
        assert RateLimiter(1, 60, storage=redis.url, prefix=prefix).check("a", NOW).allowed
    assert not RateLimiter(9, 60, storage=redis.url, prefix="other").check("a", NOW, cost=9).allowed


def test_a_script_that_was_forgotten_is_sent_again(redis: RedisServer) -> None:
    limiter = RateLimiter(9, 60, storage=redis.url, on_error="refuse")

    async def check() -> list[Decision]:
        decisions = []
        for _ in range(2):
            with redis.client() as client:
                client.script_flush()
            decisions += [limiter.check("client", NOW), limiter.check("client", NOW)]
            with redis.client() as client:
                client.script_flush()
            decisions += [await limiter.acheck("client", NOW), await limiter.acheck("client", NOW)]
        await limiter.aclose()
        return decisions

    assert [d.remaining for d in asyncio.run(check())] == [8, 7, 6, 5, 4, 3, 2, 1]


# --- Refusals that are remembered ----------------------------------------------------------------


def test_a_refusal_is_asked_for_once_until_its_very_millisecond(redis: RedisServer) -> None:
    limiter = RateLimiter(1, 60, "fixed_window", storage=redis.url)
    assert limiter.check("client", NOW).allowed
    before = scripts_run(redis)
    for milliseconds in (0, 1, 30_000, 59_999):
        decision = limiter.check("client", NOW + timedelta(milliseconds=milliseconds))
        assert decision.retry_after == -(-(60_000 - milliseconds) // 1_000)
    assert scripts_run(redis) == before + 1
    assert limiter.check("client", NOW + timedelta(seconds=60)).allowed
    assert scripts_run(redis) == before + 2


def test_a_refusal_by_the_servers_clock_ends_with_it(redis: RedisServer) -> None:
    limiter = RateLimiter(1, 0.3, "sliding_log", storage=redis.url, on_error="refuse")
    assert limiter.check("client").allowed
    while not limiter.check("client").allowed:
        time.sleep(0.01)
    with redis.client() as client:
        held = client.get("sluice:{client}:sliding_log:300")
    entries = [at for at, _ in struct.iter_unpack("<dd", held[16:-48])]
    first, second = entries[-2:] if len(entries) > 1 else (0, 300)
    assert second - first >= 300


# --- Failures ------------------------------------------------------------------------------------


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


FALLBACKS: dict[OnError, list[bool]] = {
    "local": [True, True, False],  # a limit of 5 for 2 nodes
    "refuse": [False, False, False],
    "allow": [True, True, True],
}
FAILURES: dict[str, tuple[Callable[[RedisServer], None], Callable[[RedisServer], None]]] = {
    "stopped": (RedisServer.stop, RedisServer.start),
    "paused": (RedisServer.pause, RedisServer.resume),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("on_error", FALLBACKS)
def test_while_redis_fails_what_was_chosen_decides(
    redis: RedisServer, on_error: OnError, failure: str, caplog: pytest.LogCaptureFixture
) -> None:
    limiter = RateLimiter(5, YEAR, storage=redis.url, on_error=on_error, nodes=2)
    later = RateLimiter(5, YEAR, storage=redis.url, on_error=on_error, nodes=2)
    fail, recover = FAILURES[failure]
    assert limiter.check("client").remaining == 4

    async def check_later() -> list[bool]:
        assert (await later.acheck("client")).remaining == 3
        fail(redis)
        try:
            return [(await later.acheck("client")).allowed for _ in range(3)]
        finally:
            await later.aclose()

    try:
        assert asyncio.run(check_later()) == FALLBACKS[on_error]
        assert [limiter.check("client").allowed for _ in range(3)] == FALLBACKS[on_error]
        assert caplog.messages
        assert all(re.fullmatch(r"limits: Redis: \w+: \S.*", text) for text in caplog.messages)
    finally:
        recover(redis)
    before = scripts_run(redis)
    until(lambda: limiter.check("client").limit == 5 and scripts_run(redis) > before)


def test_a_redis_that_fails_is_left_alone_for_a_while(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    limiter = RateLimiter(5, YEAR, storage=redis.url, on_error="allow")
    redis.stop()
    try:
        begun = time.monotonic()
        for _ in range(50):
            assert limiter.check("client").allowed
        tries = 3 + int(time.monotonic() - begun)
        assert 3 <= len(caplog.messages) <= tries
    finally:
        redis.start()


@pytest.mark.parametrize("is_idle", [False, True])
def test_a_server_that_was_started_again_costs_one_check_at_most(
    redis: RedisServer,
    is_idle: bool,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sluice._redis_clients._FRESH", 0 if is_idle else 30)
    limiter = RateLimiter(9, YEAR, storage=redis.url, on_error="refuse", deadline_ms=20_000)

    def start_again() -> None:
        redis.stop()
        redis.start()

    async def check() -> list[bool]:
        decisions = [(await limiter.acheck("client")).allowed for _ in range(2)]
        start_again()
        await asyncio.sleep(0.05)  # in which the loop is told
        decisions += [(await limiter.acheck("client")).allowed for _ in range(2)]
        await limiter.aclose()
        return decisions

    decisions = [limiter.check("client").allowed for _ in range(2)]  # the first one has no script
    start_again()
    decisions += [limiter.check("client").allowed for _ in range(2)]
    assert decisions == [True, True, is_idle, True]
    assert asyncio.run(check()) == [True, True, is_idle, True]
    assert len(caplog.messages) == (0 if is_idle else 2)


def test_a_process_that_was_forked_has_connections_of_its_own(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sluice._redis_clients._FRESH", 30)
    limiter = RateLimiter(9, YEAR, storage=redis.url, on_error="refuse", deadline_ms=20_000)
    assert [limiter.check("client").remaining for _ in range(2)] == [8, 7]

    def connections() -> int:
        with redis.client() as client:
            received: int = client.info("stats")["total_connections_received"]
            return received

    before = connections()
    forked = [get_context("fork").Process(target=limiter.check, args=["client"]) for _ in range(2)]
    for process in forked:
        process.start()
        process.join()
    assert limiter.check("client").remaining == 4
    assert connections() == before + 2 + 1  # and the one that asks


@pytest.mark.parametrize("algorithm", ["gcra", "sliding_log"])
@pytest.mark.parametrize("value", ["a text", "a hash"])
def test_a_key_of_another_kind_is_a_failure(
    redis: RedisServer, value: str, algorithm: Algorithm, caplog: pytest.LogCaptureFixture
) -> None:
    limiter = RateLimiter(5, 60, algorithm, storage=redis.url, on_error="refuse")
    key = f"sluice:{{client}}:{algorithm}:60000"
    with redis.client() as client:
        if value == "a text":
            client.set(key, "x")
        else:
            client.hset(key, mapping={"latest": "x", "backlog": "y"})
    assert not limiter.check("client").allowed
    assert limiter.check("another").remaining == 4
    assert len(caplog.messages) == 1


# A state that no script wrote: numbers that no arithmetic ends with, texts, and any bytes.
STATES = [
    *(struct.pack("<4d", *[number] * 4) for number in (math.nan, math.inf, -math.inf, -5.0, 0.5)),
    *(struct.pack("<8d", *[number] * 8) for number in (math.nan, math.inf, -math.inf, 1e300, 0.5)),
    *(b"\xff" * 32, b"\x80" * 64, b"", b"{", b"1787279415123", "\ud83d".encode("utf-8", "replace")),
    *(random.Random(seed).randbytes(16 * (seed % 7)) for seed in range(40)),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("on_error", FALLBACKS)
def test_a_state_that_no_script_wrote_is_decided_by_on_error(
    redis: RedisServer, on_error: OnError, algorithm: Algorithm, caplog: pytest.LogCaptureFixture
) -> None:
    expected = FALLBACKS[on_error][0]

    async def check_later(prefix: str) -> Decision:
        limiter = RateLimiter(5, 60, algorithm, storage=redis.url, prefix=prefix, on_error=on_error)
        try:
            return await limiter.acheck("k", NOW)
        finally:
            await limiter.aclose()

    for number, state in enumerate(STATES):
        for prefix, door in ((f"{number} sync", "check"), (f"{number} async", "acheck")):
            key = f"{prefix}:{{k}}:{algorithm}:60000"
            with redis.client() as client:
                client.set(key, state)
            caplog.clear()
            if door == "check":
                limiter = RateLimiter(
                    5, 60, algorithm, storage=redis.url, prefix=prefix, on_error=on_error
                )
                decision = limiter.check("k", NOW)
            else:
                decision = asyncio.run(check_later(prefix))
            if caplog.messages:
                assert re.fullmatch(r"limits: Redis: \w+: \S.*", caplog.messages[0])
                assert decision.allowed is expected, state
            else:  # numbers that the script takes
                assert 0 <= decision.remaining <= decision.limit == 5
    with redis.client() as client:
        client.set(f"nan:{{k}}:{algorithm}:60000", struct.pack("<8d", *[math.nan] * 8))
    asyncio.run(check_later("nan"))
    assert "ResponseError" in caplog.text or "ApiError: reply: " in caplog.text


def test_what_is_no_redis_is_decided_by_on_error(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            for said in (
                b"$abc\r\n",
                b"*x\r\n",
                b"HTTP/1.1 400 \xff\r\n\r\n",
                b":1\r\n",
                b"+\xff\r\n",
            ):
                connection, _ = other.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(said)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        url = f"redis://127.0.0.1:{other.getsockname()[1]}"
        for _ in range(5):
            limiter = RateLimiter(5, 60, storage=url, on_error="refuse", deadline_ms=5_000)
            assert not limiter.check("k").allowed
        assert len(caplog.messages) == 5


# --- Many checks at once -------------------------------------------------------------------------


def test_many_checks_at_once_wait_for_a_connection(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    options: dict[str, Any] = {"storage": redis.url, "on_error": "local", "deadline_ms": 20_000}
    limiter = RateLimiter(20, YEAR, prefix="threads", **options)
    with ThreadPoolExecutor(200) as threads:
        decisions = list(threads.map(lambda _: limiter.check("k").allowed, range(400)))
    assert sum(decisions) == 20
    later = RateLimiter(20, YEAR, prefix="loop", **options)

    async def check_later() -> list[Decision]:
        try:
            return await asyncio.gather(*[later.acheck("k") for _ in range(400)])
        finally:
            await later.aclose()

    assert sum(decision.allowed for decision in asyncio.run(check_later())) == 20
    assert caplog.messages == []
    with redis.client() as client:
        assert client.info("stats")["rejected_connections"] == 0


@pytest.mark.parametrize("on_error", FALLBACKS)
def test_checks_that_find_no_connection_are_no_failures_of_redis(
    redis: RedisServer,
    on_error: OnError,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sluice._shared._AT_ONCE", 0)
    options: dict[str, Any] = {"storage": redis.url, "on_error": on_error, "nodes": 2}
    # A deadline that a busy machine meets; the checks wait for it at once.
    limiter = RateLimiter(5, YEAR, **options, deadline_ms=500)
    later = RateLimiter(5, YEAR, **options, deadline_ms=500)

    async def check_later() -> list[Decision]:
        try:
            return await asyncio.gather(*[later.acheck("k") for _ in range(3)])
        finally:
            await later.aclose()

    with ThreadPoolExecutor(3) as threads:
        decisions = list(threads.map(lambda _: limiter.check("k"), range(3)))
    for waited in (decisions, asyncio.run(check_later())):
        assert sum(decision.allowed for decision in waited) == sum(FALLBACKS[on_error])
    assert (
        caplog.messages
        == ["limits: Redis: no request sent, all 0 connections were in use for 0.5 s"] * 6
    )
    before = scripts_run(redis)
    monkeypatch.setattr("sluice._shared._AT_ONCE", 1)
    assert asyncio.run(later_remaining(later)) == 4  # Redis is asked at once: nothing failed
    assert scripts_run(redis) > before


async def later_remaining(limiter: RateLimiter) -> int:
    try:
        return (await limiter.acheck("k")).remaining
    finally:
        await limiter.aclose()


def test_a_process_that_was_forked_amid_checks_has_turns_of_its_own(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sluice._shared._AT_ONCE", 1)
    limiter = RateLimiter(9, YEAR, storage=redis.url, on_error="refuse", deadline_ms=20_000)
    redis.pause()
    waiting = threading.Thread(target=limiter.check, args=["k"])
    waiting.start()
    time.sleep(0.2)  # it has the only turn
    forked = get_context("fork").Process(target=limiter.check, args=["k"])
    forked.start()
    redis.resume()
    forked.join(30)
    waiting.join()
    assert limiter.check("k").remaining == 9 - 3


# --- Other storages ------------------------------------------------------------------------------


def check_both_ways(url: str) -> None:
    limiter = RateLimiter(
        4, YEAR, "sliding_log", storage=url, also=[(9, 60)], on_error="refuse", deadline_ms=20_000
    )

    async def check() -> Decision:
        try:
            return await limiter.acheck("client")
        finally:
            await limiter.aclose()

    assert limiter.check("client").remaining == 3
    assert asyncio.run(check()).remaining == 2
    assert asyncio.run(check()).remaining == 1  # in another event loop
    assert limiter.check("client").remaining == 0


def test_a_cluster_is_a_storage(tmp_path: Path) -> None:
    options = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
    with running_redis(tmp_path, *options) as node:
        with node.client() as client:
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383)
            until(lambda: b"cluster_state:ok" in client.execute_command("CLUSTER", "INFO"))
        check_both_ways(f"redis+cluster://127.0.0.1:{node.port}")


@pytest.mark.parametrize("kind", ["cluster", "sentinel"])
def test_what_decides_where_none_of_other_storages_answers(kind: str) -> None:
    place = f"redis+{kind}://127.0.0.1:{free_port()}" + ("/limits" if kind == "sentinel" else "")
    limiter = RateLimiter(5, 60, storage=place, on_error="allow")

    async def check() -> list[bool]:
        try:
            return [(await limiter.acheck("client")).allowed for _ in range(4)]
        finally:
            await limiter.aclose()

    assert [limiter.check("client").allowed for _ in range(4)] == [True] * 4
    assert asyncio.run(check()) == [True] * 4


def test_what_sentinels_name_is_a_storage(redis: RedisServer, tmp_path: Path) -> None:
    config = tmp_path / "sentinel.conf"
    config.write_text(f"sentinel monitor limits 127.0.0.1 {redis.port} 1\n")
    with running_redis(tmp_path, "--sentinel", config=config) as sentinel:
        check_both_ways(f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/limits/2")
    with redis.client() as client:
        client.select(2)
        assert client.dbsize() == 2


def test_a_password_and_a_database_are_taken_from_the_url(tmp_path: Path) -> None:
    with running_redis(tmp_path, "--requirepass", "s3cret:@/") as guarded:
        place = f"127.0.0.1:{guarded.port}/3"
        check_both_ways(f"redis://:s3cret%3A%40%2F@{place}")
        refused = RateLimiter(5, 60, storage=f"redis://:wrong@{place}", on_error="refuse")
        assert not refused.check("client").allowed


# --- Arguments -----------------------------------------------------------------------------------

WRONG_URLS = [
    "",
    "localhost",
    "http://:hunter2@localhost",
    "memcached://localhost",
    "redis+sentinel://localhost",
    "redis+sentinel:///limits",
    "redis+sentinel://localhost/limits/one",
    "redis+sentinel://localhost:port/limits",
    "redis://:hunter2@localhost:port",
    "redis+cluster://:hunter2@localhost:port",
    "redis+cluster://",
    "redis://:hunter2@localhost/one",
    "redis://localhost?decode_responses=true",
    "redis://:hunter2@localhost?socket_timeout=3",
]


@pytest.mark.parametrize("url", WRONG_URLS)
def test_a_storage_that_is_none_is_refused_unseen(url: str) -> None:
    for make in (
        lambda: RateLimiter(5, 60, storage=url),
        lambda: sluice.Handler(sluice.EventStore(), [], storage=url),
    ):
        with pytest.raises(ValueError, match=r"^storage: expected redis://") as caught:
            make()
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"storage": 5}, TypeError, "storage: expected str, not int"),
        ({"nodes": 0}, ValueError, "nodes: out of range, expected 1 to 1000000"),
        ({"deadline_ms": -1}, ValueError, "deadline_ms: out of range, expected 1 to 1000000"),
        ({"deadline_ms": float("nan")}, TypeError, "deadline_ms: expected int, not float"),
        ({"deadline_ms": None}, TypeError, "deadline_ms: expected int, not NoneType"),
    ],
)
def test_what_would_fail_at_each_check_is_refused_at_once(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    others: dict[str, Any] = {"limit": 5, "window_seconds": 60, "storage": "redis://x"}
    RateLimiter(**others, nodes=np.int64(2), deadline_ms=np.int64(50))
    with pytest.raises(error, match=message):
        RateLimiter(**others | options)


REFUSALS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"also": 5}, TypeError, "also: expected pairs of a limit and a window in seconds, not int"),
    ({"also": [5]}, TypeError, "also: expected pairs of a limit and a window in seconds, not int"),
    ({"also": ["ab"]}, TypeError, "also: expected pairs of a limit and a window in seconds, not s"),
    ({"also": [(1,)]}, ValueError, "also: expected pairs of a limit and a window in seconds"),
    ({"also": [("a", 1)]}, TypeError, "also: limit: expected int, not str"),
    ({"also": [(1, "b")]}, TypeError, "also: window_seconds: expected a number, not str"),
    ({"also": [(9, 60)]}, ApiError, "name: given more than once, expected policies of different w"),
    ({"prefix": 5}, TypeError, "prefix: expected str, not int"),
    ({"prefix": "a{b"}, ApiError, "prefix: a value that is not accepted (at byte 1), expected a t"),
]


@pytest.mark.parametrize(("options", "error", "message"), REFUSALS)
def test_wrong_arguments_are_told(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    others: dict[str, Any] = {"limit": 5, "window_seconds": 60, "storage": "redis://x"}
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        RateLimiter(**others | options)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://localhost", "redis://localhost"),
        ("redis://user:hunter2@h:1/2?db=3", "redis://h:1/2"),
        ("redis://:hunter2%40@h", "redis://h"),
        ("rediss://:hunter2@h?ssl_password=hunter2", "rediss://h"),
        ("unix://user:hunter2@/tmp/socket", "unix:///tmp/socket"),
        ("redis+sentinel://:hunter2@a:1,b/limits/2", "redis+sentinel://a:1,b/limits/2"),
        ("redis+cluster://:hunter2@a:1", "redis+cluster://a:1"),
    ],
)
def test_a_limiter_shows_its_storage_without_secrets(url: str, shown: str) -> None:
    assert repr(RateLimiter(5, 60, storage=url)) == (
        f"RateLimiter(5, 60.0, 'sliding_window', storage='{shown}')"
    )


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # arguments, rule, param
    ({"limit": 10**8, "window_seconds": 10**7}, "number_too_large", "limit"),
    ({"also": [(10**8, 10**7)]}, "number_too_large", "limit"),
    ({"also": [(0, 1)]}, "number_too_small", "limit"),
    ({"also": [(9, 60)]}, "parameter_repeated", "name"),
    ({"on_error": "close"}, "choice_unknown", "on_error"),
    ({"algorithm": "close"}, "choice_unknown", "algorithm"),
    ({"prefix": "a{b"}, "field_value", "prefix"),
]


@pytest.mark.parametrize(("arguments", "rule", "param"), REFUSED)
def test_what_redis_cannot_count_is_refused(
    arguments: dict[str, Any], rule: str, param: str
) -> None:
    others: dict[str, Any] = {"limit": 5, "window_seconds": 60, "storage": "redis://x"}
    with pytest.raises(ApiError) as caught:
        RateLimiter(**others | arguments)
    assert (caught.value.rule, caught.value.param) == (rule, param)


@pytest.mark.parametrize(
    "options",
    [{"also": []}, {"on_error": "allow"}, {"nodes": 1}, {"prefix": ""}, {"deadline_ms": 1}],
)
def test_without_a_storage_its_arguments_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="need a storage"):
        RateLimiter(5, 60, **options)


def test_what_a_storage_cannot_do_is_refused() -> None:
    limiter = RateLimiter(5, 60, storage="redis://localhost")
    assert limiter
    for call in (lambda: limiter.peek("a"), lambda: limiter.forget("a"), lambda: len(limiter)):
        with pytest.raises(TypeError, match="not of a limiter with a storage"):
            call()


def test_memory_is_checked_the_same_way() -> None:
    limiter = RateLimiter(2, YEAR)

    async def check() -> list[int]:
        remaining = [(await limiter.acheck("client", cost=1)).remaining for _ in range(2)]
        await limiter.aclose()
        return remaining

    assert asyncio.run(check()) == [1, 0]
    with pytest.raises(TypeError):
        asyncio.run(check_wrongly(limiter))


async def check_wrongly(limiter: RateLimiter) -> None:
    await limiter.acheck(1)  # type: ignore[arg-type]


# --- Examples ------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
CPP_EXAMPLES = os.environ.get("SLUICE_EXAMPLES", "")

PYTHON_PRINTS = """\
{'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '1787279401'}
True 2 1 None
True 2 0 None
False 2 0 2
True 3 0 None
False 3 0 58
"""
CPP_PRINTS = """\
allowed, 1 of 2 left
allowed, 0 of 2 left
refused, 0 of 2 left
allowed, 0 of 3 left
refused, 0 of 3 left
"""


def printed(*words: object, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_python_example_prints_what_it_says(redis: RedisServer) -> None:
    example = ROOT / "examples" / "shared_limits.py"
    assert printed(sys.executable, example, SLUICE_LIMITS=redis.url) == PYTHON_PRINTS


@pytest.mark.skipif(
    not (Path(CPP_EXAMPLES) / "shared_limits").is_file(), reason="SLUICE_EXAMPLES has no example"
)
def test_the_cpp_example_prints_what_it_says(redis: RedisServer) -> None:
    assert printed(Path(CPP_EXAMPLES) / "shared_limits", redis.port) == CPP_PRINTS


@pytest.mark.skipif(
    not (Path(CPP_EXAMPLES) / "shared_limits").is_file(), reason="SLUICE_EXAMPLES has no example"
)
@pytest.mark.parametrize("host", ["127.0.0.1", "other.example"])
def test_cpp_connections_by_tls_are_to_the_certificate_s_host(tmp_path: Path, host: str) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    certificate = authority.issue_cert(host)
    certificate.cert_chain_pems[0].write_to_path(str(tmp_path / "cert.pem"))
    certificate.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    port = free_port()
    options = [f"--tls-port {port} --tls-auth-clients no --tls-ca-cert-file {tmp_path}/ca.pem"]
    options += [f"--tls-cert-file {tmp_path}/cert.pem --tls-key-file {tmp_path}/key.pem"]
    with running_redis(tmp_path, *" ".join(options).split()):
        example = [str(Path(CPP_EXAMPLES) / "shared_limits"), str(port), str(tmp_path / "ca.pem")]
        done = subprocess.run(example, capture_output=True, text=True, check=True)
    if "this hiredis has no TLS" in done.stderr:
        pytest.skip("hiredis is older than 1.0")
    if host == "127.0.0.1":
        assert (done.stdout, done.stderr) == (CPP_PRINTS, "")
    else:
        assert "certificate verify failed" in done.stderr


# --- Servers -------------------------------------------------------------------------------------


def key_of(token: str) -> dict[str, Any]:
    return {
        "sha256": hashlib.sha256(token.encode()).hexdigest(),
        "workspaceId": "ws_default",
        "plan": "enterprise",
        "permissions": ["analytics.read", "tags.read"],
        "limits": {"perMinute": 3, "analyticsPerSecond": 1},
    }


def handlers(url: str) -> list[sluice.Handler]:
    """Two that know the same keys, in another order."""
    keys = [key_of("tok_a"), key_of("tok_b")]
    store = sluice.EventStore()
    return [sluice.Handler(store, some, storage=url) for some in (keys, keys[::-1])]


def in_one_minute(check: Callable[[], None]) -> None:
    """Does what must not meet the end of a minute, when counts begin to fade."""
    until(lambda: datetime.now(UTC).second < 56)
    check()


def test_handlers_share_their_limits(redis: RedisServer) -> None:
    first, second = handlers(redis.url)
    headers = {"authorization": "Bearer tok_a"}

    def check() -> None:
        answers = [handler.handle("GET", "/tags", headers) for handler in (first, second) * 2]
        assert [a.status for a in answers] == [200, 200, 200, 429]
        assert [a.headers["x-ratelimit-remaining"] for a in answers] == ["2", "1", "0", "0"]
        other = second.handle("GET", "/tags", {"authorization": "Bearer tok_b"})
        assert other.headers["x-ratelimit-remaining"] == "2"

    in_one_minute(check)
    with redis.client() as client:
        assert all(b"tok_" not in key for key in client.keys("*"))


def test_a_handler_goes_on_without_redis(redis: RedisServer) -> None:
    store = sluice.EventStore()
    headers = {"authorization": "Bearer tok_a"}
    redis.stop()
    try:
        expected: dict[OnError, int] = {"local": 200, "allow": 200, "refuse": 429}
        for on_error, status in expected.items():
            handler = sluice.Handler(
                store, [key_of("tok_a")], storage=redis.url, on_error=on_error, nodes=3
            )
            assert handler.handle("GET", "/tags", headers).status == status
    finally:
        redis.start()
    with pytest.raises(TypeError, match="need a storage"):
        sluice.Handler(store, [], nodes=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("tags", "customers", "links", "clicks", "leads", "sales"):
        (tmp_path / f"{name}.ndjson").touch()
    (tmp_path / "keys.json").write_text(json.dumps([key_of(f"tok_{name}") for name in "abc"]))
    return tmp_path


def statuses(servers: list[Server], count: int, token: str = "tok_a") -> list[int]:
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}
    return [servers[i % len(servers)].get_plain("/tags", **headers)[0] for i in range(count)]


@pytest.mark.skipif(not CPP_SERVER, reason="SLUICE_SERVER names no server")
@pytest.mark.parametrize("failure", FAILURES)
def test_servers_share_their_limits(redis: RedisServer, folder: Path, failure: str) -> None:
    fail, recover = FAILURES[failure]
    storage = f"{redis.url}/1"
    words = ("--data", str(folder), "--keys", str(folder / "keys.json"), "--behind-proxy")
    refusing = (*words, "--limits", storage, "--limits-on-error", "refuse", "--limits-nodes", "2")
    command = (CPP_SERVER,)
    with (
        serving(folder / "a.log", *refusing, command=command) as first,
        serving(folder / "b.log", *words, command=command, SLUICE_LIMITS=storage) as second,
    ):
        in_one_minute(lambda: check_statuses([first, second]))
        fail(redis)
        try:
            assert statuses([first], 1, "tok_b") == [429]
            assert statuses([second], 4, "tok_b") == [200, 200, 200, 429]
        finally:
            recover(redis)
        for process in (first, second):
            process.printed(r"limits: Redis: ")
            until(partial(is_counted, redis, process))


def is_counted(redis: RedisServer, server: Server) -> bool:
    """Returns true if Redis counts a request to a server."""
    before = scripts_run(redis)
    statuses([server], 1, "tok_c")
    return scripts_run(redis) > before


def check_statuses(servers: list[Server]) -> None:
    assert statuses(servers, 5) == [200, 200, 200, 429, 429]


@pytest.mark.skipif(not CPP_SERVER, reason="SLUICE_SERVER names no server")
def test_a_server_refuses_what_is_no_storage(folder: Path) -> None:
    words = ("--data", str(folder), "--behind-proxy", "--port", "0", "--limits", "http://:pass@x")
    done = subprocess.run((CPP_SERVER, *words), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "--limits: " in done.stderr
    assert "pass@" not in done.stderr
