# SPDX-License-Identifier: MIT
"""Events and tags from ClickHouse: the same answers as from memory, loads and lost servers."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pytest
import trustme
from api_keys import bearer, make_key
from clickhouse_nodes import CLUSTER, USER, Node, nodes, tls_before
from clickhouse_nodes import PASSWORD as NODE_PASSWORD
from cpp_server import needs_server
from measured_requests import every_measure, measuring
from oracle import Oracle
from oracle.analytics import EVENTS, GROUP_NAMES
from random_requests import RandomRequests, TimedRequest
from serving import CPP_SERVER, PYTHON_SERVER, Server, serving

import sluice
from sluice.api import (
    EventsQuery,
    EventStore,
    Handler,
    Response,
    clickhouse_tables,
    load_clickhouse,
)

if TYPE_CHECKING:
    from sluice._clickhouse import ClickHouse

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
TOKEN = "tok_everything"
KEYS = [make_key(TOKEN), make_key("tok_nobody", workspaceId="ws_of_nobody")]
REQUESTS = 60
PASSWORD = "p4ssw0rd-of-nobody"
Runner = Callable[[str, dict[str, Any]], bytes | None]


# Without a server.


def urls() -> list[tuple[str, str]]:
    lines = (Path(__file__).parents[1] / "data" / "store_urls.txt").read_text().splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if not line.startswith("#")]
    return [(url, expected) for url, expected in pairs]


def place_in(url: str) -> str:
    from sluice._clickhouse import Place

    place = Place.parse(url)
    assert not place.password or place.password not in repr(place)
    hosts = ",".join(f"{name}:{port}" for name, port in place.hosts)
    kind = "tls" if place.secure else "plain"
    return f"{hosts} {place.database} {place.user} {place.password} {kind}"


@pytest.mark.parametrize(("url", "expected"), urls())
def test_urls(monkeypatch: pytest.MonkeyPatch, url: str, expected: str) -> None:
    clickhouse = pytest.importorskip("sluice._clickhouse")
    monkeypatch.setenv(clickhouse.PASSWORD_VARIABLE, "pass%word")
    if expected != "refused":
        assert place_in(url) == expected
        return
    with pytest.raises(ValueError, match="expected") as refused:
        place_in(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "file", "message"),
    [
        ("clickhouse://h", "ca.pem", "expected clickhouses:// with --store-ca"),
        ("clickhouses://h", "/nowhere/ca.pem", "/nowhere/ca.pem: No such file"),
        ("clickhouses://h", "/dev/null", "/dev/null: "),
    ],
)
def test_authorities_are_those_of_a_file(url: str, file: str, message: str) -> None:
    clickhouse = pytest.importorskip("sluice._clickhouse")
    with pytest.raises(ValueError, match=re.escape(message)):
        clickhouse.Place.parse(url, Path(file))


def test_tables_have_no_name_that_breaks_out() -> None:
    assert 'Distributed("a""b", ' in clickhouse_tables('a"b')[1]
    assert len(clickhouse_tables()) == 2


def test_a_runner_without_an_answer_is_a_500() -> None:
    questions: list[str] = []

    def run(text: str, parameters: dict[str, Any]) -> bytes | None:
        questions.append(text)
        assert isinstance(parameters, dict)
        return None

    handler = Handler(EventStore(), KEYS, run=run)
    for target in ("/events", "/tags", "/readyz"):
        answer = handler.handle("GET", target, bearer(TOKEN), now=NOW)
        assert (answer.status, answer.headers["retry-after"]) == (500, "1")
    assert len(questions) == 3
    with pytest.raises(sluice.ApiError) as refused:
        load_clickhouse(EventStore(), run)
    assert refused.value.rule == "store_unavailable"


def test_what_a_runner_raises_is_told_and_a_500(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[Any] = []
    monkeypatch.setattr(
        sys, "unraisablehook", lambda unraisable: errors.append(unraisable.exc_value)
    )

    def run(_text: str, _parameters: dict[str, Any]) -> bytes | None:
        raise KeyError("mine")

    answer = Handler(EventStore(), KEYS, run=run).handle("GET", "/tags", bearer(TOKEN), now=NOW)
    assert answer.status == 500
    assert b"mine" not in answer.body
    assert [type(error) for error in errors] == [KeyError]


class Hosts:
    """A ClickHouse whose hosts do as a test says, and note that they were asked."""

    def __init__(self, count: int, at_once: int, on: Callable[[int], bytes]) -> None:
        clickhouse = pytest.importorskip("sluice._clickhouse")
        self.ports: list[int] = []
        place = clickhouse.Place(tuple(("h", number) for number in range(count)))
        self.run = clickhouse.ClickHouse(place, 30, at_once)
        self.run._run_on = self._run_on  # all the I/O there is
        self._on = on

    def _run_on(self, host: tuple[str, int], *_: object) -> bytes:
        self.ports.append(host[1])
        return self._on(host[1])


def test_no_more_statements_at_a_time_than_are_allowed() -> None:
    begun, goes_on = threading.Semaphore(0), threading.Event()

    def hang(_: int) -> bytes:
        begun.release()
        goes_on.wait(30)
        return b""

    hosts = Hosts(1, 2, hang)
    with ThreadPoolExecutor(5) as threads:
        answers = [threads.submit(hosts.run, "SELECT 1", {}) for _ in range(5)]
        for _ in range(2):
            assert begun.acquire(timeout=30)
        assert len(hosts.ports) == 2
        goes_on.set()
        assert [answer.result() for answer in answers] == [b""] * 5


def test_a_statement_without_a_turn_has_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    hosts = Hosts(1, 1, lambda _: b"")
    hosts.run._deadline = 0
    with hosts.run._slots:
        assert hosts.run("SELECT 1", {}) is None
    assert caplog.messages == ["the store does not answer: too many statements at a time"]


def test_the_next_host_is_asked_where_one_fails_and_first_from_then_on() -> None:
    def answer(host: int) -> bytes:
        if host != 2:
            raise ConnectionRefusedError(111, "Connection refused")
        return b"yes"

    hosts = Hosts(4, 1, answer)
    assert [hosts.run("SELECT 1", {}) for _ in range(3)] == [b"yes"] * 3
    assert hosts.ports == [0, 1, 2, 2, 2]


def test_a_user_who_is_refused_is_not_tried_elsewhere(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(_: int) -> bytes:
        from clickhouse_connect.driver.exceptions import DatabaseError

        raise DatabaseError(PASSWORD, code=516, name="AUTHENTICATION_FAILED")

    hosts = Hosts(3, 1, refuse)
    assert hosts.run("SELECT 1", {}) is None
    assert hosts.ports == [0]
    message = "h port 0: error 516 of ClickHouse, AUTHENTICATION_FAILED"
    assert caplog.messages == [f"the store does not answer: {message}"]


@pytest.mark.parametrize(("listens", "message"), [(True, "no answer in time"), (False, "refused")])
def test_a_host_that_does_not_answer(listens: bool, message: str) -> None:
    clickhouse = pytest.importorskip("sluice._clickhouse")
    with socket.socket() as host:
        host.bind(("127.0.0.1", 0))
        if listens:
            host.listen()
        run = clickhouse.ClickHouse(clickhouse.Place((host.getsockname(),)), 1)
        with pytest.raises(clickhouse.StoreError, match=message):
            run.run("SELECT 1")


@pytest.mark.parametrize("function", ["run", "run_everywhere"])
def test_a_name_that_is_looked_up_for_long_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    clickhouse = pytest.importorskip("sluice._clickhouse")
    done = threading.Event()

    def look_up(*_: object, **__: object) -> list[object]:
        assert done.wait(30)
        raise socket.gaierror(-2, "not known")

    place = clickhouse.Place((("h.invalid", 8_123), ("i.invalid", 1)))
    servers = clickhouse.ClickHouse(place, 0.2, at_once=2)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    begun = time.monotonic()
    for _ in range(2):
        late = r"^h\.invalid port 8123, i\.invalid port 1: no answer in time$"
        with pytest.raises(clickhouse.StoreError, match=late):
            getattr(servers, function)("SELECT 1")
    with pytest.raises(clickhouse.StoreError, match="too many statements at a time"):
        servers.run("SELECT 1")
    assert time.monotonic() - begun < 10
    done.set()
    with pytest.raises(clickhouse.StoreError, match=r"no answer in time|port 1: not known"):
        servers.run("SELECT 1")


def test_commands_refuse_wrong_options(capfd: pytest.CaptureFixture[str]) -> None:
    from sluice.__main__ import main

    for words in (
        ["serve"],
        ["serve", "--data", "x", "--store", "clickhouse://h"],
        ["load", "--data", "x"],
        ["load", "--store", "clickhouse://h"],
        ["load", "--data", "x", "--store", f"clickhouse://u:{PASSWORD}@h:x"],
        ["load", "--data", "x", "--store", f"clickhouse://u:{PASSWORD}@h,i"],
        ["load", "--data", "x", "--store", "clickhouse://h", "--store-ca", "f"],
        ["serve", "--data", "x", "--store-ca", "f"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        printed = "".join(capfd.readouterr())
        assert "--store" in printed
        assert PASSWORD not in printed


@pytest.mark.parametrize("words", [("load", "--data", "x"), ("serve",)], ids=str)
def test_commands_name_the_package_that_they_lack(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    from sluice.__main__ import main

    for name in ("sluice._clickhouse", "sluice._load"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "clickhouse_connect", None)
    assert main([*words, "--store", "clickhouse://h"]) == 1
    needed = "--store needs clickhouse-connect: pip install 'sluice[clickhouse]'"
    assert capfd.readouterr().err == f"{words[0]}: {needed}\n"


# One server.


@pytest.fixture(scope="module")
def store(sample_folder: Path) -> EventStore:
    """Events no two of which have one id."""
    return EventStore.load(sample_folder)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    with nodes(tmp_path_factory.mktemp("clickhouse")) as started:
        yield started[0]


@pytest.fixture(scope="module")
def filled_node(node: Node, store: EventStore) -> Node:
    """The node, with a database that has the store's events."""
    filled(node, "same", store)
    return node


