# SPDX-License-Identifier: MIT
"""The columns of an aggregate that expressions of an ORM group by and measure."""

from collections.abc import Mapping
from typing import Any

from sluice._column import Column
from sluice.groups import Aggregate


def plain_columns(aggregate: Aggregate, orm: str, has_decimals: bool) -> Mapping[str, Column]:
    """Returns the columns by name.

    Args:
        aggregate: The aggregate.
        orm: The name of the ORM, for messages.
        has_decimals: True if the database sums decimals exactly.

    Raises:
        ValueError: A group is a bucket of time, a list's items or a path, or a measure is of a list
            or isn't exact; the message names the column.
    """
    columns = {column.name: column for column in aggregate.schema}
    for part in (*aggregate.tree["group_by"], *aggregate.tree["measures"]):
        column = columns.get(part.get("column", ""))
        if column is None:
            continue
        if column.is_list or "bucket" in part or "path" in part:
            refused = "no groups of buckets, of items and of paths, and no measure of items"
            raise ValueError(f"{column.name}: {orm} has {refused}: use to_sql() of the aggregate")
        if column.type == "decimal" and part.get("measure") and not has_decimals:
            raise ValueError(f"{column.name}: SQLite has no exact decimals: leave the measure out")
    return columns


def group_order(aggregate: Aggregate) -> list[tuple[bool, int, bool]]:
    """Returns the order with its ties: if it is by a measure, the index, and if it descends."""
    tree = aggregate.tree
    groups = [part["as"] for part in tree["group_by"]]
    measures = [part.get("as", "count") for part in tree["measures"]]
    order: list[tuple[bool, int, bool]] = []
    for key in tree["order"]:
        is_measure = "measure" in key
        name: Any = key["measure" if is_measure else "group"]
        at = (measures if is_measure else groups).index(name)
        order.append((is_measure, at, key["direction"] == "desc"))
    return order + [(False, at, False) for at in range(len(groups))]
