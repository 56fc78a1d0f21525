# SPDX-License-Identifier: MIT
"""Tables that sluice.sql.ddl() makes, in real databases, and statements asked of them."""

import json
import os
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import duckdb
import pyarrow as pa
from clickhouse_nodes import Node, nodes
from tested_rows import stored_records

import sluice
from sluice import Column

if TYPE_CHECKING:
    import pymysql

    from sluice import _sluice

Row: TypeAlias = Mapping[str, Any]
Storage: TypeAlias = Literal["prepared", "native", "function"]
Dialect: TypeAlias = "_sluice._Dialect"
Form: TypeAlias = Literal["page", "count", "condition"]
Stored: TypeAlias = dict[str, Any]

ASKS_SERVERS = os.environ.get("SLUICE_TEST_SERVERS") == "1"


class Database(Protocol):
    """A database with tables of its own."""

    dialect: Dialect
    storage: Storage

    def create(self, table: str, statements: Iterable[str]) -> None: ...
    def insert(self, table: str, rows: list[Stored]) -> None: ...
    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]: ...


def load(database: Database, table: str, schema: Iterable[Column], rows: Iterable[Row]) -> None:
    """Makes a table anew and fills it. Decimals and JSON of rows are texts, times milliseconds."""
    columns = tuple(schema)
    storage = database.storage
    database.create(table, sluice.sql.ddl(columns, database.dialect, table, metadata=storage))
    insert(database, table, columns, rows)


def insert(database: Database, table: str, schema: Iterable[Column], rows: Iterable[Row]) -> None:
    """Adds rows to a table of load()."""
    columns = tuple(schema)
    database.insert(table, [dict(stored(columns, row, database.storage)) for row in rows])


def stored(columns: Iterable[Column], row: Row, storage: Storage) -> Iterator[tuple[str, Any]]:
    """A row as the columns of its table have it."""
    for column in columns:
        name, value = column.name.replace(".", "_"), row[column.name]
        if column.type == "json" and storage == "prepared":
            texts, numbers = ({}, {}) if value is None else sluice.sql.prepare(value)
            yield from ((f"{name}_text", texts), (f"{name}_num", numbers))
        elif column.type == "decimal" and storage != "native":
            yield name, None if value is None else sluice.sql.order_key(value)
        elif column.type == "records":
            yield name, stored_records(value)
        elif column.type == "date":
            yield name, None if value is None else str(value)
        else:
            yield name, value


def collated(statement: str, texts: str, collated_texts: str) -> str:
    """A statement of ddl() whose columns of texts have another type, or a collation."""
    pattern = rf'(?<=["`] ){texts}'
    return re.sub(pattern, collated_texts, statement) if collated_texts else statement


class Cursor(Protocol):
    """A database cursor of PostgreSQL."""

    def execute(self, query: str, params: list[Any] | None = None) -> object: ...
    def fetchall(self) -> list[tuple[Any, ...]]: ...


class Sqlite:
    """SQLite of the standard library, in memory; `texts` is the type of columns of texts."""

    dialect: Dialect = "sqlite"

    def __init__(self, storage: Storage = "prepared", texts: str = "") -> None:
        self.storage = storage
        self.texts = texts
        self.connection = sqlite3.connect(":memory:")
        sluice.sql.register(self.connection)

    def create(self, table: str, statements: Iterable[str]) -> None:
        self.connection.execute(f'DROP TABLE IF EXISTS "{table}"')
        for statement in statements:
            self.connection.execute(collated(statement, "TEXT", self.texts))

    def insert(self, table: str, rows: list[Stored]) -> None:
        for row in rows:
            values = [json.dumps(v) if isinstance(v, list | dict) else v for v in row.values()]
            places = ", ".join("?" * len(values))
            self.connection.execute(f'INSERT INTO "{table}" VALUES ({places})', values)

    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
        return self.connection.execute(*statement).fetchall()