def connect(*some: Node, database: str = "default", deadline: float = 5) -> "ClickHouse":
    from sluice._clickhouse import ClickHouse, Place

    hosts = tuple(("127.0.0.1", member.http) for member in some)
    return ClickHouse(Place(hosts, database), deadline)


def url_of(*some: Node, database: str = "default") -> str:
    hosts = ",".join(f"127.0.0.1:{member.http}" for member in some)
    return f"clickhouse://default@{hosts}/{database}"


def filled(node: Node, database: str, store: EventStore) -> "ClickHouse":
    """A database of a node's own that has the store's events."""
    node.ask(f"CREATE DATABASE {database}")
    run = connect(node, database=database)
    for statement in clickhouse_tables():
        run.run(statement)
    load_clickhouse(store, run)
    return run


class Served(NamedTuple):
    """A server over a store, which answers as a handler does, but by its own clock."""

    server: Server
    connection: http.client.HTTPSConnection

    @property
    def host(self) -> str:
        return f"{self.server.host}:{self.server.port}"

    def handle(
        self, method: str, target: str, headers: dict[str, str], now: datetime | None = None
    ) -> "Answer":
        assert now
        self.connection.request(method, target, headers=headers)
        response = self.connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, names, response.read())


class Answer(NamedTuple):
    """A server's answer."""

    status: int
    headers: dict[str, str]
    body: bytes


