# SPDX-License-Identifier: MIT
"""One run of the comparison, topic by topic."""

import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import fit, servers, services
from .cell import Missing
from .collector import Collector
from .context import Context
from .data import DIMENSIONS, generate
from .engines import ENGINES, find_engine
from .engines.base import Engine
from .engines.croaring import Croaring, find_croaring
from .environment import GOVERNOR_DRIVER, NATIVE_DRIVER
from .line_process import LineProcess
from .topics import evaluation, events, flags, ingest, json_text, limiting, masks, scans, validation

# What the names of a topic's cells begin with.
TOPICS = {
    ("events", "request"): events,
    ("validate",): validation,
    ("limit",): limiting,
    ("JSON",): json_text,
    ("read", "scan"): scans,
    ("ingest", "append"): ingest,
    ("mask",): masks,
    ("flags",): flags,
}
EVALUATION = ("count", "page")
PEERS = (*ENGINES, "CRoaring")
SERVERS = ("server",)


class Session(Collector):
    """Collects the cells of all topics, and what is known of the engines and servers."""

    def __init__(self, context: Context, pairs: int, only: Sequence[str]) -> None:
        """Starts with no cells."""
        super().__init__(pairs, only)
        self._context = context
        self.engines: dict[str, Any] = {}
        self.servers: list[dict[str, Any]] = []

    def _wants(self, names: tuple[str, ...]) -> bool:
        """Whether cells may be wanted whose names begin so; saves making them ready."""
        known = [name for group in (EVALUATION, *TOPICS, SERVERS) for name in group]
        named = [name for name in known if any(word.startswith(name) for word in self._only)]
        return not named or any(name in names for name in named)

    def evaluate(self) -> None:
        """Counts and pages, with as many engines at once as memory holds."""
        if not self._wants(EVALUATION):
            return
        for group in self._groups():
            engines: evaluation.Engines = {name: self._load(name) for name in group}
            self.take(evaluation.cells(self._context, engines))
            for engine in engines.values():
                if not isinstance(engine, Missing):
                    engine.close()

    def _groups(self) -> Iterator[list[str]]:
        data = self._context.data
        if fit.fit_together(data.rows, len(data.dimensions)):
            yield list(PEERS)
        else:
            yield from ([name] for name in PEERS)

    def _load(self, name: str) -> Engine | Croaring | Missing:
        data = self._context.data
        driver = self._context.driver
        found = fit.misfit(name, data.rows, len(data.dimensions)) or (
            find_engine(name) if name in ENGINES else find_croaring(driver)
        )
        if isinstance(found, Missing):
            self.engines[name] = {"missing": found.reason}
            return found
        print(f"loading {name}", file=sys.stderr, flush=True)
        begin = time.monotonic()
        engine = found(data, self._context.threads)
        self.engines[name] = {
            "version": engine.version,
            "settings": engine.settings,
            "load_seconds": round(time.monotonic() - begin, 2),
        }
        return engine

    def measure_topics(self) -> None:
        """All that needs no engine."""
        for names, topic in TOPICS.items():
            if self._wants(names):
                self.take(topic.cells(self._context))

    def measure_servers(self) -> None:
        """Servers under load."""
        if not self._wants(SERVERS):
            return
        try:
            found = servers.measure(self._context)
        except Exception as error:  # whatever a server does: the run goes on and fails
            self.note(f"server: {error}")
            return
        if isinstance(found, Missing):
            self.engines["servers"] = {"missing": found.reason}
        else:
            self.servers = found


def merged(kept: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """A run of some cells in place of the same ones of an earlier run over as much data."""
    if any(kept.get(name) != run[name] for name in ("machine", "rows", "threads")):
        return run
    known = {cell["name"]: cell for cell in kept["cells"] + run["cells"]}
    return run | {
        "cells": list(known.values()),
        "engines": kept["engines"] | run["engines"],
        "servers": run["servers"] or kept["servers"],
        "load": kept["load"] + run["load"],
    }


@dataclass(frozen=True)
class Programs:
    """What was built."""

    driver: Path
    server: Path


def machine() -> dict[str, Any]:
    """Where a run took place."""
    model = platform.processor()
    information = Path("/proc/cpuinfo")
    if information.exists():
        lines = information.read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if "model name" in line), model)
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version()}


def find_node(folder: Path) -> LineProcess | Missing:
    """The Node driver, where Node and its packages are."""
    if shutil.which("node") is None:
        return Missing("node is not installed")
    if not (folder / "node_modules").exists():
        return Missing("npm is not installed")
    return LineProcess(["node", folder / "driver.mjs"])


def find_rust(driver: Path) -> LineProcess | Missing:
    """The Rust driver, where cargo has built it."""
    return find_built(driver) if shutil.which("cargo") else Missing("cargo is not installed")


def find_built(program: Path) -> LineProcess | Missing:
    """A program that the setup builds."""
    if not program.exists():
        return Missing("not built: compare.py without --no-setup builds it")
    return LineProcess([program])


def compare(
    build: Path, programs: Programs, rows: int, threads: int, pairs: int, only: Sequence[str]
) -> dict[str, Any]:
    """Runs everything and returns what the JSON file holds."""
    load = [os.getloadavg()[1]]
    dimensions = fit.dimensions_for(rows)
    data = generate(build / "data", rows, dimensions, mapped=dimensions != DIMENSIONS)
    context = Context(
        driver=LineProcess([programs.driver]),
        native=find_built(NATIVE_DRIVER),
        node=find_node(build / "peers"),
        rust=find_rust(GOVERNOR_DRIVER),
        data=data,
        threads=threads,
        folder=build,
        server=programs.server,
    )
    session = Session(context, pairs, only)
    context.driver.ask(f"load {data.folder}")
    evaluation.learn(context.driver, data)
    session.evaluate()
    session.measure_topics()
    session.measure_servers()
    load.append(os.getloadavg()[1])
    for process in (context.driver, context.native, context.node, context.rust):
        if isinstance(process, LineProcess):
            process.close()
    return {
        "machine": machine(),
        "load": load,
        "rows": rows,
        "dimensions": len(data.dimensions),
        "events": context.events,
        "threads": threads,
        "pairs": pairs,
        "engines": session.engines | services.about(),
        "cells": session.cells,
        "servers": session.servers,
        "errors": session.errors,
    }
