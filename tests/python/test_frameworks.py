# SPDX-License-Identifier: MIT
"""The applications of examples/frameworks, each run by a real server: one contract for all."""

import json
import os
import re
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx
import pytest
import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "frameworks"
sys.path.insert(0, str(EXAMPLES))

from orders import ORDERS, Orders  # noqa: E402

ASGI = (sys.executable, "-m", "uvicorn", "--port", "0", "--app-dir", str(EXAMPLES))
WSGI = """
import importlib, sys
from wsgiref.simple_server import make_server
sys.path.insert(0, sys.argv[1])
module, name = sys.argv[2].split(":")
server = make_server("127.0.0.1", 0, getattr(importlib.import_module(module), name))
print(f"running on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""
COMMANDS = {
    "fastapi": (*ASGI, "fastapi_app:app"),
    "starlette": (*ASGI, "starlette_app:app"),
    "litestar": (*ASGI, "litestar_app:app"),
    "flask": (sys.executable, "-c", WSGI, str(EXAMPLES), "flask_app:app"),
    "django": (sys.executable, "-c", WSGI, str(EXAMPLES), "django_app:application"),
    "rest": (sys.executable, "-c", WSGI, str(EXAMPLES), "rest_app:application"),
}
DOCUMENTS = {"fastapi": "/openapi.json", "litestar": "/schema/openapi.json"}
DOCUMENTS |= {"starlette": "/openapi.yaml"}


class App(NamedTuple):
    """An application that runs."""

    name: str
    client: httpx.Client

    def get(self, target: str) -> httpx.Response:
        """Sends a request as a client that has sent none before."""
        return self.client.get(target, headers={"X-API-Key": f"{time.monotonic_ns()}"})


def start(command: tuple[str, ...], output: Path) -> "subprocess.Popen[bytes]":
    with output.open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=os.environ)


def address(process: "subprocess.Popen[bytes]", output: Path) -> str:
    """Returns the address in a server's output."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        match = re.search(r"running on (http://127.0.0.1:\d+)", output.read_text())
        if match:
            return match[1]
        time.sleep(0.01)
    raise AssertionError(output.read_text())


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, App]]:
    """All applications at once, so that they start side by side."""
    folder = tmp_path_factory.mktemp("frameworks")
    with ExitStack() as stack:
        processes = {}
        for name, command in COMMANDS.items():
            processes[name] = start(command, folder / name)
            stack.callback(processes[name].wait)
            stack.callback(processes[name].kill)
        urls = {name: address(process, folder / name) for name, process in processes.items()}
        secure = ssl.create_default_context()  # made once, as it takes as long as many requests
        clients = {
            name: stack.enter_context(httpx.Client(base_url=url, verify=secure, trust_env=False))
            for name, url in urls.items()
        }
        yield {name: App(name, client) for name, client in clients.items()}


@pytest.fixture(params=COMMANDS)
def app(request: pytest.FixtureRequest, running: dict[str, App]) -> App:
    return running[request.param]


def naive_ids(
    status: str = "",
    customer: str = "",
    least: int = 0,
    most: int = 10**9,
    first: str = "0",
    last: str = "9",
    order: str = "-created",
) -> list[str]:
    """The orders that are asked for, found by looking at each."""
    is_wanted = not customer.startswith("-")
    wanted = [
        record
        for record in ORDERS
        if (not status or record["status"] in status.split(","))
        and (not customer or (record["customer_id"] in customer[1:].split(",")) == is_wanted)
        and least <= record["total"] <= most
        and first <= record["created_at"].isoformat() <= last
    ]
    column = {"created": "created_at", "total": "total"}[order.lstrip("-")]
    is_down = order.startswith("-")
    wanted.sort(key=lambda record: (record[column], record["id"]), reverse=is_down)
    return [record["id"] for record in wanted]


REQUESTS: list[tuple[dict[str, object], list[str]]] = [
    ({}, naive_ids()),
    ({"status": "open"}, naive_ids(status="open")),
    ({"status": "open,paid"}, naive_ids(status="open,paid")),
    ({"status": "-void"}, naive_ids(status="open,paid")),
    ({"customer": "c3,c5"}, naive_ids(customer="+c3,c5")),
    ({"customer": "-c3,c5"}, naive_ids(customer="-c3,c5")),
    ({"customer": "nobody"}, []),
    ({"total[gte]": 500}, naive_ids(least=500)),
    ({"total[lte]": 137}, naive_ids(most=137)),
    ({"total[gte]": 100, "total[lte]": 101}, naive_ids(least=100, most=101)),
    (
        {"start": "2026-08-02", "end": "2026-08-03"},
        naive_ids(first="2026-08-02", last="2026-08-04"),
    ),
    ({"end": "2026-08-01T05:00:00Z"}, naive_ids(last="2026-08-01T05:00:01")),
    ({"order": "created"}, naive_ids(order="created")),
    ({"order": "total"}, naive_ids(order="total")),
    ({"order": "-total"}, naive_ids(order="-total")),
    (
        {"status": "paid", "customer": "-c1", "total[gte]": 300, "order": "-total"},
        naive_ids(status="paid", customer="-c1", least=300, order="-total"),
    ),
]


