# SPDX-License-Identifier: MIT
"""Lists as any program writes them in JSON, in MariaDB, against the rule row by row."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from oracle.listing import takes
from sql_engines import MariaDb, mariadb_server

from sluice import Column, ListQuery
from sluice.sql import Statement

pytestmark = pytest.mark.servers

COLLATIONS = ("exact", "ignore_case", "subdivision", "url")
TEXTS = (
    *("", "a", "A", "ab", "US-CA", "CA", "us-ca", "t17", "17", "-1", "1", "7", "true", "false"),
    *("null", "a ", " a", "%", "_", "!", "[", "]", '"', "'", "\\", "\\u0061", "/", ",", ", "),
    *("é", "É", "e\u0301", "ß", "\u017f", "K", "k", "\u212a", "İ", "😀", "\t", "\n", "\x7f"),
)
NUMBERS = (0, 1, -1, 7, 17, 170, 117, -17, 2**53, 2**53 + 1, 2**63 - 1, -(2**63))


def written(items: list[Any] | None, source: random.Random) -> str | None:
    """Writes a list in JSON as one of many programs: with escapes or without, more or less wide."""
    if items is None:
        return None
    wide, escapes = source.choice(["", " ", "\n  "]), source.random()
    texts = []
    for item in items:
        text = json.dumps(item, ensure_ascii=escapes < 0.3)
        if isinstance(item, str) and escapes > 0.7 and item.isascii() and item:
            text = f'"\\u{ord(item[0]):04X}{json.dumps(item[1:])[1:]}'
        texts.append(text.replace("/", "\\/") if escapes < 0.2 else text)
    return f"[{wide}{f',{wide}'.join(texts)}{wide}]"


@pytest.fixture(scope="module")
def database() -> Iterator[MariaDb]:
    with mariadb_server() as connect:
        yield MariaDb(connect())


def random_tests(source: random.Random, values: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    for name in ("any_of", "none_of", "all_of") * 20:
        size = source.choice([1, 1, 2, 3, 8, 9])
        yield {name: [str(value) for value in source.sample(values, size)]}


@pytest.mark.parametrize("type_", [*COLLATIONS, "integer"])
def test_lists_are_read_however_their_json_is_written(database: MariaDb, type_: str) -> None:
    source = random.Random(f"lists {type_}")
    is_number = type_ == "integer"
    values: tuple[Any, ...] = NUMBERS if is_number else TEXTS
    how: Any = {"type": type_} if is_number else {"collation": type_}
    schema = (Column("id"), Column("items", is_list=True, is_nullable=True, **how))
    rows: list[dict[str, Any]] = [{"id": "none", "items": None}, {"id": "empty", "items": []}]
    rows += [{"id": f"one {at}", "items": [value]} for at, value in enumerate(values)]
    for at in range(400):
        items = source.choices(values, k=source.randint(0, 5))
        rows.append({"id": f"row {at}", "items": items})
    database.cursor.execute("CREATE OR REPLACE TABLE lists (id VARCHAR(20), items JSON)")
    stored = []
    for row in rows:
        items = row["items"]
        if items and source.random() < 0.2:  # no item is null
            items = [*items, None]
        stored.append((row["id"], written(items, source)))
    database.cursor.executemany("INSERT INTO lists VALUES (%s, %s)", stored)
    tests = [*random_tests(source, values)]
    has_parts = type_ in ("exact", "ignore_case")
    for name in ("contains", "starts_with", "ends_with") if has_parts else ():
        tests += [{name: source.sample(values, size)} for size in (1, 2, 3, 8, 9) * 3]
    for test in tests:
        query = ListQuery.from_tree({"where": {"column": "items", **test}}, schema)
        condition = query.to_sql("mariadb", "lists", form="condition")
        condition = condition._replace(text=f"SELECT id FROM lists WHERE {condition.text}")
        ids = {row[0] for row in database.ask(condition)}
        expected = [
            row["id"] for row, is_met in zip(rows, takes(query, rows), strict=True) if is_met
        ]
        assert ids == set(expected), (test, condition)


@pytest.mark.parametrize(
    ("document", "value", "is_met"),
    [
        ('["t"]', "t", True),
        ('"t"', "t", False),  # no list
        ('{"t": "t"}', "t", False),
        ('[["t"]]', "t", False),
        ('[{"t": "t"}]', "t", False),
        ('[["t"], "t"]', "t", True),
        ('[17, "x"]', "17", True),
        ("[true]", "true", True),
        ('["true"]', "true", True),
        ("[null]", "null", False),
    ],
)
@pytest.mark.parametrize("test", ["any_of", "all_of"])
def test_items_of_other_types(
    database: MariaDb, document: str, value: str, test: str, *, is_met: bool
) -> None:
    schema = (Column("id"), Column("items", is_list=True))
    query = ListQuery.from_tree({"where": {"column": "items", test: [value]}}, schema)
    condition = query.to_sql("mariadb", "lists", form="condition")
    text = f"SELECT {condition.text} FROM (SELECT %s AS items) AS one"
    parameters = [*condition.parameters, document]
    [[answer]] = database.ask(condition._replace(text=text, parameters=parameters))
    assert bool(answer) is is_met


@pytest.mark.parametrize(
    ("document", "value", "is_met"),
    [
        ('[{"code": "a"}]', "a", True),
        ('[{"code": "b"}, {"code": "a"}]', "a", True),
        ('[{"name": "a"}]', "a", False),
        (r'[{"c\u006fde": "\u0061"}]', "a", True),
        (r'[{"code": "a\"\\"}]', 'a"\\', True),
        ('[{"code": 17}]', "17", True),
        ('[{"code": "17"}]', "17", True),
        ('[{"code": 170}]', "17", False),
        ('[{"code": true}]', "1", True),
        ('[{"code": false}]', "0", True),
        ("[]", "a", False),
    ],
)
def test_records_are_read_however_their_json_is_written(
    database: MariaDb, document: str, value: str, *, is_met: bool
) -> None:
    schema = (Column("id"), Column("items", "records", columns=(Column("code"),)))
    wanted = {"column": "items", "any": {"column": "code", "any_of": [value]}}
    query = ListQuery.from_tree({"where": wanted}, schema)
    condition = query.to_sql("mariadb", "lists", form="condition")
    text = f"SELECT {condition.text} FROM (SELECT %s AS items) AS one"
    [[answer]] = database.ask(Statement(text, [*condition.parameters, document]))
    assert bool(answer) is is_met
