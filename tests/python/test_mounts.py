# SPDX-License-Identifier: MIT
"""Links of lists that are mounted below a path, in each framework and of the reference handler."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from sluice import Handler, asgi
from sluice.asgi import App, Scope

EXAMPLES = Path(__file__).parents[2] / "examples" / "frameworks"
MOUNT, ENCODED = "/café shop", "/caf%C3%A9%20shop"

ASGI = """
import asyncio, importlib, json, sys
from urllib.parse import quote
import httpx
from starlette.applications import Starlette
from starlette.routing import Mount
sys.path.insert(0, sys.argv[1])
module, name, mount = sys.argv[2:]
app = Starlette(routes=[Mount(mount, app=getattr(importlib.import_module(module), name))])
async def get(target):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as client:
        return await client.get(target)
first = asyncio.run(get(quote(mount) + "/orders?limit=2"))
next_link = first.links["next"]["url"]
second = asyncio.run(get(next_link))
print(json.dumps([first.headers["link"], [row["id"] for row in first.json() + second.json()]]))
"""
WSGI = """
import importlib, json, sys
from urllib.parse import quote
import httpx
sys.path.insert(0, sys.argv[1])
module, name, mount = sys.argv[2:]
transport = httpx.WSGITransport(
    getattr(importlib.import_module(module), name), script_name=mount.encode().decode("latin-1")
)
client = httpx.Client(transport=transport, base_url="http://a")
first = client.get("/orders?limit=2")
second = client.get(first.links["next"]["url"].removeprefix(quote(mount)))
print(json.dumps([first.headers["link"], [row["id"] for row in first.json() + second.json()]]))
"""
APPLICATIONS = {
    "fastapi_app": (ASGI, "app"),
    "starlette_app": (ASGI, "app"),
    "litestar_app": (ASGI, "app"),
    "flask_app": (WSGI, "app"),
    "django_app": (WSGI, "application"),
    "rest_app": (WSGI, "application"),
}


@pytest.mark.parametrize("mount", ["", "/api/v1", MOUNT, "/a?b#c<d>"])
@pytest.mark.parametrize("module", APPLICATIONS)
def test_links_of_a_mounted_application_lead_to_its_pages(module: str, mount: str) -> None:
    program, name = APPLICATIONS[module]
    command = (sys.executable, "-c", program, str(EXAMPLES), module, name, mount)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    links, ids = json.loads(done.stdout)
    assert all(f"<{quote(mount)}/orders?" in link for link in links.split(", "))
    assert len(set(ids)) == 4


def scope_of(differs: Mapping[str, Any]) -> Scope:
    scope = {"type": "http", "path": "/tags", "query_string": b"", "headers": []}
    return {**scope, **differs}


# What differs in a scope; the path that the application is mounted at, and the path after it.
SPLIT: list[tuple[Mapping[str, Any], str, bytes]] = [
    ({}, "", b"/tags"),
    ({"root_path": ""}, "", b"/tags"),
    ({"root_path": "/"}, "", b"/tags"),
    ({"root_path": "/api", "path": "/api/tags"}, "/api", b"/tags"),
    ({"root_path": "/api/", "path": "/api/tags"}, "/api", b"/tags"),
    ({"root_path": "/api", "path": "/api"}, "/api", b""),
    ({"root_path": "/api", "path": "/api/api/tags"}, "/api", b"/api/tags"),
    ({"root_path": "/api", "path": "/tags"}, "/api", b"/tags"),  # as older servers have it
    ({"root_path": "/api", "path": "/apis/tags"}, "/api", b"/apis/tags"),
    ({"root_path": MOUNT, "path": MOUNT + "/tags"}, ENCODED, b"/tags"),
    ({"root_path": MOUNT, "raw_path": b"/caf%c3%a9%20shop/t%61gs"}, ENCODED, b"/t%61gs"),
    ({"root_path": MOUNT, "raw_path": b"/%63af%C3%A9%20shop/tags"}, ENCODED, b"/tags"),
    ({"root_path": "/(a)", "raw_path": b"/(a)/tags"}, "/%28a%29", b"/tags"),
    ({"root_path": "/a", "raw_path": b"https://a.example/a/tags"}, "/a", b"/tags"),
    ({"root_path": '/a>; rel="next"', "path": "/tags"}, "/a%3E%3B%20rel%3D%22next%22", b"/tags"),
    ({"root_path": "/%", "path": "/%/tags"}, "/%25", b"/tags"),
    ({"root_path": "/abc", "raw_path": b"/a%"}, "/abc", b"/a%"),
]


@pytest.mark.parametrize(("differs", "mount", "path"), SPLIT)
def test_a_scope_has_a_mount_and_a_path(
    differs: Mapping[str, Any], mount: str, path: bytes
) -> None:
    assert asgi.split_path(scope_of(differs)) == (mount, path)


@pytest.mark.parametrize(
    ("mounts", "prefix"),
    [([], ""), (["/api"], "/api"), ([MOUNT], ENCODED), (["/a", "/{tenant}"], "/a/{tenant}")],
)
def test_links_of_a_mounted_handler_lead_to_its_pages(
    handler: Handler, mounts: list[str], prefix: str
) -> None:
    app: Any = App(handler)
    for mount in reversed(mounts):
        app = Starlette(routes=[Mount(mount, app=app)])
    prefix = prefix.replace("{tenant}", "x%20y")
    headers = {"authorization": "Bearer tok_everything", "host": "a.example"}

    async def get(target: str) -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="https://a.example") as client:
            return await client.get(target, headers=headers)

    first = asyncio.run(get(f"{prefix}/events?event=sales&interval=all&limit=1"))
    for relation in ("first", "next"):
        link = first.links[relation]["url"]
        assert link.startswith(f"{prefix}/events?")
        assert asyncio.run(get(link)).status_code == 200
    refused = asyncio.run(get(f"{prefix}/tags?page=0")).json()["error"]["doc_url"]
    assert refused.startswith(f"https://a.example{prefix}/api-reference/errors#")
    page = asyncio.run(get(refused.removeprefix("https://a.example").partition("#")[0]))
    assert page.status_code == 200
    document = asyncio.run(get(f"{prefix}/openapi.json")).json()
    assert document["servers"] == [{"url": prefix or "/"}]
