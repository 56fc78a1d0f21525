# SPDX-License-Identifier: MIT
"""Libraries of frames over a Parquet file, asked by expressions and by a mask of what was read."""

import time
from collections.abc import Callable
from functools import reduce
from operator import and_
from pathlib import Path
from typing import ClassVar

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from ..data import Data
from ..engines.polars_frame import expression
from ..queries import Clause
from .questions import NEWEST_FIRST, SHOWN, Answer, Question
from .rows import IN_FILE, write_parquet

UTC_TIMES = pa.timestamp("ms", "UTC")


class PolarsFile:
    """A scan."""

    name: ClassVar = "Parquet, polars"
    clock: ClassVar = time.process_time_ns
    what: ClassVar = "to_polars"
    version: ClassVar = pl.__version__
    settings: ClassVar = f"{IN_FILE}, times with a zone; lazy, its usual engine; one thread"

    def __init__(self, data: Data, folder: Path) -> None:
        """Makes the file."""
        self._path = write_parquet(data, folder, UTC_TIMES)

    def pushed_down(self, question: Question) -> Callable[[], Answer]:
        """By the expression that is compiled."""
        schema = pl.scan_parquet(self._path).collect_schema()
        return self._found(question.query.to_polars(schema=schema), question)

    def by_hand(self, question: Question) -> Callable[[], Answer]:
        """By an expression of a user's own."""
        tests = [self._test(clause, question) for clause in question.asked.clauses]
        if question.window:
            bounds = question.window["gte"], question.window["lte"]
            tests.append(pl.col("time").is_between(*bounds))
        return self._found(reduce(and_, tests), question)

    def masked(self, question: Question) -> Callable[[], Answer]:
        """By all rows of the columns that the question needs."""

        def run() -> Answer:
            read = pl.read_parquet(self._path, columns=question.columns)
            mask = question.query.mask(read)
            if question.form == "count":
                return mask.count()
            return self._page(read.filter(mask).lazy(), question)

        return run

    @staticmethod
    def _test(clause: Clause, question: Question) -> pl.Expr:
        if question.ignores_case:  # of ASCII alone: the Kelvin sign is no k
            texts = pl.col(clause.column).str
            is_ascii = texts.len_bytes() == texts.len_chars()
            return (texts.to_lowercase() == clause.values[0]) & is_ascii
        return expression(clause)

    def _found(self, condition: pl.Expr, question: Question) -> Callable[[], Answer]:
        def run() -> Answer:
            found = pl.scan_parquet(self._path).filter(condition)
            if question.form == "count":
                return int(found.select(pl.len()).collect().item())
            return self._page(found.select(SHOWN), question)

        return run

    @staticmethod
    def _page(found: pl.LazyFrame, question: Question) -> list[str]:
        by = [name for name, _ in NEWEST_FIRST]
        page = found.sort(by, descending=True).slice(question.asked.offset, question.asked.limit)
        return page.collect()["id"].to_list()


class PyarrowFile:
    """A dataset."""

    name: ClassVar = "Parquet, pyarrow"
    clock: ClassVar = time.process_time_ns
    what: ClassVar = "to_pyarrow"
    version: ClassVar = pa.__version__
    settings: ClassVar = f"{IN_FILE}, times with a zone; a dataset; one thread"

    def __init__(self, data: Data, folder: Path) -> None:
        """Makes the file."""
        pa.set_cpu_count(1)
        self._dataset = ds.dataset(write_parquet(data, folder, UTC_TIMES))

    def pushed_down(self, question: Question) -> Callable[[], Answer]:
        """By the expression that is compiled."""
        return self._found(question.query.to_pyarrow(schema=self._dataset.schema), question)

    def by_hand(self, question: Question) -> Callable[[], Answer]:
        """By an expression of a user's own."""
        tests = [self._test(clause, question) for clause in question.asked.clauses]
        if question.window:
            first, last = (pa.scalar(question.window[bound], UTC_TIMES) for bound in ("gte", "lte"))
            tests += [pc.field("time") >= first, pc.field("time") <= last]
        return self._found(reduce(and_, tests), question)

    def masked(self, question: Question) -> Callable[[], Answer]:
        """By all rows of the columns that the question needs."""
        return lambda: question.of_table(self._dataset.to_table(question.columns))

    @staticmethod
    def _test(clause: Clause, question: Question) -> pc.Expression:
        """An exclusion keeps missing values: of these, isin() is false."""
        field = pc.field(clause.column)
        if question.ignores_case:
            return pc.ascii_lower(field) == clause.values[0]
        if len(clause.values) == 1 and not clause.excludes:
            return field == clause.values[0]
        found = field.isin([*clause.values])
        return ~found if clause.excludes else found

    def _found(self, condition: pc.Expression, question: Question) -> Callable[[], Answer]:
        def run() -> Answer:
            if question.form == "count":
                return int(self._dataset.count_rows(filter=condition))
            found = self._dataset.to_table([*SHOWN], filter=condition)
            return question.page_of(found)

        return run
