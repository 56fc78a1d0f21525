# SPDX-License-Identifier: MIT
"""Tables as the catalogues of databases describe them: columns, their types, and the key."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sluice._column import Column, ColumnType

if TYPE_CHECKING:
    from sluice._sluice import BoundQuery, _Dialect
    from sluice.groups import Aggregate
    from sluice.sql import Place, Statement

Run: TypeAlias = Callable[[str], Iterable[Sequence[Any]]]


@dataclass(frozen=True)
class Table:
    """A table of a database, as its catalogue describes it.

    Attributes:
        name: SQL for to_sql(): the name in quotes.
        dialect: The dialect of the database.
        key: The name of the primary key; None if there is none of a single column.
        columns: The columns that queries can refer to, in the order of the table.
        places: Their places, for columns= of to_sql().
        refused: Why queries can't refer to other columns, by their names.
    """

    __module__ = "sluice.sql"

    name: str
    dialect: "_Dialect"
    key: str | None
    columns: tuple[Column, ...]
    places: "Mapping[str, str | Place]"
    refused: Mapping[str, str]

    def __getitem__(self, name: str) -> Column:
        """Returns a column by its name.

        Raises:
            KeyError: The table lacks it, or its type is none of a query's; the message says which.
        """
        for column in self.columns:
            if column.name == name:
                return column
        if name in self.refused:
            raise KeyError(f"{name}: {self.refused[name]}")
        names = ", ".join(column.name for column in self.columns)
        raise KeyError(f"{name}: the table has no such column, expected one of {names}")

    def to_sql(self, query: "BoundQuery | Aggregate", **options: Any) -> "Statement":  # noqa: ANN401
        """Returns a query as SQL over the table, like query.to_sql().

        Args:
            query: A query of some of the columns, or its aggregate.
            **options: select=, form= and keys=, as for to_sql() of a query.
        """
        names = {column.name for column in query.schema}
        columns = {name: place for name, place in self.places.items() if name in names}
        statement: Statement = query.to_sql(self.dialect, self.name, columns=columns, **options)
        return statement


class TableColumn(NamedTuple):
    """A column in a catalogue."""

    name: str
    type: str  # in lower case, with [] for a list
    is_nullable: bool
    is_key: bool
    choices: tuple[str, ...] = ()  # of an enum, in order
    collation: str = ""  # the type of the place of a text


class Kind(NamedTuple):
    """The column type and the place's type of a database's type.

    In the latter {0} stands for the database's type, and {1} for what a text's collation says.
    """

    type: ColumnType
    place: str = ""


# --- Types ---------------------------------------------------------------------------------------

_TIME, _SAME, _TEXT = Kind("time", "{0}"), "{0}", Kind("text", "{1}")
_WHOLE = Kind("integer")
_TYPES: Mapping[str, Mapping[str, Kind]] = {
    "postgresql": {
        r"text|varchar|citext": _TEXT,
        r"bpchar|name": Kind("text"),
        r"int[248]": _WHOLE,
        r"numeric": Kind("decimal", _SAME),
        r"float[48]": Kind("real", _SAME),
        r"bool": Kind("boolean"),
        r"timestamptz|timestamp": _TIME,
        r"date": Kind("date", _SAME),
        r"uuid": Kind("uuid", _SAME),
        r"jsonb?": Kind("json", _SAME),
        r"enum\(.*\)": Kind("choice", _SAME),
    },
    "mariadb": {
        r"(tiny|medium|long)?text|(var)?char\(\d+\)": _TEXT,
        r"tinyint\(1\)": Kind("boolean"),
        r"((tiny|small|medium)?int|bigint)\(\d+\)|(tiny|small|medium)?int\(\d+\) unsigned": _WHOLE,
        r"decimal\(\d+,\d+\)": Kind("decimal", _SAME),
        r"double|float": Kind("real", _SAME),
        r"(datetime|timestamp)(\(\d\))?": _TIME,
        r"date": Kind("date", _SAME),
        r"uuid": Kind("uuid", _SAME),
        r"binary\(16\)": Kind("uuid", _SAME),
        r"enum": Kind("choice", _SAME),
    },
    "sqlite": {
        r"(var|n|nvar)?char(\(\d+\))?|text|clob": _TEXT,
        r"bool(ean)?": Kind("boolean"),
        r"(tiny|small|medium|big)?int(eger)?|int[248]": _WHOLE,
        r"real|double( precision)?|float": Kind("real"),
        r"datetime|timestamp": Kind("time", "datetime"),
        r"date": Kind("date"),
        r"uuid": Kind("uuid"),
    },
    "duckdb": {
        r"varchar": Kind("text"),
        r"u?(tiny|small)int|u?integer|bigint": _WHOLE,
        r"decimal\(\d+,\d+\)": Kind("decimal", _SAME),
        r"double|float": Kind("real", _SAME),
        r"boolean": Kind("boolean"),
        r"timestamp(_s|_ms|_ns)?": Kind("time", "timestamp"),
        r"timestamp with time zone": Kind("time", "timestamptz"),
        r"date": Kind("date", _SAME),
        r"uuid": Kind("uuid", _SAME),
        r"enum": Kind("choice", _SAME),
        r"json": Kind("json", _SAME),
    },
    "clickhouse": {
        r"string": Kind("text"),
        r"u?int(8|16|32)|int64": _WHOLE,
        r"decimal\(\d+, \d+\)": Kind("decimal", _SAME),
        r"float(32|64)": Kind("real", _SAME),
        r"bool": Kind("boolean"),
        r"datetime(64)?(\(.*\))?": Kind("time", "datetime64"),
        r"date|date32": Kind("date", _SAME),
        r"uuid": Kind("uuid", _SAME),
        r"enum(8|16)": Kind("choice", _SAME),
    },
}
# Those of items of lists.
_ITEMS: Mapping[str, Mapping[str, Kind]] = {
    "postgresql": {
        r"text|varchar|deterministic": Kind("text", "{0}[]"),
        r"int[24]": Kind("integer", "{0}[]"),
        r"int8": Kind("integer", "bigint[]"),
        r"uuid": Kind("uuid", "{0}[]"),
        r"enum\(.*\)": Kind("choice", "{0}[]"),
    },
    "duckdb": {
        r"varchar": Kind("text", "{0}[]"),
        r"bigint|integer|smallint": Kind("integer", "{0}[]"),
        r"uuid": Kind("uuid", "{0}[]"),
        r"enum": Kind("choice", "{0}[]"),
    },
    "clickhouse": {
        r"string": Kind("text", "array({0})"),
        r"int64|int32": Kind("integer", "array({0})"),
        r"uuid": Kind("uuid", "array({0})"),
        r"enum(8|16)": Kind("choice", "array({0})"),
    },
}


def _kind_of(column: TableColumn, dialect: str) -> Kind | None:
    """Returns the kind of a column's type, or of its items'; None if no query can refer to it."""
    is_list = column.type.endswith("[]")
    kinds = _ITEMS.get(dialect, {}) if is_list else _TYPES[dialect]
    item = column.type.removesuffix("[]")
    matching = (kind for pattern, kind in kinds.items() if re.fullmatch(pattern, item, re.DOTALL))
    return next(matching, None)


def _place_of(column: TableColumn, kind: Kind, dialect: str) -> "str | Place":
    """Returns the place of a column, for to_sql()."""
    from sluice.sql import Place

    expression = quoted(column.name, dialect)
    type_ = kind.place.format(column.type.removesuffix("[]"), column.collation)
    return Place(expression, type_) if type_ else expression


# --- Catalogues ----------------------------------------------------------------------------------


def quoted(name: str, dialect: str) -> str:
    """Returns a name as an identifier."""
    quote = "`" if dialect == "mariadb" else '"'
    escaped = name.replace("\\", "\\\\") if dialect == "clickhouse" else name
    return f"{quote}{escaped.replace(quote, quote * 2)}{quote}"


def _qualified(name: str, schema: str | None, dialect: str) -> str:
    return ".".join(quoted(part, dialect) for part in (schema, name) if part is not None)


def _literal(text: str, form: str) -> str:
    """Returns a text as SQL that no quote or setting changes: of its bytes, in hexadecimal."""
    return form.format(text.encode().hex())


_POSTGRESQL = """
SELECT a.attname::text, CASE WHEN item.typtype = 'e' THEN 'enum(' || item.oid::regtype || ')'
    ELSE item.typname END || CASE WHEN item.oid <> held.oid THEN '[]' ELSE '' END,
    NOT (a.attnotnull OR outer_type.typnotnull),
    coalesce(a.attnum = ANY(i.indkey) AND i.indnkeyatts = 1, FALSE),
    ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = item.oid ORDER BY enumsortorder),
    CASE WHEN item.typname = 'citext' THEN 'citext' WHEN c.collname IS NULL THEN ''
        WHEN c.collname = 'default' AND d.datlocprovider = 'c' AND d.datcollate IN ('C', 'POSIX')
            OR c.collprovider = 'c' AND c.collcollate IN ('C', 'POSIX') THEN 'bytewise'
        WHEN c.collisdeterministic THEN 'deterministic' ELSE '' END