Both = tuple[Handler, Handler | Served]


@contextmanager
def served(
    kind: str, folder: Path, store: EventStore, url: str, *words: str, **environment: str
) -> Iterator[tuple[Handler, Served]]:
    """The handler from memory, and a server of some kind over ClickHouse, of the same data."""
    keys = folder / "keys.json"
    keys.write_text(json.dumps(KEYS))
    options = ("--store", url, "--keys", str(keys), *words)
    command = PYTHON_SERVER if kind == "python" else (CPP_SERVER,)
    with serving(folder / "out", *options, command=command, **environment) as server:
        place = (server.host, server.port)
        with closing(http.client.HTTPSConnection(*place, context=server.trusted)) as connection:
            yield Handler(store, KEYS), Served(server, connection)


CPP = pytest.param("c++", marks=needs_server)


@pytest.fixture(scope="module", params=["handler", CPP])
def both(
    request: pytest.FixtureRequest,
    filled_node: Node,
    store: EventStore,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Both]:
    """Handlers over memory and over ClickHouse, with the same data."""
    if request.param == "handler":
        run = connect(filled_node, database="same")
        yield Handler(store, KEYS), Handler(EventStore(), KEYS, run=run)
        return
    url = url_of(filled_node, database="same")
    with served(request.param, tmp_path_factory.mktemp("served"), store, url) as running:
        yield running


