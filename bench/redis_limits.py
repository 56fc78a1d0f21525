# SPDX-License-Identifier: MIT
"""What a limit costs that is shared through Redis, beside the package limits and a bare round trip.

`python bench/redis_limits.py` starts a Redis server on this machine. Each row is the median
of rounds that take turns, from Python, of one client after the other; keys are many, so that none
is refused. Before that each limit has to admit exactly as much as it says.
"""

import argparse
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count

import limits
import redis
from tqdm import tqdm

import sluice

_WINDOW = 60  # seconds
_LIMIT = 1_000

Check = Callable[[str], object]


@contextmanager
def redis_server() -> Iterator[str]:
    """The URL of a server without persistence, which ends at the end."""
    program = shutil.which("redis-server")
    if program is None:
        raise SystemExit("redis_limits: redis-server is not installed")
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        options = ("--port", str(port), "--save", "", "--dir", folder, "--bind", "127.0.0.1")
        process = subprocess.Popen((program, *options), stdout=subprocess.DEVNULL)
        try:
            _await(redis.Redis(port=port))
            yield f"redis://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _await(client: "redis.Redis") -> None:
    for _ in range(1_000):
        try:
            client.ping()
        except redis.ConnectionError:
            time.sleep(0.01)
        else:
            return
    raise SystemExit("redis_limits: redis-server does not answer")


def tasks(url: str, limit: int) -> dict[str, Check]:
    """What is measured, by name."""
    client = redis.Redis.from_url(url, protocol=2)
    item = limits.RateLimitItemPerSecond(limit, _WINDOW)
    storage = limits.storage.storage_from_string(url)
    theirs = {
        "limits, sliding window": limits.strategies.SlidingWindowCounterRateLimiter(storage),
        "limits, fixed window": limits.strategies.FixedWindowRateLimiter(storage),
        "limits, sliding log": limits.strategies.MovingWindowRateLimiter(storage),
    }
    names = ("sliding_window", "fixed_window", "sliding_log", "gcra")
    ours = {
        f"sluice, {name.replace('_', ' ')}": sluice.RateLimiter(limit, _WINDOW, name, storage=url)
        for name in names
    }
    return {
        "a round trip: PING": lambda key: client.ping(),
        "a round trip: GET": client.get,
        **{name: each.check for name, each in ours.items()},
        **{name: partial(each.hit, item, name) for name, each in theirs.items()},
    }


def verify(url: str) -> None:
    """Ends the program unless each limit admits what it says and refuses what comes next."""
    limit = 5
    for name, task in tasks(url, limit).items():
        if name.startswith("a round trip"):
            continue
        answers = [task("one client") for _ in range(limit + 1)]
        admitted = [bool(getattr(answer, "allowed", answer)) for answer in answers]
        if admitted != [True] * limit + [False]:  # a window may have ended meanwhile: run again
            raise SystemExit(f"redis_limits: {name} admits {admitted} under a limit of {limit}")


def measure(all_tasks: dict[str, Check], rounds: int, calls: int) -> dict[str, list[float]]:
    """The microseconds a call of each task, of each round."""
    taken: dict[str, list[float]] = {name: [] for name in all_tasks}
    numbers = count()
    for _ in tqdm(range(rounds), unit=" rounds"):
        for name, task in all_tasks.items():
            keys = [f"client {next(numbers) % 10_000}" for _ in range(calls)]
            begun = time.perf_counter()
            for key in keys:
                task(key)
            taken[name].append((time.perf_counter() - begun) / calls * 1e6)
    return taken


def main() -> None:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--calls", type=int, default=500, help="of each task in a round")
    read = parser.parse_args()
    with redis_server() as url:
        verify(url)
        taken = measure(tasks(url, _LIMIT), read.rounds, read.calls)
    trip = statistics.median(taken["a round trip: PING"])
    print(f"{'task':24} {'median µs':>10} {'least':>8} {'round trips':>12}")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:24} {median:10.1f} {min(times):8.1f} {median / trip:12.2f}")


if __name__ == "__main__":
    main()