FROM pg_attribute a
JOIN pg_type outer_type ON outer_type.oid = a.atttypid
JOIN pg_type held ON held.oid = CASE outer_type.typtype WHEN 'd' THEN outer_type.typbasetype
    ELSE outer_type.oid END
JOIN pg_type item ON item.oid = CASE held.typcategory WHEN 'A' THEN held.typelem ELSE held.oid END
LEFT JOIN pg_collation c ON c.oid = a.attcollation
LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
JOIN pg_database d ON d.datname = current_database()
WHERE a.attrelid = to_regclass({}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""


def _postgresql(run: Run, name: str, schema: str | None) -> list[TableColumn]:
    place = _literal(
        _qualified(name, schema, "postgresql"), "convert_from(decode('{}', 'hex'), 'UTF8')"
    )
    listed = []
    for column, type_, is_nullable, is_key, choices, collation in run(_POSTGRESQL.format(place)):
        if type_ == "text[]" and collation:
            type_ = "deterministic[]"
        listed.append(TableColumn(column, type_, is_nullable, is_key, tuple(choices), collation))
    return listed


# A column of the alias JSON is one of texts with a constraint.
_MARIADB = """
SELECT column_name, CASE WHEN EXISTS (
    SELECT 1 FROM information_schema.check_constraints AS k
    WHERE k.constraint_schema = c.table_schema AND k.table_name = c.table_name AND
    k.check_clause = concat('json_valid(`', replace(c.column_name, '`', '``'), '`)'))
    THEN 'json' ELSE column_type END, is_nullable, column_key, collation_name, (
    SELECT count(*) FROM information_schema.columns AS k WHERE k.table_schema = c.table_schema
    AND k.table_name = c.table_name AND k.column_key = 'PRI')
FROM information_schema.columns AS c
WHERE table_name = {0} AND CAST(table_name AS BINARY) = CAST({0} AS BINARY)
    AND table_schema = {1} ORDER BY ordinal_position"""
_PLAIN_TEXT = re.compile(r"'((?:[^']|'')*)'")
_ENUM_TEXT = re.compile(r"'((?:[^'\\]|''|\\.)*)'", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "0": "\0", "r": "\r", "b": "\b", "f": "\f", "Z": "\x1a"}


def _enum_texts(type_: str, *, has_escapes: bool) -> tuple[str, ...]:
    """Returns the texts of an enum's definition, in order."""
    pattern = _ENUM_TEXT if has_escapes else _PLAIN_TEXT
    texts = (text.replace("''", "'") for text in pattern.findall(type_))
    if not has_escapes:
        return tuple(texts)
    return tuple(
        re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text, flags=re.DOTALL)
        for text in texts
    )


