# SPDX-License-Identifier: MIT
"""What a build for this machine alone gains over one with default flags."""

from collections.abc import Iterator

from ..cell import Cell, Missing
from ..context import Context, by_driver, by_program
from . import evaluation, validation


def cells(context: Context) -> Iterator[Cell]:
    """One cell a kind of work."""
    if not isinstance(context.native, Missing):
        context.native.ask(f"load {context.data.folder}")
        evaluation.learn(context.native, context.data)
    counted, paged = evaluation.queries(context.data), evaluation.pages(context.data)
    operations = {
        "count of 1 equality": f"count {counted['1 equality'].text()}",
        "count of 5 equalities": f"count {counted['5 equalities, 2 outside the key'].text()}",
        "count in 7 of 90 days": f"count {counted['3 equalities in 7 of 90 days'].text()}",
        "page of 100": f"page {paged['100 of 1 equality'].text()}",
        "40 parameters": f"validate {validation.FORTY}",
        "error envelope": "error ",
    }
    for name, operation in operations.items():
        peers = {"-march=native": by_program(context.native, operation)}
        yield Cell(f"flags: {name}", "the above", by_driver(context, operation), peers)
