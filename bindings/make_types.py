# SPDX-License-Identifier: MIT
"""Generates the TypeScript types of the reference service from its OpenAPI document.

`python bindings/make_types.py` writes them; with --check it only checks that they are up to date.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sluice

TYPES = Path(__file__).parent / "wasm/src/openapi.ts"
PRELUDE = """\
// SPDX-License-Identifier: MIT
// Made by make_types.py of the OpenAPI document. Times are RFC 3339 text in UTC.

import type { Filter, Json, MetadataQuery } from "./expressions.js";
"""
# Parsed values that are of another type than the text of the parameter. A window has both ends.
PARSED = {"start": "Date | null", "end": "Date", "query": "MetadataQuery | null"}
FILTER = "a value, a list `a,b`, or all but `-a,b`"  # how descriptions of filters end


def type_of(schema: dict[str, Any]) -> str:
    """Returns the type of a JSON Schema."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(map(type_of, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    match schema.get("type", "any"):
        case "any":
            return "Json"
        case "array":
            return f"readonly {type_of(schema['items'])}[]"
        case "object":
            return f"Readonly<Record<string, {type_of(schema['additionalProperties'])}>>"
        case "integer":
            return "number"
        case kind:
            return str(kind)


def value_type_of(parameter: dict[str, Any]) -> str:
    """Returns the type of a parameter's parsed value."""
    schema = parameter["schema"]
    if parameter["name"] in PARSED:
        return PARSED[parameter["name"]]
    if parameter["description"].endswith(FILTER):
        return "Filter | null"
    is_absent = "default" not in schema and schema["type"] != "array"
    return type_of(schema) + (" | null" if is_absent else "")


def property_of(name: str, type_: str, described: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of a property."""
    text = described.get("description", "").replace("deprecated: ", "use ")
    if described.get("deprecated"):
        text = f"@deprecated {text}"
    if text:
        yield f"  /** {text} */"
    yield f"  readonly {name}: {type_};"


def record_of(name: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of a record's interface."""
    yield f"\nexport interface {name} {{"
    for field, described in schema["properties"].items():
        optional = "" if field in schema["required"] else "?"
        yield from property_of(f"{field}{optional}", type_of(described), described)
    yield "}"


def values_of(path: str, operation: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of the parsed parameters of a list."""
    yield f"\n/** The parsed parameters of `GET {path}`. */"
    yield f"export type {path.strip('/').title()}Values = {{"
    for parameter in operation["parameters"]:
        yield from property_of(parameter["name"], value_type_of(parameter), parameter)
    yield "};"


def event_records_of(operation: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of the record of each kind of event."""
    [kinds] = (
        parameter["schema"]["enum"]
        for parameter in operation["parameters"]
        if parameter["name"] == "event"
    )
    items = operation["responses"]["200"]["content"]["application/json"]["schema"]["items"]
    yield "\n/** The record of each kind of event, by the value of the parameter `event`. */"
    yield "export interface EventRecords {"
    for kind, record in zip(kinds, items["anyOf"], strict=True):
        yield from property_of(kind, type_of(record), {})
    yield "}"


def lines_of(document: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of all types of a document."""
    for name, schema in document["components"]["schemas"].items():
        if name != "Error":  # a class of the language; its one member is an ErrorDetail
            yield from record_of(name, schema)
    operations = {path: methods["get"] for path, methods in document["paths"].items()}
    yield from event_records_of(operations["/events"])
    for path in ("/events", "/tags"):
        yield from values_of(path, operations[path])


if __name__ == "__main__":
    document = sluice.Handler(sluice.EventStore(), []).openapi()
    types = PRELUDE + "".join(f"{line}\n" for line in lines_of(document))
    if "--check" in sys.argv:
        is_fresh = TYPES.read_text(encoding="utf-8") == types
        sys.exit(0 if is_fresh else f"{TYPES} is stale: run python {sys.argv[0]}")
    TYPES.write_text(types, encoding="utf-8")
