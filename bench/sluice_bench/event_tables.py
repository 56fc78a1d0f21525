# SPDX-License-Identifier: MIT
"""Real clicks as tables for SQL engines: the columns that are filtered on, and ready JSON.

What a page of `GET /events` shows of a click is held as text in three pieces, so that an engine
only fetches and joins them, which is the best that can be done for it:

    {"event":"click",...,"link":      head, of the click
    {"id":"link_1",...}               json, of the link
    ,"click_id":...}                  tail, of the click
"""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from .line_process import LineProcess

FILTERED = ("country", "city", "continent", "device", "browser", "os", "trigger", "referer")
PAGE = 1_000  # events


def write_sample(driver: LineProcess, folder: Path, events: int) -> Path:
    """A folder of NDJSON with so many events, nine tenths of them clicks."""
    shutil.rmtree(folder, ignore_errors=True)
    driver.answer(f"sample {events} {folder}")
    return folder


def write_tables(sample: Path) -> Path:
    """The clicks of a sample, in a folder of `clicks.parquet` and `links.parquet`."""
    import pyarrow as pa
    from pyarrow import parquet

    links: dict[str, tuple[int, str]] = {}
    batches = [clicks_of(page, links) for page in pages_of(sample)]
    clicks = pa.concat_tables(batches).sort_by([("time", "ascending"), ("id", "ascending")])
    table = pa.table({"link": range(len(links)), "json": [json for _, json in links.values()]})
    parquet.write_table(clicks, sample / "clicks.parquet")
    parquet.write_table(table, sample / "links.parquet")
    return sample


def pages_of(sample: Path) -> Iterator[list[dict[str, Any]]]:
    """All clicks of a sample, as pages of the store."""
    import orjson

    import sluice

    store = sluice.EventStore.load(sample)
    number = 1
    while True:
        asked = f"interval=all&sortOrder=asc&limit={PAGE}&page={number}"
        page = orjson.loads(store.page(sluice.EventsQuery.parse(asked)))
        if not page:
            return
        yield page
        number += 1


def clicks_of(page: list[dict[str, Any]], links: dict[str, tuple[int, str]]) -> Any:  # noqa: ANN401
    """A page as rows of the table; links that are new get the next number."""
    import orjson
    import pyarrow as pa

    rows = []
    for event in page:
        names = list(event)
        at = names.index("link")
        head = orjson.dumps({name: event[name] for name in names[:at]})
        tail = orjson.dumps({name: event[name] for name in names[at + 1 :]})
        link = event["link"]
        known = links.setdefault(link["id"], (len(links), orjson.dumps(link).decode()))
        click = event["click"]
        rows.append(
            {
                "time": int(datetime.fromisoformat(event["timestamp"]).timestamp() * 1000 + 0.5),
                "id": click["id"],
                **{name: click[name] for name in FILTERED},
                "link": known[0],
                "head": head[:-1].decode() + ',"link":',
                "tail": "," + tail[1:].decode(),
            }
        )
    return pa.Table.from_pylist(rows)
