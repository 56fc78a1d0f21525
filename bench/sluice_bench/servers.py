# SPDX-License-Identifier: MIT
"""Servers over TLS: the same requests on kept connections, by wrk.

A server has one core and the client another if there are two. A server's requests are counted for a
second of its processor time, so that neither the client nor other work of the machine counts; the
latencies are what the client saw.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from serving import PYTHON_SERVER, Server, serving

from .context import Context
from .events import ANY_TIME, PAGES, tables_of
from .measuring import Missing, check_equal, spread, take_turns
from .services import KEY, SERVICES

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
AUTHORIZED = {"Authorization": "Bearer key"}
LATENCY = re.compile(r"^ +99%\s+([\d.]+)(us|ms|s)$", re.MULTILINE)
REQUEST_COUNT = re.compile(r"^\s+(\d+) requests in ", re.MULTILINE)
FAILED = re.compile(r"Non-2xx or 3xx responses: \d+|Socket errors: .*")
UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True)
class Load:
    """The report of wrk, and the server's processor nanoseconds a request."""

    requests: int
    p99_ns: float
    cpu_ns: float = 0


def read_wrk(text: str, cpu_ns: float = 0) -> Load:
    """Reads the report of wrk; raises RuntimeError if requests failed."""
    failed = FAILED.search(text)
    latency, requests = LATENCY.search(text), REQUEST_COUNT.search(text)
    if failed or not latency or not requests:
        raise RuntimeError(failed[0] if failed else f"wrk says {text}")
    count = int(requests[1])
    return Load(count, float(latency[1]) * UNITS[latency[2]], cpu_ns / count)


def on_core(last: bool) -> list[str]:
    """Returns the beginning of a command that has a core to itself, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[-last])]


def processor_ns(server: Server) -> float:
    """Returns the processor time that a server has taken."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e9 / os.sysconf("SC_CLK_TCK")


def load(server: Server, target: str) -> Load:
    """Loads a server for some seconds."""
    before = processor_ns(server)
    options = ["-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency"]
    header = ["-H", "Authorization: Bearer key"]
    place = f"https://{server.host}:{server.port}{target}"
    command = [*on_core(last=True), "wrk", *options, *header, place]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return read_wrk(done.stdout, processor_ns(server) - before)


def commands(context: Context, tables: Path, state: Path) -> dict[str, list[str]]:
    """Returns how the servers are started; the first makes the certificate of all."""
    inputs = ["--data", str(tables), "--keys", str(tables / "keys.json")]
    place = state / "sluice" / "localhost"
    certificate = [f"{place}.cert.pem", f"{place}.key.pem"]
    module = [sys.executable, "-m", "sluice_bench.services"]
    return {
        "sluice, C++": [str(context.server), *inputs],
        "sluice, Python": [*PYTHON_SERVER, *inputs],
        **{f"FastAPI + {name}": [*module, name, str(tables), *certificate] for name in SERVICES},
    }


def measure(context: Context) -> list[dict[str, Any]] | Missing:
    """Returns a row for each request and server: medians and ends of rounds that take turns."""
    if shutil.which("wrk") is None or not context.server.exists():
        return Missing("wrk or the server of examples/ is not there")
    tables = tables_of(context)
    (tables / "keys.json").write_text(json.dumps(KEYS))
    state = tables / "state"
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {"XDG_STATE_HOME": str(state), "PYTHONPATH": os.pathsep.join(paths)}
    with ExitStack() as running:
        servers = {}
        for name, command in commands(context, tables, state).items():
            pinned = [*on_core(last=False), *command]
            server = serving(tables / f"{name}.log", command=pinned, **environment)
            servers[name] = running.enter_context(server)
        return [row for name in REQUESTS for row in measure_request(name, servers)]


def measure_request(name: str, servers: dict[str, Server]) -> list[dict[str, Any]]:
    """Returns the rows of one request to all servers, after a comparison of the pages."""
    target = REQUESTS[name]
    bodies = {}
    for server, running in servers.items():
        bodies[server] = running.get(target, **AUTHORIZED)[1]
    check_equal(target, {server: json.loads(body) for server, body in bodies.items()})
    samples = take_turns(
        ROUNDS, {server: partial(load, running, target) for server, running in servers.items()}
    )
    return [
        {
            "request": name,
            "bytes": len(bodies["sluice, C++"]),
            "server": server,
            "per_core": spread([1e9 / run.cpu_ns for run in runs]),
            "per_second": statistics.median(run.requests / SECONDS for run in runs),
            "p99_ns": spread([run.p99_ns for run in runs]),
        }
        for server, runs in samples.items()
    ]
