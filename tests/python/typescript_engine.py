# SPDX-License-Identifier: MIT
"""matches() of TypeScript, which answers requests of classes in Node."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from declared_requests import Drawn
from differences import Answer
from tested_rows import SIZES
from tested_table import ClassRequest, Row, TableEngine, TestedTable, present

from sluice import Column

PACKAGE = os.environ.get("SLUICE_PACKAGE", "")  # the npm package, as it is built
PROGRAM = Path(__file__).parents[1] / "wasm" / "matches.mjs"


class TypeScript(TableEngine):
    name = "TypeScript"
    most_refused = 0.7

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def ask(self, request: dict[str, Any]) -> Any:  # noqa: ANN401
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{json.dumps(request)}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def load(self, world: TestedTable) -> None:
        self.ids = [row["id"] for row in world.rows]
        assert self.ask({"rows": [*map(as_json, world.rows)]}) == []

    def answer(self, query: object) -> Answer:
        raise ValueError(f"TypeScript has no exact expression for a tree: {query}")

    def respond(self, request: object, query: object) -> Answer:
        drawn = request.request.drawn if isinstance(request, ClassRequest) else {}
        if not drawn or any(of.function == "search" for of in drawn.values()):
            return self.answer(query)
        assert isinstance(request, ClassRequest)
        parameters = [[name, *call_of(of)] for name, of in drawn.items()]
        message = {"parameters": parameters, "text": urlencode(request.request.pairs)}
        ids = [id_ for id_, taken in zip(self.ids, self.ask(message), strict=True) if taken]
        return Answer(ids, len(ids))


def as_json(row: Row) -> dict[str, Any]:
    """A row whose integers are bigints, without records."""
    at = row["created"]
    held = {name: in_json(value) for name, value in row.items() if name != "lines"}
    if at is not None:
        held["created"] = f"{at.year:04}-{at:%m-%dT%H:%M:%S.%f}Z"
    return held


def in_json(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return [*map(in_json, value)]
    if isinstance(value, bool | float):
        return present(value)
    if isinstance(value, int):
        return {"n": str(value)}
    return None if value is None else str(value)


def call_of(drawn: Drawn) -> tuple[str, list[Any]]:
    """A function of TypeScript and its arguments."""
    words: dict[str, Any] = {"column": column_of(drawn.columns[0])}
    if drawn.operator:
        words["operators"] = [drawn.operator]
    if drawn.function == "integer":  # whose bounds are those of doubles by default
        words |= {"minimum": {"n": str(-(2**63))}, "maximum": {"n": str(2**63 - 1)}}
    name = re.sub("_(.)", lambda match: match[1].upper(), drawn.function)
    return name, [SIZES, {**words, "type": "choice"}] if name == "choice" else [words]


def column_of(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "isList": column.is_list,
        "isNullable": column.is_nullable,
        "collation": column.collation,
        **({"choices": column.choices} if column.choices else {}),
    }


@contextmanager
def typescript(package: Path | str = PACKAGE) -> Iterator[list[TableEngine]]:
    """The engine, if its package is there."""
    if not package:
        yield []
        return
    environment = {**os.environ, "SLUICE_PACKAGE": str(package)}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(["node", str(PROGRAM)], env=environment, **pipes) as process:
        yield [TypeScript(process)]
