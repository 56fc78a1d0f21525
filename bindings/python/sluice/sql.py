# SPDX-License-Identifier: MIT
"""Queries as SQL for SQLite, DuckDB, PostgreSQL and ClickHouse: what belongs to the tables.

```
query = sluice.api.EventsQuery.parse("country=US,CA&interval=7d")
rows = connection.execute(*query.to_sql("duckdb", "clicks"))
```

Tables are made by ddl(), and JSON is stored as prepare() gives it.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from sluice._errors import ApiError
from sluice._sluice import MetadataQuery, ddl, order_key, prepare

__all__ = ["Statement", "ddl", "matches", "order_key", "prepare", "register"]


class Statement(NamedTuple):
    """SQL and the values of its parameters."""

    text: str
    parameters: Any


Statement.text.__doc__ = "The SQL, the same for any values."
Statement.parameters.__doc__ = "The values: a list by number, or a dict by name for ClickHouse."


class _Connection(Protocol):
    @property
    def create_function(self) -> Callable[..., object]: ...
    @property
    def execute(self) -> Callable[..., Any]: ...


_IS_REGISTERED = "SELECT 1 FROM duckdb_functions() WHERE function_name = 'sluice_matches'"
_parse = functools.lru_cache(maxsize=256)(MetadataQuery.parse)


def matches(json: str | None, expression: str) -> bool:
    """Whether JSON meets a metadata expression: what register() calls in a database.

    Args:
        json: A JSON text, or None for a row without one.
        expression: As for MetadataQuery.parse(); the last ones are kept as they were read.

    Returns:
        bool; of a text that isn't JSON as for a row without one.

    Raises:
        ApiError: The expression isn't one.

    Example:
        >>> sluice.sql.matches('{"plan": "pro"}', "metadata['plan']:pro")
        True
    """
    asked = _parse(expression)
    try:
        return asked.matches(json)
    except ApiError:  # as a mask takes it
        return asked.matches(None)


def register(connection: _Connection) -> None:
    """Gives a connection the function that statements of metadata='function' call.

    A database of DuckDB keeps it for all its connections, and a second call changes nothing.

    Args:
        connection: One of sqlite3 or of DuckDB.

    Raises:
        TypeError: It is none.
    """
    import sqlite3  # only here, as it takes as long as all of sluice

    create = getattr(connection, "create_function", None)
    if create is None:
        kind = type(connection).__name__
        raise TypeError(f"connection: expected one of sqlite3 or DuckDB, not {kind}")
    if isinstance(connection, sqlite3.Connection):
        create("sluice_matches", 2, matches, deterministic=True)
    elif not connection.execute(_IS_REGISTERED).fetchall():
        types = ["VARCHAR", "VARCHAR"], "BOOLEAN"
        create("sluice_matches", matches, *types, null_handling="special")
