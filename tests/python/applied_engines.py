# SPDX-License-Identifier: MIT
"""Lists of objects and frames that hold the rows of a TestedTable, and their pages."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import make_dataclass
from decimal import Decimal
from typing import Any

import duckdb
import pandas as pd
import pydantic
from differences import Answer
from table_engines import arrow_table, in_pandas, in_polars
from tested_rows import COLUMNS
from tested_table import Row, TableEngine, TestedTable

from sluice import ListQuery

CURSOR = re.compile(r"cursor=([\w-]+)")
Data = make_dataclass("Data", [*COLUMNS])
FIELDS: dict[str, Any] = dict.fromkeys(COLUMNS, (Any, ...))
Model: Any = pydantic.create_model("Model", **FIELDS)


class Applied(TableEngine):
    """Rows in a form of memory, of which a query takes its page."""

    has_pages = True
    keeps_microseconds = True

    def __init__(
        self,
        name: str,
        hold: Callable[[Sequence[Row]], Any],
        ids: Callable[[Any], list[str]],
        most_refused: float = 0.0,
    ) -> None:
        self.name = f"apply to {name}"
        self.hold, self.ids_of = hold, ids
        self.most_refused = most_refused

    def load(self, world: TestedTable) -> None:
        self.rows = self.hold(world.rows)

    def answer(self, query: ListQuery) -> Answer:
        self.shown = None
        counted = ListQuery.from_tree({**query.tree(), "total": True}, query.schema)
        page = counted.apply(self.rows)
        self.links, self.shown = page.links, self.ids_of(page.rows)
        assert page.total is not None
        return Answer(self.shown, page.total)

    def beside(self, is_before: bool) -> str | None:
        link = self.links.get("prev" if is_before else "next", "")
        cursor = CURSOR.search(link)
        return cursor and cursor[1]


def loaded(row: Row) -> Row:
    """A row whose metadata is as json.loads() gives it, if that is an object or an array."""
    data = json.loads(row["data"] or "null", parse_float=Decimal)
    return {**row, "data": data if isinstance(data, dict | list) else row["data"]}


def in_duckdb(rows: Sequence[Row]) -> Any:  # noqa: ANN401
    return duckdb.connect().from_arrow(arrow_table(rows))


def applied_engines() -> list[Applied]:
    def keys(rows: Any) -> list[str]:  # noqa: ANN401
        return [row["id"] for row in rows]

    def frame_keys(page: Any) -> list[str]:  # noqa: ANN401
        return [*page["id"]]

    def attributes(rows: Any) -> list[str]:  # noqa: ANN401
        return [row.id for row in rows]

    return [
        Applied("dicts", list, keys),
        Applied("dicts of documents", lambda rows: [*map(loaded, rows)], keys),
        Applied("dataclasses", lambda rows: [Data(**row) for row in rows], attributes),
        Applied("models", lambda rows: [Model(**row) for row in rows], attributes),
        Applied("polars", in_polars, lambda page: page["id"].to_list()),
        Applied("lazy polars", lambda of: in_polars(of).lazy(), lambda page: page["id"].to_list()),
        Applied("pandas", in_pandas, frame_keys),
        Applied("pandas of objects", lambda of: pd.DataFrame([*of], dtype=object), frame_keys),
        Applied("pyarrow", arrow_table, lambda page: page["id"].to_pylist()),
        Applied("DuckDB", in_duckdb, lambda page: [id_ for (id_,) in page.select("id").fetchall()]),
    ]