class DuckDb:
    """DuckDB in memory; `texts` is the type of columns of texts."""

    dialect: Dialect = "duckdb"

    def __init__(self, storage: Storage = "prepared", texts: str = "") -> None:
        self.storage = storage
        self.texts = texts
        self.connection = duckdb.connect(config={"threads": 1})
        sluice.sql.register(self.connection)

    def create(self, table: str, statements: Iterable[str]) -> None:
        self.connection.execute(f'DROP TABLE IF EXISTS "{table}"')
        for statement in statements:
            self.connection.execute(collated(statement, r"VARCHAR(?!\[)", self.texts))

    def insert(self, table: str, rows: list[Stored]) -> None:
        if not rows:
            return
        arrays = {name: self.array([row[name] for row in rows]) for name in rows[0]}
        filled = pa.table(arrays)
        self.connection.register("filled", filled)
        self.connection.execute(f'INSERT INTO "{table}" SELECT * FROM filled')
        self.connection.unregister("filled")

    def array(self, values: list[Any]) -> "pa.Array[Any]":
        if any(isinstance(value, dict) for value in values):
            return pa.array([[*v.items()] for v in values], pa.map_(pa.string(), pa.string()))
        return pa.array(values)

    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
        return self.connection.execute(*statement).fetchall()


class PostgreSql:
    """A server of PostgreSQL, by a cursor; `texts` is the type of columns of texts."""

    dialect: Dialect = "postgresql"

    def __init__(self, cursor: Cursor, storage: Storage = "prepared", texts: str = "") -> None:
        self.storage = storage
        self.texts = texts
        self.cursor = cursor

    def create(self, table: str, statements: Iterable[str]) -> None:
        self.cursor.execute(f'DROP TABLE IF EXISTS "{table}"')
        for statement in statements:
            self.cursor.execute(collated(statement, 'text COLLATE "C"', self.texts))

    def insert(self, table: str, rows: list[Stored]) -> None:
        for row in rows:
            values = [json.dumps(v) if isinstance(v, dict) else v for v in row.values()]
            places = ", ".join(f"${at + 1}" for at in range(len(values)))
            self.cursor.execute(f'INSERT INTO "{table}" VALUES ({places})', values)

    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
        self.cursor.execute(*statement)
        return self.cursor.fetchall()


POSTGRESQL = Path("/usr/lib/postgresql/15/bin")  # where Debian has its programs


@contextmanager
def postgresql_server() -> Iterator[Cursor]:
    """A cursor of a server of its own."""
    import psycopg

    # Tables are made anew with columns of other types, which prepared statements don't outlive.
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
    with (
        postgresql_place() as place,
        psycopg.connect(place, cursor_factory=psycopg.RawCursor, **options) as connection,
    ):
        yield connection.cursor()


@contextmanager
def postgresql_place() -> Iterator[str]:
    """Starts a server that listens on a socket alone, and yields its place."""
    user = [] if os.getuid() else ["runuser", "-u", "postgres", "--"]
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        Path(home).chmod(0o777)
        data = f"{home}/data"
        settings = f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off"
        control = [*user, str(POSTGRESQL / "pg_ctl"), "--pgdata", data, "--silent", "--wait"]
        command = [
            str(POSTGRESQL / "initdb"),
            "-D",
            data,
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-A",
            "trust",
            "--no-sync",
        ]
        subprocess.run([*user, *command, "-U", "sluice"], check=True, stdout=subprocess.DEVNULL)
        log = ["--log", f"{home}/log", "--options", settings]
        subprocess.run([*control, *log, "start"], check=True, stdout=subprocess.DEVNULL)
        try:
            yield f"host={home} user=sluice dbname=postgres"
        finally:
            subprocess.run([*control, "--mode=fast", "stop"], check=True, stdout=subprocess.DEVNULL)


class MariaDb:
    """A server of MariaDB, by a connection; `texts` is the type of columns of texts.

    It may prepare statements, which then have their parameters apart.
    """

    dialect: Dialect = "mariadb"
    storage: Storage = "prepared"

    def __init__(
        self, connection: "pymysql.Connection[Any]", texts: str = "", *, prepares: bool = False
    ) -> None:
        self.texts = texts
        self.prepares = prepares
        self.cursor = connection.cursor()

    def create(self, table: str, statements: Iterable[str]) -> None:
        self.cursor.execute(f"DROP TABLE IF EXISTS `{table}`")
        binary = "TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
        for statement in statements:
            self.cursor.execute(collated(statement, binary, self.texts))

    def insert(self, table: str, rows: list[Stored]) -> None:
        inserted = []
        for row in rows:
            values = [json.dumps(v) if isinstance(v, list | dict) else v for v in row.values()]
            inserted.append([None if v != v else v for v in values])  # it has no NaN
        places = ", ".join(["%s"] * len(inserted[0] if inserted else []))
        self.cursor.executemany(f"INSERT INTO `{table}` VALUES ({places})", inserted)

    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
        text, parameters = statement
        if self.prepares:
            self.cursor.execute("PREPARE statement FROM %s", [text.replace("%s", "?")])
            places = f" USING {', '.join(['%s'] * len(parameters))}" if parameters else ""
            text = f"EXECUTE statement{places}"
        self.cursor.execute(text, parameters)
        return [*self.cursor.fetchall()]


