# SPDX-License-Identifier: MIT
"""Attacks the C++ server while honest clients ask it, and prints what those got.

    python tests/python/load.py                 # the server that SLUICE_SERVER names
    python tests/python/load.py --seconds 2     # of each attack

The exit code is 0 where each honest request was answered. The attacks come from other addresses
of this machine than the honest clients, since an address has a limit.
"""

import argparse
import asyncio
import contextlib
import functools
import json
import resource
import shlex
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from api_keys import make_key
from serving import CPP_SERVER, Server, serving

import sluice

HONEST = "127.0.0.1"
HONEST_TOKENS = [f"tok_honest-{number}" for number in range(8)]
COSTLY_TOKEN = "tok_costly"
UNREAD_TOKEN = "tok_unread"
MOST_MEGABYTES = 300  # that an attack may cost
PLACES = 2_000  # connections that the server takes; more attackers would keep this program busy
PATIENCE = 20.0  # seconds after which an honest request counts as not answered
PAUSE = 0.05  # seconds between the requests of an honest client

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter
Streams: TypeAlias = tuple[Reader, Writer]


class Scale(NamedTuple):
    """The size of a run."""

    seconds: float  # of each attack
    events: int
    share: float  # of the attackers below


FULL = Scale(seconds=10, events=300_000, share=1)
SHORT = Scale(seconds=1.5, events=10_000, share=0.1)


@dataclass
class Outcome:
    """The answers that honest clients received during an attack."""

    attack: str
    attackers: int
    requests: int = 0
    answered: int = 0
    milliseconds: list[float] = field(default_factory=list)
    megabytes: tuple[float, float] = (0, 0)

    @property
    def is_good(self) -> bool:
        """Returns true if all were answered, and the attack cost little memory."""
        before, during = self.megabytes
        return 0 < self.requests == self.answered and during - before < MOST_MEGABYTES


# --- Requests --------------------------------------------------------------------------------


async def connect(server: Server, address: str) -> Streams:
    """A TLS connection from an address of this machine."""
    return await asyncio.open_connection(
        server.host, server.port, ssl=server.trusted, local_addr=(address, 0)
    )


@contextlib.asynccontextmanager
async def connected(server: Server, address: str) -> AsyncIterator[Streams]:
    """Opens a connection, and closes it at the end."""
    reader, writer = await connect(server, address)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def request(token: str, target: str = "/tags?pageSize=5") -> bytes:
    """A request with a key."""
    lines = [f"GET {target} HTTP/1.1", "Host: x", f"Authorization: Bearer {token}"]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


async def status_of(streams: Streams, sent: bytes) -> int:
    """The status of an answer, which is read whole."""
    reader, writer = streams
    writer.write(sent)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
    await reader.readexactly(size)
    return int(head.split()[1])


# --- Honest clients --------------------------------------------------------------------------


async def ask(outcome: Outcome, exchange: Callable[[], Awaitable[int]]) -> None:
    """Makes one request and notes how it went."""
    outcome.requests += 1
    started = time.perf_counter()
    with contextlib.suppress(OSError, EOFError, asyncio.LimitOverrunError):
        async with asyncio.timeout(PATIENCE):
            status = await exchange()
            outcome.answered += status == 200
    outcome.milliseconds.append((time.perf_counter() - started) * 1_000)


async def stay(server: Server, token: str, outcome: Outcome, stopped: asyncio.Event) -> None:
    """A client that keeps its connection."""
    while not stopped.is_set():
        with contextlib.suppress(OSError):
            async with connected(server, HONEST) as streams:
                while not stopped.is_set():
                    await ask(outcome, functools.partial(status_of, streams, request(token)))
                    await asyncio.sleep(PAUSE)
                return
        outcome.requests += 1  # and was not let in


async def come_back(server: Server, token: str, outcome: Outcome, stopped: asyncio.Event) -> None:
    """A client that connects for each request."""

    async def exchange() -> int:
        async with connected(server, HONEST) as streams:
            return await status_of(streams, request(token))

    while not stopped.is_set():
        await ask(outcome, exchange)
        await asyncio.sleep(PAUSE)


# --- Attackers -------------------------------------------------------------------------------

Attacker: TypeAlias = Callable[[Server, str], Awaitable[None]]


async def be_polite(server: Server, address: str) -> None:
    """Asks without a key every two seconds."""
    async with connected(server, address) as streams:
        while True:
            await status_of(streams, request("tok_unknown"))
            await asyncio.sleep(2)


async def be_idle(server: Server, address: str) -> None:
    """Asks once and keeps the connection."""
    async with connected(server, address) as (reader, writer):
        await status_of((reader, writer), request("tok_unknown"))
        await reader.read()


async def be_slow(server: Server, address: str) -> None:
    """Sends a byte a second."""
    async with connected(server, address) as (_, writer):
        for byte in request("tok_unknown"):
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)


async def be_silent(server: Server, address: str) -> None:
    """Connects without a word."""
    place = (server.host, server.port)
    reader, writer = await asyncio.open_connection(*place, local_addr=(address, 0))
    try:
        await reader.read()
    finally:
        writer.transport.abort()


async def greet(server: Server, address: str) -> None:
    """Does the TLS handshake and says nothing more."""
    async with connected(server, address) as (reader, _):
        await reader.read()


def costly_target() -> str:
    """A search with as many conditions as there may be, each on a path of its own."""
    conditions = (f"metadata['p{number}']:x" for number in range(256))
    return f"/events?event=leads&interval=all&query={quote(' OR '.join(conditions))}"


