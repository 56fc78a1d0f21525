# SPDX-License-Identifier: MIT
"""Servers over TLS: the same requests, each measured by the processor time of its server."""

import http.client
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import fastapi
from serving import PYTHON_SERVER, Server, serving

from .context import Context
from .events import ANY_TIME, DATABASES, PAGES, tables_of
from .fastapi_service import KEY
from .measuring import Cell, Contender, Library, by_python, processor_ns

LIMITS = {"perMinute": 100_000_000, "analyticsPerSecond": 100_000_000}
RIGHTS = {"workspaceId": "ws_default", "plan": "enterprise", "permissions": ["analytics.read"]}
KEYS = [{"sha256": KEY.hex(), **RIGHTS, "limits": LIMITS}]
AUTHORIZED = {"Authorization": "Bearer key"}


def client(server: Server) -> Callable[[str], Contender]:
    """Returns a client that gets a target over a kept connection."""
    place = (server.host, server.port)
    connection = http.client.HTTPSConnection(*place, timeout=30, context=server.trusted)

    def get(target: str) -> bytes:
        connection.request("GET", target, headers=AUTHORIZED)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{target} is answered by {response.status}")
        return body

    def contender(target: str) -> Contender:
        run, clock = partial(get, target), partial(processor_ns, server.process.pid)
        return by_python(run, lambda: json.loads(run()), clock)

    return contender


def commands(server: Path, tables: Path) -> dict[str, list[str]]:
    """Returns how the servers are started; the first makes the certificate of all."""
    (tables / "keys.json").write_text(json.dumps(KEYS))
    inputs = ["--data", str(tables), "--keys", str(tables / "keys.json")]
    place = tables / "state" / "sluice" / "localhost"
    certificate = [f"{place}.cert.pem", f"{place}.key.pem"]
    module = [sys.executable, "-m", "sluice_bench.fastapi_service"]
    return {
        "sluice": [str(server), *inputs],
        "sluice, Python": [*PYTHON_SERVER, *inputs],
        **{f"FastAPI + {name}": [*module, name, str(tables), *certificate] for name in DATABASES},
    }


def cells(context: Context) -> Iterator[Cell]:
    """Yields the pages of the store, from the reference server in C++ and from the others."""
    tables = tables_of(context.sample)
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {"XDG_STATE_HOME": str(tables / "state"), "PYTHONPATH": os.pathsep.join(paths)}
    context.collector.versions["FastAPI"] = fastapi.__version__
    with ExitStack() as running:
        peers = {}
        for name, command in commands(context.server, tables).items():
            server = serving(tables / f"{name}.log", command=command, **environment)
            peers[name] = Library(get=client(running.enter_context(server)))
        ours = peers.pop("sluice")
        for task, query in PAGES.items():
            target = f"get /events?{ANY_TIME}{query.text()}"
            yield Cell(f"server: page of {task}", "examples/server", target, ours, peers)
