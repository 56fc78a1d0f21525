# SPDX-License-Identifier: MIT
"""The recipes of examples/bundlers: pages that Vite, webpack and Next build, used in Chromium.

With SLUICE_TEST_SERVERS=1, where .ci/setup installed tests/bundlers and tests/wasm.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from test_wasm import ROOT, TOOLS, package, run, tarball

__all__ = ["package", "tarball"]  # fixtures

BUNDLERS = ROOT / "tests" / "bundlers"
RECIPES = ROOT / "examples" / "bundlers"
PROJECTS = BUNDLERS / "projects"  # below the bundlers, which look for each other above them
MESSAGE = "status: not an accepted value"

pytestmark = pytest.mark.servers


def bundler(name: str) -> Path:
    """Returns the command of a bundler."""
    return BUNDLERS / "node_modules" / ".bin" / name


@pytest.fixture(autouse=True)
def node_of_bundlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs bundlers by the Node beside them, since Vite and Next refuse that of Debian 12."""
    [folder] = (BUNDLERS / "node" / "node_modules").glob("node-linux-*/bin")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def project(name: str, package: Path, recipe: Path) -> Path:
    """Returns a folder with the files of a recipe, in which the package is installed."""
    folder = PROJECTS / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(recipe, folder, ignore=shutil.ignore_patterns("next"))
    shutil.copy(RECIPES / "orders.js", folder)
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    shutil.copytree(package, folder / "node_modules" / "@sluice" / "sluice")
    return folder


def visit(place: Path | str) -> dict[str, object]:
    """Returns what a page shows before and after a mistake in its form."""
    shown: dict[str, object] = json.loads(run("node", "visit.mjs", place, cwd=TOOLS))
    return shown


def check(shown: dict[str, object], link: str) -> None:
    """Checks what a page shows."""
    assert shown["problems"] == []
    assert shown["before"] == ""
    assert shown["link"] == link
    assert str(shown["after"]).startswith(MESSAGE)


@pytest.mark.parametrize("name", ["vite", "webpack"])
def test_a_bundle_finds_the_module(name: str, package: Path) -> None:
    folder = project(name, package, RECIPES)
    run(bundler(name), *(["build"] if name == "vite" else []), cwd=folder)
    assert [*(folder / "dist").rglob("*.wasm")]
    if name == "webpack":
        page = (folder / "index.html").read_text(encoding="utf-8")
        (folder / "dist" / "index.html").write_text(page, encoding="utf-8")
    check(visit(folder / "dist"), "?status=open%2Cpaid&total%5Bgte%5D=10&page=2")


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """Starts the server of Next, and yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = (bundler("next"), "start", "--hostname", "127.0.0.1", "--port", str(port))
    server = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/"
        for _ in range(300):
            try:
                httpx.get(address, timeout=30)
                break
            except httpx.ConnectError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(30)


def test_next_finds_the_module_on_the_server_and_in_the_browser(package: Path) -> None:
    folder = project("next", package, RECIPES / "next")
    run(bundler("next"), "build", cwd=folder, NEXT_TELEMETRY_DISABLED="1")
    with started(folder) as address:
        page = httpx.get(f"{address}?status=open&page=3", timeout=30).text
        assert "&quot;status&quot;" in page
        assert "total[gte]: not a number" in httpx.get(f"{address}?total[gte]=x", timeout=30).text
        check(visit(f"{address}?status=open&page=3"), "?status=open&page=4")