OTHERS = (
    *(
        "/healthz",
        "/tags",
        "/tags?sortBy=createdAt&sortOrder=desc",
        "/tags?search=A",
        "/tags?page=9",
        "/links?search=A&pageSize=9",
        "/links/count?groupBy=tagId",
        "/domains?archived=true",
        "/customers?search=user&pageSize=7",
        "/folders",
    ),
    *("/tags?pageSize=2", "/tags?pageSize=2&page=2", "/tags?sortBy=x", "/tags?search=%C3%89"),
    *("/events", "/events?limit=0", "/events?query=x", "/events?event=x", "/events?cursor=x"),
    *("/events?interval=all&limit=1000", "/events?interval=all&page=1e18", "/nowhere"),
    *("/events?event=leads&interval=all&count=true", "/events?interval=all&country=-US&root=true"),
    "/events?interval=all&page=9223372036854775807&limit=1000",
    "/events?start=2011-12-30&end=2011-12-30&timezone=Pacific/Apia",
    "/events?event=sales&saleType=new&interval=all&count=true&limit=3",
    "/events?interval=all&city='%20OR%201=1%20--%20%5C%09%0A%7Bp1:String%7D,%5C,,%00",
    "/events?event=leads&interval=all&query=metadata%5B'%5C%5C%5C'%7Bp1'%5D!=%22%5C%5C'%22",
)
WINDOW = {"interval", "start", "end"}
COMPARED = ("content-type", "link", "x-total-count", "content-length", "retry-after", "allow")


def compared_parts(answer: Response | Answer) -> tuple[object, ...]:
    return (answer.status, *(answer.headers.get(name) for name in COMPARED), answer.body)


def pinned(target: str, now: datetime) -> str:
    """Returns the target with the instants of its window, so that it asks the same at any time."""
    path, _, text = target.partition("?")
    try:
        window = EventsQuery.parse(text.replace("event=composite", "event=sales"), now=now)
    except sluice.ApiError:
        return target
    if path == "/tags" or (window.start and window.start > window.end):
        return target
    others = [pair for pair in text.split("&") if pair.split("=")[0] not in WINDOW]
    start = f"start={instant(window.start)}" if window.start else "interval=all"
    return "&".join((f"{path}?{start}", f"end={instant(window.end)}", *others))


def instant(moment: datetime) -> str:
    return quote(moment.astimezone(UTC).isoformat(timespec="milliseconds"))


def same(both: Both, target: str, now: datetime, token: str = TOKEN) -> Response:
    """The answer that both give."""
    headers = bearer(token)
    if isinstance(both[1], Served):
        target = pinned(target, now)
        headers["host"] = both[1].host  # which doc_url tells
    memory = both[0].handle("GET", target, headers, now=now)
    assert compared_parts(both[1].handle("GET", target, headers, now=now)) == compared_parts(
        memory
    ), target
    return memory


def next_page(answer: Response, relation: str) -> str | None:
    match = re.search(f'<([^>]*)>; rel="{relation}"', answer.headers.get("link", ""))
    return match[1] if match else None


@pytest.mark.servers
def test_answers_are_those_of_memory(both: Both) -> None:
    for target in OTHERS:
        same(both, target, NOW)
        same(both, target, NOW, "tok_nobody")
        same(both, target, NOW, "tok_unknown")


@pytest.mark.servers
def test_random_requests_and_walks_are_those_of_memory(both: Both, sample_folder: Path) -> None:
    requests = RandomRequests(Oracle(sample_folder), 1)
    count = 0
    for _ in range(REQUESTS):
        text, now = requests.request()
        size = requests.random.choice((1, 2, 7, 100))
        target: str | None = f"/events?{text}&limit={size}&count=true"
        for relation in ("next", "next", "prev", "prev", "next"):
            if target is None:
                break
            answer = same(both, target, now)
            count += len(json.loads(answer.body))
            target = next_page(answer, relation)
    assert count > REQUESTS


