# SPDX-License-Identifier: MIT
"""Engines that hold the events of a store: databases, masks, polars and pyarrow."""

import base64
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
from differences import Answer, Engine
from event_records import KINDS, SCHEMA, World, place_of
from sql_engines import Database, DuckDb, Form, Sqlite, load

import sluice
from sluice import EventsQuery, ListQuery

Place: TypeAlias = tuple[int, str]  # of a row in the order: its time and its id
Held = TypeVar("Held")


# Databases, which make the pages too.


class SqlEngine(Engine[World]):
    """A database with a table for each kind of events."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.name = f"{database.dialect} {database.storage}"

    def load(self, world: World) -> None:
        for kind in KINDS:
            load(self.database, kind, SCHEMA, world.rows[kind])

    def answer(self, query: EventsQuery) -> Answer:
        page = self.database.ask(self.statement(query, "page"))
        count = self.database.ask(self.statement(query, "count"))
        return Answer([row[0] for row in page], int(count[0][0]))

    def statement(self, query: EventsQuery, form: Form) -> sluice.sql.Statement:
        of, storage = self.database.dialect, self.database.storage
        return query.to_sql(of, query.event, metadata=storage, select="id", form=form)


# Tables in memory, of which the conditions take some rows.


class TableEngine(Engine[World], Generic[Held]):
    """A table for each kind of events; the pages are cut here."""

    def load(self, world: World) -> None:
        self.places = {kind: [*map(place_of, world.rows[kind])] for kind in KINDS}
        self.tables = {kind: self.hold(world.tables[kind]) for kind in KINDS}

    def answer(self, query: EventsQuery) -> Answer:
        places = self.places[query.event]
        taken = [places[at] for at in self.rows(query, self.tables[query.event])]
        return Answer([id_ for _, id_ in cut(query.tree(), taken)], len(taken))

    @abstractmethod
    def hold(self, table: pa.Table) -> Held: ...
    @abstractmethod
    def rows(self, query: EventsQuery, table: Held) -> list[int]:
        """The numbers of the rows that the conditions take, in their order."""


OF_CLICKS = (
    *("country", "continent", "region", "city", "device", "browser", "os"),
    *("trigger", "referer", "refererUrl", "url"),
)
OF_LINKS = (
    *("domain", "key", "externalId", "tenantId", "folderId", "groupId", "partnerId", "programId"),
)


class Masks(TableEngine[pa.Table]):
    name = "masks"
    columns: ClassVar = {  # by the parameters that ask about them
        **{name: f"click.{name}" for name in OF_CLICKS},
        **{name: f"link.{name}" for name in OF_LINKS},
        **{"linkId": "link.id", "tagId": "link.tagIds", "partnerTagId": "link.partnerTagIds"},
        **{"root": "link.key", "customerId": "customer.id", "saleType": "sale.type"},
    }

    def hold(self, table: pa.Table) -> pa.Table:
        return table

    def rows(self, query: EventsQuery, table: pa.Table) -> list[int]:
        return numbers_of(query.mask(table, self.columns))


class TreeMasks(Masks):
    """Masks of a query from its tree."""

    name = "masks of trees"

    def rows(self, query: EventsQuery, table: pa.Table) -> list[int]:
        return numbers_of(ListQuery.from_tree(query.tree(), SCHEMA).mask(table))


def numbers_of(mask: Iterable[bool]) -> list[int]:
    rows: list[int] = np.flatnonzero(np.asarray(mask)).tolist()
    return rows


class Polars(TableEngine[pl.DataFrame]):
    name = "polars"

    def hold(self, table: pa.Table) -> pl.DataFrame:
        return pl.DataFrame(table)

    def rows(self, query: EventsQuery, table: pl.DataFrame) -> list[int]:
        return table.filter(query.to_polars())["row"].to_list()


class Pyarrow(TableEngine[ds.Dataset]):
    """Lists and metadata are none of its conditions."""

    name = "pyarrow"
    most_refused = 0.4

    def hold(self, table: pa.Table) -> ds.Dataset:
        return ds.dataset(table)

    def rows(self, query: EventsQuery, table: ds.Dataset) -> list[int]:
        wanted = query.to_pyarrow(schema=table.schema)
        matching = table.to_table(columns=["row"], filter=wanted, use_threads=False)
        numbers: list[int] = matching["row"].to_pylist()
        return numbers


class Objects(TableEngine[list[dict[str, Any]]]):
    """Objects of a caller's own, one at a time."""

    name = "objects"

    def hold(self, table: pa.Table) -> list[dict[str, Any]]:
        return [*map(nested, table.to_pylist())]

    def rows(self, query: EventsQuery, table: list[dict[str, Any]]) -> list[int]:
        return [number for number, row in enumerate(table) if query.matches(row)]


def nested(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose names with dots are ways to its values."""
    members: dict[str, Any] = {}
    for name, value in row.items():
        outer, _, inner = name.rpartition(".")
        (members.setdefault(outer, {}) if outer else members)[inner] = value
    return members


def cut(tree: dict[str, Any], taken: list[Place]) -> list[Place]:
    """The page of some places, which are given in ascending order."""
    descends = tree["order"][0]["direction"] == "desc"
    taken = taken[::-1] if descends else taken
    if "page" in tree:
        number, size = tree["page"]["number"], tree["page"]["size"]
        return taken[(number - 1) * size :][:size]
    is_before, place = read_cursor(tree["cursor"]["text"])
    size = tree["cursor"]["size"]
    if is_before:
        return [row for row in taken if row != place and (row > place) == descends][-size:]
    return [row for row in taken if row != place and (row < place) == descends][:size]


def read_cursor(text: str) -> tuple[bool, Place]:
    """Reads a cursor's direction (true: the page ends there) and its place; see cursor.hpp."""
    drawn = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    left, keys = drawn[10:-4], []
    while left:
        keys.append(left[1 : left[0]].decode())
        left = left[left[0] :]
    at, id_ = keys
    return drawn[1] == 1, (int(at), id_)


def event_engines(served: Iterable[Database] = ()) -> list[Engine[World]]:
    """Engines that need no server, and those of servers."""
    tables = [Masks(), TreeMasks(), Objects(), Polars(), Pyarrow()]
    databases: list[Database] = [Sqlite(), DuckDb(), *served]
    return [*tables, *(SqlEngine(database) for database in databases)]
