# SPDX-License-Identifier: MIT
"""JSON documents that are unusual: half a surrogate pair, deep nesting, long numbers.

The oracle reads them by Python's json, with U+FFFD for lone surrogates.
"""

import json
import re
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pytest
from conftest import NOW

import sluice

Json: TypeAlias = Any
ROWS = [
    r'{"plan":"pro","note":"cut \ud83d"}',
    r'{"plan":"pro","note":"\ude00 cut"}',
    r'{"plan":"pro","note":"\ud83d\ud83d\ude00"}',
    r'{"plan":"pro","note":"\ud83d\ude00"}',
    r'{"plan":"free","\ud83d":"x"}',
    r'{"plan":"free","\udc00":{"n":7}}',
    '{"plan":"pro","deep":' + "[" * 257 + "1" + "]" * 257 + "}",
    '{"plan":"free","deep":' + '{"a":' * 300 + '"x"' + "}" * 300 + ',"note":"end"}',
    '{"plan":"pro","note":"plain"}',
]
PATHS = [("plan", "pro"), ("note", "cut \ufffd"), ("note", "\ufffd\U0001f600"), ("note", "end")]
CONDITIONS = [
    *(f"metadata[{path!r}] = {value!r}" for path, value in PATHS),
    *(f"NOT metadata[{path!r}] = {value!r}" for path, value in PATHS),
    "metadata['\ufffd'] = x",
    "metadata['\ufffd']['n'] > 5",
]
SCHEMA = [sluice.Column("id"), sluice.Column("m", "json", is_nullable=True)]


def replaced(value: Json) -> Json:
    """A value with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [replaced(item) for item in value]
    if isinstance(value, dict):
        return {replaced(key): replaced(item) for key, item in value.items()}
    return value


def holds(condition: str, document: Json) -> bool:
    """Returns true if a condition of this page matches a document."""
    negated = condition.startswith("NOT ")
    path = re.findall(r"\['(.*?)'\]", condition)
    value = condition.split(" ")[-1] if "=" not in condition else condition.split(" = ")[1]
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    if ">" in condition:
        return isinstance(document, int) and document > int(value)
    return bool(document == value.strip("'")) != negated


@pytest.mark.parametrize("condition", CONDITIONS)
def test_nothing_unusual_hides_a_document(condition: str) -> None:
    expected = [holds(condition, replaced(json.loads(row))) for row in ROWS]
    assert len(set(expected)) == 2
    expression = sluice.MetadataQuery.parse(condition)
    loaded = [json.loads(row) for row in ROWS]
    literal = [json.dumps(document, ensure_ascii=False) for document in loaded]
    for rows in (ROWS, loaded, literal):
        assert [expression.matches(row) for row in rows] == expected
    tree = {"where": {"column": "m", "matches": expression.tree()}}
    query = sluice.ListQuery.from_tree(tree, SCHEMA)
    for rows in (ROWS, loaded, literal):
        assert [query.matches({"m": row}) for row in rows] == expected
    for column in (ROWS, pa.array(ROWS), literal):
        assert query.mask({"m": column}).tolist() == expected


def test_prepared_maps_hold_what_else_a_document_has() -> None:
    for row in ROWS:
        texts, _ = sluice.sql.prepare(row)
        document = replaced(json.loads(row))
        assert {key: texts[f"/{key}"] for key in document if f"/{key}" in texts} == {
            key: value for key, value in document.items() if isinstance(value, str)
        }
    deep = '{"a":' * 300 + "1" + "}" * 300
    assert sluice.sql.prepare(deep) == ({}, {})
    assert sluice.sql.prepare(deep[5 * 44 : -44])[1].keys() == {"/a" * 256}


def test_paths_are_read_to_the_same_depth_everywhere() -> None:
    for depth, is_match in ((255, True), (256, True), (257, False)):
        document: Json = 1
        for _ in range(depth):
            document = {"a": document}
        expression = sluice.MetadataQuery.parse("metadata" + "['a']" * depth + " = 1")
        assert expression.matches(document) == is_match
        assert expression.matches(json.dumps(document)) == is_match


def test_a_folder_with_such_records_loads(sample_folder: Path, tmp_path: Path) -> None:
    leads = (sample_folder / "leads.ndjson").read_text(encoding="utf-8").splitlines()
    lead = json.loads(leads[0])
    for name in ("tags", "customers", "links", "clicks"):
        lines = (sample_folder / f"{name}.ndjson").read_bytes()
        (tmp_path / f"{name}.ndjson").write_bytes(lines)
    records = []
    for number, row in enumerate(ROWS):
        line = json.dumps(lead | {"eventId": f"ev_{number}", "metadata": "HERE"})
        line = line.replace(json.dumps(lead["eventName"]), r'"cut \ud83d"', 1)
        records.append(line.replace('"HERE"', row))
    (tmp_path / "leads.ndjson").write_text("\n".join(records), encoding="utf-8")
    (tmp_path / "sales.ndjson").write_text("", encoding="utf-8")
    store = sluice.EventStore.load(tmp_path)
    for condition in CONDITIONS:
        query = sluice.EventsQuery.parse(
            {"event": "leads", "interval": "all", "query": condition}, now=NOW
        )
        expected = sum(holds(condition, replaced(json.loads(row))) for row in ROWS)
        assert store.count(query) == expected, condition
        page = json.loads(store.page(query))
        assert len(page) == expected
        assert {event["eventName"] for event in page} <= {"cut \ufffd"}
        assert all(event["metadata"] == replaced(event["metadata"]) for event in page)


def test_numbers_of_any_length_are_compared() -> None:
    long = 10**5000
    above = sluice.MetadataQuery.parse("metadata['a'] > 1e4999")
    for document in ({"a": long}, json.dumps({"a": 1}).replace("1", "1" + "0" * 5000)):
        assert above.matches(document)
        assert sluice.MetadataQuery.parse("metadata['a'] = 1e5000").matches(document)
    assert not above.matches({"a": -long})
    total = sluice.ListQuery.from_tree(
        {"where": {"column": "total", "gt": "1e4999"}}, [sluice.Column("total", "decimal")]
    )
    assert total.matches({"total": long})
    assert total.mask({"total": [long, -long, 5]}).tolist() == [True, False, False]
