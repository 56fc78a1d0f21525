# SPDX-License-Identifier: MIT
"""The explorer's page, in Chromium: used as people use it, and compared with the library.

With SLUICE_TEST_SERVERS=1, where tests/wasm is installed (npm ci). EXPLORER_PICTURES names a folder
that gets pictures of the views, such as docs/explorer.
"""

import bisect
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from client_server import COMMANDS, TOKEN, serving
from explorer import top_of
from oracle import Oracle

import sluice
from sluice.api import EventsQuery

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tests" / "wasm"
PAGES = TOOLS / "explorer"
NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)

pytestmark = pytest.mark.servers


def run(*command: str | Path, **variables: str | Path) -> str:
    """Returns the output of a command."""
    settings = {name: str(value) for name, value in variables.items()}
    words = [str(word) for word in command]
    done = subprocess.run(
        words, env=os.environ | settings, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("playground")
    run("bash", ROOT / ".ci" / "explorer", "playground", folder, sys.executable)
    return folder


def test_the_page_is_whole_and_small(playground: Path, tmp_path: Path) -> None:
    run("bash", ROOT / ".ci" / "explorer", tmp_path / "page")
    files = {str(file.relative_to(tmp_path / "page")) for file in (tmp_path / "page").rglob("*")}
    wanted = {"index.html", "style.css", "main.js", "sluice/index.js", "sluice/sluice.wasm"}
    assert (
        wanted | {"vendor/uplot.LICENSE", "vendor/regular-table.LICENSE", "sluice/LICENSE"} < files
    )
    assert not files & {"source.json", "sample.json"}
    assert {"source.json", "sample.json"} < {file.name for file in playground.iterdir()}
    assert sum(file.stat().st_size for file in (tmp_path / "page").rglob("*")) < 1_200_000


def test_modules_are_found_by_relative_paths(playground: Path) -> None:
    imported = re.compile(r'^\s*(?:import|export)\b[^"\n]*"([^"]+)";?$', re.MULTILINE)
    for path in playground.glob("*.js"):
        for name in imported.findall(path.read_text(encoding="utf-8")):
            assert (playground / name).is_file(), f"{path.name}: {name}"


def test_the_page_has_no_script_of_its_own(playground: Path) -> None:
    page = (playground / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]* src=)", page) == []
    assert re.findall(r'\son\w+=|style="|https?://', page) == []


@pytest.mark.parametrize("name", ["playground", "http", "access"])
def test_the_page_in_chromium(playground: Path, name: str, tmp_path: Path) -> None:
    pictures = os.environ.get("EXPLORER_PICTURES", tmp_path)
    run("node", "--test", PAGES / f"{name}.mjs", EXPLORER=playground, PICTURES=pictures)


QUERIES = [
    "interval=all",
    "interval=7d&country=US,CA",
    "start=2026-08-01&end=2026-08-10&timezone=Asia/Tokyo",
    "interval=all&country=-US&device=Mobile",
    "interval=all&region=CA",
    "interval=all&url=https://www.acme.example/",
    "interval=all&domain=try.example&key=spring-sale",
    "interval=all&trigger=qr&referer=-t.co",
    "interval=all&root=true",
    "interval=all&utm_source=google,newsletter",
    "interval=all&utm_campaign=-spring_sale",
    "interval=all&partnerTagId=-x&groupId=-y",
    "interval=all&programId=prog_0",
    "event=leads&interval=all&query=metadata['plan']:pro AND NOT metadata['seats']>5",
    "event=sales&interval=all&saleType=new",
    "event=sales&interval=all&saleType=recurring&query=metadata['gift']:false",
]


KINDS = ("clicks", "leads", "sales")


def first_id(path: Path) -> str:
    """The ID of a file's first record."""
    with path.open(encoding="utf-8") as lines:
        id_: str = json.loads(next(lines))["id"]
    return id_


