# SPDX-License-Identifier: MIT
"""SIGHUP has the C++ server read its keys again, without the loss of a request."""

import asyncio
import json
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import load
import pytest
from api_keys import bearer, make_key
from serving import CPP, Server, serving

STAYING = [make_key(f"tok_stays-{number}") for number in range(4)]
LIMITED = make_key("tok_limited", limits={"per_minute": 50, "analytics_per_second": 50})
BAD_FILES = [
    ("[", None),
    ("{}", None),
    (json.dumps([make_key("tok_x", plan="platinum")]), "key 0: plan: not one of the accepted"),
    (json.dumps([make_key("tok_x"), make_key("tok_x")]), "key 1: sha256: names a record that"),
]


class Started:
    """A server, and the file of its keys."""

    def __init__(self, server: Server, file: Path) -> None:
        self.server = server
        self.file = file
        self._reloads = 0

    def reload(self, text: str | None) -> str:
        """Writes a file of keys, or removes it, and returns the log's line about it."""
        if text is None:
            self.file.unlink()
        else:
            self.file.write_text(text)
        self.server.process.send_signal(signal.SIGHUP)
        self._reloads += 1
        until = time.monotonic() + 30
        while len(lines := self._messages()) < self._reloads:
            assert time.monotonic() < until, lines
            time.sleep(0.01)
        return lines[-1]

    def _messages(self) -> list[str]:
        return [s for s in self.server.output.read_text().splitlines() if s.startswith("keys: ")]

    def status(self, token: str) -> int:
        return self.server.get("/tags", **bearer(token))[0]


@pytest.fixture(scope="module", params=[CPP])
def started(
    request: pytest.FixtureRequest,
    sample_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Started]:
    folder = tmp_path_factory.mktemp("reload")
    file = folder / "keys.json"
    file.write_text(json.dumps([*STAYING, LIMITED]))
    words = ("--data", str(sample_folder), "--keys", str(file), "--token", "tok_token")
    with serving(
        folder / "output", *words, command=request.param, XDG_STATE_HOME=str(folder)
    ) as server:
        yield Started(server, file)


def test_new_keys_are_accepted_and_others_no_longer(started: Started) -> None:
    message = started.reload(json.dumps([*STAYING, LIMITED, make_key("tok_new")]))
    assert "keys: 7 accepted, " in message
    assert [started.status(t) for t in ("tok_new", "tok_stays-0", "tok_token")] == [200] * 3
    assert "keys: 6 accepted, " in started.reload(json.dumps([*STAYING, LIMITED]))
    assert [started.status(t) for t in ("tok_new", "tok_stays-0", "tok_token")] == [401, 200, 200]


@pytest.mark.parametrize(("text", "said"), BAD_FILES)
def test_a_bad_file_leaves_the_keys_and_says_so(
    started: Started, text: str, said: str | None
) -> None:
    message = started.reload(text)
    assert message.startswith(f"keys: {started.file}: ")
    assert message.endswith("; the previous keys stay in use")
    assert said is None or said in message
    assert [started.status(t) for t in ("tok_stays-0", "tok_x")] == [200, 401]


def test_a_missing_file_leaves_the_keys(started: Started) -> None:
    message = started.reload(None)
    assert (
        message == f"keys: {started.file}: No such file or directory; the previous keys stay in use"
    )
    assert started.status("tok_stays-0") == 200


def test_a_key_that_stays_keeps_what_it_has_used(started: Started) -> None:
    def remaining() -> int:
        _, headers, _ = started.server.ask("/tags", **bearer("tok_limited"))
        return int(headers["x-ratelimit-remaining"])

    before = remaining()
    started.reload(json.dumps([make_key("tok_first"), LIMITED, *STAYING]))
    assert remaining() == before - 1
    assert started.server.ask("/tags", **bearer("tok_first"))[0] == 200


async def ask_until(server: Server, token: str, over: asyncio.Event) -> Counter[int]:
    """The statuses that a client gets which keeps its connection and asks on and on."""
    got: Counter[int] = Counter()
    async with load.connected(server, "127.0.0.1") as streams:
        while not over.is_set():
            got[await load.status_of(streams, load.request(token))] += 1
            await asyncio.sleep(0.001)
    return got


async def reload_under_load(started: Started) -> list[Counter[int]]:
    """Reloads keys many times, a bad file among them; returns the answers of polite clients."""
    over = asyncio.Event()
    tokens = [f"tok_stays-{number}" for number in range(4)] + ["tok_limited"]
    clients = [asyncio.create_task(ask_until(started.server, token, over)) for token in tokens]
    texts = [json.dumps([*STAYING[::-1], make_key(f"tok_{n}"), LIMITED]) for n in range(10)]
    for text in [*texts[:5], "[", *texts[5:]]:
        await asyncio.to_thread(started.reload, text)
        await asyncio.sleep(0.05)
    over.set()
    return list(await asyncio.gather(*clients))


def test_no_request_is_lost_under_load(started: Started) -> None:
    started.reload(json.dumps([*STAYING, LIMITED]))
    *staying, limited = asyncio.run(reload_under_load(started))
    assert all(got.keys() == {200} for got in staying), staying
    assert sum(sum(got.values()) for got in staying) > 100
    assert limited.keys() <= {200, 429}
    assert limited[429] > 0
    assert limited[200] <= 50


@pytest.mark.parametrize("command", [CPP])
def test_without_a_file_there_is_nothing_to_read(
    command: Sequence[str], sample_folder: Path, tmp_path: Path
) -> None:
    words = ("--data", str(sample_folder), "--token", "tok_token")
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with serving(tmp_path / "output", *words, command=command, **state) as server:
        server.process.send_signal(signal.SIGHUP)
        server.printed("^keys: there is no --keys file to read again$")
        assert server.get("/tags", **bearer("tok_token"))[0] == 200
        assert server.stop() == 0
