# SPDX-License-Identifier: MIT
"""The columns of an aggregate that expressions of an ORM group by and measure."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sluice._column import Column
from sluice._expressions.sql import pointer_of
from sluice._expressions.sql_visitor import text_names
from sluice.groups import Aggregate, aggregate_sql, name_of, without_escapes
from sluice.sql import text_at

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery


def whole(query: "ListQuery | Aggregate") -> tuple[Aggregate, "ListQuery"]:
    """Returns the aggregate of a request with all its members, and its conditions."""
    from sluice._declared.list_query import ListQuery

    wanted = query if isinstance(query, Aggregate) else query.aggregate
    tree = {"where": {"all": []}, "group_by": [], "order": [], "limit": 1_000, **wanted.tree}
    tree["measures"] = tree.get("measures") or [{"measure": "count"}]
    for parts in ("group_by", "measures"):
        tree[parts] = [{"as": name_of(part), **part} for part in tree[parts]]
    conditions = ListQuery.from_tree({"where": tree["where"]}, wanted.schema)
    return Aggregate(tree, wanted.schema), conditions


def plain_columns(aggregate: Aggregate, orm: str, has_decimals: bool) -> Mapping[str, Column]:
    """Returns the columns by name, and those of texts at paths by text_names().

    Args:
        aggregate: The aggregate.
        orm: The name of the ORM, for messages.
        has_decimals: True if the database sums decimals exactly.

    Raises:
        ValueError: A group is a bucket of time or a list's items, or a measure is of a list or
            isn't exact; the message names the column.
    """
    columns = {column.name: column for column in aggregate.schema}
    for part in (*aggregate.tree["group_by"], *aggregate.tree["measures"]):
        column = columns.get(part.get("column", ""))
        if column is None:
            continue
        if column.is_list or "bucket" in part:
            refused = "no groups of buckets and of items, and no measure of items"
            raise ValueError(f"{column.name}: {orm} has {refused}: use to_sql() of the aggregate")
        if column.type == "decimal" and part.get("measure") and not has_decimals:
            raise ValueError(f"{column.name}: SQLite has no exact decimals: leave the measure out")
    texts = text_names(aggregate.tree["group_by"])
    return columns | {name: Column(name, is_nullable=True) for name in texts if name}


def has_paths(aggregate: Aggregate) -> bool:
    """Returns true if a group is a path of JSON."""
    return any("path" in part for part in aggregate.tree["group_by"])


def group_names(aggregate: Aggregate) -> list[str]:
    """Returns the names of groups in plain_columns()."""
    groups = aggregate.tree["group_by"]
    return [name or group["column"] for name, group in zip(text_names(groups), groups, strict=True)]


def group_order(aggregate: Aggregate) -> list[tuple[bool, int, bool]]:
    """Returns the order with its ties: if it is by a measure, the index, and if it descends."""
    tree = aggregate.tree
    groups = [part["as"] for part in tree["group_by"]]
    measures = [part["as"] for part in tree["measures"]]
    order: list[tuple[bool, int, bool]] = []
    for key in tree["order"]:
        is_measure = "measure" in key
        name: Any = key["measure" if is_measure else "group"]
        at = (measures if is_measure else groups).index(name)
        order.append((is_measure, at, key["direction"] == "desc"))
    return order + [(False, at, False) for at in range(len(groups))]


def bucket_starts(aggregate: Aggregate, group: Mapping[str, Any]) -> list[int]:
    """Returns the starts of all buckets of time that the conditions allow, in milliseconds.

    Raises:
        ApiError: The conditions set no first or last time, or there are too many buckets.
    """
    buckets = {"where": aggregate.tree["where"], "group_by": [group]}
    pairs = aggregate_sql(buckets, aggregate.schema, "sqlite", "rows").parameters[0]
    return [begin for begin, _ in json.loads(pairs)]


def has_every_bucket(aggregate: Aggregate) -> bool:
    """Returns true if a bucket of time is the only group."""
    groups = aggregate.tree["group_by"]
    columns = {column.name: column for column in aggregate.schema}
    is_only = len(groups) == 1 and "bucket" in groups[0]
    return is_only and columns[groups[0]["column"]].type == "time"


def text_reader(path: Sequence[str]) -> Callable[[object], str | None]:
    """Returns a function that reads the text at a path of JSON: a document, or what it is of."""
    pointer = pointer_of(path)

    def text_of(document: object) -> str | None:
        is_text = document is None or isinstance(document, str)
        text = text_at(cast(str, document) if is_text else json.dumps(document), pointer)
        return None if text is None else without_escapes(text)

    return text_of