@pytest.fixture(scope="module")
def page_answers(playground: Path, sample_folder: Path) -> dict[str, Any]:
    """The page's counts and programs for queries."""
    customer = first_id(sample_folder / "customers.ndjson")
    tag = first_id(sample_folder / "tags.ndjson")
    some = [
        f"event={kind}&interval=all&{condition}"
        for kind in KINDS
        for condition in (f"customerId={customer}", f"tagId={tag}")
    ]
    answer: dict[str, Any] = json.loads(
        run("node", PAGES / "tell.mjs", playground, *QUERIES, *some)
    )
    return answer


def test_the_playground_counts_as_the_library_does(
    page_answers: dict[str, Any], sample_folder: Path
) -> None:
    store = sluice.EventStore.load(sample_folder)
    counts = {query: store.count(EventsQuery.parse(query, now=NOW)) for query in page_answers}
    assert {query: answer["count"] for query, answer in page_answers.items()} == counts
    assert [answer["faults"] for answer in page_answers.values() if answer["faults"]] == []
    assert sum(count > 0 for count in counts.values()) > 0.7 * len(counts)


def test_the_playground_groups_as_a_loop_does(
    page_answers: dict[str, Any], sample_folder: Path
) -> None:
    oracle = Oracle(sample_folder)
    for query, answer in page_answers.items():
        times = [row["at"] for row in oracle.matching(query, NOW)]
        lines = [line.rsplit(": ", 1) for line in answer["histogram"]]
        starts = [round(datetime.fromisoformat(start).timestamp() * 1_000) for start, _ in lines]
        parts = Counter(bisect.bisect(starts, time) - 1 for time in times)
        counts = [
            int(count.removesuffix("s").removesuffix(" row").replace(",", "")) for _, count in lines
        ]
        assert counts == [parts[at] for at in range(len(starts))], query
        others = "&".join(part for part in query.split("&") if not part.startswith("country="))
        rows = [oracle.shown(row) for row in oracle.matching(others, NOW)]
        expected = top_of(row["click"]["country"] for row in rows)
        assert answer["top"] == [[top["value"], f"{top['count']:,}"] for top in expected], query
    assert sum(len(answer["top"]) > 3 for answer in page_answers.values()) > 10


def rows_of(sample: Path, kind: str) -> Iterator[dict[str, Any]]:
    """The rows that GET /events answers, with the columns that queries have beside them."""
    store = sluice.EventStore.load(sample)
    for number in (1, 2, 3):
        text = f"event={kind}&interval=all&limit=1000&page={number}"
        for row in json.loads(store.page(EventsQuery.parse(text, now=NOW))):
            tags = [tag["id"] for tag in row["link"]["tags"]]
            yield {
                "timestamp": datetime.fromisoformat(row["timestamp"]),
                "click": {
                    name: row["click"][name] for name in ("country", "device", "trigger", "region")
                },
                "link": {
                    "tagIds": tags,
                    "domain": row["link"]["domain"],
                    "key": row["link"]["key"],
                },
                "metadata": json.dumps(row.get("metadata")),
            }


RUN = [
    query
    for query in QUERIES
    if re.fullmatch(
        r"(event=leads&)?interval=all(&(country|device|region|domain|key|query)=[^&]*)*", query
    )
]


@pytest.mark.parametrize("name", ["polars", "pyarrow", "Python"])
def test_programs_in_python_find_the_rows_of_the_page(
    page_answers: dict[str, Any], name: str, sample_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "DIR").symlink_to(sample_folder)
    queries = [
        query for query in page_answers if query in RUN or "leads&interval=all&tagId" in query
    ]
    assert len(queries) > 4
    for query in queries:
        kind = "leads" if "leads" in query else "clicks"
        pl.DataFrame([*rows_of(sample_folder, kind)]).write_parquet(tmp_path / "rows.parquet")
        printed: list[Any] = []
        with chdir(tmp_path):
            exec(page_answers[query]["programs"][name], {"print": printed.append})
        count = printed[0] if name == "Python" else len(printed[0])
        assert count == page_answers[query]["count"], query