def _mariadb(run: Run, name: str, schema: str | None) -> list[TableColumn]:
    form = "CONVERT(X'{}' USING utf8mb4)"
    place = "database()" if schema is None else _literal(schema, form)
    listed = []
    for column, type_, is_nullable, key, collation, keys in run(
        _MARIADB.format(_literal(name, form), place)
    ):
        choices: tuple[str, ...] = ()
        if type_.startswith("enum("):
            type_, choices = "enum", _enum_texts(type_, has_escapes=True)
        is_key = key == "PRI" and keys == 1
        word = _mariadb_word(collation or "")
        listed.append(
            TableColumn(column, type_.lower(), is_nullable == "YES", is_key, choices, word)
        )
    return listed


def _mariadb_word(collation: str) -> str:
    if collation == "utf8mb4_nopad_bin":
        return "bytewise"
    ignores_case = collation.startswith("utf8mb4_") and collation.endswith("_ci")
    return "ignore_case" if ignores_case and "turkish" not in collation else ""


_SQLITE = """
SELECT name, lower(type), "notnull" OR pk, pk = 1 AND (
    SELECT count(*) FROM pragma_table_xinfo({0}{1}) WHERE pk) = 1,
    EXISTS (SELECT 1 FROM pragma_index_list({0}{1}) AS i, pragma_index_xinfo(i.name{1}) AS x
        WHERE x.name = c.name AND x.coll = 'NOCASE' COLLATE NOCASE)
FROM pragma_table_xinfo({0}{1}) AS c WHERE hidden <> 1 ORDER BY cid"""


def _sqlite(run: Run, name: str, schema: str | None) -> list[TableColumn]:
    form = "CAST(X'{}' AS TEXT)"
    place = "" if schema is None else f", {_literal(schema, form)}"
    return [
        TableColumn(row[0], row[1], not row[2], bool(row[3]), (), "ignore_case" if row[4] else "")
        for row in run(_SQLITE.format(_literal(name, form), place))
    ]


