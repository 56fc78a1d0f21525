# SPDX-License-Identifier: MIT
"""Groups, series and facets of visits, from the text of a query string to JSON, beside engines.

Peers begin with a statement and end with Python's values.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from sql_engines import ClickHouse, clickhouse_server

from .context import Context
from .data import Data, Dimension, generate
from .measuring import (
    Cell,
    Clock,
    Contender,
    Library,
    Missing,
    Source,
    by_python,
    processor_ns,
)
from .queries import WEEK

VISITS = (
    *(Dimension("kind", 3), Dimension("device", 5), Dimension("os", 8), Dimension("browser", 16)),
    *(Dimension("country", 240), Dimension("link", 20_000), Dimension("url", 100_000)),
    *(
        Dimension("customer", 50_000, is_optional=True),
        Dimension("amount", 5_000, is_optional=True),
    ),
)
TEXTS = tuple(one.name for one in VISITS if one.name not in ("amount", "url"))  # that repeat
FACETS = ("device", "os", "browser", "country", "link")
ZONE, PART, TOP = "Europe/Berlin", "products/77", 10
TIMES, BATCH = pa.timestamp("ms", "UTC"), 1_000_000


def at_text(ms: int) -> str:
    """Formats a time."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


FIRST, LAST = map(at_text, WEEK)


@dataclass(frozen=True)
class Task:
    """Groups: the first ones by the first measure, or all buckets of time; or facets."""

    groups: tuple[str, ...] = ()  # none: facets
    measures: tuple[str, ...] = ("count",)
    equal: tuple[tuple[str, str], ...] = ()
    in_week: bool = False
    has_part: bool = False  # of the URL

    @property
    def bucket(self) -> str | None:
        """The length of buckets of time."""
        return next((name for name in self.groups if name in ("hour", "day")), None)

    @property
    def text(self) -> str:
        """The query string."""
        pairs = [*self.equal]
        pairs += [("start", FIRST), ("end", LAST)] if self.in_week else []
        pairs += [("url", PART)] if self.has_part else []
        if not self.groups:
            pairs.append(("facets", ",".join(FACETS)))
        else:
            pairs += [("groupBy", ",".join(self.groups)), ("measures", ",".join(self.measures))]
            pairs.append(("top", "10000") if self.bucket else ("order", f"-{self.measures[0]}"))
        return "&".join(f"{name}={value}" for name, value in pairs)

    @property
    def facets(self) -> list["Task"]:
        """Groups that have the values of facets, each without its own condition."""
        return [
            Task((name,), equal=tuple(pair for pair in self.equal if pair[0] != name))
            for name in FACETS
        ]


def tasks(data: Data) -> dict[str, Task]:
    """Returns all groups and facets."""
    country, device = (("country", data.frequent("country")), ("device", data.frequent("device")))
    links, sales = Task(("link",)), (("kind", data.frequent("kind", 3)),)
    return {
        "top 10 of 20,000 links": links,
        "top 10 of links, 1 condition": replace(links, equal=(country,)),
        "top 10 of links, 2 conditions": replace(links, equal=(country, device)),
        "top 10 of links in 7 of 90 days": replace(links, in_week=True),
        "by browser": Task(("browser",)),
        "series by hour": Task(("hour",)),
        "series by day": Task(("day",)),
        "series by day, 1 condition": Task(("day",), equal=(country,)),
        "links by kind": Task(("link", "kind")),
        "sums of sales by link": Task(("link",), ("amount", "count"), sales),
        "distinct customers by browser": Task(("browser",), ("customers",)),
        "part of a URL, by browser": Task(("browser",), has_part=True),
        "facets of 5 columns": Task(),
        "facets of 5 columns, 2 conditions": Task(equal=(country, device)),
    }


def answer_of(value: Any) -> object:  # noqa: ANN401
    """Returns rows of groups and measures, times as milliseconds; those of facets one by one."""
    if not isinstance(value, str):
        return [list(map(list, rows)) for rows in value]
    read = json.loads(value)
    every = [read] if isinstance(read, list) else read.values()
    rows = [[[*map(milliseconds, row.values())] for row in rows] for rows in every]
    is_series = isinstance(read, list) and bool(read) and bool({"hour", "day"} & {*read[0]})
    return (
        [[row for row in rows[0] if row[-1]]] if is_series else rows
    )  # engines have no empty ones


def milliseconds(value: Any) -> Any:  # noqa: ANN401
    """Reads a time."""
    if isinstance(value, str) and value.endswith("Z"):
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    return value


# --- Peers ---------------------------------------------------------------------------------------

Ask = Callable[[Task], list[Any]]  # the rows of groups


def parts_of(task: Task) -> list[Task]:
    """Returns the groups that answer a task."""
    return [task] if task.groups else task.facets


def visits_file(data: Data) -> Path:
    """Writes the visits for peers: texts as dictionaries, amounts as numbers."""
    path = data.folder / "visits.parquet"
    if not path.exists():
        part = path.with_suffix(".part")
        with parquet.ParquetWriter(part, visits_table(next(data.tables(1))).schema) as writer:
            for table in data.tables(BATCH):
                writer.write_table(visits_table(table))
        part.rename(path)
    return path