ORDERS = {
    "name": "orders",
    "kind": "declared",
    "now": 1_787_279_415_123,
    "plans": False,
    "request": {"url": "https://shop.example/orders", "token": False},
    "parameters": {
        "status": {"type": "filter", "choices": ["open", "paid", "void"]},
        "customer.country": {"type": "filter"},
        "total": {"type": "decimal", "operators": [">=", "<=", "="]},
        "from": {"type": "boolean"},
        "tags": {"type": "filter", "column": "tags"},
        "items": {"type": "integer", "operators": [">="]},
        "kind": {"type": "choice", "choices": ["new", "old"]},
        "title[contains]": {"type": "contains", "column": "title"},
        "note[null]": {"type": "isNull", "column": "note"},
        "size": {"type": "choice", "choices": ["small", "large"], "operators": [">="]},
        "due": {"type": "date", "operators": ["<"]},
        "weight": {"type": "real"},
        "find": {"type": "search", "columns": ["title"]},
        "odata": {
            "type": "expression",
            "grammar": "odata",
            "columns": [],
            "aliases": {"total": "total", "label": "title"},
        },
        "rsql": {"type": "expression", "grammar": "rsql", "columns": ["total"]},
        "created": {"type": "window", "column": "created_at", "default": "30d"},
        "order": {"type": "sort", "by": ["created", "total"], "default": "-created"},
        "page": {"type": "page", "default": 100, "maximum": 500},
    },
    "schema": [
        {"name": "tags", "type": "text", "isList": True, "isNullable": False},
        {"name": "items", "type": "integer", "isList": False, "isNullable": True},
        {"name": "note", "type": "text", "isNullable": True},
        {"name": "size", "type": "choice", "choices": ["small", "large"]},
    ],
    "key": "number",
    "columns": ["id", "status"],
    "filters": {"status": "status"},
    "time": "created_at",
}
ORDERS_QUERY = (
    "status=-void&customer.country=US,CA&total[gte]=10.5&from=true&items[gte]=2&kind=new"
    "&order=-total&tags=new,old&title[contains]=b_&note[null]=false&size[gte]=small&due[lt]=2026-01-01"
    "&weight=0.1&find=a+b&odata=total gt 5 or label eq 'x'"
)


@pytest.fixture(scope="module")
def programs(playground: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The programs of a declared source, whose answers are files."""
    folder = tmp_path_factory.mktemp("declared") / "page"
    shutil.copytree(playground, folder)
    answers = {"source.json": ORDERS, "count": {"count": 5}, "rows": {"rows": []}}
    for name, answer in (answers | {"histogram": {"starts": [0], "end": 1, "counts": [5]}}).items():
        (folder / name).write_text(json.dumps(answer), encoding="utf-8")
    answer = json.loads(run("node", PAGES / "tell.mjs", folder, ORDERS_QUERY))[ORDERS_QUERY]
    assert (answer["count"], answer["faults"]) == (5, [])
    texts: dict[str, str] = answer["programs"]
    return texts


def test_a_declared_source_is_a_class(programs: dict[str, str]) -> None:
    scope: dict[str, Any] = {}
    exec(programs["polars"].split("rows = ")[0], scope)
    query = scope["query"]
    assert str(scope["Rows"].parse(ORDERS_QUERY)) == str(query)
    assert query.status.excludes
    assert [column.name for column in query.schema if column.is_list] == ["tags"]
    assert query.tree()["order"][-1]["column"] == "number"
    assert [column.name for column in query.schema if column.is_nullable] == ["items", "note"]
    row = {"status": "open", "customer.country": "US", "total": "10.5", "from": True, "items": 2}
    row |= {"tags": ["x", "old"], "title": "ab_c", "note": "", "size": "large", "weight": 0.1}
    row |= {"due": "2025-12-31"}
    # Before the program's window ended, which was when it was parsed.
    row["created_at"] = datetime.now(UTC) - timedelta(minutes=1)
    assert query.matches(row | {"kind": "new"})
    assert not query.matches(row | {"kind": "old"})


def test_programs_in_typescript_compile(
    page_answers: dict[str, Any], programs: dict[str, str], tmp_path: Path
) -> None:
    every = {"events": page_answers[QUERIES[3]]["programs"], "declared": programs}
    for name, sources in every.items():
        (tmp_path / f"{name}.ts").write_text(sources["TypeScript"], encoding="utf-8")
    package = ROOT / "build" / "wasm" / "package" / "dist" / "index.d.ts"
    options = {
        "strict": True,
        "target": "es2022",
        "module": "es2022",
        "moduleResolution": "bundler",
    }
    options |= {"lib": ["es2022", "dom"], "noEmit": True, "types": []}
    options |= {"paths": {"@sluice/sluice": [str(package)]}}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    run(TOOLS / "node_modules" / ".bin" / "tsc", "--project", tmp_path)


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_programs_in_cpp_compile(
    page_answers: dict[str, Any], programs: dict[str, str], tmp_path: Path
) -> None:
    for sources in (page_answers[QUERIES[13]]["programs"], programs):
        (tmp_path / "program.cpp").write_text(sources["C++"], encoding="utf-8")
        options = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
        run("g++", *options, "-I", ROOT / "include", tmp_path / "program.cpp")


# --- The page, as it is installed, over the command -------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package sluice-explorer in it."""
    folder = tmp_path_factory.mktemp("installed")
    run("bash", ROOT / ".ci" / "explorer", "wheel", folder, sys.executable)
    [wheel] = folder.glob("sluice_explorer-*-py3-none-any.whl")
    assert f"-{sluice.__version__}-" in wheel.name
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder / "site")
    return folder / "site"


