# SPDX-License-Identifier: MIT
"""The shared tables of query strings and what becomes of them.

A line: {"query": …, "tail"?: {"text", "times"}, "error"?: {status, param, rule, offset, length},
"page"?, "limit"?, "pageSize"?: the bound number}.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from api_keys import bearer, make_key

import sluice

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
TOKEN = "tok_tables"
TABLES = Path(__file__).parents[1] / "data"
CODES = {400: "bad_request", 422: "unprocessable_entity"}
NUMBERS = {"page": "page", "limit": "limit", "pageSize": "page_size"}

Row = dict[str, Any]


def read_table(name: str) -> list[Any]:
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) > 50
    return [pytest.param(row, id=f"line {number}") for number, row in enumerate(rows, 1)]


def query_of(row: Row) -> str:
    tail = row.get("tail", {"text": "", "times": 0})
    return str(row["query"] + tail["text"] * tail["times"])


@pytest.fixture(scope="module")
def handler() -> sluice.Handler:
    return sluice.Handler(sluice.EventStore(), [make_key(TOKEN)])


def check_error(caught: sluice.ApiError, row: Row) -> None:
    names = ("status", "param", "rule", "offset", "length")
    assert {name: getattr(caught, name) for name in names} == row["error"]
    assert caught.code == CODES[caught.status]
    assert caught.message.startswith(f"{caught.param}: ")
    assert json.loads(caught.to_json())["error"]["message"] == caught.message


def check_numbers(query: sluice.EventsQuery | sluice.TagsQuery, row: Row) -> None:
    for name, attribute in NUMBERS.items():
        if name in row:
            assert getattr(query, attribute) == row[name]


def check_answer(handler: sluice.Handler, path: str, row: Row) -> None:
    answer = handler.handle("GET", f"{path}?{query_of(row)}", bearer(TOKEN), now=NOW)
    body = json.loads(answer.body)
    if "error" not in row:
        assert (answer.status, body) == (200, [])
        return
    assert answer.status == row["error"]["status"]
    assert body["error"]["code"] == CODES[answer.status]
    assert body["error"]["message"].startswith(row["error"]["param"] + ": ")


@pytest.mark.parametrize("row", read_table("events_query.ndjson"))
def test_parameters_of_events(row: Row, handler: sluice.Handler) -> None:
    if "error" in row:
        with pytest.raises(sluice.ApiError) as caught:
            sluice.EventsQuery.parse(query_of(row), now=NOW)
        check_error(caught.value, row)
    else:
        check_numbers(sluice.EventsQuery.parse(query_of(row), now=NOW), row)
    check_answer(handler, "/events", row)


@pytest.mark.parametrize("row", read_table("tags_query.ndjson"))
def test_parameters_of_tags(row: Row, handler: sluice.Handler) -> None:
    if "error" in row:
        with pytest.raises(sluice.ApiError) as caught:
            sluice.TagsQuery.parse(query_of(row))
        check_error(caught.value, row)
    else:
        check_numbers(sluice.TagsQuery.parse(query_of(row)), row)
    check_answer(handler, "/tags", row)
