# SPDX-License-Identifier: MIT
"""SQL for queries in SQLite, DuckDB, PostgreSQL, MariaDB and ClickHouse: tables and functions.

```
query = sluice.api.EventsQuery.parse("country=US,CA&interval=7d")
rows = connection.execute(*query.to_sql("duckdb", "clicks"))
```

ddl() creates tables; prepare() converts JSON for them.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from sluice._catalogue import Table, read_table
from sluice._errors import ApiError
from sluice._sluice import MetadataQuery, ddl, order_key, prepare

__all__ = [
    "Place",
    "Statement",
    "Table",
    "ddl",
    "matches",
    "order_key",
    "prepare",
    "register",
    "table",
    "text_at",
]


class Statement(NamedTuple):
    """SQL and the values of its parameters."""

    text: str
    parameters: Any


Statement.text.__doc__ = "The SQL, the same for any values."
Statement.parameters.__doc__ = "The values: a list by number, or a dict by name for ClickHouse."


class Place(NamedTuple):
    """The place of a query's column in a table: SQL, and its type in the database.

    Values are cast to the type, never the column, so that an index of the column serves.

    Example:
        >>> sluice.sql.Place("created_at", "timestamptz")
        Place(expression='created_at', type='timestamptz')
    """

    expression: str
    type: str


Place.expression.__doc__ = "SQL of the program, such as the name of a column."
Place.type.__doc__ = "The type in the database, such as 'timestamptz': see the reference of SQL."


class _Connection(Protocol):
    @property
    def create_function(self) -> Callable[..., object]: ...
    @property
    def execute(self) -> Callable[..., Any]: ...


# In DuckDB, which refuses to register a function twice.
_IS_REGISTERED = "SELECT 1 FROM duckdb_functions() WHERE function_name = 'sluice_text'"
_parse = functools.lru_cache(maxsize=256)(MetadataQuery.parse)


def matches(json: str | None, expression: str) -> bool:
    """Returns true if JSON meets a metadata expression: `sluice_matches` of register().

    Args:
        json: A JSON text, or None for a row without a value.
        expression: As for MetadataQuery.parse(); recent expressions are cached.

    Returns:
        bool; text that isn't JSON counts as a missing value.

    Raises:
        ApiError: The expression is invalid.

    Example:
        >>> sluice.sql.matches('{"plan": "pro"}', "metadata['plan']:pro")
        True
    """
    query = _parse(expression)
    try:
        return query.matches(json)
    except ApiError:  # like masks
        return query.matches(None)


def text_at(json: str | None, pointer: str) -> str | None:
    """Returns the text at a path of JSON, as prepare() has it: `sluice_text` of register().

    Args:
        json: A JSON text, or None for a row without a value.
        pointer: The path as a JSON pointer.

    Returns:
        A string, a number as it is written or the word of a boolean; None for any other value, and
        for text that isn't JSON.

    Example:
        >>> sluice.sql.text_at('{"seats": {"used": 12}}', "/seats/used")
        '12'
    """
    try:
        texts, _ = prepare("null" if json is None else json)
    except ApiError:
        return None
    return texts.get(pointer, texts.get(f"={pointer}"))


def table(connection: object, name: str, *, schema: str | None = None) -> Table:
    """Reads a table's columns, types and key from the database's own catalogue.

    A column's place has the type that the database has for it, so that an index of it serves.

    Args:
        connection: A connection of sqlite3, DuckDB, psycopg, a driver of MariaDB, or a client of
            clickhouse-connect.
        name: The name of a table or view as the catalogue has it; in DuckDB also of a file, such as
            'orders.parquet'.
        schema: Its schema or database, by default the connection's.

    Returns:
        A Table. It lists the columns of types that no query can refer to, with the reason.

    Raises:
        TypeError: The connection is none of a known package.
        ValueError: The database has no such table.

    Example:
        >>> import sqlite3
        >>> connection = sqlite3.connect(":memory:")
        >>> _ = connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, file BLOB)")
        >>> orders = sluice.sql.table(connection, "orders")
        >>> orders["id"].type, orders.key, orders.refused["file"]
        ('integer', 'id', 'no type of a column has values of blob')
    """
    return read_table(connection, name, schema)


FUNCTIONS: Mapping[str, Callable[[str | None, str], object]] = {
    "sluice_matches": matches,
    "sluice_text": text_at,
}


def register(connection: _Connection) -> None:
    """Registers the functions of statements with metadata='function' for a connection.

    DuckDB shares it among all connections of a database; a second call changes nothing.

    Args:
        connection: A connection of sqlite3 or DuckDB.

    Raises:
        TypeError: The argument is no such connection.
    """
    import sqlite3  # imported here because it takes as long as all of sluice

    create = getattr(connection, "create_function", None)
    if create is None:
        kind = type(connection).__name__
        raise TypeError(f"connection: expected one of sqlite3 or DuckDB, not {kind}")
    if isinstance(connection, sqlite3.Connection):
        for name, function in FUNCTIONS.items():
            create(name, 2, function, deterministic=True)
    elif not connection.execute(_IS_REGISTERED).fetchall():
        types = ["VARCHAR", "VARCHAR"], "BOOLEAN"
        create("sluice_matches", matches, *types, null_handling="special")
        create("sluice_text", text_at, types[0], "VARCHAR", null_handling="special")
