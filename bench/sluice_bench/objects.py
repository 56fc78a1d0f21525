# SPDX-License-Identifier: MIT
"""Pages of a program's own objects, beside the same pages by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from heapq import nsmallest
from typing import Any

import sluice

from .context import Context
from .measuring import Cell, Library
from .numbers import Loop, answer_of

MOST_OBJECTS = 100_000  # in Python


@dataclass
class Item:
    """A row in Python."""

    id: str
    total: Decimal


class Items(sluice.ListQuery):
    """Items by their total."""

    total = sluice.decimal(operators=(">=", "<="))
    order = sluice.sort("total", default="-total")
    page = sluice.page()


def range_of(rows: int) -> tuple[Decimal, Decimal]:
    """Returns a quarter of the totals, which are hundredths of the numbers from 0 on."""
    return Decimal(rows // 4) / 100, Decimal(rows // 2) / 100


def library(rows: int) -> tuple[Library, Library]:
    """Returns pages by query.apply() and by comprehensions."""
    numbers = ((at * 7_654_321 + 12_345) % rows for at in range(rows))
    items = [Item(f"r{at:07}", Decimal(of) / 100) for at, of in enumerate(numbers)]
    low, high = range_of(rows)

    def ids(page: list[Item]) -> list[str]:
        return [item.id for item in page]

    def by_hand(_: str) -> Any:  # noqa: ANN401
        def run() -> list[str]:
            matching = [item for item in items if low <= item.total <= high]
            return ids(nsmallest(100, matching, key=lambda item: (-item.total, item.id)))

        return run

    def by_sluice(text: str) -> Any:  # noqa: ANN401
        return lambda: ids(Items.parse(text).apply(items, "/items").rows)

    return Library(apply=by_sluice), Library(apply=by_hand)


def cells(context: Context) -> Iterator[Cell]:
    """Yields a page of structs and one of objects of Python, each of a price range."""
    context.driver.ask(f"answer number_load {context.data.rows}")

    def text_of(rows: int) -> str:
        low, high = range_of(rows)
        return f"total[gte]={low}&total[lte]={high}"

    structs = f"list_page {text_of(context.data.rows)}&sortBy=-count"
    loop = {"loop": Loop(context.driver)}
    name = "objects: 100 of a price range"
    yield Cell(name, "sluice::list", structs, context.driver, loop, answer_of)
    rows = min(context.data.rows, MOST_OBJECTS)
    ours, by_hand = library(rows)
    operation = f"apply {text_of(rows)}"
    yield Cell(f"{name}, Python", "query.apply", operation, ours, {"by hand": by_hand}, list)
