# SPDX-License-Identifier: MIT
"""The page of errors on both servers: whatever they refuse has a doc_url that opens there."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import http_cases
import pytest
from api_keys import bearer, make_key
from serving import BOTH, CPP, Server, serving

from sluice import EventStore, Handler

PAGE = "/api-reference/errors"
KEYS = [
    make_key("tok_all"),
    make_key("tok_free", plan="free", limits=None),
    make_key("tok_tags", permissions=["tags.read"]),
    make_key("tok_expired", expiresAt="2020-01-01T00:00:00Z"),
    make_key("tok_spent", limits={"per_minute": 1, "analytics_per_second": 1}),
]
REFUSED = [
    # target, token, status
    ("/nowhere", "tok_all", 404),
    ("/tags", "tok_nobody", 401),
    ("/tags", "tok_expired", 401),
    ("/events", "tok_free", 403),
    ("/events", "tok_tags", 403),
    ("/events?country=US,-CA", "tok_all", 400),
    ("/events?start=21.08.2026", "tok_all", 400),
    ("/tags?page=0", "tok_all", 422),
    ("/events?query=metadata['a']:b", "tok_all", 422),
]
REFUSED_BY_SERVERS = {400, 413, 414, 431}


def ids_of(page: bytes) -> set[str]:
    """The ids of a page, which is whole: its elements are closed and its texts escaped."""
    return {
        element.attrib["id"] for element in ET.fromstring(page).iter() if "id" in element.attrib
    }


@pytest.fixture(scope="module", params=BOTH)
def server(
    request: pytest.FixtureRequest, sample_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("errors")
    keys = folder / "keys.json"
    keys.write_text(json.dumps(KEYS))
    words = ("--data", str(sample_folder), "--keys", str(keys))
    state = {"XDG_STATE_HOME": str(folder / "state")}
    with serving(folder / "output", *words, command=request.param, **state) as started:
        yield started


@pytest.fixture(scope="module")
def ids(server: Server) -> set[str]:
    """The anchors that the server's own page has for anyone."""
    status, page = server.get(PAGE)
    assert status == 200
    return ids_of(page)


def check_opens(body: bytes, place: str, ids: set[str]) -> None:
    """Returns true if an error's doc_url is an anchor of the page at a place."""
    error = json.loads(body)["error"]
    url = urlsplit(error["doc_url"])
    assert (url.scheme, url.netloc, url.path) == ("https", place, PAGE)
    assert url.fragment == error["code"].replace("_", "-")
    assert url.fragment in ids


@pytest.mark.parametrize(("target", "token", "status"), REFUSED)
def test_doc_url_opens(server: Server, ids: set[str], target: str, token: str, status: int) -> None:
    answered, body = server.get(target, **bearer(token))
    assert answered == status
    check_opens(body, f"{server.host}:{server.port}", ids)


def test_doc_url_opens_where_no_request_is_left(server: Server, ids: set[str]) -> None:
    answers = [server.get("/tags", **bearer("tok_spent")) for _ in range(2)]
    assert [status for status, _ in answers] == [200, 429]
    check_opens(answers[1][1], f"{server.host}:{server.port}", ids)


@pytest.mark.parametrize("server", [CPP], indirect=True)  # whose own answers have one
def test_doc_url_opens_where_no_handler_was_asked(server: Server, ids: set[str]) -> None:
    seen: set[int] = set()
    for case in http_cases.CASES:
        if case.statuses[0] not in REFUSED_BY_SERVERS - seen:
            continue
        with server.greet() as connection:
            [answer] = http_cases.exchange(connection, case.request)
        seen.add(answer.status)
        fragment = urlsplit(json.loads(answer.body)["error"]["doc_url"]).fragment
        assert fragment == "bad-request"
        assert fragment in ids
    assert seen == REFUSED_BY_SERVERS


def test_the_page_is_kept_by_who_has_it(server: Server) -> None:
    status, headers, page = server.ask(PAGE)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    again, kept, nothing = server.ask(PAGE, **{"if-none-match": headers["etag"]})
    assert (again, kept["etag"], nothing) == (304, headers["etag"], b"")
    bare, same, nothing = server.ask(PAGE, "HEAD")
    assert (bare, same["content-length"], nothing) == (200, str(len(page)), b"")


def test_both_servers_have_one_page(server: Server, store: EventStore) -> None:
    _, page = server.get(PAGE)
    assert Handler(store, []).handle("GET", PAGE, {}).body == page