@pytest.mark.parametrize(("values", "ids"), REQUESTS, ids=lambda value: str(value)[:40])
def test_rows_are_those_that_are_asked_for(
    app: App, values: Mapping[str, object], ids: list[str]
) -> None:
    answer = app.get("/orders?" + urlencode({**values, "limit": 100}))
    assert answer.status_code == 200
    assert [row["id"] for row in answer.json()] == ids[:100]
    by_page = app.get("/orders?" + urlencode({**values, "limit": 7, "page": 2, "count": "true"}))
    assert [row["id"] for row in by_page.json()] == ids[7:14]
    assert by_page.headers["x-total-count"] == str(len(ids))
    assert "x-total-count" not in answer.headers


def follow(app: App, target: str, relation: str) -> Iterator[list[str]]:
    """The ids on the pages that links of a relation lead to."""
    links: dict[Any, dict[str, str]] = {relation: {"url": target}}
    for _ in range(20):
        if relation not in links:
            return
        answer = app.get(links[relation]["url"])
        assert answer.status_code == 200
        links = answer.links
        yield [row["id"] for row in answer.json()]


@pytest.mark.parametrize("order", ["-created", "total"])
def test_links_lead_through_the_list_and_back(app: App, order: str) -> None:
    target = f"/orders?{urlencode({'status': '-void', 'order': order, 'limit': 30})}"
    ids = naive_ids(status="open,paid", order=order)
    pages = list(follow(app, target, "next"))
    assert [id_ for page in pages for id_ in page] == ids
    assert [len(page) for page in pages] == [30, 30, 30, 30, len(ids) - 120]
    first = app.get(target)
    assert "prev" not in first.links
    second = app.get(first.links["next"]["url"])
    assert "cursor=" in str(second.url)
    back = list(follow(app, second.links["prev"]["url"], "prev"))
    assert [id_ for page in back for id_ in page] == ids[:30]
    assert second.links["first"]["url"].startswith("/orders?")
    assert app.get(second.links["first"]["url"]).json() == first.json()


def test_links_have_windows_as_instants(app: App) -> None:
    answer = app.get("/orders?interval=90d&end=2026-08-04&limit=2")
    link = httpx.URL(answer.links["next"]["url"])
    assert link.params["start"] == "2026-05-06T23:59:59.999Z"
    assert link.params["end"] == "2026-08-04T23:59:59.999Z"
    assert "interval" not in link.params


WRONG = [
    "status=lost",
    "total[gte]=many",
    "limit=0&status=lost",
    "order=color",
    "status=open,-paid",
]
WRONG += ["start=someday", "page=1&cursor=AQ"]


@pytest.mark.parametrize("query", WRONG)
def test_what_is_wrong_is_told(app: App, query: str) -> None:
    errors = Orders.errors(query)
    answer = app.get(f"/orders?{query}")
    assert answer.status_code == errors[0].status
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["detail"] == errors[0].message
    assert body["errors"] == [{"param": e.param, "detail": e.message} for e in errors]
    assert answer.headers["x-ratelimit-limit"] == "100"


def test_each_client_has_its_limit(app: App) -> None:
    greedy = {"X-API-Key": "greedy"}
    answers = [app.client.get("/orders?limit=1", headers=greedy)]
    while answers[-1].status_code == 200 and len(answers) < 1_000:
        answers.append(app.client.get("/orders?limit=1", headers=greedy))
    left = [int(answer.headers["x-ratelimit-remaining"]) for answer in answers]
    refused = answers.pop()
    assert refused.status_code == 429
    assert len(answers) >= 100  # and more where it takes so long that some are given back
    assert left[0] == 99
    assert left[-2:] == [0, 0]
    assert all(later >= earlier - 1 for earlier, later in pairwise(left))
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == "rate_limit_exceeded"
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert app.get("/orders").status_code == 200


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_has_every_parameter(running: dict[str, App], name: str) -> None:
    text = running[name].get(DOCUMENTS[name]).text
    document = json.loads(text) if text.startswith("{") else yaml.safe_load(text)
    document = json.loads(json.dumps(document))
    OpenAPIV31SpecValidator(document).validate()
    operation = document["paths"]["/orders"]["get"]
    described = {item["name"]: item for item in operation["parameters"]}
    for parameter in Orders.openapi_parameters():
        description = described[parameter["name"]]
        description["schema"].pop("title", None)  # which FastAPI adds
        assert description == parameter
    for status in ("400", "422", "429"):
        assert "application/problem+json" in operation["responses"][status]["content"]
    assert "pattern" in described["interval"]["schema"]
    assert described["limit"]["schema"]["default"] == 20


def test_the_comparison_is_true() -> None:
    program = (sys.executable, "-W", "ignore", ROOT / "bench" / "frameworks.py", "--check")
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
