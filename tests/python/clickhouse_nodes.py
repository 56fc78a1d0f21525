# SPDX-License-Identifier: MIT
"""Servers of ClickHouse on this machine, each a process of its own, by the library libchdb.

It is that of the npm package @chdb/lib-linux-x64-gnu, which pip's chdb has no server in.
"""

import asyncio
import ctypes
import fcntl
import hashlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Queue
from urllib.parse import urlencode

PACKAGE = "@chdb/lib-linux-x64-gnu"
VERSION = "26.7.3-stable.1"
LISTEN = (
    "SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; "
    "SELECT sleepEachRow(1) FROM numbers(3600) SETTINGS max_block_size = 1, "
    "function_sleep_max_microseconds_per_block = 0, max_execution_time = 0"
)
CLUSTER = "three"  # nodes in two shards; the first has a replica
USER, PASSWORD = "reader", "p4ss/of:nobody@%"  # beside the default user, who has none
USERS = """<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/><networks><ip>::/0</ip></networks>
      <profile>default</profile><quota>default</quota>
    </default>
    <{user}>
      <password_sha256_hex>{hash}</password_sha256_hex><networks><ip>::/0</ip></networks>
      <profile>default</profile><quota>default</quota>
    </{user}>
  </users>
</clickhouse>
"""


def library() -> Path:
    """Returns the path of the library, which npm installs once for all processes of tests."""
    home = Path.home() / ".cache" / "sluice-tests" / f"chdb-{VERSION}"
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = home / "node_modules" / PACKAGE / "libchdb.so"
        if not file.exists():
            words = ("npm", "install", "--silent", "--prefix", str(home), f"{PACKAGE}@{VERSION}")
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return file


@dataclass
class Node:
    """A server, which may be stopped, started again, paused and gone on with."""

    home: Path
    tcp: int
    http: int
    config: str
    process: "subprocess.Popen[bytes] | None" = field(default=None)

    def start(self) -> None:
        self.home.mkdir(exist_ok=True)
        settings = self.home / "config.xml"
        settings.write_text(self.config)
        places = (str(library()), str(self.home), str(self.tcp), str(self.http), str(settings))
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                (sys.executable, __file__, *places), stdout=log, stderr=log, cwd=self.home
            )

    def await_start(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                self.ask("SELECT 1")
            except OSError:
                assert self.process is not None
                assert self.process.poll() is None, (self.home / "log").read_text()
                time.sleep(0.05)
            else:
                return
        raise AssertionError((self.home / "log").read_text())

    def ask(self, statement: str, fields: Mapping[str, object] | None = None) -> str:
        """The answer to a statement; fields are its settings and parameters."""
        place = f"http://127.0.0.1:{self.http}/?{urlencode(fields or {})}"
        request = urllib.request.Request(place, statement.encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            text: str = answer.read().decode().strip()
            return text

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def revive(self) -> bool:
        """Starts it again where it has ended, as a pause may break off what it serves by."""
        assert self.process is not None
        if self.process.poll() is not None:
            self.start()
            self.await_start()
        return True

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(closing(socket.socket())) for _ in range(count)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in sockets]


def write_users(file: Path) -> None:
    digest = hashlib.sha256(PASSWORD.encode()).hexdigest()
    file.write_text(USERS.format(user=USER, hash=digest))


def config_of(tcp_ports: Sequence[int], users: Path) -> str:
    """Three nodes are a cluster of two shards."""
    replica = "<replica><host>127.0.0.1</host><port>{}</port></replica>"
    known = f"<users_config>{users}</users_config>"
    if len(tcp_ports) < 3:
        return f"<clickhouse>{known}</clickhouse>"
    first = "".join(replica.format(port) for port in tcp_ports[:2])
    second = replica.format(tcp_ports[2])
    shards = f"<shard>{first}</shard><shard>{second}</shard>"
    cluster = f"<remote_servers><{CLUSTER}>{shards}</{CLUSTER}></remote_servers>"
    return f"<clickhouse>{known}{cluster}</clickhouse>"


@contextmanager
def nodes(folder: Path, count: int = 1) -> Iterator[list[Node]]:
    """Nodes that end at the end."""
    ports = free_ports(2 * count)
    write_users(folder / "users.xml")
    config = config_of(ports[:count], folder / "users.xml")
    all_nodes = [
        Node(folder / f"node{at}", ports[at], ports[count + at], config) for at in range(count)
    ]
    try:
        for node in all_nodes:
            node.start()
        for node in all_nodes:
            node.await_start()
        yield all_nodes
    finally:
        for node in all_nodes:
            node.kill()


@contextmanager
def tls_before(node: Node, context: ssl.SSLContext) -> Iterator[int]:
    """A port with TLS before that of a node, as this library has none itself."""

    started: Queue[tuple[int, Callable[[], object]]] = Queue()

    async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError):
                while some := await source.read(65_536):
                    target.write(some)
                    await target.drain()
        finally:
            target.close()

    async def relay(near: asyncio.StreamReader, near_end: asyncio.StreamWriter) -> None:
        far, far_end = await asyncio.open_connection("127.0.0.1", node.http)
        await asyncio.gather(pass_on(near, far_end), pass_on(far, near_end))

    async def serve() -> None:
        loop, end = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(relay, "127.0.0.1", 0, ssl=context) as server:
            port = server.sockets[0].getsockname()[1]
            started.put((port, partial(loop.call_soon_threadsafe, end.set)))
            await end.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    port, end = started.get(timeout=30)
    try:
        yield port
    finally:
        end()
        thread.join()


def run(place: str, home: str, tcp: str, http: str, config: str) -> None:
    """Serves, in a process of its own, for an hour at most."""
    words = [
        *("clickhouse", f"--path={home}/data", "--listen_host=127.0.0.1"),
        *(f"--tcp_port={tcp}", f"--http_port={http}", f"--config-file={config}"),
        *("--output-format=TSV", f"--query={LISTEN}"),
    ]
    chdb = ctypes.CDLL(place)
    chdb.chdb_query_cmdline(len(words), (ctypes.c_char_p * len(words))(*map(os.fsencode, words)))


if __name__ == "__main__":
    run(*sys.argv[1:])
