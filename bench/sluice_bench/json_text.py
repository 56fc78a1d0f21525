# SPDX-License-Identifier: MIT
"""Writing JSON: the rows of a page, and the body of an error."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from .context import Context
from .evaluation import queries
from .measuring import Cell, Peer, by_python, lacks


def by_encoder(package: str, value: Callable[[], object]) -> Peer:
    """Writes a value, made each time, by a Python package."""
    if missing := lacks(package):
        return missing
    if package == "orjson":
        from orjson import dumps as encode
    else:
        import msgspec

        encode = msgspec.json.Encoder().encode
    return by_python(lambda: encode(value()), lambda: json.loads(encode(value())))


def error_body() -> dict[str, object]:
    """Makes the body of an error as a Python service does."""
    at = 3
    text = (
        f"'-' before a single item (at byte {at}), exclude the whole list with one leading '-',"
        " or escape it as '\\-'"
    )
    url = "https://example.com/docs/api-reference/errors#bad-request"
    return {"error": {"code": "bad_request", "message": text, "doc_url": url}}


def cells(context: Context) -> Iterator[Cell]:
    """Yields pages of 100 and 1,000 rows, whose texts the peers have at hand, and an error."""
    for limit in (100, 1000):
        query = replace(queries(context.data)["1 equality"], limit=limit)
        ours = context.driver.contender(f"render {query.text()}", json.loads)
        rows = ours.answer()
        peers = {name: by_encoder(name, lambda rows=rows: rows) for name in ("orjson", "msgspec")}
        yield Cell(f"JSON: page of {limit}", "store::json_rows", ours, peers)
    ours = context.driver.contender("error ", json.loads)
    peers = {package: by_encoder(package, error_body) for package in ("orjson", "msgspec")}
    yield Cell("JSON: error envelope", "error_body", ours, peers)
