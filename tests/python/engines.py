# SPDX-License-Identifier: MIT
"""The records of a folder as tables of DuckDB and SQLite, and parsed queries as SQL over them.

A query's clauses, window, order and page become SQL word by word; only what has no form in SQL is
made ready in Python: fields of URLs, and metadata as one row a value with its path.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl

import duckdb

import sluice

Json = Any
Record = dict[str, Any]
Values = tuple[object, ...]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOWERED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

# Parameters of filters, by how they compare. Texts of the first ones and their values are lowered.
FOLDED = ("country", "continent", "device", "browser", "os", "region", "domain")
EXACT = ("city", "trigger", "referer")
URLS = ("url", "refererUrl")
UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
OF_LINKS = ("tenantId", "folderId", "partnerId", "groupId")
TAG_TABLES = {"tagId": "link_tags", "partnerTagId": "link_partner_tags"}

CLICK_COLUMNS = (*FOLDED[:-1], *EXACT, *URLS)
LINK_COLUMNS = ("id", "domain", "key", "externalId", "programId", *OF_LINKS)
EVENT_COLUMNS = ("n", "ms", "id", "click", "link", "customer", *CLICK_COLUMNS, *UTM)
VALUE_COLUMNS = ("n", "path", "text", "number", "isNumber")
INTEGERS = ("n", "ms", "isNumber")
SCHEMAS = {
    "links": LINK_COLUMNS,
    "link_tags": ("link", "tag"),
    "link_partner_tags": ("link", "tag"),
    "loaded_clicks": EVENT_COLUMNS,
    "loaded_leads": EVENT_COLUMNS,
    "loaded_sales": EVENT_COLUMNS,
    "leads_values": VALUE_COLUMNS,
    "sales_values": VALUE_COLUMNS,
}
# What the engines work out once: each event's place in the order, and the sales that come first.
PLACES = """
CREATE TABLE {0} AS SELECT row_number() OVER (ORDER BY ms, id, n) AS place, * FROM loaded_{0}"""
SALE_TYPES = """
CREATE TABLE sale_types AS SELECT n, CASE row_number() OVER (
    PARTITION BY customer, link ORDER BY place) WHEN 1 THEN 'new' ELSE 'recurring' END AS type
FROM sales"""
DERIVED = (*(PLACES.format(kind) for kind in ("clicks", "leads", "sales")), SALE_TYPES)


# Tables.


def read_lines(file: Path, number: type | None = None) -> list[Record]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line, parse_int=number, parse_float=number) for line in lines]


class Written(str):
    """A JSON number as it is written."""

    __slots__ = ()


def lowered(text: str) -> str:
    """ASCII letters in lower case."""
    return text.translate(LOWERED)


def ms_of(at: datetime) -> int:
    return (at - EPOCH) // timedelta(milliseconds=1)


def tables_of(folder: Path) -> dict[str, list[Values]]:
    links = {link["id"]: link for link in read_lines(folder / "links.ndjson")}
    clicks = {click["id"]: click for click in read_lines(folder / "clicks.ndjson")}
    tables: dict[str, list[Values]] = {
        "links": [tuple(fields(link, LINK_COLUMNS)) for link in links.values()],
        "link_tags": [
            (id_, t["id"]) for id_, link in links.items() for t in link.get("tags") or ()
        ],
        "link_partner_tags": [
            (id_, tag) for id_, link in links.items() for tag in link.get("partnerTagIds") or ()
        ],
        "loaded_clicks": [
            event_row(n, click, click, links[click["linkId"]])
            for n, click in enumerate(clicks.values())
        ],
    }
    for kind in ("leads", "sales"):
        events = read_lines(folder / f"{kind}.ndjson", Written)
        tables[f"loaded_{kind}"] = [
            event_row(n, event, clicks[event["clickId"]], links[event["linkId"]])
            for n, event in enumerate(events)
        ]
        tables[f"{kind}_values"] = [
            (n, json.dumps(path), *value)
            for n, event in enumerate(events)
            for path, value in values_in(event.get("metadata"), [])
        ]
    return tables


def fields(record: Record, names: Iterable[str]) -> Iterator[str | None]:
    for name in names:
        value = record.get(name)
        yield lowered(value) if value is not None and name in FOLDED else value


def event_row(n: int, event: Record, click: Record, link: Record) -> Values:
    """A row of EVENT_COLUMNS. UTM fields are the URL's first parameters, else the link's fields."""
    query = click["url"].partition("#")[0].partition("?")[2]
    in_url = dict(reversed(parse_qsl(query, keep_blank_values=True)))
    return (
        n,
        ms_of(datetime.fromisoformat(event["timestamp"])),
        event.get("eventId", event.get("id")),
        click["id"],
        link["id"],
        event.get("customerId"),
        *fields(click, CLICK_COLUMNS),
        *(in_url.get(name, link.get(name)) for name in UTM),
    )


def values_in(value: Json, path: list[str]) -> Iterator[tuple[list[str], Values]]:
    """The scalars below some metadata with their paths, as text, number and whether it is one."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from values_in(member, [*path, key])
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from values_in(member, [*path, str(index)])
    elif isinstance(value, bool):
        yield path, ("true" if value else "false", None, 0)
    elif value is not None:
        text = str(value)
        yield path, (text, sortable(text), int(isinstance(value, Written)))


JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
NINES = str.maketrans("0123456789", "9876543210")


def sortable(text: str) -> str | None:
    """A JSON number as a text; texts are in the order of their numbers, and equal where those are.

    Sign, exponent and digits; of a negative number the nines' complement, and an end that comes
    behind all digits.
    """
    if not JSON_NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    if number.is_zero():
        return "1"
    digits = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    size = f"{number.adjusted() + 5_000_000:07}{digits}"
    return f"2{size}" if number > 0 else f"0{size.translate(NINES)}:"


# Engines.


class Engine(Protocol):
    """A data base that holds the tables."""

    def rows(self, sql: str, values: list[object]) -> list[Any]: ...


def columns_of(table: str) -> Iterator[tuple[str, str]]:
    for name in SCHEMAS[table]:
        yield name, "BIGINT" if name in INTEGERS else "TEXT"


def definition(table: str) -> str:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in columns_of(table))
    return f"CREATE TABLE {table} ({columns})"


class Sqlite:
    def __init__(self, tables: dict[str, list[Values]]) -> None:
        self.connection = sqlite3.connect(":memory:")
        for name, rows in tables.items():
            self.connection.execute(definition(name))
            places = ", ".join("?" * len(SCHEMAS[name]))
            self.connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
        for statement in DERIVED:
            self.connection.execute(statement)
        for name in ("leads_values", "sales_values"):
            self.connection.execute(f"CREATE INDEX {name}_paths ON {name} (path)")
        self.connection.execute("ANALYZE")

    def rows(self, sql: str, values: list[object]) -> list[Any]:
        return self.connection.execute(sql, values).fetchall()


class DuckDb:
    def __init__(self, tables: dict[str, list[Values]], folder: Path) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": 1})
        for name, rows in tables.items():
            self.connection.execute(definition(name))
            self.insert(name, rows, folder / f"{name}.ndjson")
        for statement in DERIVED:
            self.connection.execute(statement)

    def insert(self, table: str, rows: Iterable[Values], file: Path) -> None:
        lines = (dict(zip(SCHEMAS[table], row, strict=True)) for row in rows)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        columns = ", ".join(f"\"{name}\": '{kind}'" for name, kind in columns_of(table))
        self.connection.execute(
            f"INSERT INTO {table} SELECT * FROM read_json("
            f"'{file}', format = 'newline_delimited', columns = {{{columns}}})"
        )

    def rows(self, sql: str, values: list[object]) -> list[Any]:
        return self.connection.execute(sql, values).fetchall()


# Queries.


class Sql(NamedTuple):
    """A condition that is true or false, never null, and the values of its places."""

    text: str
    values: list[object]


def joined(parts: Iterable[Sql], word: str) -> Sql:
    listed = list(parts)
    texts = f" {word} ".join(part.text for part in listed)
    return Sql(f"({texts})", [value for part in listed for value in part.values])


def negated(part: Sql) -> Sql:
    return Sql(f"NOT {part.text}", part.values)


def among(expression: str, values: Iterable[str]) -> Sql:
    """Returns true if an expression is one of some values; null is none."""
    listed: list[object] = list(values)
    if not listed:
        return Sql("FALSE", listed)
    return Sql(f"coalesce({expression} IN ({', '.join('?' * len(listed))}), FALSE)", listed)


def named(name: str, wanted: Iterable[str]) -> Sql:
    """Returns true if a filter's values name a row, by the filter's parameter."""
    values = [lowered(value) if name in FOLDED else value for value in wanted]
    if name == "region":
        part = "substr(region, instr(region, '-') + 1)"  # all of it where there is no hyphen
        return joined((among("region", values), among(part, values)), "OR")
    if name in URLS:
        before = f"substr(\"{name}\", 1, instr(\"{name}\" || '?', '?') - 1)"
        whole = among(f'"{name}"', (value for value in values if "?" in value))
        return joined((whole, among(before, (v for v in values if "?" not in v))), "OR")
    if name == "linkId":
        return among("link", values)
    if name in TAG_TABLES:
        tagged = among("tag", values)
        table = TAG_TABLES[name]
        return Sql(f"link IN (SELECT link FROM {table} WHERE {tagged.text})", tagged.values)
    condition = among(f'"{name}"', values)
    return of_link(condition) if name in LINK_COLUMNS else condition


def of_link(condition: Sql) -> Sql:
    return Sql(f"link IN (SELECT id FROM links WHERE {condition.text})", condition.values)