async def be_costly(server: Server, address: str) -> None:
    """Asks for the costliest search four times a second, which its plan allows."""
    async with connected(server, address) as streams:
        while True:
            started = time.monotonic()
            await status_of(streams, request(COSTLY_TOKEN, costly_target()))
            await asyncio.sleep(max(0, 1 - (time.monotonic() - started)))


async def take_nothing(server: Server, address: str) -> None:
    """Asks for large pages and takes none."""
    async with connected(server, address) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(request(UNREAD_TOKEN, "/events?interval=all&limit=1000") * 100)
        await asyncio.sleep(30)


async def ask_far_back(server: Server, address: str) -> None:
    """Asks for pages far back, in either order."""
    async with connected(server, address) as streams:
        for page in range(100, 1_000_000, 97):
            order = "asc" if page % 2 else "desc"
            target = f"/events?interval=all&limit=100&sortOrder={order}&page={page}"
            await status_of(streams, request(COSTLY_TOKEN, target))


async def be_chunked(server: Server, address: str) -> None:
    """Sends an empty chunked body in a packet of its own."""
    head = request("tok_unknown")[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
    async with connected(server, address) as (reader, writer):
        while True:
            writer.write(head)
            await writer.drain()
            await asyncio.sleep(0.01)
            await status_of((reader, writer), b"0\r\n\r\n")


class Attack(NamedTuple):
    """An attack on a server: by how many clients, from how many addresses."""

    name: str
    attackers: int
    attacker: Attacker
    addresses: int = 4


ATTACKS = [
    Attack("nobody", 0, be_silent),
    Attack("polite, 401 every 2 s", 64, be_polite),
    Attack("idle after a request", 500, be_idle),
    Attack("a byte a second", 200, be_slow),
    Attack("silent, no handshake", 2_000, be_silent),
    Attack("silent after handshake", 128, greet),
    Attack("256 conditions, 4 a second", 4, be_costly),
    Attack("ten addresses, all places", PLACES, be_silent, addresses=10),
    Attack("answers left unread", 128, take_nothing),
    Attack("pages far back", 8, ask_far_back),
    Attack("empty body, two packets", 64, be_chunked),
]


async def again(server: Server, number: int, attack: Attack) -> None:
    """Attacks until it is cancelled, whatever the server does about it."""
    address = f"127.0.0.{2 + number % attack.addresses}"
    while True:
        with contextlib.suppress(OSError, EOFError):
            await attack.attacker(server, address)
        await asyncio.sleep(0.2)


# --- All together ----------------------------------------------------------------------------


async def endure(server: Server, attack: Attack, scale: Scale) -> Outcome:
    """Attacks a server for a while; what honest clients got meanwhile."""
    count = min(attack.attackers, max(4, round(attack.attackers * scale.share)))
    outcome = Outcome(attack.name, count)
    before = server.resident_bytes()
    attackers = [asyncio.create_task(again(server, number, attack)) for number in range(count)]
    await asyncio.sleep(scale.seconds / 5)
    stopped = asyncio.Event()
    asyncio.get_running_loop().call_later(scale.seconds, stopped.set)
    kinds = [stay, come_back] * (len(HONEST_TOKENS) // 2)
    async with asyncio.TaskGroup() as honest:
        for kind, token in zip(kinds, HONEST_TOKENS, strict=True):
            honest.create_task(kind(server, token, outcome, stopped))
    outcome.megabytes = (before / 1e6, server.resident_bytes() / 1e6)
    for attacker in attackers:
        attacker.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    return outcome


def keys() -> str:
    """The honest clients' keys, one of a Business plan, and one without a limit."""
    entries = [make_key(token) for token in (*HONEST_TOKENS, UNREAD_TOKEN)]
    return json.dumps([*entries, make_key(COSTLY_TOKEN, plan="business", limits=None)])


def run(command: Sequence[str], scale: Scale) -> Iterator[Outcome]:
    """Starts a server with sample data and attacks it in each way."""
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sluice.write_sample(folder / "data", scale.events, seed=1)
        (folder / "keys.json").write_text(keys())
        places = ("--max-connections", str(round(PLACES * scale.share)))
        words = ("--data", str(folder / "data"), "--keys", str(folder / "keys.json"), *places)
        state = {"XDG_STATE_HOME": str(folder / "state")}
        with serving(folder / "output", *words, command=command, **state) as server:
            for attack in ATTACKS:
                yield asyncio.run(endure(server, attack, scale))


HEAD = "attack                      clients  asked  answered  p50 ms  p99 ms  RSS MB"


def row(outcome: Outcome) -> str:
    """A line of the table."""
    cuts = quantiles(outcome.milliseconds, n=100)
    before, during = outcome.megabytes
    share = f"{outcome.answered / outcome.requests:.1%}"
    return (
        f"{outcome.attack:26}  {outcome.attackers:7,}  {outcome.requests:5,}  "
        f"{share:>8}  {cuts[49]:6.1f}  {cuts[98]:6.1f}  {before:.0f} -> {during:.0f}"
    )


def main() -> int:
    """Runs everything in full."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--server", metavar="COMMAND", help="only this one, a command that serves")
    parser.add_argument("--seconds", type=float, default=FULL.seconds, help="(%(default)g)")
    parser.add_argument("--events", type=int, default=FULL.events, help="(%(default)d)")
    options = parser.parse_args()
    command = shlex.split(options.server or CPP_SERVER)
    if not command:
        parser.error("--server or the environment's SLUICE_SERVER has to name a server")
    print(HEAD)
    is_good = True
    for outcome in run(command, FULL._replace(seconds=options.seconds, events=options.events)):
        print(row(outcome), flush=True)
        is_good = is_good and outcome.is_good
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
