# SPDX-License-Identifier: MIT
"""Servers over TLS: the same requests on kept connections, by wrk.

A server has one core and the client another if there are two. A server's requests are told for a
second of its processor time, so that neither the client nor other work of the machine counts; the
latencies are what the client saw.
"""

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

from .context import Context
from .events import ANY_TIME, PAGES, tables_of
from .measuring import Missing, UnequalError, lacks, spread
from .services import KEY

CONNECTIONS, SECONDS, ROUNDS = 8, 3, 5
REQUESTS = {name: f"/events?{ANY_TIME}{query.text()}" for name, query in PAGES.items()}
KEYS = [
    {
        "sha256": KEY.hex(),
        "workspaceId": "ws_default",
        "plan": "enterprise",
        "permissions": ["analytics.read"],
        "limits": {"perMinute": 100_000_000, "analyticsPerSecond": 100_000_000},
    }
]
LATENCY = re.compile(r"^ +99%\s+([\d.]+)(us|ms|s)$", re.MULTILINE)
REQUEST_COUNT = re.compile(r"^\s+(\d+) requests in ", re.MULTILINE)
FAILED = re.compile(r"Non-2xx or 3xx responses: \d+|Socket errors: .*")
UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True)
class Load:
    """A measurement by wrk."""

    requests: int
    p99_ns: float


def read_wrk(text: str) -> Load:
    """Reads the report of wrk; raises RuntimeError if requests failed."""
    failed = FAILED.search(text)
    latency, requests = LATENCY.search(text), REQUEST_COUNT.search(text)
    if failed or not latency or not requests:
        raise RuntimeError(failed[0] if failed else f"wrk says {text}")
    return Load(int(requests[1]), float(latency[1]) * UNITS[latency[2]])


def on_core(number: int) -> Callable[[], None]:
    """Returns what keeps a child on a core of its own, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    return lambda: os.sched_setaffinity(0, {cores[number % len(cores)]})


class Server:
    """A server that is started on a free port, and listens."""

    def __init__(self, command: list[str], folder: Path, running: ExitStack) -> None:
        """Starts it and waits until it answers. A folder has its certificate."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        self._place = f"https://localhost:{port}"
        self._trusting = ssl.create_default_context(cafile=folder / "cert.pem")
        here = str(Path(__file__).parents[1])
        paths = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [word.replace("PORT", str(port)) for word in command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths},
            preexec_fn=on_core(0),
        )
        running.callback(self._process.wait)
        running.callback(self._process.terminate)
        for _ in range(1_800):
            if self._process.poll() is not None:
                raise RuntimeError(f"{command} ended with {self._process.returncode}")
            try:
                self.get(REQUESTS["10 of 1 equality"])
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"{command} does not answer")

    def get(self, target: str) -> bytes:
        """Returns the body of an answer."""
        headers = {"Authorization": "Bearer key"}
        request = urllib.request.Request(self._place + target, headers=headers)
        with urllib.request.urlopen(request, context=self._trusting, timeout=60) as answer:
            body: bytes = answer.read()
            return body

    def processor_ns(self) -> float:
        """Returns the processor time that it has taken."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1e9 / os.sysconf("SC_CLK_TCK")

    def load(self, target: str) -> tuple[Load, float]:
        """Returns what the client sees, and the server's processor nanoseconds a request."""
        before = self.processor_ns()
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency"]
        done = subprocess.run(
            [*command, "-H", "Authorization: Bearer key", self._place + target],
            capture_output=True,
            text=True,
            check=True,
            preexec_fn=on_core(1),
        )
        seen = read_wrk(done.stdout)
        return seen, (self.processor_ns() - before) / seen.requests


def write_inputs(folder: Path) -> None:
    """Writes a certificate and a file of keys."""
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    command = ["openssl", "req", "-x509", *curve, "-days", "30", *subject, *files]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "keys.json").write_text(json.dumps(KEYS))


def commands(server: Path, tables: Path) -> dict[str, list[str]]:
    """Returns how each server is started on a port."""
    inputs = ["--data", tables, "--keys", tables / "keys.json", "--host", "127.0.0.1", "--port"]
    files = ["--certfile", tables / "cert.pem", "--keyfile", tables / "key.pem"]
    options = [str(word) for word in (*inputs, "PORT", *files)]
    module = [sys.executable, "-m", "sluice_bench.services"]
    return {
        "sluice, C++": [str(server), *options],
        "sluice, Python": [sys.executable, "-m", "sluice", "serve", *options],
        "FastAPI + DuckDB": [*module, "DuckDB", str(tables), "PORT", str(tables)],
        "FastAPI + SQLite": [*module, "SQLite", str(tables), "PORT", str(tables)],
    }


def measure(context: Context) -> list[dict[str, Any]] | Missing:
    """Returns a row for each request and server: medians and ends of rounds that take turns."""
    missing = lacks("fastapi") or lacks("uvloop")
    if missing or shutil.which("wrk") is None or not context.server.exists():
        return missing or Missing("wrk or the server of examples/ is not there")
    tables = tables_of(context)
    write_inputs(tables)
    rows = []
    with ExitStack() as running:
        started = {
            name: Server(command, tables, running)
            for name, command in commands(context.server, tables).items()
        }
        for name, target in REQUESTS.items():
            pages = [json.loads(server.get(target)) for server in started.values()]
            if not pages[0] or any(page != pages[0] for page in pages):
                raise UnequalError(f"{target}: servers give different pages")
            rows += measure_request(name, target, started)
    return rows


def measure_request(name: str, target: str, servers: dict[str, Server]) -> list[dict[str, Any]]:
    """Returns the rows of one request to all servers."""
    samples: dict[str, list[tuple[Load, float]]] = {server: [] for server in servers}
    for turn in range(ROUNDS):
        order = list(servers)[turn % len(servers) :] + list(servers)[: turn % len(servers)]
        for server in order:
            samples[server].append(servers[server].load(target))
    size = len(servers["sluice, C++"].get(target))
    return [
        {
            "request": name,
            "bytes": size,
            "server": server,
            "per_core": spread([1e9 / cpu for _, cpu in runs]),
            "per_second": statistics.median(load.requests / SECONDS for load, _ in runs),
            "p99_ns": spread([load.p99_ns for load, _ in runs]),
        }
        for server, runs in samples.items()
    ]
