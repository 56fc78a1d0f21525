# SPDX-License-Identifier: MIT
"""tantivy: an inverted index in memory."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import tantivy
from tantivy import Document, FieldType, Occur, SchemaBuilder

from ..data import Data
from ..queries import Clause, Query, parse
from .rendering import Rendering

BATCH = 1 << 17
HEAP = 2_000_000_000


class TantivyIndex:
    """A document a row: a raw term for each value, and the row's number as a fast field."""

    settings = (
        "index in memory, one segment; raw terms without frequencies or positions; counts of one"
        " column by doc_freq, others as a conjunction of constant score; time ranges as ranges of"
        " row numbers; pages ordered by the row number, a fast field"
    )
    version = version("tantivy")
    reads_json = False

    def __init__(self, data: Data, threads: int) -> None:
        """Adds the documents; a search uses one thread a segment."""
        self._data = data
        self._rendering = Rendering(data)
        self._schema = schema_of(data)
        index = tantivy.Index(self._schema)
        writer = index.writer(heap_size=HEAP, num_threads=1)
        for document in documents_of(data):
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher: Any = index.searcher()

    def _clause(self, clause: Clause) -> tuple[Occur, Any]:
        found: Any
        if len(clause.values) == 1:
            found = tantivy.Query.term_query(
                self._schema, clause.column, clause.values[0], index_option="basic"
            )
        else:
            found = tantivy.Query.term_set_query(self._schema, clause.column, list(clause.values))
        return (Occur.MustNot if clause.excludes else Occur.Must), found

    def _query(self, query: Query) -> Any:  # noqa: ANN401
        first, last = self._data.row_range(query.start, query.end)
        parts = [self._clause(clause) for clause in query.conditions]
        if not query.is_unbounded or not any(occur == Occur.Must for occur, _ in parts):
            rows = tantivy.Query.range_query(
                self._schema, "row", FieldType.Integer, first, last, include_upper=False
            )
            parts.append((Occur.Must, rows))
        return tantivy.Query.const_score_query(tantivy.Query.boolean_query(parts), 1.0)

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts by the terms' own counts where that can be, else by a search."""
        clauses = query.conditions
        searcher = self._searcher
        if len(clauses) == 1 and query.is_unbounded:
            return lambda: counted_terms(searcher, clauses[0])
        return lambda: int(searcher.search(self._query(query), limit=1, count=True).count)

    def pager(self, text: str) -> Callable[[], bytes]:
        """The rows of the greatest numbers."""

        def run() -> bytes:
            query = parse(text)
            found = self._searcher.search(
                self._query(query),
                limit=query.limit,
                offset=query.offset,
                count=False,
                order_by_field="row",
            )
            rows = np.array([row for row, _ in found.hits], np.intp)
            return self._rendering.render(rows)

        return run

    def close(self) -> None:
        """Drops the index."""
        del self._searcher, self._data, self._rendering


def counted_terms(searcher: Any, clause: Clause) -> int:  # noqa: ANN401
    """The rows of a clause: each has one value of a column at most."""
    found = sum(searcher.doc_freq(clause.column, value) for value in clause.values)
    return int(searcher.num_docs - found if clause.excludes else found)


def schema_of(data: Data) -> Any:  # noqa: ANN401
    """A field a column."""
    builder = SchemaBuilder()
    builder.add_integer_field("row", fast=True, indexed=True)
    for name in [*data.dimensions, "plan"]:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def documents_of(data: Data) -> Any:  # noqa: ANN401
    """The rows as documents, which lack what is absent."""
    names = [*data.dimensions, "plan"]
    texts = [[None, *data.texts[name]] for name in names]
    for begin in range(0, data.rows, BATCH):
        columns = [data.codes[name][begin : begin + BATCH].tolist() for name in names]
        for row, codes in enumerate(zip(*columns, strict=True), begin):
            values = zip(names, texts, codes, strict=True)
            yield Document(row=row, **{name: known[code] for name, known, code in values if code})