def conditions(query: sluice.EventsQuery) -> Iterator[Sql]:
    yield Sql("ms <= ?", [ms_of(query.end)])
    if query.start is not None:
        yield Sql("ms >= ?", [ms_of(query.start)])
    for name, wanted in query.filters.items():
        names = named(name, wanted.values)
        yield negated(names) if wanted.excludes else names
    singles = {"key": query.key, "externalId": query.external_id, "programId": query.program_id}
    for name, value in singles.items():
        if value is not None:
            yield of_link(Sql(f'"{name}" = ?', [value]))
    if query.root is not None:
        yield of_link(Sql(f"key {'=' if query.root else '<>'} '_root'", []))
    if query.customer_id is not None:
        yield of_customer(query.event, query.customer_id)
    if query.sale_type is not None:
        yield Sql("n IN (SELECT n FROM sale_types WHERE type = ?)", [query.sale_type])
    if query.metadata is not None:
        yield Expression(str(query.metadata), f"{query.event}_values").sql()


def of_customer(event: str, customer: str) -> Sql:
    if event != "clicks":
        return Sql("customer = ?", [customer])
    named_by = " UNION ".join(
        f"SELECT click FROM {kind} WHERE customer = ?" for kind in ("leads", "sales")
    )
    return Sql(f"id IN ({named_by})", [customer, customer])


def answer(engine: Engine, query: sluice.EventsQuery) -> tuple[int, list[tuple[str, str]]]:
    """Counts the matching events; returns the identifiers on the page too, and of their clicks."""
    where = joined(conditions(query), "AND")
    rows = engine.rows(
        f"SELECT id, click, count(*) OVER () FROM {query.event} WHERE {where.text} "
        f"ORDER BY place {query.sort_order} LIMIT ? OFFSET ?",
        [*where.values, query.limit, (query.page - 1) * query.limit],
    )
    if rows:
        return rows[0][2], [(id_, click) for id_, click, _ in rows]
    counted = f"SELECT count(*) FROM {query.event} WHERE {where.text}"
    return engine.rows(counted, where.values)[0][0], []


BINDING = {"OR": 1, "AND": 2, "NOT": 3}  # of operators, from the loosest


class Expression:
    """A metadata expression as SQL. It is read by a stack of operators, not by descent."""

    TOKEN = re.compile(
        r"""[ \t\r\n]*(?:
            (?P<word>(?:AND|OR|NOT)(?![^ \t\r\n()])) | (?P<mark>[()]) | metadata
            (?P<path>(?:[ \t\r\n]*\[[ \t\r\n]*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")[ \t\r\n]*\])+)
            [ \t\r\n]*(?P<op>!=|>=|<=|[:=<>])[ \t\r\n]*
            (?P<value>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^ \t\r\n)]+)
        )[ \t\r\n]*""",
        re.IGNORECASE | re.DOTALL | re.VERBOSE,
    )
    KEY = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)

    def __init__(self, text: str, table: str) -> None:
        self.text = text
        self.table = table
        self.operators: list[str] = []
        self.parts: list[Sql] = []

    def sql(self) -> Sql:
        at = 0
        while at < len(self.text):
            token = self.TOKEN.match(self.text, at)
            assert token, (self.text, at)
            at = token.end()
            self.take(token)
        self.reduce(0)
        assert len(self.parts) == 1, self.text
        assert not self.operators, self.text
        return self.parts[0]

    def take(self, token: re.Match[str]) -> None:
        word = (token["word"] or token["mark"] or "").upper()
        if not word:
            self.parts.append(self.condition(token["path"], token["op"], token["value"]))
        elif word in ("(", "NOT"):
            self.operators.append(word)
        elif word == ")":
            self.reduce(0)
            assert self.operators.pop() == "(", self.text
        else:
            self.reduce(BINDING[word])
            self.operators.append(word)

    def reduce(self, binding: int) -> None:
        """Applies the operators on top of the stack that bind no looser."""
        while self.operators and BINDING.get(self.operators[-1], -1) >= binding:
            word = self.operators.pop()
            right = self.parts.pop()
            if word == "NOT":
                self.parts.append(negated(right))
            else:
                self.parts.append(joined((self.parts.pop(), right), word))

    def condition(self, path: str, op: str, value: str) -> Sql:
        right = unquoted(value) if value[0] in "'\"" else value
        keys = [unquoted(key) for key in self.KEY.findall(path)]
        number = sortable(right)
        if op in ("=", ":", "!="):
            holds = "text = ?" if number is None else "(text = ? OR (isNumber = 1 AND number = ?))"
            rights: list[object] = [right] if number is None else [right, number]
        else:
            holds, rights = f"number {op} ?", [number]
        sql = Sql(
            f"n IN (SELECT n FROM {self.table} WHERE path = ? AND {holds})",
            [json.dumps(keys), *rights],
        )
        return negated(sql) if op == "!=" else sql


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
