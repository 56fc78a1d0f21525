# SPDX-License-Identifier: MIT
"""Aggregates and facets that requests name, answered from objects, frames and databases."""

import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sql_engines import postgresql_place

import sluice
from sluice import ApiError, Column, GroupRequest, SortKey

BEGIN = datetime(2026, 10, 20, tzinfo=UTC)
ROWS = [
    {
        "id": f"o{at}",
        "country": ("US", "DE", None, "CA")[at % 4],
        "device": ("phone", "desk")[at % 2],
        "total": at * 3 % 7,
        "created": BEGIN + timedelta(hours=7 * at),
        "tags": ["a", "b", "a"][: at % 4],
        "data": {"plan": "pro"} if at % 3 == 0 else {},
    }
    for at in range(60)
]


class Orders(sluice.ListQuery, columns=[Column("tags", is_list=True), Column("data", "json")]):
    """Orders, and what is asked about them."""

    country = sluice.filter(column=Column("country", is_nullable=True))
    device = sluice.filter()
    total = sluice.integer(operators=(">=", "<="))
    created = sluice.window(default="all")
    groups = sluice.group_by(
        "country",
        "device",
        "created",
        "tags",
        "data.plan",
        buckets=("day", "month"),
        size=50,
        name="groupBy",
    )
    measures = sluice.measures("total", "country", kinds=("sum", "max", "count_distinct"))
    facets = sluice.facets("country", "device", "tags", values=2)


def test_requests_name_groups_and_measures() -> None:
    query = Orders.parse(
        "groupBy=country,created.day&measures=sum_total,count&order=-sum_total,country&limit=3"
        "&timezone=Europe/Paris&total[gte]=1"
    )
    order = (SortKey("sum_total", descending=True), SortKey("country"))
    assert query.groups == GroupRequest(("country", "created.day"), order, 3)
    assert query.measures == ("sum_total", "count")
    assert query.aggregate.tree == {
        "where": query.tree()["where"],
        "group_by": [
            {"column": "country", "as": "country"},
            {
                "column": "created",
                "bucket": "day",
                "as": "created.day",
                "zone": "Europe/Paris",
            },
        ],
        "measures": [
            {"measure": "sum", "column": "total", "as": "sum_total"},
            {"measure": "count"},
        ],
        "order": [
            {"measure": "sum_total", "direction": "desc"},
            {"group": "country", "direction": "asc"},
        ],
        "limit": 3,
    }
    assert Orders.parse(query.to_query_string()) == query


def test_requests_without_groups_have_one() -> None:
    query = Orders.parse("")
    assert query.groups == GroupRequest((), (), 50)
    assert query.measures == ("count",)
    assert query.aggregate.apply(ROWS) == [{"count": 60}]
    assert query.facets == ()


@pytest.mark.parametrize(
    ("text", "status", "place", "message"),
    [
        ("groupBy=contry", 422, ("groupBy", 0, 6), "did you mean 'country'"),
        ("groupBy=device,created.week", 422, ("groupBy", 7, 12), "expected country, device"),
        ("groupBy=device,device", 400, ("groupBy", 7, 6), "a column named twice"),
        ("measures=sum_totl", 422, ("measures", 0, 8), "did you mean 'sum_total'"),
        ("measures=sum_country", 422, ("measures", 0, 11), "expected count, sum_total"),
        ("order=-sum_totl", 422, ("order", 1, 8), "did you mean 'sum_total'"),
        ("order=-sum_total", 422, ("order", 0, 0), "expected groups and measures of the request"),
        ("limit=0", 422, ("limit", 0, 1), "expected a whole number from 1 to 10000"),
        ("facets=devise", 422, ("facets", 0, 6), "did you mean 'device'"),
    ],
)
def test_wrong_names(text: str, status: int, place: tuple[str, int, int], message: str) -> None:
    with pytest.raises(ApiError, match=message) as refused:
        Orders.parse(text)
    error = refused.value
    assert (error.status, (error.param, error.offset, error.length)) == (status, place)
    assert [str(one) for one in Orders.errors(text)] == [str(error)]


