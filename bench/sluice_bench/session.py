# SPDX-License-Identifier: MIT
"""One run of the comparison, topic by topic."""

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import (
    data,
    evaluation,
    events,
    ingest,
    json_text,
    limiting,
    masks,
    row_engines,
    servers,
    services,
    validation,
)
from .context import Context
from .environment import GOVERNOR_DRIVER
from .measuring import Collector, LineProcess, Missing, machine

EVALUATION = ("count", "page")
SERVERS = ("server",)
# What the names of a topic's cells begin with.
TOPICS = {
    ("events", "request"): events,
    ("validate",): validation,
    ("limit",): limiting,
    ("JSON",): json_text,
    ("ingest",): ingest,
    ("mask",): masks,
}


class Session(Collector):
    """Collects the cells of all topics, and what is known of the engines and servers."""

    def __init__(self, context: Context, pairs: int, only: Sequence[str]) -> None:
        """Starts with no cells."""
        super().__init__(pairs, only)
        self._context = context
        self.engines: dict[str, Any] = {}
        self.servers: list[dict[str, Any]] = []

    def measure_all(self) -> None:
        """Measures what is wanted."""
        if self._wants(EVALUATION):
            evaluation.learn(self._context.driver, self._context.data)
            for name in row_engines.NAMES:
                self._evaluate(name)
        for names, topic in TOPICS.items():
            if self._wants(names):
                self.take(topic.cells(self._context))
        if self._wants(SERVERS):
            self._measure_servers()

    def _wants(self, names: tuple[str, ...]) -> bool:
        """Returns true if cells may be wanted whose names begin so; saves making them ready."""
        known = [name for group in (EVALUATION, *TOPICS, SERVERS) for name in group]
        named = [name for name in known if any(word.startswith(name) for word in self._only)]
        return not named or any(name in names for name in named)

    def _evaluate(self, name: str) -> None:
        """Measures counts and pages beside one engine, which is gone after that."""
        driver, rows = self._context.driver, self._context.data
        begin = time.monotonic()
        engine = data.misfit(name, rows.rows, len(rows.dimensions)) or row_engines.open_engine(
            name, driver, rows, self._context.threads
        )
        if isinstance(engine, Missing):
            self.engines[name] = {"missing": engine.reason}
        else:
            seconds = round(time.monotonic() - begin, 2)
            about = {"version": engine.version, "settings": engine.settings}
            self.engines[name] = about | {"load_seconds": seconds}
        self.take(evaluation.cells(driver, rows, name, engine))

    def _measure_servers(self) -> None:
        try:
            found = servers.measure(self._context)
        except Exception as error:  # whatever a server does: the run goes on and fails
            self.note(f"server: {error}")
            return
        if isinstance(found, Missing):
            self.engines["servers"] = {"missing": found.reason}
        else:
            self.servers = found


@dataclass(frozen=True)
class Programs:
    """The built programs."""

    driver: Path
    server: Path


def find_node(folder: Path) -> LineProcess | Missing:
    """Starts the Node driver, if Node and its packages are there."""
    if shutil.which("node") is None:
        return Missing("node is not installed")
    if not (folder / "node_modules").exists():
        return Missing("npm is not installed")
    return LineProcess("node", folder / "driver.mjs")


def find_rust() -> LineProcess | Missing:
    """Starts the Rust driver, if cargo has built it."""
    if GOVERNOR_DRIVER.exists():
        return LineProcess(GOVERNOR_DRIVER)
    return Missing("cargo is not installed" if shutil.which("cargo") is None else "not built")


def compare(
    build: Path, programs: Programs, rows: int, threads: int, pairs: int, only: Sequence[str]
) -> dict[str, Any]:
    """Runs everything and returns what the results file holds."""
    load = [os.getloadavg()[1]]
    dimensions = data.dimensions_for(rows)
    is_large = dimensions != data.DIMENSIONS
    context = Context(
        driver=LineProcess(programs.driver),
        node=find_node(build / "peers"),
        rust=find_rust(),
        data=data.generate(build / "data", rows, dimensions, mapped=is_large),
        threads=threads,
        folder=build,
        server=programs.server,
    )
    context.driver.ask(f"load {context.data.folder}")
    session = Session(context, pairs, only)
    session.measure_all()
    load.append(os.getloadavg()[1])
    for process in (context.driver, context.node, context.rust):
        if isinstance(process, LineProcess):
            process.close()
    return {
        "machine": machine(),
        "load": load,
        "rows": rows,
        "dimensions": len(context.data.dimensions),
        "events": context.events,
        "threads": threads,
        "pairs": pairs,
        "engines": session.engines | services.about(),
        "cells": session.cells,
        "servers": session.servers,
        "errors": session.errors,
    }