@pytest.mark.servers
def test_analytics_are_those_of_memory(both: Both, sample_folder: Path) -> None:
    requests = RandomRequests(Oracle(sample_folder), 2)
    bodies = set()
    for event, group in every_measure():
        request = measuring(requests, event, group)
        everything = TimedRequest(f"event={event}&groupBy={group}&interval=all", NOW)
        for text, now in (everything, request):
            bodies.add(same(both, f"/analytics?{text}", now).body)
    assert len(bodies) > len(GROUP_NAMES) * len(EVENTS) / 2


@pytest.mark.servers
def test_series_are_those_of_memory(both: Both) -> None:
    for window in (
        *("interval=24h", "interval=90d", "interval=1y", "start=1590-01-01&end=2026-01-01"),
        *("start=2026-03-28&end=2026-03-29", "start=2025-10-25&end=2025-10-26"),
    ):
        for zone in ("Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe"):
            text = f"event=composite&groupBy=timeseries&{window}&timezone={zone}"
            same(both, f"/analytics?{text}", NOW)


@pytest.mark.servers
def test_entity_tags_last_until_something_is_added(node: Node, store: EventStore) -> None:
    run = filled(node, "tagged", store)
    handler = Handler(EventStore(), KEYS, run=run)
    for target in ("/events?interval=all", "/analytics?interval=all&groupBy=os", "/tags"):
        first = handler.handle("GET", target, bearer(TOKEN), now=NOW)
        copy = bearer(TOKEN) | {"if-none-match": first.headers["etag"]}
        later = NOW + timedelta(minutes=1)
        again = handler.handle("GET", target, copy, now=later)
        assert (again.status, again.body) == (304, b"")
        if target == "/tags":
            names = "workspace, list, id, cells, json"
            late = "SELECT workspace, list, 'late', cells, json FROM records LIMIT 1"
            run.run(f"INSERT INTO records ({names}) {late}")
        else:
            values = f"'ws_default', 'clicks', 1, 'late {len(target)}', '{{}}'"
            run.run(f"INSERT INTO events (workspace, kind, timestamp, id, json) VALUES ({values})")
        assert handler.handle("GET", target, copy, now=later).status == 200


@pytest.mark.servers
def test_a_second_load_adds_nothing_and_a_broken_one_goes_on(node: Node, store: EventStore) -> None:
    node.ask("CREATE DATABASE twice")
    run = connect(node, database="twice")
    for statement in clickhouse_tables() * 2:
        run.run(statement)
    for broken in (0, 1, 2, 4):
        left = iter(range(broken))

        def breaks_off(
            text: str, parameters: dict[str, Any], left: Iterator[int] = left
        ) -> bytes | None:
            answer: bytes | None = run(text, parameters) if next(left, None) is not None else None
            return answer

        with pytest.raises(sluice.ApiError):
            load_clickhouse(store, breaks_off)
    steps: list[tuple[int, int]] = []
    first = load_clickhouse(store, run, lambda done, total: steps.append((done, total)))
    assert steps[-1] == (len(store), len(store))
    assert 0 < first["added"] <= first["events"] == len(store)
    counts = "SELECT count() FROM twice.events", "SELECT count() FROM twice.records"
    before = [node.ask(text) for text in counts]
    assert before[0] == str(len(store))
    assert load_clickhouse(store, run) == {"events": len(store), "added": 0, "records": 0}
    assert [node.ask(text) for text in counts] == before