def test_documents_list_the_names() -> None:
    described = {one["name"]: one for one in Orders.openapi_parameters()}
    names = "(?:country|device|created|created\\.day|created\\.month|tags|data\\.plan)"
    assert described["groupBy"]["schema"]["pattern"] == f"^{names}(?:,{names}){{0,6}}$"
    assert described["measures"]["schema"]["default"] == "count"
    assert (
        described["limit"]["schema"] | {"default": 50, "minimum": 1, "maximum": 10_000}
        == (described["limit"]["schema"])
    )


def declare(**parameters: object) -> type[sluice.ListQuery]:
    return type("Wrong", (sluice.ListQuery,), parameters)


HOURS: Any = ("hours",)
MEAN: Any = ("mean",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: declare(by=sluice.group_by("town")), "town: expected a parameter"),
        (lambda: declare(by=sluice.group_by()), "by: expected columns"),
        (lambda: declare(by=sluice.group_by(Column("data", "json"))), "name the path"),
        (lambda: declare(by=sluice.group_by(Column("a"), size=0)), "size: expected a whole number"),
        (lambda: declare(by=sluice.group_by(Column("a"), buckets=HOURS)), "buckets: expected"),
        (lambda: declare(by=sluice.group_by(Column("a"), default="b")), "default can't be read"),
        (lambda: declare(by=sluice.measures("total")), "total: expected a parameter"),
        (lambda: declare(by=sluice.measures(kinds=MEAN)), "kinds: expected some of sum"),
        (lambda: declare(by=sluice.facets(Column("a"), values=101)), "values: expected a whole"),
    ],
)
def test_mistakes_of_a_class(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_classes_without_groups_have_no_aggregate() -> None:
    with pytest.raises(AttributeError, match=r"no group_by\(\) and no measures\(\)"):
        sluice.ListQuery.from_tree({}).aggregate  # noqa: B018


REQUESTS = [
    "groupBy=country&measures=count,sum_total,max_total,count_distinct_country&country=-CA",
    "groupBy=device,country&order=-count,device&limit=4&total[gte]=2",
    "groupBy=created.day&timezone=Europe/Paris&start=2026-10-21&end=2026-10-30",
    "groupBy=tags&measures=count,sum_total",
    "groupBy=data.plan,device",
    "measures=count,sum_total,count_distinct_country&device=desk",
]


def frames() -> dict[str, Any]:
    """The rows as tables of each package."""
    table = pa.Table.from_pylist(
        ROWS,
        pa.schema(
            {
                "id": pa.string(),
                "country": pa.string(),
                "device": pa.string(),
                "total": pa.int64(),
                "created": pa.timestamp("ms", "UTC"),
                "tags": pa.list_(pa.string()),
                "data": pa.struct({"plan": pa.string()}),
            }
        ),
    )
    polars = pl.from_arrow(table)
    assert isinstance(polars, pl.DataFrame)
    return {
        "generator": iter(ROWS),
        "pyarrow": table,
        "batch": table.to_batches()[0],
        "polars": polars,
        "lazy": polars.lazy(),
        "pandas": pd.DataFrame(ROWS),
        "duckdb": duckdb.arrow(table),
        "columns": {name: [row[name] for row in ROWS] for name in ROWS[0]},
    }


@pytest.mark.parametrize("text", REQUESTS)
def test_frames_answer_as_objects_do(text: str) -> None:
    aggregate = Orders.parse(text).aggregate
    expected = aggregate.apply(ROWS)
    assert len(expected) > 0
    for name, frame in frames().items():
        assert aggregate.apply(frame) == expected, name


def test_columns_have_other_names_in_frames() -> None:
    aggregate = Orders.parse("groupBy=country&total[gte]=3").aggregate
    frame = pl.DataFrame(
        {"place": [row["country"] for row in ROWS], "sum": [row["total"] for row in ROWS]}
    )
    names = {"country": "place", "total": "sum"}
    assert aggregate.apply(frame, names) == aggregate.apply(ROWS)
    with pytest.raises(ValueError, match="the table has no column 'country'"):
        aggregate.apply(frame, {"total": "sum"})


def test_sqlite_answers_a_request() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE orders(country TEXT, total INTEGER)")
    connection.executemany(
        "INSERT INTO orders VALUES (?, ?)", [(row["country"], row["total"]) for row in ROWS]
    )
    aggregate = Orders.parse("groupBy=country&measures=sum_total&total[gte]=1").aggregate
    rows = connection.execute(*aggregate.to_sql("sqlite", "orders")).fetchall()
    assert rows == [tuple(row.values()) for row in aggregate.apply(ROWS)]


def test_facets_leave_their_own_condition_out() -> None:
    query = Orders.parse("facets=country,tags,device&country=US,DE&device=phone")
    phones = [row for row in ROWS if row["device"] == "phone"]
    counted = Counter(row["country"] for row in phones if row["country"])
    assert query.facets == ("country", "tags", "device")
    facets = sluice.groups.facets(query, ROWS)
    assert list(facets) == ["country", "tags", "device"]
    assert facets["country"] == [{"value": "US", "count": counted["US"]}]
    assert [one["value"] for one in facets["device"]] == ["desk", "phone"]
    assert facets["tags"] == []
    requests: list[sluice.groups.Aggregate] = []

    def answer(aggregate: sluice.groups.Aggregate) -> list[dict[str, Any]]:
        requests.append(aggregate)
        return aggregate.apply(iter(ROWS))

    assert sluice.groups.facets(query, answer) == facets
    assert sluice.groups.facets(query, iter(ROWS)) == facets
    assert [one.tree["limit"] for one in requests] == [3, 3, 3]


def test_searches_without_columns_are_refused() -> None:
    class Found(sluice.ListQuery, columns=[Column("country")]):
        words = sluice.search()
        groups = sluice.group_by("country")
        facets = sluice.facets("country")

    query = Found.parse("words=x&facets=country")
    with pytest.raises(ValueError, match="search: groups and facets have no test for it"):
        query.aggregate  # noqa: B018
    with pytest.raises(ValueError, match="search: groups and facets have no test for it"):
        sluice.groups.facets(query, ROWS)


def test_facets_have_the_most_frequent_values() -> None:
    [country] = sluice.groups.facets(Orders.parse("facets=country"), ROWS[:-1]).values()
    assert country == [{"value": "DE", "count": 15}, {"value": "US", "count": 15}]


def test_buckets_are_those_of_the_type() -> None:
    class Bills(sluice.ListQuery):
        groups = sluice.group_by(Column("due", "date"), Column("paid", "time"), Column("city"))

    [groups, *_] = Bills.openapi_parameters()
    names = [
        name for name in ("due", "paid", "city") if f"{name}\\.hour" in groups["schema"]["pattern"]
    ]
    assert names == ["paid"]
    assert "due\\.week" in groups["schema"]["pattern"]
    assert "city\\." not in groups["schema"]["pattern"]


def test_sums_of_decimals_are_exact() -> None:
    class Sales(sluice.ListQuery):
        total = sluice.decimal()
        measures = sluice.measures("total", kinds=("sum",), default="sum_total")

    frame = pl.DataFrame({"total": [Decimal("0.10")] * 3}, schema={"total": pl.Decimal(10, 2)})
    assert Sales.parse("").aggregate.apply(frame) == [{"sum_total": Decimal("0.3")}]


POSTGRESQL = """\
groups=state&measures=count,sum_total&order=-sum_total
void 1 1000
paid 2 110.49
open 1 100
groups=created.day&start=2026-10-24&end=2026-10-26&timezone=Europe/Paris
2026-10-23 22:00:00+00:00 1
2026-10-24 22:00:00+00:00 2
2026-10-25 23:00:00+00:00 1
groups=labels&measures=count,max_total&state=-void
None 1 99.99
gift 2 100
rush 1 100
groups=shipped.week&measures=average_total
None 100.0
2026-10-26 55.245
2026-11-02 1000.0
groups=details.shop.city&order=-count
Lyon 2
None 1
69 1
{'state': [{'value': 'paid', 'count': 2}, {'value': 'open', 'count': 1}, \
{'value': 'void', 'count': 1}], 'country': [{'value': 'DE', 'count': 1}, \
{'value': 'FR', 'count': 1}], 'labels': [{'value': 'gift', 'count': 1}]}
"""


@pytest.mark.servers
def test_the_example_of_postgresql_prints_what_it_says() -> None:
    program = Path(__file__).parents[2] / "examples" / "postgresql_analytics.py"
    with postgresql_place() as place:
        words, named = (sys.executable, program), os.environ | {"POSTGRESQL": place}
        done = subprocess.run(words, env=named, capture_output=True, text=True, check=True)
    assert done.stdout == POSTGRESQL
