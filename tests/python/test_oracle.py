# SPDX-License-Identifier: MIT
"""The handler's answers, against a naive reading of the same records row by row."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import pytest
from api_keys import bearer, make_key
from edge_records import write_edge_records
from oracle import FILTERS, Oracle
from oracle.lists import Lists
from random_requests import RandomRequests, TimedRequest

import sluice

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
SHARED_DATA = Path(__file__).parents[2].parent / "shared" / "data"
TEST_DATA = Path(__file__).parents[1] / "data"
TOKEN = "tok_oracle"

BATCHES = 12  # of MAIN; everyone runs the first
BATCH = 500
FOLDERS = ["data", "sample", "edges"] if SHARED_DATA.is_dir() else ["sample", "edges"]
MAIN = FOLDERS[0]


Records = list[dict[str, Any]]


class World(NamedTuple):
    """Records as the library and as the oracle hold them."""

    store: sluice.EventStore
    handler: sluice.Handler
    oracle: Oracle

    def get(self, target: str, now: datetime) -> Records:
        answer = self.handler.handle("GET", target, bearer(TOKEN), now=now)
        assert answer.status == 200, (target, now, answer.body)
        events: Records = json.loads(answer.body)
        return events

    def total(self, query: str, now: datetime) -> int:
        return self.store.count(sluice.EventsQuery.parse(query, now=now))


def world_of(folder: Path) -> World:
    store = sluice.EventStore.load(folder)
    return World(store, sluice.Handler(store, [make_key(TOKEN)]), Oracle(folder))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("oracle")
    folders = {"data": SHARED_DATA, "sample": folder / "sample", "edges": folder / "edges"}
    sluice.write_sample(folders["sample"], events=20_000, seed=1, now=NOW)
    write_edge_records(folders["edges"])
    return folders


@pytest.fixture(scope="module")
def worlds(folders: dict[str, Path]) -> dict[str, World]:
    return {name: world_of(folders[name]) for name in FOLDERS}


@pytest.fixture(params=FOLDERS)
def world(request: pytest.FixtureRequest, worlds: dict[str, World]) -> World:
    return worlds[request.param]


def check_same(actual: Records, expected: Records, request: object) -> None:
    """Compares JSON with the order of its members, and names the first difference."""
    if json.dumps(actual) != json.dumps(expected):
        raise AssertionError((next(differences(actual, expected, "")), request))


def differences(actual: object, expected: object, path: str) -> Iterator[str]:
    if isinstance(actual, dict) and isinstance(expected, dict) and list(actual) == list(expected):
        for name in actual:
            yield from differences(actual[name], expected[name], f"{path}.{name}")
    elif isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        for index, (left, right) in enumerate(zip(actual, expected, strict=True)):
            yield from differences(left, right, f"{path}[{index}]")
    elif json.dumps(actual) != json.dumps(expected):
        yield f"{path}: {json.dumps(actual)} instead of {json.dumps(expected)}"


def check_answer(world: World, requests: RandomRequests, has_count: bool) -> int:
    """Compares one answer; gives the number of its events."""
    request = requests.request()
    rows = world.oracle.matching(request.query, request.now)
    query = request.query + requests.page(len(rows))
    events = world.get(f"/events?{query}", request.now)
    check_same(events, world.oracle.page_of(rows, query), (query, request.now))
    if has_count:
        assert world.total(query, request.now) == len(rows), (query, request.now)
    return len(events)


@pytest.mark.parametrize(
    ("folder", "seed"),
    [
        (MAIN, 0),
        *((name, BATCHES) for name in FOLDERS[1:]),
        *(pytest.param(MAIN, seed, marks=pytest.mark.servers) for seed in range(1, BATCHES)),
        *(
            pytest.param("edges", seed, marks=pytest.mark.servers)
            for seed in range(BATCHES + 1, BATCHES + 5)
        ),
    ],
)
def test_random_requests(worlds: dict[str, World], folder: str, seed: int) -> None:
    requests = RandomRequests(worlds[folder].oracle, seed)
    sizes = [check_answer(worlds[folder], requests, number % 4 == 0) for number in range(BATCH)]
    assert sum(size > 0 for size in sizes) > BATCH * 2 / 3


def without(query: str, *names: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    return urlencode([pair for pair in pairs if pair[0] not in names])


def every_page(world: World, request: TimedRequest, order: str, limit: int) -> Records:
    """Returns the events of all pages, up to the first empty one."""
    query = f"{without(request.query, 'sortOrder', 'order')}&sortOrder={order}&limit={limit}"
    events: Records = []
    for page in count(1):
        listed = world.get(f"/events?{query}&page={page}", request.now)
        assert len(listed) <= limit
        events += listed
        if not listed:
            return events
    raise AssertionError(query)


def test_pages_follow_each_other_without_repeat_or_gap(world: World) -> None:
    requests = RandomRequests(world.oracle, 100)
    checked = 0
    while checked < 60:
        request = requests.request()
        rows = world.oracle.matching(request.query, request.now)
        if not 2 <= len(rows) <= 3_000:
            continue
        limit = requests.random.randrange(max(1, len(rows) // 20), min(1_000, len(rows)) + 1)
        ascending = every_page(world, request, "asc", limit)
        assert len(ascending) == len(rows) == world.total(request.query, request.now)
        assert every_page(world, request, "desc", limit) == ascending[::-1], request
        checked += 1


def test_equal_events_keep_the_order_of_the_file(worlds: dict[str, World], tmp_path: Path) -> None:
    folder = tmp_path / "equal"
    write_equal_events(worlds[MAIN].oracle, folder)
    world = world_of(folder)
    for kind, size in (("clicks", 8), ("leads", 24), ("sales", 24)):
        for limit in (1, 3, 7, 24):
            request = TimedRequest(f"event={kind}&interval=all", NOW)
            ascending = every_page(world, request, "asc", limit)
            expected = world.oracle.page(f"{request.query}&order=asc&limit=1000", NOW)
            check_same(ascending, expected, (kind, limit))
            assert len(ascending) == size
            assert every_page(world, request, "desc", limit) == ascending[::-1]


def write_equal_events(source: Oracle, folder: Path) -> None:
    """Events of three identifiers at two moments, out of order and with repeats."""
    folder.mkdir()
    link, customer = next(iter(source.links.values())), next(iter(source.customers.values()))
    click = next(iter(source.clicks.values())) | {"linkId": link["id"]}
    times = [f"2026-01-01T00:00:00.{ms:03}Z" for ms in (2, 1)]
    clicks = [click | {"id": f"click_{n * 5 % 8}", "timestamp": times[n // 4]} for n in range(8)]
    events = [
        {
            "eventId": f"event_{n % 3}",
            "eventName": f"the {n}th",
            "timestamp": times[n // 3 % 2],
            "customerId": customer["id"],
            "clickId": f"click_{n % 8}",
            "linkId": link["id"],
            "amount": n,
            "currency": "eur",
            "paymentProcessor": "custom",
        }
        for n in range(24)
    ]
    lines = {"links": [link], "customers": [customer], "clicks": clicks, "tags": []}
    for name, records in (lines | {"leads": events, "sales": events}).items():
        text = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.ndjson").write_text(text, encoding="utf-8")


def test_excluded_and_included_rows_partition_the_set(world: World) -> None:
    requests = RandomRequests(world.oracle, 200)
    for event, rows in world.oracle.rows.items():
        size = min(len(rows), 800)
        window = {"event": event, "start": str(rows[-size]["at"]), "order": "asc"}
        everything = identifiers(world, window)
        assert size <= everything.total() < size + 100
        for name in FILTERS:
            values = requests.values(event, requests.random.choice(rows), name, excludes=False)
            text = requests.listed(values)
            included = identifiers(world, window | {name: text})
            excluded = identifiers(world, window | {name: "-" + text})
            assert included + excluded == everything, (event, name, text)


def identifiers(world: World, pairs: dict[str, str]) -> Counter[str]:
    query = urlencode(pairs | {"limit": "1000"})
    events = world.get(f"/events?{query}", NOW)
    assert len(events) == world.total(query, NOW)
    return Counter(str(event.get("eventId", event["click_id"])) for event in events)


def test_one_sale_of_a_customer_on_a_link_is_new(world: World) -> None:
    sales: dict[str, Records] = {}
    for sale_type in ("new", "recurring"):
        request = TimedRequest(f"event=sales&interval=all&saleType={sale_type}", NOW)
        sales[sale_type] = every_page(world, request, "asc", 1_000)
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for sale in sales["new"]:
        pair = sale["customer"]["id"], sale["link"]["id"]
        assert pair not in first
        first[pair] = sale["timestamp"], sale["eventId"]
    for sale in sales["recurring"]:
        pair = sale["customer"]["id"], sale["link"]["id"]
        assert first[pair] <= (sale["timestamp"], sale["eventId"])
    assert sum(map(len, sales.values())) == len(world.oracle.rows["sales"])


# Tags.


def read_folding() -> dict[str, str]:
    """The character that stands for each class of simple case folding."""
    folding: dict[str, str] = {}
    for line in (TEST_DATA / "case_folding.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            folded, *others = (chr(int(code, 16)) for code in line.split())
            folding |= dict.fromkeys(others, folded)
    return folding


FOLDING = str.maketrans(read_folding())


def fold(text: str) -> str:
    return text.translate(FOLDING)


TAG_NAMES = (
    *("marketing", "Marketing", "MARKETING", "Straße", "STRASSE", "STRA\u1e9eE", "\u212belvin K"),
    *("\u212aelvin", "kelvin", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u03c3\u03af\u03c2"),
    *("\u0130stanbul", "istanbul", "ISTANBUL", "\u0131stanbul", "\ufb01ne", "fine", "\u01c5ungla"),
    *(
        "\u01c4UNGLA",
        "\U00010400 deseret",
        "\U00010428 DESERET",
        "100% *",
        "a_b",
        "",
        "\u00e9t\u00e9",
    ),
    *(
        "e\u0301te\u0301",
        "\u05e9\u05dc\u05d5\u05dd",
        "\u0645\u0631\u062d\u0628\u0627",
        "\U0001f680 launch",
    ),
)


def write_tags(folder: Path) -> None:
    """Tags with names in many scripts, names that are there twice and equal times."""
    folder.mkdir()
    source = random.Random(3)
    lines = []
    for number, name in enumerate(TAG_NAMES * 2):
        created = f"2026-01-0{source.randrange(1, 5)}T00:00:00.000Z"
        tag = {"id": f"tag_{number * 7 % 58:02}", "name": name, "createdAt": created}
        lines.append(json.dumps(tag | ({"color": "red"} if number % 3 else {})) + "\n")
    for kind in ("links", "customers", "clicks", "leads", "sales", "tags"):
        text = "".join(lines) if kind == "tags" else ""
        (folder / f"{kind}.ndjson").write_text(text, encoding="utf-8")


def recased(source: random.Random, text: str) -> str:
    return "".join(source.choice((c, c.upper(), c.lower(), c.title())) for c in text)


def tags_request(source: random.Random, tags: Records) -> str:
    pairs: list[tuple[str, object]] = []
    if source.random() < 0.6:
        name = source.choice(tags)["name"]
        begin = source.randrange(len(name) + 1)
        term = name[begin : begin + source.randrange(1, 9)]
        pairs.append(("search", recased(source, term) if source.random() < 0.9 else "nowhere"))
    if source.random() < 0.3:
        ids = [source.choice(tags)["id"] for _ in range(source.randrange(1, 12))]
        ids += ["tag_nowhere", ""] * source.randrange(2)
        cut = source.randrange(len(ids) + 1)
        names = source.choice((("ids", "ids"), ("ids[]", "ids[]"), ("ids", "ids[]")))
        parts = zip(names, (ids[:cut], ids[cut:]), strict=True)
        pairs += [(form, ",".join(part)) for form, part in parts]
    if source.random() < 0.6:
        pairs.append(("sortBy", source.choice(("name", "createdAt"))))
    if source.random() < 0.6:
        pairs.append(("sortOrder", source.choice(("asc", "desc"))))
    if source.random() < 0.6:
        pairs.append(("pageSize", source.choice((1, 2, "3.0", 5, 10, 50, 100))))
        pairs.append(("page", source.choice((1, 1, 2, "2.0", 3, 9))))
    source.shuffle(pairs)
    return urlencode(pairs)


@pytest.mark.parametrize("folder", [*FOLDERS, "names"])
def test_random_requests_for_tags(worlds: dict[str, World], folder: str, tmp_path: Path) -> None:
    if folder == "names":
        write_tags(tmp_path / "tags")
    world = world_of(tmp_path / "tags") if folder == "names" else worlds[folder]
    source = random.Random(4)
    sizes = []
    for _ in range(500):
        query = tags_request(source, world.oracle.tags)
        expected = world.oracle.tag_page(query, fold)
        check_same(world.get(f"/tags?{query}", NOW), expected, query)
        sizes.append(len(expected))
    assert sum(size > 0 for size in sizes) > 250


# Lists of records.


def part_of(source: random.Random, text: str) -> str:
    begin = source.randrange(len(text) + 1)
    return recased(source, text[begin : begin + source.randrange(1, 7)])


def links_request(source: random.Random, lists: Lists) -> list[tuple[str, object]]:
    link = source.choice(lists.links)
    tags = link.get("tags") or [{"id": "tag_nowhere", "name": "nowhere"}]
    parts: list[tuple[str, object]] = [
        ("domain", recased(source, link["domain"])),
        ("tagIds", ",".join(tag["id"] for tag in tags)),
        ("tagId", tags[0]["id"]),
        ("tagNames", tags[-1]["name"].upper()),
        ("folderId", link.get("folderId") or ""),
        ("userId", link.get("userId") or "user_nowhere"),
        ("tenantId", link.get("tenantId") or "tenant_0"),
        ("search", part_of(source, link["key"] if source.random() < 0.5 else link["url"])),
        ("showArchived", "true"),
        ("withTags", "TRUE"),
    ]
    return source.sample(parts, source.choice((0, 1, 1, 2, 3)))


def customers_request(source: random.Random, lists: Lists) -> list[tuple[str, object]]:
    customer = source.choice(lists.customers)
    parts: list[tuple[str, object]] = [
        ("email", customer.get("email") or ""),
        ("externalId", customer["externalId"]),
        ("search", part_of(source, customer.get("name") or customer["id"])),
        ("country", (customer.get("country") or "US").lower()),
        ("linkId", source.choice(list(lists.of_links))),
        ("sortOrder", source.choice(("asc", "desc"))),
        ("sortBy", "createdAt"),
    ]
    return source.sample(parts, source.choice((0, 1, 1, 2)))


def with_page(
    source: random.Random, pairs: list[tuple[str, object]], ids: list[str], most: int
) -> str:
    if source.random() < 0.5:
        pairs.append(("pageSize", source.choice((1, 2, 5, "7.0", most))))
    place = source.random()
    if place < 0.3:
        pairs.append(("page", source.choice((1, 2, 3, 50))))
    elif place < 0.6 and ids:
        name = source.choice(("startingAfter", "endingBefore"))
        pairs.append((name, source.choice([*ids, "nowhere"])))
    source.shuffle(pairs)
    return urlencode(pairs)


@pytest.mark.parametrize("folder", FOLDERS)
def test_random_requests_for_lists_of_records(
    worlds: dict[str, World], folder: str, folders: dict[str, Path]
) -> None:
    world, lists = worlds[folder], Lists(folders[folder], fold)
    source = random.Random(5)
    link_ids = [link["id"] for link in lists.links]
    customer_ids = [customer["id"] for customer in lists.customers]
    for _ in range(150):
        query = with_page(source, links_request(source, lists), link_ids, 100)
        assert world.get(f"/links?{query}", NOW) == lists.link_page(query), query
        query = urlencode([*links_request(source, lists), ("x", "")])
        query += source.choice(("", "&groupBy=domain", "&groupBy=tagId", "&groupBy=userId"))
        assert world.get(f"/links/count?{query}", NOW) == lists.links_count(query), query
        query = with_page(source, customers_request(source, lists), customer_ids, 100)
        assert world.get(f"/customers?{query}", NOW) == lists.customer_page(query), query
        names = [row["name"] for row in lists.folders] + ["x"]
        query = with_page(source, [("search", part_of(source, source.choice(names)))], [], 50)
        assert world.get(f"/folders?{query}", NOW) == lists.folder_page(query), query
        domain = source.choice(lists.links)["domain"]
        pairs: list[tuple[str, object]] = [("archived", source.choice(("true", "false")))]
        if source.random() < 0.5:
            pairs.append(("search", part_of(source, domain)))
        query = with_page(source, pairs, [], 50)
        assert world.get(f"/domains?{query}", NOW) == lists.domain_page(query), query
        link = source.choice(lists.links)
        query = source.choice(
            (
                urlencode({"linkId": link["id"]}),
                urlencode({"domain": recased(source, link["domain"]), "key": link["key"]}),
            )
        )
        info: object = world.get(f"/links/info?{query}", NOW)
        assert info == lists.link_info(query), query


def test_other_workspaces_have_none_of_it(worlds: dict[str, World]) -> None:
    store = worlds[MAIN].store
    handler = sluice.Handler(store, [make_key(TOKEN, workspaceId="ws_elsewhere")])
    for path in ("/links", "/domains", "/customers", "/folders", "/tags"):
        assert handler.handle("GET", path, bearer(TOKEN), now=NOW).body == b"[]"
    assert handler.handle("GET", "/links/count", bearer(TOKEN), now=NOW).body == b"0"
