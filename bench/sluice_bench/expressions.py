# SPDX-License-Identifier: MIT
"""Three conditions with an OR in each grammar, beside the libraries that read it.

The libraries are those of tests/python/grammar_oracles.py, which compares them with sluice in all
else.
"""

import json
import sqlite3
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import sluice

from .context import Context
from .environment import ROOT
from .measuring import Cell, Contender, Library, LineProcess, Missing, Read, Source, by_python

sys.path.append(str(ROOT / "tests" / "python"))
import grammar_oracles as oracles

TEXTS: dict[str, str] = {
    "aip160": 'total > 0 AND (name = "a" OR city = "b")',
    "odata": "total gt 0 and (name eq 'a' or city eq 'b')",
    "rsql": "total=gt=0;(name==a,city==b)",
    "cql2": "total > 0 AND (name = 'a' OR city = 'b')",
    "cql2-json": '{"op":"and","args":[{"op":">","args":[{"property":"total"},0]},'
    '{"op":"or","args":[{"op":"=","args":[{"property":"name"},"a"]},'
    '{"op":"=","args":[{"property":"city"},"b"]}]}]}',
    "scim": 'total gt 0 and (name eq "a" or city eq "b")',
    "postgrest": "(and(total.gt.0,or(name.eq.a,city.eq.b)))",
}
METADATA = "metadata['total'] > 0 AND (metadata['name']:'a' OR metadata['city']:'b')"
COMMANDS = {"aip160": oracles.aip_go_command, "rsql": oracles.rsql_parser_command}
ROWS = oracles.hostile_rows()


def selected(tree: Any) -> list[bool]:  # noqa: ANN401
    """Returns which rows meet a tree: of sluice, in JSON or not, or of another library."""
    read = json.loads(tree) if isinstance(tree, str) else tree
    if "where" not in read:
        return [oracles.holds(read, row) for row in ROWS]
    query = sluice.ListQuery.from_tree({"where": read["where"]}, oracles.COLUMNS)
    return [query.matches(row) for row in ROWS]


def text_of(operation: str) -> str:
    """Returns the text of "expression GRAMMAR TEXT"."""
    return operation.split(" ", 2)[2]


class Parser:
    """A library in Python: its parser is measured, the tree of what it returns is compared."""

    def __init__(self, oracle: oracles.Oracle) -> None:
        """Takes the library."""
        self._oracle = oracle

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the contender of a text."""
        run = partial(self._oracle.parse, text_of(operation))
        return by_python(run, lambda: read(self._oracle.tree(run())))


class Program:
    """A program of tests/grammars/oracles/."""

    def __init__(self, command: list[Any], oracle: oracles.Oracle) -> None:
        """Starts the program."""
        self._process, self._oracle = LineProcess(*command), oracle

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the contender of a text."""

        def read_reply(reply: str) -> object:
            return read(self._oracle.tree(json.loads(reply)["tree"]))

        return self._process.contender(f"parse {json.dumps(text_of(operation))}", read_reply)


def peer(grammar: str) -> Source:
    """Returns the other library of a grammar."""
    try:
        oracle = oracles.load(grammar)
        if grammar not in COMMANDS:
            return Parser(oracle)
        oracle.close()
        return Program(COMMANDS[grammar](), oracle)
    except oracles.MissingError as missing:
        return Missing(str(missing))


def parse(argument: str) -> Any:  # noqa: ANN401
    """Returns the call that parses "GRAMMAR TEXT" from Python."""
    grammar, _, text = argument.partition(" ")
    return partial(sluice.grammars.parse_expression, grammar, text, oracles.COLUMNS)


class Metadata:
    """The parser of expressions on metadata, in the driver."""

    def __init__(self, driver: LineProcess) -> None:
        """Takes the driver."""
        self._driver = driver

    def contender(self, operation: str, read: Read) -> Contender:
        """Returns the contender of the same conditions."""

        def rows(text: str) -> list[bool]:
            return [*map(sluice.MetadataQuery.parse(text).matches, ROWS)]

        return self._driver.contender(f"metadata_expression {METADATA}", rows)


class Condition:
    """The writer of SQL of odata-query."""

    def contender(self, operation: str, read: Read) -> Contender | Missing:
        """Returns the contender of a text of OData."""
        try:
            from odata_query.sql import AstToSqlVisitor
        except ImportError as error:
            return Missing(str(error))
        oracle, text = oracles.odata_query(), text_of(operation)

        def run() -> str:
            return str(AstToSqlVisitor().visit(oracle.parse(text)))

        return by_python(run, lambda: read(run()))


def compile_condition(argument: str) -> Any:  # noqa: ANN401
    """Returns the call that parses "GRAMMAR TEXT" and writes SQL from Python."""
    run = parse(argument)

    def compiled() -> sluice.sql.Statement:
        query = sluice.ListQuery.from_tree(run(), oracles.COLUMNS)
        return query.to_sql("sqlite", "rows", form="condition")

    return compiled


def selected_by_sqlite(condition: str | sluice.sql.Statement) -> list[int]:
    """Returns the numbers of the rows that SQLite selects."""
    text, values = (condition, []) if isinstance(condition, str) else condition
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE rows (number INT, name TEXT, city TEXT, total INT)")
        numbered = ((n, row["name"], row["city"], row["total"]) for n, row in enumerate(ROWS))
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", numbered)
        chosen = connection.execute(f"SELECT number FROM rows WHERE {text}", values)
        return [row[0] for row in chosen]


def cells(context: Context) -> Iterator[Cell]:
    """Yields each grammar in C++, then OData to SQL."""
    for grammar, text in TEXTS.items():
        peers: dict[str, Source] = {
            "sluice, Python": Library(expression=parse),
            "sluice, metadata": Metadata(context.driver),
        }
        if grammar in oracles.ORACLES:
            peers[oracles.ORACLES[grammar][0]] = peer(grammar)
        name, operation = f"expression: {grammar}", f"expression {grammar} {text}"
        yield Cell(name, "grammar_record::parse", operation, context.driver, peers, selected)
    name, operation = "expression: odata to SQL", f"expression_sql odata {TEXTS['odata']}"
    library = Library(expression_sql=compile_condition)
    peers = {"sluice, Python": library, "odata-query": Condition()}
    yield Cell(name, "sql::compile", operation, context.driver, peers, selected_by_sqlite)