def _duckdb(run: Run, name: str, schema: str | None) -> list[TableColumn]:
    listed = []
    rows = [*run(f"DESCRIBE {_qualified(name, schema, 'duckdb')}")]
    keys = [row[0] for row in rows if row[3] == "PRI"]
    for column, type_, is_nullable, *_ in rows:
        choices: tuple[str, ...] = ()
        if type_.startswith("ENUM("):
            choices = _enum_texts(type_, has_escapes=False)
            type_ = "ENUM[]" if type_.endswith("[]") else "ENUM"
        listed.append(
            TableColumn(column, type_.lower(), is_nullable == "YES", keys == [column], choices)
        )
    return listed


_CLICKHOUSE = """
SELECT name, type FROM system.columns
WHERE table = {} AND database = {} ORDER BY position"""


def _clickhouse(run: Run, name: str, schema: str | None) -> list[TableColumn]:
    form = "unhex('{}')"
    place = "currentDatabase()" if schema is None else _literal(schema, form)
    listed = []
    for column, type_ in run(_CLICKHOUSE.format(_literal(name, form), place)):
        choices: tuple[str, ...] = ()
        suffix = ""
        if type_.startswith("Array("):
            type_, suffix = type_[len("Array(") : -1], "[]"
        type_ = re.sub(r"^LowCardinality\((.*)\)$", r"\1", type_)
        is_nullable = type_.startswith("Nullable(")
        type_ = re.sub(r"^Nullable\((.*)\)$", r"\1", type_)
        if type_.startswith("Enum"):
            choices = _enum_texts(type_, has_escapes=True)
            type_ = type_.partition("(")[0]
        listed.append(TableColumn(column, type_.lower() + suffix, is_nullable, False, choices))
    return listed


_READERS: Mapping[str, Callable[[Run, str, str | None], list[TableColumn]]] = {
    "postgresql": _postgresql,
    "mariadb": _mariadb,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "clickhouse": _clickhouse,
}
# The packages of connections.
_PACKAGES: "Mapping[str, _Dialect]" = {
    "psycopg": "postgresql",
    "psycopg2": "postgresql",
    "pymysql": "mariadb",
    "MySQLdb": "mariadb",
    "mariadb": "mariadb",
    "mysql": "mariadb",
    "sqlite3": "sqlite",
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "clickhouse_connect": "clickhouse",
}


def _dialect_of(connection: object) -> "_Dialect":
    for base in type(connection).__mro__:
        dialect = _PACKAGES.get(base.__module__.partition(".")[0])
        if dialect is not None:
            return dialect
    kind = type(connection).__name__
    raise TypeError(f"connection: expected one of {', '.join(_PACKAGES)}, not {kind}")


def _runner(connection: Any, dialect: str) -> Run:  # noqa: ANN401
    """Returns the function that asks a connection."""

    def run(text: str) -> Iterable[Sequence[Any]]:
        if dialect == "clickhouse":
            answer: list[Sequence[Any]] = connection.query(text).result_rows
            return answer
        cursor = connection.cursor()
        try:
            cursor.execute(text)
            return [*cursor.fetchall()]
        finally:
            cursor.close()

    return run


def read_table(connection: object, name: str, schema: str | None) -> Table:
    """Implements sluice.sql.table()."""
    dialect = _dialect_of(connection)
    missing = None
    try:
        listed = _READERS[dialect](_runner(connection, dialect), name, schema)
    except Exception as error:
        if type(error).__module__.lstrip("_") not in ("duckdb", "sqlite3"):
            raise
        listed, missing = [], error  # nothing else can fail where there is no server
    if not listed:
        raise ValueError(f"table: the database has no {name!r}") from missing
    from sluice.sql import Place

    columns: list[Column] = []
    places: dict[str, str | Place] = {}
    refused: dict[str, str] = {}
    for column in listed:
        kind = _kind_of(column, dialect)
        if kind is None:
            refused[column.name] = f"no type of a column has values of {column.type}"
            continue
        is_list = column.type.endswith("[]")
        words: dict[str, Any] = {"is_list": is_list, "is_nullable": column.is_nullable}
        if kind.type == "choice":
            words["choices"] = column.choices
        try:
            columns.append(Column(column.name, kind.type, **words))
        except ValueError as mistake:  # such as an enum with an empty text
            refused[column.name] = str(mistake)
            continue
        places[column.name] = _place_of(column, kind, dialect)
    key = next((column.name for column in listed if column.is_key), None)
    where = _qualified(name, schema, dialect)
    return Table(where, dialect, key, tuple(columns), places, refused)
