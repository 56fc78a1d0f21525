# SPDX-License-Identifier: MIT
"""Writing JSON: the rows of a page, and the body of an error."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..cell import Cell, Contender, Missing, python_contender, translated
from ..context import Context, by_driver, lacks
from .evaluation import queries

IN_DRIVER = {
    "rapidjson": "rapidjson-dev is not installed",
    "yyjson": "Debian 12 has no package libyyjson-dev",
    "nlohmann": "nlohmann-json3-dev is not installed",
}
SIMDJSON = Missing("simdjson 3.0.1, as packaged, has no writer")
PAGE_NOTE = (
    "sluice starts from row numbers; the others have their rows' texts at hand: orjson and msgspec"
    " as Python objects, rapidjson as views that it is driven with, nlohmann as a document"
)


def encoder(package: str) -> Callable[[object], bytes] | Missing:
    """The function of a Python package that writes JSON."""
    missing = lacks(package)
    if missing:
        return missing
    if package == "orjson":
        import orjson

        return orjson.dumps
    import msgspec

    return msgspec.json.Encoder().encode


def by_encoder(package: str, value: Callable[[], object]) -> Contender | Missing:
    """A Python package writing a value that is made each time."""
    encode = encoder(package)
    if isinstance(encode, Missing):
        return encode
    return python_contender(lambda: encode(value()), lambda: json.loads(encode(value())))


def page_cell(context: Context, limit: int) -> Cell:
    """The rows of a page."""
    query = replace(queries(context.data)["1 equality"], limit=limit)
    body = context.driver.answer(f"render {query.text()}")
    rows = json.loads(body)
    peers: dict[str, Contender | Missing] = {
        package: by_encoder(package, lambda: rows) for package in ("orjson", "msgspec")
    }
    built = context.driver.names()
    for name, why in IN_DRIVER.items():
        known = f"json_{name}" in built
        operation = f"json_{name} {query.text()}"
        peers[name] = (
            translated(by_driver(context, operation), json.loads) if known else Missing(why)
        )
    peers["simdjson"] = SIMDJSON
    ours = translated(by_driver(context, f"render {query.text()}"), json.loads)
    size = len(body.encode()) / 1e9
    name = f"JSON: page of {limit}"
    return Cell(name, "store::json_rows", ours, peers, amount=size, unit="GB", note=PAGE_NOTE)


def error_body() -> dict[str, object]:
    """The body of an error as a Python service makes it."""
    at = 3
    text = (
        f"'-' before a single item (at byte {at}), exclude the whole list with one leading '-',"
        " or escape it as '\\-'"
    )
    url = "https://example.com/docs/api-reference/errors#bad-request"
    return {"error": {"code": "bad_request", "message": text, "doc_url": url}}


def cells(context: Context) -> Iterator[Cell]:
    """Pages of 100 and 1,000 rows, and an error."""
    yield page_cell(context, 100)
    yield page_cell(context, 1000)
    ours = translated(by_driver(context, "error "), json.loads)
    peers = {package: by_encoder(package, error_body) for package in ("orjson", "msgspec")}
    yield Cell("JSON: error envelope", "error_body", ours, peers)