@pytest.mark.servers
def test_commands(node: Node, sample_folder: Path, tmp_path: Path) -> None:
    node.ask("CREATE DATABASE commands")
    url = url_of(node, database="commands")
    load = [sys.executable, "-m", "sluice", "load", "--store", url, "--data", str(sample_folder)]
    killed = subprocess.Popen(load, stdout=subprocess.DEVNULL)
    while killed.poll() is None and node.ask("EXISTS commands.events") == "0":
        pass
    killed.kill()
    killed.wait()
    printed = [subprocess.run(load, check=True, capture_output=True, text=True) for _ in range(2)]
    assert " 0 added or changed" in printed[1].stdout
    assert node.ask("SELECT count() FROM commands.events") == "3000"
    words = ("--store", url, "--token", TOKEN)
    memory = Handler(EventStore.load(sample_folder), KEYS)
    target = "/events?interval=all&limit=50"
    with serving(tmp_path / "out", *words) as server:
        expected = memory.handle("GET", target, bearer(TOKEN), now=datetime.now(UTC))
        assert server.get(target, **bearer(TOKEN)) == (200, expected.body)
        assert server.get("/readyz")[0] == 200
        node.ask("RENAME TABLE commands.events TO commands.gone")
        status, body = server.get(target, **bearer(TOKEN))
        assert (status, b"internal_server_error" in body) == (500, True)
        assert server.get("/readyz")[0] == 500
        assert server.get("/healthz")[0] == 200
        assert server.printed("port [0-9]+: error 60 of ClickHouse")
        node.ask("RENAME TABLE commands.gone TO commands.events")
        assert server.get(target, **bearer(TOKEN)) == (200, expected.body)