def visits_table(table: pa.Table) -> pa.Table:
    """Returns rows as peers have them."""
    amounts = table["amount"].combine_chunks().indices.cast(pa.int64())
    columns = {name: table[name] for name in (*TEXTS, "url")}
    return pa.table({"time": table["time"].cast(TIMES), **columns, "amount": pc.add(amounts, 1)})


def sql_of(task: Task, within: str, bucket: str) -> str:
    """Writes a statement; `{}` in `bucket` is the length of buckets."""
    measures = {"amount": "sum(amount)", "customers": "count(DISTINCT customer)"}
    tests = [f"{name} = '{value}'" for name, value in task.equal]
    tests += [within] if task.in_week else []
    tests += [f"url LIKE '%{PART}%'"] if task.has_part else []
    groups = [bucket.format(task.bucket)] if task.bucket else [*task.groups]
    shown = [*groups, *(measures.get(name, "count(*)") for name in task.measures)]
    keys = ", ".join(str(number + 1) for number in range(len(groups)))
    order = keys if task.bucket else f"{len(groups) + 1} DESC, {keys} LIMIT {TOP}"
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return f"SELECT {', '.join(shown)} FROM visits{where} GROUP BY {keys} ORDER BY {order}"


def duckdb_visits(file: Path, threads: int) -> Ask:
    """ENUM columns, whose order is that of their texts.

    Time zones are an extension of DuckDB; all rows are in the two hours of summer time.
    """
    run = duckdb.connect(":memory:", config={"threads": threads}).execute
    for name in TEXTS:
        values = f"SELECT DISTINCT {name} AS v FROM read_parquet('{file}')"
        run(
            f"CREATE TYPE {name}_values AS ENUM (SELECT v FROM ({values}) WHERE v <> '' ORDER BY v)"
        )
    casts = ", ".join(f"{name}::{name}_values AS {name}" for name in TEXTS)
    shown = f"epoch_ms(epoch_ms(time)) AS time, url, amount, {casts}"
    run(f"CREATE TABLE visits AS SELECT {shown} FROM read_parquet('{file}')")
    within = f"time BETWEEN '{FIRST[:-1]}' AND '{LAST[:-1]}'"
    bucket = "epoch_ms(date_trunc('{}', time + INTERVAL 2 HOURS) - INTERVAL 2 HOURS)"
    return lambda task: run(sql_of(task, within, bucket)).fetchall()


def clickhouse_visits(server: ClickHouse, file: Path, threads: int) -> Ask:
    """Columns of low cardinality in the order of time."""
    ask = server.node.ask
    kinds = ("String", "Nullable(String)")
    texts = ", ".join(f"{name} LowCardinality({kinds[name == 'customer']})" for name in TEXTS)
    ask(
        "CREATE TABLE visits (time DateTime64(3, 'UTC'), url String, amount Nullable(Int64),"
        f" {texts}) ENGINE = MergeTree ORDER BY time"
    )
    columns = f"time, url, amount, {', '.join(TEXTS)}"
    ask(f"INSERT INTO visits ({columns}) SELECT {columns} FROM file('{file}', Parquet)")
    within = (
        f"time BETWEEN fromUnixTimestamp64Milli({WEEK[0]}) AND fromUnixTimestamp64Milli({WEEK[1]})"
    )
    bucket = f"toUnixTimestamp(date_trunc('{{}}', time, '{ZONE}')) * 1000"
    fields = {"default_format": "JSONCompactEachRow", "max_threads": threads}
    fields |= {"output_format_json_quote_64bit_integers": 0}

    def answer(task: Task) -> list[Any]:
        lines = ask(sql_of(task, within, bucket), fields)
        return [json.loads(line) for line in lines.split("\n") if line]

    return answer


def polars_visits(file: Path) -> Ask:
    """A frame with Enum columns, sorted by time."""
    frame = pl.read_parquet(file).with_columns(pl.col("time").set_sorted())
    for name in TEXTS:
        values = frame[name].cast(pl.String).drop_nulls().unique().sort()
        frame = frame.with_columns(pl.col(name).cast(pl.String).cast(pl.Enum(values)))
    frame = frame.with_columns(pl.col("url").cast(pl.String))
    measures = {
        "count": pl.len().cast(pl.Int64).alias("count"),
        "amount": pl.col("amount").sum(),
        "customers": pl.col("customer").drop_nulls().n_unique().alias("customers"),
    }

    def answer(task: Task) -> list[Any]:
        tests = [pl.col(name) == value for name, value in task.equal]
        if task.in_week:
            first, last = (datetime.fromtimestamp(ms / 1000, UTC) for ms in WEEK)
            tests.append(pl.col("time").is_between(first, last))
        if task.has_part:
            tests.append(pl.col("url").str.contains(PART, literal=True))
        rows = frame.lazy().filter(reduce(and_, tests)) if tests else frame.lazy()
        shown = [measures[name] for name in task.measures]
        if task.bucket:
            zoned = rows.with_columns(pl.col("time").dt.convert_time_zone(ZONE))
            groups = zoned.group_by_dynamic("time", every={"hour": "1h", "day": "1d"}[task.bucket])
            return groups.agg(shown).with_columns(pl.col("time").dt.epoch("ms")).collect().rows()
        down = [True, *(False for _ in task.groups)]
        ordered = (
            rows.group_by(task.groups)
            .agg(shown)
            .sort(task.measures[0], *task.groups, descending=down)
        )
        return ordered.head(TOP).collect().rows()

    return answer


