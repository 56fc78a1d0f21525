# SPDX-License-Identifier: MIT
"""A Redis server of the tests' own, on a free port of this machine."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

_SERVER = shutil.which("redis-server")


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


class RedisServer:
    """A process that can be stopped, paused and started again at its port."""

    def __init__(self, folder: Path, *options: str, config: Path | None = None) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self._folder = folder
        self._config = [str(config)] if config else []
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert _SERVER, "redis-server is not installed"
        place = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder))
        kept = ("--save", "", "--appendonly", "no", "--logfile", str(self._folder / "redis.log"))
        self._process = subprocess.Popen((_SERVER, *self._config, *place, *kept, *self._options))
        deadline = time.monotonic() + 30
        while not self._answers():
            is_over = self._process.poll() is not None or time.monotonic() > deadline
            assert not is_over, (self._folder / "redis.log").read_text()
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def client(self) -> "redis.Redis":
        return redis.Redis(port=self.port, retry=Retry(NoBackoff(), 0))

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.AuthenticationError:
            return True
        except redis.RedisError:
            return False


@contextmanager
def running_redis(folder: Path, *options: str, config: Path | None = None) -> Iterator[RedisServer]:
    server = RedisServer(folder, *options, config=config)
    try:
        server.start()
        yield server
    finally:
        server.stop()
