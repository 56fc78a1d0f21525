# SPDX-License-Identifier: MIT
"""Servers as processes of their own: `python -m sluice serve`, or the C++ program."""

import http.client
import os
import re
import shlex
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

PYTHON_SERVER = (sys.executable, "-m", "sluice", "serve")
CPP_SERVER = os.environ.get("SLUICE_SERVER", "")
CPP = pytest.param(
    shlex.split(CPP_SERVER),
    id="c++",
    marks=pytest.mark.skipif(not CPP_SERVER, reason="SLUICE_SERVER names no server"),
)
BOTH = [pytest.param(PYTHON_SERVER, id="python"), CPP]  # for tests that hold for either


class Server(NamedTuple):
    """A server that runs, and what it prints."""

    process: "subprocess.Popen[bytes]"
    output: Path
    host: str
    port: int
    trusted: ssl.SSLContext

    def printed(self, pattern: str) -> re.Match[str]:
        """Waits for a match in the output, and returns it."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            match = re.search(pattern, self.output.read_text(), re.MULTILINE)
            if match:
                return match
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"no {pattern!r} in:\n{self.output.read_text()}")

    def get(self, target: str, **headers: str) -> tuple[int, bytes]:
        """The status and body that answer a request."""
        place = (self.host, self.port)
        secure = http.client.HTTPSConnection(*place, timeout=30, context=self.trusted)
        return answer(secure, target, headers)

    def ask(
        self, target: str, method: str = "GET", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, headers and body that answer a request."""
        place = (self.host, self.port)
        connection = http.client.HTTPSConnection(*place, timeout=30, context=self.trusted)
        with closing(connection):
            connection.request(method, target, headers=headers)
            response = connection.getresponse()
            sent_headers = {name.lower(): value for name, value in response.getheaders()}
            return response.status, sent_headers, response.read()

    def get_plain(self, target: str, **headers: str) -> tuple[int, bytes]:
        """Sends a request over plain HTTP."""
        plain = http.client.HTTPConnection(self.host, self.port, timeout=30)
        return answer(plain, target, headers)

    def connect(self) -> socket.socket:
        """A TCP connection without a word."""
        return socket.create_connection((self.host, self.port), timeout=30)

    def greet(self) -> ssl.SSLSocket:
        """A TLS connection without a request."""
        return self.trusted.wrap_socket(self.connect(), server_hostname=self.host)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """The exit code after a signal."""
        self.process.send_signal(number)
        return self.process.wait(timeout=30)

    def resident_bytes(self) -> int:
        """Returns the memory of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)[0]) * 1_024


def answer(
    connection: http.client.HTTPConnection, target: str, headers: dict[str, str]
) -> tuple[int, bytes]:
    with closing(connection):
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()


@contextmanager
def serving(
    output: Path, *words: str, command: Sequence[str] = PYTHON_SERVER, **environment: str
) -> Iterator[Server]:
    """A server on a free port of this machine, which ends at the end."""
    with output.open("wb") as file:
        process = subprocess.Popen(
            (*command, "--port", "0", *words),
            stdout=file,
            stderr=subprocess.STDOUT,
            env=os.environ | environment,
        )
    server = Server(process, output, "", 0, ssl.create_default_context())
    try:
        address = server.printed(r"(?:^|\")serving: https?://(\S+):(\d+) until Ctrl-C")
        match = re.search(
            r"(?:^|\")certificate: (\S+), self-signed", output.read_text(), re.MULTILINE
        )
        if match:
            server.trusted.load_verify_locations(match[1])
        yield server._replace(host=address[1], port=int(address[2]))
    finally:
        process.kill()
        process.wait()