MARIADB = Path("/usr/sbin/mariadbd")  # where Debian has it


@contextmanager
def mariadb_server() -> Iterator[Callable[..., "pymysql.Connection[Any]"]]:
    """The function that connects to a server of its own."""
    import pymysql

    with mariadb_place() as place:
        options: dict[str, Any] = {"unix_socket": place, "user": "root", "autocommit": True}
        yield partial(pymysql.connect, database="tests", **options)


@contextmanager
def mariadb_place() -> Iterator[str]:
    """Starts a server that listens on a socket alone, and yields its socket."""
    import pymysql

    user = [] if os.getuid() else ["--user=mysql"]
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        Path(home).chmod(0o777)
        words = ["--no-defaults", f"--datadir={home}/data", *user]
        install = ["mariadb-install-db", *words, "--auth-root-authentication-method=normal"]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
        listen = [f"--socket={home}/socket", "--skip-networking", f"--log-error={home}/log"]
        unsafe = ["--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite"]  # and quick
        with subprocess.Popen([str(MARIADB), *words, *listen, *unsafe]) as server:
            try:
                place = f"{home}/socket"
                wait_for(Path(place), server)
                with pymysql.connect(unix_socket=place, user="root") as connection:
                    connection.cursor().execute("CREATE DATABASE tests CHARACTER SET utf8mb4")
                yield place
            finally:
                server.terminate()


def wait_for(socket: Path, server: "subprocess.Popen[bytes]") -> None:
    """Waits until a server has made its socket."""
    while not socket.exists():
        assert server.poll() is None, "the server has ended"
        time.sleep(0.05)


class ClickHouse:
    """A server of ClickHouse, by its HTTP interface."""

    dialect: Dialect = "clickhouse"
    storage: Storage = "prepared"

    def __init__(self, node: Node) -> None:
        self.node = node

    def create(self, table: str, statements: Iterable[str]) -> None:
        for statement in (f'DROP TABLE IF EXISTS "{table}"', *statements):
            self.node.ask(statement)

    def insert(self, table: str, rows: list[Stored]) -> None:
        lines = "\n".join(json.dumps(row) for row in rows)
        self.node.ask(f'INSERT INTO "{table}" FORMAT JSONEachRow {lines}')

    def ask(self, statement: sluice.sql.Statement) -> list[tuple[Any, ...]]:
        named = {
            f"param_{name}": in_its_form(value) for name, value in statement.parameters.items()
        }
        form = {"default_format": "JSONCompactEachRow"}
        output = self.node.ask(statement.text, {**form, **named})
        return [tuple(json.loads(line)) for line in output.split("\n") if line]


ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\t": "\\t", "\n": "\\n"})


def in_its_form(value: object) -> object:
    """A parameter as HTTP takes it: escaped texts, and lists of texts as literals."""
    if isinstance(value, str):
        return value.translate(ESCAPES)
    if isinstance(value, list) and value and isinstance(value[0], str):
        literals = [f"'{item.translate(ESCAPES)}'" for item in value]
        return f"[{', '.join(literals)}]"
    return value


@contextmanager
def clickhouse_server() -> Iterator[ClickHouse]:
    """A server with a folder of its own, which ends with its use."""
    with tempfile.TemporaryDirectory() as home, nodes(Path(home)) as (node,):
        yield ClickHouse(node)


@contextmanager
def served_databases() -> Iterator[list[Database]]:
    """Databases of the servers that are installed, where servers are asked for."""
    databases: list[Database] = []
    with ExitStack() as open_servers:
        if ASKS_SERVERS and POSTGRESQL.is_dir():
            databases.append(PostgreSql(open_servers.enter_context(postgresql_server())))
        if ASKS_SERVERS and MARIADB.exists():
            databases.append(MariaDb(open_servers.enter_context(mariadb_server())()))
        if ASKS_SERVERS:
            databases.append(open_servers.enter_context(clickhouse_server()))
        yield databases