def pyarrow_visits(file: Path) -> Ask:
    """A table with dictionary columns."""
    table = parquet.read_table(file, read_dictionary=[*TEXTS, "url"]).unify_dictionaries()
    table = table.combine_chunks()
    coded = {name: table[name].chunk(0) for name in (*TEXTS, "url")}
    wanted = {
        "count": ([], "count_all", "count_all"),
        "amount": ("amount", "sum", "amount_sum"),
        "customers": ("customer", "count_distinct", "customer_count_distinct"),
    }

    def mask_of(task: Task) -> Any:  # noqa: ANN401
        tests = [
            pc.equal(coded[name].indices, pc.index(coded[name].dictionary, value))
            for name, value in task.equal
        ]
        if task.in_week:
            first, last = (pa.scalar(ms, TIMES) for ms in WEEK)
            times = table["time"]
            tests += [pc.greater_equal(times, first), pc.less_equal(times, last)]
        if task.has_part:
            matching = pc.match_substring(coded["url"].dictionary, PART)
            tests.append(matching.take(coded["url"].indices))
        return reduce(pc.and_, tests) if tests else None

    def answer(task: Task) -> list[Any]:
        mask = mask_of(task)
        rows = table if mask is None else table.filter(mask)
        if task.bucket:
            zoned = rows["time"].cast(pa.timestamp("ms", ZONE))
            rows = pa.table({task.bucket: pc.floor_temporal(zoned, unit=task.bucket)})
        measures = [wanted[name] for name in task.measures]
        grouped = rows.group_by([*task.groups], use_threads=False).aggregate(
            [measure[:2] for measure in measures]
        )
        kind = pa.int64() if task.bucket else pa.string()
        columns = [grouped[name].cast(kind) for name in task.groups]
        columns += [grouped[measure[2]] for measure in measures]
        shown = pa.table(columns, names=[str(at) for at in range(len(columns))])
        keys = [(str(at), "ascending") for at in range(len(task.groups))]
        if not task.bucket:
            keys.insert(0, (str(len(keys)), "descending"))
            shown = shown.sort_by(keys).slice(0, TOP)
        else:
            shown = shown.sort_by(keys)
        return [*zip(*(column.to_pylist() for column in shown.columns), strict=True)]

    return answer


def source_of(ask: Ask, named: dict[str, Task], clock: Clock = time.perf_counter_ns) -> Library:
    """Returns an engine as a source."""

    def make(text: str) -> Contender:
        parts = parts_of(named[text])

        def run() -> list[list[Any]]:
            return [ask(part) for part in parts]

        return by_python(run, lambda: answer_of(run()), clock)

    return Library(groups=make, facets=make)


def peers_of(context: Context, data: Data, open_servers: ExitStack) -> dict[str, Source]:
    """Returns engines that hold the visits."""
    file, named = visits_file(data), {task.text: task for task in tasks(data).values()}
    versions, threads = context.collector.versions, context.threads
    versions |= {"DuckDB": duckdb.__version__, "polars": pl.__version__, "pyarrow": pa.__version__}
    pa.set_cpu_count(threads)
    clickhouse: Source
    try:
        server = open_servers.enter_context(clickhouse_server())
    except (OSError, subprocess.CalledProcessError):
        clickhouse = Missing("not installed: npm installs it")
    else:
        versions["ClickHouse"] = server.node.ask("SELECT version()")
        node = server.node.process

        def in_both() -> int:
            return time.process_time_ns() + processor_ns(node.pid)

        clickhouse = source_of(clickhouse_visits(server, file, threads), named, in_both)
    return {
        "DuckDB": source_of(duckdb_visits(file, threads), named),
        "ClickHouse": clickhouse,
        "polars": source_of(polars_visits(file), named),
        "pyarrow": source_of(pyarrow_visits(file), named),
    }


# --- Cells ---------------------------------------------------------------------------------------


def cells(context: Context) -> Iterator[Cell]:
    """Yields all tasks."""
    data = generate(context.data.folder.parent, context.data.rows, VISITS)
    context.driver.ask(f"answer group_load {data.folder}")
    with ExitStack() as open_servers:
        peers = peers_of(context, data, open_servers)
        for name, task in tasks(data).items():
            form, what = ("groups", "aggregate") if task.groups else ("facets", "facets")
            operation = f"{form} {task.text}"
            yield Cell(
                f"group: {name}", f"store::{what}", operation, context.driver, peers, answer_of
            )