@contextmanager
def exploring(installed: Path, *source: str | Path, **variables: str) -> Iterator[str]:
    """The address of `sluice explore` over a source."""
    path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "sluice", "explore", *map(str, source), "--port", "0"]
    environment = os.environ | variables | {"PYTHONPATH": path}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout
            serving = next(line for line in server.stdout if line.startswith("serving: "))
            yield serving.split()[1] + "/"
        finally:
            server.terminate()


def shown(address: str, *queries: str) -> list[Any]:
    """Returns the page's view of queries."""
    answers: list[Any] = json.loads(run("node", PAGES / "command.mjs", address, *queries))
    return answers


EVENTS = ["interval=all", "interval=all&country=US,CA&device=-Mobile", "event=sales&interval=all"]


def check_events(answers: list[Any], sample_folder: Path) -> None:
    store = sluice.EventStore.load(sample_folder)
    for query, answer in zip(EVENTS, answers, strict=True):
        parsed = EventsQuery.parse(query, now=NOW)
        assert answer["count"] == f"{store.count(parsed):,} rows"
        [first, *_] = json.loads(store.page(parsed))
        assert first["timestamp"] in answer["first"]
        assert answer["sql"].startswith("SELECT ")
        assert answer["faults"] == []


def test_the_command_shows_a_folder(installed: Path, sample_folder: Path) -> None:
    with exploring(installed, "--data", sample_folder) as address:
        check_events(shown(address, *EVENTS), sample_folder)


def test_the_command_shows_a_service(installed: Path, sample_folder: Path, tmp_path: Path) -> None:
    with serving(COMMANDS["python"], sample_folder, tmp_path) as served:
        source = ("--url", f"{served.url}/events", "--cafile", served.certificate)
        with exploring(installed, *source, SLUICE_TOKEN=TOKEN) as address:
            check_events(shown(address, *EVENTS), sample_folder)


def test_the_command_shows_a_file(installed: Path, tmp_path: Path) -> None:
    columns = {"number": list(range(1_000)), "status": ["paid", "open"] * 500}
    table = pa.table(columns | {"constructor": ["ferrari"] * 1_000, "share": [0.5] * 1_000})
    pq.write_table(table, tmp_path / "orders.parquet")
    with exploring(installed, "--parquet", tmp_path / "orders.parquet") as address:
        [answer] = shown(address, "status=paid&number[gte]=500&constructor=ferrari")
    assert answer["count"] == "250 rows"
    assert "paid" in answer["first"]
    assert 'FROM "rows"' in answer["sql"]  # whose key is no id
    assert answer["faults"] == []


def test_paints_are_told(installed: Path, sample_folder: Path) -> None:
    with exploring(installed, "--data", sample_folder) as address:
        printed = run("node", PAGES / "paint.mjs", "--loads", "2", address)
    figures = r"first paint \d+ ms, first content \d+ ms, [1-9]\d* bytes"
    assert re.fullmatch(f"{re.escape(address)}: {figures}\n", printed)
