# SPDX-License-Identifier: MIT
"""Servers over TLS: the same requests on kept connections, by wrk.

A server has one core and the client another where there are two. What a server does for a core is
told by the processor time that it took, so that neither the client nor other work of the machine
counts; the latencies are what the client saw.
"""

import hashlib
import json
import os
import re
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cell import Missing
from .context import Context, lacks
from .progress import Progress
from .run import UnequalError, spread
from .topics.events import PAGES, tables_of, text_of

CONNECTIONS = 8
SECONDS = 3
ROUNDS = 5
REQUESTS = {
    name: f"/events?{text_of(PAGES[name])}" for name in ("10 of 1 equality", "100 of 1 equality")
}
KEY = {
    "sha256": hashlib.sha256(b"key").hexdigest(),
    "workspaceId": "ws_default",
    "plan": "enterprise",
    "permissions": ["analytics.read"],
    "limits": {"perMinute": 100_000_000, "analyticsPerSecond": 100_000_000},
}
LATENCY = re.compile(r"^ +99%\s+([\d.]+)(us|ms|s)$", re.MULTILINE)
REQUEST_COUNT = re.compile(r"^\s+(\d+) requests in ", re.MULTILINE)
FAILED = re.compile(r"Non-2xx or 3xx responses: \d+|Socket errors: .*")
UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True)
class Load:
    """What wrk saw."""

    requests: int
    p99_ns: float


def read_wrk(text: str) -> Load:
    """The report of wrk; raises RuntimeError where requests failed."""
    failed = FAILED.search(text)
    latency, requests = LATENCY.search(text), REQUEST_COUNT.search(text)
    if failed or not latency or not requests:
        raise RuntimeError(failed[0] if failed else f"wrk says {text}")
    return Load(int(requests[1]), float(latency[1]) * UNITS[latency[2]])


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    process: subprocess.Popen[bytes]
    port: int
    trusting: ssl.SSLContext

    def get(self, target: str) -> bytes:
        """The body of an answer."""
        url = f"https://localhost:{self.port}{target}"
        request = urllib.request.Request(url, headers={"Authorization": "Bearer key"})
        with urllib.request.urlopen(request, context=self.trusting, timeout=60) as answer:
            body: bytes = answer.read()
            return body

    def processor_ns(self) -> float:
        """The processor time that it has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1e9 / os.sysconf("SC_CLK_TCK")

    def load(self, target: str) -> tuple[Load, float]:
        """What the client sees, and the server's processor time in nanoseconds a request."""
        before = self.processor_ns()
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency"]
        done = subprocess.run(
            [*command, "-H", "Authorization: Bearer key", f"https://localhost:{self.port}{target}"],
            capture_output=True,
            text=True,
            check=True,
            preexec_fn=on_core(1),
        )
        seen = read_wrk(done.stdout)
        return seen, (self.processor_ns() - before) / seen.requests


def on_core(number: int) -> Callable[[], None]:
    """What keeps a child on a core of its own, where there are two."""
    cores = sorted(os.sched_getaffinity(0))
    return lambda: os.sched_setaffinity(0, {cores[number % len(cores)]})


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def make_inputs(folder: Path) -> None:
    """A certificate and a file of keys."""
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", *curve, "-days", "30", *subject, *files],
        check=True,
        capture_output=True,
    )
    (folder / "keys.json").write_text(json.dumps([KEY]))


def commands(context: Context, tables: Path) -> dict[str, Callable[[int], list[str]]]:
    """How each server is started on a port."""
    inputs = ["--data", tables, "--keys", tables / "keys.json", "--host", "127.0.0.1"]
    inputs += ["--certfile", tables / "cert.pem", "--keyfile", tables / "key.pem", "--port"]
    given = [str(word) for word in inputs]

    def fastapi(engine: str) -> Callable[[int], list[str]]:
        module = [sys.executable, "-m", "sluice_bench.services.app", engine, str(tables)]
        return lambda port: [*module, str(port), str(tables)]

    return {
        "sluice, C++": lambda port: [str(context.server), *given, str(port)],
        "sluice, Python": lambda port: [sys.executable, "-m", "sluice", "serve", *given, str(port)],
        "FastAPI + DuckDB": fastapi("DuckDB"),
        "FastAPI + SQLite": fastapi("SQLite"),
    }


def start(command: Callable[[int], list[str]], certificate: Path, running: ExitStack) -> Server:
    """Starts a server and waits until it answers."""
    port = free_port()
    here = str(Path(__file__).parents[1])
    paths = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        command(port),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": paths},
        preexec_fn=on_core(0),
    )
    running.callback(process.wait)
    running.callback(process.terminate)
    server = Server(process, port, ssl.create_default_context(cafile=certificate))
    for _ in range(1_800):
        if process.poll() is not None:
            raise RuntimeError(f"{command(port)} ended with {process.returncode}")
        try:
            server.get(REQUESTS["10 of 1 equality"])
        except OSError:
            time.sleep(0.1)
        else:
            return server
    raise RuntimeError(f"{command(port)} does not answer")


def check(servers: dict[str, Server], target: str) -> None:
    """Raises UnequalError unless all servers give the same page."""
    pages = {name: json.loads(server.get(target)) for name, server in servers.items()}
    expected = pages["sluice, C++"]
    for name, page in pages.items():
        if page != expected or not page:
            raise UnequalError(f"{target}: {name} gives another page")


def measure(context: Context) -> list[dict[str, Any]] | Missing:
    """A row for each request and server: medians and ends of rounds that take turns."""
    missing = lacks("fastapi") or lacks("uvloop")
    if missing or shutil.which("wrk") is None or not context.server.exists():
        return missing or Missing("wrk or the server of examples/ is not there")
    tables = tables_of(context)
    make_inputs(tables)
    rows = []
    with ExitStack() as running:
        servers = {
            name: start(command, tables / "cert.pem", running)
            for name, command in commands(context, tables).items()
        }
        for name, target in REQUESTS.items():
            check(servers, target)
            rows += measure_request(name, target, servers)
    return rows


def measure_request(name: str, target: str, servers: dict[str, Server]) -> list[dict[str, Any]]:
    """One request to all servers."""
    samples: dict[str, list[tuple[Load, float]]] = {server: [] for server in servers}
    progress = Progress(ROUNDS * len(servers))
    for turn in range(ROUNDS):
        order = list(servers)[turn % len(servers) :] + list(servers)[: turn % len(servers)]
        for server in order:
            samples[server].append(servers[server].load(target))
            progress.step(server)
    progress.finish()
    size = len(servers["sluice, C++"].get(target))
    return [row(name, size, server, found) for server, found in samples.items()]


def row(request: str, size: int, server: str, found: list[tuple[Load, float]]) -> dict[str, Any]:
    """A row as the JSON file holds it."""
    seen = [load for load, _ in found]
    return {
        "request": request,
        "bytes": size,
        "server": server,
        "per_core": spread([1e9 / cpu for _, cpu in found]),
        "per_second": statistics.median(load.requests / SECONDS for load in seen),
        "p99_ns": spread([load.p99_ns for load in seen]),
    }
