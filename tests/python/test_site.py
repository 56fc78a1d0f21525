# SPDX-License-Identifier: MIT
"""The site of docs/: it is built without a warning, asks nobody else, and has what it promises."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sluice

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/docs/site"
CONFIG = ROOT / ".mkdocs/mkdocs.yml"
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Reader(HTMLParser):
    """A parser of a page's ids, and of the resources that it loads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: set[str] = set()
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        if tag in LOADED and values.get("rel") != "canonical":
            self.loaded.add(values.get(LOADED[tag]) or "")


def build() -> subprocess.CompletedProcess[str]:
    command = ("bash", ROOT / ".ci/docs", "build", sys.executable)
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site() -> Path:
    built = build()
    assert built.returncode == 0, built.stdout + built.stderr
    return SITE


@pytest.mark.servers  # which setup installs Doxygen for
def test_every_page_asks_this_site_alone(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if "cpp" not in page.parts]
    assert len(pages) > 30
    for page in pages:
        for address in Reader(page).loaded:
            assert not re.match(r"(https?:)?//", address), (page, address)


@pytest.mark.servers  # which setup installs Doxygen for
def test_every_error_has_its_place(site: Path) -> None:
    handler = sluice.Handler(sluice.EventStore(), [])
    page = handler.handle("GET", "/api-reference/errors", {}).body.decode()
    ids = set(re.findall(r' id="([a-z-]+)"', page))
    assert len(ids) > 80
    assert ids <= Reader(site / "api-reference/errors/index.html").ids


@pytest.mark.servers  # which setup installs Doxygen for
def test_the_references_are_there(site: Path) -> None:
    python = Reader(site / "reference/python/index.html").ids
    for name in sluice.__all__:
        kind = getattr(sluice, name)
        if getattr(kind, "__module__", "").startswith("sluice"):
            assert f"sluice.{name}" in python, name
    typescript = {page.stem for page in (site / "typescript-reference").rglob("*.html")}
    assert {"parseFilter", "defineParams", "ApiError"} <= typescript
    headers = {page.name for page in (site / "cpp").glob("*_8hpp.html")}
    assert {"filter_8hpp.html", "keyed__limiter_8hpp.html", "handler_8hpp.html"} <= headers
    assert (site / "http-reference/openapi.json").is_file()
    assert "https://cdn" not in (site / "http-reference/redoc.standalone.js").read_text()


@pytest.mark.servers  # which setup installs Doxygen for
def test_the_playground_is_there(site: Path) -> None:
    for name in ("index.html", "main.js", "sample.json", "sluice/sluice.wasm"):
        assert (site / "playground" / name).is_file()
    linked = (site / "reference/playground/index.html").read_text(encoding="utf-8")
    assert re.search(r'href="../../playground/(index.html)?"', linked)


@pytest.mark.servers  # which setup installs Doxygen for
def test_grammars_are_drawn(site: Path) -> None:
    grammar = (ROOT / "docs/reference/grammars.md").read_text(encoding="utf-8")
    rules = re.findall(r"^([a-z-]+) +=.*(?:[/*\"]|value$)", grammar, re.MULTILINE)
    page = (site / "reference/grammars/index.html").read_text(encoding="utf-8")
    assert len(rules) >= 8
    for rule in rules:
        assert f'aria-label="Diagram of {rule}"' in page


def test_the_limiters_are_drawn_as_they_are() -> None:
    drawn = runpy.run_path(str(ROOT / ".mkdocs/limiters.py"))["draw"]()
    assert (ROOT / "docs/limiters.svg").read_text(encoding="utf-8") == drawn


DEAD = {
    "[a](nowhere.md)": "contains a link 'nowhere.md'",
    "[b](install.md#nowhere)": "does not contain an anchor '#nowhere'",
    "[c](/nowhere)": "contains an absolute link '/nowhere'",
}


@pytest.mark.servers  # which setup installs Doxygen for
def test_dead_links_are_errors(site: Path, tmp_path: Path) -> None:
    copy = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", copy)
    (copy / "index.md").write_text("\n\n".join(("# Start", *DEAD)))
    (copy / "lost.md").write_text("# In no menu")
    command = (site.parent / "venv/bin/python", "-m", "mkdocs", "build", "-f", CONFIG)
    places = {"SLUICE_DOCS": str(copy), "SLUICE_SITE": str(tmp_path / "site")}
    refused = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | places
    )
    assert refused.returncode == 1
    for message in (*DEAD.values(), "lost.md"):
        assert message in refused.stderr
