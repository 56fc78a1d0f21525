# SPDX-License-Identifier: MIT
"""Rate limits for callers of their own, and the plans."""

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

import pytest
from conftest import NOW
from hypothesis import given
from hypothesis import strategies as st

from sluice import ApiError, Decision, RateLimiter, decide, plan_limits

Algorithm: TypeAlias = Literal["sliding_window", "fixed_window", "sliding_log", "gcra"]
ALGORITHMS: tuple[Algorithm, ...] = ("sliding_window", "fixed_window", "sliding_log", "gcra")

MINUTE = datetime(2026, 8, 21, 2, 30, tzinfo=UTC)  # the start of a window of a minute

PLANS = [
    ("free", 60, None),
    ("pro", 600, 2),
    ("business", 1_200, 4),
    ("advanced", 3_000, 8),
    ("enterprise", None, None),
]

REFUSED_POLICIES = [
    # limit, window in seconds, algorithm, parameter
    (0, 60, "gcra", "limit"),
    (-1, 60, "gcra", "limit"),
    (10**9, 60, "gcra", "limit"),
    (1, 0, "gcra", "window"),
    (1, 0.0001, "gcra", "window"),
    (1, -1, "gcra", "window"),
    (1, float("nan"), "gcra", "window"),
    (1, float("inf"), "gcra", "window"),
    (1, 1e300, "gcra", "window"),
    (1, 60, "token_bucket", "algorithm"),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_limit_passes_and_no_more(algorithm: Algorithm) -> None:
    limiter = RateLimiter(3, 60, algorithm)
    decisions = [limiter.check("key", now=MINUTE) for _ in range(4)]
    assert [d.allowed for d in decisions] == [True, True, True, False]
    assert [d.remaining for d in decisions] == [2, 1, 0, 0]
    assert {d.limit for d in decisions} == {3}
    assert [d.retry_after is None for d in decisions] == [True, True, True, False]
    assert limiter.check("another key", now=MINUTE).allowed


def test_the_default_is_a_window_that_slides() -> None:
    limiter = RateLimiter(10, 60)
    for _ in range(10):
        assert limiter.check("key", now=MINUTE).allowed
    half = MINUTE + timedelta(seconds=90)  # half of the next window: 10 * 0.5 are still counted
    admitted = [limiter.check("key", now=half).allowed for _ in range(6)]
    assert admitted == [True] * 5 + [False]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(
    limit=st.integers(1, 20),
    window=st.floats(0.001, 100_000),
    waits=st.lists(st.integers(0, 10_000_000), min_size=1, max_size=40),
)
def test_a_lone_client_that_waits_is_admitted(
    algorithm: Algorithm, limit: int, window: float, waits: list[int]
) -> None:
    limiter = RateLimiter(limit, window, algorithm)
    at = NOW
    for wait in waits:
        at += timedelta(milliseconds=wait % int(window * 1_000 + 2))
        decision = limiter.check("key", now=at)
        if decision.retry_after is not None:
            assert not decision.allowed
            at += timedelta(seconds=decision.retry_after)
            assert limiter.check("key", now=at).allowed


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("used", [0, 2])
def test_a_cost_above_the_limit_is_promised_nothing(algorithm: Algorithm, used: int) -> None:
    limiter = RateLimiter(5, 60, algorithm)
    limiter.check("key", NOW, cost=used)
    for seconds in (0, 1, 60, 3_600):
        for ask in (limiter.check, limiter.peek):
            decision = ask("key", NOW + timedelta(seconds=seconds), cost=6)
            assert (decision.allowed, decision.retry_after) == (False, None)
            assert "retry-after" not in decision.headers()
    assert limiter.check("key", NOW + timedelta(seconds=3_600), cost=5).allowed


@pytest.mark.parametrize(("max_keys", "are_forgotten"), [(100_000, True), (250_000, False)])
def test_keys_that_are_long_unused_are_forgotten(max_keys: int, are_forgotten: bool) -> None:
    limiter = RateLimiter(1, 60, max_keys=max_keys, seed=1)
    keys = [f"key {number}" for number in range(100)]
    assert [limiter.check(key, NOW).allowed for key in keys * 2] == [True] * 100 + [False] * 100
    for number in range(110_000):
        limiter.check(f"other {number}", NOW)
    assert any(limiter.peek(key, NOW).allowed for key in keys) is are_forgotten


def test_headers_are_those_of_a_response() -> None:
    limiter = RateLimiter(1, 60, "fixed_window")
    reset = str(int(MINUTE.timestamp()) + 60)
    assert limiter.check("key", now=MINUTE).headers() == {
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": reset,
    }
    refused = limiter.check("key", now=MINUTE + timedelta(seconds=1))
    assert refused.headers() == {
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": reset,
        "retry-after": "59",
    }
    assert (refused.reset, refused.retry_after) == (int(reset), 59)


def test_the_reset_is_rounded_up_to_a_second() -> None:
    decision = RateLimiter(1, 0.5, "sliding_log").check("key", now=MINUTE)
    assert decision.reset == int(MINUTE.timestamp()) + 1


def test_peek_counts_nothing() -> None:
    limiter = RateLimiter(1, 60)
    assert [limiter.peek("key", now=NOW).allowed for _ in range(3)] == [True] * 3
    assert len(limiter) == 0
    assert limiter.check("key", now=NOW).allowed
    assert not limiter.peek("key", now=NOW).allowed


def test_costs_are_counted() -> None:
    limiter = RateLimiter(10, 60, "sliding_log")
    assert limiter.check("key", now=NOW, cost=7).remaining == 3
    assert not limiter.check("key", now=NOW, cost=4).allowed
    assert limiter.check("key", now=NOW, cost=3).allowed


def test_keys_are_forgotten() -> None:
    limiter = RateLimiter(1, 60)
    assert limiter.check("key", now=NOW).allowed
    assert limiter.forget("key")
    assert not limiter.forget("key")
    assert limiter.check("key", now=NOW).allowed


def test_keys_that_differ_in_lone_surrogates_are_counted_apart() -> None:
    limiter = RateLimiter(1, 60)
    keys = ["\ud800", "\ud801", "\udfff", "\ufffd", "\ufffd" * 3, "a\ud800", "\ud800\udc00"]
    for key in keys:
        assert limiter.check(key, NOW).allowed
        assert not limiter.check(key, NOW).allowed
        assert not limiter.peek(key, NOW).allowed
    assert len(limiter) == len(keys)
    assert all(limiter.forget(key) for key in keys)


def test_the_number_of_keys_is_bounded() -> None:
    limiter = RateLimiter(1, 60, max_keys=10)
    for number in range(100):
        limiter.check(f"key {number}", now=NOW)
    assert len(limiter) == 10


def test_threads_share_the_limit() -> None:
    limiter = RateLimiter(100, 60)
    with ThreadPoolExecutor(8) as threads:
        decisions = threads.map(lambda _: limiter.check("key", now=NOW), range(1_000))
        assert sum(d.allowed for d in decisions) == 100


def test_the_clock_is_the_systems_by_default() -> None:
    limiter = RateLimiter(1, 3_600, "sliding_log")
    assert limiter.check("key").allowed
    assert abs(limiter.check("key").reset - datetime.now(UTC).timestamp() - 3_600) < 60


@pytest.mark.parametrize(("limit", "window", "algorithm", "param"), REFUSED_POLICIES)
def test_policies_out_of_range_are_refused(
    limit: int, window: float, algorithm: Algorithm, param: str
) -> None:
    with pytest.raises(ApiError) as caught:
        RateLimiter(limit, window, algorithm)
    assert (caught.value.param, caught.value.status) == (param, 422)


def test_naive_times_are_refused() -> None:
    limiter = RateLimiter(1, 60)
    with pytest.raises(ValueError, match="now: a naive datetime"):
        limiter.check("key", now=datetime(2026, 8, 21))
    with pytest.raises(ValueError, match="now: a naive datetime"):
        limiter.peek("key", now=datetime(2026, 8, 21))


def test_a_limiter_shows_its_policy() -> None:
    assert repr(RateLimiter(600, 60)) == "RateLimiter(600, 60.0, 'sliding_window')"


def test_decisions_can_be_made() -> None:
    decision = Decision(allowed=False, limit=5, remaining=0, reset=1_000, retry_after=3)
    assert (decision.allowed, decision.limit, decision.remaining) == (False, 5, 0)
    assert (decision.reset, decision.retry_after) == (1_000, 3)
    assert decision.headers()["retry-after"] == "3"
    with pytest.raises(ValueError, match="reset: expected epoch seconds"):
        Decision(allowed=True, limit=5, remaining=0, reset=2**62)


@pytest.mark.parametrize(("name", "per_minute", "analytics_per_second"), PLANS)
def test_plans_have_their_limits(
    name: str, per_minute: int | None, analytics_per_second: int | None
) -> None:
    expected = {"per_minute": per_minute, "analytics_per_second": analytics_per_second}
    assert plan_limits(name) == expected


@pytest.mark.parametrize("name", ["", "Business", "platinum"])
def test_unknown_plans_are_refused(name: str) -> None:
    with pytest.raises(
        ApiError, match=r"plan: not one of the accepted values.*, expected free, pro"
    ):
        plan_limits(name)


def test_keys_start_their_hashes_from_a_seed_that_tests_can_fix() -> None:
    for seed in (None, 0, 1, 2**64 - 1):
        limiter = RateLimiter(1, 60, max_keys=4, seed=seed)
        assert [limiter.check(key).allowed for key in "abca"] == [True, True, True, False]
    for refused in (-1, 2**64, "1"):
        with pytest.raises((TypeError, ValueError), match="seed: expected"):
            RateLimiter(1, 60, seed=refused)  # type: ignore[arg-type]


# --- States that a caller keeps ---------------------------------------------------------------

STATES: dict[Algorithm, dict[str, Any]] = {
    "sliding_window": {"latest": 0, "previous": 0, "current": 0},
    "fixed_window": {"latest": 0, "used": 0},
    "sliding_log": {"latest": 0, "dropped": 0, "entries": [[0, 1]]},
    "gcra": {"latest": 0, "backlog": 0, "fraction": 0},
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(
    limit=st.integers(1, 20),
    window=st.integers(1, 100_000).map(lambda ms: ms / 1_000),
    requests=st.lists(st.tuples(st.integers(-30_000, 90_000), st.integers(-1, 25)), max_size=40),
)
def test_decide_decides_as_a_limiter_does(
    algorithm: Algorithm, limit: int, window: float, requests: list[tuple[int, int]]
) -> None:
    limiter = RateLimiter(limit, window, algorithm)
    state, at = None, NOW
    for wait, cost in requests:
        at += timedelta(milliseconds=wait)
        before = json.dumps(state)
        decision, state = decide(state, limit, window, at, algorithm, cost)
        assert decision == limiter.check("key", now=at, cost=cost)
        state = json.loads(json.dumps(state))
        if not decision.allowed and before != "null":
            assert state == json.loads(before)


def test_decide_changes_nothing_that_it_is_given() -> None:
    for algorithm in ALGORITHMS:
        _, first = decide(None, 5, 60, MINUTE, algorithm)
        kept = copy.deepcopy(first)
        _, second = decide(first, 5, 60, MINUTE, algorithm)
        assert first == kept != second
        assert decide(first, 5, 60, MINUTE, algorithm) == decide(kept, 5, 60, MINUTE, algorithm)


def test_a_state_is_what_was_counted() -> None:
    ms = int(MINUTE.timestamp()) * 1_000
    expected: dict[Algorithm, dict[str, Any]] = {
        "sliding_window": {"latest": ms, "previous": 0, "current": 2},
        "fixed_window": {"latest": ms, "used": 2},
        "sliding_log": {"latest": ms, "dropped": 0, "entries": [[ms, 2]]},
        "gcra": {"latest": ms, "backlog": 24_000, "fraction": 0},
    }
    for algorithm, state in expected.items():
        decision, next_state = decide(None, 5, 60, MINUTE, algorithm, cost=2)
        assert (decision.remaining, next_state) == (3, state)
    assert decide(None, 5, 60, now=MINUTE)[1] == expected["sliding_window"] | {"current": 1}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("extreme", [2**63 - 1, -(2**63), 0, -1])
def test_a_state_that_nobody_made_gives_a_decision(algorithm: Algorithm, extreme: int) -> None:
    for name, value in STATES[algorithm].items():
        forged = [[extreme, 2**64 - 1], [0, 0]] if name == "entries" else extreme
        if name == "dropped":
            forged = extreme % 2**64
        for cost in (0, 1, 5, 6, 2**63 - 1, -(2**63)):
            decision, _ = decide(STATES[algorithm] | {name: forged}, 5, 60, NOW, algorithm, cost)
            assert 0 <= decision.remaining <= decision.limit == 5, (name, value)


REFUSED_STATES: list[tuple[Any, Algorithm, type[Exception], str]] = [
    ({}, "gcra", ValueError, "state: expected the members latest, backlog, fraction"),
    (STATES["fixed_window"], "sliding_window", ValueError, "expected the members latest, prev"),
    (STATES["gcra"] | {"new": 1}, "gcra", ValueError, "expected the members"),
    ("{}", "gcra", TypeError, "state: expected dict or None, not str"),
    (STATES["gcra"] | {"latest": 0.5}, "gcra", TypeError, "state: expected int, not float"),
    (STATES["gcra"] | {"latest": None}, "gcra", TypeError, "state: expected int, not NoneType"),
    (STATES["gcra"] | {"backlog": 2**63}, "gcra", ValueError, "expected an int of 64 bits"),
    (STATES["sliding_log"] | {"dropped": -1}, "sliding_log", ValueError, "an int from 0 to 2"),
    (STATES["sliding_log"] | {"entries": 5}, "sliding_log", TypeError, "entries: expected pairs"),
    (STATES["sliding_log"] | {"entries": [5]}, "sliding_log", TypeError, "expected pairs of int"),
    (STATES["sliding_log"] | {"entries": [[5]]}, "sliding_log", ValueError, "expected pairs of"),
    (STATES["sliding_log"] | {"entries": [[5, "6"]]}, "sliding_log", TypeError, "expected int"),
]


@pytest.mark.parametrize(("state", "algorithm", "kind", "message"), REFUSED_STATES)
def test_what_is_no_state_is_refused(
    state: Any,  # noqa: ANN401
    algorithm: Algorithm,
    kind: type[Exception],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        decide(state, 5, 60, NOW, algorithm)


@pytest.mark.parametrize(("limit", "window", "algorithm", "param"), REFUSED_POLICIES)
def test_decide_refuses_the_policies_that_a_limiter_refuses(
    limit: int, window: float, algorithm: Algorithm, param: str
) -> None:
    with pytest.raises(ApiError) as caught:
        decide(None, limit, window, NOW, algorithm)
    assert caught.value.param == param


def test_decide_needs_a_clock() -> None:
    with pytest.raises(TypeError, match="missing required argument 'now'"):
        decide(None, 5, 60)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="now: a naive datetime"):
        decide(None, 5, 60, datetime(2026, 8, 21))
