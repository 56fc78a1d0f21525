# SPDX-License-Identifier: MIT
"""`sluice explore --data`: the page, who may ask, and answers against a naive reading."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from explorer import COMMAND, PAGE, Explorer, check_histogram, exploring, top_of
from oracle import Oracle

from sluice import __main__ as command

ROUTES = ("/source.json", "/rows", "/count", "/histogram", "/top", "/explain")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def explorer(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    folder = tmp_path_factory.mktemp("explore")
    with exploring(folder, "--data", str(sample_folder)) as started:
        yield started


@pytest.fixture(scope="module")
def oracle(sample_folder: Path) -> Oracle:
    return Oracle(sample_folder)


@pytest.fixture(scope="module")
def now(oracle: Oracle) -> datetime:
    """The time of the last event."""
    last = max(row["at"] for rows in oracle.rows.values() for row in rows)
    return EPOCH + timedelta(milliseconds=last)


# --- The page and who may ask ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["", *PAGE])
def test_files_of_the_page_are_served(explorer: Explorer, name: str) -> None:
    text, kind = PAGE[name or "index.html"]
    status, headers, body = explorer.ask(f"/{name}")
    assert (status, headers["content-type"], body) == (200, kind, text.encode())


@pytest.mark.parametrize("target", ["/", "/rows", "/nowhere", "/rows?limit=0"])
def test_every_answer_says_what_a_browser_may_do(explorer: Explorer, target: str) -> None:
    _, headers, _ = explorer.ask(target)
    policy = headers["content-security-policy"]
    assert "default-src 'self'; style-src 'self' 'unsafe-inline'; " in policy
    assert "script-src 'self' 'wasm-unsafe-eval'" in policy
    assert "form-action 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_errors_lead_to_what_they_are(explorer: Explorer) -> None:
    _, _, body = explorer.ask("/rows?limit=0")
    place, _, anchor = json.loads(body)["error"]["doc_url"].partition("#")
    status, headers, page = explorer.ask(place)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert f' id="{anchor}"'.encode() in page


OUTSIDE = [
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e%2fsecret.txt",
    "/src/../../secret.txt",
    "/src/%2e%2e/%2e%2e/secret.txt",
    "/..\\secret.txt",
    "/%5c..%5csecret.txt",
    "//etc/passwd",
    "/%2fetc/passwd",
    "/etc/passwd",
    "/link.txt",
    "/links/secret.txt",
    "/src",
    "/src/",
    "/index.html%00",
    "/index.html/",
    "/%ff",
    "/INDEX.HTML",
]


@pytest.mark.parametrize("target", OUTSIDE)
def test_no_path_leads_out_of_the_page(explorer: Explorer, target: str) -> None:
    status, _, body = explorer.ask(target)
    assert (status, json.loads(body)["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("target", ["/", "/style.css", *ROUTES])
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{}", "127.0.0.1", "localhost:1", "localhost.evil:{}", ""]
)
def test_another_host_is_refused(explorer: Explorer, target: str, host: str) -> None:
    status, _, body = explorer.ask(target, host=host.format(explorer.server.port))
    assert (status, json.loads(body)["error"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("name", ["localhost", "LocalHost", "127.0.0.1"])
def test_this_host_is_answered(explorer: Explorer, name: str) -> None:
    assert explorer.ask("/", host=f"{name}:{explorer.server.port}")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_cannot_ask(explorer: Explorer, site: str) -> None:
    for route in ROUTES:
        assert explorer.ask(route, **{"sec-fetch-site": site})[0] == 403
    assert explorer.ask("/", **{"sec-fetch-site": site})[0] == 200  # a link leads here
    assert explorer.ask("/count", **{"sec-fetch-site": "same-origin"})[0] == 200


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_refused(explorer: Explorer, method: str) -> None:
    for target in ("/", "/rows", "/nowhere"):
        status, headers, _ = explorer.ask(target, method)
        assert (status, headers["allow"]) == (405, "GET")


# --- Answers ---------------------------------------------------------------------------------

QUERIES = [
    "",
    "interval=all",
    "?interval=all&sortOrder=asc",
    "interval=30d&country=US,DE",
    "interval=90d&device=-Mobile&browser=chrome",
    "event=leads&interval=all&query=metadata%5B%27plan%27%5D%3Apro",
    "event=sales&interval=all&sortOrder=asc&saleType=new",
    "event=sales&start=2026-08-01&end=2026-08-10&timezone=Asia/Tokyo",
    "interval=all&country=ZZ",
    "interval=all&city=S%C3%A3o+Paulo",
]


@pytest.mark.parametrize("query", QUERIES)
def test_rows_are_counted(explorer: Explorer, oracle: Oracle, now: datetime, query: str) -> None:
    assert explorer.get("/count", query=query) == {
        "count": len(oracle.matching(query.removeprefix("?"), now))
    }


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    ("offset", "limit"), [(0, 100), (7, 10), (95, 10), (100, 100), (1, 500), (2**53 - 1, 1)]
)
def test_rows_are_those_of_get_events(
    explorer: Explorer, oracle: Oracle, now: datetime, query: str, offset: int, limit: int
) -> None:
    matching = oracle.matching(query.removeprefix("?"), now)[offset : offset + limit]
    page = explorer.get("/rows", query=query, offset=offset, limit=limit)
    assert page == {"rows": [oracle.shown(row) for row in matching]}


def test_pages_that_a_query_asks_for_are_left_out(explorer: Explorer) -> None:
    plain = explorer.get("/rows", query="interval=all", limit=3)
    for more in ("limit=1", "page=7", "page=x", "cursor=damaged", "count=maybe", "%6Cimit=1"):
        assert explorer.get("/rows", query=f"interval=all&{more}", limit=3) == plain


@pytest.mark.parametrize("query", QUERIES)
def test_histograms_count_the_window(
    explorer: Explorer, oracle: Oracle, now: datetime, query: str
) -> None:
    histogram = explorer.get("/histogram", query=query)
    times = [row["at"] for row in oracle.matching(query.removeprefix("?"), now)]
    kind = re.search("event=([a-z]+)", query)
    if "interval=all" in query:  # the extent of all events of the kind
        all_times = [row["at"] for row in oracle.rows[kind[1] if kind else "clicks"]]
        assert (histogram["starts"][0], histogram["end"]) == (min(all_times), max(all_times))
    zone = re.search("timezone=([A-Za-z/]+)", query)
    check_histogram(histogram, times, zone[1] if zone else "UTC")
    assert sum(histogram["counts"]) == len(times)


def test_skipped_windows_have_no_parts(explorer: Explorer) -> None:
    query = "start=2011-12-30&end=2011-12-30&timezone=Pacific/Apia"
    histogram = explorer.get("/histogram", query=query)
    assert histogram == {"starts": [], "end": None, "counts": []}


# The columns, and the parameters of their conditions.
TOPS = {
    **{
        f"click.{name}": name
        for name in ("country", "device", "browser", "os", "trigger", "referer", "url")
    },
    "link.domain": "domain",
}
CONDITIONS = ["", "&country=US,DE&device=-Mobile", "&domain=lnk.example&referer=-t.co"]


@pytest.mark.parametrize("column", TOPS)
@pytest.mark.parametrize("conditions", CONDITIONS)
@pytest.mark.parametrize("event", ["clicks", "leads", "sales"])
def test_the_top_values_are_those_under_other_conditions(
    explorer: Explorer, oracle: Oracle, now: datetime, column: str, conditions: str, event: str
) -> None:
    parameter = TOPS[column]
    query = f"event={event}&interval=all{conditions}"
    others = "&".join(part for part in query.split("&") if not part.startswith(f"{parameter}="))
    rows = [oracle.shown(row) for row in oracle.matching(others, now)]
    values = [has(row, column)[0] for row in rows]
    expected = top_of((value for value in values if value not in ("", "Unknown")), len(values))
    top = explorer.get("/top", query=query, column=column)["values"]
    assert len(top) == min(10, len(expected)) > 0
    assert all(value in expected for value in top)
    assert [value["count"] for value in top] == [value["count"] for value in expected[:10]]


def test_top_cities_and_keys_name_their_place(explorer: Explorer) -> None:
    for column, place in (("click.city", r"[A-Z]{2}-\w+, [A-Z]{2}"), ("link.key", r"[\w.-]+")):
        query = "interval=all&domain=lnk.example&key=x" if column == "link.key" else "interval=all"
        for value in explorer.get("/top", query=query, column=column)["values"]:
            assert re.fullmatch(place, value["place"])
            assert value["value"]


def test_plans_are_those_of_the_store(explorer: Explorer) -> None:
    plan = explorer.get("/explain", query="interval=all&country=US")["plan"]
    assert re.match(r"rows \d+, skipped \d+.*\ncountry: \d+ B$", plan)


def test_the_source_is_described(
    explorer: Explorer, oracle: Oracle, now: datetime, sample_folder: Path
) -> None:
    described = explorer.get("/source.json")
    assert described["name"] == f"events of {sample_folder}"
    assert (described["kind"], described["plans"], described["time"]) == (
        "events",
        True,
        "timestamp",
    )
    assert described["now"] == (now - EPOCH) // timedelta(milliseconds=1)
    assert "parameters" not in described
    rows = [oracle.shown(rows[-1]) for rows in oracle.rows.values()]
    for column in described["columns"]:
        assert any(has(row, column) for row in rows), column
    for column, name in described["filters"].items():
        assert column in described["columns"]
        sale = oracle.shown(oracle.rows["sales"][-1])
        value = quote(str(has(sale, column)[0]))
        page = explorer.get("/rows", query=f"event=sales&interval=all&{name}={value}", limit=500)
        assert sale in page["rows"], column


def has(row: dict[str, Any], path: str) -> list[Any]:
    """Returns the value at a path of a row, if it is there."""
    value: Any = row
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return []
        value = value[name]
    return [value]


WRONG = [
    # route, parameters, status, what the message begins with
    ("/rows", {"offset": -1}, 422, "offset: "),
    ("/rows", {"offset": 2**53}, 422, "offset: "),
    ("/rows", {"offset": "x"}, 400, "offset: "),
    ("/rows", {"limit": 0}, 422, "limit: "),
    ("/rows", {"limit": 501}, 422, "limit: too large, expected a whole number from 1 to 500"),
    ("/histogram", {"buckets": 5}, 400, "buckets: unknown parameter"),
    ("/top", {}, 400, "column: "),
    ("/top", {"column": "metadata"}, 422, "column: no column 'metadata' with top values"),
    ("/top", {"column": "eventName"}, 422, "column: no column 'eventName' with top values"),
    ("/top", {"column": "click.os", "query": "start=soon"}, 400, "start: "),
    ("/top", {"column": "click.os", "query": "country=US,-CA"}, 400, "country: "),
    ("/rows", {"queri": ""}, 400, "queri: unknown parameter"),
    ("/count", {"offset": 1}, 400, "offset: unknown parameter"),
    ("/count", {"query": "country=US,-CA"}, 400, "country: '-' before a single item"),
    ("/rows", {"query": "interval=never"}, 422, "interval: "),
    ("/explain", {"query": "start=soon"}, 400, "start: "),
    ("/histogram", {"query": "timezone=Mars"}, 422, "timezone: "),
    ("/histogram", {"query": "event=visits&interval=all"}, 422, "event: "),
]


@pytest.mark.parametrize(("route", "parameters", "status", "said"), WRONG)
def test_wrong_questions_are_told(
    explorer: Explorer, route: str, parameters: dict[str, Any], status: int, said: str
) -> None:
    actual, _, message = explorer.refused(route, **parameters)
    assert message.startswith(said)
    assert actual == status


# --- The command -----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it(sample_folder: Path, tmp_path: Path, number: signal.Signals) -> None:
    with exploring(tmp_path / "a", "--data", str(sample_folder)) as started:
        assert started.ask("/")[0] == 200
        assert started.server.stop(number) == 0
        assert started.server.output.read_text().endswith("\nstopped\n")


WRONG_ARGUMENTS = [
    ([], "one of the arguments --data --parquet --url is required"),
    (["--data", "d", "--parquet", "f"], "not allowed with argument"),
    (["--data", "d", "--token", "t"], "--token: --url is missing"),
    (["--parquet", "f", "--cafile", "c"], "--cafile: --url is missing"),
    (["--data", "d", "--port", "65536"], "expected a whole number from 0 to 65535"),
    (["--url", "http://api.example/events"], "expected an address such as https://"),
    (["--url", "api.example"], "expected an address such as https://"),
    (["--url", "https://"], "expected an address such as https://"),
    (["--url", "https://a.example:x/"], "expected an address such as https://"),
    (["--url", "https://a b.example/"], "expected an address such as https://"),
    (["--url", "https://[::1/"], "expected an address such as https://"),
    (["--url", "https://me:hidden@a.example/"], "without user, password, query and fragment"),
    (["--url", "https://a.example/?key=hidden"], "without user, password, query and fragment"),
    (["--url", "https://a.example/", "--token", "hid den"], "cannot be sent as a bearer token"),
]


@pytest.mark.parametrize(("words", "said"), WRONG_ARGUMENTS)
def test_wrong_arguments_are_named(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["explore", *words])
    printed = capsys.readouterr().err
    assert caught.value.code == 2
    assert said in printed
    assert "hid" not in printed


CANNOT_START = [
    (["--data", "{}/nowhere", "--page", "{}"], r"^explore: \S+/nowhere: no such folder\n$"),
    (["--data", "{}", "--page", "{}"], r"^explore: \S+/tags\.ndjson: cannot be read"),
    (["--parquet", "{}/none", "--page", "{}"], r"^explore: \S+/none: No such file"),
    (["--parquet", "{}/index.html", "--page", "{}"], r"^explore: \S+/index\.html: \S+"),
    (["--parquet", "{}", "--page", "{}"], r"^explore: \S+: "),
    (
        ["--data", "{}"],
        r"^explore: the page isn't installed: expected the package sluice-explorer, or",
    ),
    (["--data", "{}", "--page", "{}/none"], r"no such file; in a checkout \.ci/explorer makes"),
    (
        ["--url", "https://a.example/", "--cafile", "{}/none", "--page", "{}"],
        r"^explore: --cafile: \S+/none: No such file",
    ),
    (
        ["--url", "https://a.example/", "--cafile", "{}/index.html", "--page", "{}"],
        r"^explore: --cafile: \S+/index.html: ",
    ),
]


@pytest.mark.parametrize(("words", "said"), CANNOT_START)
def test_what_cannot_start_says_why(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "index.html").write_text("page")
    arguments = [word.replace("{}", str(tmp_path)) for word in words]
    done = subprocess.run(
        (*COMMAND, "--port", "0", *arguments), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout
    assert re.search(said, done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_told(explorer: Explorer, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("page")
    words = ("--data", "d", "--page", str(tmp_path), "--port", str(explorer.server.port))
    done = subprocess.run((*COMMAND, *words), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"explore: 127.0.0.1 port {explorer.server.port}: ")


@pytest.mark.parametrize(
    ("package", "words", "said"),
    [
        ("uvicorn", ["--data", "d"], "needs uvicorn: pip install 'sluice[serve]'"),
        ("pyarrow", ["--parquet", "f"], "--parquet needs pyarrow: pip install 'sluice[pyarrow]'"),
    ],
)
def test_a_missing_package_is_told(
    tmp_path: Path, package: str, words: list[str], said: str
) -> None:
    (tmp_path / "index.html").write_text("page")
    program = f"import sys; sys.modules[{package!r}] = None; import sluice.__main__ as m; "
    program += f"sys.exit(m.main({['explore', '--port', '0', '--page', str(tmp_path), *words]}))"
    done = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, f"explore: {said}\n")