@pytest.mark.servers
def test_the_example_prints_what_it_says(node: Node) -> None:
    node.ask("CREATE DATABASE example")
    program = Path(__file__).parents[2] / "examples" / "clickhouse.py"
    place = {"CLICKHOUSE": f"http://127.0.0.1:{node.http}/example"}
    done = subprocess.run(
        [sys.executable, program],
        env=os.environ | place,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(r"1000 0\n200 [1-9]\d* True\n", done.stdout)


@pytest.mark.servers
def test_no_credential_is_told(node: Node, sample_folder: Path) -> None:
    url = f"clickhouse://nobody:{PASSWORD}@127.0.0.1:{node.http}"
    load = [sys.executable, "-m", "sluice", "load", "--store", url, "--data", str(sample_folder)]
    done = subprocess.run(load, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(
        r"load: 127\.0\.0\.1 port \d+: error \d+ of .*; load again.*\n", done.stderr
    )
    assert PASSWORD not in done.stdout + done.stderr


# A server with a password, over TLS.


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def secure_port(filled_node: Node, authority: trustme.CA) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    with tls_before(filled_node, context) as port:
        yield port


@pytest.fixture(scope="module")
def authorities(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of authorities: who signed the server's certificate, and a stranger."""
    folder = tmp_path_factory.mktemp("authorities")
    authority.cert_pem.write_to_path(folder / "right")
    trustme.CA().cert_pem.write_to_path(folder / "wrong")
    return folder


NOT_TRUSTED = "its certificate is not trusted: unable to get local issuer certificate"
NOT_KNOWN = "error 516 of ClickHouse, AUTHENTICATION_FAILED"
LOGINS = [
    ("localhost", "right", NODE_PASSWORD, None),
    ("localhost", "wrong", NODE_PASSWORD, NOT_TRUSTED),
    ("127.0.0.1", "right", NODE_PASSWORD, "its certificate is not trusted: .*mismatch.*"),
    ("localhost", "right", PASSWORD, NOT_KNOWN),
]


@pytest.mark.servers
@pytest.mark.parametrize("kind", ["python", CPP])
@pytest.mark.parametrize(("host", "signer", "password", "problem"), LOGINS)
def test_servers_log_in_over_tls(
    kind: str,
    host: str,
    signer: str,
    password: str,
    problem: str | None,
    secure_port: int,
    authorities: Path,
    store: EventStore,
    tmp_path: Path,
) -> None:
    url = f"clickhouses://{USER}@{host}:{secure_port}/same"
    words = ("--store-ca", str(authorities / signer))
    started = served(kind, tmp_path, store, url, *words, SLUICE_STORE_PASSWORD=password)
    if kind == "c++" and problem == NOT_KNOWN:  # which ends its start
        with pytest.raises(AssertionError, match=problem) as refused, started:
            pass
        assert password not in str(refused.value)
        return
    with started as both:
        if not problem:
            for target in OTHERS:
                same(both, target, NOW)
        else:
            remote = both[1].handle("GET", "/tags", bearer(TOKEN), now=NOW)
            assert (remote.status, remote.headers["retry-after"]) == (500, "1")
            both[1].server.printed(f"{host} port {secure_port}: {problem}$")
        assert password not in both[1].server.output.read_text()


@pytest.mark.servers
@pytest.mark.parametrize(("host", "signer", "password", "problem"), LOGINS)
def test_a_load_logs_in_over_tls(
    host: str,
    signer: str,
    password: str,
    problem: str | None,
    secure_port: int,
    authorities: Path,
    sample_folder: Path,
) -> None:
    url = f"clickhouses://{USER}@{host}:{secure_port}/same"
    words = ("--store", url, "--data", str(sample_folder), "--store-ca", str(authorities / signer))
    done = subprocess.run(
        [sys.executable, "-m", "sluice", "load", *words],
        env=os.environ | {"SLUICE_STORE_PASSWORD": password},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == (1 if problem else 0)
    assert password not in done.stdout + done.stderr
    if problem:
        assert re.match(f"load: {host} port {secure_port}: {problem}", done.stderr)
    else:
        assert " 0 added or changed" in done.stdout


# Three servers: two shards, the first of two replicas.


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Node]]:
    with nodes(tmp_path, 3) as started:
        yield started


@pytest.fixture
def loaded(three: list[Node], sample_folder: Path) -> list[Node]:
    """The servers with the data, which the load spreads over the shards."""
    load = [sys.executable, "-m", "sluice", "load", "--data", str(sample_folder), "--store"]
    spread = ["--cluster", CLUSTER]
    refused = subprocess.run(
        [*load, url_of(*three[:2]), *spread], check=False, capture_output=True, text=True
    )
    assert "has 3 nodes, and the tables are not on each" in refused.stderr
    for added in ("3000 added", " 0 added"):
        done = subprocess.run(
            [*load, url_of(*three), *spread], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert added in done.stdout
    parts = [int(replica.ask("SELECT count() FROM events_part")) for replica in three]
    assert parts[0] == parts[1] > 0 < parts[2] == 3_000 - parts[0]
    return three


@pytest.fixture
def remotes(
    loaded: list[Node], store: EventStore, tmp_path: Path
) -> Iterator[list[Handler | Served]]:
    """Services over the servers: a handler, and the C++ server if there is one."""
    handler = Handler(EventStore(), KEYS, run=connect(*loaded, deadline=4))
    if not CPP_SERVER:
        yield [handler]
        return
    words = (url_of(*loaded), "--store-timeout", "4")
    with served("c++", tmp_path, store, *words) as (_, server):
        yield [handler, server]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Waits: a paused server may break off an old request once more when it goes on."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.25)


@pytest.mark.servers
def test_a_lost_replica_changes_nothing_and_a_lost_shard_is_a_500(
    loaded: list[Node], store: EventStore, remotes: list[Handler | Served]
) -> None:
    targets = ("/events?interval=all&count=true", "/events?event=sales&interval=all", "/tags")
    memory = Handler(store, KEYS)

    def check_answers() -> None:
        for remote in remotes:
            for target in targets:
                same((memory, remote), target, NOW)

    def statuses_of(remote: Handler | Served) -> set[tuple[int, str | None]]:
        answers = [remote.handle("GET", path, bearer(TOKEN), now=NOW) for path in targets]
        return {(answer.status, answer.headers.get("retry-after")) for answer in answers}

    def check_statuses(expected: tuple[int, str | None]) -> None:
        with ThreadPoolExecutor() as threads:
            assert all(statuses == {expected} for statuses in threads.map(statuses_of, remotes))

    first, replica, second = loaded
    for stopped in (None, first, None, replica):  # each time a replica is left
        if stopped:
            stopped.kill()
        check_answers()
        if stopped:
            stopped.start()
            stopped.await_start()
    second.kill()
    check_statuses((500, "1"))
    second.start()
    second.await_start()
    check_statuses((200, None))
    second.signal(signal.SIGSTOP)  # as slow as can be
    check_statuses((500, "1"))
    second.signal(signal.SIGCONT)
    wait_until(
        lambda: (
            second.revive() and all(statuses_of(service) == {(200, None)} for service in remotes)
        )
    )
    check_answers()
